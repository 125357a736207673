import sys
import lib

d = lib.read(sys.argv[1])
g = d.groupby("date").temperature.agg(["mean", "count"]).reset_index()
g["mean"] = lib.rounded(g["mean"])
lib.write(g[g["count"] >= int(sys.argv[3])], sys.argv[2])
