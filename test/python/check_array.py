"""Opens an exported stack of arrays with numpy and compares it with what the program says of its members.

usage: check_array.py ARRAY.npy ARRAY.json OUTPUTS.jsonl TABLE.csv

OUTPUTS.jsonl has a line of `pipeline show --json` for each member of the fan-out, with all its elements;
TABLE.csv is one member as a table with a row for each element.
"""

import json
import sys

import numpy as np
import pandas as pd


def main():
    array_path, sidecar_path, outputs_path, table_path = sys.argv[1:]
    array = np.load(array_path, mmap_mode="r")
    with open(sidecar_path, encoding="utf-8") as f:
        sidecar = json.load(f)
    with open(outputs_path, encoding="utf-8") as f:
        members = [m for m in map(json.loads, f) if m["output"] == sidecar["output"]]

    assert list(array.shape) == sidecar["shape"] == [a["size"] for a in sidecar["axes"]], (array.shape, sidecar)
    assert array.dtype == np.dtype(sidecar["dtype"]) and array.flags.c_contiguous and not array.flags.writeable
    assert [a["name"] for a in sidecar["axes"]] == ["subject", "draw", "roi", "roi"], sidecar["axes"]
    subjects = sidecar["axes"][0]["values"]
    assert subjects == sorted(subjects) and len(subjects) == len(members)
    rois = sidecar["axes"][2]["values"]
    assert len(set(rois)) == len(rois) == array.shape[2] and rois == sidecar["axes"][3]["values"]

    for k, (subject, member) in enumerate(zip(subjects, members, strict=True)):
        assert member["task"].endswith(f"[{subject}]"), (subject, member["task"])
        values = np.array([float(v) for v in member["head"]]).reshape(member["shape"])
        np.testing.assert_array_equal(array[k], values, err_msg=subject)
        stats = member["stats"]
        assert np.nanmin(values) == stats["min"] and np.nanmax(values) == stats["max"]
        assert np.isnan(values).sum() == stats["nan"]

    # Pearson correlation is what it says: symmetric, one on the diagonal, within [-1, 1].
    first = np.array(array[0])
    np.testing.assert_array_equal(first, first.transpose(0, 2, 1))
    np.testing.assert_array_equal(np.einsum("dii->di", first), 1)
    assert np.nanmax(np.abs(first)) <= 1

    table = pd.read_csv(table_path, float_precision="round_trip")
    assert list(table.columns) == ["subject", "draw", "roi", "roi_2", "value"], table.columns
    k = subjects.index(table["subject"].iloc[0])
    np.testing.assert_array_equal(table["value"], array[k][table["draw"], table["roi"] - 1, table["roi_2"] - 1])
    print(f"{sidecar['stage']}.{sidecar['output']}: {' x '.join(map(str, array.shape))} agrees, {len(subjects)} participants, {len(rois)} regions")


main()
