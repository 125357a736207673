"""Python values as the program's flags."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ._errors import SettingError

Names: TypeAlias = "str | Sequence[str] | None"  #: one name of a stage or task, or several


def setting_flags(settings: Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> list[str]:
    """Return ``--set path=value`` for settings by path and by keyword.

    In a keyword ``__`` stands for the dot: ``graphs__density=0.2`` sets ``graphs.density``.
    Raises SettingError for a value that YAML does not have, for NaN and infinity, and for a path given twice.
    """
    paths = dict(settings or {})
    for keyword, value in keywords.items():
        path = keyword.replace("__", ".")
        if path in paths:
            raise SettingError(f"{path} is given twice, as {keyword}= and in settings=")
        paths[path] = value
    flags = []
    for path, value in paths.items():
        flags += ["--set", f"{path}={json.dumps(_plain(path, value), ensure_ascii=False)}"]
    return flags


def _plain(path: str, value: Any) -> Any:
    """Return a value as JSON has it, which YAML reads."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise SettingError(f"{path} cannot be {value}: a number must be finite")
        return float(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(k): _plain(path, v) for k, v in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [_plain(path, v) for v in value]
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        return _plain(path, value.tolist())
    raise SettingError(f"{path} cannot be a {type(value).__name__}: it takes numbers, texts, lists, mappings of them")


def name_flags(flag: str, names: Names) -> list[str]:
    """Return a flag once for each name."""
    given = [names] if isinstance(names, str) else names or []
    return [word for name in given for word in (flag, name)]


def value_flags(flag: str, value: object) -> list[str]:
    """Return a flag with its value, or nothing for None."""
    return [] if value is None else [flag, str(value)]
