#!/usr/bin/env python3
"""What the program takes of each version of fMRIPrep at its defaults, as a table in Markdown.

usage: bench/fmriprep/versions.py [FIXTURES=$PRGNN_SHARED/fixtures/fmriprep]

Each dataset is copied beside a file of five lines (extends: biopoint.yaml, the cohort bids with dir and group, and
where the program asks for it one line more), and run up to the pages of quality control. Seconds are of processor time,
megabytes the peak of the resident memory. Needs Go and Python alone.
"""
import csv, json, os, pathlib, resource, shutil, subprocess, sys, tempfile

here = pathlib.Path(__file__).resolve().parents[2]
shared = pathlib.Path(os.environ.get("PRGNN_SHARED") or here / ".." / "shared")
fixtures = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else shared / "fixtures" / "fmriprep"
# What a user must write beside dir and group, because the dataset holds more than one of something.
datasets = [("20.2.7", "space: T1w"), ("20.2.7", "space: MNI152NLin2009cAsym"), ("21.0.4", ""), ("22.1.1", 'run: "1"'),
            ("23.1.4", ""), ("23.2.3", ""), ("24.1.1", ""), ("25.0.0", "space: T1w"),
            ("25.0.0", "space: MNI152NLin2009cAsym"), ("25.1.4", ""), ("25.2.5", "")]


def study(work, version, line):
    """Lays a dataset and its pipeline file out; returns the file's directory."""
    at = work / (version + line.replace(" ", "").replace('"', "").replace(":", "-"))
    source = fixtures / f"fmriprep-{version}"
    legacy = (source / "fmriprep").is_dir()
    shutil.copytree(source, at / "derivatives" if legacy else at / "derivatives" / "fmriprep")
    people = list(csv.DictReader(open(fixtures / "raw" / "participants.tsv"), delimiter="\t"))
    with open(at / "participants.tsv", "w") as f:
        f.write("participant_id\tgroup\n" + "".join(f"{p['participant_id']}\t{p['diagnosis']}\n" for p in people))
    bids = "dir: derivatives/fmriprep, group: group, incomplete: skip" + (f", {line}" if line else "")
    (at / "study.yaml").write_text("extends: biopoint.yaml\ncohort:\n  simulate: null\n  bids: { %s }\n" % bids)
    return at


def child(args, at):
    """Runs a command; returns its output, and the processor time and peak memory of it alone."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        done = subprocess.run(args, cwd=at, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        with os.fdopen(write, "w") as f:
            json.dump([done.returncode, done.stdout, done.stderr, used.ru_utime + used.ru_stime,
                       used.ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)], f)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        code, out, err, seconds, memory = json.load(f)
    os.waitpid(pid, 0)
    if code:
        sys.exit(f"{args}: exit code {code}\n{out}{err}")
    return out, seconds, memory


def columns(names):
    """Counts the columns of fMRIPrep's confounds by what they are."""
    count = {}
    for name in names.split():
        what = ("motion" if name.startswith(("trans_", "rot_")) else "tissue" if name.startswith(("white_matter", "csf"))
                else "cosine" if name.startswith("cosine") else "other")
        count[what] = count.get(what, 0) + 1
    return ", ".join(f"{n} {what}" for what, n in count.items())


def one(values):
    return " or ".join(sorted(set(values)))


with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name)
    program = work / "pipeline"
    subprocess.run(["go", "build", "-o", program, "./cmd/pipeline"], cwd=here, check=True)
    print("| fMRIPrep | written | space | cleaning | columns | volumes kept | degrees of freedom | s | MB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for version, line in datasets:
        at = study(work, version, line)
        _, seconds, memory = child([program, "run", "-q", "study.yaml", "--until", "scans", "-j", "1"], at)
        people, _, _ = child([program, "cohort", "study.yaml", "--json"], at)
        scans = [s for p in map(json.loads, people.splitlines()) if p.get("state") == "included" for s in p["scans"]]
        child([program, "export", "-q", "study.yaml", "clean.quality", "-o", "quality.csv"], at)
        rows = list(csv.DictReader(open(at / "quality.csv")))
        cells = [version, f"`{line}`" if line else "", one(s["space"] for s in scans), one(r["strategy"] for r in rows),
                 one(columns(r["confounds"]) for r in rows), one(f"{r['kept']} of {r['volumes']}" for r in rows),
                 one(f"{float(r['t_eff']):.0f}" for r in rows), f"{seconds / len(rows):.1f}", f"{memory:.0f}"]
        print("| " + " | ".join(cells) + " |")
