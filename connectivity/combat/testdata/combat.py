"""Writes combat.json: ComBat by neuroHarmonize 2.5.2 (learnt on some participants, applied
to others) and by neuroCombat 0.2.12 (shifts alone, which the other has not, and a site of
reference, which the other cannot with this numpy).

    pip install neuroHarmonize==2.5.2 neuroCombat==0.2.12
    python combat.py > combat.json
"""

import contextlib
import io
import json
import sys

import numpy as np
import pandas as pd

np.int = int  # neuroCombat 0.2.12 was written for numpy 1
with contextlib.redirect_stdout(io.StringIO()):
    from neuroCombat import neuroCombat
    from neuroHarmonize import harmonizationApply, harmonizationLearn

rng = np.random.default_rng(7)
FEATURES, SITES = 12, ["a", "b", "c"]
train = np.repeat(SITES, [11, 7, 6])
test = np.array(["b", "a", "c", "c", "a", "b"])
site = np.concatenate([train, test])
age = rng.uniform(7, 60, site.size).round()  # whole: both programs keep covariates in float32
sex = rng.integers(0, 2, site.size).astype(float)
shift = {s: rng.normal(0, 0.3, FEATURES) for s in SITES}
scale = {s: rng.uniform(0.6, 1.5, FEATURES) for s in SITES}
values = np.array([
    0.4 + 0.01 * age[j] - 0.2 * sex[j] + shift[s] + scale[s] * rng.normal(0, 0.25, FEATURES) for j, s in enumerate(site)
]).round(6)
covars = pd.DataFrame({"SITE": site, "age": age, "sex": sex})
n = train.size


def learnt(eb, names):
    with contextlib.redirect_stdout(io.StringIO()):
        model, own = harmonizationLearn(values[:n], covars.iloc[:n][["SITE"] + names], eb=eb)
        others = harmonizationApply(values[n:].copy(), covars.iloc[n:][["SITE"] + names].reset_index(drop=True), model)
    return np.concatenate([own, others]).tolist()


def once(eb, **options):
    with contextlib.redirect_stdout(io.StringIO()):
        out = neuroCombat(values[:n].T, covars.iloc[:n], "SITE", continuous_cols=["age", "sex"], eb=eb, **options)
    return out["data"].T.tolist()


json.dump({
    "values": values.tolist(), "site": [SITES.index(s) for s in site], "covariates": np.c_[age, sex].tolist(), "train": n,
    "cases": [
        {"name": "empirical Bayes", "bayes": True, "reference": -1, "covariates": True, "want": learnt(True, ["age", "sex"])},
        {"name": "no covariates", "bayes": True, "reference": -1, "covariates": False, "want": learnt(True, [])},
        {"name": "raw", "bayes": False, "reference": -1, "covariates": True, "want": learnt(False, ["age", "sex"])},
        {"name": "reference", "bayes": True, "reference": 1, "covariates": True, "want": once(True, ref_batch="b")},
        {"name": "mean only", "bayes": True, "reference": -1, "mean_only": True, "covariates": True, "want": once(True, mean_only=True)},
        {"name": "mean only, raw", "bayes": False, "reference": -1, "mean_only": True, "covariates": True, "want": once(False, mean_only=True)},
    ],
}, sys.stdout)
