"""Golden values of nilearn's and XCP-D's denoising strategies: python3 gen.py
with nilearn 0.14.1, pandas 3.1.1, numpy 2.4.6. Series and confounds are synthetic (PCG64, fixed seed).

Two tables of confounds: 20.2 numbers the components of three masks as a_comp_cor_XX, told apart by Mask in the JSON file; 25.1
has a_, c_ and w_comp_cor_XX. golden.json has, by table and strategy, nilearn's columns, the volumes that it keeps, and
its cleaned series. XCP-D's columns are written down here from its documentation (workflows.rst, "Confound regressors
selection"); nilearn cleans with them.
"""
import json, os, tempfile, warnings
import nibabel as nib, numpy as np, pandas as pd
from nilearn import signal
from nilearn.interfaces.fmriprep import load_confounds_strategy
from nilearn.interfaces.fmriprep.load_confounds_utils import prepare_output

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
T, TR, NSS = 100, 3.0, 2
MOTION = ["trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z"]


def table(layout, r):
    c = {}
    def add(name, x):
        d = np.r_[np.nan, np.diff(x)]
        c[name], c[name + "_derivative1"], c[name + "_power2"], c[name + "_derivative1_power2"] = x, d, x**2, d**2
    def unit(n):  # components are 0 in volumes that are not in steady state
        x = r.standard_normal((T - NSS, n)); x -= x.mean(0)
        return np.r_[np.zeros((NSS, n)), np.linalg.qr(x)[0]]
    jump = np.zeros(T); jump[[20, 23, 60, 61, 96]] = .9  # short segments between and at the end
    for name in MOTION:
        scale = 1 if name[0] == "t" else 1 / 60
        add(name, (np.cumsum(r.standard_normal(T) * .02) + np.cumsum(jump * r.choice([-1, 1]) * (name == "trans_y"))) * scale)
    for name in ("csf", "white_matter", "global_signal"):
        add(name, 800 + np.cumsum(r.standard_normal(T)) + r.standard_normal(T))
    c["framewise_displacement"] = np.r_[np.nan, sum(np.abs(np.diff(c[n])) * (50 if n[0] == "r" else 1) for n in MOTION)]
    c["std_dvars"] = np.r_[np.nan, 1 + .1 * r.standard_normal(T - 1)]; c["std_dvars"][40] = 1.8
    meta, eff = {}, T - NSS
    masks = [("a", "combined", 6), ("c", "CSF", 7), ("w", "WM", 12)]
    first = 0
    for prefix, mask, n in masks:
        for k, v in enumerate(unit(n).T):
            name = f"a_comp_cor_{first + k:02d}" if layout == "20.2" else f"{prefix}_comp_cor_{k:02d}"
            c[name] = v; meta[name] = {"Mask": mask, "Method": "aCompCor", "Retained": True}
        first += n
    for k in range(1, int(2 * eff * TR / 128)):
        c[f"cosine{k - 1:02d}"] = np.r_[np.zeros(NSS), np.sqrt(2 / eff) * np.cos(np.pi / eff * (np.arange(eff) + .5) * k)]
    for k in range(NSS):
        c[f"non_steady_state_outlier{k:02d}"] = (np.arange(T) == k) * 1.
    for k in range(4):
        c[f"aroma_motion_{2 * k + 1:02d}"] = r.standard_normal(T)
    return pd.DataFrame(c), meta


def xcpd(layout):
    full = [m + s for m in MOTION for s in ("", "_derivative1", "_power2", "_derivative1_power2")]
    twelve = [m + s for m in MOTION for s in ("", "_derivative1")]
    tissues = ["csf", "white_matter", "global_signal"]
    components = [f"{p}_comp_cor_{k:02d}" for p in "cw" for k in range(5)]
    if layout == "20.2":  # after 6 of the combined mask: 7 of CSF, then those of white matter
        components = [f"a_comp_cor_{k:02d}" for k in (*range(6, 11), *range(13, 18))]
    cosines = [f"cosine{k:02d}" for k in range(int(2 * (T - NSS) * TR / 128) - 1)]
    return {
        "6P": MOTION, "24P": full, "27P": full + tissues,
        "36P": full + [t + s for t in tissues for s in ("", "_derivative1", "_power2", "_derivative1_power2")],
        "acompcor": twelve + components + cosines,
        "acompcor_gsr": twelve + ["global_signal"] + components + cosines,
        "gsr_only": ["global_signal"],
        "aroma": twelve + ["csf", "white_matter"] + [f"aroma_motion_{k:02d}" for k in (1, 3, 5, 7)],
    }


def main():
    r = np.random.default_rng(20260101)
    series = 1000 + 10 * np.cumsum(r.standard_normal((T, 3)), 0) + 20 * r.standard_normal((T, 3))
    np.savetxt(f"{HERE}/series.tsv", series, delimiter="\t", fmt="%.9g", header="a\tb\tc", comments="")
    series = np.loadtxt(f"{HERE}/series.tsv", skiprows=1)
    golden = {}
    for layout in ("20.2", "25.1"):
        frame, meta = table(layout, r)
        path = f"{HERE}/fmriprep-{layout}_timeseries"
        frame.to_csv(path + ".tsv", sep="\t", index=False, na_rep="n/a", float_format="%.7g")
        with open(path + ".json", "w") as f:
            json.dump(meta, f)
        raw = pd.read_csv(path + ".tsv", sep="\t")
        chosen = {}
        with tempfile.TemporaryDirectory() as d:
            for end, x in ((".tsv", open(path + ".tsv").read()), (".json", open(path + ".json").read())):
                open(f"{d}/sub-1_task-rest_desc-confounds_timeseries{end}", "w").write(x)
            for desc in ("preproc", "smoothAROMAnonaggr"):
                nib.save(nib.Nifti1Image(np.zeros((1, 1, 1, T), "f4"), np.eye(4)), f"{d}/sub-1_task-rest_space-S_desc-{desc}_bold.nii.gz")
            for name in ("simple", "scrubbing", "compcor", "ica_aroma"):
                desc = "smoothAROMAnonaggr" if name == "ica_aroma" else "preproc"
                chosen[name] = load_confounds_strategy(f"{d}/sub-1_task-rest_space-S_desc-{desc}_bold.nii.gz", denoise_strategy=name)
        for name, columns in xcpd(layout).items():
            steady = [c for c in raw if c.startswith("non_steady_state")]
            chosen[name] = prepare_output(raw[columns + steady].copy(), True)[::-1]
        golden[layout] = {}
        for name, (confounds, keep) in chosen.items():
            y = signal.clean(series, confounds=confounds.to_numpy(), sample_mask=keep, detrend=False, standardize="zscore_sample")
            golden[layout][name] = {"columns": sorted(confounds.columns), "keep": [int(k) for k in keep], "series": [[float(f"{v:.14g}") for v in row] for row in y]}
            print(layout, name, len(confounds.columns), len(keep))
    with open(f"{HERE}/golden.json", "w") as f:
        json.dump(golden, f)


main()
