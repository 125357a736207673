"""Exponential growth rate (1/h), by least squares on the log: fit.py CURVE.tsv ROW.tsv FIT.tsv FROM TO"""
import csv
import math
import sys

curve, row, result = sys.argv[1:4]
begin, end = map(float, sys.argv[4:6])
with open(curve, newline="") as f:
    points = [(float(p["hours"]), math.log(float(p["od600"]))) for p in csv.DictReader(f, delimiter="\t")]
points = [p for p in points if begin <= p[0] <= end]
with open(row, newline="") as f:
    (culture,) = csv.DictReader(f, delimiter="\t")

hours, logs = (math.fsum(x) / len(points) for x in zip(*points))  # means
rate = math.fsum((t - hours) * (y - logs) for t, y in points) / math.fsum((t - hours) ** 2 for t, _ in points)
with open(result, "w", newline="") as f:
    out = csv.writer(f, delimiter="\t", lineterminator="\n")
    out.writerow(["strain", "medium", "points", "rate", "doubling_time"])
    out.writerow([culture["strain"], culture["medium"], len(points), f"{rate:.6f}", f"{math.log(2) / rate:.4f}"])
