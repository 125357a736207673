"""Estimators for scikit-learn: kinds that fit something to training participants, as ``fit`` and ``predict``.

>>> from prgnn.sklearn import PRGNNClassifier
>>> classifier = PRGNNClassifier(density=0.2, random_state=2020).fit(X, y)  # X: the correlations above the diagonal
>>> classifier.predict_proba(X_new)

``fit`` runs the program in a temporary directory, and keeps the model file as bytes. The results are
those of a pipeline file with the same parameters and participants, bit for bit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import ExtraMissing
from ._run import run
from ._settings import _plain
from ._store import Store

try:
    from joblib import effective_n_jobs
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise ExtraMissing("sklearn", "prgnn.sklearn") from None

Array = npt.NDArray[Any]

__all__ = ["BrainGNNClassifier", "PRGNNClassifier", "TangentFC"]


class _GraphClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of graphs, which are made of correlations."""

    _kind: Mapping[str, Any]  # of the stage, and the parameters by which it is this model
    _output: str  # with the model file

    def __init__(
        self,
        *,
        density: float = 0.1,
        rho: float = 0.1,
        epochs: int = 100,
        batch: int = 10,
        learning_rate: float = 0.001,
        options: Mapping[str, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.density = density
        self.rho = rho
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.options = options
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Any:
        """Fit the model to participants: rows of correlations above the diagonal, row by row, and their groups."""
        X, y = validate_data(self, X, y, dtype="float64", ensure_min_samples=2)
        check_classification_targets(y)
        classes, labels = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"{type(self).__name__} can't train when only one class is present")
        own = {name: getattr(self, name) for name in ("epochs", "batch", "learning_rate")}
        own |= {"seed": _seed(self.random_state)} | self._kind["with"]
        use = {"use": self._kind["use"], "in": _GRAPHS, "with": _with(self.options, own)}
        self.model_ = _fitted(use, self._output, list(self._matrices(X)), self._stages(), self.n_jobs, labels)
        self.classes_ = classes
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, in the order of ``classes_``."""
        probabilities, _ = self._predictions(X)
        return probabilities

    def predict(self, X: Any) -> Array:
        """Return the class that the program predicts."""
        _, predicted = self._predictions(X)
        return np.asarray(self.classes_[predicted])

    def _predictions(self, X: Any) -> tuple[Array, Array]:
        check_is_fitted(self)
        X = validate_data(self, X, dtype="float64", reset=False)
        predict = {
            "use": "predict",
            "in": {**_GRAPHS, "model": [{"file": "model.npz"}]},
            "with": {"draw_zero": True, "allow": ["edges", "features"]},  # as test participants of a training have them
        }
        stages = {**self._stages(), "predict": predict}
        with _run(_draws(self._matrices(X)), stages, self.n_jobs, files={"model.npz": self.model_}) as store:
            import pyarrow as pa  # takes longer to import than the program to answer

            table = pa.ipc.open_file(store.files("predict.predictions")[0].bytes()).read_all()
            groups = [name.removeprefix("p_") for name in table.column_names if name.startswith("p_")]
            probabilities = np.column_stack([table.column(f"p_{group}").to_numpy() for group in groups])
            return probabilities, np.array([groups.index(group) for group in table.column("predicted").to_pylist()])

    def _matrices(self, X: Array) -> Array:
        """Return the correlation matrices, participant × region × region."""
        regions = (1 + math.isqrt(1 + 8 * X.shape[1])) // 2
        if regions < 3 or regions * (regions - 1) // 2 != X.shape[1]:
            raise ValueError(
                f"{type(self).__name__} takes the N(N-1)/2 correlations of N regions above the diagonal"
                f" (matrices[:, i, j] with i, j = np.triu_indices(N, 1)), but X has n_features = {X.shape[1]}"
            )
        beyond = np.argwhere(np.abs(X) > 1)
        if len(beyond):
            i, j = beyond[0]
            raise ValueError(f"{type(self).__name__} takes correlations, but X[{i}, {j}] is {X[i, j]}, beyond -1 to 1")
        matrices = np.zeros((len(X), regions, regions))
        i, j = np.triu_indices(regions, 1)
        matrices[:, i, j] = matrices[:, j, i] = X
        matrices[:, range(regions), range(regions)] = 1
        return matrices

    def _stages(self) -> dict[str, Any]:
        return {
            "connectivity": _matrices_stage(self.rho),
            "graphs": {
                "use": "graph",
                "each": "subject",
                "in": {name: f"connectivity.{name}" for name in ("pearson", "partial", "quality")},
                "with": {"density": self.density},
            },
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # scikit-learn's checks have no brain graphs
        return tags


class PRGNNClassifier(_GraphClassifier):
    """PR-GNN (Li et al. 2020), the kind ``train``.

    X has one row for each participant: the correlations above the diagonal, ``matrix[np.triu_indices(N, 1)]``.
    Partial correlations by ridge (``rho``) make the edges, as in matrices.yaml.

    ``options`` are further parameters of the kind (``pipeline stages train``), such as ``{"pool": "sage"}``. The random
    numbers of a training depend on ``fold`` and ``repeat`` (1, 1) beside the seed; fit trains on all rows in any case.
    ``n_jobs`` bounds the tasks of the program at once; the results do not depend on it.

    After fit, ``classes_`` are the groups, and ``model_`` is the model file (npz).
    """

    _kind = {"use": "train", "with": {}}
    _output = "model"


class BrainGNNClassifier(_GraphClassifier):
    """BrainGNN (Li et al. 2021), the kind ``network``. X and parameters are those of PRGNNClassifier."""

    _kind = {"use": "network", "with": {"model": "braingnn"}}
    _output = "file"


class TangentFC(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Connectivity in tangent space (Varoquaux et al. 2010), the kinds ``tangent`` and ``project``.

    X is an array of correlation matrices, participants × regions × regions, or a list of denoised series,
    volumes × regions, whose matrices ``estimator`` estimates (``pearson`` of the kind ``connectivity``). Square
    items are matrices. The result has a row for each participant: the triangle with its diagonal /√2, in the order of
    nilearn's ``sym_matrix_to_vec``.

    ``options`` are further parameters of the kind ``tangent``, such as ``{"stop": "nilearn"}``. After fit, ``model_``
    is the reference (Arrow).
    """

    def __init__(
        self,
        *,
        estimator: str = "ledoit-wolf",
        reference: str = "geometric",
        options: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.reference = reference
        self.options = options
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Any:
        """Fit the reference to participants."""
        data = _participants(X)
        inputs = {"matrices": "connectivity[*].pearson"}
        use = {"use": "tangent", "in": inputs, "with": _with(self.options, {"reference": self.reference})}
        self.model_ = _fitted(use, "fitted", data, self._stages(data), self.n_jobs, [0] * len(data))
        self._shape = data[0].shape[-1], _square(data)
        return self

    def transform(self, X: Any) -> Array:
        """Return the tangent vectors of participants."""
        check_is_fitted(self)
        data = _participants(X)
        if (data[0].shape[-1], _square(data)) != self._shape:
            kinds = {True: "matrices", False: "series"}
            raise ValueError(
                f"X has {kinds[_square(data)]} of {data[0].shape[-1]} regions,"
                f" but the reference was fitted to {kinds[self._shape[1]]} of {self._shape[0]}"
            )
        inputs = {"matrices": "connectivity.pearson", "fitted": {"file": "fitted.arrow"}}
        stages = {**self._stages(data), "project": {"use": "project", "each": "subject", "in": inputs}}
        distinct = {one.tobytes(): one for one in data}  # the program refuses one scan of two participants
        parts = list(distinct.values())
        if _square(data):
            parts = _draws(np.stack(parts))
        with _run(parts, stages, self.n_jobs, files={"fitted.arrow": self.model_}) as store:
            tangents = np.concatenate(
                [np.load(member.checked(), allow_pickle=False) for member in store.members("project.matrices")]
            )
        rows = {content: row for row, content in enumerate(distinct)}
        tangents = tangents[[rows[one.tobytes()] for one in data]]
        i, j = np.tril_indices(tangents.shape[1])
        return np.asarray(tangents[:, i, j] * np.where(i == j, math.sqrt(0.5), 1))

    def _stages(self, data: Sequence[Array]) -> dict[str, Any]:
        if _square(data):
            return {"connectivity": _matrices_stage()}
        series = {"use": "timeseries", "each": "subject", "in": {"series": "cohort.series", "nodes": "cohort.nodes"}}
        estimate = {"use": "connectivity", "each": "subject", "in": {"series": "series.series"}}
        return {"series": series, "connectivity": {**estimate, "with": {"pearson": self.estimator}}}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


_GRAPHS = {"edges": "graphs[*].edges", "features": "graphs[*].features"}


@contextmanager
def _run(
    data: Sequence[Array],
    stages: Mapping[str, Any],
    jobs: int | None,
    groups: Sequence[str] = (),
    files: Mapping[str, bytes] = {},
) -> Iterator[Store]:
    """Run stages on one array for each participant, and give their results until the end of the block.

    Participants are numbered as the rows are, from 0. An array of three axes has draws along the first.
    """
    is_series = "series" in stages
    with TemporaryDirectory(prefix="prgnn-") as directory:
        beside = Path(directory)
        for name, content in files.items():
            (beside / name).write_bytes(content)
        table = "participant_id\tgroup\n"
        for i, one in enumerate(data):
            np.save(beside / f"{_id(i)}.npy", one)
            table += f"{_id(i)}\t{groups[i] if groups else 'group'}\n"
        (beside / "participants.tsv").write_text(table, encoding="ascii")
        port = {"series" if is_series else "pearson": "{participant_id}.npy"}
        cohort = {"timeseries" if is_series else "matrices": {"file": "participants.tsv", **port}}
        file = beside / "estimator.yaml"  # of which JSON is a part
        file.write_text(json.dumps({"cohort": cohort, "stages": _plain("a parameter", stages)}, indent=1))
        workers = effective_n_jobs(jobs)
        yield run(file, workers=workers, store=beside / "store", remote="none", progress=False).store


def _fitted(
    use: Mapping[str, Any], output: str, data: Sequence[Array], stages: Mapping[str, Any], jobs: int | None, labels: Any
) -> bytes:
    """Fit a stage to all participants, beside the stages that it needs, and return one of its outputs.

    Stages of the program fit outside a test fold, which must not be empty. One more participant is tested, whose
    series are mixed noise: nothing is fitted to it.
    """
    regions = data[0].shape[-1]
    random = np.random.default_rng(0)
    noise = random.standard_normal((3 * regions + 30, regions)) @ random.standard_normal((regions, regions))
    data = [*data, noise if "series" in stages else np.corrcoef(noise.T)]
    groups = [f"group{label:06d}" for label in [*labels, labels[0]]]
    folds = _folds(groups, **{name: use["with"].get(name, 1) for name in ("fold", "repeat")})
    fit = {**use, "in": {**use["in"], "folds": {"file": "folds.arrow"}}}
    with _run(data, {**stages, "fit": fit}, jobs, groups, {"folds.arrow": folds}) as store:
        return store.files(f"fit.{output}")[0].bytes()


def _with(options: Mapping[str, Any] | None, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a stage: those of the estimator, and further ones that users give."""
    options = options or {}
    for name in own:
        if name in options:
            of = {"seed": ": set random_state", "model": ": leave it out"}.get(name, f": set {name}=")
            raise ValueError(f"options has {name}, which the estimator has itself{of}")
    if options.get("select") == "test" or options.get("standardize") == "all":
        raise ValueError("options has select: test or standardize: all, but fit has no test participants: leave it out")
    return {**options, **own}


def _matrices_stage(rho: float = 0.1) -> dict[str, Any]:
    inputs = {"pearson": "cohort.pearson", "nodes": "cohort.nodes"}
    return {"use": "matrices", "each": "subject", "in": inputs, "with": {"partial": "ridge", "rho": rho}}


def _participants(X: Any) -> list[Array]:
    """Return one array of two axes for each participant: all matrices or all series, of the same regions."""
    data = [np.asarray(one, dtype="float64") for one in X]
    if not data:
        raise ValueError("X has 0 participants: one or more are needed")
    for i, one in enumerate(data):
        if one.ndim != 2:
            raise ValueError(
                f"X[{i}] has the shape {one.shape}, want regions × regions, or volumes × regions:"
                " X is an array of matrices, or a list of series"
            )
        if not np.isfinite(one).all():
            raise ValueError(f"X[{i}] has NaN or infinity")
        if one.shape[1] != data[0].shape[1] or _square([one]) != _square(data):
            raise ValueError(
                f"X[{i}] has the shape {one.shape}, but X[0] {data[0].shape}:"
                " all are matrices or all are series, of the same regions"
            )
    return data


def _square(data: Sequence[Array]) -> bool:
    regions: int = data[0].shape[1]
    return regions == len(data[0])


def _draws(matrices: Array) -> list[Array]:
    """Return matrices as draws of few participants: a prediction does not depend on other draws, nor on the id.

    A file of matrices may have 64 MiB.
    """
    rows = max(1, 2**22 // matrices[0].size)
    return [matrices[at : at + rows] for at in range(0, len(matrices), rows)]


def _id(row: int) -> str:
    return f"sub-{row:08d}"


def _folds(groups: Sequence[str], fold: int, repeat: int) -> bytes:
    """Return an assignment to folds, as Arrow: the last participant is tested in this one."""
    import pyarrow as pa

    table = pa.table(
        {
            "participant_id": [_id(row) for row in range(len(groups))],
            "group": list(groups),
            "repeat": pa.array([repeat] * len(groups), pa.int32()),
            "fold": pa.array([fold + 1] * (len(groups) - 1) + [fold], pa.int32()),
        }
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _seed(random_state: Any) -> int:
    """Return a whole number as it is, as ``seed`` of a pipeline file, else one that is drawn."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
