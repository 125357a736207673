"""The estimators of scikit-learn: equal to pipelines, and what scikit-learn's checks require of them."""

from __future__ import annotations

import hashlib
import importlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from nilearn.connectome import ConnectivityMeasure
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

import prgnn
from prgnn import sklearn as estimators
from prgnn.sklearn import BrainGNNClassifier, PRGNNClassifier, TangentFC

Array = npt.NDArray[Any]
Write = Callable[[str, str], None]

# Checks that PRGNNClassifier fails, and why. BrainGNNClassifier is the same class with other stages.
WIDTH = "X has 1, 2, 4, 5 or 30 columns, or numbers beyond ±1: no correlations of N regions"
EIGENVALUE = "X has uniform random numbers: no correlation matrices, whose eigenvalues are not negative"
EXPECTED = {
    **dict.fromkeys(
        [
            "check_classifier_data_not_an_array",
            "check_classifiers_classes",
            "check_classifiers_train",
            "check_dict_unchanged",
            "check_dont_overwrite_parameters",
            "check_estimators_dtypes",
            "check_estimators_fit_returns_self",
            "check_estimators_overwrite_params",
            "check_estimators_pickle",
            "check_f_contiguous_array_estimator",
            "check_fit2d_predict1d",
            "check_fit_check_is_fitted",
            "check_fit_idempotent",
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
            "check_n_features_in",
            "check_n_features_in_after_fitting",
            "check_pipeline_consistency",
            "check_positive_only_tag_during_fit",
            "check_readonly_memmap_input",
        ],
        WIDTH,
    ),
    **dict.fromkeys(
        ["check_dtype_object", "check_estimators_nan_inf", "check_fit_score_takes_y", "check_supervised_y_2d"],
        EIGENVALUE,
    ),
}
TWICE = {
    "check_positive_only_tag_during_fit": "X has one row twice, which the program refuses as one scan of two people"
}

# Checks of the usual tests; PRGNN_SKLEARN=all adds the rest, half a minute.
USUAL = [
    "check_classifier_data_not_an_array",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimators_nan_inf",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_n_features_in",
    "check_readonly_memmap_input",
]


class AnyNumbers(PRGNNClassifier):
    """Makes small correlations of 8 regions of any row, by its hash: all but the width is that of PRGNNClassifier."""

    def _matrices(self, X: Array) -> Array:
        return super()._matrices(np.stack([self._row(np.asarray(row, "float64") + 0.0) for row in X]))

    @staticmethod
    def _row(row: Array) -> Array:
        seed = int.from_bytes(hashlib.sha256(row.tobytes()).digest()[:8], "little")
        return np.random.default_rng(seed).uniform(-1 / 8, 1 / 8, 28)


CHECKS = [check for _, check in estimator_checks_generator(AnyNumbers(epochs=2, batch=100))]
NAMES = USUAL
if os.environ.get("PRGNN_SKLEARN") == "all":  # the one on array API is for estimators that compute in Python
    NAMES = sorted({check.func.__name__ for check in CHECKS} - TWICE.keys() - {"check_array_api_input"})


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keeps temporary files in a directory of the test, in which the estimators leave none."""
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


@pytest.fixture(scope="module")
def series() -> list[Array]:
    """The series of 18 participants, of different lengths; regions 1 and 2 correlate in every second one."""
    random = np.random.default_rng(7)
    data = [random.normal(size=(60 + i % 3, 8)) + random.normal(size=(60 + i % 3, 1)) for i in range(18)]
    for i, one in enumerate(data):
        one[:, 1] += i % 2 * one[:, 0]
    return data


@pytest.fixture(scope="module")
def matrices(series: list[Array]) -> Array:
    return np.stack([np.corrcoef(one.T) for one in series])


def triangles(matrices: Array) -> Array:
    i, j = np.triu_indices(matrices.shape[-1], 1)
    return np.asarray(matrices[:, i, j])


GROUPS = np.array(["HC", "ASD"])[np.arange(18) % 2]
PIPELINE = """
seed: 11
cohort: {{ {cohort}: {{ file: participants.tsv, {port}: "{{participant_id}}.npy" }} }}
stages:
  connectivity: {matrices}
  folds: {{ use: split, in: {{ participants: cohort.participants }}, with: {{ folds: 3, repeats: 2 }} }}
