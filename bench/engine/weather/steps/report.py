import sys
import numpy as np
import lib

m = np.load(sys.argv[1])
n = lib.read(sys.argv[2]).station
np.fill_diagonal(m, -1)
i, j = np.unravel_index(m.argmax(), m.shape)
open(sys.argv[3], "w").write(f"{len(n)} stations; closest: {n[i]} and {n[j]} (r = {m[i, j]:.8f})\n")
