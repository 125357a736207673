#!/usr/bin/env python3
"""Processor time of one permutation of 1,031 participants, 6,105 edges and 24 columns by numpy, statsmodels and bctpy.

    pip install numpy statsmodels bctpy
    bench/run.sh edges

With the output of BenchmarkPermutations as the argument it also prints the figures of docs/benchmarks.md.
"""
import contextlib
import io
import re
import sys
import time

import bct
import numpy as np
import statsmodels.api as sm

n, regions, columns, times = 1031, 111, 24, 3
rng = np.random.default_rng(1)
upper = np.triu_indices(regions, 1)
edges = len(upper[0])
Y = rng.standard_normal((n, edges))
X = np.c_[rng.standard_normal(n), np.ones(n), rng.standard_normal((n, columns - 2))]
H = X[:, 1:] @ np.linalg.pinv(X[:, 1:])
R = Y - H @ Y
x = X[:, 0] - H @ X[:, 0]


def measure(name, work, per):
    begin = time.process_time()
    work()
    took = (time.process_time() - begin) * per
    print(f"{name}: {took:.3f} s a permutation")
    return took


def ols():
    for e in range(100):
        sm.OLS(Y[:, e], X).fit().tvalues[0]


def refit():
    for _ in range(times):
        np.linalg.lstsq(X, H @ Y + R[rng.permutation(n)], rcond=None)


def projection():
    for _ in range(times):
        P = R[rng.permutation(n)]
        P = P - H @ P
        beta = x @ P / (x @ x)
        beta / np.sqrt(((P - np.outer(x, beta)) ** 2).sum(0) / (n - columns) / (x @ x))


def nbs():
    M = np.zeros((regions, regions, n))
    M[upper] = Y.T
    M += M.transpose(1, 0, 2)
    with contextlib.redirect_stdout(io.StringIO()):
        bct.nbs_bct(M[:, :, :500], M[:, :, 500:], 3.3, k=times, seed=1)


took = {"statsmodels": measure("statsmodels, OLS of each edge", ols, edges / 100)}
measure("numpy, least squares of all edges", refit, 1 / times)
took["numpy"] = measure("numpy, projection of all edges", projection, 1 / times)
took["bctpy"] = measure("bctpy, NBS without covariates", nbs, 1 / (times + 1))
if sys.argv[1:]:
    ours = float(re.search(r"([\d.]+) ns/op", open(sys.argv[1]).read())[1]) / 1e9
    print(f"figure edges.permutation {ours:.2g} s")
    for name, s in took.items():
        print(f"figure edges.{name} {s / ours:.2g}×")
