#!/usr/bin/env python3
"""Makes the Parquet files of this directory with pyarrow: every flat type, by encoding, compression, version of
pages and missing values. truth.json has the cells as text, by the formatting of Python.

    pip install pyarrow==26.0.1
    python3 truth.py
"""
import datetime
import decimal
import json
import os

import pyarrow as pa
import pyarrow.parquet

here = os.path.dirname(os.path.abspath(__file__))
rows = 9
start = datetime.datetime(1969, 12, 31, 23, 59, 58, 250000)
stamps = [start + datetime.timedelta(days=400 * i, milliseconds=1500 * i) for i in range(rows)]
whole = [s.replace(microsecond=0) for s in stamps]
words = ["é%d" % (i % 3) for i in range(rows)]
raw = [bytes([i, 255 - i]) for i in range(rows)]
money = [decimal.Decimal(125 * i - 300) / 100 for i in range(rows)]


def iso(values, zone=""):
    def one(v):
        if not isinstance(v, (datetime.datetime, datetime.time)):
            return v.isoformat()
        return v.replace(microsecond=0).isoformat() + (".%06d" % v.microsecond).rstrip("0") * (v.microsecond > 0) + zone
    return [one(v) for v in values]


def number(v):
    return str(int(v)) if v == int(v) else repr(v)


ints = [i - 4 for i in range(rows)]
types = {  # type, values, texts
    "bool": (pa.bool_(), [i % 3 == 0 for i in range(rows)], [str(i % 3 == 0).lower() for i in range(rows)]),
    "int8": (pa.int8(), ints, map(str, ints)), "int16": (pa.int16(), ints, map(str, ints)),
    "int32": (pa.int32(), ints, map(str, ints)), "int64": (pa.int64(), [i << 40 for i in ints], [str(i << 40) for i in ints]),
    "uint8": (pa.uint8(), range(rows), map(str, range(rows))), "uint32": (pa.uint32(), range(rows), map(str, range(rows))),
    "float": (pa.float32(), [i / 4 for i in ints], [number(i / 4) for i in ints]),
    "double": (pa.float64(), [i / 3 for i in ints], [number(i / 3) for i in ints]),
    "text": (pa.string(), words, words),
    "binary": (pa.binary(), raw, [b.hex() for b in raw]), "large_binary": (pa.large_binary(), raw, [b.hex() for b in raw]),
    "fixed": (pa.binary(2), raw, [b.hex() for b in raw]),
    "decimal": (pa.decimal128(9, 2), money, ["%.2f" % m for m in money]),
    "decimal256": (pa.decimal256(45, 2), money, ["%.2f" % m for m in money]),
    "date32": (pa.date32(), [s.date() for s in stamps], iso([s.date() for s in stamps])),
    "date64": (pa.date64(), [s.date() for s in stamps], iso([s.date() for s in stamps])),
    "time_s": (pa.time32("s"), [s.time() for s in whole], iso([s.time() for s in whole])),
    "time_ms": (pa.time32("ms"), [s.time() for s in stamps], iso([s.time() for s in stamps])),
    "time_us": (pa.time64("us"), [s.time() for s in stamps], iso([s.time() for s in stamps])),
    "time_ns": (pa.time64("ns"), [s.time() for s in stamps], iso([s.time() for s in stamps])),
    "stamp_s": (pa.timestamp("s"), whole, iso(whole)), "stamp_ms": (pa.timestamp("ms"), stamps, iso(stamps)),
    "stamp_us": (pa.timestamp("us"), stamps, iso(stamps)), "stamp_ns": (pa.timestamp("ns"), stamps, iso(stamps)),
    "zoned": (pa.timestamp("us", "Europe/Berlin"), [s.replace(tzinfo=datetime.timezone.utc) for s in stamps], iso(stamps, "Z")),
    "duration": (pa.duration("ms"), [datetime.timedelta(milliseconds=i) for i in ints], ["%dms" % i for i in ints]),
}
types = {k: (t, list(v), list(texts)) for k, (t, v, texts) in types.items()}
missing = {"none": lambda i: False, "some": lambda i: i % 4 == 1, "all": lambda i: True, "required": lambda i: False}
by_type = {
    "delta": {**{k: "DELTA_BINARY_PACKED" for k in ["int8", "int16", "int32", "int64", "uint8", "uint32", "date32", "date64", "time_s",
                                                    "time_ms", "time_us", "time_ns", "stamp_s", "stamp_ms", "stamp_us", "stamp_ns", "zoned",
                                                    "duration"]},
              "text": "DELTA_BYTE_ARRAY", "binary": "DELTA_LENGTH_BYTE_ARRAY", "large_binary": "DELTA_BYTE_ARRAY",
              "fixed": "DELTA_BYTE_ARRAY", "decimal": "DELTA_BYTE_ARRAY", "bool": "RLE"},
    "split": {k: "BYTE_STREAM_SPLIT" for k in types if k not in ("bool", "text", "binary", "large_binary")},
}


