#!/usr/bin/env python3
"""Reads, with the programs that users have, what the tests wrote into the directory
that is named on the command line, and compares it with the values that are known.

    pip install numpy==2.4.6 pyarrow==26.0.1      (and polars, pandas, duckdb, if at hand)
"""
import math
import sys

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

where = sys.argv[1] + "/"


def same(a, b):
    return a == b or isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)


want = {
    "name": ["a", "bç", None],
    "time": [1.5, math.nan, None],
    "small": [float(np.float32(0.1)), -1.0, math.inf],
    "count": [1 << 60, 0, -1],
    "index": [1, 2, 3],
    "flag": [True, False, True],
}
types = {"name": "string", "time": "double", "small": "float", "count": "int64", "index": "int32", "flag": "bool"}


def check(program, got):
    assert list(got) == list(want), (program, list(got))
    for name, values in want.items():
        assert len(got[name]) == 3 and all(map(same, got[name], values)), (program, name, got[name])


for file in ["table.arrow", "table-zstd.arrow"]:
    before = pa.total_allocated_bytes()
    t = pa.ipc.open_file(pa.memory_map(where + file)).read_all()
    assert "zstd" in file or pa.total_allocated_bytes() == before, "the table was not mapped, but copied"
    t.validate(full=True)
    assert {f.name: str(f.type) for f in t.schema} == types, t.schema
    assert t.schema.metadata == {b"a": b"2", b"z": b"1"}, t.schema.metadata
    assert t.schema.field("time").metadata == {b"unit": b"s", b"doc": b"of the scan"}
    check("pyarrow " + file, t.to_pydict())
t = pa.parquet.read_table(where + "table.parquet")
assert t.schema.field("time").metadata[b"unit"] == b"s"
check("pyarrow Parquet", t.to_pydict())
t = pa.ipc.open_file(where + "empty.arrow").read_all()
assert t.num_rows == 0 and t.schema.names == ["text", "number"], t.schema

for dtype in ["<f8", "<f4", "<i8", "<i4", "<i2", "|u1"]:
    a = np.load(where + "array-%s.npy" % dtype.strip("<|"), mmap_mode="r")
    assert a.dtype == dtype and a.shape == (2, 3, 4) and a.ctypes.data % 64 == 0, (dtype, a)
    assert (a == np.arange(24).reshape(2, 3, 4)).all()
a = np.load(where + "scalar.npy")
assert a.shape == () and np.isnan(a)

t = pa.ipc.open_file(pa.memory_map(where + "tensor.arrow")).read_all()
t.validate(full=True)
column = t["series"].combine_chunks()
assert isinstance(column.type, pa.FixedShapeTensorType) and column.type.dim_names == ["time", "roi"], column.type
assert (column.to_numpy_ndarray() == np.arange(24.0).reshape(2, 3, 4)).all() and t.schema.metadata == {b"unit": b"1"}
t = pa.ipc.open_file(where + "small.arrow").read_all()
assert (t["x"].combine_chunks().to_numpy_ndarray() == np.arange(24).reshape(2, 12)).all()

read = ["numpy " + np.__version__, "pyarrow " + pa.__version__]
try:
    import polars
    check("polars", polars.read_ipc(where + "table.arrow").to_dict(as_series=False))
    check("polars Parquet", polars.read_parquet(where + "table.parquet").to_dict(as_series=False))
    read.append("polars " + polars.__version__)
except ImportError:
    pass
try:
    import pandas
    frame = pandas.read_csv(where + "table.tsv", sep="\t", na_values="n/a")
    assert frame["count"].tolist() == want["count"] and frame["small"].tolist() == [0.1, -1, math.inf], frame
    assert frame["name"].tolist()[:2] == ["a", "bç"] and pandas.isna(frame["name"][2]), frame
    read.append("pandas " + pandas.__version__)
except ImportError:
    pass
try:
    import duckdb
    rows = duckdb.sql("select * from '%stable.parquet'" % where).fetchall()
    check("duckdb", {name: [r[i] for r in rows] for i, name in enumerate(want)})
    read.append("duckdb " + duckdb.__version__)
except ImportError:
    pass
print("read by", ", ".join(read))
