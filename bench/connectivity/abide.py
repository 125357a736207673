"""A linear SVM on our correlation matrices of the NYU site of ABIDE I, and on matrices that
numpy and nilearn make of the same files: are ours as good a ground for a classifier?

usage: python3 abide.py DATA        (DATA holds participants.csv and nyu_original_1D/)
needs: numpy, nilearn, scikit-learn, and the program (go run ./cmd/pipeline, or $PIPELINE)
"""
import csv, gzip, json, os, subprocess, sys, tempfile, warnings
import numpy as np
from nilearn.connectome import ConnectivityMeasure
from sklearn.covariance import EmpiricalCovariance
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC

warnings.filterwarnings("ignore")
data = os.path.abspath(sys.argv[1])
program = os.environ.get("PIPELINE", "go run ./cmd/pipeline").split()
with tempfile.TemporaryDirectory() as work:
    def run(*words):
        subprocess.run([*program, words[0], "-q", "--store", f"{work}/store", "abide-nyu.yaml", "--set", f"data={data}", *words[1:]], check=True, stdout=subprocess.DEVNULL)
    run("run", "--until", "connectivity")
    run("export", "connectivity.pearson", "-o", f"{work}/pearson.npy")
    run("export", "cohort.participants", "-o", f"{work}/participants.tsv")
    ours = np.load(f"{work}/pearson.npy")[:, 0]
    ids = json.load(open(f"{work}/pearson.json"))["axes"][0]["values"]
    rows = {r["participant_id"]: r for r in csv.DictReader(open(f"{work}/participants.tsv"), delimiter="\t")}

y = np.array([rows[i]["group"] == "ASD" for i in ids])
series = [np.loadtxt(gzip.open(f"{data}/nyu_original_1D/{rows[i]['file_id']}_rois_ho.1D.gz", "rt")) for i in ids]
with np.errstate(all="ignore"):
    theirs = {"numpy, corrcoef": np.array([np.corrcoef(x.T) for x in series])}
theirs["nilearn, EmpiricalCovariance"] = ConnectivityMeasure(kind="correlation", cov_estimator=EmpiricalCovariance(store_precision=False), standardize="zscore_sample").fit_transform(series)
theirs["nilearn, its default (Ledoit-Wolf)"] = ConnectivityMeasure(kind="correlation", standardize="zscore_sample").fit_transform(series)

i, j = np.triu_indices(ours.shape[1], 1)
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=2020)
print(f"{len(y)} participants, {y.sum()} ASD; majority {max(y.mean(), 1 - y.mean()):.3f}; linear SVM (C = 1) on Fisher's z of {len(i)} pairs, 5 folds, 10 times")
for name, r in {"ours (linear trend taken out)": ours, **theirs}.items():
    absent = int(np.isnan(r).any((1, 2)).sum())
    r = np.nan_to_num(r)
    z = np.arctanh(np.clip(r[:, i, j], -1 + 1e-7, 1 - 1e-7))
    s = cross_val_score(SVC(kernel="linear", C=1), z, y, cv=folds)
    print(f"  {name:36s} accuracy {s.mean():.3f} (sd over folds {s.std():.3f}); largest difference from ours {abs(r - ours)[:, i, j].max():.2g}; participants with NaN {absent}")
