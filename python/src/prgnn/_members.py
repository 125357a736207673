"""An output of a stage: the files of the store that hold it, one for each member of the fan-out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ._errors import DamagedError, Error

Value: TypeAlias = "int | float | str"


@dataclass(frozen=True)
class Member:
    """One stored file: the output of one task."""

    task: str
    stage: str
    output: str
    format: str
    path: str  #: in the store; never write to it
    digest: str  #: SHA-256 of its bytes
    bytes: int
    doc: str = ""
    axes: tuple[str, ...] = ()  #: of an array, where the stage names them
    coordinates: Mapping[str, str] = field(default_factory=dict)  #: such as {"participant": "sub-003"}

    def checked(self) -> str:
        """Return the path, once the bytes are those that the digest names.

        A file is read for that once in a process, unless it changes. Raises DamagedError, or
        Error when the file is gone.
        """
        try:
            found = os.stat(self.path)
            seen = (self.path, found.st_ino, found.st_size, found.st_mtime_ns)
            if seen not in _checked and _sha256(self.path) != self.digest:
                raise DamagedError(
                    f"{self.task}.{self.output}: {self.path} is damaged",
                    remedy="`pipeline verify` notes everything that is damaged; the next run makes it again",
                )
        except FileNotFoundError:
            raise Error(
                f"{self.task}.{self.output}: {self.path} is gone",
                remedy=f"prgnn.run(…, until={self.stage!r}) makes it again",
            ) from None
        _checked.add(seen)
        return self.path


_checked: set[tuple[str, int, int, int]] = set()  # path, inode, size, time of change


def _sha256(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


@dataclass(frozen=True)
class Found:
    """The members of one output, in the order of the pipeline."""

    name: str  #: as it was asked for
    members: tuple[Member, ...]
    labels: Mapping[str, Sequence[str]]  #: the places along an axis, such as the regions along roi
    missing: tuple[str, ...] = ()  #: tasks without a result

    @property
    def format(self) -> str:
        return self.members[0].format

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes of the fan-out. One task by its full name has none: its coordinates are fixed."""
        first = self.members[0]
        if len(self.members) == 1 and self.name.startswith(first.task) and not self.missing:
            return () if self.name.removeprefix(first.task) in ("", "." + first.output) else tuple(first.coordinates)
        return tuple(first.coordinates)

    def values(self, axis: str) -> list[Value]:
        """The coordinate of each member along an axis: whole numbers, numbers or texts, as all of them are."""
        return typed([m.coordinates[axis] for m in self.members])

    @classmethod
    def of(cls, name: str, events: Sequence[Mapping[str, Any]]) -> Found:
        """Read what ``pipeline show --where`` answers."""
        members, labels, missing = [], {}, []
        for e in events:
            if e["event"] == "axis":
                labels[e["axis"]] = e["values"]
            elif e["event"] == "missing":
                missing.append(e["task"])
            elif e["event"] == "file":
                coordinates = {_spoken(c["axis"]): c["value"] for c in e["coordinates"]}
                known = {k: e[k] for k in ("task", "stage", "output", "format", "path", "digest", "bytes")}
                members.append(
                    Member(**known, doc=e.get("doc", ""), axes=tuple(e.get("axes", ())), coordinates=coordinates)
                )
        return cls(name, tuple(members), labels, tuple(missing))


def _spoken(axis: str) -> str:
    """A pipeline file says ``each: subject``; here it is the participant."""
    return "participant" if axis == "subject" else axis


def typed(values: Sequence[str]) -> list[Value]:
    """Whole numbers where all values are, else numbers where all are, else the texts."""
    for kind in (int, float):
        try:
            numbers = [kind(v) for v in values]
        except ValueError:
            continue
        if kind is float or all(str(n) == v for n, v in zip(numbers, values)):
            return list(numbers)
    return list(values)
