"""Opens an exported table in every format and compares it with what the program says of it.

usage: check_table.py DIR OUTPUT.json

DIR holds table.arrow, table.parquet, table.csv and table.tsv, all exports of one output;
OUTPUT.json is the line of `pipeline show --json` for it, with all its rows.
"""

import json
import math
import sys

import pandas as pd
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

TYPES = {"text": "string", "float64": "double", "float32": "float", "int64": "int64", "int32": "int32", "bool": "bool",
         "list<item: utf8, nullable>": "list<item: string>"}


def same(got, want):
    """Equal to the last bit; NaN is written as text in JSON, and stands for itself. An empty text in a CSV file is
    missing to pandas."""
    if want is None:
        return got is None or (isinstance(got, float) and math.isnan(got)) or got is pd.NA
    if isinstance(want, list):  # JSON in CSV and TSV
        return (json.loads(got) if isinstance(got, str) else got) == want
    if isinstance(want, str) and isinstance(got, float):
        return math.isnan(got) if want in ("NaN", "") else got == float(want)
    return type(want)(got) == want


def compare(name, columns, rows, want):
    assert list(columns) == [c["name"] for c in want["columns"]], f"{name}: columns {list(columns)}"
    assert len(rows) == want["rows"], f"{name}: {len(rows)} rows, want {want['rows']}"
    for i, (row, expected) in enumerate(zip(rows, want["head"], strict=True)):
        for column, got, value in zip(columns, row, expected, strict=True):
            assert same(got, value), f"{name}: row {i + 1}, {column}: {got!r}, want {value!r}"


def described(schema, want):
    """Units and docs of the columns travel with them."""
    for field, column in zip(schema, want["columns"], strict=True):
        meta = field.metadata or {}
        assert meta.get(b"unit", b"").decode() == column.get("unit", ""), field
        assert meta.get(b"doc", b"").decode() == column.get("doc", ""), field


def rows_of(frame):
    return list(frame.astype(object).itertuples(index=False, name=None))


def main():
    directory, path = sys.argv[1:]
    with open(path, encoding="utf-8") as f:
        want = json.load(f)
    assert want["rows"] == len(want["head"]) > 0, "the description must hold all rows"

    with pyarrow.memory_map(f"{directory}/table.arrow") as source:
        arrow = pyarrow.ipc.open_file(source).read_all()
    assert [str(f.type) for f in arrow.schema] == [TYPES[c["type"]] for c in want["columns"]], arrow.schema
    described(arrow.schema, want)
    compare("arrow", arrow.column_names, [tuple(r.values()) for r in arrow.to_pylist()], want)
    feather = pyarrow.feather.read_table(f"{directory}/table.arrow")
    assert feather.equals(arrow)

    parquet = pyarrow.parquet.read_table(f"{directory}/table.parquet")
    compare("parquet", parquet.column_names, [tuple(r.values()) for r in parquet.to_pylist()], want)
    described(parquet.schema, want)

    for name, separator in ("csv", ","), ("tsv", "\t"):
        frame = pd.read_csv(f"{directory}/table.{name}", sep=separator, float_precision="round_trip")
        compare(name, frame.columns, rows_of(frame), want)
    print(f"{want['task']}.{want['output']}: {want['rows']} rows of {len(want['columns'])} columns agree in four formats")


main()
