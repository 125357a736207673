#!/usr/bin/env python3
"""A probabilistic atlas and its signals by nilearn 0.12.1 (numpy 2, nibabel 5): maps.py DIR

scan.nii.gz     8×9×7 voxels of 3 mm, 12 volumes, float32
maps.nii.gz     5 overlapping maps on the scan's grid, float64
coarse.nii.gz   the same 5 regions on a grid of 4 mm, float64
maps.tsv        signals of NiftiMapsMasker, volumes × regions
masked.tsv      the same with mask.nii.gz
coarse.tsv      of coarse.nii.gz, brought to the scan's grid by resample_img(interpolation="linear")
"""
import sys

import nibabel as nib
import numpy as np
from nilearn.image import resample_img
from nilearn.maskers import NiftiMapsMasker

out = sys.argv[1]
rng = np.random.default_rng(16)
fine = np.array([[-3.0, 0, 0, 12], [0, 3, 0, -10], [0, 0, 3, -9], [0, 0, 0, 1]])
coarse = np.array([[4.0, 0, 0, -14], [0, 4, 0, -13], [0, 0, 4, -12], [0, 0, 0, 1]])


def maps(shape, affine):
    ijk = np.stack(np.meshgrid(*[np.arange(n) for n in shape], indexing="ij"), -1)
    mm = ijk @ affine[:3, :3].T + affine[:3, 3]
    centers = np.array([[-6, -4, -3], [5, -5, 0], [-3, 7, 4], [6, 8, -4], [0, 1, 2]])
    w = np.exp(-((mm[..., None, :] - centers) ** 2).sum(-1) / 60)
    return np.where(w > 0.08, w, 0)


def save(data, affine, name):
    nib.save(nib.Nifti1Image(data, affine), f"{out}/{name}")


scan = (1000 + 50 * rng.standard_normal((8, 9, 7, 12))).astype("f4")
mask = (rng.random((8, 9, 7)) > 0.2).astype("u1")
save(scan, fine, "scan.nii.gz")
save(maps((8, 9, 7), fine), fine, "maps.nii.gz")
save(maps((7, 8, 7), coarse), coarse, "coarse.nii.gz")
save(mask, fine, "mask.nii.gz")
load = lambda name: nib.load(f"{out}/{name}")
bold = nib.Nifti1Image(load("scan.nii.gz").get_fdata(), fine)  # float64: no rounding of the signals


def signals(img, name, **more):
    m = NiftiMapsMasker(img, standardize=None, resampling_target=None, **more)
    np.savetxt(f"{out}/{name}", m.fit_transform(bold), fmt="%.17g", delimiter="\t")


signals(load("maps.nii.gz"), "maps.tsv")
signals(load("maps.nii.gz"), "masked.tsv", mask_img=load("mask.nii.gz"))
onto = resample_img(load("coarse.nii.gz"), fine, (8, 9, 7), interpolation="linear", force_resample=True, copy_header=True)
signals(onto, "coarse.tsv")
