"""Applies model files as docs/models.md states it, with numpy alone, and trains the same model by scikit-learn.

usage: apply_model.py DIR   DIR has matrices.npy (participant, draw, region, region), label.npy, taught.npy and, for each
model, MODEL.npz and MODEL-expected.npy, the probability of the second group in the order of the matrices.
"""
import json, sys
import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC

folder = sys.argv[1] + "/"
matrices, label, taught = (np.load(folder + name + ".npy") for name in ("matrices", "label", "taught"))
of = matrices.shape[1]
graphs, label, taught = matrices.reshape(-1, *matrices.shape[2:]), np.repeat(label, of), np.repeat(taught, of) > 0


def rows(m, about):
    first, second = m["input_nodes"].T - 1
    x = graphs[:, first, second]
    if about["matrices"]["fisher"]:
        x = np.arctanh(np.clip(x, -0.9999999, 0.9999999))
    x = x * m["input_factor"]
    if "input_sd" in m.files:
        x = (x - m["input_mean"]) / m["input_sd"]
    if about["fitted"].get("unit_rows"):
        x = x - x.mean(axis=1, keepdims=True)
        x /= np.linalg.norm(x, axis=1, keepdims=True)
    return x


def decide(m, about, x):
    if about["fitted"]["kind"] == "linear":
        return x @ m["weights"][0] + m["offset"][0]
    d2 = ((x[:, None] - m["vectors1"][None]) ** 2).sum(axis=2)
    return np.exp(-m["gamma"][0] * d2) @ m["coefficients1"] + m["offset"][0]


sign = 2.0 * label - 1
for name in ("ridge", "logistic", "kernel-ridge", "linear-svm", "svm", "ridge-standardized"):
    m = np.load(folder + name + ".npz")
    about = json.loads(m["model.json"])
    x = rows(m, about)
    f = decide(m, about, x)
    got, want = 1 / (1 + np.exp(-f)), np.load(folder + name + "-expected.npy")
    assert np.abs(got - want).max() < 1e-9, (name, "predictions", np.abs(got - want).max())
    t, y = x[taught], label[taught]
    if name.startswith("ridge"):
        theirs = Ridge(alpha=1.0).fit(t, sign[taught]).predict(x)
    elif name == "logistic":
        theirs = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-14).fit(t, y).decision_function(x)
    elif name == "kernel-ridge":  # an offset that is not penalized, by centering the kernel and the target
        k = t @ t.T
        n = len(t)
        a = np.block([[k + np.eye(n), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
        s = np.linalg.solve(a, np.r_[sign[taught], 0])
        theirs = x @ t.T @ s[:n] + s[n]
    else:
        kernel = "linear" if name == "linear-svm" else "rbf"
        theirs = SVC(C=1.0, kernel=kernel, gamma="scale", tol=1e-12).fit(t, y).decision_function(x)
    worst = np.abs(theirs - f).max()
    assert worst < (1e-6 if "svm" in name else 1e-9), (name, "scikit-learn", worst)
    print(name, "equal")