"""
MATRICES = (
    "{ use: matrices, each: subject, in: { pearson: cohort.pearson, nodes: cohort.nodes }, with: { partial: ridge } }"
)
GRAPHS = """
  graphs:
    use: graph
    each: subject
    in: { pearson: connectivity.pearson, partial: connectivity.partial, quality: connectivity.quality }
    with: { density: 0.3 }
  model:
    in: { edges: "graphs[*].edges", features: "graphs[*].features", folds: folds }
    matrix: { fold: [2], repeat: [2] }
"""


def of_pipeline(write: Write, data: Any, text: str, **names: str) -> prgnn.Run:
    """Run a pipeline file on the data of participants, in two groups."""
    write("participants.tsv", "participant_id\tgroup\n" + "".join(f"sub-{i:02d}\t{g}\n" for i, g in enumerate(GROUPS)))
    for i, one in enumerate(data):
        np.save(f"sub-{i:02d}.npy", one)
    write("study.yaml", PIPELINE.format(**names) + text)
    return prgnn.run("study.yaml", progress=False)


@pytest.mark.parametrize(
    ("estimator", "use"),
    [(PRGNNClassifier, "use: train"), (BrainGNNClassifier, "use: network")],
)
def test_classifiers_equal_the_pipeline(
    estimator: Any, use: str, matrices: Array, write: Write, monkeypatch: pytest.MonkeyPatch, temporary: Path
) -> None:
    options = {"pool": "sage"} if use == "use: train" else {"communities": 4}
    given = {"epochs": 3, "batch": 10, **options, **({} if use == "use: train" else {"model": "braingnn"})}
    text = GRAPHS.replace("model:\n", f"model:\n    {use}\n", 1)
    text += f"    with: {{ {', '.join(f'{k}: {v}' for k, v in given.items())} }}\n"
    run = of_pipeline(write, matrices, text, cohort="matrices", port="pearson", matrices=MATRICES)
    table = run.store.table("model.predictions").arrow().sort_by("participant_id")
    trained = np.array(table.column("set").to_pylist()) == "train"
    assert 0 < trained.sum() < 18

    monkeypatch.setenv("PIPELINE_REMOTE", "nowhere")  # participants are not shared
    monkeypatch.setenv("PIPELINE_STORE", str(temporary / "store"))
    X = triangles(matrices)
    made = estimator(density=0.3, epochs=3, options={**options, "fold": 2, "repeat": 2}, random_state=11)
    model = clone(made).fit(X[trained], GROUPS[trained])
    assert list(model.classes_) == ["ASD", "HC"]
    probabilities = pickle.loads(pickle.dumps(model)).predict_proba(X)
    assert (probabilities[:, 0] == table.column("p_ASD").to_numpy()).all()
    assert (probabilities[:, 1] == table.column("p_HC").to_numpy()).all()
    label = np.array(["ASD", "HC"])[table.column("predicted").to_numpy()]
    monkeypatch.setattr(estimators, "_draws", lambda rows: [rows[at : at + 4] for at in range(0, len(rows), 4)])
    assert (model.predict(X) == label).all() and (model.predict_proba(X) == probabilities).all()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("kind", ["series", "matrices"])
def test_tangent_space_equals_the_pipeline_and_nilearn(
    kind: str, series: list[Array], matrices: Array, write: Write, temporary: Path
) -> None:
    data = series if kind == "series" else list(matrices)
    names = dict(cohort="matrices", port="pearson", matrices=MATRICES)
    if kind == "series":
        stage = "{ use: connectivity, each: subject, in: { series: series.series }, with: { pearson: ledoit-wolf } }"
        stage += "\n  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }"
        names = dict(cohort="timeseries", port="series", matrices=stage)
    text = """
  tangent: { use: tangent, matrix: { fold: [2] }, in: { matrices: "connectivity[*].pearson", folds: folds } }
  project:
    use: project
    each: subject
    matrix: { fold: [2] }
    in: { matrices: connectivity.pearson, fitted: tangent }
