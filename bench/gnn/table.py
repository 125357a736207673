#!/usr/bin/env python3
"""Table of the raw measurements of run.sh: python3 table.py raw.jsonl"""
import json
import sys

best = {}
for line in open(sys.argv[1]):
    r = json.loads(line)
    if "form" in r:
        key = ("PyTorch " + r["form"], r["pool"], r["dist"], r["threads"], r["train"], 84)
    else:
        name = "ours" if r["precision"] == "float32" else "ours, float64"
        if r["variant"] != "paper":
            name += ", authors-code"
        key = (name, r["pool"], r["distance"], r["threads"], r["graphs"], r["nodes"])
    b = best.setdefault(key, dict(cpu=9e9, wall=9e9, rss=0))
    b["cpu"] = min(b["cpu"], r["cpu_min"])
    b["wall"] = min(b["wall"], r["wall_min"])
    b["rss"] = max(b["rss"], r["peak_rss_mib"])

ours = {k[3]: v for k, v in best.items() if k[:3] == ("ours", "topk", "bce") and k[5] == 84 and k[4] < 2000}
print("| program | pooling | loss | graphs × nodes | threads | CPU s per epoch | wall s per epoch | MiB | CPU, times ours | wall, times ours |")
print("|---|---|---|---|---|---|---|---|---|---|")
names = {"PyTorch dense_fast": "dense_fast.", "PyTorch dense": "dense.", "PyTorch pyg": "pyg.", "PyTorch authors": "authors."}
for k in sorted(best, key=lambda k: (k[5], k[4], k[3], k[0], k[1], k[2])):
    v, o = best[k], ours.get(k[3])
    same = o and k[5] == 84 and k[4] < 2000
    print("| %s | %s | %s | %d × %d | %d | %.4f | %.4f | %.0f | %s | %s |" % (
        k[0], k[1], k[2], k[4], k[5], k[3], v["cpu"], v["wall"], v["rss"],
        "%.1f" % (v["cpu"] / o["cpu"]) if same else "", "%.1f" % (v["wall"] / o["wall"]) if same else ""))
    if same and k[1:3] == ("topk", "bce"):  # CPU on one thread, wall on two
        what = "cpu" if k[3] == 1 else "wall"
        if k[0] == "ours":
            print(f"figure gnn.{k[3]} {v[what]:.3g} s" + f"\nfigure gnn.memory {v['rss']:.0f} MiB" * (k[3] == 1), file=sys.stderr)
        elif k[0] in names:
            print(f"figure gnn.{names[k[0]]}{k[3]} {v['wall'] / o['wall']:.1f}×", file=sys.stderr)
