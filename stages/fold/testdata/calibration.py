"""Reliability curves and Brier scores by scikit-learn 1.9.1, for calibration_test.go."""
import json
import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

rng = np.random.default_rng(2020)
cases = []
for n, bins in [(42, 5), (118, 10), (7, 10), (3, 1)]:
    p = np.round(rng.random(n), 1 if n == 118 else 6)  # tenths lie on the borders of the bins
    y = (rng.random(n) < p).astype(int)
    y[:2] = [0, 1]
    share, mean = calibration_curve(y, p, n_bins=bins, strategy="uniform")
    cases.append(dict(p=p.tolist(), y=y.tolist(), bins=bins, share=share.tolist(), mean=mean.tolist(),
                      brier=brier_score_loss(y, p)))
json.dump(cases, open("calibration.json", "w"))
