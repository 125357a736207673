"""Measures ROI extraction side by side: python3 compare.py DIR [ROUNDS]

DIR holds what generate.py wrote. In each round every contestant runs once, in a
process of its own; the least of its times counts (wall, and of all its threads), and its peak memory.

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
    t, c = time.perf_counter(), time.process_time()
    img = nib.load(f"{d}/bold.nii.gz")
    data = np.asarray(img.dataobj)                       # int16, x fastest
    data = data.reshape(-1, data.shape[3], order="F").T  # time × voxel
    out = np.empty((11, data.shape[0], 84))
    for r, v in enumerate(voxels):
        for k, i in enumerate([v] + draws[r]):
            out[k, :, r] = data[:, i].mean(1, dtype=np.float64)
    return time.perf_counter() - t, time.process_time() - c

def nilearn_means(d):
    import warnings; warnings.filterwarnings("ignore")
    from nilearn.maskers import NiftiLabelsMasker
    masker = NiftiLabelsMasker(f"{d}/labels.nii.gz", reports=False, standardize=False)
    t, c = time.perf_counter(), time.process_time()
    masker.fit_transform(f"{d}/bold.nii.gz")
    return time.perf_counter() - t, time.process_time() - c

if sys.argv[2:] in (["nilearn"], ["numpy"]):
    seconds, cpu = {"numpy": numpy_means, "nilearn": nilearn_means}[sys.argv[2]](sys.argv[1])
    print(json.dumps({"seconds": seconds, "cpu": cpu, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))

else:
    d, rounds = os.path.abspath(sys.argv[1]), int((sys.argv[2:] or ["3"])[0])
    here = os.path.dirname(os.path.abspath(__file__))
    binary = os.path.join(tempfile.mkdtemp(), "bench.test")
    subprocess.check_call(["go", "test", "-c", "-o", binary, "."], cwd=here)
    best = {}

    def note(name, seconds, cpu, peak=0):
        t, c, m = best.get(name, (1e9, 1e9, 0))
        best[name] = (min(t, seconds), min(c, cpu), max(m, peak))

    for _ in range(rounds):
        for name in ("nilearn", "numpy"):
            r = json.loads(subprocess.check_output([sys.executable, __file__, d, name]))
            note(name, r["seconds"], r["cpu"], r["peak_mb"])
        if shutil.which("libdeflate-gunzip"):
            t, c = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.check_call(["libdeflate-gunzip", "-c", d + "/bold.nii.gz"], stdout=subprocess.DEVNULL)
            u = resource.getrusage(resource.RUSAGE_CHILDREN)
            note("libdeflate", time.perf_counter() - t, u.ru_utime + u.ru_stime - c.ru_utime - c.ru_stime)
        for line in subprocess.check_output([binary, "-test.run", "x", "-test.bench", ".", "-test.benchtime", "3x"],
                                            env=dict(os.environ, PRGNN_BENCH_DATA=d), text=True).splitlines():
            if line.startswith("Benchmark"):
                words = line.split()
                unit = {u: float(v) for v, u in zip(words[2::2], words[3::2])}
                note("ours " + words[0].split("-")[0][9:], unit["ns/op"] / 1e9, unit.get("cpu-ms", 0) / 1e3, unit.get("peak-MB", 0))
    for name, (t, cpu, peak) in best.items():
        row = f"{name:28s} {1000 * t:8.0f} ms {1000 * cpu:8.0f} ms of CPU" + (f" {peak:6.0f} MB" if peak else "          ")
        if name.startswith("ours Gzip"):
            for i, what in enumerate(["wall", "CPU"]):
                us = (t, cpu)[i] or 1e9
                row += f"   {what}: {best['nilearn'][i] / us:.1f}× nilearn, {best['numpy'][i] / us:.1f}× numpy"
                if "libdeflate" in best:
                    row += f", {us / best['libdeflate'][i]:.2f} of libdeflate"
        if name == "ours GzipTenDraws":
            print(f"figure nifti.wall {t:.3g} s\nfigure nifti.memory {peak:.0f} MB\nfigure nifti.nilearn.memory {best['nilearn'][2]:.0f} MB\n"
                  f"figure nifti.nilearn {best['nilearn'][0] / t:.0f}×\nfigure nifti.numpy {best['numpy'][0] / t:.1f}×")
        print(row)
