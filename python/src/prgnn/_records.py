"""What the program tells of stages, tasks and runs. All are plain dataclasses:
``pandas.DataFrame(store.runs)`` makes a table of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, TypeVar

T = TypeVar("T")


def read(kind: type[T], event: Mapping[str, Any]) -> T:
    """Make a dataclass of the fields of an event that it has."""
    return kind(**{f.name: event[f.name] for f in fields(kind) if f.name in event})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Artifact:
    """A stored result: the SHA-256 of its bytes, its format and its size in bytes."""

    digest: str
    format: str
    bytes: int


@dataclass(frozen=True)
class Task:
    """A task that a run has finished."""

    task: str
    stage: str
    state: str  #: ran, cached, failed or skipped
    seconds: float = 0.0
    key: str = ""
    outputs: Mapping[str, Artifact] = field(default_factory=dict)
    error: str = ""
    note: str = ""
    read: int = 0  #: bytes of its inputs
    memory: int = 0  #: bytes at most, of the process that ran it

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Task:
        outputs = {name: read(Artifact, a) for name, a in event.get("outputs", {}).items()}
        return read(cls, {**event, "outputs": outputs})


@dataclass(frozen=True)
class Step:
    """A task of a plan."""

    task: str
    stage: str
    state: str  #: cached, stale, unknown, or failed when it cannot run
    reason: str = ""


@dataclass(frozen=True)
class Output:
    """An output of a stage."""

    name: str
    format: str
    doc: str = ""


@dataclass(frozen=True)
class Stage:
    """A stage of the pipeline, and how many of its tasks have a result."""

    stage: str
    kind: str
    tasks: int
    cached: int
    bytes: int
    outputs: tuple[Output, ...] = ()

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Stage:
        return read(cls, {**event, "outputs": tuple(read(Output, o) for o in event["outputs"] or ())})


@dataclass(frozen=True)
class RunRecord:
    """A run that the store has a record of. The counts are None for a run that is still going on or was killed."""

    id: str
    pipeline: str
    file: str
    started: datetime
    tasks: int | None
    ran: int | None
    cached: int | None
    failed: int | None
    skipped: int | None
    seconds: float | None
    finished: datetime | None = None
    unfinished: int = 0
    interrupted: bool = False
    stopped: str = ""  #: why it ended before its time
    version: str = ""  #: of the program
    commit: str | None = None  #: of the program; None where its build has no version-control stamp

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> RunRecord:
        times = {k: _time(event[k]) for k in ("started", "finished") if event.get(k)}
        return read(cls, {**event, **times})


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))  # Python 3.10 knows no Z


@dataclass(frozen=True)
class Difference:
    """One fact of a task's recipe, then and now."""

    what: str  #: stage, code, parameter, environment, input or format
    name: str = ""
    old: str = ""
    new: str = ""
    source: str = ""  #: of an input: its file or task; of a declaration: its file and line

    def __str__(self) -> str:
        name = f"{self.what} {self.name}".strip()
        if not self.old and not self.new:
            return f"{name} has changed"
        lines = [f"- {name}: {self.old}"] if self.old else []
        lines += [f"+ {name}: {self.new}" + (f"   from {self.source}" if self.source else "")] if self.new else []
        return "\n".join(lines)


@dataclass(frozen=True)
class Cause:
    """One reason for which tasks are not cached, and these tasks."""

    text: str
    stage: str = ""  #: where it is, if it is of one stage
    tasks: tuple[str, ...] = ()

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Cause:
        return read(cls, {**event, "tasks": tuple(event.get("tasks", ()))})


@dataclass(frozen=True)
class Why:
    """Why a task is stale, or made it run when it ran last."""

    task: str
    stage: str
    state: str
    reason: str
    run: str = ""  #: the run that it is compared with
    when: str = ""
    key: str = ""
    differences: tuple[Difference, ...] = ()
    waits_for: tuple[str, ...] = ()
    recipe: str = field(default="", repr=False)  #: all that the result depends on, as text
    before: str = field(default="", repr=False)  #: the recipe of that run

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Why:
        differences = tuple(read(Difference, {**d, "source": d.get("from", "")}) for d in event["differences"])
        return read(cls, {**event, "differences": differences, "waits_for": tuple(event.get("waits_for", ()))})

    def __str__(self) -> str:
        if self.state != "cached":
            head = f"{self.task} is {self.state}: {self.reason}"
        elif self.run:
            head = f"{self.task} has its result; what differs from run {self.run}:"
        else:
            head = f"{self.task} has its result; there is no other to compare with"
        return "\n".join([head, *("  " + str(d).replace("\n", "\n  ") for d in self.differences)])
