"""Labels laid over other grids by nilearn.image.resample_img(interpolation="nearest"):
python3 resample.py > resample.json. The label of voxel (i, j, k) is
1 + (7 i + 13 j + 29 k) mod 251, and 0 where (i + j + k) mod 5 = 0.

force_resample=True, because the shortcut that nilearn takes without it, for equal
axes and a whole number of voxels between the origins, cuts the wrong voxels off a
label image that begins before the grid: it takes the first ones where it should
skip them. "shortcut" says whether it gives the same labels."""
import hashlib, json, warnings
import numpy as np, nibabel as nib
from nilearn.image import resample_img
warnings.filterwarnings("ignore")
rng = np.random.default_rng(7)
cases = []

def add(name, laff, lshape, gaff, gshape):
    i, j, k = np.indices(lshape)
    lab = (1 + (7 * i + 13 * j + 29 * k) % 251).astype(np.int32)
    lab[(i + j + k) % 5 == 0] = 0
    d, short = [np.asarray(resample_img(nib.Nifti1Image(lab, laff), target_affine=gaff, target_shape=gshape,
                interpolation="nearest", copy_header=True, force_resample=f).dataobj).astype("<i4") for f in (True, False)]
    assert d.shape == tuple(gshape)
    cases.append(dict(name=name, label_affine=laff.tolist(), label_shape=list(lshape), grid_affine=gaff.tolist(),
                      grid_shape=list(gshape), nonzero=int((d != 0).sum()), shortcut=bool((d == short).all()),
                      sha256=hashlib.sha256(d.tobytes(order="F")).hexdigest()))

def diag(sx, sy, sz, x, y, z):
    a = np.diag([sx, sy, sz, 1.0]); a[:3, 3] = [x, y, z]; return a

def turned(deg, sizes, origin):
    a = np.eye(4); m = np.eye(3)
    for axis, d in enumerate(deg):
        c, s = np.cos(np.deg2rad(d)), np.sin(np.deg2rad(d)); r = np.eye(3)
        p, q = [x for x in range(3) if x != axis]; r[p, p] = r[q, q] = c; r[p, q] = -s; r[q, p] = s
        m = m @ r
    a[:3, :3] = m @ np.diag(sizes); a[:3, 3] = origin; return a

L = diag(2, 2, 2, -26, -26, -20)
add("same grid", L, (26, 24, 22), L, (26, 24, 22))
add("integer offset", L, (26, 24, 22), diag(2, 2, 2, -20, -30, -16), (20, 30, 18))
add("integer offset, all inside", L, (26, 24, 22), diag(2, 2, 2, -30, -28, -22), (30, 30, 30))
add("integer offset beyond", L, (26, 24, 22), diag(2, 2, 2, 10, 10, 10), (30, 30, 30))
add("mirrored x", L, (26, 24, 22), diag(-2, 2, 2, 24, -26, -20), (26, 24, 22))
for o in (0, 0.25, 0.5, 1, 1.5, 1 / 3):
    add(f"2 to 3 mm, offset {o:.3g}", L, (26, 24, 22), diag(3, 3, 3.5, -26 + o, -26 + o, -20 + o), (17, 16, 12))
    add(f"2 to 3 mm mirrored, offset {o:.3g}", L, (26, 24, 22), diag(-3, 3, 3, 24 - o, -26 + o, -20 + o), (17, 16, 14))
    add(f"1 to 2.5 mm, offset {o:.3g}", diag(1, 1, 1, -20, -20, -20), (40, 38, 36), diag(2.5, 2.5, 2.5, -20 + o, -20 + o, -20 + o), (16, 15, 14))
    add(f"2 to 1 mm, offset {o:.3g}", L, (26, 24, 22), diag(1, 1, 1, -26 + o, -26 - o, -20 + o), (40, 40, 40))
    add(f"2 mm LIA to 3 mm RAS, offset {o:.3g}", np.array([[-2, 0, 0, 26], [0, 0, 2, -26], [0, -2, 0, 20], [0, 0, 0, 1.]]), (26, 24, 22), diag(3, 3, 3, -25 + o, -25 + o, -19 + o), (17, 16, 13))
for n in range(24):
    sizes = rng.uniform(1.5, 4, 3) * rng.choice([-1, 1], 3)
    gaff = turned(rng.uniform(-30, 30, 3), sizes, -sizes * 6 + rng.uniform(-4, 4, 3))
    laff = turned(rng.uniform(-5, 5, 3), rng.choice([1, 2, 1.5], 3) * rng.choice([-1, 1], 3), [0, 0, 0])
    laff[:3, 3] = -laff[:3, :3] @ np.array([12, 11, 10]) + rng.uniform(-2, 2, 3)
    add(f"turned {n}", laff, (25, 23, 21), gaff, (13, 12, 11))
print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")
