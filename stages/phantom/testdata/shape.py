"""Fits the shape of the phantom: python3 shape.py ATLASDIR > ../shape.go; gofmt -w ../shape.go

ATLASDIR holds mricron_ch2bet.nii.gz (a brain in MNI space without its skull), dk84_mni_1mm_fsid.nii.gz (a volume of
FreeSurfer's 84 regions in MNI space) and dk84.csv (names, hemispheres). Needs numpy, scipy and nibabel.

The outline is a radius about a center, a polynomial of degree 8 in the y and z of the direction: on the half of the
sphere with x > 0 these polynomials span the spherical harmonics of degree 8 that are even in x. Regions are the
covariances of their voxels, the left one mirrored to the right and averaged with it.
"""
import csv
import sys

import nibabel
import numpy as np
from scipy import ndimage

DEGREE, CENTER = 8, np.array([0.0, -22.0, 4.0])
directory = sys.argv[1] + "/"
brain = nibabel.load(directory + "mricron_ch2bet.nii.gz")
mask = ndimage.binary_fill_holes(np.asarray(brain.dataobj) > 0)
labels = nibabel.load(directory + "dk84_mni_1mm_fsid.nii.gz")

# Rays in equally spaced directions; the radius of each encloses as much brain as lies on the ray.
n = 8000
i = np.arange(n) + 0.5
polar, turn = np.arccos(1 - 2 * i / n), np.pi * (1 + 5**0.5) * i
u = np.stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)], 1)
r = np.arange(0, 130, 0.5)
at = np.rint(CENTER + u[:, None] * r[None, :, None] - brain.affine[:3, 3]).astype(int)
there = ((at >= 0) & (at < mask.shape)).all(-1)
at = np.clip(at, 0, np.array(mask.shape) - 1)
inside = mask[at[..., 0], at[..., 1], at[..., 2]] & there
radius = np.cbrt(3 * (inside * r**2).sum(1) * 0.5)
powers = [(a, b) for a in range(DEGREE + 1) for b in range(DEGREE + 1 - a)]
basis = np.stack([u[:, 1] ** a * u[:, 2] ** b for a, b in powers], 1)
outline = np.linalg.lstsq(basis * radius[:, None], radius**2, rcond=None)[0]

voxels = np.asarray(labels.dataobj)
points = {}
for row in csv.DictReader(open(directory + "dk84.csv")):
    xyz = np.argwhere(voxels == int(row["id"])) + labels.affine[:3, 3]
    if row["hemisphere"] == "L":
        xyz[:, 0] *= -1
    name = row["name"]
    for prefix in ("ctx-lh-", "ctx-rh-", "Left-", "Right-"):
        name = name.removeprefix(prefix).removesuffix("-Proper")
    points.setdefault(name, []).append(xyz)

print("package phantom\n\n// Written by testdata/shape.py.\n")
print("// degree of the outline.\nconst degree = %d\n" % DEGREE)
print("// outline are the coefficients, mm, of uy^a·uz^b of the radius in the direction u, for a = 0 … %d and b = 0 … %d−a.\nvar outline = []float64{" % (DEGREE, DEGREE))
for a in range(DEGREE + 1):
    print("\t" + " ".join("%.1f," % c for (p, _), c in zip(powers, outline) if p == a))
print("}\n\n// spreads are the covariances of the places in each region, mm²: xx, yy, zz, xy, xz, yz in the right hemisphere.\nvar spreads = map[string][6]float64{")
for name, sides in points.items():
    c = sum(np.cov(p.T) * len(p) for p in sides) / sum(len(p) for p in sides)
    print('\t"%s": {%s},' % (name, ", ".join("%.0f" % c[k] for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))))
print("}")
