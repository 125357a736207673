"""Tables and files: the oracle is pyarrow on the stored files, found by digest, and the program's own export."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pyarrow as pa
import pyarrow.ipc
import pytest

import prgnn

from .conftest import Quick

Write = Callable[[str, str], None]


def stored(quick: Quick, task: str, output: str) -> pa.Table:
    return pa.ipc.open_file(quick.file(task, output).read_bytes()).read_all()


def test_single_table(quick: Quick) -> None:
    scores = quick.store["evaluate.scores"]
    want = stored(quick, "evaluate", "scores")
    assert scores.arrow().equals(want, check_metadata=True)
    assert scores.columns == want.column_names
    assert len(scores) == want.num_rows
    assert repr(scores).startswith(f"<prgnn.Table evaluate.scores: {want.num_rows} rows × ")


def test_fan_out_has_its_coordinates_in_front(quick: Quick) -> None:
    quality = quick.store.table("connectivity.quality").arrow()
    tasks = sorted(quick.tasks("connectivity"))
    parts = [stored(quick, t, "quality") for t in tasks]
    assert quality.column_names == ["participant", *parts[0].column_names]
    assert quality.drop_columns(["participant"]).equals(pa.concat_tables(parts))
    want = [t.removeprefix("connectivity[").removesuffix("]") for t, p in zip(tasks, parts) for _ in range(len(p))]
    assert quality["participant"].to_pylist() == want
    # The export has the same rows, and calls the participant as the pipeline file does.
    quick.export("connectivity.quality", "-o", "quality.arrow")
    export = pa.ipc.open_file((quick.directory / "quality.arrow").read_bytes()).read_all()
    assert quality.rename_columns(["subject", *quality.column_names[1:]]).equals(export)


def test_a_column_that_is_there_stays(quick: Quick) -> None:
    """Predictions name their fold themselves: no second column is made, and none of the task's own is lost."""
    predictions = quick.store.table("train.predictions").arrow()
    assert predictions.column_names.count("fold") == 1
    quick.export("train.predictions", "-o", "predictions.arrow")
    export = pa.ipc.open_file((quick.directory / "predictions.arrow").read_bytes()).read_all()
    assert predictions.equals(export)


def test_pandas_and_polars(quick: Quick) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("polars")
    scores = quick.store["evaluate.scores"]
    rows = stored(quick, "evaluate", "scores").to_pylist()
    assert scores.polars().to_dicts() == rows
    frame = scores.pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["accuracy"].tolist() == [r["accuracy"] for r in rows]
    assert pa.RecordBatchReader._import_from_c_capsule(scores.__arrow_c_stream__()).read_all().to_pylist() == rows
    assert "accuracy" in scores._repr_html_()
    assert len(pandas.DataFrame(quick.store.stages)) == len(quick.store.stages)


def test_columns_are_the_mapped_file(quick: Quick) -> None:
    before = pa.total_allocated_bytes()
    table = quick.store["biomarkers.individual"].arrow()
    assert table.nbytes > 10_000
    assert pa.total_allocated_bytes() - before < table.nbytes / 10


def test_without_pandas_and_polars(quick: Quick, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    scores = quick.store["evaluate.scores"]
    with pytest.raises(prgnn.ExtraMissing, match=r"Table.pandas\(\) needs pandas: pip install 'prgnn\[pandas\]'"):
        scores.pandas()
    with pytest.raises(ImportError, match="polars"):
        scores.polars()
    assert scores._repr_html_() is None


def test_tables_that_differ_are_an_error(write: Write) -> None:
    write(
        "t.py",
        "import sys, pyarrow as pa\n"
        "t = pa.table({sys.argv[1]: [1.0]})\n"
        "with pa.ipc.new_file(sys.argv[2], t.schema) as f: f.write_table(t)\n",
    )
    write(
        "t.yaml",
        f"""stages:
  t:
    use: exec
    in: {{ script: {{ file: t.py }} }}
    matrix: {{ parameters: [[name=a], [name=b]] }}
    with:
      command: [{sys.executable!r}, "{{script}}", "{{name}}", "{{out}}"]
      inputs: [script=py]
      outputs: [out=arrow]
""",
    )
    run = prgnn.run("t.yaml", progress=False)
    with pytest.raises(prgnn.Error, match="the tables of its tasks have different columns"):
        run["t"]


def test_files(quick: Quick) -> None:
    bold = quick.store["cohort.bold"]
    assert len(bold) == 42
    assert bold[2].coordinates == {"participant": "sub-sim003"}
    assert bold[2].path == quick.file("cohort[sub-sim003]", "bold")
    one = quick.store["cohort[sub-sim003].bold"]
    assert one.bytes() == bold[2].bytes()
    assert one.save(quick.directory / "bold.nii.gz").read_bytes() == one.bytes()
    assert repr(one) == f"<prgnn.File cohort[sub-sim003].bold: nifti, {len(one.bytes())} bytes>"

    summary = quick.store["summary"]
    assert str(summary) == quick.file("summary", "text").read_text(encoding="utf-8") == summary.text()
    assert summary._repr_mimebundle_() == {"text/plain": summary.text()}
    picture = quick.store["picture"]
    assert "<svg " in picture._repr_mimebundle_()["image/svg+xml"]
    import base64

    png = quick.store["means.png"]._repr_mimebundle_()["image/png"]
    assert base64.b64decode(png) == quick.file("means", "png").read_bytes()
    with pytest.raises(prgnn.Error, match="summary is text, not npy"):
        quick.store.array("summary")


def test_members(quick: Quick) -> None:
    members = quick.store.members("connectivity.pearson")
    assert [m.path for m in members] == [str(quick.file(m.task, "pearson")) for m in members]
    assert members[0].axes == ("draw", "roi", "roi")


def test_repr_without_control_characters(quick: Quick) -> None:
    scores = quick.store["evaluate.scores"]
    scores._arrow = pa.table({"a\x1b[31m": [1], "plain": [2]})
    assert repr(scores).endswith(": 1 rows × 2 columns: a\\x1b[31m, plain>")
