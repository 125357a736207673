"""npy files of the store as xarray.DataArray, mapped into memory."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import xarray
from xarray.backends import BackendArray
from xarray.core import indexing

from ._errors import Error
from ._members import Found, Member, Value

Array = npt.NDArray[Any]
Key: TypeAlias = "int | slice | Array"  # along one axis


def opened(member: Member) -> Array:
    """Map the array of a member into memory: read only, nothing is copied."""
    path = member.checked()
    try:
        array = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except ValueError:  # an array without elements cannot be mapped
        array = np.load(path, allow_pickle=False)
    array.flags.writeable = False  # a number without axes is not mapped
    return array


def data_array(found: Found) -> xarray.DataArray:
    """Return the arrays of all members as one, the axes of the fan-out in front.

    One member is a view of its file. Of several, those that an index chooses are read when
    their values are. Where not all combinations of a fan-out over several axes are there, the
    members lie along one axis ``task``. Raises Error when the shapes or types differ.
    """
    first = found.members[0]
    part = opened(first)
    front, order = _front(found)
    members = [found.members[i] for i in order]
    sizes = tuple(len(values) for values in front.values())
    data: Any = part.reshape((1,) * len(front) + part.shape) if len(members) == 1 else _Stack(members, sizes).lazy()
    dims = _distinct([*front, *_axes(first, part)])
    array: xarray.DataArray = xarray.DataArray(
        data, coords=_coordinates(found, front, dims, part.shape), dims=dims, name=first.output
    )
    array.attrs = {
        "long_name": first.doc,
        "source": f"{first.stage}.{first.output}",
        "tasks": [m.task for m in members],
        "sha256": [m.digest for m in members],
    }
    return array


def _front(found: Found) -> tuple[dict[str, list[Value]], list[int]]:
    """The axes of the fan-out with their values, and the member at each place, in C order."""
    axes = {axis: found.values(axis) for axis in found.axes}
    if not axes:
        return {}, [0]
    places = list(zip(*axes.values()))
    values = {axis: list(dict.fromkeys(of_members)) for axis, of_members in axes.items()}
    grid = list(itertools.product(*values.values()))
    if len(grid) != len(places) or set(grid) != set(places):
        return {"task": [m.task for m in found.members]}, list(range(len(places)))
    at = {place: i for i, place in enumerate(places)}
    return values, [at[place] for place in grid]


def _axes(member: Member, part: Array) -> Sequence[str]:
    if len(member.axes) == part.ndim:
        return member.axes
    return [f"axis_{i + 1}" for i in range(part.ndim)]


def _distinct(names: Sequence[str]) -> list[str]:
    """Names of axes, each once: a matrix of regions is roi × roi_to."""
    distinct: list[str] = []
    for name in names:
        while name in distinct:
            name += "_to"
        distinct.append(name)
    return distinct


def _coordinates(
    found: Found, front: dict[str, list[Value]], dims: list[str], part: tuple[int, ...]
) -> dict[str, tuple[str, Sequence[Value]] | Value]:
    coords: dict[str, tuple[str, Sequence[Value]] | Value] = {}
    if not front:  # one task by its full name
        coords.update({axis: found.values(axis)[0] for axis in found.members[0].coordinates})
    elif list(front) == ["task"]:
        coords.update({axis: ("task", found.values(axis)) for axis in found.axes})
    coords.update({dim: (dim, values) for dim, values in zip(dims, front.values())})
    for dim, size in zip(dims[len(front) :], part):
        axis = dim
        while axis.endswith("_to"):
            axis = axis.removesuffix("_to")
        labels = found.labels.get(axis)
        if labels is not None and len(labels) == size:
            coords[dim] = (dim, list(labels))
        elif axis == "draw":  # draw 0 is the plain mean of all voxels
            coords[dim] = (dim, range(size))
    return coords


class _Stack(BackendArray):
    """Arrays of one shape and type on a grid of axes in front. Each is opened when it is read."""

    def __init__(self, members: Sequence[Member], front: tuple[int, ...]) -> None:
        first = opened(members[0])
        for m in members:
            part = opened(m)
            if part.shape != first.shape or part.dtype != first.dtype:
                raise Error(
                    f"{members[0].task} is {first.dtype} {first.shape}, but {m.task} is {part.dtype} {part.shape}:"
                    " they do not stack",
                    remedy=f"take one by its name, such as store[{m.task + '.' + m.output!r}]",
                )
        self.members = np.arange(len(members)).reshape(front)
        self.files = members
        self.shape = front + first.shape
        self.dtype = first.dtype

    def lazy(self) -> Any:
        return indexing.MemoryCachedArray(indexing.LazilyIndexedArray(self))  # type: ignore[no-untyped-call]

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._take)

    def _take(self, key: tuple[Key, ...]) -> Array:
        at, within = key[: self.members.ndim], key[self.members.ndim :]
        chosen = _outer(self.members, at)
        if chosen.ndim == 0:  # one member: a view of its file
            return _outer(opened(self.files[int(chosen)]), within)
        shape = _outer(opened(self.files[0]), within).shape
        whole = np.empty((chosen.size, *shape), self.dtype)
        for i, member in enumerate(chosen.flat):
            whole[i] = _outer(opened(self.files[member]), within)
        return whole.reshape(*chosen.shape, *shape)


def _outer(array: Array, key: tuple[Key, ...]) -> Array:
    """Index each axis by itself; the last one first, so that a number takes away no axis before its turn."""
    for axis in reversed(range(len(key))):
        array = np.asarray(array[(slice(None),) * axis + (key[axis],)])
    return array
