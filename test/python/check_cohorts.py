"""Compares validations of stored ridge models with scikit-learn and the equations of ComBat, from exported files alone.

usage: check_cohorts.py DIR   DIR has pearson.npy, harmonized.npy and folds.csv of the training study, its models of
harmonized matrices in harmonized/, new.npy and people.csv of the new cohort, and the participants of two validations,
plain.csv and harmonized.csv.
"""

import csv
import os
import sys

import numpy as np
from sklearn.linear_model import Ridge

os.chdir(sys.argv[1])


def table(name):
    with open(name, newline="") as f:
        return list(csv.DictReader(f))


def edges(matrices):
    first, second = np.triu_indices(matrices.shape[-1], 1)
    return np.arctanh(matrices[..., first, second])


def probability(rows, taught, new):
    f = Ridge(alpha=1.0).fit(rows[taught], sign[taught]).predict(new)
    return 1 / (1 + np.exp(-f))


def compare(name, means):
    stated = {r["participant_id"]: float(r["p_HC"]) for r in table(name)}
    worst = max(abs(stated[r["participant_id"]] - p) for r, p in zip(people, means))
    assert worst < 1e-9, (name, worst)
    print(name, len(people), "participants, largest difference", worst)


people, folds = table("people.csv"), table("folds.csv")
sign = np.array([2.0 * (r["group"] == "HC") - 1 for r in folds])
fold = np.array([int(r["fold"]) for r in folds])
training, new = edges(np.load("pearson.npy")[:, 0]), edges(np.load("new.npy")[:, 0])
compare("plain.csv", np.mean([probability(training, fold != k, new) for k in (1, 2)], axis=0))

harmonized = edges(np.load("harmonized.npy")[:, :, 0])  # participant, fold, edge
site = np.array([r["site"] for r in people])
means = []
for k in (1, 2):
    m = np.load(f"harmonized/fold-{k}.npz")
    alpha, sigma = m["harmonized_mean"], m["harmonized_sd"]
    z, without = (new - alpha) / sigma, np.empty_like(new)
    for s in set(site):
        own = z[site == s]
        n, g, d = len(own), own.mean(axis=0), own.var(axis=0, ddof=1)
        shift, spread = g.mean(), g.var(ddof=1)
        a, b = 2 + d.mean() ** 2 / d.var(ddof=1), d.mean() + d.mean() ** 3 / d.var(ddof=1)
        gamma, delta = g, d
        for _ in range(1000):
            gamma = (n * spread * g + delta * shift) / (n * spread + delta)
            delta = (b + ((n - 1) * d + n * (g - gamma) ** 2) / 2) / (n / 2 + a - 1)
        without[site == s] = (own - gamma) / np.sqrt(delta) * sigma + alpha
    means.append(probability(harmonized[:, k - 1], fold != k, without))
compare("harmonized.csv", np.mean(means, axis=0))
