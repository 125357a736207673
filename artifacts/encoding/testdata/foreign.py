#!/usr/bin/env python3
"""Makes the files of this directory that other programs write: npy by numpy,
Arrow and Parquet by pyarrow. The tests know the values by their formulas.

    pip install numpy==2.4.6 pyarrow==26.0.1
    python3 foreign.py
"""
import datetime
import decimal
import json
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
for t in ["<c16", "<c8", ">c16", ">c8"]:
    name = t.replace("<", "le-").replace(">", "be-")
    np.save(path("npy", name + ".npy"), (base - 2j * base).astype(t))
    np.save(path("npy", name + "-fortran.npy"), np.asfortranarray((base - 2j * base).astype(t)))
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
np.save(path("npy", "longdouble.npy"), np.array([1j], "c32"))
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

# Columns that pass through as Arrow. Row 1 (from 0) misses its value; texts.json has the cells as text, by the
# formatting of Python and not of Arrow.
when = [datetime.datetime(2024, 2, 29, 23, 59, 59, 250000), None, datetime.datetime(1969, 12, 31, 0, 0, 1),
        datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 12)]
seconds = [w and w.replace(microsecond=0) for w in when]
instants = [w and w.replace(tzinfo=datetime.timezone.utc) for w in when]
near = [w if w and 1700 < w.year < 2200 else None for w in when]  # what nanoseconds reach
days = [w and w.date() for w in when]
times = [w and w.time() for w in when]
clocks = [w and w.time() for w in seconds]
spans = [datetime.timedelta(days=1, milliseconds=1500), None, datetime.timedelta(milliseconds=-250), datetime.timedelta(0),
         datetime.timedelta(days=20000)]
words = [["a", "é", ""], None, [], [None, "z"], ["\"q\"\n"]]
numbers = [[1.5, None], None, [], [float("nan"), 1e300], [0.1]]
money = [decimal.Decimal("12.50"), None, decimal.Decimal("-0.01"), decimal.Decimal("0.00"), decimal.Decimal("99999999.99")]
raw = [b"\x00\xff", None, b"", b"=1+1", b"\x7f"]
fixed = [b"ab", None, b"\x00\x00", b"cd", b"\xff\xfe"]
records = [{"x": 1, "tags": ["p"]}, None, {"x": None, "tags": []}, {"x": -3, "tags": None}, {"x": 4, "tags": ["q", "r"]}]
maps = [[("a", 1), ("b", None)], None, [], [("c", 3)], [("d", -4)]]
groups = ["asd", None, "hc", "asd", "é"]


def iso(values, zone=""):
    def one(w):
        if not isinstance(w, (datetime.datetime, datetime.time)):
            return w.isoformat()
        text = w.replace(microsecond=0, tzinfo=None).isoformat()
        return text + (".%06d" % w.microsecond).rstrip("0") * (w.microsecond > 0) + zone
    return [w if w is None else one(w) for w in values]


def js(values, value=lambda v: v):
    return [None if v is None else json.dumps(value(v), ensure_ascii=False, separators=(",", ":")) for v in values]


