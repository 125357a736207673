"""Hourly temperatures of four stations, made up: a common course and a course of each station."""
import math
import random

rng = random.Random(3)
names = ["bergen", "lyon", "oslo", "turku"]
common = [rng.gauss(0, 3) for _ in range(6)]
with open("stations.tsv", "w") as table:
    table.write("station\tfile\n")
    for name in names:
        table.write(f"{name}\t{name}.csv\n")
        own = [rng.gauss(0, 2) for _ in range(6)]
        with open(f"{name}.csv", "w") as f:
            f.write("date,hour,temperature\n")
            for day in range(6):
                for hour in range(0, 24):
                    t = 8 + common[day] + own[day] + 4 * math.sin((hour - 9) / 24 * 2 * math.pi) + rng.gauss(0, 1)
                    reading = "-999" if rng.random() < 0.05 else f"{t:.1f}"
                    f.write(f"2024-03-{day + 1:02},{hour},{reading}\n")
