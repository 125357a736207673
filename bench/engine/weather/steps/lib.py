import numpy as np
import pyarrow as pa
import pyarrow.ipc

DIGITS = 8

def write(d, p):
    t = pa.Table.from_pandas(d, preserve_index=False).replace_schema_metadata(None)
    with pa.OSFile(p, "wb") as f, pa.ipc.new_file(f, t.schema) as w:
        w.write_table(t)

def read(p):
    return pa.ipc.open_file(p).read_all().to_pandas()

def rounded(x):
    return np.round(x, DIGITS)
