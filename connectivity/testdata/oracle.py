"""Expected values from numpy, scipy, scikit-learn and nilearn for the series of
nilearn/ts_raw.tsv (60 volumes, 9 regions) and the confounds beside it.

usage: python3 oracle.py > oracle.json   (the versions used are in the file)
"""
import json, os, sys
import numpy as np, scipy, sklearn, nilearn, nilearn.signal
from scipy.interpolate import CubicSpline
from scipy.signal import butter, sosfiltfilt
from sklearn.covariance import GraphicalLassoCV, graphical_lasso, LedoitWolf
from nilearn.connectome import ConnectivityMeasure

here = os.path.dirname(os.path.abspath(__file__))
X = np.loadtxt(f"{here}/nilearn/ts_raw.tsv", skiprows=1)
C = np.loadtxt(f"{here}/nilearn/confounds.tsv", skiprows=1)
T, N = X.shape
TR = 2.0
z = lambda a: (a - a.mean(0)) / a.std(0, ddof=1)
r = lambda a: np.asarray(a).tolist()
out = {"versions": dict(numpy=np.__version__, scipy=scipy.__version__, sklearn=sklearn.__version__, nilearn=nilearn.__version__)}

# Butterworth, forwards and backwards, of the first two regions
out["filtfilt"] = []
for order, hp, lp in [(5, .01, .1), (5, 0, .1), (5, .01, 0), (2, .02, .12), (4, 0, .08), (1, .05, 0), (3, .03, .2), (1, .02, .1)]:
    if hp and lp: sos = butter(order, [hp, lp], "bandpass", fs=1 / TR, output="sos")
    elif lp: sos = butter(order, lp, "lowpass", fs=1 / TR, output="sos")
    else: sos = butter(order, hp, "highpass", fs=1 / TR, output="sos")
    out["filtfilt"].append(dict(order=order, high=hp, low=lp, y=r(sosfiltfilt(sos, X[:, :2], axis=0))))

# straight lines between the kept volumes and the nearest kept value outside; cubic splines through them
def bridge(a, keep):
    t = np.arange(T)
    return np.column_stack([np.interp(t, t[keep], v[keep]) for v in a.T])
def cubic(a, keep):
    t = np.arange(T)
    b = CubicSpline(t[keep], a[keep])(t)
    k = t[keep]
    b[:k[0]], b[k[-1] + 1:] = a[:k[0]], a[k[-1] + 1:]
    b[keep] = a[keep]
    return b
out["bridge"] = []
for censored in ([3, 4, 5, 30, 40, 41], [0, 1, 2, 17, 58, 59], list(range(1, 57)), list(range(2, 59)), list(range(1, 59))):
    keep = np.ones(T, bool); keep[censored] = False
    if keep.sum() >= 2:
        out["bridge"].append(dict(censored=censored, y=r(bridge(X[:, :2], keep)), cubic=r(cubic(X[:, :2], keep))))

# polynomial trends
out["trend"] = [dict(order=p, y=r(np.column_stack([X[:, j] - np.polyval(np.polyfit(np.linspace(-1, 1, T), X[:, j], p), np.linspace(-1, 1, T)) for j in range(3)]))) for p in range(4)]

# the whole cleaning with censoring
censored = [0, 7, 8, 22, 37, 59]      # 22 and 37 mirror each other
keep = np.ones(T, bool); keep[censored] = False
def detrend(a, p, t):
    V = np.vander(t / T, p + 1)
    return a - V @ np.linalg.lstsq(V, a, rcond=None)[0]
def regress(a, c):
    c = np.column_stack([np.ones(len(c)), c])
    return a - c @ np.linalg.lstsq(c, a, rcond=None)[0]
t = np.arange(T)
sos = butter(5, [.01, .1], "bandpass", fs=1 / TR, output="sos")
f = lambda a: sosfiltfilt(sos, detrend(bridge(a, keep), 2, t), axis=0)[keep]
out["scrubbed_butterworth"] = dict(censored=censored, y=r(z(regress(f(X), f(C)))))
out["nilearn_butterworth"] = []
for c in ([22, 23, 39], [0, 1, 2, 22, 23, 39], [0, 20, 21, 22, 23, 57, 58]):  # no t with T-1-t: nilearn 0.14.1 interpolates neither
    mask = np.setdiff1d(np.arange(T), c)
    y = nilearn.signal.clean(X, confounds=C, sample_mask=mask, detrend=True, standardize="zscore_sample", filter="butterworth", low_pass=.1, high_pass=.01, t_r=TR)
    out["nilearn_butterworth"].append(dict(censored=c, y=r(y)))
out["scrubbed_trend"] = dict(censored=censored, y=r(z(regress(X[keep], np.column_stack([C[keep], (t[keep] / T) ** 2, t[keep] / T])))))
freq = np.arange(1, T) / (2 * T * TR)
dct = np.column_stack([np.cos(np.pi * k * (t + .5) / T) for k in range(1, T) if freq[k - 1] <= .01 or freq[k - 1] > .1])
out["scrubbed_cosine"] = dict(censored=censored, n=dct.shape[1], y=r(z(regress(X[keep], np.column_stack([dct[keep], C[keep], t[keep]])))))

# graphical lasso of the z-scored series
Z = z(X)
S = Z.T @ Z / T
out["glasso"] = []
for alpha in (.05, .2, .5):
    _, prec = graphical_lasso(S, alpha, tol=1e-11, enet_tol=1e-12, max_iter=2000)
    # between parted regions scikit-learn's covariance is still on its way to 0
    out["glasso"].append(dict(alpha=alpha, covariance=r(np.linalg.inv(prec)), precision=r(prec)))
cv = GraphicalLassoCV(tol=1e-9, enet_tol=1e-10, max_iter=1000).fit(Z)
out["glasso_cv"] = dict(alpha=cv.alpha_)

# tangent space of four parts of the run, fitted on the first three
parts = [X[i * 15:(i + 1) * 15] for i in range(4)]
m = ConnectivityMeasure(cov_estimator=LedoitWolf(store_precision=False), kind="tangent", standardize=False)
z_parts = [z(p) for p in parts]
m.fit(z_parts[:3])
from nilearn.connectome.connectivity_matrices import _geometric_mean
covs = [LedoitWolf(store_precision=False).fit(p).covariance_ for p in z_parts]
mean = _geometric_mean(covs[:3], max_iter=500, tol=1e-14)
w = np.linalg.eigh(mean); inv = w[1] @ np.diag(w[0] ** -.5) @ w[1].T
def log(a): v = np.linalg.eigh(a); return v[1] @ np.diag(np.log(v[0])) @ v[1].T
out["tangent"] = dict(mean=r(mean), last=r(log(inv @ covs[3] @ inv)), nilearn_last=r(m.transform(z_parts[2:])[1]))

# the authors' edges: |p| >= numpy's 80th percentile of all entries
P = np.load(f"{here}/p20short/pcorr_lw.npy"); A = np.abs(P)
th = np.percentile(A, 80); A[A < th] = 0; np.fill_diagonal(A, 0)
i, j = np.nonzero(np.triu(A)); out["authors"] = dict(threshold=th, edges=[[int(a), int(b), A[a, b]] for a, b in zip(i, j)])
json.dump(out, sys.stdout)
