"""The nearer of the groups' means; rounded, so that the digests are the same on every machine."""

import numpy as np


class Nearest:
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.mean_ = np.round([X[y == c].mean(0) for c in self.classes_], 6)
        self.coef_ = self.mean_
        return self

    def predict_proba(self, X):
        d = np.round(np.stack([((X - m) ** 2).sum(1) for m in self.mean_], 1), 6)
        return np.round((d.sum(1, keepdims=True) - d) / ((len(self.classes_) - 1) * d.sum(1, keepdims=True)), 6)


make = Nearest
