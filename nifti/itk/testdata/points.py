"""An affine transform in ITK's text format, and where SimpleITK takes points by it
(LPS mm): python3 points.py, with SimpleITK."""
import json
import SimpleITK as sitk
t = sitk.AffineTransform(3)
t.SetMatrix([0.99, -0.05, 0.02, 0.06, 0.98, -0.11, -0.015, 0.105, 0.99])
t.SetTranslation([1.5, -2.25, 3.125])
t.SetCenter([10, -20, 5])
sitk.WriteTransform(t, "affine.txt")
points = [[0.0, 0.0, 0.0], [10.0, 20.0, 30.0], [-45.5, 12.25, -7.0], [90.0, -126.0, -72.0]]
json.dump([[p, list(t.TransformPoint(p))] for p in points], open("points.json", "w"), indent=1)
print(sitk.Version_VersionString())
