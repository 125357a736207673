"""A model that the kind estimator trains: fit(X, y), then predict_proba(X). Replace it with yours.

With input: edges, X has a row for each graph: its correlations above the diagonal, row by row. y has the groups. A
scikit-learn model needs no class: def make(): return make_pipeline(StandardScaler(), LogisticRegression())
"""

import numpy as np


class Ridge:
    """Ridge regression of the groups, in numpy alone."""

    def __init__(self, penalty=0.01):
        self.penalty = penalty

    def fit(self, X, y):
        self.classes_, label = np.unique(y, return_inverse=True)
        target = 4 * np.eye(len(self.classes_))[label]
        if len(self.classes_) == 2:  # one score, that of the second group
            target = target[:, 1:] - target[:, :1]
        mean, share = X.mean(0), target.mean(0)
        x = X - mean
        gram = x @ x.T + self.penalty * X.shape[1] * np.eye(len(x))
        # score × edge: the program ranks the regions by coef_, and both make a file for other cohorts.
        self.coef_ = np.linalg.solve(gram, target - share).T @ x
        self.intercept_ = share - self.coef_ @ mean
        return self

    def predict_proba(self, X):
        score = X @ self.coef_.T + self.intercept_
        if score.shape[1] == 1:
            score = np.hstack([-score / 2, score / 2])
        p = np.exp(score - score.max(1, keepdims=True))
        return p / p.sum(1, keepdims=True)


def make(penalty=0.01):
    return Ridge(penalty)
