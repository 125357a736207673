"""Finds the program ``pipeline``, and is its console script.

The wheel carries the program in ``_bin``. A source tree does not: there the program is the
one that ``$PRGNN_PIPELINE`` names, or the first one on the path.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ._errors import ProgramNotFound

NAME = "pipeline.exe" if os.name == "nt" else "pipeline"


def find() -> str:
    """Return the path of the program.

    Raises ProgramNotFound when there is none, or $PRGNN_PIPELINE names no program.
    """
    inside = Path(__file__).parent / "_bin" / NAME
    if inside.is_file():
        return str(inside)
    named = os.environ.get("PRGNN_PIPELINE")
    if named:
        if _is_program(Path(named)):
            return os.path.abspath(named)
        raise ProgramNotFound(f"$PRGNN_PIPELINE names {named}, which is not a program")
    for directory in os.get_exec_path():
        candidate = Path(directory or ".") / NAME
        if _is_program(candidate) and not _is_our_script(candidate):
            return os.path.abspath(candidate)
    raise ProgramNotFound(
        "the program pipeline was not found",
        remedy="pip install prgnn brings it; in a source tree build it with"
        " `go build ./cmd/pipeline` and name it in $PRGNN_PIPELINE",
    )


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _is_our_script(path: Path) -> bool:
    """Tell whether a file is a console script of Python: ours would call itself for ever."""
    if os.name == "nt":
        return path.parent.resolve() == Path(sys.executable).parent.resolve()
    with path.open("rb") as file:
        first = file.readline(256)
    return first.startswith(b"#!") and b"python" in first


def main() -> int:
    """Be the program: its arguments, streams, signals and exit code.

    The first argument is the name that was typed, ``pipeline`` or ``prgnn``.
    """
    try:
        program = find()
    except ProgramNotFound as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execv(program, sys.argv)
    child = subprocess.Popen(sys.argv, executable=program)
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:  # the program has got it too, and ends cleanly
            continue
