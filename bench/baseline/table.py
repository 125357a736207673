#!/usr/bin/env python3
"""The table of a run: processor seconds to fit, least of the rounds, on one thread and on two.

usage: table.py RESULTS.jsonl
"""
import json, sys

least = {}
for line in open(sys.argv[1]):
    if line.startswith("{"):
        r = json.loads(line)
        key = r["model"], r["who"], r["threads"]
        for what in ("fit_cpu", "fit"):
            least[key + (what,)] = min(r[what], least.get(key + (what,), 1e9))
names = {"svm": "SVM, RBF", "linear-svm": "SVM, linear", "ridge": "ridge", "logistic": "logistic regression", "forest": "random forest, 1000 trees",
         "mlp": "MLP 3486–20–2, an epoch", "brainnetcnn": "BrainNetCNN, an epoch", "li2019": "Li et al. 2019, an epoch"}
peers = [("scikit-learn", ""), ("scikit-learn", "-optimum"), ("PyTorch", "")]
print("| CPU s | threads | ours | scikit-learn | to 1e-12 | PyTorch | ours is | wall: ours, the best peer |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
for model, name in names.items():
    for threads in (1, 2):
        if (model, "ours", threads, "fit_cpu") not in least:
            continue
        ours = least[model, "ours", threads, "fit_cpu"]
        theirs = [least.get((model + more, who, threads, "fit_cpu")) for who, more in peers]
        wall = [least[k] for k in ((model + more, who, threads, "fit") for who, more in peers) if k in least]
        print("|", name, "|", threads, "|", f"{ours:.3g}", "|", " | ".join("" if v is None else f"{v:.3g}" for v in theirs), "|",
              ", ".join(f"{v / ours:.1f}×" for v in theirs if v is not None), "|", f"{least[model, 'ours', threads, 'fit']:.3g}, {min(wall):.3g}" if wall else "", "|")
        if threads == 1:
            print(f"figure baseline.{model} {ours:.3g} s")
            for who, v in zip(("scikit-learn", "optimum", "PyTorch"), theirs):
                if v is not None:
                    print(f"figure baseline.{model}.{who} {v / ours:.1f}×")
