"""One job on weather stations by several engines: what each change runs again, and how long it takes.

    weather.py ENGINES PIPELINE GO WORK [ROUNDS [NAMES]]

ENGINES is the directory of a virtual environment with requirements.txt, PIPELINE the program, GO the program of
examples/weather/go (run.sh builds both), WORK a scratch directory, and NAMES
are classes of this file (Make,Ours). Six stations of 60 days: clean and daily for each,
correlations, a text: 14 tasks. The steps are the same scripts for all engines (steps/), except for GO, whose stages are
its own and end with the correlations: 13 tasks. Executions are counted by a wrapper of python3 that writes a line each;
GO reports them. After each scenario the text is compared with that of the steps run one after the other.
"""
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
ENGINES, PIPELINE, GO, WORK = (Path(p).absolute() for p in sys.argv[1:5])
ROUNDS = int(sys.argv[5]) if len(sys.argv) > 5 else 3
STATIONS = ["bergen", "oslo", "turku", "york", "lyon", "graz"]
LOG = WORK / "executions"


def write_data(root):
    rng = random.Random(3)
    (root / "data/csv").mkdir(parents=True)
    table = "station\tfile\n"
    for k, name in enumerate(STATIONS):
        table += f"{name}\tcsv/{name}.csv\n"
        rows = ["date,hour,temperature"]
        for h in range(24 * 60):
            day = h // 24
            t = 10 + 5 * math.sin(day / 7) + (1 + k * .6) * rng.gauss(0, 1)
            value = "" if rng.random() < .02 else "-999" if rng.random() < .01 else f"{t:.2f}"
            rows.append(f"2024-{1 + day // 30:02d}-{1 + day % 30:02d},{h % 24},{value}")
        (root / f"data/csv/{name}.csv").write_text("\n".join(rows) + "\n")
    (root / "data/stations.tsv").write_text(table)


def executions():
    return len(LOG.read_text().splitlines()) if LOG.exists() else 0


