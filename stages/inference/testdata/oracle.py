# Makes oracle.json: what SciPy, NumPy and scikit-learn say.
# SciPy 1.17.1, scikit-learn 1.9.1, statsmodels 0.15:  python oracle.py > oracle.json
import json

import numpy as np
from scipy import stats

rng = np.random.default_rng(1)
out = {"ranks": [], "quantiles": []}
for n, levels in [(5, 100), (12, 4), (40, 1000), (84, 9)]:
    x = rng.integers(0, levels, n).astype(float)
    y = np.round(x * 0.5 + rng.integers(0, levels, n) * 0.5, 1)
    out["ranks"].append({
        "x": x.tolist(), "y": y.tolist(), "rank": stats.rankdata(-x).tolist(),
        "spearman": stats.spearmanr(x, y).statistic, "kendall": stats.kendalltau(x, y).statistic})
v = np.sort(rng.normal(size=37))
out["quantiles"] = {"v": v.tolist(), "q": [[q, float(np.quantile(v, q))] for q in (0, 0.025, 0.31, 0.5, 0.975, 1)]}
out["student"] = [[t, n, float(2 * stats.t.sf(abs(t), n))] for n in (1, 2, 3, 4, 7, 9, 24, 49, 99) for t in (0, 1e-3, 0.3, -1, 2.1, 5, 40)]
out["mcnemar"] = [[a, b, stats.binomtest(a, a + b, 0.5).pvalue if a + b else 1.0] for a, b in ((0, 0), (1, 0), (3, 9), (9, 3), (20, 20), (11, 31), (600, 700))]
p = [0.001, 0.2, 0.0105, 0.04, 0.04, 0.9, 0.03, 1.0]
from statsmodels.stats.multitest import multipletests
out["multiple"] = {"p": p, "holm": multipletests(p, method="holm")[1].tolist(), "fdr": stats.false_discovery_control(p).tolist()}
from sklearn.metrics import roc_auc_score
out["auc"] = []
for n, levels in [(20, 5), (50, 400)]:
    v, y = rng.integers(0, levels, n).astype(float), rng.integers(0, 2, n)
    share = np.array([y[v == x].mean() for x in v])
    a = roc_auc_score(y, v)
    out["auc"].append({"v": v.tolist(), "y": y.tolist(), "number": max(a, 1 - a), "category": roc_auc_score(y, share)})
print(json.dumps(out, indent=1))
