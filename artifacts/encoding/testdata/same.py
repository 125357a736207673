#!/usr/bin/env python3
"""Compares pairs of Arrow files, read by pyarrow: types, metadata and values are the same."""
import math
import sys

import pyarrow as pa
import pyarrow.ipc


def same(a, b):
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


for first, second in zip(sys.argv[1::2], sys.argv[2::2]):
    a, b = (pa.ipc.open_file(p).read_all() for p in (first, second))
    b.validate(full=True)
    assert a.schema.equals(b.schema, check_metadata=True), (first, a.schema, b.schema)
    for name in a.column_names:
        x, y = a[name].to_pylist(), b[name].to_pylist()
        assert same(x, y), (first, name, x, y)
