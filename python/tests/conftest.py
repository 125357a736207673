"""The tests run the program that $PRGNN_PIPELINE names, as users do."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import prgnn
from prgnn import _program

# Processes that tests start import the package from where the tests do.
os.environ["PYTHONPATH"] = str(Path(prgnn.__file__).parents[1])


def children_of(parent: int) -> list[int]:
    """Return the children of a process."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    assert children, "the program does not run"
    return [int(p) for p in children]


def unpack(store: Path, into: Path) -> None:
    """Write the small results of a store, which lie in packs, as files named by their digests."""
    into.mkdir(exist_ok=True)
    for pack in (store / "packs").iterdir():
        data = pack.read_bytes()
        at = len("prgnn pack 1\n")
        while data[at : at + 4] == b"pgn1" and data[at + 4 : at + 5] != b"i":
            size = int.from_bytes(data[at + 8 : at + 12], "little")
            if data[at + 4 : at + 5] == b"b":
                (into / data[at + 12 : at + 44].hex()).write_bytes(data[at + 80 : at + 80 + size])
            at += 80 + size


class Quick:
    """The built-in quick.yaml, run once, and the results of its store found by their digests alone."""

    def __init__(self, directory: Path, store: Path) -> None:
        self.directory = directory
        self.run = prgnn.run("quick.yaml", store=store, progress=False)
        self.store = self.run.store
        unpack(store, directory / "small")
        files = [*(store / "blobs").rglob("*"), *(directory / "small").iterdir()]
        self._files = {p.name: p for p in files if p.is_file()}

    def file(self, task: str, output: str) -> Path:
        """The stored bytes of an output, as the events of the run name them."""
        return self._files[self.run.results[task].outputs[output].digest]

    def tasks(self, stage: str) -> list[str]:
        return [t for t in self.run.results if t.startswith(stage + "[")]

    def export(self, *arguments: str) -> None:
        # Other tests run the file with settings, and the store of a fixture has none.
        command = [_program.find(), "export", "-q", "--as-written", *self.store._where, "quick.yaml", *arguments]
        subprocess.run(command, cwd=self.directory, check=True)


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Quick:
    directory = tmp_path_factory.mktemp("quick")
    before = Path.cwd()
    os.chdir(directory)
    try:
        return Quick(directory, Path(os.environ.get("PIPELINE_STORE", directory / "store")).absolute())
    finally:
        os.chdir(before)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Writes files into an empty working directory with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PIPELINE_STORE", raising=False)

    def write(name: str, text: str) -> None:
        (tmp_path / name).write_text(text, encoding="utf-8")

    return write
