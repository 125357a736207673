# Makes motion.json: QC-FC by NumPy and SciPy.
# SciPy 1.17.1:  python motion.py > motion.json
import json

import numpy as np
from scipy import stats

rng = np.random.default_rng(5)
n, edges = 25, 12
fd = rng.gamma(2, 0.1, n)
age, sex = rng.uniform(8, 40, n), rng.integers(0, 2, n).astype(float)
z = rng.normal(size=(n, edges)) * 0.2 + np.outer(fd, np.linspace(-2, 2, edges)) + np.outer(age, rng.normal(size=edges)) * 0.01
out = {"fd": fd.tolist(), "covariates": [age.tolist(), sex.tolist(), (2 * age - sex).tolist()], "edges": z.T.tolist(), "cases": []}
for k in (0, 2):
    x = np.column_stack([np.ones(n), age, sex][: k + 1])
    rest = lambda v: v - x @ np.linalg.lstsq(x, v, rcond=None)[0]
    r = np.array([stats.pearsonr(rest(fd), rest(z[:, e])).statistic for e in range(edges)])
    df = n - 2 - k
    p = 2 * stats.t.sf(np.abs(r) * np.sqrt(df / (1 - r**2)), df)
    if k == 0:
        assert np.allclose(p, [stats.pearsonr(fd, z[:, e]).pvalue for e in range(edges)])
    out["cases"].append({"r": r.tolist(), "p": p.tolist(), "q": stats.false_discovery_control(p).tolist(),
                         "median": float(np.median(np.abs(r))), "null": float(stats.norm.ppf(0.75) / np.sqrt(n - 3 - k))})
v = rng.normal(size=9)
v[3] = 40
out["values"] = v.tolist()
out["robust"] = (stats.norm.ppf(0.75) * (v - np.median(v)) / stats.median_abs_deviation(v)).tolist()
print(json.dumps(out, indent=1))
