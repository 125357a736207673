"""What the mean over regions can see at most: python3 strength.py MATRICES DIR

Ridge regression on the strength of each region (its mean correlation with all others), z-scored by the training
participants; the penalty with the best AUC of the inner folds, as run.sh exports them. MATRICES holds the correlation
matrices (draw, region, region) as .npy, DIR folds.csv and inner_folds.csv. Writes DIR/linear_strength.csv, in the form
of predictions. Needs numpy.
"""
import csv, pathlib, sys

import numpy as np

PENALTIES = [1, 10, 100, 1000, 10000]


def ridge(x, y, train, test, penalty):
    mean, sd = x[train].mean(0), x[train].std(0)
    z = lambda at: (x[at] - mean) / np.where(sd > 0, sd, 1)
    a, target = z(train), y[train] - y[train].mean()
    w = np.linalg.solve(a.T @ a + penalty * np.eye(a.shape[1]), a.T @ target)
    return z(test) @ w + y[train].mean()


def auc(f, y):
    high, low = f[y > 0][:, None], f[y < 0][None]
    return np.mean((high > low) + 0.5 * (high == low))


def main(matrices, directory):
    directory = pathlib.Path(directory)
    strength = {}
    for path in sorted(pathlib.Path(matrices).rglob("*.npy")):
        m = np.load(path)[:3].mean(0)  # the mean series and two draws, or the one matrix
        strength[next(p for p in path.stem.replace(".", "_").split("_") if p.startswith("sub-"))] = \
            (m.sum(1) - np.diag(m)) / (len(m) - 1)
    rows = list(csv.DictReader(open(directory / "folds.csv")))
    inner = list(csv.DictReader(open(directory / "inner_folds.csv")))
    ids = sorted({r["participant_id"] for r in rows})
    x = np.array([strength[i] for i in ids])
    case = {r["participant_id"]: r["group"] == "ASD" for r in rows}
    y = np.array([1.0 if case[i] else -1.0 for i in ids])
    with open(directory / "linear_strength.csv", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["participant_id", "group", "fold", "repeat", "set", "p_ASD"])
        for repeat in sorted({r["repeat"] for r in rows}):
            fold = {r["participant_id"]: r["fold"] for r in rows if r["repeat"] == repeat}
            of = np.array([int(fold[i]) for i in ids])
            for k in range(1, of.max() + 1):
                inside = {r["participant_id"]: int(r["fold"]) for r in inner if r["repeat"] == repeat and r["outer"] == str(k)}
                part = np.array([inside[i] for i in ids])
                assert ((part == 0) == (of == k)).all(), "an inner fold holds a test participant"
                value = [np.mean([auc(ridge(x, y, (part > 0) & (part != j), part == j, p), y[part == j])
                                  for j in range(1, part.max() + 1)]) for p in PENALTIES]
                test = np.flatnonzero(of == k)
                for i, d in zip(test, ridge(x, y, of != k, test, PENALTIES[int(np.argmax(value))])):
                    out.writerow([ids[i], "ASD" if y[i] > 0 else "HC", k, repeat, "test", 1 / (1 + np.exp(-d))])


if __name__ == "__main__":
    main(*sys.argv[1:])
