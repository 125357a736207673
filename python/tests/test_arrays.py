"""Arrays: the oracle is numpy.load of the stored files, found by digest, and the program's own export."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import prgnn
from prgnn import _members, _program

from .conftest import Quick

xarray = pytest.importorskip("xarray")

Write = Callable[[str, str], None]


def test_stack_holds_every_file(quick: Quick) -> None:
    pearson = quick.store["connectivity.pearson"]
    assert pearson.dims == ("participant", "draw", "roi", "roi_to")
    assert pearson.name == "pearson"
    tasks = quick.tasks("connectivity")
    assert len(tasks) == 42 == pearson.sizes["participant"]
    for task in tasks:
        want = np.load(quick.file(task, "pearson"))
        got = pearson.sel(participant=task.removeprefix("connectivity[").removesuffix("]"))
        np.testing.assert_array_equal(got.values, want)
    assert pearson.values.shape == (42, 9, 84, 84)
    np.testing.assert_array_equal(pearson[7].values, np.load(quick.file("connectivity[sub-sim008]", "pearson")))


def test_coordinates_are_those_of_the_export(quick: Quick) -> None:
    quick.export("connectivity.pearson", "-o", "pearson.npy")
    axes = json.loads((quick.directory / "pearson.json").read_text())["axes"]
    pearson = quick.store.array("connectivity.pearson")
    assert pearson.coords["participant"].values.tolist() == axes[0]["values"]
    assert pearson.coords["draw"].values.tolist() == list(range(9))
    assert pearson.coords["roi"].values.tolist() == axes[2]["values"] == pearson.coords["roi_to"].values.tolist()
    np.testing.assert_array_equal(pearson.values, np.load(quick.directory / "pearson.npy"))
    features = quick.store.array("graphs.features")
    assert features.dims == ("participant", "draw", "roi", "feature")
    assert "feature" not in features.coords


@pytest.mark.parametrize(
    "key",
    [
        (3,),
        (slice(5, 20, 4), 0),
        ([40, 2], slice(None), [83, 0, 5], 7),
        (slice(None), 0, 1, 2),
        (slice(30, 30),),
        (-1, -1, slice(None, None, -1)),
        (np.array([True] + [False] * 41), 2),
    ],
)
def test_indexing_is_that_of_numpy(quick: Quick, key: tuple[object, ...]) -> None:
    lazy = quick.store["connectivity.pearson"]
    whole = xarray.DataArray(
        np.stack([np.load(quick.file(t, "pearson")) for t in sorted(quick.tasks("connectivity"))]), dims=lazy.dims
    )
    got, want = lazy[key], whole[key]
    assert got.dims == want.dims
    np.testing.assert_array_equal(got.values, want.values)
    np.testing.assert_array_equal(lazy[key][..., 0:1].values, want[..., 0:1].values)


def test_labels_of_other_regions_are_not_used(quick: Quick) -> None:
    """Where an array has other regions than the cohort names, it has none of their names."""
    from prgnn import _arrays

    found = quick.store._find("connectivity[sub-sim003].pearson")
    assert "roi" in _arrays.data_array(found).coords
    other = _members.Found(found.name, found.members, {"roi": found.labels["roi"][:-1]})
    assert set(_arrays.data_array(other).coords) == {"participant", "draw"}


def base(array: npt.NDArray[np.float64]) -> object:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.base if array.base is not None else array


def test_one_member_is_a_view_of_its_file(quick: Quick) -> None:
    one = quick.store["connectivity[sub-sim003].pearson"]
    assert one.dims == ("draw", "roi", "roi_to")
    assert one.coords["participant"].item() == "sub-sim003"
    import mmap

    assert isinstance(base(one.values), mmap.mmap)
    assert not one.values.flags.writeable
    with pytest.raises(ValueError, match="read-only|a view"):
        one[0, 0, 0] = 7
    # Of a stack too, as long as one member is chosen.
    assert isinstance(base(quick.store["connectivity.pearson"][3, 0].values), mmap.mmap)


def test_only_the_chosen_members_are_read(quick: Quick, monkeypatch: pytest.MonkeyPatch) -> None:
    pearson = quick.store["connectivity.pearson"]
    from prgnn import _arrays

    read: list[str] = []
    opened = _arrays.opened
    monkeypatch.setattr(_arrays, "opened", lambda m: read.append(m.task) or opened(m))  # type: ignore[func-returns-value]
    _ = pearson.sel(participant=["sub-sim009", "sub-sim002"]).values
    assert set(read) <= {"connectivity[sub-sim009]", "connectivity[sub-sim002]", "connectivity[sub-sim001]"}


def test_matrix_stage(quick: Quick) -> None:
    weights = quick.store["train.weights"]
    assert weights.dims == ("fold", "axis_1")
    assert weights.coords["fold"].values.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(weights.sel(fold=2), np.load(quick.file("train[fold=2]", "weights")))
    assert weights.attrs["sha256"] == [
        quick.run.results[f"train[fold={k}]"].outputs["weights"].digest for k in (1, 2, 3)
    ]


def test_numbers_without_axes(write: Write) -> None:
    write(
        "n.yaml",
        "stages:\n  n: { use: echo, matrix: { value: [3, 1, 2] } }\n  one: { use: echo, with: { value: 5 } }\n",
    )
    run = prgnn.run("n.yaml", progress=False)
    assert run["n"].dims == ("value",)
    assert run["n"].sel(value=[1, 2, 3]).values.tolist() == [1, 2, 3]
    assert run["one"].dims == ()
    assert run["one"].item() == 5
    assert run["n[value=2]"].item() == 2
    assert run["n[value=2]"].coords["value"].item() == 2


def test_shapes_that_differ_are_an_error(write: Write) -> None:
    write("t.yaml", "stages:\n  t: { use: echo, matrix: { value: [a, abc] } }\n")
    run = prgnn.run("t.yaml", progress=False)
    with pytest.raises(
        prgnn.Error, match=r"t\[value=a\] is uint8 \(1,\), but t\[value=abc\] is uint8 \(3,\)"
    ) as caught:
        run["t"]
    assert "store['t[value=abc].value']" in str(caught.value.remedy)
    assert bytes(run["t[value=abc]"].values) == b"abc"


# Results that are files of their own: a small one lies in a pack, from which its file is written again.
LARGE = "stages:\n  n: { use: echo, matrix: { k: [1, 2] }, with: { value: '${k}" + 150_000 * "x" + "' } }\n"


def test_damage_is_found(write: Write) -> None:
    write("n.yaml", LARGE)
    run = prgnn.run("n.yaml", progress=False)
    lazy = run["n"]
    path = Path(run.store.members("n[k=2]")[0].path)
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x55")
    os.utime(path, ns=(1, 1))
    _members._checked.clear()
    with pytest.raises(prgnn.DamagedError, match=r"n\[k=2\].value: .* is damaged") as caught:
        _ = lazy.values
    assert caught.value.exit_code == 3
    with pytest.raises(prgnn.DamagedError):
        run.store["n"]
    # The remedy is true.
    store = str(path.parents[2])
    assert subprocess.run([_program.find(), "verify", "--store", store], capture_output=True).returncode == 3
    assert prgnn.run("n.yaml", progress=False).ran == 1
    assert [bytes(v[:2]) for v in lazy.values] == [b"1x", b"2x"]


def test_a_file_that_gc_removed(write: Write) -> None:
    write("n.yaml", LARGE)
    lazy = prgnn.run("n.yaml", progress=False)["n"]
    Path(prgnn.open("n.yaml").members("n[k=2]")[0].path).unlink()
    with pytest.raises(prgnn.Error, match="is gone"):
        _ = lazy.values
    prgnn.run("n.yaml", force="n", progress=False)
    assert [bytes(v[:2]) for v in lazy.values] == [b"1x", b"2x"]


AXES = """stages:
  n:
    use: exec
    in: {{ script: {{ file: n.py }} }}
    matrix: {{ time_limit: [20, 10], parameters: [[x=1], [x=2]] }}
    with:
      command: [{python!r}, "{{script}}", "{{x}}", "{{out}}"]
      inputs: [script=py]
      outputs: [out=npy]
