"""Folds of whole groups by scikit-learn 1.9.1's StratifiedGroupKFold, for TestBalance: writes together.json.

Units that vary as much over the classes have one size here: of others, ours takes the largest first. Classes and folds
count powers of two, so that shares have no rounding that would decide between folds that are equally good.
"""

import json
import pathlib

import numpy as np
import sklearn
from sklearn.model_selection import StratifiedGroupKFold

rng = np.random.default_rng(1)
cases = []
while len(cases) < 40:
    classes, folds = int(rng.integers(2, 4)), int(rng.choice([2, 4]))
    n = int(rng.integers(4 * folds, 60))
    pure = rng.random() < 0.5
    units = np.zeros((n, classes), int)
    for u in units:
        if pure:
            u[rng.integers(classes)] = rng.choice([1, 1, 2, 3])
        else:
            for _ in range(rng.choice([1, 1, 2, 3])):
                u[rng.integers(classes)] += 1
    lack = [[c] * int(2 ** np.ceil(np.log2(t)) - t) for c, t in enumerate(units.sum(axis=0))]
    units = rng.permutation(np.concatenate([units, np.eye(classes, dtype=int)[sum(lack, [])]]))
    n = len(units)
    sizes = {}
    for u in units:
        sizes.setdefault(int(classes * (u**2).sum() - u.sum() ** 2), set()).add(int(u.sum()))
    if any(len(s) > 1 for s in sizes.values()) or (units.sum(axis=0) < folds).any():
        continue
    y = np.concatenate([np.repeat(np.arange(classes), u) for u in units])
    groups = np.repeat(np.arange(n), units.sum(axis=1))
    fold = np.zeros(n, int)
    for f, (_, test) in enumerate(StratifiedGroupKFold(folds).split(y, y, groups)):
        fold[groups[test]] = f
    cases.append({"folds": folds, "units": units.tolist(), "fold": fold.tolist()})
here = pathlib.Path(__file__).with_suffix(".json")
here.write_text(json.dumps({"sklearn": sklearn.__version__, "cases": cases}, separators=(",", ":")) + "\n")
