"""Results that are neither arrays nor tables: images, texts, pages, pictures."""

from __future__ import annotations

import base64
import html
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ._members import Member

TEXTS = ("text", "json", "tsv", "csv", "markdown", "log", "svg", "html")


class File:
    """A stored file. A notebook shows texts, pictures and pages."""

    def __init__(self, member: Member) -> None:
        self._member = member

    @property
    def path(self) -> Path:
        """Where it lies in the store; its bytes have been checked. Never write to it."""
        return Path(self._member.checked())

    @property
    def format(self) -> str:
        """Its format, such as nifti, text or svg."""
        return self._member.format

    @property
    def task(self) -> str:
        """The task that made it."""
        return self._member.task

    @property
    def coordinates(self) -> Mapping[str, str]:
        """The coordinates of the task, such as ``{"participant": "sub-003"}``."""
        return self._member.coordinates

    def bytes(self) -> bytes:
        """Return its bytes."""
        return self.path.read_bytes()

    def text(self) -> str:
        """Return its text."""
        return self.path.read_text(encoding="utf-8")

    def save(self, path: str | Path) -> Path:
        """Copy it to a path, such as ``bold.nii.gz``: programs tell images by their extension."""
        return Path(shutil.copyfile(self.path, path))

    def __str__(self) -> str:
        return self.text() if self.format in TEXTS else repr(self)

    def __repr__(self) -> str:
        return f"<prgnn.File {self.task}.{self._member.output}: {self.format}, {self._member.bytes} bytes>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        if self.format == "svg":
            return {"image/svg+xml": self.text(), "text/plain": repr(self)}
        if self.format == "png":
            return {"image/png": base64.b64encode(self.bytes()).decode(), "text/plain": repr(self)}
        if self.format == "html":
            return {"text/html": framed(self.text()), "text/plain": repr(self)}
        return {"text/plain": str(self)}


class Report:
    """The report of a pipeline: one HTML page, which a notebook shows."""

    def __init__(self, page: str) -> None:
        self.html = page  #: the page

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, which opens in any browser."""
        Path(path).write_bytes(self.html.encode())
        return Path(path)

    def __repr__(self) -> str:
        return f"<prgnn.Report: {len(self.html.encode())} bytes of HTML; .save(PATH) writes them>"

    def _repr_html_(self) -> str:
        return framed(self.html)


def framed(page: str, height: int = 800) -> str:
    """Show a page inside a notebook. The sandbox keeps its scripts away from the notebook."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts allow-popups allow-downloads"'
        f' style="width:100%;height:{height}px;border:0"></iframe>'
    )
