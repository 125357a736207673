"""Runs of a pipeline file."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from . import _program, _progress
from ._errors import Error, Interrupted, Problem, TaskError, error_of
from ._files import Report
from ._records import Task
from ._settings import Names, name_flags, value_flags
from ._store import Store, _opened


@dataclass(frozen=True)
class Run:
    """A run that ``prgnn.run`` has made. ``run[NAME]`` is a result of it, as ``store[NAME]`` is."""

    id: str
    tasks: int
    ran: int
    cached: int
    failed: int
    skipped: int
    seconds: float
    store: Store  #: the results of the same file with the same settings
    notes: tuple[str, ...] = field(default=(), repr=False)  #: what the program said beside the results
    results: Mapping[str, Task] = field(default_factory=dict, repr=False)  #: by task

    def __getitem__(self, name: str) -> Any:
        """Return an output, as ``Store`` does. Raises Error when it is no longer what this run gave."""
        found = self.store._find(name)
        for m in found.members:
            mine = self.results.get(m.task)
            if mine is None or mine.outputs[m.output].digest != m.digest:
                raise Error(
                    f"{m.task}.{m.output} is not a result of run {self.id}",
                    remedy="the pipeline file or its data have changed since, or the run did not include the task;"
                    " run.store has what the store holds now",
                )
        return _opened(found)

    def report(self) -> Report:
        """Return the report of the results that are there. A notebook shows it."""
        return self.store.report()


def run(
    file: str | os.PathLike[str],
    *,
    workers: int | None = None,
    until: Names = None,
    only: Names = None,
    force: Names = None,
    keep_going: bool = True,
    memory: str | None = None,
    executor: str | None = None,
    rehash: bool = False,
    store: str | os.PathLike[str] | None = None,
    remote: str | None = None,
    arguments: Sequence[str] = (),
    progress: _progress.Choice = None,
    settings: Mapping[str, Any] | None = None,
    **values: Any,
) -> Run:
    """Bring the results of a pipeline file up to date.

    Keywords change values of the file: ``graphs__density=0.2`` is ``--set graphs.density=0.2``.
    ``settings={"graphs.density": 0.2}`` is the same, for names that are no Python names.

    ``workers`` is --jobs and ``memory`` --mem, such as ``"8GB"``; the other options are called as in
    ``pipeline run --help``. ``arguments`` are further ones, as on the command line.

    ``progress`` is False for none, or a function that gets each event of ``pipeline run --json``.

    Raises MistakeError for what is wrong with the file or the settings, TaskError when
    tasks failed, DamagedError, and Interrupted, which is a KeyboardInterrupt, after Ctrl-C. Every
    finished task is kept, and the same call goes on from there.
    """
    view = Store(file, store=store, remote=remote, settings=settings, **values)
    flags = [
        *value_flags("--jobs", workers),
        *name_flags("--until", until),
        *name_flags("--only", only),
        *name_flags("--force", force),
        *([] if keep_going else ["--keep-going=false"]),
        *value_flags("--mem", memory),
        *value_flags("--executor", executor),
        *(["--rehash"] if rehash else []),
        *arguments,
    ]
    command = [_program.find(), "run", "--json", *view._flags(), *flags, "--", view.file]
    shown = _progress.display(progress)
    code, events, said, interrupted = _follow(command, view._directory, shown)
    if interrupted:
        shown.close("")
        raise Interrupted("every finished task is kept; the same call goes on from there")
    ended = next((e for e in reversed(events) if e["event"] == "run"), None)
    if ended is None:
        shown.close("")
        raise error_of(code, events, "\n".join(said))
    tasks = {e["task"]: Task.of(e) for e in events if e["event"] == "task"}
    counts = {k: ended[k] for k in ("id", "tasks", "ran", "cached", "failed", "skipped", "seconds")}
    made = Run(**counts, store=view, notes=tuple(said), results=tasks)
    shown.close(
        f"run {made.id}: {made.tasks} tasks: {made.ran} ran, {made.cached} cached, {made.failed} failed,"
        f" {made.skipped} skipped in {made.seconds:.1f} s"
    )
    problems = [Problem.of(e) for e in events if e["event"] == "task" and e["state"] == "failed" and "error" in e]
    if problems:
        raise TaskError(problems[0].message, problems=problems, run=made)
    if code != 0:
        raise error_of(code, events, "\n".join(said))
    return made


def _follow(
    command: Sequence[str], directory: str, shown: _progress.Display
) -> tuple[int, list[dict[str, Any]], list[str], bool]:
    """Run a command to its end; return its exit code, its events, what it said, and whether Ctrl-C came.

    The program is in a process group of its own: Ctrl-C reaches this process alone, which hands
    it on once. If this process is killed, the program ends when it next writes an event.
    """
    alone: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        alone = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP")}
    child = subprocess.Popen(
        command,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        **alone,
    )
    assert child.stdout and child.stderr
    lines: queue.SimpleQueue[tuple[bool, str | None]] = queue.SimpleQueue()
    for is_event, stream in ((True, child.stdout), (False, child.stderr)):
        threading.Thread(target=_read, args=(stream, is_event, lines), daemon=True).start()
    events: list[dict[str, Any]] = []
    said: list[str] = []
    started = False  # a run that does not start says in its exception what is wrong
    interrupts = _Interrupts(child)
    try:
        with interrupts:
            for _ in range(2):  # both streams end
                while (line := _next(lines))[1] is not None:
                    is_event, text = line
                    event = _event(text or "") if is_event else None
                    if event is None:
                        said.append(text or "")
                        if started and not (interrupts.came and said[-1].startswith("interrupted; ")):  # the exception
                            shown.say(said[-1])
                        continue
                    events.append(event)
                    if event["event"] == "start":
                        started = True
                        for note in said:
                            shown.say(note)
                    shown.event(event)
            code = child.wait()
    except BaseException:  # a function for progress= that fails
        interrupts.send()
        child.wait()
        raise
    return code, events, said, interrupts.came


def _read(stream: IO[str], is_event: bool, lines: queue.SimpleQueue[tuple[bool, str | None]]) -> None:
    with stream:
        for line in stream:
            lines.put((is_event, line.rstrip("\n")))
    lines.put((is_event, None))


def _event(line: str) -> dict[str, Any] | None:
    """Read an event; None for half a line, of a program that was killed."""
    try:
        event: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return event


def _next(lines: queue.SimpleQueue[tuple[bool, str | None]]) -> tuple[bool, str | None]:
    while True:
        try:
            return lines.get(timeout=0.5)  # Windows sees Ctrl-C between the waits only
        except queue.Empty:
            continue


class _Interrupts:
    """Hands Ctrl-C on to a child while it runs. In another thread than the main one, Python does not let us."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child
        self.came = False

    def __enter__(self) -> None:
        self._is_main = threading.current_thread() is threading.main_thread()
        if self._is_main:
            self._before = signal.signal(signal.SIGINT, lambda *_: self.send())

    def __exit__(self, *_: object) -> None:
        if self._is_main:
            signal.signal(signal.SIGINT, self._before)

    def send(self) -> None:
        self.came = True
        try:
            self._child.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))
        except ProcessLookupError:
            pass
