#!/usr/bin/env python3
"""Compares NAME.parquet with what pyarrow makes of NAME.arrow, both read by pyarrow: types and values are the same."""
import math
import sys

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet


def same(a, b):
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


for name in sys.argv[1:]:
    source = pa.ipc.open_file(name + ".arrow").read_all()
    pa.parquet.write_table(source, name + ".theirs.parquet")
    theirs, ours = pa.parquet.read_table(name + ".theirs.parquet"), pa.parquet.read_table(name + ".parquet")
    ours.validate(full=True)
    for column in source.column_names:
        assert ours[column].type == theirs[column].type, (column, ours[column].type, theirs[column].type)
        assert same(theirs[column].to_pylist(), ours[column].to_pylist()), (column, theirs[column], ours[column])
