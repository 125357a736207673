"""Readings without those that are missing: clean.py STATION.csv READINGS.tsv"""
import csv
import sys

with open(sys.argv[1], newline="") as f, open(sys.argv[2], "w") as out:
    out.write("date\ttemperature\n")
    for row in csv.DictReader(f):
        if row["temperature"] not in ("", "-999"):
            out.write(f"{row['date']}\t{row['temperature']}\n")