def processor():
    """Seconds of the processor that ended commands took, and what they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Engine:
    """A working directory in which an engine keeps its job."""
    name, definition, tasks, necessary = "", [], 14, {}

    def __init__(self, root, shared=None):
        self.root, self.shared = root, shared
        root.mkdir(parents=True)
        write_data(root)
        for script in (HERE / "steps").iterdir():
            if script.is_file():
                shutil.copy(script, root)
        for file in self.definition:
            shutil.copy(HERE / file, root)
        self.prepare()

    def prepare(self):
        (self.root / "out/clean").mkdir(parents=True)
        (self.root / "out/daily").mkdir()

    def env(self):
        return {}

    def environ(self):
        return {**os.environ, "PATH": f"{WORK}/bin:{ENGINES}/bin:{os.environ['PATH']}", "DVC_NO_ANALYTICS": "1", **self.env()}

    def start(self, words):
        with open(self.root / "log.txt", "ab") as log:
            return subprocess.Popen(words, cwd=self.root, env=self.environ(), stdout=log, stderr=log, start_new_session=True)

    def run(self):
        """Runs the job: executions, seconds of wall and processor, exit code."""
        before, start, cpu = executions(), time.perf_counter(), processor()
        code = self.start(self.command()).wait()
        return self.count(before), (time.perf_counter() - start, processor() - cpu), code

    def count(self, before):
        return executions() - before

    def text(self):
        file = self.root / "out/report.txt"
        return file.read_text() if file.exists() else ""

    def right(self):
        """Whether the text is that of the steps, run one after the other."""
        return self.text() == reference(self.root)

    def edit(self, file, old, new):
        path = self.root / file
        text = path.read_text()
        assert old in text, f"{path} has no {old!r}"
        path.write_text(text.replace(old, new, 1))

    def edit_comment(self):
        self.edit("daily.py", "import sys\n", "import sys  # a comment\n")

    def edit_helper(self):
        self.edit("lib.py", "DIGITS = 8", "DIGITS = 3")

    def forget_helper(self):
        """The definition does not list lib.py."""

    def kill(self):
        """Kills the first run in the middle."""
        before, process = executions(), self.start(self.command())
        while executions() < before + 7 and process.poll() is None:
            time.sleep(.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(1)  # commands that outlive it
        return executions() - before

    def recover(self):
        """What the engine asks for before it runs again; whether it asked."""
        return False


known = {}


def reference(root):
    parts = [p.read_text() for p in sorted([*root.glob("data/csv/*.csv"), *map(root.joinpath, ["clean.py", "daily.py", "corr.py", "report.py", "lib.py"])])]
    key = "\0".join(parts)
    if key not in known:
        out = WORK / "reference"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()

        def step(*words):
            subprocess.run([f"{ENGINES}/bin/python3", *map(str, words)], check=True, cwd=root)
        table = "station\tpath\n"
        for s in STATIONS:
            step("clean.py", f"data/csv/{s}.csv", out / "clean")
            step("daily.py", out / "clean", out / s, 12)
            table += f"{s}\t{out / s}\n"
        (out / "table.tsv").write_text(table)
        step("corr.py", out / "table.tsv", out / "m.npy", out / "names")
        step("report.py", out / "m.npy", out / "names", out / "text")
        known[key] = (out / "text").read_text()
    return known[key]


class Make(Engine):
    name, definition = "GNU make", ["make/Makefile"]

    def command(self):
        return ["make", "-j2"]

    def forget_helper(self):
        text = (self.root / "Makefile").read_text()
        (self.root / "Makefile").write_text(text.replace(" lib.py", ""))


class Snakemake(Engine):
    name, definition = "Snakemake", ["snakemake/Snakefile"]

    def prepare(self):
        if self.shared:  # rules with one output; the others cannot be cached
            self.edit("Snakefile", "rule clean:\n", "rule clean:\n    cache: True\n")
            self.edit("Snakefile", "rule daily:\n", "rule daily:\n    cache: True\n")
            self.edit("Snakefile", "rule report:\n", "rule report:\n    cache: True\n")
            self.shared.mkdir(exist_ok=True)

    def env(self):
        cache = {"SNAKEMAKE_OUTPUT_CACHE": str(self.shared)} if self.shared else {}
        return {"XDG_CACHE_HOME": str(WORK / "cache"), **cache}

    def command(self):
        return ["snakemake", "-c2", *(["--cache"] if self.shared else [])]

    def forget_helper(self):
        text = (self.root / "Snakefile").read_text()
        (self.root / "Snakefile").write_text(text.replace(', lib="lib.py"', ""))

    def recover(self):
        self.start(["snakemake", "--unlock"]).wait()
        self.command = lambda: ["snakemake", "-c2", "--rerun-incomplete"]
        return True


class DVC(Engine):
    name, definition = "DVC", ["dvc/dvc.yaml", "dvc/params.yaml"]

    def prepare(self):
        self.start(["dvc", "init", "--no-scm", "-q"]).wait()
        if self.shared:
            self.start(["dvc", "cache", "dir", str(self.shared)]).wait()

    def command(self):
        return ["dvc", "repro"]

    def forget_helper(self):
        text = (self.root / "dvc.yaml").read_text()
        (self.root / "dvc.yaml").write_text(text.replace(", lib.py", ""))


class Redun(Engine):
    name, definition = "redun", ["redun/wf.py"]

    def prepare(self):
        super().prepare()
        (self.root / ".redun").mkdir()
        place = self.shared or self.root / ".redun"
        place.mkdir(exist_ok=True)
        (self.root / ".redun/redun.ini").write_text(
            f"[backend]\ndb_uri = sqlite:///{place}/redun.db\n[executors.default]\ntype = local\nmode = thread\nmax_workers = 2\n")

    def command(self):
        return ["redun", "run", "wf.py", "main"]

    def forget_helper(self):
        text = (self.root / "wf.py").read_text()
        (self.root / "wf.py").write_text(text.replace(", lib: File", "").replace(", lib,", ",").replace(", lib)", ")"))


class Ours(Engine):
    name, definition, program = "ours, Python by `exec`", ["exec/weather.yaml"], PIPELINE

    def prepare(self):
        pass

    def env(self):
        return {"PIPELINE_STORE": str(self.shared)} if self.shared else {}

    def command(self):
        return [str(self.program), "run", "-q", "-j2", "weather.yaml"]

    def text(self):
        out = self.root / "exported.txt"
        out.unlink(missing_ok=True)
        self.start([str(self.program), "export", "-q", "weather.yaml", "report", "-o", str(out)]).wait()
        return out.read_text() if out.exists() else ""

    def forget_helper(self):
        text = (self.root / "weather.yaml").read_text()
        (self.root / "weather.yaml").write_text(text.replace(", lib: { file: lib.py }", "").replace(", lib=py", ""))


class OursGo(Ours):
    """The program is built again after an edit of its code; that time is not counted."""
    name, tasks = "ours, Go", 13
    necessary = {"edit": 3, "comment": 0, "helper": 1}

    def __init__(self, root, shared=None):
        root.mkdir(parents=True)
        self.root, self.shared, self.program = root, shared, root / "pipeline"
        write_data(root)
        shutil.copy(PROJECT / "examples/weather/go/weather.yaml", root)
        shutil.copy(GO, self.program)
        self.source = None

    def count(self, before):
        found = re.findall(r"(\d+) tasks: (\d+) ran", (self.root / "log.txt").read_text())
        return int(found[-1][1])

    def text(self):
        out = self.root / "pairs.csv"
        out.unlink(missing_ok=True)
        self.start([str(self.program), "export", "-q", "weather.yaml", "correlations", "-o", str(out)]).wait()
        return out.read_text() if out.exists() else ""

    def right(self):
        for script in (HERE / "steps").iterdir():  # those of the first state: edits of Go change no result
            if script.is_file():
                shutil.copy(script, self.root)
        best = max(float(row.split(",")[-1]) for row in self.text().splitlines()[1:])
        return f"r = {best:.8f}" in reference(self.root)

    def edit_source(self, old, new):
        if self.source is None:
            self.source = self.root / "source"
            shutil.copytree(PROJECT / "examples/weather/go", self.source)
            mod = (self.source / "go.mod").read_text()
            (self.source / "go.mod").write_text(mod.replace("replace prgnn => ../../..", f"replace prgnn => {PROJECT}"))
        self.edit("source/weather/weather.go", old, new)
        for words in [["go", "generate", "./..."], ["go", "build", "-o", str(self.program), "."]]:
            subprocess.run(words, cwd=self.source, check=True, env={**os.environ, "CGO_ENABLED": "0"})

    def edit_comment(self):
        self.edit_source("// Run averages", "// Run computes: it averages")

    def edit_helper(self):  # the mean, divided once
        self.edit_source("out[i] = v - sum/float64(len(x))", "out[i] = v - sum*(1/float64(len(x)))")

    def kill(self):
        process = self.start(self.command())
        time.sleep(self.first / 2)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(1)


ALL = [Make, Snakemake, DVC, Redun, Ours, OursGo]
SCENARIOS = {  # and the executions that they need
    "first": ("first run", 14), "noop": ("again, without a change", 0), "touch": ("an input touched (time only)", 0),
    "edit": ("one input edited", 4), "revert": ("that edit reverted", 0), "comment": ("a comment added in a script", 6),
    "helper": ("a helper module edited", 14), "unlisted": ("a helper that is not listed edited", 14),
    "resume": ("killed in the middle, run again", None), "share": ("in a second directory that shares the results", 0),
}


def measure(kind, round):
    """One round of all scenarios: (executions, seconds, remark) of each."""
    base = WORK / f"{kind.__name__}-{round}"
    shutil.rmtree(base, ignore_errors=True)
    result = {}

    def note(name, engine, ran, seconds, code, more=""):
        wrong = "" if code == 0 and engine.right() else "WRONG" if code == 0 else f"fails ({code})"
        result[name] = (ran, seconds, " ".join(filter(None, [more, wrong])))

    e = kind(base / "first")
    note("first", e, *e.run())
    kind.first = result["first"][1][0]
    note("noop", e, *e.run())
    csv = "data/csv/turku.csv"
    os.utime(e.root / csv)
    note("touch", e, *e.run())
    text = (e.root / csv).read_text()
    rows = text.splitlines()
    cells = rows[100].split(",")
    rows[100] = ",".join([*cells[:2], "25.00"])
    (e.root / csv).write_text("\n".join(rows) + "\n")
    note("edit", e, *e.run())
    (e.root / csv).write_text(text)
    note("revert", e, *e.run())
    e.edit_comment()
    note("comment", e, *e.run())
    e.edit_helper()
    note("helper", e, *e.run())
    if kind is not OursGo:
        e = kind(base / "unlisted")
        e.forget_helper()
        *_, code = e.run()
        if code == 0:
            e.edit_helper()
            note("unlisted", e, *e.run())
        else:
            result["unlisted"] = (0, (0, 0), "the first run fails")
    e = kind(base / "killed")
    done = e.kill()
    ran, seconds, code = e.run()
    more = "" if done is None else f"{done} had begun"
    if code != 0 and e.recover():
        ran, seconds, code = e.run()
        more += ", after `--unlock`"
    note("resume", e, ran, seconds, code, more)
    kind(base / "one", base / "shared").run()
    e = kind(base / "two", base / "shared")
    note("share", e, *e.run())
    shutil.rmtree(base, ignore_errors=True)
    return result


def seconds(rounds, which):
    return f"{statistics.median(r[1][which] for r in rounds):.2f}"


def lines(files):
    return sum(1 for f in files for line in Path(f).read_text().splitlines()
               if line.strip() and not line.strip().startswith(("#", "//")))


def main():
    shutil.rmtree(WORK / "bin", ignore_errors=True)
    (WORK / "bin").mkdir(parents=True)
    wrapper = WORK / "bin/python3"
    wrapper.write_text(f"#!/bin/sh\necho \"$1\" >> {LOG}\nexec {ENGINES}/bin/python3 \"$@\"\n")
    wrapper.chmod(0o755)
    names = sys.argv[6].split(",") if len(sys.argv) > 6 else [k.__name__ for k in ALL]
    kinds = [k for k in ALL if k.__name__ in names]
    steps = lines((HERE / "steps").glob("*.py"))
    table = {k: [] for k in kinds}
    for i in range(ROUNDS):  # in turn, so that what else the machine does meets all
        for k in kinds:
            table[k].append(measure(k, i))
            (WORK / "weather.json").write_text(json.dumps({k.name: v for k, v in table.items()}))
    print("| tasks run (median seconds: wall; processor) | needed |", " | ".join(k.name for k in kinds), "|")
    print("|---" * (len(kinds) + 2) + "|")
    definition = [lines(HERE / f for f in k.definition) for k in kinds]
    go = PROJECT / "examples/weather/go"
    code = [f"{d} + {steps}" if k is not OursGo else f"{lines([go / 'weather.yaml'])} + {lines([go / 'main.go', go / 'weather/weather.go'])}"
            for k, d in zip(kinds, definition)]
    print("| lines: definition + steps | |", " | ".join(code), "|")
    for name, (title, need) in SCENARIOS.items():
        cells = []
        for k in kinds:
            rounds = [r[name] for r in table[k] if name in r]
            if not rounds:
                cells.append("–")
                continue
            counts = sorted({r[0] for r in rounds})
            count = str(counts[0]) if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"
            own = k.necessary.get(name)
            remark = "; ".join(dict.fromkeys(r[2] for r in rounds if r[2]))
            if remark == "the first run fails":
                cells.append(remark)
                continue
            cells.append(f"{count}{'' if own is None else f' of {own}'} ({seconds(rounds, 0)}; {seconds(rounds, 1)})" + (f" {remark}" if remark else ""))
        print(f"| {title} | {'' if need is None else need} |", " | ".join(cells), "|")


main()
