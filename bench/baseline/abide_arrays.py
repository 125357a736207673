#!/usr/bin/env python3
"""Arrays as gen_timing_data.py writes them, of the NYU site of ABIDE I: 175 participants, a
matrix of 111 regions each, every fifth participant for the test; no edges.

usage: python3 abide_arrays.py DATA OUT      (DATA holds participants.csv and nyu_original_1D/)
"""
import csv, gzip, os, sys
import numpy as np

data, out = sys.argv[1:]
rows = list(csv.DictReader(open(f"{data}/participants.csv")))
with np.errstate(all="ignore"):
    r = np.array([np.corrcoef(np.loadtxt(gzip.open(f"{data}/nyu_original_1D/{p['file_id']}_rois_ho.1D.gz", "rt")).T) for p in rows])
n = np.arange(len(rows))
os.makedirs(out, exist_ok=True)
for name, v in dict(features=np.nan_to_num(r), adjacency=np.zeros_like(r), labels=np.array([int(p["asd"]) for p in rows]), train=n[n % 5 > 0], test=n[n % 5 == 0]).items():
    np.save(f"{out}/{name}.npy", v)
