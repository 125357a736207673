"""MAT-files by scipy.io, and what they hold. Run: python3 make.py (scipy 1.16)."""
import numpy as np, scipy.io, struct

m = np.array([[1, 2, 3], [4, 5.5, -6]])
v = dict(
    m=m, f=m.astype("f4"), i8=m.astype("i1"), u16=np.array([[65535, 1]], "u2"), i32=np.array([[-7], [8]], "i4"), i64=np.array([[2**40, -1]]),
    cube=np.arange(24.0).reshape(2, 3, 4), yes=np.array([[True, False]]), text="ctx-lh é", rows=np.array(["ab ", "cde"]),
    names=np.array(["L.TH", "Rücken", ""], object).reshape(-1, 1), empty=np.zeros((0, 3)), tiny=np.array([[1.0]]),
    complex=np.array([[1 + 2j]]), record=dict(a=1.0), nested=np.array([np.arange(2.0), "x"], object),
)
import scipy.sparse
v["sparse"] = scipy.sparse.eye(3).tocsc()
scipy.io.savemat("plain.mat", v)
scipy.io.savemat("compressed.mat", v, do_compression=True)
scipy.io.savemat("version4.mat", dict(m=m), format="4")

# big-endian, by hand: one double matrix, and numbers stored as miUINT8
def el(t, d): return struct.pack(">II", t, len(d)) + d + b"\0" * (-len(d) % 8)
body = el(6, struct.pack(">II", 6, 0)) + el(5, struct.pack(">ii", 2, 3)) + struct.pack(">HH4s", 1, 1, b"m") + el(9, m.T.astype(">f8").tobytes())
small = el(6, struct.pack(">II", 6, 0)) + el(5, struct.pack(">ii", 1, 3)) + struct.pack(">HH4s", 1, 1, b"s") + struct.pack(">HH", 3, 2) + bytes([1, 2, 250, 0])
head = b"MATLAB 5.0 MAT-file, by hand".ljust(116) + b"\0" * 8 + b"\1\0MI"
open("big.mat", "wb").write(head + el(14, body) + el(14, small))
assert (scipy.io.loadmat("big.mat")["m"] == m).all() and scipy.io.loadmat("big.mat")["s"].tolist() == [[1, 2, 250]]
