"""PR-GNN Pipeline from Python: runs pipeline files and opens their results.

>>> import prgnn
>>> run = prgnn.run("quick.yaml", graphs__density=0.2)
>>> run["connectivity.pearson"]          # an xarray.DataArray: participant, draw, roi, roi_to
>>> store = prgnn.open("quick.yaml")
>>> store["evaluate.scores"].pandas()

The program ``pipeline`` computes; this package calls it and maps its files into memory.
"""

from typing import TYPE_CHECKING

from ._errors import (
    DamagedError,
    Error,
    ExtraMissing,
    Interrupted,
    MistakeError,
    Problem,
    ProgramNotFound,
    SettingError,
    TaskError,
)
from ._files import File, Report
from ._members import Member
from ._records import Artifact, Cause, Difference, Output, RunRecord, Stage, Step, Task, Why
from ._run import Run, run
from ._store import Store, open
from ._tables import Table

__version__: str

if not TYPE_CHECKING:

    def __getattr__(name: str) -> str:
        """Look the version up when it is asked for: importlib.metadata is most of what an import would take."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import metadata

        try:
            return metadata.version(__name__)
        except metadata.PackageNotFoundError:  # a source tree that is not installed
            return "unknown"


__all__ = [
    "Artifact",
    "Cause",
    "DamagedError",
    "Difference",
    "Error",
    "ExtraMissing",
    "File",
    "Interrupted",
    "Member",
    "MistakeError",
    "Output",
    "Problem",
    "ProgramNotFound",
    "Report",
    "Run",
    "RunRecord",
    "SettingError",
    "Stage",
    "Step",
    "Store",
    "Table",
    "Task",
    "TaskError",
    "Why",
    "open",
    "run",
]
