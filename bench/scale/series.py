"""Made time series for a run at the size of a population study.

    python3 bench/scale/series.py 4000 DIR          participants; 24 regions, 80 volumes
    pipeline run timeseries.yaml --set data=DIR --set clean.draws=10 \
        --set train.batch=100 --set train.epochs=20 --set train.scores_of=test \
        --without baselines --without fidelity --without scans
"""

import multiprocessing
import os
import sys

import numpy as np

REGIONS, VOLUMES = 24, 80
n, out = int(sys.argv[1]), sys.argv[2]
HEADER = "\t".join(f"r{j + 1}" for j in range(REGIONS)) + "\n"
ROWS = ("\t".join(["%.3f"] * REGIONS) + "\n") * VOLUMES


def make(i):
    rng = np.random.default_rng(i)
    x = rng.standard_normal((VOLUMES, REGIONS))
    common = rng.standard_normal((VOLUMES, 3))
    for k in range(3):  # three networks of eight regions
        x[:, 8 * k : 8 * k + 8] += common[:, [k]]
    if i % 2:  # group B: four regions also follow the second network
        x[:, :4] += 0.7 * common[:, [1]]
    with open(f"{out}/sub-{i + 1:05d}.tsv", "w") as file:
        file.write(HEADER + ROWS % tuple(x.ravel().tolist()))


if __name__ == "__main__":
    os.makedirs(out, exist_ok=True)
    with open(f"{out}/participants.tsv", "w") as table:
        table.write("participant_id\tgroup\n")
        for i in range(n):
            table.write(f"sub-{i + 1:05d}\t{'AB'[i % 2]}\n")
    with multiprocessing.Pool() as pool:
        pool.map(make, range(n), chunksize=100)
