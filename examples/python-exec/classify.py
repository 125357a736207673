"""Nearest group mean of the correlations: classify.py FOLDS.arrow PEARSON.tsv FOLD PREDICTIONS.arrow"""
import csv
import sys

import numpy as np
import pyarrow as pa

folds, fold = pa.ipc.open_file(sys.argv[1]).read_all().to_pylist(), int(sys.argv[3])
with open(sys.argv[2]) as f:  # a gathered input: a row per participant, with the path of its matrices
    r = {m["subject"]: np.load(m["path"])[0].ravel() for m in csv.DictReader(f, delimiter="\t")}  # draw 0
groups = sorted({m["group"] for m in folds})
mean = {  # of the training participants
    g: np.mean([r[m["participant_id"]] for m in folds if m["group"] == g and m["fold"] != fold], axis=0) for g in groups
}

rows = []
for m in folds:
    x = r[m["participant_id"]]
    p = np.exp([-np.linalg.norm(x - mean[g]) for g in groups])
    p /= p.sum()
    rows.append(
        {
            "participant_id": m["participant_id"], "group": m["group"], "draw": 0, "fold": fold, "repeat": 1,
            "set": "test" if m["fold"] == fold else "train", "label": groups.index(m["group"]),
            "predicted": int(p.argmax()), **{"p_" + g: v for g, v in zip(groups, p)},
        }
    )
table = pa.Table.from_pylist(rows)
with pa.ipc.new_file(sys.argv[4], table.schema) as f:
    f.write_table(table)
