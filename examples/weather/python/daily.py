"""Daily means: daily.py READINGS.tsv MEANS.tsv HOURS"""
import csv
import statistics
import sys

days = {}
with open(sys.argv[1], newline="") as f:
    for row in csv.DictReader(f, delimiter="\t"):
        days.setdefault(row["date"], []).append(float(row["temperature"]))
with open(sys.argv[2], "w") as out:
    out.write("date\ttemperature\n")
    for day, readings in sorted(days.items()):
        if len(readings) >= int(sys.argv[3]):
            out.write(f"{day}\t{statistics.fmean(readings)}\n")
