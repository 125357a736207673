"""Values of scipy's cubic spline through a small volume, at points inside: spline.json. numpy, scipy 1.16."""
import json
import numpy as np
from scipy.ndimage import map_coordinates

rng = np.random.default_rng(43)
shape = (6, 5, 3)
volume = rng.normal(100, 30, shape)
points = rng.uniform(0, 1, (60, 3)) * (np.array(shape) - 1)
points[:4] = [[0, 0, 0], [5, 4, 2], [0, 4, 1], [2, 3, 1]]  # corners and nodes
values = map_coordinates(volume, points.T, order=3, mode="mirror")
constant = map_coordinates(volume, points.T, order=3, mode="constant")
assert np.abs(values - constant).max() < 1e-12  # the mode differs outside only
json.dump({"shape": shape, "volume": volume.ravel(order="F").tolist(), "points": points.tolist(), "values": values.tolist()},
          open("spline.json", "w"))
