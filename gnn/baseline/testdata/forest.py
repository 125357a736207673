#!/usr/bin/env python3
"""Writes forest.json: what scikit-learn's RandomForestClassifier says of fixed data, over several seeds.

usage: python3 forest.py > forest.json      (made with scikit-learn 1.9.1, numpy 2.4.6)
"""
import json, sys
import numpy as np
import sklearn
from sklearn.ensemble import RandomForestClassifier

r = np.random.default_rng(11)
out = {"made with": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}", "cases": []}
for classes, n, d, tests in ((2, 120, 45, 100), (3, 150, 28, 100)):
    y = r.integers(0, classes, n + tests)
    x = r.normal(size=(n + tests, d))
    for k in range(classes):
        x[:, k] += 0.8 * (y == k)
    x[:, 5] = np.round(x[:, 5])  # ties
    x = x.round(3)
    p = []
    for seed in range(5):
        f = RandomForestClassifier(1000, max_features="sqrt", random_state=seed, n_jobs=2).fit(x[:n], y[:n])
        p.append(f.predict_proba(x[n:]))
    nodes = sum(t.tree_.node_count for t in f.estimators_) / 1000
    p = np.array(p)
    out["cases"].append({"classes": classes, "x": x[:n].tolist(), "y": y[:n].tolist(), "test": x[n:].tolist(), "truth": y[n:].tolist(), "nodes": nodes,
                         "probability": p.mean(0).tolist(), "accuracy": [(q.argmax(1) == y[n:]).mean() for q in p]})
json.dump(out, sys.stdout)
