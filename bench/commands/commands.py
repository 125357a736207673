#!/usr/bin/env python3
"""Whole commands, started as users start them: commands.py PART PROGRAM… in an empty directory.

    startup       PROGRAM version
    connectivity  200 participants × 84 regions × 150 volumes: Pearson and Ledoit-Wolf partial
                  correlations, by `run` and by a nilearn script of this interpreter
    scan          one 45 MB scan with 84 labels, mean and ten draws, by `run`; nilearn (the mean
                  alone) and nibabel with numpy (mean and ten draws) by bench/nifti/compare.py
    quick, biopoint, paper, table1, abide_run, multiverse, rest40
                  a whole pipeline from nothing with its report, and again with nothing to do; the
                  size of the store. The last three read $DATA/abide_pcp and $DATA/bold
    duplicates    check-duplicates of all scans of $DATA/abide_pcp
    abide         harmonize, biomarkers and fidelity on the series under $ABIDE, the inputs made
                  before; EPOCHS (3) of training, which does not matter for them

With two programs, such as one before and one after a change, rounds alternate between them.
Median of ROUNDS: wall and CPU time (all threads), their ratio to the first one's, and the
largest resident memory; those of the last program also as lines for docs/figures.tsv. On a loaded machine only CPU times and ratios mean something.
"""
import os, statistics, subprocess, sys, tempfile, time

part, programs = sys.argv[1], [os.path.abspath(p) for p in sys.argv[2:]]
ROUNDS = int(os.environ.get("ROUNDS", {"startup": 41, "biopoint": 3, "rest40": 3, "abide": 1, "paper": 1, "table1": 1, "abide_run": 1, "multiverse": 1}.get(part, 5)))
DATA, HERE = os.environ.get("DATA", ""), os.path.dirname(os.path.abspath(__file__))
ABIDE = ["abide.yaml", "--set", f"data={DATA}/abide_pcp"]
RUNS = {"quick": ["quick.yaml"], "biopoint": ["biopoint.yaml"], "paper": ["paper.yaml"], "abide_run": ABIDE,
        "table1": [os.path.join(HERE, "..", "gnn", "table1.yaml")],
        "multiverse": [os.path.join(HERE, "..", "multiverse", "abide.yaml"), "--set", f"data={DATA}/abide_pcp"],
        "rest40": ["rest40.yaml", "--set", f"data={DATA}/bold/coinstac_rest40_mni10mm", "--set", "tr=2",
                   "--set", f"labels={DATA}/atlas/dk84_coinstac10mm_node_majority.nii.gz"]}

NILEARN = """
import glob, os
import numpy as np
from nilearn.connectome import ConnectivityMeasure
from sklearn.covariance import EmpiricalCovariance
series = [np.loadtxt(f, delimiter="\\t", skiprows=1) for f in sorted(glob.glob("sub-*.tsv"))]
os.makedirs("nilearn", exist_ok=True)
np.save("nilearn/pearson.npy", ConnectivityMeasure(kind="correlation", cov_estimator=EmpiricalCovariance(), standardize="zscore_sample").fit_transform(series))
np.save("nilearn/partial.npy", ConnectivityMeasure(kind="partial correlation", standardize="zscore_sample").fit_transform(series))
"""


def timed(command):
    """Wall s, CPU s, resident MB."""
    begun = time.perf_counter()
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = p.stderr.read().decode()
    _, status, used = os.wait4(p.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} ended with {status}: {said[-2000:]}")
    return time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def compare(what, commands, before=lambda i: None):
    """A line for each command, of rounds in turn."""
    seen = [[] for _ in commands]
    for _ in range(ROUNDS):
        for i, command in enumerate(commands):
            before(i)
            seen[i].append(timed(command))
    first = None
    for at, (command, rounds) in enumerate(zip(commands, seen)):
        wall, cpu, memory = (statistics.median(column) for column in zip(*rounds))
        first = first or (wall, cpu)
        name = command[-1] if command[0] == sys.executable else os.path.basename(command[0])
        print(f"{what}, {name}: {wall:.4f} s, CPU {cpu:.4f} s, {memory:.0f} MB; "
              f"{wall / first[0]:.2f} and {cpu / first[1]:.2f} of the first", flush=True)
        if at >= len(programs):
            print(f"figure {part}.command.{'nilearn' if name == 'peer.py' else name} {wall / first[0]:.1f}×", flush=True)
    wall, cpu, memory = (statistics.median(column) for column in zip(*seen[len(programs) - 1]))
    name = part + ".again" * what.endswith(", again")
    print(f"figure {name}.wall {seconds(wall)}\nfigure {name}.cpu {seconds(cpu)}\nfigure {name}.memory {size(memory)}", flush=True)


