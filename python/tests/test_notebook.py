"""The notebook of the examples, and what only a kernel has: its progress and its interrupt."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import prgnn

from .conftest import Quick

nbclient = pytest.importorskip("nbclient")
NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook" / "quick.ipynb"


@pytest.fixture(autouse=True)
def kernel_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say nothing of where Jupyter keeps its settings."""
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")


def test_notebook(quick: Quick, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat

    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None, "strip the outputs"
    monkeypatch.setenv("PIPELINE_STORE", quick.store._where[1])
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}

    def data(cell: str, kind: str) -> str:
        found = [o["data"][kind] for o in outputs[cell] if kind in o.get("data", {})]
        assert found, f"cell {cell} has no {kind}: {outputs[cell]}"
        return str(found[-1])

    assert not [o for each in outputs.values() for o in each if o["output_type"] == "stream" and o["name"] == "stderr"]
    assert re.search(r'<progress value="(\d{3})" max="\1">', data("change", "text/html"))
    assert re.search(r": \d{3} tasks: ", data("change", "text/plain"))
    assert "+ parameter density: 0.2" in outputs["why"][0]["text"]
    assert "participant: 42" in data("matrix", "text/plain")
    want = quick.store["connectivity[sub-sim003].pearson"]
    assert (
        float(data("select", "text/plain"))
        == want.sel(draw=0, roi="Left-Hippocampus", roi_to="Right-Hippocampus").item()
    )
    for cell in ("figure", "regions"):
        assert data(cell, "image/png")
    scores = prgnn.open("quick.yaml", store=quick.store._where[1], graphs__density=0.2)["evaluate.summary"].pandas()
    auc = scores.query("model == '' and level == 'participant'")["auc"].item()
    assert str(round(auc, 3)) in data("scores", "text/html")
    assert data("report", "text/html").startswith("<iframe srcdoc=")


SLOW = """stages:
  first: { use: echo, with: { value: 1 } }
  slow:
    use: exec
    in: { first: first }
    with: { command: [sh, "-c", "sleep 60"], inputs: [first=npy], outputs: [out=text] }
"""
CELL = """
import prgnn
def tell(event):
    if event.get("task") == "first":
        open("begun", "w").close()
prgnn.run("slow.yaml", progress=tell)
"""


def answer(client: Any, asked: str) -> Any:
    while True:
        message = client.get_shell_msg(timeout=60)
        if message["parent_header"].get("msg_id") == asked:
            return message["content"]


@pytest.mark.skipif(os.name == "nt", reason="needs sh")
def test_interrupt_of_a_kernel(write: Callable[[str, str], None], tmp_path: Path) -> None:
    from jupyter_client.manager import start_new_kernel

    write("slow.yaml", SLOW)
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(tmp_path))
    try:
        asked = client.execute(CELL, stop_on_error=False)  # else it may abort the next one too
        end = time.monotonic() + 60
        while not (tmp_path / "begun").exists() and time.monotonic() < end:
            time.sleep(0.05)
        manager.interrupt_kernel()
        reply = answer(client, asked)
        assert (reply["status"], reply["ename"]) == ("error", "Interrupted"), reply
        assert answer(client, client.execute("1 + 1"))["status"] == "ok"  # the kernel's own handler is back
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    last = prgnn.open("slow.yaml").runs[0]
    assert last.interrupted and last.ran == 1 and last.finished is not None
