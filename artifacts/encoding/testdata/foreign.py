#!/usr/bin/env python3
"""Makes the files of this directory that other programs write: npy by numpy,
Arrow and Parquet by pyarrow. The tests know the values by their formulas.

    pip install numpy==2.4.6 pyarrow==26.0.1
    python3 foreign.py
"""
import os

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

here = os.path.dirname(os.path.abspath(__file__))


def path(*names):
    p = os.path.join(here, *names)
    os.makedirs(os.path.dirname(p), exist_ok=True)
    return p


# Every array holds 0 … 23 in C order, shape (2, 3, 4).
base = np.arange(24).reshape(2, 3, 4)
for t in ["<f8", "<f4", "<f2", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1",
          ">f8", ">f4", ">f2", ">i8", ">i4", ">i2", ">u8", ">u4", ">u2"]:
    name = t.replace("<", "le-").replace(">", "be-").replace("|", "")
    np.save(path("npy", name + ".npy"), base.astype(t))
    np.save(path("npy", name + "-fortran.npy"), np.asfortranarray(base.astype(t)))
np.save(path("npy", "bool.npy"), base % 2 == 1)  # 0 1 0 1 …
np.save(path("npy", "bool-fortran.npy"), np.asfortranarray(base % 2 == 1))
for version in [(1, 0), (2, 0), (3, 0)]:
    with open(path("npy", "version-%d.npy" % version[0]), "wb") as f:
        np.lib.format.write_array(f, base.astype("<f8"), version=version)
np.save(path("npy", "scalar.npy"), np.float64(7.5))
np.save(path("npy", "empty.npy"), np.zeros((0, 3)))
np.save(path("npy", "half.npy"), np.array([0.0, -0.0, 1.5, -65504.0, 6e-8, 6.1e-5, np.inf, -np.inf, np.nan], "<f2"))
np.save(path("npy", "huge-unsigned.npy"), np.array([2**63], "<u8"))
np.save(path("npy", "complex.npy"), np.array([1j]))
np.save(path("npy", "text.npy"), np.array(["ab"]))
np.save(path("npy", "record.npy"), np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f8")]))
np.save(path("npy", "object.npy"), np.array([{}], dtype=object), allow_pickle=True)

# Ten rows; row 3 (from 0) misses its value in every column but "index".
n = 10


def column(values, typ):
    return pa.array([None if i == 3 else v for i, v in enumerate(values)], type=typ)


words = ["asd", "hc"] * 5
fields = {
    "index": pa.array(range(n), type=pa.int32()),
    "text": column(["s%d" % i for i in range(n)], pa.string()),
    "large": column(["é%d" % i for i in range(n)], pa.large_string()),
    "group": column(words, pa.string()).dictionary_encode(),
    "half": column(np.arange(n, dtype="f2") / 4, pa.float16()),
    "float": column([i / 4 for i in range(n)], pa.float32()),
    "double": column([i / 3 for i in range(n)], pa.float64()),
    "i8": column(range(-5, 5), pa.int8()), "i16": column(range(-5, 5), pa.int16()),
    "i32": column(range(-5, 5), pa.int32()), "i64": column(range(-5, 5), pa.int64()),
    "u8": column(range(n), pa.uint8()), "u16": column(range(n), pa.uint16()),
    "u32": column(range(n), pa.uint32()), "u64": column(range(n), pa.uint64()),
    "flag": column([i % 2 == 1 for i in range(n)], pa.bool_()),
    "nothing": pa.nulls(n),
}
schema = pa.schema([pa.field(k, v.type, metadata={"unit": "s", "doc": "a column"} if k == "double" else None) for k, v in fields.items()],
                   metadata={"made by": "pyarrow"})
table = pa.table(list(fields.values()), schema=schema)


def write(name, t, batch=None, **options):
    with pa.ipc.new_file(path("arrow", name), t.schema, options=pa.ipc.IpcWriteOptions(**options)) as w:
        w.write_table(t, max_chunksize=batch)


write("plain.arrow", table)
write("batches.arrow", table, batch=4)
write("zstd.arrow", table, compression="zstd")
write("lz4.arrow", table, compression="lz4")
write("none.arrow", table.slice(0, 0))
write("sliced.arrow", table.slice(2, 5))
write("dates.arrow", pa.table({"when": pa.array([0], type=pa.date32())}))
write("list.arrow", pa.table({"many": pa.array([[1.0, 2.0]])}))
write("huge.arrow", pa.table({"count": pa.array([2**63], type=pa.uint64())}))
pa.feather.write_feather(table, path("arrow", "feather.arrow"))

flat = table.drop_columns(["half", "large"])  # Parquet knows neither
for name, options in {"snappy": {}, "zstd": {"compression": "zstd"}, "gzip": {"compression": "gzip"},
                      "plain": {"compression": "none", "use_dictionary": False}, "groups": {"row_group_size": 4},
                      "v2": {"data_page_version": "2.0"}}.items():
    pa.parquet.write_table(flat, path("parquet", name + ".parquet"), **options)
pa.parquet.write_table(pa.table({"many": pa.array([[1.0, 2.0]])}), path("parquet", "list.parquet"))
pa.parquet.write_table(flat, path("parquet", "encodings.parquet"), use_dictionary=False, column_encoding={
    "text": "DELTA_BYTE_ARRAY", "group": "DELTA_LENGTH_BYTE_ARRAY", "float": "BYTE_STREAM_SPLIT", "double": "BYTE_STREAM_SPLIT",
    "i32": "DELTA_BINARY_PACKED", "i64": "DELTA_BINARY_PACKED", "u32": "BYTE_STREAM_SPLIT", "flag": "RLE"},
    data_page_version="2.0", write_page_checksum=True)

# Small files that claim 20 GB of text, and 17 GB of nothing.
shared = pa.table({"s": pa.DictionaryArray.from_arrays(np.zeros(20000, "i4"), pa.array(["a" * 10**6]))})
pa.parquet.write_table(shared, path("hostile", "shared.parquet"), compression="zstd", write_statistics=False)
with pa.ipc.new_file(path("hostile", "shared.arrow"), shared.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as w:
    w.write_table(shared)
nulls = pa.table({"n%d" % i: pa.nulls(10**8) for i in range(10)})
with pa.ipc.new_file(path("hostile", "nulls.arrow"), nulls.schema) as w:
    w.write_table(nulls)
zeros = pa.table({"a": pa.array(np.zeros(8_000_000))})
pa.parquet.write_table(zeros, path("hostile", "zeros.parquet"), compression="zstd", use_dictionary=False, write_statistics=False)
