"""For engines whose tasks take and return values: jobs.py, which a workspace gets.

The battery's scripts work on files. An engine that keys a task on its arguments sees a path,
not the bytes behind it, so that its users pass the contents; the engine keeps what the task
returns, and the last value is written to out/final.txt at the end of each run.
"""
from common import *

# ENGINES names the virtual environment that has the engines (run.sh sets it).
BIN = os.environ.get("ENGINES", "")
PYTHON = os.path.join(BIN, "python3")

JOBS = '''\
import os, pathlib, subprocess, tempfile


def read(path):
    return pathlib.Path(path).read_text()


def stage(code, source, param, subject, *more):
    """The output of a stage's script for one subject."""
    with tempfile.TemporaryDirectory() as d:
        files = [os.path.join(d, name) for name in (subject + ".txt", "param.txt", "result")]
        for file, text in zip(files, (source, param)):
            pathlib.Path(file).write_text(text)
        subprocess.run(["sh", "-c", code, "stage", *files, *more], check=True)
        return read(files[2])


def gather(code, parts):
    """The output of the last script, which takes the results of all subjects."""
    with tempfile.TemporaryDirectory() as d:
        files = [os.path.join(d, str(i)) for i in range(len(parts) + 1)]
        for file, text in zip(files[1:], parts):
            pathlib.Path(file).write_text(text)
        subprocess.run(["sh", "-c", code, "gather", *files], check=True)
        return read(files[0])


def deliver(text):
    os.makedirs("out", exist_ok=True)
    pathlib.Path("out/final.txt").write_text(text)
'''


def held(root, store):
    """The file below store in which an engine keeps the result of stage 2 of one subject."""
    for path in (root / store).rglob("*"):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            if b"S0001 ROW 63" in data and b"stage2" in data and not any(x in data for x in (b"stage3", b"S0000", b"s0000")):
                return path.relative_to(root)
    raise FileNotFoundError("no result of stage 2 in " + store)


class Values(Adapter):
    package = store = None  # the engine's package; the directory of its results, in the workspace
    root = None

    def version(self):
        return subprocess.getoutput(f"{PYTHON} -c 'import importlib.metadata as m; print(m.version(\"{self.package}\"))'")

    @property
    def inter(self):
        return held(self.root, self.store)

    def gen(self, w):
        self.root = w.root
        (w.root / "jobs.py").write_text(JOBS)
        (w.root / "flow.py").write_text(self.flow([sid(i) for i in range(w.S)], ', "v2"' if w.variant == 2 else ""))

    def cmd(self, w, j=2, target=None):
        return [PYTHON, "flow.py"]
