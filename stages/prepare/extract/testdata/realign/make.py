"""Region means of the shared fixture doors/minimal by scipy, with the affines as the files hold them (float32):
python make.py FIXTURE > means.tsv. The fixture's own means_cubic.tsv has the affines that its script computed, float64.
numpy, scipy 1.17, nibabel 5.4."""
import sys

import nibabel as nb
import numpy as np
import scipy.ndimage as ndi

r = sys.argv[1].rstrip("/") + "/"
func = r + "derivatives/sub-01/func/sub-01_task-rest_run-01_"
bold = nb.load(r + "raw/sub-01/func/sub-01_task-rest_run-01_bold.nii.gz")
data = np.asarray(bold.dataobj)
ref = nb.load(func + "desc-coreg_boldref.nii.gz")
field = nb.load(r + "derivatives/sub-01/fmap/sub-01_fmapid-auto00000_desc-preproc_fieldmap.nii.gz")
shift = -0.05 * np.asarray(field.dataobj).astype(float).ravel()  # j-, TotalReadoutTime 0.05; on the grid of the reference
labels = np.asarray(nb.load(r + "oracle/labels_boldref.nii.gz").dataobj).ravel()
codes = [1002, 1015, 1022, 1028, 2002, 2015, 2022, 2028]
lps = np.diag([-1.0, -1, 1, 1])
motion = []
for line in open(func + "from-orig_to-boldref_mode-image_desc-hmc_xfm.txt"):
    if line.startswith("Parameters"):  # the centers are 0
        p = [float(x) for x in line.split(":")[1].split()]
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = np.reshape(p[:9], (3, 3)), p[9:]
        motion.append(lps @ m @ lps)
axes = [np.arange(s, dtype=float) for s in ref.shape]
grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
print("\t".join(map(str, codes)))
for t, m in enumerate(motion):
    a = np.linalg.inv(bold.affine) @ m @ ref.affine
    c = grid @ a[:3, :3].T + a[:3, 3]
    c[:, 1] += shift
    v = ndi.map_coordinates(data[..., t].astype(float), c.T, order=3, mode="constant", cval=0.0)
    print("\t".join("%.12f" % v[labels == k].mean() for k in codes))
