#!/usr/bin/env python3
"""The least processor time of an epoch and the largest memory, ours and PyTorch's: figures.py RESULTS.jsonl"""
import json, sys

epoch, memory = {}, {}
for r in map(json.loads, open(sys.argv[1])):
    key = r["model"], "torch" in r
    epoch[key] = min([epoch.get(key, 1e9), *r["cpu_seconds_per_epoch"]])
    memory[key] = max(memory.get(key, 0), r["peak_rss_mb"])
for model, peer in epoch:
    if peer:
        print(f"figure beyond.{model} {epoch[model, False]:.2g} s\nfigure beyond.{model}.memory {memory[model, False]:.0f} MB")
        print(f"figure beyond.{model}.PyTorch {epoch[model, True] / epoch[model, False]:.1f}×\n"
              f"figure beyond.{model}.PyTorch.memory {memory[model, True]:,.0f} MB")
