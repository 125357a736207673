"""Measures ROI extraction side by side: python3 compare.py DIR [ROUNDS]

DIR holds what generate.py wrote. In each round every contestant runs once, in a
process of its own; the least of its times counts, and its peak memory.

nilearn     NiftiLabelsMasker, one pass, no cleaning: the plain mean of 84 labels
numpy       nibabel and numpy by hand: the plain mean and ten draws of a third of each label's voxels
libdeflate  decompression alone (libdeflate-gunzip), if it is installed
ours …      the Go benchmarks of this directory
"""
import json, os, resource, shutil, subprocess, sys, tempfile, time

def numpy_means(d):
    import nibabel as nib, numpy as np
    labels = np.asarray(nib.load(f"{d}/labels.nii.gz").dataobj).ravel(order="F")
    rng = np.random.default_rng(2020)
    voxels = [np.flatnonzero(labels == i) for i in range(1, 85)]
    draws = [[np.sort(rng.choice(v, -(-len(v) // 3), replace=False)) for _ in range(10)] for v in voxels]
    t = time.perf_counter()
    img = nib.load(f"{d}/bold.nii.gz")
    data = np.asarray(img.dataobj)                       # int16, x fastest
    data = data.reshape(-1, data.shape[3], order="F").T  # time × voxel
    out = np.empty((11, data.shape[0], 84))
    for r, v in enumerate(voxels):
        for k, i in enumerate([v] + draws[r]):
            out[k, :, r] = data[:, i].mean(1, dtype=np.float64)
    return time.perf_counter() - t

def nilearn_means(d):
    import warnings; warnings.filterwarnings("ignore")
    from nilearn.maskers import NiftiLabelsMasker
    masker = NiftiLabelsMasker(f"{d}/labels.nii.gz", reports=False, standardize=False)
    t = time.perf_counter()
    masker.fit_transform(f"{d}/bold.nii.gz")
    return time.perf_counter() - t

if sys.argv[2] in ("nilearn", "numpy"):
    seconds = {"numpy": numpy_means, "nilearn": nilearn_means}[sys.argv[2]](sys.argv[1])
    print(json.dumps({"seconds": seconds, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))

else:
    d, rounds = os.path.abspath(sys.argv[1]), int((sys.argv[2:] or ["3"])[0])
    here = os.path.dirname(os.path.abspath(__file__))
    binary = os.path.join(tempfile.mkdtemp(), "bench.test")
    subprocess.check_call(["go", "test", "-c", "-o", binary, "."], cwd=here)
    best = {}

    def note(name, seconds, peak=0):
        t, m = best.get(name, (1e9, 0))
        best[name] = (min(t, seconds), max(m, peak))

    for _ in range(rounds):
        for name in ("nilearn", "numpy"):
            r = json.loads(subprocess.check_output([sys.executable, __file__, d, name]))
            note(name, r["seconds"], r["peak_mb"])
        if shutil.which("libdeflate-gunzip"):
            t = time.perf_counter()
            subprocess.check_call(["libdeflate-gunzip", "-c", d + "/bold.nii.gz"], stdout=subprocess.DEVNULL)
            note("libdeflate", time.perf_counter() - t)
        for line in subprocess.check_output([binary, "-test.run", "x", "-test.bench", ".", "-test.benchtime", "3x"],
                                            env=dict(os.environ, PRGNN_BENCH_DATA=d), text=True).splitlines():
            if line.startswith("Benchmark"):
                words = line.split()
                peak = next((float(v) for v, unit in zip(words[2::2], words[3::2]) if unit == "peak-MB"), 0)
                note("ours " + words[0].split("-")[0][9:], float(words[2]) / 1e9, peak)
    for name, (t, peak) in best.items():
        row = f"{name:28s} {1000 * t:8.0f} ms" + (f" {peak:6.0f} MB" if peak else "          ")
        if name.startswith("ours Gzip"):
            row += f"   {best['nilearn'][0] / t:5.1f}× nilearn, {best['numpy'][0] / t:4.1f}× numpy"
            if "libdeflate" in best:
                row += f", {t / best['libdeflate'][0]:.2f} of libdeflate's time"
        print(row)
