#!/usr/bin/env python3
"""Copies of scans by the similarities of a cohort, by numpy: 60 simulated scans, a second session, a twin, 5 copies.

usage: oracle.py [DIR]   writes correlations.npy.gz (scan; whole, 2 halves, 4 quarters; edge; times 1e7), the expected
similarities, pairs.csv and values.json
"""
import csv
import gzip
import io
import json
import os
import sys

import numpy as np

out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(88)
people, N, T = 60, 24, 160
iu = np.triu_indices(N, 1)
common = rng.standard_normal((N, 6)) * 0.8


def series(loadings, T):
    a = loadings @ rng.standard_normal((loadings.shape[1], T)) + rng.standard_normal((N, T))
    return np.apply_along_axis(lambda v: np.convolve(v, [0.5, 0.8, 0.5], "same"), 1, a).T


def band(a):
    f = np.fft.rfftfreq(len(a), 2.0)
    return np.fft.irfft(np.fft.rfft(a - a.mean(0), axis=0) * (f < 0.18)[:, None], len(a), axis=0)


def without_global_signal(a):
    a = a - a.mean(0)
    g = a.mean(1)
    return a - np.outer(g, g @ a / (g @ g))


own = [common + 0.45 * rng.standard_normal(common.shape) for _ in range(people)]
scans = [series(one, T) for one in own]
scans.append(series(own[4], T))  # a second session
scans.append(series(own[9] * 0.7 + 0.3 * (common + 0.45 * rng.standard_normal(common.shape)), T))  # a twin
scans += [band(scans[12]), without_global_signal(scans[13])]
scans.append(scans[14] + 0.25 * scans[14].std(0) * rng.standard_normal(scans[14].shape))
scans += [scans[15][: int(0.85 * T)], scans[16] * 3 + 5]
n = len(scans)


def edges(a):
    return np.corrcoef(a.T)[iu]


def parts(s):
    t = len(s)
    return [s, s[: t // 2], s[t // 2 :]] + [s[t * q // 4 : t * (q + 1) // 4] for q in range(4)]


stored = np.round(np.array([[edges(p) for p in parts(s)] for s in scans]) * 1e7).astype("<i4")


def without_global(v):  # inside the matrix
    C = np.eye(N)
    C[iu] = v
    C.T[iu] = v
    g = C.sum(1)
    B = C - np.outer(g, g) / g.sum()
    d = np.sqrt(np.diag(B))
    return (B / np.outer(d, d))[iu]


def z(r):
    return np.arctanh(np.clip(r, -0.9999999, 0.9999999))


def spearman_brown(h):
    h = np.maximum(h, 0.01)
    return 2 * h / (1 + h)


def rows(A, B):
    return np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(A, B)])


all_parts = np.array([[without_global(p / 1e7) for p in s] for s in stored])
whole, halves, quarters = all_parts[:, 0], all_parts[:, 1:3], all_parts[:, 3:]
R = np.corrcoef(whole - whole.mean(0))
ju = np.triu_indices(n, 1)
down = np.sort(z(R)[ju])[::-1]
r2, r1 = n // 2, min(10 * n, len(down) // 5)
sigma = (down[r2] - down[r1]) / np.log(r1 / r2)
t1 = down[r2] + sigma * np.log(r2 / 0.001)
mh, mq = halves.mean((0, 1)), quarters.mean((0, 1))
h = rows(halves[:, 0] - mh, halves[:, 1] - mh)
q1 = rows(quarters[:, 0] - mq, quarters[:, 1] - mq)
q2 = rows(quarters[:, 2] - mq, quarters[:, 3] - mq)
e = z(h) - z(np.sqrt(spearman_brown(q1) * spearman_brown(q2)))
margin = max(np.median(e), 0) + 3.1 * 1.4826 * np.median(np.abs(e - np.median(e)))
s = spearman_brown(h)
found = []
for i, j in zip(*ju):
    if z(R[i, j]) > t1:
        limit = float(np.tanh(z(np.sqrt(s[i] * s[j])) + margin))
        found.append((i, j, f"{R[i, j]:.10f}", f"{limit:.10f}", "violation" if R[i, j] > limit else "caution",
                      "violation" if R[i, j] > 0.9 else "caution"))

with open(os.path.join(out, "correlations.npy.gz"), "wb") as f:
    b = io.BytesIO()
    np.save(b, stored)
    f.write(gzip.compress(b.getvalue(), 9, mtime=0))
np.save(os.path.join(out, "similarity.npy"), R[ju])
with open(os.path.join(out, "pairs.csv"), "w", newline="") as f:
    w = csv.writer(f, lineterminator="\n")
    w.writerow(["a", "b", "similarity", "limit", "verdict_with_halves", "verdict_matrices_only"])
    w.writerows(found)
with open(os.path.join(out, "values.json"), "w") as f:
    json.dump({"threshold_r": float(np.tanh(t1)), "margin_z": float(margin), "half": h.tolist(), "residual": e.tolist()}, f)
    f.write("\n")
