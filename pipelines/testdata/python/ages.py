"""Mean age of each group: ages.py PARTICIPANTS.arrow RESULT.arrow DIGITS"""
import sys

import pyarrow as pa
import pyarrow.compute as pc

source, result, digits = sys.argv[1], sys.argv[2], int(sys.argv[3])
table = pa.ipc.open_file(source).read_all()
means = table.group_by("group").aggregate([("age", "mean")]).sort_by("group")
means = pa.table({"group": means["group"], "age": pc.round(means["age_mean"], digits)})
with pa.ipc.new_file(result, means.schema) as f:
    f.write_table(means)
print(f"{table.num_rows} participants, {means.num_rows} groups")
