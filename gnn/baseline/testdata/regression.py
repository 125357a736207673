#!/usr/bin/env python3
"""Writes regression.json: what scikit-learn's Ridge, SVR and DecisionTreeRegressor predict from fixed data.

usage: python3 regression.py > regression.json
"""
import json, sys
import numpy as np
import sklearn
from sklearn.linear_model import Ridge
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

r = np.random.default_rng(11)
nodes, n = 9, 60
y = r.normal(size=n + 20)
rows = []
for v in y:
    s = r.normal(size=(40, nodes))
    for k in range(3):
        s[:, 2 * k + 1] += 0.4 * v * s[:, 2 * k]
    rows.append(np.corrcoef(s.T)[np.triu_indices(nodes, 1)])
x, y = np.array(rows).round(6), y.round(6)
tr, te = x[:n], x[n:]
models = {
    "ridge": Ridge(alpha=1, solver="cholesky"), "ridge 50": Ridge(alpha=50, solver="cholesky"),
    "svr": SVR(kernel="linear", C=1, epsilon=0.1, tol=1e-12),
    "svr C=0.1 epsilon=0.5": SVR(kernel="linear", C=0.1, epsilon=0.5, tol=1e-12),
    "rbf-svr": SVR(kernel="rbf", C=1, epsilon=0.1, tol=1e-12),
    "tree": DecisionTreeRegressor(random_state=0),
}
out = {"made with": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}", "x": tr.tolist(), "y": y[:n].tolist(), "test": te.tolist(), "predicted": {}, "vectors": {}}
for name, m in models.items():
    m.fit(tr, y[:n])
    out["predicted"][name] = m.predict(te).tolist()
    if "svr" in name:
        out["vectors"][name] = int(len(m.support_))
json.dump(out, sys.stdout)
