import sys
import pandas as pd
import lib

d = pd.read_csv(sys.argv[1], na_values=["", "-999"]).dropna(subset=["temperature"])
lib.write(d[["date", "temperature"]], sys.argv[2])
