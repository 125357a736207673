"""Hamilton with its cache: a function a node, subjects in parallel (Parallelizable, Collect).

Functions that read files are recomputed in each run, so that their contents enter the keys.
"""
from adapters.values import *

FLOW = '''\
import jobs
from hamilton.function_modifiers import cache
from hamilton.htypes import Collect, Parallelizable


def subject() -> Parallelizable[str]:
    for s in IDS:
        yield s


@cache(behavior="recompute")
def source(subject: str) -> str:
    return jobs.read(f"in/{subject}.txt")
'''

READ = '''
@cache(behavior="recompute")
def NAME() -> str:
    return jobs.read("PATH")
'''

STAGE = '''
def stageK(codeK: str, BEFORE: str, paramK: str, subject: str) -> str:
    return jobs.stage(codeK, BEFORE, paramK, subjectMORE)
'''

LAST = '''
def part(subject: str, stage4: str) -> list:
    return [subject, stage4]


def final(part: Collect[list], code: str) -> str:
    return jobs.gather(code, [text for _, text in sorted(part)])
'''

DRIVER = '''\
import nodes, jobs
from hamilton import driver
from hamilton.execution import executors

dr = (driver.Builder().with_modules(nodes).with_cache()
      .enable_dynamic_execution(allow_experimental_mode=True)
      .with_remote_executor(executors.MultiThreadingExecutor(max_tasks=2)).build())
jobs.deliver(dr.execute(["final"])["final"])
'''


class A(Values):
    name, package, store = "Hamilton (cache)", "apache-hamilton", ".hamilton_cache"

    def env(self, w):
        return {"HAMILTON_TELEMETRY_ENABLED": "false"}

    def flow(self, ids, more):
        nodes = FLOW.replace("IDS", repr(ids))
        for k in STAGES:
            nodes += READ.replace("NAME", f"code{k}").replace("PATH", f"code/stage{k}.sh")
            nodes += READ.replace("NAME", f"param{k}").replace("PATH", f"param/p{k}.txt")
            nodes += STAGE.replace("K", str(k)).replace("BEFORE", f"stage{k-1}" if k > 1 else "source").replace("MORE", more if k == 4 else "")
        (self.root / "nodes.py").write_text(nodes + READ.replace("NAME", "code").replace("PATH", "code/agg.sh") + LAST)
        return DRIVER
