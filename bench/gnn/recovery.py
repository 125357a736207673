#!/usr/bin/env python3
"""How well do several readings of the pooling scores find the planted regions?

    python3 recovery.py seeds.arrow shuffled.arrow truth.csv

(recovery.yaml makes the files). For each reading: AUROC of planted against other regions and how
many planted regions are among the first ten, mean and range, over the seeds of the training and over
exchanges of the groups, which show what chance gives. Needs numpy, scipy and pyarrow.
"""
import csv
import sys

import numpy as np
import pyarrow.compute as pc
import pyarrow.ipc as ipc
from scipy.stats import rankdata


def load(path):
    t = ipc.open_file(path).read_all()
    t = t.filter(pc.equal(t["set"], "test"))
    return {n: np.array(t[n].to_pylist()) if n in ("group", "kept") else t[n].to_numpy() for n in t.schema.names if n not in ("participant_id", "set", "draw")}


def readings(c, n):
    """Of one model, by reading, one number a region."""
    first = c["layer"] == 1
    node, score, kept, group = c["index"][first] - 1, c["score"][first].astype(float), c["kept"][first], c["group"][first]
    graphs = len(node) / n
    count = lambda weight: np.bincount(node, weights=weight, minlength=n)
    mean = count(score) / graphs
    a = (group == sorted(set(group))[0]).astype(float)
    apart = np.abs(count(score * a) / count(a) - count(score * (1 - a)) / count(1 - a))
    sd = np.sqrt(np.maximum(count(score * score) / graphs - mean**2, 1e-12))
    second = (c["layer"] == 2) & c["kept"]
    return {
        "mean score of the first layer (the paper's)": mean,
        "share of graphs whose first layer keeps it": count(kept.astype(float)) / graphs,
        "share of graphs in which both layers keep it": np.bincount(c["index"][second] - 1, minlength=n) / graphs,
        "difference of the groups' mean scores, without sign": apart,
        "the same over the sd between graphs": apart / sd,
    }


def auroc(v, planted):
    k = planted.sum()
    return (rankdata(v)[planted].sum() - k * (k + 1) / 2) / (k * (len(v) - k))


def main(seeds, shuffled, truth):
    ends = [int(r[k]) for r in csv.DictReader(open(truth)) for k in ("source", "target")]
    rows, single = {}, {}
    for which, path, axis in (("seeds", seeds, "seed"), ("shuffled", shuffled, "permutation")):
        c = load(path)
        n = c["index"].max()
        planted = np.zeros(n, bool)
        planted[np.array(ends) - 1] = True
        for setting in np.unique(c[axis]):
            models = []
            for fold in np.unique(c["fold"]):
                at = (c[axis] == setting) & (c["fold"] == fold)
                models.append(readings({k: v[at] for k, v in c.items()}, n))
            for name in models[0]:
                v = np.mean([m[name] for m in models], 0)
                found = planted[np.argsort(-v, kind="stable")[:10]].sum()
                rows.setdefault((name, which), []).append((auroc(v, planted), found))
                single.setdefault((name, which), []).extend(auroc(m[name], planted) for m in models)
    print("| reading | AUROC | found of the first 10 | AUROC, single models | AUROC, groups shuffled | found, groups shuffled |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, _ in (k for k in rows if k[1] == "seeds"):
        def text(which, i, form):
            v = [r[i] for r in rows[name, which]]
            return (form + " (" + form.replace(".1", ".0") + "–" + form.replace(".1", ".0") + ")") % (np.mean(v), min(v), max(v))
        s = single[name, "seeds"]
        print("| %s | %s | %s | %.2f (%.2f–%.2f) | %s | %s |" % (name, text("seeds", 0, "%.2f"), text("seeds", 1, "%.1f"),
              np.mean(s), min(s), max(s), text("shuffled", 0, "%.2f"), text("shuffled", 1, "%.1f")))


main(*sys.argv[1:])