def seconds(s):
    return f"{int(s) // 60} min {int(s) % 60} s" if s >= 120 else f"{s:.3g} s"


def size(mb):
    return f"{mb / 1000:.3g} GB" if mb >= 1000 else f"{mb:.3g} MB"


def empty(i):
    """Sets a store aside, so that no round pays for the deletion of the one before."""
    if os.path.exists(f"store{i}"):
        os.rename(f"store{i}", os.path.join(tempfile.mkdtemp(prefix="used-", dir="."), "store"))


if part == "startup":
    compare("version", [[p, "version"] for p in programs])
elif part == "connectivity":
    import numpy as np
    random = np.random.default_rng(1)
    with open("participants.tsv", "w") as f:
        f.write("participant_id\tgroup\n")
        for i in range(200):
            f.write(f"sub-{i:03d}\t{'ab'[i % 2]}\n")
            np.savetxt(f"sub-{i:03d}.tsv", random.normal(size=(150, 84)) @ random.normal(size=(84, 84)), delimiter="\t",
                       header="\t".join(f"r{j + 1}" for j in range(84)), comments="")
    with open("peer.py", "w") as f:
        f.write(NILEARN)
    run = ["run", "-q", "timeseries.yaml", "--set", "data=.", "--until", "connectivity"]
    compare("200 participants", [[p, *run, "--store", f"store{i}"] for i, p in enumerate(programs)] + [[sys.executable, "peer.py"]], empty)
elif part == "scan":
    nifti = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "nifti")
    subprocess.check_call([sys.executable, os.path.join(nifti, "generate.py"), "."])
    with open("participants.csv", "w") as f:
        f.write("participant_id,file,gender\nsub-01,bold.nii.gz,F\n")
    with open("nodes.tsv", "w") as f:
        f.write("index\tname\n" + "".join(f"{i}\tregion{i}\n" for i in range(1, 85)))
    run = ["run", "-q", "rest40.yaml", "--set", "data=.", "--set", "labels=labels.nii.gz", "--set",
           "cohort.table.nodes=nodes.tsv", "--until", "series"]
    compare("scan", [[p, *run, "--store", f"store{i}"] for i, p in enumerate(programs)] +
            [[sys.executable, os.path.join(nifti, "compare.py"), ".", peer] for peer in ("numpy", "nilearn")], empty)
elif part in RUNS:
    runs = [[p, "run", "-q", *RUNS[part], "--store", f"store{i}"] for i, p in enumerate(programs)]
    compare(part, runs, empty)
    compare(f"{part}, again", runs)
    held = sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk("store0") for f in files)
    print(f"figure {part}.store {size(held / 1e6)}")
elif part == "duplicates":
    command = ["check-duplicates", f"{DATA}/abide_pcp/participants.csv", "--id", "file_id",
               "--series", "cpac/nofilt_noglobal/{file_id}_rois_ho.1D.gz"]
    compare(part, [["sh", "-c", '"$@" || [ $? = 1 ]', "sh", p, *command] for p in programs])  # 1: there are duplicates
elif part == "abide":
    with open("abide-stages.yaml", "w") as f:
        f.write(f"""extends: abide.yaml
vars: {{ data: "{os.environ['ABIDE']}" }}
stages:
  leakage: null
  summary: null
  report: null
  train: {{ with: {{ epochs: {os.environ.get('EPOCHS', 3)} }} }}
  combat: {{ use: combat, matrix: {{ fold: [1..5] }}, in: {{ matrices: "connectivity[*].pearson", folds: folds, participants: cohort.participants }}, with: {{ preserve: [age, sex] }} }}
  harmonized: {{ use: harmonize, each: subject, matrix: {{ fold: [1..5] }}, in: {{ matrices: connectivity.pearson, fitted: combat.fitted, participants: cohort.participants, quality: connectivity.quality }} }}
""")
    for i, p in enumerate(programs):
        timed([p, "run", "-q", "abide-stages.yaml", "--store", f"store{i}", "--until", "train", "--until", "combat"])
    for stage in ("harmonized", "biomarkers", "fidelity"):
        compare(stage, [[p, "run", "-q", "abide-stages.yaml", "--store", f"store{i}", "--only", stage, "--force", stage]
                        for i, p in enumerate(programs)])
else:
    sys.exit(__doc__)
