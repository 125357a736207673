"""Where nibabel 5.4.2 has the fields of the two headers: python3 offsets.py > offsets.json"""
import json
from nibabel import nifti1, nifti2
out = {}
for version, dtype in ((1, nifti1.header_dtype), (2, nifti2.header_dtype)):
    out[str(version)] = {n: [dtype.fields[n][1], dtype.fields[n][0].str if not dtype.fields[n][0].subdtype
                             else dtype.fields[n][0].subdtype[0].str] for n in dtype.names}
    out[str(version)]["end"] = [dtype.itemsize, ""]
print(json.dumps(out, indent=1))
