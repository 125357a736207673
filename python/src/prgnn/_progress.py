"""How far a run is: a line in a terminal, a bar in a notebook, a line a stage elsewhere."""

from __future__ import annotations

import html
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TextIO, TypeAlias

Event = Mapping[str, Any]
Choice: TypeAlias = "bool | Callable[[Event], object] | None"


class Display(Protocol):
    """Shows the events of a run, and what the program says beside them."""

    def event(self, event: Event) -> None: ...
    def say(self, line: str) -> None: ...
    def close(self, last: str) -> None: ...


def display(choice: Choice) -> Display:
    """Return the display for ``progress=``: True or None is the one that fits, False is none."""
    if callable(choice):
        return Calls(choice)
    if choice is False:
        return Silent()
    if _in_notebook():
        return Notebook()
    if sys.stderr is not None and sys.stderr.isatty():
        return Terminal(sys.stderr)
    return Lines(sys.stderr) if sys.stderr is not None else Silent()


def _in_notebook() -> bool:
    """Tell whether this is the kernel of a notebook, without importing IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class Tally:
    """Counts of finished tasks, in all and by stage."""

    def __init__(self) -> None:
        self.pipeline = ""
        self.total, self.done, self.failed = 0, 0, 0
        self.stages: dict[str, list[int]] = {}  # done, total
        self.stage = ""
        self.began = time.monotonic()

    def count(self, event: Event) -> None:
        if event["event"] == "start":
            self.pipeline, self.total = event["pipeline"], event["tasks"]
            self.stages = {s["stage"]: [0, s["tasks"]] for s in event["stages"]}
        elif event["event"] == "task":
            self.stage = event["stage"]
            self.done += 1
            self.failed += event["state"] == "failed"
            self.stages.setdefault(self.stage, [0, 0])[0] += 1

    def words(self) -> str:
        """Such as ``quick: 143 of 281 tasks, connectivity 12 of 42, 1:05``."""
        parts = [f"{self.done} of {self.total} tasks"]
        if self.stage:
            parts.append("{} {} of {}".format(self.stage, *self.stages[self.stage]))
        if self.failed:
            parts.append(f"{self.failed} failed")
        minutes, seconds = divmod(int(time.monotonic() - self.began), 60)
        return f"{self.pipeline}: {', '.join(parts)}, {minutes}:{seconds:02}"


class Silent:
    def event(self, event: Event) -> None: ...
    def say(self, line: str) -> None: ...
    def close(self, last: str) -> None: ...


class Calls(Silent):
    """Hands each event to a function of the caller's."""

    def __init__(self, function: Callable[[Event], object]) -> None:
        self._function = function

    def event(self, event: Event) -> None:
        self._function(event)


class Lines(Silent):
    """A line for each finished stage, for a file or a pipe."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._tally = stream, Tally()

    def event(self, event: Event) -> None:
        self._tally.count(event)
        if event["event"] == "task":
            done, total = self._tally.stages[event["stage"]]
            if done == total:
                self.say(f"{event['stage']}: {done} of {total}")

    def say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)

    def close(self, last: str) -> None:
        if last:
            self.say(last)


class Terminal:
    """One line that is written over, at most ten times a second."""

    every = 0.1  # s

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._tally = stream, Tally()
        self._drawn, self._width = 0.0, 0

    def event(self, event: Event) -> None:
        self._tally.count(event)
        if time.monotonic() - self._drawn >= self.every:
            self._draw(self._tally.words())

    def say(self, line: str) -> None:
        self._draw("")
        print("\r" + line, file=self._stream)

    def close(self, last: str) -> None:
        self._draw("")
        print("\r" + last, file=self._stream, end="\n" if last else "", flush=True)

    def _draw(self, text: str) -> None:
        text = text[: shutil.get_terminal_size().columns - 1]
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._drawn, self._width = time.monotonic(), len(text)


class Notebook:
    """A bar in the output of a cell, drawn at most five times a second."""

    every = 0.2  # s

    def __init__(self) -> None:
        self._tally, self._drawn = Tally(), 0.0
        self._said: list[str] = []
        self._handle: Any = None

    def event(self, event: Event) -> None:
        self._tally.count(event)
        if time.monotonic() - self._drawn >= self.every:
            self._draw(self._tally.words())

    def say(self, line: str) -> None:
        self._said.append(line)

    def close(self, last: str) -> None:
        self._draw(last or self._tally.words())

    def _draw(self, words: str) -> None:
        from IPython.display import display

        lines = [*self._said, words]
        bar = f'<progress value="{self._tally.done}" max="{max(self._tally.total, 1)}"></progress>'
        page = "<br>".join([html.escape(line) for line in self._said] + [f"{bar} {html.escape(words)}"])
        bundle = {"text/html": page, "text/plain": "\n".join(lines)}
        if self._handle is None:
            self._handle = display(  # type: ignore[no-untyped-call]
                bundle, raw=True, display_id=True
            )
        else:
            self._handle.update(bundle, raw=True)
        self._drawn = time.monotonic()