"""


def test_several_axes(write: Write) -> None:
    """Two axes make a grid; where a combination is missing, the members lie along one axis."""
    write("n.py", "import sys, numpy as np\nnp.save(open(sys.argv[2], 'wb'), np.array([int(sys.argv[1])] * 3))\n")
    write("n.yaml", AXES.format(python=sys.executable))
    run = prgnn.run("n.yaml", progress=False)
    n = run["n"]
    assert n.dims == ("time_limit", "parameters", "axis_1")
    assert n.coords["time_limit"].values.tolist() == [20, 10]
    assert n.sel(time_limit=10, parameters="x=2").values.tolist() == [2, 2, 2]
    assert n[:, :, 0].values.tolist() == [[1, 2], [1, 2]]
    tasks = [m.task for m in run.store.members("n")]

    Path(".pipeline").rename("old")
    prgnn.run("n.yaml", until=tasks[:3], progress=False)
    with pytest.warns(UserWarning, match="no result of"):
        part = prgnn.open("n.yaml").array("n", partial=True)
    assert part.dims == ("task", "axis_1")
    assert part.coords["task"].values.tolist() == tasks[:3]
    assert part.coords["time_limit"].dims == ("task",)
    assert [(int(p.time_limit), str(p.parameters.item()), int(p[0])) for p in part] == [
        (20, "x=1", 1),
        (20, "x=2", 2),
        (10, "x=1", 1),
    ]


def test_missing_members(write: Write) -> None:
    write("n.yaml", "stages:\n  n: { use: echo, matrix: { value: [1..3] } }\n")
    prgnn.run("n.yaml", until="n[value=2]", progress=False)
    store = prgnn.open("n.yaml")
    with pytest.raises(prgnn.Error, match="2 of 3 results of n are missing") as caught:
        store["n"]
    assert "pipeline run n.yaml --until n" in str(caught.value.remedy)
    with pytest.warns(UserWarning, match=r"n: no result of n\[value=1\], n\[value=3\]"):
        part = store.array("n", partial=True)
    assert part.coords["value"].values.tolist() == [2]


def test_without_xarray(quick: Quick, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    monkeypatch.delitem(sys.modules, "prgnn._arrays", raising=False)
    monkeypatch.delattr(prgnn, "_arrays", raising=False)
    with pytest.raises(
        prgnn.ExtraMissing, match=r"connectivity.pearson is an array, which needs xarray: pip install 'prgnn\[xarray\]'"
    ):
        quick.store["connectivity.pearson"]
