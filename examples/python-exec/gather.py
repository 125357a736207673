"""One table of all participants' tables: gather.py MEMBERS.tsv RESULT.arrow"""
import csv
import sys

import pyarrow as pa

tables = []
with open(sys.argv[1], newline="") as f:
    for member in csv.DictReader(f, delimiter="\t"):
        table = pa.ipc.open_file(member["path"]).read_all()
        tables.append(table.add_column(0, "subject", [[member["subject"]] * table.num_rows]))

table = pa.concat_tables(tables)
with pa.ipc.new_file(sys.argv[2], table.schema) as f:
    f.write_table(table)
