# Makes reference.json: Welch's t by SciPy, the pattern of a ridge regression by scikit-learn and NumPy.
# SciPy, scikit-learn: versions in the file.  python reference.py > reference.json
import json

import numpy as np
import scipy
import sklearn
from scipy import stats
from sklearn.linear_model import Ridge

rng = np.random.default_rng(3)
n, d = 30, 12
group = np.arange(n) % 3 // 2  # 20 and 10
mix = rng.normal(size=(d, d))
x = np.round(rng.normal(size=(n, d)) @ mix + 0.8 * group[:, None] * (np.arange(d) % 4 == 0) * (1 + np.arange(d)), 4)
train = np.arange(n) % 5 != 0
y = np.where(group == 1, 1.0, -1.0)
fit = Ridge(alpha=1.0).fit(x[train], y[train])
said = fit.predict(x[train])
pattern = [abs(float(np.cov(x[train, j], said)[0, 1])) for j in range(d)]
print(json.dumps({
    "scipy": scipy.__version__, "sklearn": sklearn.__version__,
    "x": x.tolist(), "group": group.tolist(), "train": train.tolist(),
    "t": stats.ttest_ind(x[train & (group == 0)], x[train & (group == 1)], equal_var=False).statistic.tolist(),
    "weights": fit.coef_.tolist(), "decision": said.tolist(), "pattern": pattern}, indent=1))
