"""Runs: settings, errors, progress, Ctrl-C."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import prgnn
from prgnn import _progress
from prgnn._settings import name_flags, setting_flags

from .conftest import children_of

Write = Callable[[str, str], None]
NUMBERS = "stages:\n  n: { use: echo, matrix: { value: [1..3] } }\n"
FAULTY = """stages:
  fine: { use: echo, with: { value: 1 } }
  broken:
    use: exec
    with: { command: [sh, "-c", "echo no such voxel; exit 3"], outputs: [out=text] }
  after: { use: echo, in: { inputs: broken } }
"""


def test_settings_become_flags() -> None:
    keywords = {
        "graphs__density": 0.2,
        "data": Path("scans"),
        "train__fold": range(1, 3),
        "a__b": None,
        "c": np.float64(0.1),
        "d": np.arange(2),
        "e": "1",
        "f": True,
        "g": {"x": (1, "é")},
    }
    values = [
        "graphs.density=0.2", 'data="scans"', "train.fold=[1, 2]", "a.b=null", "c=0.1", "d=[0, 1]", 'e="1"', "f=true",
        'g={"x": [1, "é"]}',
    ]  # fmt: skip
    assert setting_flags(None, keywords) == [w for v in values for w in ("--set", v)]
    assert setting_flags({"my-stage.value": 3}, {}) == ["--set", "my-stage.value=3"]
    assert name_flags("--until", "a") == ["--until", "a"]
    assert name_flags("--until", ["a", "b"]) == ["--until", "a", "--until", "b"]
    with pytest.raises(prgnn.SettingError, match="a.b cannot be nan"):
        setting_flags(None, {"a__b": float("nan")})
    with pytest.raises(prgnn.SettingError, match="a cannot be a object"):
        setting_flags(None, {"a": object()})
    with pytest.raises(prgnn.SettingError, match="a.b is given twice"):
        setting_flags({"a.b": 1}, {"a__b": 2})


@pytest.mark.parametrize("value", ["text", "true", "null", "a: b", "- x", "é\n\t\"'", "", "#", 7, -3, 2.5])
def test_settings_reach_the_stage_as_they_are(write: Write, value: object) -> None:
    write("one.yaml", "stages:\n  one: { use: echo, with: { value: 0 } }\n")
    got = prgnn.run("one.yaml", one__value=value, progress=False)["one"].values
    assert (bytes(got).decode() if isinstance(value, str) else got.item()) == value


def test_run(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    write("numbers.yaml", NUMBERS)
    before = signal.getsignal(signal.SIGINT)
    run = prgnn.run("numbers.yaml", workers=1)
    assert signal.getsignal(signal.SIGINT) == before
    assert (run.tasks, run.ran, run.cached, run.failed, run.skipped) == (3, 3, 0, 0, 0)
    assert run.results["n[value=2]"].state == "ran"
    said = capfd.readouterr().err
    assert said.splitlines()[0] == "n: 3 of 3"
    assert said.splitlines()[1].startswith(f"run {run.id}: 3 tasks: 3 ran, 0 cached, 0 failed, 0 skipped in ")
    again = prgnn.run("numbers.yaml", until="n[value=1]", progress=False)
    assert (again.tasks, again.cached) == (1, 1)
    assert prgnn.run("numbers.yaml", force=["n[value=1]"], progress=False).ran == 1
    assert prgnn.run("numbers.yaml", only="n", arguments=["--mem", "1GB"], progress=False).cached == 3
    assert capfd.readouterr() == ("", "")


def test_a_run_gives_its_own_results_only(write: Write) -> None:
    write("one.yaml", "stages:\n  one: { use: echo, with: { value: 1 } }\n  two: { use: echo, with: { value: 2 } }\n")
    run = prgnn.run("one.yaml", until="one", progress=False)
    assert run["one"].item() == 1
    write("one.yaml", "stages:\n  one: { use: echo, with: { value: 9 } }\n  two: { use: echo, with: { value: 2 } }\n")
    prgnn.run("one.yaml", progress=False)
    assert run.store["one"].item() == 9
    with pytest.raises(prgnn.Error, match=f"one.value is not a result of run {run.id}"):
        run["one"]
    with pytest.raises(prgnn.Error, match="two.value is not a result"):
        run["two"]


def test_mistakes_of_the_file(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    write("bad.yaml", "stages:\n  n: { use: ecko }\n  m: { use: echo, with: { vlaue: 1 } }\n")
    for call in (prgnn.run, prgnn.open):
        with pytest.raises(prgnn.MistakeError) as caught:
            call("bad.yaml")
        error = caught.value
        assert (error.exit_code, error.file, error.line, error.column) == (2, "bad.yaml", 2, 13)
        assert error.message.startswith('there is no stage kind "ecko"')
        assert [(p.line, p.column) for p in error.problems] == [(2, 13), (3, 27)]
        assert str(error).splitlines()[1].startswith("bad.yaml:3:27: ")
    assert capfd.readouterr() == ("", "")


def test_other_mistakes(write: Write) -> None:
    write("numbers.yaml", NUMBERS)
    with pytest.raises(prgnn.MistakeError, match="--set n.vlaue=1: .*did you mean") as caught:
        prgnn.run("numbers.yaml", n__vlaue=1)
    assert caught.value.file == "--set n.vlaue=1"
    with pytest.raises(prgnn.MistakeError, match='--jobs cannot be "0"') as caught:
        prgnn.run("numbers.yaml", workers=0)
    assert "--help shows an example" in str(caught.value.remedy)
    with pytest.raises(prgnn.MistakeError, match="nosuch.yaml: file does not exist") as caught:
        prgnn.open("nosuch.yaml")
    assert "the built-in pipelines are" in str(caught.value.remedy)
    prgnn.run("numbers.yaml", progress=False)
    with pytest.raises(prgnn.MistakeError, match='there is no stage "nn"; available: n'):
        prgnn.open("numbers.yaml")["nn"]


@pytest.mark.skipif(os.name == "nt", reason="needs sh")
def test_failed_tasks(write: Write) -> None:
    write("faulty.yaml", FAULTY)
    with pytest.raises(prgnn.TaskError) as caught:
        prgnn.run("faulty.yaml", progress=False)
    error = caught.value
    assert (error.exit_code, error.file, error.line, error.column) == (1, "faulty.yaml", 3, 3)
    assert error.message == 'the command "sh" ended with exit status 3'
    assert error.problems[0].task == "broken"
    assert error.problems[0].log == "no such voxel"
    assert str(error) == ('faulty.yaml:3:3: broken: the command "sh" ended with exit status 3\n  no such voxel')
    assert (error.run.ran, error.run.failed, error.run.skipped) == (1, 1, 1)
    assert error.run["fine"].item() == 1


def test_problems_are_read_from_events() -> None:
    problem = prgnn.Problem.of(
        {"event": "error", "error": "it is wrong\n  do this\n  or that", "file": "a.yaml", "line": 2, "column": 3}
    )
    assert (problem.message, problem.remedy, problem.log) == ("it is wrong", "do this\nor that", None)
    assert str(problem) == "a.yaml:2:3: it is wrong\n  do this\n  or that"
    fault = prgnn.Problem.of({"event": "task", "task": "t", "error": "the stage panicked\ngoroutine 7 [running]:\nx"})
    assert (fault.message, fault.remedy, fault.log) == ("the stage panicked", None, "goroutine 7 [running]:\nx")


# A result that is a file of its own: a small one lies in a pack, from which its file is written again.
LARGE = "stages:\n  n: { use: echo, with: { value: '" + 150_000 * "x" + "' } }\n"


def test_damage_has_an_exit_code_of_its_own(write: Write) -> None:
    write("large.yaml", LARGE)
    run = prgnn.run("large.yaml", progress=False)
    path = Path(run.store.members("n")[0].path)
    path.chmod(0o644)
    path.write_bytes(b"y" * path.stat().st_size)
    subprocess.run([prgnn._program.find(), "verify"], capture_output=True)
    with pytest.raises(prgnn.Error) as caught:
        run["n"]
    assert caught.value.exit_code == 3
    assert isinstance(caught.value, prgnn.DamagedError)


def test_progress_function(write: Write) -> None:
    write("numbers.yaml", NUMBERS)
    seen: list[_progress.Event] = []
    prgnn.run("numbers.yaml", progress=seen.append)
    assert [e["event"] for e in seen] == ["start", "task", "task", "task", "run"]
    assert (seen[0]["tasks"], seen[0]["stages"]) == (3, [{"stage": "n", "tasks": 3}])

    def stop(event: _progress.Event) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        prgnn.run("numbers.yaml", progress=stop)


@pytest.mark.skipif(os.name == "nt", reason="needs sh")
@pytest.mark.parametrize(
    ("end", "message", "code"),
    [
        ("kill -9 $$", "the program pipeline was killed by signal 9", -9),
        ("echo 'panic: a fault' >&2; exit 2", "the program pipeline ended with exit code 2", 2),
    ],
)
def test_a_program_that_ends_before_its_time(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, message: str, code: int
) -> None:
    start = '{"event":"start","pipeline":"p","tasks":1,"stages":[]}'
    write("program", f"#!/bin/sh\necho 'a note' >&2\necho '{start}'\nprintf '{{\"event\":\"ta'\n{end}\n")
    (tmp_path / "program").chmod(0o755)
    monkeypatch.setenv("PRGNN_PIPELINE", str(tmp_path / "program"))
    with pytest.raises(prgnn.Error) as caught:
        prgnn.run("p.yaml", progress=False)
    assert (type(caught.value), caught.value.message, caught.value.exit_code) == (prgnn.Error, message, code)
    assert "a note" in str(caught.value)


@pytest.mark.skipif(os.name == "nt", reason="needs sh")
def test_after_an_interrupt_the_exception_says_how_to_go_on(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []

    class Heard(_progress.Silent):
        def event(self, event: _progress.Event) -> None:
            os.kill(os.getpid(), signal.SIGINT)

        def say(self, line: str) -> None:
            heard.append(line)

    said = "echo stopping >&2; echo 'interrupted; continue with: pipeline run --json p.yaml' >&2; exit 130"
    start = '{"event":"start","pipeline":"p","tasks":1,"stages":[]}'
    write("program", f"#!/bin/sh\ntrap \"{said}\" INT\necho '{start}'\nwhile :; do sleep 0.05; done\n")
    (tmp_path / "program").chmod(0o755)
    monkeypatch.setenv("PRGNN_PIPELINE", str(tmp_path / "program"))
    monkeypatch.setattr(_progress, "display", lambda _: Heard())
    with pytest.raises(prgnn.Interrupted, match="the same call goes on"):
        prgnn.run("p.yaml")
    assert heard == ["stopping"]


START = {
    "event": "start",
    "pipeline": "p",
    "tasks": 3,
    "stages": [{"stage": "a", "tasks": 2}, {"stage": "b", "tasks": 1}],
}


def test_terminal() -> None:
    stream = io.StringIO()
    terminal = _progress.Terminal(stream)
    terminal.every = 0
    terminal.event(START)
    terminal.event({"event": "task", "stage": "a", "state": "ran"})
    terminal.say("a note")
    terminal.event({"event": "task", "stage": "a", "state": "failed"})
    terminal.close("the end")
    frames = [f.rstrip() for f in stream.getvalue().split("\r") if f.strip()]
    assert frames == [
        "p: 0 of 3 tasks, 0:00",
        "p: 1 of 3 tasks, a 1 of 2, 0:00",
        "a note",
        "p: 2 of 3 tasks, a 2 of 2, 1 failed, 0:00",
        "the end",
    ]


def test_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    display = pytest.importorskip("IPython.display")
    drawn: list[dict[str, str]] = []

    class Handle:
        def update(self, bundle: dict[str, str], raw: bool) -> None:
            drawn.append(bundle)

    def show(bundle: dict[str, str], raw: bool, display_id: bool) -> Handle:
        drawn.append(bundle)
        return Handle()

    monkeypatch.setattr(display, "display", show)
    notebook = _progress.Notebook()
    notebook.every = 0
    notebook.event(START)
    notebook.say("<note>")
    notebook.event({"event": "task", "stage": "a", "state": "ran"})
    notebook.close("the end")
    assert drawn[0]["text/html"] == '<progress value="0" max="3"></progress> p: 0 of 3 tasks, 0:00'
    assert drawn[-1]["text/plain"] == "<note>\nthe end"
    assert drawn[-1]["text/html"] == '&lt;note&gt;<br><progress value="1" max="3"></progress> the end'


SLOW = """stages:
  first: { use: echo, with: { value: 1 } }
  slow:
    use: exec
    in: { first: first }
    with: { command: [sh, "-c", "sleep 60"], inputs: [first=npy], outputs: [out=text] }
"""
CALLS = """
import os, prgnn, sys
def tell(event):
    if event.get("task") == "first":
        open("begun", "w").close()
try:
    prgnn.run("slow.yaml", progress=tell)
except prgnn.Interrupted as error:
    assert isinstance(error, KeyboardInterrupt)
    print("interrupted:", error)
"""


def started(directory: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", CALLS],
        cwd=directory,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while not (directory / "begun").exists() and time.monotonic() < end and child.poll() is None:
        time.sleep(0.05)
    return child


@pytest.mark.skipif(os.name == "nt", reason="a signal cannot be sent there")
def test_interrupt(write: Write, tmp_path: Path) -> None:
    write("slow.yaml", SLOW)
    child = started(tmp_path)
    if Path("/proc/self/task").exists():
        (program,) = children_of(child.pid)
        assert os.getpgid(program) != os.getpgid(child.pid)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does: to all processes of the group
    out, _ = child.communicate(timeout=30)
    assert out == "interrupted: every finished task is kept; the same call goes on from there\n"
    assert child.returncode == 0
    last = prgnn.open("slow.yaml").runs[0]
    assert last.interrupted and last.ran == 1 and last.finished is not None
