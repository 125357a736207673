#!/usr/bin/env python3
"""joined.py make DIR writes pairs of Arrow files, NAME.0.arrow and NAME.1.arrow, whose columns have types that join.
joined.py check DIR compares NAME.arrow with the rows of both."""
import datetime
import glob
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

day = datetime.datetime(2024, 2, 29)
large = pa.large_string()


def coded(values, typ=None, index=pa.int8()):
    return pa.array(values, typ).dictionary_encode().cast(pa.dictionary(index, pa.array(values, typ).type))


def frame(values):
    return pa.Table.from_pandas(pd.DataFrame({"c": values}))["c"].combine_chunks()


pairs = {
    "large": (coded(["a", None, "b"], large), coded(["c", "b", None, "a"], large)),
    "large_binary": (coded([b"a"], pa.large_binary()), coded([b"\x00", b"a"], pa.large_binary())),
    "index": (coded(["a"], index=pa.int8()), coded(["b", "a"], index=pa.int32())),
    "many": (coded([str(i) for i in range(100)]), coded([str(i) for i in range(60, 160)])),
    "many_uint8": (coded([i for i in range(200)], index=pa.uint8()), coded([-i for i in range(200)], index=pa.uint8())),
    "float": (coded([0.5, float("inf")]), coded([0.0, -0.0, 0.5])),
    "flag": (coded([True]), coded([False, True])),
    "instants": (coded([day], pa.timestamp("s", "UTC")), coded([day, datetime.datetime(1969, 1, 1)], pa.timestamp("s", "UTC"))),
    "no_rows": (coded(["a"], large).slice(0, 0), coded(["b"], large)),
    "none": (coded(["a"], large).slice(0, 0), coded(["b"], large).slice(0, 0)),
    "null_value": (pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["a", None])), coded(["b"])),
    "nested": (pa.array([["a"], None], pa.list_(large)).cast(pa.list_(pa.dictionary(pa.int8(), large))),
               pa.array([["b", None], []], pa.list_(large)).cast(pa.list_(pa.dictionary(pa.int8(), large)))),
    "inside": (pa.StructArray.from_arrays([coded(["a"], large)], ["x"]), pa.StructArray.from_arrays([coded(["b"], large)], ["x"])),
    "list": (pa.array([[1, 2], None]), pa.nulls(2)),
    "null_first": (pa.nulls(3), pa.array([1.5, None])),
    "null_time": (pa.nulls(1), pa.array([day])),
    "null_text": (pa.nulls(1), pa.array(["a"])),
    "null_flag": (pa.array([True]), pa.nulls(1)),
    "null_byte": (pa.array([7], pa.uint8()), pa.nulls(1)),
    "null_coded": (pa.nulls(2), coded(["a", "b"])),
    "nulls": (pa.nulls(2), pa.nulls(1)),
    "null_items": (pa.array([[], [None]], pa.list_(pa.null())), pa.array([["a"]])),
    "null_field": (pa.array([{"x": None, "y": 1}]), pa.array([{"x": "a", "y": None}, None])),
    "null_map": (pa.array([[]], pa.map_(pa.string(), pa.null())), pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8()))),
    "null_pair": (pa.array([[None, None]], pa.list_(pa.null(), 2)), pa.array([[1, 2]], pa.list_(pa.int64(), 2))),
    "byte": (pa.array([255, None], pa.uint8()), pa.array([0], pa.uint8())),
    "small": (pa.array([-128, None], pa.int8()), pa.array([127], pa.int8())),
    "short": (pa.array([-2**15], pa.int16()), pa.array([None], pa.int16())),
    "u16": (pa.array([2**16 - 1], pa.uint16()), pa.array([], pa.uint16())),
    "u32": (pa.array([2**32 - 1], pa.uint32()), pa.array([None, 1], pa.uint32())),
    "u64": (pa.array([2**63 - 1], pa.uint64()), pa.array([None, 1], pa.uint64())),
    "half": (pa.array([0.5, None, float("nan")], pa.float16()), pa.array([6e-8, -65504], pa.float16())),
    "text": (pa.array(["é", None], large), pa.array(["b", ""], large)),
    "widths": (pa.array([1], pa.uint8()), pa.array([1], pa.int32())),
    "bool8": (pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8())),
              pa.ExtensionArray.from_storage(pa.bool8(), pa.array([None, 0], pa.int8()))),
    # What pandas writes.
    "categorical": (frame(pd.Categorical(["a", None])), frame(pd.Categorical([None, None]))),
    "categories": (frame(pd.Categorical(["a"])), frame(pd.Categorical(["b", "c"]))),
    "missing": (frame([None, None]), frame([[1], None])),
    "object": (frame(pd.Series([], dtype=object)), frame(pd.Series([day]))),
}
narrow = ["byte", "small", "short", "u16", "u32", "u64", "half", "text", "bool8", "null_byte", "nulls"]
nested = ["inside", "null_field", "null_map"]  # no Parquet
what, folder = sys.argv[1:]
for name, parts in pairs.items():
    for i, part in enumerate(parts):
        table = pa.table({"n": range(len(part)), "c": part})
        if what == "make":
            with pa.ipc.new_file("%s/%s.%d.arrow" % (folder, name, i), table.schema) as w:
                w.write_table(table)
    if what == "make":
        continue
    got = pa.ipc.open_file("%s/%s.arrow" % (folder, name)).read_all()
    got.validate(full=True)
    assert name == "bool8" or repr(got["c"].to_pylist()) == repr(parts[0].to_pylist() + parts[1].to_pylist()), (name, got["c"])
    stored = [pa.ipc.open_file("%s/%s.stored.arrow" % (folder, name)).read_all(),
              pa.parquet.read_table("%s/%s.parquet" % (folder, name))] if name not in nested else []
    for table in stored:
        table.validate(full=True)
        assert repr(table["c"].to_pylist()) == repr(parts[0].to_pylist() + parts[1].to_pylist()), (name, table["c"])
        if name in narrow:
            assert table["c"].type == parts[0].type, (name, table["c"].type)
    if name in narrow:
        continue
    typed = [p.type for p in parts if p.type != pa.null()]
    if name in ("many", "many_uint8", "index"):
        assert got["c"].type.index_type in (pa.int16(), pa.uint16(), pa.int32()), got["c"].type
    elif "null" not in name and name != "categorical":
        assert got["c"].type == typed[-1], (name, got["c"].type)
    if pa.types.is_dictionary(got["c"].type):
        values = got["c"].combine_chunks().dictionary.to_pylist()
        assert len(set(map(repr, values))) == len(values), (name, values)
        if name not in ("float", "null_value"):  # pandas has no category -0 beside 0, and none that is missing
            got.to_pandas()
