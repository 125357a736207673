#!/usr/bin/env python3
"""Reference numbers of the tangent-space embedding of covariances, reference fitted on training participants only.

usage: oracle.py [--out DIR] [--check]

Writes the arrays beside it (those that tangent_test.go reads are kept) and manifest.json, with what each means.
"""
import argparse, hashlib, json, os, sys, tempfile, warnings
import numpy as np
from scipy import linalg


def fun(f, S):
    w, V = linalg.eigh(S); return (V * f(w)) @ V.T


def geometric_mean(Cs, tol=1e-13, it=200):
    """Fixed point: G <- G^1/2 exp(mean_i log(G^-1/2 C_i G^-1/2)) G^1/2, from the arithmetic mean, unit step."""
    G = np.mean(Cs, 0); norms = []
    for _ in range(it):
        h, r = fun(np.sqrt, G), fun(lambda w: 1 / np.sqrt(w), G)
        L = np.mean([fun(np.log, r @ C @ r) for C in Cs], 0); L = (L + L.T) / 2; norms.append(np.linalg.norm(L))
        G = h @ fun(np.exp, L) @ h; G = (G + G.T) / 2
        if norms[-1] < tol:
            break
    return G, norms


def tangent(Cs, G):
    r = fun(lambda w: 1 / np.sqrt(w), G); return np.array([fun(np.log, r @ C @ r) for C in Cs])


def vec(T):
    """Lower triangle, rows one after another, diagonal included and divided by sqrt 2 (nilearn's convention)."""
    n = T.shape[-1]; i, j = np.tril_indices(n); v = T[..., i, j].copy(); v[..., i == j] /= np.sqrt(2); return v


