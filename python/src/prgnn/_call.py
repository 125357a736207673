"""Calls of the program that look at results: they end soon, and answer in JSON."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from . import _errors, _program


def query(command: str, flags: Sequence[str], arguments: Sequence[str], directory: str) -> list[dict[str, Any]]:
    """Run a command with --json and return its objects. Raises Error with what it says."""
    code, out, err = _call([command, "--json", "--quiet", *flags, "--", *arguments], directory)
    events = [json.loads(line) for line in out.splitlines()]
    if code != 0:
        raise _errors.error_of(code, events, err)
    return events


def answer(command: str, flags: Sequence[str], arguments: Sequence[str], directory: str) -> str:
    """Run a command and return what it prints. Raises Error with what it says."""
    code, out, err = _call([command, "--quiet", *flags, "--", *arguments], directory)
    if code != 0:
        raise _errors.error_of(code, [], err)
    return out


def _call(args: Sequence[str], directory: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [_program.find(), *args],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    return done.returncode, done.stdout, done.stderr
