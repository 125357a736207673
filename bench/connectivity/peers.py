"""What nilearn, numpy and scipy need for the correlation and partial correlation of
many series, on the data of the file that is given.

usage: python3 peers.py SERIES.npy RESULTS.npy      (graphs × volumes × regions, <f8)
       python3 peers.py growth                      (one graph of ever more regions)
needs: nilearn, scikit-learn, scipy, numpy
Prints one JSON object a method: seconds of wall clock and processor (best of the
repeats) for all graphs. RESULTS
gets pearson, empirical partial and Ledoit-Wolf partial by numpy, to be compared.
"""
import json, sys, time, warnings
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from scipy.linalg import lapack
from sklearn.covariance import EmpiricalCovariance, LedoitWolf, graphical_lasso
from nilearn.connectome import ConnectivityMeasure

warnings.filterwarnings("ignore")
if sys.argv[1] == "growth":
    for N in (84, 200, 400, 1000):
        T = 1200
        x = np.random.default_rng(1).normal(size=(T, N))

        def by_numpy():
            z = x - x.mean(0)
            z /= np.sqrt((z * z).sum(0) / (T - 1))
            s = z.T @ z / T
            power, tr = (s * s).sum(), np.trace(s)
            d2 = (power - tr * tr / N) / N
            d = min((((z * z).sum(1) ** 2).sum() / T - power) / (N * T), d2) / d2
            c = np.linalg.inv(s * (1 - d) + np.eye(N) * d * tr / N)
            for m, sign in ((s, 1), (c, -1)):
                v = 1 / np.sqrt(np.diag(m))
                r = sign * m * v[:, None] * v
                np.fill_diagonal(r, 1)

        def by_nilearn():
            for kind, est in (("correlation", EmpiricalCovariance), ("partial correlation", LedoitWolf)):
                ConnectivityMeasure(kind=kind, cov_estimator=est(store_precision=False), standardize=True).fit_transform([x])

        for name, f in (("numpy", by_numpy), ("nilearn", by_nilearn)):
            best = 9e9
            for _ in range(3):
                t = time.perf_counter()
                f()
                best = min(best, time.perf_counter() - t)
            print(json.dumps(dict(method=f"{name} {N}", seconds=best, cpu=best)))
    sys.exit()
X = np.load(sys.argv[1])
G, T, N = X.shape


def report(name, f, graphs=G, repeats=max(3, 4000 // G)):
    times = np.array([timed(f) for _ in range(repeats)]).min(0) * G / graphs
    print(json.dumps(dict(method=name, seconds=times[0], cpu=times[1])), flush=True)


def timed(f):
    t, c = time.perf_counter(), time.process_time()
    f()
    return time.perf_counter() - t, time.process_time() - c


def measure(kind, estimator):
    return lambda: ConnectivityMeasure(kind=kind, cov_estimator=estimator(store_precision=False), standardize=True).fit_transform(list(some))


some = X[: max(1, min(G, 200))]
for name, est in (("empirical", EmpiricalCovariance), ("ledoit-wolf", LedoitWolf)):
    report(f"nilearn pearson+partial {name}", lambda: (measure("correlation", EmpiricalCovariance)(), measure("partial correlation", est)()), len(some), 3)


# numpy: everything in batches
def standardise(x):
    z = x - x.mean(1, keepdims=True)
    z /= np.sqrt((z * z).sum(1, keepdims=True) / (T - 1))
    return z


def partial(p):
    s = 1 / np.sqrt(np.diagonal(p, axis1=-2, axis2=-1))
    r = -p * s[..., :, None] * s[..., None, :]
    i = np.arange(N)
    r[..., i, i] = 1
    return r


def shrink(z, s):
    f = ((z * z).sum(-1) ** 2).sum(-1)
    power = (s * s).sum((-2, -1))
    tr = np.trace(s, axis1=-2, axis2=-1)
    mu = tr / N
    d2 = (power - mu * tr) / N
    d = np.minimum((f / T - power) / (N * T), d2) / d2
    out = s * (1 - d)[:, None, None]
    i = np.arange(N)
    out[:, i, i] += (d * mu)[:, None]
    return out


def pearson(s):
    v = 1 / np.sqrt(np.diagonal(s, axis1=-2, axis2=-1))
    r = s * v[..., :, None] * v[..., None, :]
    i = np.arange(N)
    r[..., i, i] = 1
    return r


def batch(x, lw, inverse):
    z = standardise(x)
    s = np.matmul(z.transpose(0, 2, 1), z) / T
    return pearson(s), partial(inverse(shrink(z, s) if lw else s))


def potri(c):
    p = np.empty_like(c)
    for k in range(len(c)):
        u, _ = lapack.dpotrf(c[k], lower=0, clean=0)
        q, _ = lapack.dpotri(u, lower=0, overwrite_c=1)
        p[k] = np.triu(q) + np.triu(q, 1).T
    return p


def chunks(f, size, pool=None):
    parts = [X[i : i + size] for i in range(0, G, size)]
    return list((pool.map if pool else map)(f, parts))


pool = ThreadPoolExecutor(2)
for name, lw in (("empirical", False), ("ledoit-wolf", True)):
    for iname, inv in (("inv", np.linalg.inv), ("dpotri", potri)):
        f = lambda x: batch(x, lw, inv)
        report(f"numpy whole, {iname}, pearson+partial {name}", lambda: f(X))
        report(f"numpy chunks of 20, {iname}, pearson+partial {name}", lambda: chunks(f, 20))
        report(f"numpy chunks of 20, {iname}, 2 threads, pearson+partial {name}", lambda: chunks(f, 20, pool))

few = X[:2]
def glasso():
    for x in standardise(few):
        graphical_lasso(x.T @ x / T, 0.1, tol=1e-4)
report("scikit-learn glasso", glasso, len(few), 2)

a, b = batch(X, False, np.linalg.inv), batch(X, True, np.linalg.inv)
np.save(sys.argv[2], np.stack([a[0], a[1], b[1]]))