def ledoit_wolf(X):
    """Shrinkage towards mu I; rows are volumes; columns are centred, not scaled."""
    n, p = X.shape; X = X - X.mean(0); S = X.T @ X / n; mu = np.trace(S) / p; D = S - mu * np.eye(p)
    d2 = (D ** 2).sum() / p; b2 = (((X ** 2).T @ (X ** 2)).sum() / n - (S ** 2).sum()) / (n * p); a = min(b2, d2) / d2 if d2 else 0.0
    return (1 - a) * S + a * mu * np.eye(p), a


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--out"); ap.add_argument("--check", action="store_true"); a = ap.parse_args()
    here = os.path.dirname(os.path.abspath(__file__)); dst = a.out or (tempfile.mkdtemp() if a.check else here); arrays = {}

    def put(name, x, meaning):
        x = np.ascontiguousarray(np.atleast_1d(x), dtype="<f8"); f = os.path.join(dst, name + ".npy"); np.save(f, x)
        arrays[name + ".npy"] = dict(shape=list(x.shape), sha256=hashlib.sha256(open(f, "rb").read()).hexdigest(), meaning=meaning)
    import nilearn, sklearn
    from nilearn.connectome import ConnectivityMeasure
    from sklearn.covariance import LedoitWolf
    r = np.random.RandomState(2010); N, T = 15, 60; A = r.randn(N, N) / 3 + np.eye(N)
    ts = [(r.randn(T, N) @ (A + 0.25 * r.randn(N, N))) * np.exp(0.2 * r.randn(N)) for _ in range(11)]
    ts = [(x - x.mean(0)) / x.std(0) for x in ts]
    put("series", np.array(ts), "z-scored series of 11 participants [11,T,N]; the first 8 are training, the last 3 held out")
    lw = [ledoit_wolf(x) for x in ts]; C = np.array([c for c, _ in lw]); put("covariance", C, "Ledoit-Wolf covariances [11,N,N]"); put("shrinkage", np.array([s for _, s in lw]), "shrinkage intensities [11]")
    sk = [LedoitWolf(store_precision=False).fit(x) for x in ts]; chk = dict(ledoit_wolf_sklearn=float(max(np.abs(s.covariance_ - c).max() for s, c in zip(sk, C))))
    G, norms = geometric_mean(C[:8]); W = fun(lambda w: 1 / np.sqrt(w), G); put("mean", G, "geometric mean of the 8 training covariances, converged [N,N]"); put("gradient_norm", np.array(norms), "Frobenius norm of the mean logarithm before each update")
    put("whitening", W, "mean^-1/2 [N,N]"); X = tangent(C, G); put("tangent", X, "log(whitening C whitening) of all 11 [11,N,N]"); put("vector", vec(X), "tangent, vectorised [11,N(N+1)/2]")
    off = X[:, np.tril_indices(N, -1)[0], np.tril_indices(N, -1)[1]]; put("vector_nodiag", off, "the same without the diagonal, unscaled [11,N(N-1)/2]")
    put("back", np.array([fun(np.sqrt, G) @ fun(np.exp, x) @ fun(np.sqrt, G) for x in X[8:]]), "covariances of the held-out recovered from their tangent matrices [3,N,N]")
    chk["mean_of_training_tangents"] = float(np.abs(X[:8].mean(0)).max()); chk["mean_of_heldout_tangents"] = float(np.abs(X[8:].mean(0)).max()); chk["back"] = float(np.abs(np.load(os.path.join(dst, "back.npy")) - C[8:]).max())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore"); cm = ConnectivityMeasure(kind="tangent", vectorize=True); tr = cm.fit_transform(ts[:8]); te = cm.transform(ts[8:])
        every = ConnectivityMeasure(kind="tangent", vectorize=True).fit(ts)
        try:
            cm.transform(ts[8:9]); chk["nilearn_single_participant"] = "accepted"
        except ValueError as e:
            chk["nilearn_single_participant"] = "ValueError"
    put("nilearn_mean", cm.mean_, "mean_ of nilearn fitted on the 8"); put("nilearn_vector", np.vstack([tr, te]), "nilearn: fit_transform on the 8, transform of the 3 [11,N(N+1)/2]")
    g0 = np.linalg.norm(np.mean(tangent(C[:8], cm.mean_), 0)); chk.update(mean_nilearn=float(np.abs(cm.mean_ - G).max()), vector_nilearn=float(np.abs(np.vstack([tr, te]) - vec(X)).max()), gradient_norm_at_nilearn_mean=float(g0))
    Gall, _ = geometric_mean(C); put("mean_leaky", Gall, "mean of all 11: what fitting before splitting gives, for the leak test"); put("vector_leaky", vec(tangent(C, Gall)), "vectors about mean_leaky")
    chk["leak_in_heldout_vectors"] = float(np.abs(vec(tangent(C[8:], Gall)) - vec(X[8:])).max()); chk["leaky_mean_is_nilearns"] = float(np.abs(every.mean_ - Gall).max())
    # the same shape as a user's data: how far nilearn's stopping rule is from convergence at N = 100
    q = np.random.RandomState(1); B = q.randn(100, 100) / 6 + np.eye(100); big = [q.randn(140, 100) @ (B + 0.1 * q.randn(100, 100)) for _ in range(8)]
    with warnings.catch_warnings(record=True) as ws:
        warnings.simplefilter("always"); c2 = ConnectivityMeasure(kind="tangent").fit(big)
    Cb = [LedoitWolf(store_precision=False).fit(x).covariance_ for x in big]; chk["nilearn_N100_gradient_norm"] = float(np.linalg.norm(np.mean(tangent(Cb, c2.mean_), 0))); Gb, nb = geometric_mean(Cb)
    chk["nilearn_N100_mean_error_relative"] = float(np.abs(c2.mean_ - Gb).max() / np.abs(Gb).max()); chk["N100_iterations_to_1e-13"] = len(nb)
    # the check of the definition: the gradient of sum_i ||log(G^-1/2 C_i G^-1/2)||^2 vanishes at G, by finite differences
    S = r.randn(N, N); S = S + S.T; S /= np.linalg.norm(S); h = 1e-5; cost = lambda e: sum((fun(np.log, (lambda q: q @ c @ q)(fun(lambda w: 1 / np.sqrt(w), G + e * S))) ** 2).sum() for c in C[:8])
    chk["cost_derivative_at_mean"] = float((cost(h) - cost(-h)) / (2 * h)); put("cost", np.array([cost(0.0)]), "sum of squared distances of the 8 from the mean")
    assert chk["ledoit_wolf_sklearn"] < 1e-13 and chk["mean_of_training_tangents"] < 1e-12 and chk["vector_nilearn"] < 1e-4 and abs(chk["cost_derivative_at_mean"]) < 1e-7, chk
    info = dict(model="tangent-space embedding", sizes=dict(participants=11, training=8, N=N, T=T), nilearn=nilearn.__version__, sklearn=sklearn.__version__, numpy=np.__version__, checks=chk, arrays=arrays)
    json.dump(info, open(os.path.join(dst, "manifest.json"), "w"), indent=1)
    if a.check:
        old = json.load(open(os.path.join(here, "manifest.json")))["arrays"]; d = max(float(np.abs(np.load(os.path.join(dst, k)) - np.load(os.path.join(here, k))).max()) for k in arrays if k != "gradient_norm.npy")
        print(f"{len(arrays)} arrays, {sum(arrays[k]['sha256'] == old[k]['sha256'] for k in arrays)} byte-identical, largest difference {d:.3g}"); sys.exit(d > 1e-9)
    print(json.dumps(chk, indent=1))


if __name__ == "__main__":
    main()
