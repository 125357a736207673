#!/usr/bin/env python3
"""Reference numbers of kernel ridge regression / classification with the correlation kernel.

usage: oracle.py [--out DIR] [--check]
"""
import argparse, hashlib, json, os, sys, tempfile
import numpy as np
LAM = np.array([0, 1e-5, 1e-4, 1e-3, 4e-3, 7e-3, .01, .04, .07, .1, .4, .7, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 10, 15, 20])
THR = np.round(np.arange(-10, 11) / 10, 1)


def unit(F):
    Z = F - F.mean(1, keepdims=True); return Z / np.linalg.norm(Z, axis=1, keepdims=True)


def fit(K, y, lam, bias):
    R = K + lam * np.eye(len(y)); one = np.ones(len(y))
    b = one @ np.linalg.solve(R, y) / (one @ np.linalg.solve(R, one)) if bias else 0.0
    return np.linalg.solve(R, y - b), b


def score(p, y, ytr):
    e = ((p - y) ** 2).sum()
    return np.array([np.corrcoef(p, y)[0, 1], 1 - e / ((y - y.mean()) ** 2).sum(), 1 - e / ((y - ytr.mean()) ** 2).sum(), np.abs(p - y).mean(), e / len(y)])


def inner(K, y, fold, bias):
    """For every lambda: the five measures of every fold, averaged over folds; and the pooled predictions."""
    tab, pool = np.zeros((len(LAM), 5)), np.zeros((len(LAM), len(y)))
    for i, l in enumerate(LAM):
        s = []
        for f in np.unique(fold):
            tr, va = fold != f, fold == f; a, b = fit(K[np.ix_(tr, tr)], y[tr], l, bias); p = K[np.ix_(va, tr)] @ a + b
            s.append(score(p, y[va], y[tr])); pool[i, va] = p
        tab[i] = np.mean(s, 0)
    return tab, pool


