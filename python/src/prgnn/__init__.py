"""PR-GNN Pipeline from Python: runs pipeline files and opens their results.

>>> import prgnn
>>> run = prgnn.run("quick.yaml", graphs__density=0.2)
>>> run["connectivity.pearson"]          # an xarray.DataArray: participant, draw, roi, roi_to
>>> store = prgnn.open("quick.yaml")
>>> store["evaluate.scores"].pandas()

The program ``pipeline`` computes; this package calls it and maps its files into memory.
"""

from importlib import metadata as _metadata

from ._errors import (
    DamagedError,
    Error,
    ExtraMissing,
    Interrupted,
    MistakeError,
    Problem,
    ProgramNotFound,
    TaskError,
)
from ._files import File, Report
from ._members import Member
from ._records import Artifact, Cause, Difference, Output, RunRecord, Stage, Step, Task, Why
from ._run import Run, run
from ._store import Store, open
from ._tables import Table

try:
    __version__ = _metadata.version("prgnn")
except _metadata.PackageNotFoundError:  # a source tree that is not installed
    __version__ = "unknown"

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
