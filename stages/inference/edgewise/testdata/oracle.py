#!/usr/bin/env python3
"""Writes oracle.json: edge-wise tests of 36 simulated participants and 16 regions by statsmodels, networkx and bctpy, and
by the slow definition (each permutation fits the full model again).

    pip install numpy scipy statsmodels networkx bctpy==0.6.1
    python oracle.py
"""
import contextlib
import io
import json
import os

import bct
import networkx as nx
import numpy as np
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(44)
n, N, m = 36, 16, 199
iu = np.triu_indices(N, 1)
E = len(iu[0])
out = {}


def put(name, x):
    out[name] = np.asarray(x).tolist()


group = np.r_[np.ones(16), np.zeros(20)]
age = np.round(rng.uniform(10, 40, n) + 3 * group, 2)
fd = np.round(rng.gamma(2, 0.1, n), 4)
site = rng.permutation(np.arange(n) % 3)
family = np.r_[np.arange(16) // 2, 8 + np.arange(20) // 2]
Y = 0.3 * rng.standard_normal((n, E)) + 0.01 * np.outer(age - 25, rng.standard_normal(E))
Y += 0.45 * np.outer(group, (iu[0] < 5) & (iu[1] < 6)) + 0.5 * np.outer(fd, np.ones(E))
Y = np.round(Y, 6)
X = np.c_[group, np.ones(n), age - age.mean(), fd - fd.mean(), site == 1, site == 2].astype(float)
for name, x in dict(edges=Y, design=X.T, site=site, family=family).items():
    put(name, x)


def fit(Y, X, tested):
    """t (one tested column) or F, residuals and coefficients of the full model."""
    B = np.linalg.pinv(X) @ Y
    rss = ((Y - X @ B) ** 2).sum(0)
    df = len(Y) - np.linalg.matrix_rank(X)
    if tested == 1:
        return B[0] / np.sqrt(rss / df * np.linalg.pinv(X.T @ X)[0, 0]), B[0]
    Z = X[:, tested:]
    less = ((Y - Z @ np.linalg.pinv(Z) @ Y) ** 2).sum(0) - rss
    return less / tested / (rss / df), None


def same(a, b, tolerance=1e-9):
    assert np.max(np.abs(np.asarray(a, float) - np.asarray(b, float))) <= tolerance


def components(mask):
    """The component of each edge, from 1; 0 for none."""
    graph = nx.Graph([(int(a), int(b)) for a, b in zip(iu[0][mask], iu[1][mask])])
    label = np.zeros(E, int)
    for k, members in enumerate(sorted(nx.connected_components(graph), key=min), 1):
        label[mask & np.isin(iu[0], list(members))] = k
    return label


def nbs(over, intensity=False):
    label = components(over > 0)
    weight = over if intensity else np.ones(E)
    return label, np.array([weight[label == c].sum() for c in range(1, label.max() + 1)])


def tfnbs(T, dh=0.1, e=0.4, h=3.0):
    value, a, k = np.zeros(E), np.abs(T), 1
    while k * dh <= a.max() + 1e-12:
        label = components(a >= k * dh - 1e-12)
        for c in range(1, label.max() + 1):
            value[label == c] += (label == c).sum() ** e * (k * dh) ** h * dh
        k += 1
    return value * np.sign(T)


def p_of(value, null):
    return [(1 + (np.asarray(null) >= abs(x) - 1e-10).sum()) / (len(null) + 1) for x in value]


def permutations(kind):
    P = np.tile(np.arange(n), (m + 1, 1))
    for k in range(1, m + 1):
        if kind == "free":
            P[k] = rng.permutation(n)
        elif kind == "site":
            for s in range(3):
                i = np.where(site == s)[0]
                P[k, i] = rng.permutation(i)
        else:
            F = [np.where(family == x)[0] for x in np.unique(family)]
            for a, c in enumerate(rng.permutation(len(F))):
                P[k, F[a]] = rng.permutation(F[c])
    return P[1:]


# Two groups with covariates.
t, beta = fit(Y, X, 1)
by = [sm.OLS(Y[:, e], X).fit() for e in range(E)]
same(t, [r.tvalues[0] for r in by])
p = 2 * stats.t.sf(np.abs(t), n - 6)
same(p, [r.pvalues[0] for r in by], 1e-12)
put("t", t)
put("beta", beta)
put("interval", [r.conf_int()[0] for r in by])
put("p", p)
put("q", multipletests(p, method="fdr_bh")[1])
Z = X[:, 1:]
H = Z @ np.linalg.pinv(Z)
threshold = 2.0
for kind in ("free", "site", "family"):
    P = permutations(kind)
    T = np.array([fit(H @ Y + (Y - H @ Y)[q], X, 1)[0] for q in P])
    largest = np.abs(T).max(1)
    c = dict(permutations=P, largest=largest, corrected=p_of(t, largest),
             uncorrected=(1 + (np.abs(T) >= np.abs(t) - 1e-10).sum(0)) / (m + 1))
    for tail, over in (("both", np.abs), ("right", lambda x: x), ("left", lambda x: -x)):
        for name, intensity in (("extent", False), ("intensity", True)):
            null = [max(nbs(over(x) - threshold, intensity)[1], default=0) for x in T]
            label, size = nbs(over(t) - threshold, intensity)
            c[f"{tail}_{name}"] = dict(null=null, size=size.tolist(), p=p_of(size, null), component=label.tolist())
    if kind == "free":
        c["tfnbs"], null = tfnbs(t), [np.abs(tfnbs(x)).max() for x in T]
        c["tfnbs_null"], c["tfnbs_p"] = null, p_of(c["tfnbs"], null)
    out.setdefault("blocks", {})[kind] = {k: x if isinstance(x, dict) else np.asarray(x).tolist() for k, x in c.items()}

# Two groups without covariates against bctpy, with the permutations that it draws.
M = np.zeros((n, N, N))
for i in range(n):
    M[i][iu] = Y[i]
    M[i].T[iu] = Y[i]
A, B = (np.transpose(M[group == g], (1, 2, 0)) for g in (1, 0))
with contextlib.redirect_stdout(io.StringIO()):
    pv, adj, null = bct.nbs_bct(A, B, 2.5, k=100, tail="both", seed=3)
state = np.random.RandomState(3)
out["bctpy"] = dict(permutations=[state.permutation(n).tolist() for _ in range(100)], null=np.asarray(null).tolist(),
                    p=np.sort(pv).tolist(), component=adj[iu].tolist())

# Three groups: F of the sites, with age and motion as covariates.
X3 = np.c_[site == 1, site == 2, np.ones(n), age, fd].astype(float)
F, _ = fit(Y, X3, 2)
by = [sm.OLS(Y[:, e], X3).fit().f_test(np.eye(5)[:2]) for e in range(E)]
same(F, [r.fvalue for r in by], 1e-8)
Z = X3[:, 2:]
H = Z @ np.linalg.pinv(Z)
P = permutations("free")[:50]
T = np.array([fit(H @ Y + (Y - H @ Y)[q], X3, 2)[0] for q in P])
out["F"] = dict(design=X3.T.tolist(), F=F.tolist(), p=[float(r.pvalue) for r in by], permutations=P.tolist(),
                largest=T.max(1).tolist(), tfnbs_null=[tfnbs(np.sqrt(x)).max() for x in T])

# Changes between two sessions: the constant is tested, residuals change their signs.
D = Y[:18] - Y[18:]
XD = np.c_[np.ones(18), (fd[:18] - fd[18:]) - (fd[:18] - fd[18:]).mean()]
S = rng.choice([-1.0, 1.0], (60, 18))
Z = XD[:, 1:]
H = Z @ np.linalg.pinv(Z)
t, beta = fit(D, XD, 1)
T = np.array([fit(H @ D + s[:, None] * (D - H @ D), XD, 1)[0] for s in S])
out["flips"] = dict(design=XD.T.tolist(), edges=D.tolist(), t=t.tolist(), signs=S.tolist(),
                    largest=np.abs(T).max(1).tolist())

# Distributions.
out["ratio"] = [[f, a, b, stats.f.sf(f, a, b)] for f in (0.01, 0.5, 1, 2.7, 15, 200) for a in (1, 2, 3, 7, 19)
                for b in (1, 2, 5, 30, 31, 1000)]
out["quantiles"] = [[q, a, b, stats.f.isf(q, a, b)] for q in (0.05, 0.001) for a in (1, 2, 6) for b in (4, 33, 1025)]
out["student"] = [[q, b, stats.t.isf(q / 2, b)] for q in (0.05, 0.001) for b in (1, 8, 33, 1025)]


def noncentral(f, a, b):
    """λ/(λ+N) where the tail of f is 2.5%."""
    from scipy.optimize import brentq
    ends = []
    for q in (0.975, 0.025):
        gap = lambda l: stats.ncf.cdf(f, a, b, l) - q
        if stats.f.cdf(f, a, b) < q:
            ends.append(0.0)
        else:
            high = 1.0
            while gap(high) > 0:
                high *= 1.5
            l = brentq(gap, 1e-12, high, xtol=1e-12, rtol=1e-14)
            ends.append(l / (l + a + b + 1))
    return ends


out["explained"] = [[f, a, b, *noncentral(f, a, b)] for f in (0.3, 1, 3, 12, 60) for a in (2, 3, 6) for b in (10, 57, 400)]
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "oracle.json"), "w") as f:
    json.dump(out, f, separators=(",", ":"))
    f.write("\n")