def table(gaps):
    arrays = [pa.array([None if missing[gaps](i) else x for i, x in enumerate(v)], type=t) for t, v, _ in types.values()]
    return pa.table(arrays, schema=pa.schema([pa.field(k, t, nullable=gaps != "required", metadata={"further": "kept"})
                                              for k, (t, _, _) in types.items()]))


truth = {}


def write(name, gaps, expected=types, t=None, **options):
    pa.parquet.write_table(t or table(gaps), os.path.join(here, name + ".parquet"), **options)
    truth[name] = {k: [None if missing[gaps](i) else x for i, x in enumerate(expected[k][2])] for k in expected}


for gaps in missing:
    for encoding in ["plain", "dictionary", "delta", "split"]:
        for version in ["1.0", "2.0"]:
            how = {"use_dictionary": encoding == "dictionary", "data_page_version": version, "compression": "none",
                   "column_encoding": by_type.get(encoding), "write_statistics": False}
            if gaps in ("none", "all") and version == "2.0":
                continue
            write("%s-%s-v%s" % (encoding, gaps, version[0]), gaps, **how)
for compression in ["snappy", "gzip", "brotli", "zstd"]:
    for version in ["1.0", "2.0"]:
        write("%s-v%s" % (compression, version[0]), "some", compression=compression, data_page_version=version, write_page_checksum=True)
write("groups", "some", row_group_size=2)
write("bare", "some", store_schema=False)
write("version-1", "some", version="1.0", coerce_timestamps="ms")
write("pages", "some", data_page_size=1, write_batch_size=2, use_dictionary=False)
one = {"stamp_ns": types["stamp_ns"]}
write("int96", "some", expected=one, t=table("some").select(list(one)), use_deprecated_int96_timestamps=True)
one = {"decimal": types["decimal"]}
write("decimal-as-integer", "some", expected=one, t=table("some").select(list(one)), store_decimal_as_integer=True)

lists = [["a", "é", ""], None, [], [None, "z"], ["q"] * 5, [], None, ["a"], ["b", "a"]]
numbers = [[1.5, None], [], None, [2.25], [], [-1.5, 0.25, 3], None, [4.5] * 4, []]
whole_numbers = [v and [int(4 * x) for x in v if x is not None] for v in numbers]
days = [v and [datetime.date(1970, 1, 1) + datetime.timedelta(days=4 * x) for x in v if x is not None] for v in numbers]


def js(v):
    return None if v is None else json.dumps(v, ensure_ascii=False, separators=(",", ":"), default=str)


of_lists = {"words": (pa.list_(pa.string()), lists), "numbers": (pa.list_(pa.float64()), numbers),
            "whole": (pa.list_(pa.int64()), whole_numbers), "days": (pa.list_(pa.date32()), days)}
of_lists = {k: (t, v, [js(x) for x in v]) for k, (t, v) in of_lists.items()}
missing["lists"] = lambda i: False
list_table = pa.table([pa.array(v, type=t) for t, v, _ in of_lists.values()], names=list(of_lists))
for name, t, options in [
        ("lists-v1", list_table, {}), ("lists-v2", list_table, {"data_page_version": "2.0", "compression": "zstd"}),
        ("lists-groups", list_table, {"row_group_size": 2}), ("lists-bare", list_table, {"store_schema": False}),
        ("lists-pages", list_table, {"data_page_size": 1, "write_batch_size": 2, "use_dictionary": False}),
        ("lists-pages-v2", list_table, {"data_page_size": 1, "write_batch_size": 1, "data_page_version": "2.0"})]:
    write(name, "lists", expected=of_lists, t=t, **options)
full = {k: (pa.list_(pa.field("element", t.value_type, nullable=False)), [v or ["z"] if k == "words" else v or [0] for v in values])
        for k, (t, values, _) in of_lists.items() if k in ("words", "whole")}
full["words"] = (full["words"][0], [[x or "" for x in v] for v in full["words"][1]])
full = {k: (t, v, [js(x) for x in v]) for k, (t, v) in full.items()}
write("lists-required", "lists", expected=full, t=pa.table(
    [pa.array(v, type=t) for t, v, _ in full.values()],
    schema=pa.schema([pa.field(k, t, nullable=False) for k, (t, _, _) in full.items()])))

with open(os.path.join(here, "truth.json"), "w") as f:
    json.dump(truth, f, ensure_ascii=False, separators=(",", ":"), sort_keys=True)

for name, t, options in [
        ("nested", pa.table({"many": pa.array([[[1, 2]], None])}), {}),
        ("struct", pa.table({"both": pa.array([{"x": 1}])}), {}),
        ("lz4", pa.table({"x": pa.array([1])}), {"compression": "lz4"})]:
    pa.parquet.write_table(t, os.path.join(here, "refused-%s.parquet" % name), **options)
