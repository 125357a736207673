"""Task regressors of nilearn's make_first_level_design_matrix for some paradigms, as golden.json.

usage: python3 gen.py > golden.json   (nilearn 0.14.1)

FIR: events last 0 s and the delays count from their onsets, as in Cole et al. 2019; nilearn makes one call a condition,
since conditions have as many delays as their longest event needs.
"""
import json, math, warnings
import numpy as np, pandas as pd, nilearn
from nilearn.glm.first_level import make_first_level_design_matrix as design

warnings.simplefilter("ignore")
blocks = [(10.0, 20.0, "two back"), (40.0, 20.0, "rest"), (70.0, 20.0, "two back"), (100.0, 20.0, "rest")]
rapid = [(1.3, 0.0, "go"), (4.05, 0.5, "go"), (6.0, 0.0, "stop"), (6.0, 0.0, "stop"), (13.7, 1.25, "go"), (31.0, 0.0, "stop"), (58.9, 0.5, "go")]
edges = [(-10.0, 4.0, "a"), (0.0, 3.0, "a"), (55.0, 30.0, "a"), (2.0, 2.0, "b"), (400.0, 1.0, "b")]
cases = []
for name, events, tr, volumes, start in [("blocks", blocks, 2.0, 70, 0.0), ("rapid", rapid, 0.72, 100, 0.0), ("slice timing", rapid, 2.3, 30, 1.15), ("edges", edges, 3.0, 24, 0.0), ("odd", blocks, 1.137, 120, 0.5)]:
    e = pd.DataFrame(events, columns=["onset", "duration", "trial_type"])
    frames = start + np.arange(volumes) * tr
    for model in ("spm", "glover", "fir"):
        names, columns, after = [], [], 18.0
        for kind in sorted(set(e.trial_type)):
            one = e[e.trial_type == kind].copy()
            if model == "fir":
                delays = range(math.ceil((one.duration.max() + after) / tr - 1e-9))
                one.duration = 0.0
                X = design(frames, one, hrf_model="fir", fir_delays=list(delays), drift_model=None)
            else:
                X = design(frames, one, hrf_model=model, drift_model=None)
            X = X.drop(columns="constant")
            names += [kind] * X.shape[1]
            columns += X.to_numpy().T.tolist()
        cases.append(dict(name=name, model=model, tr=tr, volumes=volumes, start=start, after=after, events=events, of=names,
                          design=[[float(f"{v:.12g}") for v in c] for c in columns]))
print(json.dumps(dict(nilearn=nilearn.__version__, cases=cases)))
