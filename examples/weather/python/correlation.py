"""Pearson's r of each two stations: correlation.py MEMBERS.tsv PAIRS.tsv"""
import csv
import statistics
import sys

means = {}
with open(sys.argv[1], newline="") as f:
    for member in csv.DictReader(f, delimiter="\t"):
        with open(member["path"], newline="") as g:
            means[member["station"]] = {
                row["date"]: float(row["temperature"]) for row in csv.DictReader(g, delimiter="\t")}
with open(sys.argv[2], "w") as out:
    out.write("first\tsecond\tdays\tr\n")
    for second in sorted(means):
        for first in sorted(means):
            if first < second:
                days = sorted(means[first].keys() & means[second].keys())
                r = statistics.correlation([means[first][d] for d in days], [means[second][d] for d in days])
                out.write(f"{first}\t{second}\t{len(days)}\t{r}\n")
