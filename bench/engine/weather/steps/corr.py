import sys
import numpy as np
import pandas as pd
import lib

g = pd.read_csv(sys.argv[1], sep="\t", dtype=str)
w = pd.concat({r.station: lib.read(r.path).set_index("date")["mean"] for r in g.itertuples()}, axis=1).dropna()
np.save(sys.argv[2], lib.rounded(w.corr().to_numpy().copy(order="C")))
lib.write(pd.DataFrame({"station": list(w.columns)}), sys.argv[3])
