"""Mean length (mm) of each draw's edges: lengths.py EDGES.arrow NODES.arrow RESULT.arrow"""
import math
import sys

import pyarrow as pa

edges, nodes = (pa.ipc.open_file(path).read_all().to_pydict() for path in sys.argv[1:3])
place = {i: at for i, *at in zip(*(nodes[c] for c in ("index", "x", "y", "z")))}  # mm, MNI

lengths = {}
for draw, source, target in zip(edges["draw"], edges["source"], edges["target"]):
    lengths.setdefault(draw, []).append(math.dist(place[source], place[target]))

table = pa.table({
    "draw": pa.array(lengths, pa.int32()),
    "edges": pa.array([len(of) for of in lengths.values()], pa.int32()),
    "length": [math.fsum(of) / len(of) for of in lengths.values()],
})
with pa.ipc.new_file(sys.argv[3], table.schema) as f:
    f.write_table(table)
print(f"{len(lengths)} draws")
