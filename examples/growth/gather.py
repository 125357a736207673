"""One table of the fits of all cultures: gather.py MEMBERS.tsv RATES.tsv"""
import csv
import sys

with open(sys.argv[1], newline="") as f:
    members = list(csv.DictReader(f, delimiter="\t"))
with open(sys.argv[2], "w", newline="") as f:
    out = None
    for member in members:
        with open(member["path"], newline="") as g:
            (fit,) = csv.DictReader(g, delimiter="\t")
        row = {"culture": member["culture"], **fit}
        if out is None:
            out = csv.DictWriter(f, row, delimiter="\t", lineterminator="\n")
            out.writeheader()
        out.writerow(row)
