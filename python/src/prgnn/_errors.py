"""The exceptions, which carry what the program says of an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._run import Run


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: its place in the pipeline file, if it has one, and what helps."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    remedy: str | None = None
    task: str | None = None  #: the task that failed
    log: str | None = None  #: the last lines of its log

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.file, self.line, self.column) if p is not None)
        text = ": ".join(p for p in (place, self.task, self.message) if p)
        for more in (self.log, self.remedy):
            if more:
                text += "\n  " + more.replace("\n", "\n  ")
        return text

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Problem:
        """Read an event "error", or the event of a failed task."""
        text, _, stack = str(event["error"]).partition("\ngoroutine ")  # of a fault of the program
        message, _, rest = text.partition("\n")
        remedy = "\n".join(line.strip() for line in rest.splitlines())
        known = {k: event[k] for k in ("file", "line", "column", "task", "log") if k in event}
        if stack:
            known["log"] = "goroutine " + stack
        return cls(message, remedy=remedy or None, **known)


class Error(Exception):
    """An error of the program. The attributes are those of the first of its problems.

    ``problems`` are all of them; ``exit_code`` is that of the program: 1 when a task failed or
    a result is missing, 2 for a mistake in the pipeline file or the arguments, 3 when the store
    is damaged.
    """

    exit_code = 1

    def __init__(
        self,
        message: str,
        *,
        problems: Sequence[Problem] = (),
        remedy: str | None = None,
        exit_code: int | None = None,
    ) -> None:
        self.problems = tuple(problems) or (Problem(message, remedy=remedy),)
        super().__init__("\n".join(str(p) for p in self.problems))
        if exit_code is not None:
            self.exit_code = exit_code

    @property
    def message(self) -> str:
        """What is wrong, in one line."""
        return self.problems[0].message

    @property
    def file(self) -> str | None:
        """The pipeline file, or the setting, that is wrong."""
        return self.problems[0].file

    @property
    def line(self) -> int | None:
        """The line in the file, from 1."""
        return self.problems[0].line

    @property
    def column(self) -> int | None:
        """The column in the line, from 1."""
        return self.problems[0].column

    @property
    def remedy(self) -> str | None:
        """What to do about it, where the program knows."""
        return self.problems[0].remedy


class ProgramNotFound(Error):
    """The program ``pipeline`` is not there."""

    exit_code = 127


class MistakeError(Error):
    """The pipeline file or the arguments are wrong; nothing was run."""

    exit_code = 2


class SettingError(MistakeError, ValueError, TypeError):
    """A setting cannot be passed to the program; nothing was run."""


class DamagedError(Error):
    """A file of the store does not hold the bytes that its name says."""

    exit_code = 3


class TaskError(Error):
    """Tasks of a run failed. Every finished task is kept, in ``run``."""

    def __init__(self, message: str, *, problems: Sequence[Problem], run: Run) -> None:
        super().__init__(message, problems=problems)
        self.run = run


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a run. Every finished task is kept: the same call goes on from there."""


class ExtraMissing(ImportError):
    """An optional package is not installed."""

    def __init__(self, package: str, use: str) -> None:
        super().__init__(f"{use} needs {package}: pip install 'prgnn[{package}]'", name=package)


def error_of(code: int, events: Sequence[Mapping[str, Any]], stderr: str) -> Error:
    """Make the exception of a call that ended with an exit code other than 0."""
    problems = [Problem.of(e) for e in events if e.get("event") == "error"]
    _, said, text = f"\n{stderr}".rpartition("\nerror: ")
    if not problems and said:  # what is wrong with a flag is said on stderr alone
        problems = [Problem.of({"error": text.strip()})]
    if not problems:  # a fault of the program, or somebody has killed it
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return Error(
            f"the program pipeline {how}",
            problems=[Problem(f"the program pipeline {how}", log=stderr.strip() or None)],
            exit_code=code,
        )
    kind = {2: MistakeError, 3: DamagedError}.get(code, Error)
    return kind(problems[0].message, problems=problems, exit_code=code)
