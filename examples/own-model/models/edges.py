"""scikit-learn: standardize, select edges, logistic regression; its penalty by inner folds of the training participants."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


class Edges(ClassifierMixin, BaseEstimator):
    def __init__(self, keep=200, inner=3):
        self.keep, self.inner = keep, inner

    def fit(self, X, y, groups):
        pipe = make_pipeline(StandardScaler(), SelectKBest(f_classif, k=self.keep), LogisticRegression(max_iter=2000))
        penalties = {"logisticregression__C": [0.001, 0.01, 0.1, 1]}
        self.search_ = GridSearchCV(pipe, penalties, cv=GroupKFold(self.inner)).fit(X, y, groups=groups)
        self.classes_ = self.search_.classes_
        best = self.search_.best_estimator_
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[best[1].get_support()] = best[2].coef_[0] / best[0].scale_[best[1].get_support()]
        return self

    def predict_proba(self, X):
        return self.search_.predict_proba(X)


def make(keep=200, inner=3):
    return Edges(keep, inner)