def spanned(unit, per):
    return [s if s is None else "%d%s" % (s // datetime.timedelta(microseconds=1) * per // 10**6, unit) for s in spans]


def nan(v):
    return "NaN" if isinstance(v, float) and v != v else v


def entries(v):
    return [{"key": k, "value": x} for k, x in v]


def hexed(values):
    return [None if v is None else v.hex() for v in values]


def typed(values, typ, texts):
    return pa.array(values, type=typ), texts


item = pa.field("item", pa.string(), metadata={"inner": "kept"})
kept = {
    "stamp_s": typed(seconds, pa.timestamp("s"), iso(seconds)),
    "stamp_ms": typed(when, pa.timestamp("ms"), iso(when)),
    "stamp_us": typed(when, pa.timestamp("us"), iso(when)),
    "stamp_ns": typed(near, pa.timestamp("ns"), iso(near)),
    "zoned": typed(instants, pa.timestamp("us", tz="Europe/Berlin"), iso(when, "Z")),
    "utc": typed(instants, pa.timestamp("ms", tz="UTC"), iso(when, "Z")),
    "day": typed(days, pa.date32(), iso(days)),
    "day64": typed(days, pa.date64(), iso(days)),
    "clock_s": typed(clocks, pa.time32("s"), iso(clocks)),
    "clock_ms": typed(times, pa.time32("ms"), iso(times)),
    "clock_us": typed(times, pa.time64("us"), iso(times)),
    "clock_ns": typed(times, pa.time64("ns"), iso(times)),
    "span_s": typed([s and datetime.timedelta(seconds=s // datetime.timedelta(seconds=1)) for s in spans], pa.duration("s"),
                    spanned("s", 1)),
    "span_ms": typed(spans, pa.duration("ms"), spanned("ms", 10**3)),
    "span_ns": typed(spans, pa.duration("ns"), spanned("ns", 10**9)),
    "interval": typed([(1, -2, 3_500_000_000), None, (0, 0, 0), (0, 0, -1), (14, 0, 0)], pa.month_day_nano_interval(),
                      ["P1M-2DT3.5S", None, "P0M0DT0S", "P0M0DT-0.000000001S", "P14M0DT0S"]),
    "words": typed(words, pa.list_(pa.string()), js(words)),
    "large_words": typed(words, pa.large_list(pa.large_string()), js(words)),
    "described": typed(words, pa.list_(item), js(words)),
    "numbers": typed(numbers, pa.list_(pa.float64()), js(numbers, lambda v: [nan(x) for x in v])),
    "pair": typed([[1, 2], None, [3, None], [4, 5], [6, 7]], pa.list_(pa.int16(), 2),
                  ["[1,2]", None, "[3,null]", "[4,5]", "[6,7]"]),
    "nothing": typed([[None], None, [], [None, None], []], pa.list_(pa.null()), ["[null]", None, "[]", "[null,null]", "[]"]),
    "binary": typed(raw, pa.binary(), hexed(raw)),
    "large_binary": typed(raw, pa.large_binary(), hexed(raw)),
    "fixed": typed(fixed, pa.binary(2), hexed(fixed)),
    "decimal": typed(money, pa.decimal128(10, 2), [m if m is None else str(m) for m in money]),
    "decimal256": typed(money, pa.decimal256(50, 2), [m if m is None else str(m) for m in money]),
    "whole": typed([m if m is None else decimal.Decimal(int(m)) for m in money], pa.decimal128(10, 0),
                   [m if m is None else str(int(m)) for m in money]),
    "record": typed(records, pa.struct({"x": pa.int32(), "tags": pa.list_(pa.string())}), js(records)),
    "map": typed(maps, pa.map_(pa.string(), pa.int64()), js(maps, entries)),
    "nested": typed([[w] if w else w for w in words], pa.list_(pa.list_(pa.string())),
                    js([[w] if w else w for w in words])),
    "group": (pa.array(groups).dictionary_encode(), groups),
    "ordered": (pa.DictionaryArray.from_arrays(pa.array([2, None, 0, 1, 2], pa.int8()), ["low", "mid", "high"], ordered=True),
                ["high", None, "low", "mid", "high"]),
    "code": (pa.array([7, None, 9, 7, 7], pa.int64()).dictionary_encode(), ["7", None, "9", "7", "7"]),
    "date_group": (pa.array(days, pa.date32()).dictionary_encode(), iso(days)),
    "words_group": (pa.ListArray.from_arrays(pa.array([0, 2, 2, 3, 3, 5], pa.int32()),
                                             pa.array(["x", "y", "x", "x", None]).dictionary_encode()),
                    ['["x","y"]', "[]", '["x"]', "[]", '["x",null]']),
}
kept_schema = pa.schema([pa.field(k, v[0].type, metadata={"unit": "s", "doc": "a column", "further": "kept"}) for k, v in kept.items()] +
                        [pa.field("always", pa.timestamp("us"), nullable=False)], metadata={"made by": "pyarrow"})
always = pa.array([datetime.datetime(2000, 1, 1)] * 5, pa.timestamp("us"))
kept_table = pa.table([v[0] for v in kept.values()] + [always], schema=kept_schema)
write("types.arrow", kept_table)
write("types-batches.arrow", kept_table, batch=2)
write("types-zstd.arrow", kept_table, compression="zstd")
write("types-sliced.arrow", kept_table.slice(1, 3))
write("types-none.arrow", kept_table.slice(0, 0))
with open(path("arrow", "types.json"), "w") as f:
    json.dump({k: v[1] for k, v in kept.items()} | {"always": ["2000-01-01T00:00:00"] * 5}, f, indent=1)
write("union.arrow", pa.table({"either": pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])])}))
write("decimal32.arrow", pa.table({"price": pa.array([decimal.Decimal("1.2")], pa.decimal32(5, 1))}))
write("runs.arrow", pa.table({"same": pa.RunEndEncodedArray.from_arrays([2], ["a"])}))
write("view.arrow", pa.table({"seen": pa.array(["a"], pa.string_view())}))
