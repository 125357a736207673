# Makes oracle.json: what SciPy, NumPy and scikit-learn say.
# Python 3.13, SciPy 1.17.1, NumPy 2.x, scikit-learn 1.9.1:  python oracle.py > oracle.json
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
print(json.dumps(out, indent=1))
