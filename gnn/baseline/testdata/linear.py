#!/usr/bin/env python3
"""Writes linear.json: what scikit-learn's SVC, RidgeClassifier and LogisticRegression say of fixed data.

usage: python3 linear.py > linear.json      (made with scikit-learn 1.9.1, numpy 2.4.6)
"""
import json, sys
import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import SVC

r = np.random.default_rng(7)


def triangles(n, nodes, classes):
    """Upper triangles of correlation matrices of short series; the classes differ in a few edges."""
    y = r.integers(0, classes, n)
    rows = []
    for c in y:
        s = r.normal(size=(30, nodes))
        for k in range(classes):
            s[:, 2 * k + 1] += (0.5 if c == k else 0.1) * s[:, 2 * k]
        rows.append(np.corrcoef(s.T)[np.triu_indices(nodes, 1)])
    return np.array(rows), y


out = {"made with": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}", "cases": []}
for nodes, n, classes in ((8, 60, 2), (12, 50, 2), (6, 90, 3)):
    x, y = triangles(n + 20, nodes, classes)
    x, y = x.round(6), y
    tr, te = x[:n], x[n:]
    case = {"x": tr.tolist(), "y": y[:n].tolist(), "test": te.tolist(), "classes": classes, "machines": []}
    out["cases"].append(case)
    for c in range(1 if classes == 2 else classes):
        sign = np.where(y[:n] == (1 if classes == 2 else c), 1, -1)
        m = {}
        for name, svc in (("rbf", SVC(C=1, tol=1e-12)), ("rbf C=10", SVC(C=10, gamma=0.5, tol=1e-12)), ("linear", SVC(C=1, kernel="linear", tol=1e-12))):
            svc.fit(tr, sign)
            m[name] = {"decision": svc.decision_function(te).tolist(), "vectors": int(svc.n_support_.sum())}
        for name, fit in (("ridge", RidgeClassifier(alpha=1, solver="cholesky")), ("ridge 50", RidgeClassifier(alpha=50, solver="cholesky")),
                          ("logistic", LogisticRegression(C=1, tol=1e-14, solver="newton-cholesky", max_iter=1000)),
                          ("logistic C=100", LogisticRegression(C=100, tol=1e-14, solver="newton-cholesky", max_iter=1000))):
            fit.fit(tr, sign)
            m[name] = {"decision": fit.decision_function(te).tolist(), "w": np.ravel(fit.coef_).tolist(), "b": float(np.ravel(fit.intercept_)[0])}
        case["machines"].append(m)
json.dump(out, sys.stdout)
