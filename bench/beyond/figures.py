#!/usr/bin/env python3
"""The least time of an epoch and the largest memory, ours and PyTorch's: figures.py RESULTS.jsonl

Processor time of one thread, wall time of two."""
import json, sys

epoch, memory = {}, {}
for r in map(json.loads, open(sys.argv[1])):
    key = r["model"], r["threads"], "torch" in r
    took = r["cpu_seconds_per_epoch" if r["threads"] == 1 else "seconds_per_epoch"]
    epoch[key] = min([epoch.get(key, 1e9), *took])
    memory[key] = max(memory.get(key, 0), r["peak_rss_mb"])
for model, threads, peer in epoch:
    if not peer:
        continue
    ours, theirs = (model, threads, False), (model, threads, True)
    name = f"beyond.{model}" + (".2" if threads == 2 else "")
    print(f"figure {name} {epoch[ours]:.2g} s\nfigure {name}.memory {memory[ours]:.0f} MB\n"
          f"figure {name}.PyTorch {epoch[theirs] / epoch[ours]:.1f}×\nfigure {name}.PyTorch.memory {memory[theirs]:,.0f} MB")
