#!/usr/bin/env python3
"""The table of classifiers of docs/abide.md: table.py STUDY SUMMARY.csv TABLE.md

SUMMARY.csv is the export of evaluate.summary. Prints the lines for docs/figures.tsv of the AUCs that the table marks.
"""
import csv, sys

study, summary, table = sys.argv[1:]
# The stages of each column: classifiers of what everybody learns from, and the same after a step.
FIRST, THEN = {"train", "correlations", "baselines", "meanmlp", "braingnn", "brainnetcnn", "graph_baselines"}, ("tangent_space", "after_combat")
NAMES = {"meanMLP": "meanMLP, on series", "BrainGNN": "BrainGNN, `paper`"}

rows = {}  # name → column → row
for r in csv.DictReader(open(summary)):
    column = "first" if r["stage"] in FIRST else r["stage"]
    if r["level"] == "participant" and r["classifier"] != "majority" and (column == "first" or column in THEN):
        rows.setdefault(r["name"].replace(f" ({r['stage'].replace('_', ' ')})", ""), {})[column] = r


def cell(name, column):
    r = rows[name].get(column)
    if not r:
        return ""
    mark = f"{study}.{r['classifier']}{'' if column == 'first' else '.' + column}.auc"
    print(f"figure {mark} {float(r['auc']):.3f}")
    interval = f" ({float(r['auc_low']):.3f}–{float(r['auc_high']):.3f})" if column == "first" else ""
    return f"{float(r['accuracy']):.3f} ({float(r['fold_sd']):.3f}), {float(r['auc']):.3f}<!-- {mark} -->{interval}"


used = [c for c in THEN if any(c in by for by in rows.values())]
heads = {"tangent_space": "in tangent space", "after_combat": "after ComBat"}
with open(table, "w") as f:
    f.write("| classifier | accuracy (SD over folds), AUC (95% CI) |" + "".join(f" {heads[c]} |" for c in used) + "\n")
    f.write("|---|---|" + "---|" * len(used) + "\n")
    for name in sorted((n for n in rows if "first" in rows[n]), key=lambda n: -float(rows[n]["first"]["auc"])):
        cells = [cell(name, c) for c in ("first", *used)]
        f.write(f"| {NAMES.get(name, name)} |" + "".join(f" {c} |" if c else " |" for c in cells) + "\n")
