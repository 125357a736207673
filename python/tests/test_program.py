"""The program: where it is found, and the console script that is it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import prgnn
from prgnn import _program

from .conftest import children_of

Write = Callable[[str, str], None]
posix = pytest.mark.skipif(os.name == "nt", reason="needs sh")
SCRIPT = "import sys; from prgnn._program import main; sys.argv[0] = 'prgnn'; sys.exit(main())"


def script(*arguments: str) -> list[str]:
    """Return the command line of the console script."""
    return [sys.executable, "-c", SCRIPT, *arguments]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No program in the package, in $PRGNN_PIPELINE or on the path; the directory for the package."""
    monkeypatch.delenv("PRGNN_PIPELINE", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "first") + os.pathsep + str(tmp_path / "second"))
    monkeypatch.setattr(_program, "__file__", str(tmp_path / "prgnn" / "_program.py"))
    return tmp_path


def make(path: Path, text: str = "#!/bin/sh\n") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@posix
def test_find(found: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(prgnn.ProgramNotFound, match="pip install prgnn brings it"):
        _program.find()
    # The console script of Python is passed over: it would call itself.
    make(found / "first" / "pipeline", "#!/usr/bin/env python3\n")
    with pytest.raises(prgnn.ProgramNotFound):
        _program.find()
    on_path = make(found / "second" / "pipeline")
    assert _program.find() == on_path
    named = make(found / "named" / "program")
    monkeypatch.setenv("PRGNN_PIPELINE", named)
    assert _program.find() == named
    monkeypatch.setenv("PRGNN_PIPELINE", str(found / "nosuch"))
    with pytest.raises(prgnn.ProgramNotFound, match=r"\$PRGNN_PIPELINE names .*nosuch, which is not a program"):
        _program.find()
    inside = make(found / "prgnn" / "_bin" / "pipeline")
    assert _program.find() == inside


@posix
def test_the_script_is_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (["version", "--json"], ["run", "nosuch.yaml"], ["stages", "echo"]):
        ours = subprocess.run(script(*arguments), capture_output=True, cwd=tmp_path)
        want = subprocess.run([_program.find(), *arguments], capture_output=True, cwd=tmp_path)
        assert (ours.returncode, ours.stdout, ours.stderr) == (want.returncode, want.stdout, want.stderr)
    named = make(tmp_path / "named", "#!/bin/sh\ncat\nexit 7\n")
    monkeypatch.setenv("PRGNN_PIPELINE", named)
    ended = subprocess.run(script(), input=b"through stdin", capture_output=True)
    assert (ended.returncode, ended.stdout) == (7, b"through stdin")
    monkeypatch.setenv("PRGNN_PIPELINE", str(tmp_path / "nosuch"))
    ended = subprocess.run(script(), capture_output=True)
    assert ended.returncode == 127
    assert ended.stderr.startswith(b"error: $PRGNN_PIPELINE names ")


def test_the_script_imports_no_library() -> None:
    """The libraries take longer to import than the program takes to answer."""
    slow = {"numpy", "pyarrow", "xarray", "pandas", "importlib.metadata"}
    code = f"import sys; began = {{*sys.modules}}; import prgnn._program; print({slow} & ({{*sys.modules}} - began))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).stdout.split() == [b"set()"]
    assert prgnn.__version__
    with pytest.raises(AttributeError, match="module 'prgnn' has no attribute 'nothing'"):
        getattr(prgnn, "nothing")


@posix
def test_the_name_that_was_typed_reaches_the_program(tmp_path: Path) -> None:
    shown = subprocess.run(
        script("x"), capture_output=True, env={**os.environ, "PRGNN_PIPELINE": shutil.which("sh") or ""}
    )
    assert b"prgnn: " in shown.stderr  # sh names itself by its first argument


SLOW = """stages:
  slow:
    use: exec
    matrix: { parameters: [[n=1], [n=2]] }
    with: { command: [sh, "-c", "sleep 60 # {n}"], outputs: [out=text] }
"""


@posix
def test_signals_pass_through(write: Write, tmp_path: Path) -> None:
    write("slow.yaml", SLOW)
    child = subprocess.Popen(
        script("run", "slow.yaml", "-v"), cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    wait_for(lambda: (tmp_path / ".pipeline" / "runs").exists() and any((tmp_path / ".pipeline" / "runs").iterdir()))
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"interrupted; every finished task is kept" in said


MANY = """stages:
  many:
    use: exec
    matrix: {{ parameters: [{all}] }}
    with: {{ command: [sh, "-c", "echo $$ > '{pid}'; sleep 0.3; echo > {{out}} # {{n}}"], outputs: [out=text] }}
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_a_killed_process_leaves_no_run_behind(write: Write, tmp_path: Path) -> None:
    """A run of 400 tasks of 0.3 s each ends soon after the Python that called it was killed."""
    pid = tmp_path / "pid"
    write("many.yaml", MANY.format(pid=pid, all=", ".join(f"[n={n}]" for n in range(400))))
    call = "import prgnn; prgnn.run('many.yaml', workers=1, progress=False)"
    child = subprocess.Popen([sys.executable, "-c", call], cwd=tmp_path)
    wait_for(lambda: pid.exists() and pid.read_text().strip() != "")
    program = children_of(child.pid)
    child.kill()
    child.wait()
    wait_for(lambda: not any(alive(p) for p in program))


def alive(pid: int) -> bool:
    """Tell whether a process runs: one that has ended and that nobody waits for does not."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False


def wait_for(condition: Callable[[], bool], limit: float = 60) -> None:
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
