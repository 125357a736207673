"""Writes the scan and the labels that the benchmark reads: python3 generate.py DIR

bold.nii.gz    64×76×64×150, int16, TR 2 s: a brain-shaped head, smooth tissue contrast,
               per-voxel noise of about 2% and slow drifts, air around it; 93 MB, about 50 MB gzipped
bold.nii       the same, not compressed
labels.nii.gz  84 regions of different sizes inside the brain, on the same grid
"""
import gzip, os, sys
import numpy as np, nibabel as nib

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
rng = np.random.default_rng(2020)
shape, T = (64, 76, 64), 150
affine = np.array([[-3, 0, 0, 96], [0, 3, 0, -126], [0, 0, 3, -72], [0, 0, 0, 1.0]])
x, y, z = np.meshgrid(*[np.linspace(-1, 1, n) for n in shape], indexing="ij")
r = np.sqrt((x / 0.82) ** 2 + (y / 0.9) ** 2 + (z / 0.85) ** 2)
brain, head = r < 0.86, r < 1

def smooth(a, n):
    for _ in range(n):
        for axis in range(3):
            a = (np.roll(a, 1, axis) + 2 * a + np.roll(a, -1, axis)) / 4
    return a

texture = smooth(rng.standard_normal(shape), 6); texture /= texture.std()
mean = np.where(brain, 900 + 150 * texture, np.where(head, 300 + 60 * texture, 12))
data = np.empty(shape + (T,), np.int16)
drift = np.cumsum(rng.standard_normal(T)) * 0.002
for t in range(T):
    noise = 0.02 * smooth(rng.standard_normal(shape), 1) / 0.35 * mean + rng.standard_normal(shape) * np.where(head, 4, 3)
    data[..., t] = np.clip(mean * (1 + drift[t]) + noise, 0, 32767)

img = nib.Nifti1Image(data, affine)
img.set_qform(affine, 1); img.set_sform(affine, 1)
img.header.set_xyzt_units("mm", "sec"); img.header["pixdim"][4] = 2
nib.save(img, os.path.join(out, "bold.nii"))
with open(os.path.join(out, "bold.nii"), "rb") as f, gzip.GzipFile(os.path.join(out, "bold.nii.gz"), "wb", 6, mtime=0) as g:
    g.write(f.read())

# Regions: the voxel nearest to one of 84 points, each with a size of its own.
inside = np.argwhere(brain & (texture > -1.2))
seeds = inside[rng.choice(len(inside), 84, replace=False)]
weight = rng.uniform(0.6, 1.6, 84)
label = np.zeros(shape, np.int32)
d = np.stack([np.sqrt(((inside - s) ** 2).sum(1)) / w for s, w in zip(seeds, weight)])
near = d.argmin(0)
keep = d.min(0) < 7
label[tuple(inside[keep].T)] = near[keep] + 1
nib.save(nib.Nifti1Image(label, affine), os.path.join(out, "labels.nii.gz"))
for n in ("bold.nii", "bold.nii.gz", "labels.nii.gz"):
    print(n, os.path.getsize(os.path.join(out, n)))
print("voxels in regions:", int((label > 0).sum()), "of", label.size, "smallest", np.bincount(label.ravel())[1:].min(), "largest", np.bincount(label.ravel())[1:].max())