"""
    run = of_pipeline(write, data, text, **names)
    want = np.concatenate([np.load(m.checked()) for m in run.store.members("project.matrices")])
    folds = run.store.table("folds.folds").pandas()
    trained = np.flatnonzero(folds[folds.repeat == 1].sort_values("participant_id").fold != 2)
    fitted = TangentFC().fit([data[i] for i in trained])
    i, j = np.tril_indices(8)
    got = pickle.loads(pickle.dumps(fitted)).transform(data if kind == "series" else matrices)
    assert (got == want[:, i, j] * np.where(i == j, np.sqrt(0.5), 1)).all()
    assert list(temporary.iterdir()) == []
    if kind == "series":
        scaled = [(one - one.mean(0)) / one.std(0) for one in series]
        theirs = ConnectivityMeasure(kind="tangent", vectorize=True, standardize=False).fit(scaled).transform(scaled)
        ours = TangentFC(options={"stop": "nilearn"}).fit(series).transform([*series, series[3]])
        assert (ours[18] == ours[3]).all()
        assert np.abs(ours[:18] - theirs).max() < 1e-11


def test_in_a_pipeline_of_scikit_learn(series: list[Array]) -> None:
    model = make_pipeline(TangentFC(), LogisticRegression())
    assert cross_val_score(model, series, GROUPS, cv=2).mean() > 0.7


def test_random_state_and_jobs(matrices: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = triangles(matrices)[:6], [1.0, 0, 1, 0, 1, 0]
    workers = []

    def run(*args: Any, **keywords: Any) -> Any:
        workers.append(keywords["workers"])
        return prgnn.run(*args, **keywords)

    monkeypatch.setattr(estimators, "run", run)
    model = PRGNNClassifier(epochs=1, random_state=np.random.RandomState(3), n_jobs=2)
    assert model.fit(X, y).model_ != clone(model).fit(X, y).model_
    assert list(model.classes_) == [0, 1] and workers == [2, 2]
    one, other = (PRGNNClassifier(epochs=np.int64(1), random_state=np.int32(5)).fit(X, y).model_ for _ in range(2))
    assert one == other and workers == [2, 2, 1, 1]


def test_mistakes(matrices: Array, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = triangles(matrices), GROUPS
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"seed": 1}, "set random_state"),
        ({"epochs": 1}, "set epochs="),
        ({"select": "test"}, "no test participants"),
    ]
    for options, message in mistakes:
        with pytest.raises(ValueError, match=message):
            PRGNNClassifier(options=options).fit(X, y)
    with pytest.raises(ValueError, match=r"above the diagonal .* n_features = 29"):
        PRGNNClassifier().fit(np.hstack([X, X[:, :1]]), y)
    with pytest.raises(ValueError, match=r"X\[0, 0\] is .*, beyond -1 to 1"):
        PRGNNClassifier().fit(X + 2, y)
    with pytest.raises(ValueError, match=r"X\[1\] has the shape \(7, 7\), but X\[0\] \(8, 8\)"):
        TangentFC().fit([matrices[0], matrices[1, :7, :7]])
    with pytest.raises(prgnn.Error, match="no parameter .*nosuch"):
        PRGNNClassifier(options={"nosuch": 1}).fit(X, y)
    with pytest.raises(prgnn.Error, match="sub-00000018.*sub-00000000"):  # one scan under two ids
        PRGNNClassifier().fit(np.vstack([X, X[:1]]), [*y, y[0]])

    def interrupted(*_: Any, **__: Any) -> Any:
        raise prgnn.Interrupted("Ctrl-C")

    monkeypatch.setattr(estimators, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        PRGNNClassifier().fit(X, y)
    assert list(temporary.iterdir()) == []
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    with pytest.raises(prgnn.ExtraMissing, match=r"prgnn.sklearn needs sklearn: pip install 'prgnn\[sklearn\]'"):
        importlib.reload(estimators)


def test_checks_of_scikit_learn_that_fail() -> None:
    results = check_estimator(
        PRGNNClassifier(epochs=2, batch=100), expected_failed_checks=EXPECTED, on_fail=None, on_skip=None
    )
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == EXPECTED.keys()


@pytest.mark.parametrize("name", NAMES)
def test_checks_of_scikit_learn(name: str) -> None:
    for check in CHECKS:
        if check.func.__name__ == name:
            check(AnyNumbers(epochs=2, batch=100))