def auc(s, y):
    a, b = s[y == 1], s[y == 0]; d = a[:, None] - b[None]; return ((d > 0) + 0.5 * (d == 0)).mean()


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--out"); ap.add_argument("--check", action="store_true"); a = ap.parse_args()
    here = os.path.dirname(os.path.abspath(__file__)); dst = a.out or (tempfile.mkdtemp() if a.check else here); arrays, chk = {}, {}

    def put(name, x, meaning):
        x = np.ascontiguousarray(np.atleast_1d(x), dtype="<f8"); f = os.path.join(dst, name + ".npy"); os.makedirs(os.path.dirname(f), exist_ok=True); np.save(f, x)
        arrays[name + ".npy"] = dict(shape=list(x.shape), sha256=hashlib.sha256(open(f, "rb").read()).hexdigest(), meaning=meaning)
    import sklearn
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.linear_model import LinearRegression, Ridge
    from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error, r2_score, roc_auc_score
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    r = np.random.RandomState(2019); M, N, T, n = 60, 14, 50, 40
    g = r.randn(M); conf = np.c_[r.uniform(8, 40, M), r.randint(0, 2, M), r.gamma(2, .06, M)]           # age, sex, mean FD
    base, dirn = r.randn(N, N) / 3, r.randn(N, N) / 3
    FC = np.array([np.corrcoef((r.randn(T, N) @ (np.eye(N) + base + 0.35 * g[m] * dirn)).T) for m in range(M)])
    i, j = np.tril_indices(N, -1); F = FC[:, i, j]; y = 100 + 8 * g + 6 * r.randn(M) + 0.15 * conf[:, 0] + 2 * conf[:, 1]; c = (g + 0.5 * r.randn(M) > 0.1).astype(int)
    tr, te = np.arange(n), np.arange(n, M); fold = r.permutation(np.arange(n) % 5)
    put("fc", FC, "correlation matrices [60,N,N]; participants 0..39 train, 40..59 test"); put("features", F, "lower triangle, rows one after another, no diagonal [60,N(N-1)/2]"); put("y", y, "score"); put("class", c, "binary label")
    put("confounds", conf, "age, sex, mean framewise displacement [60,3]"); put("inner_fold", fold, "inner fold of each training participant [40]"); put("lambda", LAM, "the grid (CBIG's default)"); put("threshold", THR, "CBIG's default thresholds")
    K = unit(F) @ unit(F).T; Ktr, Kte = K[:n, :n], K[n:, :n]; chk["kernel_is_corrcoef"] = float(np.abs(K - np.corrcoef(F)).max()); put("kernel_train", Ktr, "correlation kernel [40,40]"); put("kernel_test", Kte, "[20,40]")
    put("kernel_eigenvalues", np.linalg.eigvalsh(Ktr), "of kernel_train, ascending")
    # confounds: regressed from y, coefficients from the training participants
    Q = np.c_[np.ones(M), conf]; beta = np.linalg.lstsq(Q[tr], y[tr], rcond=None)[0]; yr = y - Q @ beta; lr = LinearRegression().fit(conf[tr], y[tr]); chk["confound_regression_sklearn"] = float(np.abs(yr - (y - lr.predict(conf))).max())
    put("confound_beta", beta, "intercept, age, sex, FD; fitted on the 40"); put("y_resid", yr, "y after confound regression [60]")
    Z = unit(F)
    for name, t, bias in (("reg", y, True), ("reg_nobias", y, False), ("reg_resid", yr, True)):
        tab, pool = inner(Ktr, t[tr], fold, bias); put(f"{name}/inner", tab, "per lambda: r, R2 (validation mean), R2 (training mean), MAE, MSE, averaged over inner folds [23,5]"); put(f"{name}/inner_pred", pool, "inner-fold predictions [23,40]")
        best = [int(np.argmax(tab[:, q])) if q < 3 else int(np.argmin(tab[:, q])) for q in range(5)]; put(f"{name}/choice", np.array(best), "index of the best lambda by each of the five measures (first one if equal)")
        P, A, Bb, S = [], [], [], []
        for l in LAM:
            al, b = fit(Ktr, t[tr], l, bias); p = Kte @ al + b; P.append(p); A.append(al); Bb.append(b); S.append(score(p, t[te], t[tr]))
            if l >= 1e-3:
                q = Ridge(alpha=l, fit_intercept=True, solver="svd").fit(Z[tr], t[tr]).predict(Z[te]) if bias else KernelRidge(alpha=l, kernel="precomputed").fit(Ktr, t[tr]).predict(Kte)
                chk[f"{name}_sklearn"] = max(chk.get(f"{name}_sklearn", 0), float(np.abs(p - q).max()))
        put(f"{name}/dual", np.array(A), "dual coefficients per lambda [23,40]"); put(f"{name}/bias", np.array(Bb), "bias per lambda"); put(f"{name}/pred", np.array(P), "test predictions per lambda [23,20]"); put(f"{name}/test", np.array(S), "test measures per lambda [23,5]")
        k = best[2]; put(f"{name}/final", np.r_[LAM[k], S[k]], "lambda chosen by R2 against the training mean; its test r, R2, R2 (training mean), MAE, MSE")
        chk[f"{name}_metrics_sklearn"] = float(max(abs(r2_score(t[te], P[k]) - S[k][1]), abs(mean_absolute_error(t[te], P[k]) - S[k][3])))
        if not bias:
            gs = GridSearchCV(KernelRidge(kernel="precomputed"), {"alpha": LAM[3:]}, scoring="neg_mean_squared_error", cv=PredefinedSplit(fold)).fit(Ktr, t[tr])
            chk["grid_search_same_choice"] = bool(gs.best_params_["alpha"] == LAM[3:][int(np.argmin(tab[3:, 4]))]); chk["grid_search_mse"] = float(np.abs(-gs.cv_results_["mean_test_score"] - tab[3:, 4]).max())
        if name == "reg":
            w = Z[tr].T @ A[k]; put("reg/edge_weight", w, "weights of the unit-length centred features, w = Z' alpha, at the chosen lambda [91]"); chk["primal_is_dual"] = float(np.abs(Z[te] @ w + Bb[k] - P[k]).max())
            f = Ktr @ A[k] + Bb[k]; h = ((F[tr] - F[tr].mean(0)) * (f - f.mean())[:, None]).sum(0) / (n - 1); put("reg/haufe", h, "Haufe transform: covariance of every feature with the training predictions, n-1 [91]")
            rs = np.zeros(N); np.add.at(rs, i, np.abs(h)); np.add.at(rs, j, np.abs(h)); put("reg/region_score", rs, "sum of |haufe| over the edges of each region [N]")
    # classification: targets -1, +1; lambda by the inner mean squared error; class 1 where the decision value is > 0
    t = 2.0 * c - 1; tab, pool = inner(Ktr, t[tr], fold, True); k = int(np.argmin(tab[:, 4])); al, b = fit(Ktr, t[tr], LAM[k], True); d = Kte @ al + b; pr = (d > 0).astype(int)
    put("cls/inner_mse", tab[:, 4], "inner mean squared error of the -1/+1 targets [23]"); put("cls/choice", k, "index of lambda"); put("cls/dual", al, "dual coefficients"); put("cls/bias", b, "bias"); put("cls/decision", d, "decision values [20]"); put("cls/pred", pr, "predicted class")
    m = np.array([accuracy_score(c[te], pr), balanced_accuracy_score(c[te], pr), roc_auc_score(c[te], d)]); put("cls/metrics", m, "accuracy, balanced accuracy, AUC"); chk["auc"] = float(abs(auc(d, c[te]) - m[2]))
    chk["cls_sklearn"] = float(np.abs(Ridge(alpha=LAM[k], solver="svd").fit(Z[tr], t[tr]).predict(Z[te]) - d).max()) if LAM[k] >= 1e-3 else -1.0
    # CBIG's form: 0/1 targets (no covariates), accuracy over lambda x threshold, mean over inner folds
    acc = np.zeros((len(LAM), len(THR))); _, pool = inner(Ktr, c[tr].astype(float), fold, True); gap = np.inf
    for q, th in enumerate(THR):
        ok = ((pool > th) & (c[tr] == 1)) | ((pool < th) & (c[tr] == 0)); acc[:, q] = np.mean([ok[:, fold == f].mean(1) for f in range(5)], 0); gap = min(gap, np.abs(pool - th).min())
    top = acc.max(); q, p = next((q, p) for q in range(len(THR)) for p in range(len(LAM)) if acc[p, q] >= top - 1e-12); put("cls_cbig/inner_accuracy", acc, "[23 lambda, 21 thresholds]"); put("cls_cbig/inner_pred", pool, "inner-fold predictions [23,40]")
    al, b = fit(Ktr, c[tr].astype(float), LAM[p], True); d = Kte @ al + b; put("cls_cbig/choice", np.array([p, q]), "index of lambda, of threshold: the best accuracy; of equals the smallest threshold, then the smallest lambda"); put("cls_cbig/decision", d, "test decision values")
    put("cls_cbig/accuracy", (((d > THR[q]) & (c[te] == 1)) | ((d < THR[q]) & (c[te] == 0))).mean(), "test accuracy"); chk["smallest_distance_to_a_threshold"] = float(gap); chk["test_distance_to_threshold"] = float(np.abs(d - THR[q]).min())
    assert max(v for q, v in chk.items() if "sklearn" in q or q in ("kernel_is_corrcoef", "auc", "primal_is_dual", "grid_search_mse")) < 1e-8 and chk["grid_search_same_choice"], chk
    info = dict(model="kernel ridge, correlation kernel", sizes=dict(participants=M, train=n, N=N), sklearn=sklearn.__version__, numpy=np.__version__, checks=chk, arrays=arrays); json.dump(info, open(os.path.join(dst, "manifest.json"), "w"), indent=1)
    if a.check:
        old = json.load(open(os.path.join(here, "manifest.json")))["arrays"]; dd = max(float(np.abs(np.load(os.path.join(dst, q)) - np.load(os.path.join(here, q))).max()) for q in arrays)
        print(f"{len(arrays)} arrays, {sum(arrays[q]['sha256'] == old[q]['sha256'] for q in arrays)} byte-identical, largest difference {dd:.3g}"); sys.exit(dd > 1e-7)
    print(json.dumps(chk, indent=1))


if __name__ == "__main__":
    main()
