"""Ours, for the battery of engines: the workload as a pipeline file.

PIPELINE names the program (run.sh sets it). Each subject has four stages, each with its input, its code file and its parameter
file as declared inputs; the last one gathers. The final file is taken out of the store
with `pipeline export`, as a user would: in the scenarios by the same command, in the
timings (RUN_ONLY=1) after them, to see that it is right.
"""
import shlex
from common import *

# The scripts of the battery hang, when they are told to, on an input called s0005; here an
# input is called what its port is, so that the battery's kill would never come. NAMED=1
# gives them the name, at the price of one more process a job.
NAMED = os.environ.get("NAMED")
RUN_ONLY = os.environ.get("RUN_ONLY")

EXE = os.environ.get("PIPELINE", "pipeline")
EXPORT = [EXE, "export", "-q", "battery.yaml", "final", "-o", "out/final.txt"]


class A(Adapter):
    name = "PR-GNN Pipeline"
    root = None

    @property
    def inter(self):
        """What lies between is a result in the store: that of one subject's stage 2, as a file."""
        shown = subprocess.run([EXE, "show", "battery.yaml", "stage2[s0001].result", "--where", "--json"], cwd=self.root, capture_output=True, text=True, check=True)
        return next(o["path"] for o in map(json.loads, shown.stdout.splitlines()) if o.get("event") == "file")

    def version(self):
        return subprocess.getoutput(f"{EXE} version").split("\n")[0]

    def gen(self, w):
        self.root = w.root
        ids = [sid(i) for i in range(w.S)]
        lines = ["pipeline: battery", "stages:"]
        for k in STAGES:
            source = '{ file: "in/${s}.txt" }' if k == 1 else f"stage{k-1}.result"
            axis = f"&ids {{ s: [{', '.join(ids)}] }}" if k == 1 else "*ids"
            more = ', "v2"' if k == 4 and w.variant == 2 else ""
            command = 'sh, "{code}"'
            if NAMED:  # the link makes the file's name that of the subject
                command = """sh, -c, 'ln -s "$2" "$1.txt"; c=$0; n=$1.txt; shift 2; sh "$c" "$n" "$@"', "{code}", "{id}\""""
            lines += [
                f"  stage{k}:",
                "    use: exec",
                f"    matrix: {axis}",
                f"    in: {{ source: {source}, code: {{ file: code/stage{k}.sh }}, param: {{ file: param/p{k}.txt }} }}",
                "    with:",
                f"      command: [{command}, \"{{source}}\", \"{{param}}\", \"{{result}}\"{more}]",
                "      inputs: [source, code, param]",
                "      outputs: [result=text]",
                *(["      parameters: [\"id=${s}\"]"] if NAMED else []),
            ]
        lines += [
            "  final:",
            "    use: exec",
            '    in: { parts: "stage4[*].result", code: { file: code/agg.sh } }',
            "    with:",
            # the gathered input is a table of the members: its last column is the path
            '''      command: [sh, -c, "sh \\"$0\\" \\"$1\\" $(tail -n +2 \\"$2\\" | cut -f2)", "{code}", "{result}", "{parts}"]''',
            '      inputs: ["parts*", code]',
            "      outputs: [result=text]",
        ]
        (w.root / "battery.yaml").write_text("\n".join(lines) + "\n")

    def cmd(self, w, j=2, target=None):
        one = [EXE, "run", "-q", f"-j{j}", "battery.yaml"]
        if RUN_ONLY:
            return one
        return ["sh", "-c", f"mkdir -p out && {shlex.join(one)} && {shlex.join(EXPORT)}"]

    def finalok(self, w):
        if RUN_ONLY:
            (w.root / "out").mkdir(exist_ok=True)
            subprocess.run(EXPORT, cwd=w.root)
        return super().finalok(w)
