"""Kedro, which has no cache: `kedro run` runs every node. Texts are files of the catalog."""
from adapters.values import *

FLOW = '''\
from kedro.pipeline import node, pipeline
import jobs

ids = IDS


def stage(k, s):
    more = [MORE] if k == 4 else []
    source = f"stage{k-1}_{s}" if k > 1 else f"in_{s}"
    return node(lambda *texts: jobs.stage(*texts, s, *more), [f"code{k}", source, f"param{k}"],
                f"stage{k}_{s}", name=f"stage{k}_{s}")


def register_pipelines():
    nodes = [stage(k, s) for s in ids for k in (1, 2, 3, 4)]
    nodes.append(node(lambda code, *parts: jobs.gather(code, parts), ["code"] + [f"stage4_{s}" for s in ids],
                      "final", name="final"))
    return {"__default__": pipeline(nodes)}
'''

CATALOG = '''\
"{kind}_{subject}": { type: text.TextDataset, filepath: "{kind}/{subject}.txt" }
"code{k}": { type: text.TextDataset, filepath: "code/stage{k}.sh" }
"param{k}": { type: text.TextDataset, filepath: "param/p{k}.txt" }
code: { type: text.TextDataset, filepath: code/agg.sh }
final: { type: text.TextDataset, filepath: out/final.txt }
'''


class A(Values):
    name, package = "Kedro", "kedro"
    inter = "stage2/s0001.txt"

    def env(self, w):
        return {"DO_NOT_TRACK": "1", "KEDRO_DISABLE_TELEMETRY": "1"}

    def flow(self, ids, more):
        for file, text in {
            "pyproject.toml": f'[tool.kedro]\npackage_name = "battery"\nproject_name = "battery"\nkedro_init_version = "{self.version()}"\n',
            "conf/base/catalog.yml": CATALOG,
            "conf/local/catalog.yml": "",
            "src/battery/__init__.py": "",
            "src/battery/settings.py": "",
            "src/battery/pipeline_registry.py": FLOW.replace("IDS", repr(ids)).replace("MORE", more.strip(", ")),
            "src/jobs.py": JOBS,
        }.items():
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            (self.root / file).write_text(text)
        return ""

    def cmd(self, w, j=2, target=None):
        return [PYTHON, "-m", "kedro", "run", "--runner=ThreadRunner"]
