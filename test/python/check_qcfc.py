"""QC-FC and typicality from what the program exports, by numpy and scipy: r, p, q, shares, distance dependence."""
import json
import sys

import numpy as np
import pandas as pd
from scipy import stats

series = np.load("clean.npy")[:, 0]  # participant, time, region: draw 0
quality, nodes = pd.read_csv("quality.tsv", sep="\t"), pd.read_csv("nodes.tsv", sep="\t")
summary, edges, typical = (pd.read_csv(f"{n}.tsv", sep="\t") for n in ("summary", "edges", "typicality"))
n, _, regions = series.shape
first, second = np.triu_indices(regions, 1)
fd = quality.mean_fd.to_numpy()
z = np.arctanh(np.stack([np.corrcoef(s.T)[first, second] for s in series]))
assert n == len(quality) == 42 and np.isfinite(fd).all() and list(quality.subject) == list(typical.participant_id)

test = [stats.pearsonr(fd, e) for e in z.T]
r, p = np.array([t.statistic for t in test]), np.array([t.pvalue for t in test])
q = stats.false_discovery_control(p)
place = nodes[["x", "y", "z"]].to_numpy()
distance = np.linalg.norm(place[first] - place[second], axis=1)
worst = 0.0


def near(name, got, want, tolerance):
    global worst
    far = np.max(np.abs(np.asarray(got) - np.asarray(want)))
    worst = max(worst, far)
    if not far <= tolerance:
        sys.exit(f"{name}: {got} is {far} from {want}")


assert (edges.source == first + 1).all() and (edges.target == second + 1).all()
near("r", edges.r, r, 1e-11)
near("p", edges.p, p, 1e-10)
near("q", edges.q, q, 1e-10)
near("distance", edges.distance, distance, 1e-9)
one = summary.iloc[0]
assert len(summary) == 1 and one.edges == len(r) and one.participants == n and one.missing_edges == 0
near("median |r|", one.median_abs_r, np.median(np.abs(r)), 1e-11)
near("share p < 0.05", one.share_p05, np.mean(p < 0.05), 1e-12)
near("share q < 0.05", one.share_fdr05, np.mean(q < 0.05), 1e-12)
near("distance dependence", one.distance_rho, stats.spearmanr(r, distance).statistic, 1e-10)
near("null", one.null_median_abs_r, stats.norm.ppf(0.75) / np.sqrt(n - 3), 1e-12)
near("dof lost", one.dof_lost, np.mean(quality.volumes - quality.t_eff), 1e-9)
near("dof left", one.dof_left, np.mean(quality.t_eff), 1e-9)

alike = np.array([np.corrcoef(z[i], np.delete(z, i, 0).mean(0))[0, 1] for i in range(n)])
near("typicality", typical.typicality, alike, 1e-11)


def far_out(v, sign):
    spread = stats.median_abs_deviation(v)
    return sign * stats.norm.ppf(0.75) * (v - np.median(v)) / spread > 3.5 if spread > 0 else np.zeros(n, bool)


out = {"typicality": far_out(alike, -1), "mean_fd": far_out(fd, 1), "t_eff": far_out(quality.t_eff.to_numpy(), -1)}
named = [[m for m in out if out[m][i]] for i in range(n)]
assert [json.loads(o) for o in typical.outlier] == named, (list(typical.outlier), named)
assert any(named), "nobody is an outlier: the comparison says nothing"
print(f"QC-FC of {len(r)} edges over {n} participants as scipy has it, at most {worst:.1e} apart; outliers {sum(map(bool, named))}")
