"""Tapers, windowed correlations and k-means by numpy, scipy and scikit-learn.

usage: python3 oracle.py > oracle.json   (the versions used are in the file)
"""
import json
import numpy as np, scipy, sklearn
from scipy.signal.windows import gaussian, hamming
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

rng = np.random.default_rng(2020)
r = lambda a: np.asarray(a).tolist()
out = {"versions": dict(numpy=np.__version__, scipy=scipy.__version__, sklearn=sklearn.__version__)}

# Tapers. GIFT: a rectangle convolved with a Gaussian, the largest 1; flanks of 3 sigma.
out["tapers"] = []
for width, sigma in [(22, 3), (30, 1.5), (7, 2), (1, 3)]:
    flank = int(np.ceil(3 * sigma))
    n = 2 * (width + flank) + 1  # odd and long enough: the Gaussian is not cut
    c = np.convolve(np.ones(width), gaussian(n, sigma))
    c = c[n // 2 - flank : n // 2 + width + flank]
    out["tapers"].append(dict(width=width, sigma=sigma, gaussian=r(c / c.max()), hamming=r(hamming(width) / hamming(width).max())))

# Weighted correlation and partial correlation of one window, Fisher's z
X = np.round(rng.standard_normal((40, 5)) @ rng.standard_normal((5, 5)), 6)
w = out["tapers"][2]["gaussian"]  # 7 + 2 * 6 volumes
rows = X[8 : 8 + len(w)]
R = np.cov(rows.T, aweights=w, ddof=0)
R /= np.sqrt(np.outer(np.diag(R), np.diag(R)))
p = np.asarray(w) / np.sum(w)
Z = (rows - p @ rows) / np.sqrt(p @ (rows - p @ rows) ** 2)
b2 = np.sum(p**2 * np.sum(Z**2, 1) ** 2) - np.sum(p**2) * np.sum(R**2)  # Ledoit & Wolf 2004, with weights
delta = min(1, b2 / np.sum((R - np.eye(5)) ** 2))
P = np.linalg.inv((1 - delta) * R + delta * np.eye(5))
P = -P / np.sqrt(np.outer(np.diag(P), np.diag(P)))
up = np.triu_indices(5, 1)
out["window"] = dict(x=r(X), first=8 + 6, pearson=r(np.arctanh(R[up])), partial=r(np.arctanh(P[up])), delta=float(delta))

# k-means from given centers: scikit-learn's Lloyd with L2, the definition with L1
data = np.round(np.concatenate([rng.normal(m, 1, (40, 6)) for m in (0, 2.5, -3)]), 4).astype(np.float32)
start = data[[0, 1, 50, 90]].astype(float)
km = KMeans(4, init=start, n_init=1, algorithm="lloyd", tol=0, max_iter=500).fit(data.astype(float))
out["kmeans"] = dict(x=r(data.astype(float)), start=r(start), centers=r(km.cluster_centers_), label=r(km.labels_), inertia=float(km.inertia_))
c = start
while True:
    label = cdist(data, c, "cityblock").argmin(1)
    new = np.array([np.median(data[label == l].astype(float), axis=0) for l in range(4)])
    if np.array_equal(new, c): break
    c = new
out["kmedians"] = dict(centers=r(c), label=r(label), inertia=float(cdist(data, c, "cityblock").min(1).sum()))

print(json.dumps(out))
