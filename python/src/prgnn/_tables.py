"""Arrow files of the store as tables, mapped into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._errors import Error, ExtraMissing
from ._members import Found, Member, Value

if TYPE_CHECKING:  # pyarrow takes longer to import than the program to answer
    import pandas
    import polars
    import pyarrow as pa


class Table:
    """A table that a stage made, of a fan-out with the coordinates of each task as columns in front.

    Anything that reads Arrow takes it as it is, such as ``duckdb.sql("from table")`` or
    ``polars.DataFrame(table)``.
    """

    def __init__(self, found: Found) -> None:
        self._name = found.name
        self._arrow = _joined(found)

    def arrow(self) -> pa.Table:
        """Return the pyarrow.Table. Its columns are the mapped files; the schema has units and descriptions."""
        return self._arrow

    def pandas(self) -> pandas.DataFrame:
        """Return a pandas.DataFrame."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise ExtraMissing("pandas", "Table.pandas()") from None
        frame: pandas.DataFrame = self._arrow.to_pandas()
        return frame

    def polars(self) -> polars.DataFrame:
        """Return a polars.DataFrame."""
        try:
            import polars
        except ImportError:
            raise ExtraMissing("polars", "Table.polars()") from None
        frame = polars.from_arrow(self._arrow)
        assert isinstance(frame, polars.DataFrame)
        return frame

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._arrow.column_names)

    def __len__(self) -> int:
        return int(self._arrow.num_rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._arrow.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        names = ", ".join(c if c.isprintable() else ascii(c)[1:-1] for c in self.columns)
        return f"<prgnn.Table {self._name}: {len(self)} rows × {len(self.columns)} columns: {names}>"

    def _repr_html_(self) -> str | None:
        try:
            html: str = self.pandas()._repr_html_()  # type: ignore[operator]
        except ExtraMissing:
            return None
        return html


def _joined(found: Found) -> pa.Table:
    """Join the tables of all members, the coordinates of each in front, without copying columns."""
    import pyarrow as pa

    parts = [_opened(m) for m in found.members]
    for axis in reversed(found.axes):
        values = found.values(axis)
        if all(_holds(part, axis, value) for part, value in zip(parts, values)):
            continue
        name = axis + "_of_task" if any(axis in part.column_names for part in parts) else axis
        kind = pa.array(values).type
        field = pa.field(name, kind, metadata={"doc": "coordinate of the task"})
        parts = [
            part.add_column(0, field, pa.repeat(pa.scalar(value, kind), part.num_rows))
            for part, value in zip(parts, values)
        ]
    try:
        return pa.concat_tables(parts)
    except pa.ArrowInvalid as error:
        first = found.members[0]
        raise Error(
            f"{found.name}: the tables of its tasks have different columns: {error}",
            remedy=f"take one by its name, such as store[{first.task + '.' + first.output!r}]",
        ) from None


def _opened(member: Member) -> pa.Table:
    import pyarrow as pa
    import pyarrow.ipc

    return pa.ipc.open_file(pa.memory_map(member.checked())).read_all()


def _holds(table: pa.Table, column: str, value: Value) -> bool:
    """Tell whether a table has the coordinate of its task as a column already."""
    return column in table.column_names and all(str(v) == str(value) for v in table[column].unique().to_pylist())
