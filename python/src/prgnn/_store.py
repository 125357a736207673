"""The results of a pipeline file."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _call
from ._errors import Error, ExtraMissing
from ._files import File, Report
from ._members import Found, Member
from ._records import Cause, RunRecord, Stage, Step, Why, read
from ._settings import Names, name_flags, setting_flags, value_flags
from ._tables import Table

if TYPE_CHECKING:
    import xarray


class Store:
    """The results that a store holds for a pipeline file now. ``prgnn.open`` makes one.

    Nothing is kept in memory: each access asks the program which files hold the result, so it is
    never an older one than the file and the settings describe.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        store: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        settings: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> None:
        self.file = os.fspath(file)  #: the pipeline file, as it was named
        self._directory = os.getcwd()  # the file's path starts here, also after os.chdir
        self._beside = value_flags("--store", store and os.fspath(store))
        self._where = self._beside + value_flags("--remote", remote)
        self._sets = setting_flags(settings, values)

    def __repr__(self) -> str:
        return f"<prgnn.Store {' '.join([self.file, *self._sets, *self._where])}>"

    def __getitem__(self, name: str) -> Any:
        """Return an output by ``STAGE``, ``STAGE.OUTPUT`` or ``TASK.OUTPUT``.

        An array is an xarray.DataArray, a table a Table, anything else a File, or a list of
        them for a fan-out. A type checker knows more of ``array``, ``table`` and ``files``.
        Raises Error when a result is missing.
        """
        return _opened(self._find(name))

    def _ipython_key_completions_(self) -> list[str]:
        return [f"{s.stage}.{o.name}" for s in self.stages for o in s.outputs]

    def array(self, name: str, *, partial: bool = False) -> xarray.DataArray:
        """Return an output of the format npy.

        The axes are those of the fan-out, then those of the array, such as ``participant``,
        ``draw``, ``roi``, ``roi_to``, with the ids of participants and the names of regions.
        The files are mapped into memory. One member is a read-only view of its file; of several, those
        that an index chooses are read when their values are.

        With partial, members without a result are left out, and a warning names them.
        """
        return _data_array(self._find(name, partial, "npy"))

    def table(self, name: str, *, partial: bool = False) -> Table:
        """Return an output of the format arrow; of a fan-out the tables of all members, one after the other."""
        return Table(self._find(name, partial, "arrow"))

    def files(self, name: str, *, partial: bool = False) -> list[File]:
        """Return an output of any format as files, one for each member of the fan-out."""
        return [File(m) for m in self.members(name, partial=partial)]

    def members(self, name: str, *, partial: bool = False) -> tuple[Member, ...]:
        """Return what the program knows of each stored file: its path, digest, format and coordinates."""
        return self._find(name, partial).members

    def _find(self, name: str, partial: bool = False, format: str | None = None) -> Found:
        found = Found.of(name, self._look(name, flags=["--where", *(["--partial"] if partial else [])]))
        if found.missing:
            warnings.warn(f"{name}: no result of {', '.join(found.missing)}", stacklevel=3)
        if format and found.format != format:
            raise Error(f"{name} is {found.format}, not {format}", remedy=f"store[{name!r}] takes it as it is")
        return found

    @property
    def stages(self) -> list[Stage]:
        """The stages of the pipeline, their outputs, and how many of their tasks have a result."""
        return [Stage.of(e) for e in self._look()]

    @property
    def runs(self) -> list[RunRecord]:
        """The past runs of the pipeline, the newest first."""
        return [RunRecord.of(e) for e in self._runs()]

    def _runs(self) -> list[dict[str, Any]]:
        return _call.query("runs", self._beside + self._sets, [self.file], self._directory)

    def plan(self, *, until: Names = None, only: Names = None, force: Names = None) -> list[Step]:
        """Return what a run would do with each task, and why. Nothing is run."""
        flags = name_flags("--until", until) + name_flags("--only", only) + name_flags("--force", force)
        return [read(Step, e) for e in self._query("plan", flags=flags)]

    def why(self, task: str) -> Why:
        """Return the parameter, input or code that makes a task stale, or made it run when it ran last."""
        (event, *_) = self._query("why", task)
        if event["event"] == "causes":
            raise Error(f"{task} is a stage, not a task", remedy=f"store.causes({task!r}) says why its tasks run")
        return Why.of(event)

    def causes(self, stage: str = "") -> list[Cause]:
        """Return what makes tasks stale, of one stage or of all: each cause once, with its tasks."""
        (event, *_) = self._query("why", *([stage] if stage else []))
        return [Cause.of(c) for c in event["causes"]]

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The cautions of the summary, heaviest first: code, weight, subject, numbers and text.

        ``subject`` and ``numbers`` are dictionaries. Raises Error when the summary has not run.
        """
        rows: list[dict[str, Any]] = self.table("findings").arrow().to_pylist()
        for row in rows:
            for name in ("subject", "numbers"):
                row[name] = json.loads(row[name]) if row[name] else {}
        return rows

    def report(self) -> Report:
        """Return the report of the results that are there. A notebook shows it."""
        return Report(_call.answer("report", [*self._flags(), "--as-written", "-o", "-"], [self.file], self._directory))

    def _flags(self) -> list[str]:
        return self._where + self._sets

    def _look(self, *arguments: str, flags: list[str] | None = None) -> list[dict[str, Any]]:
        """Show results with the settings of this object, and never with those of the last run."""
        return self._query("show", *arguments, flags=["--as-written", *(flags or [])])

    def _query(self, command: str, *arguments: str, flags: list[str] | None = None) -> list[dict[str, Any]]:
        return _call.query(command, self._flags() + (flags or []), [self.file, *arguments], self._directory)


def open(
    file: str | os.PathLike[str],
    *,
    store: str | os.PathLike[str] | None = None,
    remote: str | None = None,
    settings: Mapping[str, Any] | None = None,
    **values: Any,
) -> Store:
    """Open the results of a pipeline file.

    ``store`` and ``remote`` are the program's --store and --remote. Keywords and ``settings``
    change values of the file, as in ``prgnn.run``: the results are then those with these values.
    Raises MistakeError when the file is wrong, with its line and column.
    """
    opened = Store(file, store=store, remote=remote, settings=settings, **values)
    opened._runs()  # which loads the file
    return opened


def _opened(found: Found) -> Any:
    if found.format == "npy":
        return _data_array(found)
    if found.format == "arrow":
        return Table(found)
    files = [File(m) for m in found.members]
    return files if found.axes else files[0]


def _data_array(found: Found) -> xarray.DataArray:
    try:
        from . import _arrays
    except ImportError as error:
        if error.name != "xarray":
            raise
        raise ExtraMissing("xarray", f"{found.name} is an array, which") from None
    return _arrays.data_array(found)
