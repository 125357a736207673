import os
import subprocess
from redun import task
from redun.file import ContentFile as File

redun_namespace = "wx"
ST = [l.split("\t")[0] for l in open("data/stations.tsv").read().splitlines()[1:]]

def run(*words):
    subprocess.check_call(["python3", *map(str, words)])

@task()
def clean(csv: File, script: File, lib: File, s: str) -> File:
    os.makedirs("out/clean", exist_ok=True)
    run(script.path, csv.path, f"out/clean/{s}.arrow")
    return File(f"out/clean/{s}.arrow")

@task()
def daily(a: File, script: File, lib: File, s: str, hours: int) -> File:
    os.makedirs("out/daily", exist_ok=True)
    run(script.path, a.path, f"out/daily/{s}.arrow", hours)
    return File(f"out/daily/{s}.arrow")

@task()
def corr(fs: list, script: File, lib: File) -> list:
    with open("out/list.tsv", "w") as f:
        f.write("station\tpath\n")
        f.writelines(f"{s}\t{x.path}\n" for s, x in zip(ST, fs))
    run(script.path, "out/list.tsv", "out/m.npy", "out/names.arrow")
    return [File("out/m.npy"), File("out/names.arrow")]

@task()
def report(m: list, script: File, lib: File) -> File:
    run(script.path, m[0].path, m[1].path, "out/report.txt")
    return File("out/report.txt")

@task()
def main(hours: int = 12) -> File:
    lib = File("lib.py")
    d = [daily(clean(File(f"data/csv/{s}.csv"), File("clean.py"), lib, s), File("daily.py"), lib, s, hours) for s in ST]
    return report(corr(d, File("corr.py"), lib), File("report.py"), lib)
