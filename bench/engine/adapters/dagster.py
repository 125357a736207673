"""Dagster with code and data versions: an asset a job, the files as observed source assets.

A run observes the files, then materializes what is missing or stale (the rule of
RunRequest(stale_assets_only=True)) until nothing is; an asset is stale when its own code or
inputs changed, so that a stage with the same output as before ends the chain.
"""
from adapters.values import *

FLOW = '''\
import hashlib
import dagster as dg
from dagster._core.definitions.data_version import StaleStatus
from dagster._core.definitions.observe import observe
from dagster._utils.test.data_versions import get_stale_status_resolver
import jobs


def version(text):
    return dg.DataVersion(hashlib.sha256(text.encode()).hexdigest())


def made(name, value, files, inputs):
    @dg.asset(name=name, code_version="MORE" if name.startswith("stage4") else "1", deps=files,
              ins={i: dg.AssetIn(key=i) for i in inputs})
    def asset(**texts):
        text = value(*(texts[i] for i in inputs))
        return dg.MaterializeResult(value=text, data_version=version(text))
    return asset


def stage(k, s):
    code, param = f"code/stage{k}.sh", f"param/p{k}.txt"
    more = [MORE] if k == 4 else []
    if k == 1:
        return made(f"stage1_{s}", lambda: jobs.stage(jobs.read(code), jobs.read(f"in/{s}.txt"), jobs.read(param), s),
                    [f"in_{s}", "code1", "param1"], [])
    return made(f"stage{k}_{s}", lambda text: jobs.stage(jobs.read(code), text, jobs.read(param), s, *more),
                [f"code{k}", f"param{k}"], [f"stage{k-1}_{s}"])


ids = IDS
paths = {f"in_{s}": f"in/{s}.txt" for s in ids} | {"code": "code/agg.sh"}
for k in (1, 2, 3, 4):
    paths |= {f"code{k}": f"code/stage{k}.sh", f"param{k}": f"param/p{k}.txt"}


@dg.multi_observable_source_asset(specs=[dg.AssetSpec(name) for name in paths])
def files():
    for name, path in paths.items():
        yield dg.ObserveResult(asset_key=name, data_version=version(jobs.read(path)))


assets = [stage(k, s) for s in ids for k in (1, 2, 3, 4)]
assets.append(made("final", lambda *parts: jobs.gather(jobs.read("code/agg.sh"), parts), ["code"], [f"stage4_{s}" for s in ids]))

if __name__ == "__main__":
    with dg.DagsterInstance.get() as instance:
        observe([files], instance=instance)
        for _ in range(5):  # as many rounds as a chain has assets
            statuses = get_stale_status_resolver(instance, [files] + assets)
            stale = [a.key for a in assets if statuses.get_status(a.key) != StaleStatus.FRESH]
            if not stale:
                break
            dg.materialize([files] + assets, instance=instance, selection=dg.AssetSelection.assets(*stale))
        jobs.deliver(dg.Definitions(assets=assets).load_asset_value("final", instance=instance))
'''


class A(Values):
    name, package, store = "Dagster (stale assets)", "dagster", ".dagster/storage"

    def env(self, w):
        return {"DAGSTER_HOME": str(w.root / ".dagster")}

    def flow(self, ids, more):
        home = self.root / ".dagster"
        home.mkdir(exist_ok=True)
        (home / "dagster.yaml").write_text("telemetry: {enabled: false}\npython_logs: {python_log_level: ERROR}\n")
        return FLOW.replace("IDS", repr(ids)).replace('"MORE"', '"2"' if more else '"1"').replace("MORE", more.strip(", "))
