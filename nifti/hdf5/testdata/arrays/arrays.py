"""arrays.h5: arrays of several dimensions in each storage, and references, by h5py. Run: python3 arrays.py."""
import h5py, numpy as np

with h5py.File("arrays.h5", "w", userblock_size=1024, libver=("earliest", "v108")) as f:
    def put(name, a, **kw):
        d = f.create_dataset(name, data=a, **kw)
        d.attrs["MATLAB_class"], d.attrs["count"] = np.bytes_("x" + str(a.dtype)), np.int32(a.size)
    cube = (np.arange(5 * 7 * 3).reshape(5, 7, 3) * 1.5 - 20)
    put("contiguous", cube)
    put("chunks", cube, chunks=(2, 3, 2), compression="gzip")
    put("shuffled", cube.astype("f4"), chunks=(2, 7, 3), compression="gzip", shuffle=True)
    put("bytes", np.arange(200, dtype="u1"), chunks=(64,))
    put("shorts", np.arange(-9, 9, dtype="i2").reshape(6, 3), chunks=(4, 2))
    put("longs", np.array([[-2**40], [2**53 + 1]]))
    s = h5py.h5s.create_simple((2, 2))
    p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    p.set_layout(h5py.h5d.COMPACT)
    d = h5py.h5d.create(f.id, b"compact", h5py.h5t.IEEE_F64LE, s, p)
    d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([[1, 2], [3, 4.0]]))
    f.create_dataset("cell", data=np.array([f["compact"].ref, f["bytes"].ref], dtype=h5py.ref_dtype), dtype=h5py.ref_dtype)
