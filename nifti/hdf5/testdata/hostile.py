"""Makes refuse/both-spellings.h5: python3 hostile.py, with h5py. (refuse/empty-heap.h5 is eleven-parts' kind of group
whose heap header claims a block of 0 bytes, with its checksum.)"""
import shutil, h5py

shutil.copy("only-affine.h5", "refuse/both-spellings.h5")
with h5py.File("refuse/both-spellings.h5", "a") as f:
    for group in f["TransformGroup"].values():
        for name in ("Parameters", "FixedParameters"):
            if "Transform" + name in group:
                group["Tranform" + name] = group["Transform" + name][()]
