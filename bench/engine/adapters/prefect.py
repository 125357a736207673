"""Prefect: a task a job, keyed on its arguments and its source; results persisted.

Each run starts Prefect's own temporary server, as `python flow.py` does where none runs.
"""
from adapters.values import *

FLOW = '''\
import jobs
from prefect import flow, task
from prefect.cache_policies import INPUTS, TASK_SOURCE
from prefect.task_runners import ThreadPoolTaskRunner

cached = task(cache_policy=INPUTS + TASK_SOURCE, persist_result=True)


@cached
def stage(code, source, param, subject, *more):
    return jobs.stage(code, source, param, subject, *more)


@cached
def gather(code, parts):
    return jobs.gather(code, parts)


@flow(task_runner=ThreadPoolTaskRunner(max_workers=2))
def main():
    code = {k: jobs.read(f"code/stage{k}.sh") for k in (1, 2, 3, 4)}
    param = {k: jobs.read(f"param/p{k}.txt") for k in (1, 2, 3, 4)}
    parts = []
    for s in IDS:
        text = jobs.read(f"in/{s}.txt")
        for k in (1, 2, 3):
            text = stage.submit(code[k], text, param[k], s)
        parts.append(stage.submit(code[4], text, param[4], sMORE))
    jobs.deliver(gather.submit(jobs.read("code/agg.sh"), parts).result())


main()
'''


class A(Values):
    name, package, store = "Prefect (INPUTS + TASK_SOURCE)", "prefect", ".prefect/storage"

    def env(self, w):
        return {"PREFECT_HOME": str(w.root / ".prefect"), "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",
                "PREFECT_LOGGING_LEVEL": "ERROR", "PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}

    def flow(self, ids, more):
        return FLOW.replace("IDS", repr(ids)).replace("MORE", more)
