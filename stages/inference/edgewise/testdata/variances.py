#!/usr/bin/env python3
"""Writes variances.json: edge-wise tests of groups whose residuals have variances of their own, by SciPy without
covariates (Welch's t and F), and with covariates by the slow definition, of the full design with its projections;
and of a number with a variance of each participant, by SciPy's test of one sample of products, and statsmodels (HC3).

    pip install numpy scipy statsmodels
    python variances.py
"""
import json
import os

import numpy as np
import statsmodels.api as sm
from scipy import stats

rng = np.random.default_rng(45)
n, N, m = 30, 6, 40
E = N * (N - 1) // 2
group = np.r_[np.zeros(8, int), np.ones(13, int), np.full(9, 2)][rng.permutation(n)]
site = np.arange(n) % 2
age = np.round(rng.uniform(10, 40, n), 2)
Y = np.round(rng.standard_normal((n, E)) * np.array([2.0, 1, 0.7])[group][:, None] + 0.03 * age[:, None], 6)


def covariance(Y, tested, nuisance, level):
    """Estimates of the tested columns, and of each group its part of their covariance and its degrees of freedom."""
    X = np.c_[tested, nuisance]
    B = np.linalg.pinv(X) @ Y
    E2 = (Y - X @ B) ** 2
    free = 1 - np.diag(X @ np.linalg.pinv(X))
    Z = tested - nuisance @ np.linalg.pinv(nuisance) @ tested
    W = Z @ np.linalg.inv(Z.T @ Z)  # the estimates are WᵀY
    parts, degrees = [], []
    for g in np.unique(level):
        i = level == g
        parts.append(np.einsum("ip,iq,e->epq", W[i], W[i], E2[i].sum(0) / free[i].sum()))
        degrees.append(free[i].sum())
    return B[: tested.shape[1]], np.array(parts), np.array(degrees)


def test(Y, tested, nuisance, level):
    """Statistic, degrees of freedom and, of one column, the standard error."""
    B, parts, degrees = covariance(Y, tested, nuisance, level)
    V, q = parts.sum(0), tested.shape[1]
    if q == 1:
        v = V[:, 0, 0]
        return B[0] / np.sqrt(v), v**2 / (parts[:, :, 0, 0] ** 2 / degrees[:, None]).sum(0), np.sqrt(v)
    inverse = np.linalg.inv(V)
    wald = np.einsum("pe,epq,qe->e", B, inverse, B)
    a = 0
    for part, df in zip(parts, degrees):
        Q = part @ inverse
        a = a + (np.einsum("epq,eqp->e", Q, Q) + np.trace(Q, axis1=1, axis2=2) ** 2) / 2 / df
    return wald / (q + 2 * a - 6 * a / (q + 2)), q * (q + 2) / (3 * a), None


def converted(statistic, degrees, q, to):
    """t or F of the degrees of freedom of the model with about the same p (Bartlett)."""
    f = statistic**2 if q == 1 else statistic
    square = (degrees + q / 2 - 1) * np.log1p(q * f / degrees)
    f = to / q * np.expm1(square / (to + q / 2 - 1))
    return np.sign(statistic) * np.sqrt(f) if q == 1 else f


def permuted(Y, tested, nuisance, level, P):
    H = nuisance @ np.linalg.pinv(nuisance)
    R = Y - H @ Y
    q = tested.shape[1]
    to = n - q - nuisance.shape[1]
    return [np.abs(converted(*test(H @ Y + R[p], tested, nuisance, level)[:2], q, to)).max() for p in P]


P = np.array([rng.permutation(n) for _ in range(m)])
one = np.ones((n, 1))
out = dict(edges=Y.tolist(), permutations=P.tolist())
two = (group == 1).astype(float)[:, None]
three = np.c_[group == 1, group == 2].astype(float)
covariates = np.c_[one, age - age.mean(), site == 1]
for name, tested, nuisance, level in [
    ("t", two, one, two[:, 0].astype(int)), ("F", three, one, group),
    ("t adjusted", two, covariates, two[:, 0].astype(int)), ("F adjusted", three, covariates, group),
]:
    statistic, df, se = test(Y, tested, nuisance, level)
    q = tested.shape[1]
    of = n - q - nuisance.shape[1]
    p = 2 * stats.t.sf(np.abs(statistic), df) if q == 1 else stats.f.sf(statistic, q, df)
    out[name] = dict(design=np.c_[tested, nuisance].T.tolist(), tested=q, group=level.tolist(), p=p.tolist(),
                     statistic=converted(statistic, df, q, of).tolist(), se=None if se is None else se.tolist(),
                     half=None if se is None else (stats.t.isf(0.025, df) * se).tolist(),
                     largest=permuted(Y, tested, nuisance, level, P))

def each(R, z, k):
    """t of the mean of the products of a number and an edge without the nuisance columns, of n − k degrees of freedom."""
    return stats.ttest_1samp(R * z[:, None], 0).statistic * np.sqrt((n - k) / (n - 1))


score = np.round(rng.standard_normal(n) ** 2, 4)  # a few have far values
for name, nuisance in [("number", one), ("number adjusted", covariates)]:
    R, z = (v - nuisance @ np.linalg.pinv(nuisance) @ v for v in (Y, score))
    X = np.c_[score, nuisance]
    k = X.shape[1]
    t = each(R, z, k)
    se = np.array([sm.OLS(y, X).fit(cov_type="HC3").bse[0] for y in Y.T])
    out[name] = dict(design=X.T.tolist(), tested=1, group=None, se=se.tolist(), statistic=t.tolist(),
                     p=(2 * stats.t.sf(np.abs(t), n - k)).tolist(), half=(stats.t.isf(0.025, n - k) * se).tolist(),
                     largest=[np.abs(each(R[p], z, k)).max() for p in P])

w = stats.ttest_ind(Y[group == 1], Y[group != 1], equal_var=False)
f = stats.f_oneway(*(Y[group == g] for g in range(3)), equal_var=False)
assert np.allclose(w.pvalue, out["t"]["p"], atol=1e-12) and np.allclose(f.pvalue, out["F"]["p"], atol=1e-12)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "variances.json"), "w") as to:
    json.dump(out, to)
    to.write("\n")
