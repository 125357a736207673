"""Block lengths and rows of the circular block bootstrap by the Python package arch.

arch 8.0.0 divides the products of lag k by sums of squares that leave out k + 1 values; Politis & White
(2004, section 3.2) have R(k)/R(0). "circular" has the paper's, in arch's function; "arch" is arch's own.

usage: python3 oracle.py > oracle.json   (the versions used are in the file)
"""
import inspect, json
import arch, arch.bootstrap.base as base, numpy as np
from arch.bootstrap import CircularBlockBootstrap, optimal_block_length

source = inspect.getsource(base._single_optimal_block)
own = "np.abs(cross_prod) / np.sqrt(v1 * v2)"
assert source.count(own) == 1
paper = dict(vars(base))
exec("from __future__ import annotations\n" + source.replace(own, "abs(acv[i] / acv[0])"), paper)

rng = np.random.default_rng(2020)
out = {"versions": dict(arch=arch.__version__, numpy=np.__version__), "lengths": [], "rows": []}

for n, phi in [(40, 0), (60, 0.5), (152, 0.3), (152, 0.6), (176, 0.8), (196, 0.9), (300, 0.7), (300, -0.5), (176, 0.97)]:
    x = np.zeros(n + 200)
    for t, e in enumerate(rng.standard_normal(n + 200)):
        x[t] = (phi * x[t - 1] if t else 0) + e
    x = np.round(x[200:], 6)
    out["lengths"].append(dict(x=x.tolist(), circular=float(paper["_single_optimal_block"](x)[1]), arch=float(optimal_block_length(x)["circular"].iloc[0])))

for n, length in [(10, 3), (50, 7), (50, 1), (21, 21)]:
    bs = CircularBlockBootstrap(length, np.arange(n), seed=7)
    rows = bs.update_indices()
    out["rows"].append(dict(n=n, length=length, starts=rows[::length].tolist(), rows=rows.tolist()))

print(json.dumps(out))
