"""Checksums of all vectors of the files here, and their texts: python3 sums.py > sums.tsv, with h5py and numpy."""
import glob, h5py, numpy as np

print("file", "path", "n", "sum", "sum2", "weighted", "text", sep="\t")
for file in sorted(glob.glob("*.h5")):
    with h5py.File(file) as f:
        def one(path, d):
            if not isinstance(d, h5py.Dataset):
                return
            x = d[()]
            if d.dtype.kind == "f":
                x = x.astype(float)
                w = (np.arange(len(x)) % 97 + 1) @ x
                print(file, path, len(x), *(f"{v:.17g}" for v in (x.sum(), (x * x).sum(), w)), "", sep="\t")
            else:
                print(file, path, len(x), 0, 0, 0, x[0].decode(), sep="\t")
        f.visititems(one)
