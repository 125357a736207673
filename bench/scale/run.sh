#!/usr/bin/env bash
# The planner, the scheduler and the store at the size of a population study: a graph with
# the shape of biopoint.yaml, whose stages do next to nothing.
#
#   bench/scale/run.sh [PARTICIPANTS=40000]
#
# Prints wall time, peak memory, files and bytes. Needs some GB of disk under TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/../.."
participants=${1:-40000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/pipeline" ./cmd/pipeline
cat >"$work/scale.yaml" <<YAML
stages:
  parcels: { use: echo, matrix: { participant: [1..$participants] }, with: { value: "parcels of \${participant}" } }
  series: { use: echo, matrix: { participant: [1..$participants] }, with: { value: "series of \${participant}" }, in: { input: parcels } }
  clean: { use: echo, matrix: { participant: [1..$participants] }, with: { value: "clean of \${participant}" }, in: { input: series } }
  connectivity: { use: echo, matrix: { participant: [1..$participants] }, with: { value: "connectivity of \${participant}" }, in: { input: clean } }
  graphs: { use: echo, matrix: { participant: [1..$participants] }, with: { value: "graphs of \${participant}" }, in: { input: connectivity } }
  train: { use: echo, matrix: { fold: [1..5] }, with: { value: "fold \${fold}" }, in: { inputs: "graphs[*]" } }
YAML
time_of() { # label, command…
  local label=$1 from to
  shift
  from=$(date +%s.%N)
  /usr/bin/env python3 - "$@" <<'PY'
import resource, subprocess, sys
out = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(out.stdout.strip().splitlines()[-1])
print(f"  {used.ru_utime + used.ru_stime:.1f} s of processor, peak {used.ru_maxrss / 1024:.0f} MB", end=", ")
PY
  to=$(date +%s.%N)
  awk -v a="$from" -v b="$to" -v l="$label" 'BEGIN { printf "%.1f s: %s\n", b - a, l }'
}
echo "participants: $participants, tasks: $((5 * participants + 5))"
cd "$work"
time_of "plan, nothing done" ./pipeline plan scale.yaml
time_of "first run" ./pipeline run -q scale.yaml
time_of "second run, nothing to do" ./pipeline run -q scale.yaml
sed -i "s/\[1\.\.$participants\]/[1..$((participants + 1))]/g" scale.yaml
time_of "one participant more" ./pipeline run -q scale.yaml
echo "store: $(find .pipeline -type f | wc -l) files, $(du -sm .pipeline | cut -f1) MB on disk, at most $(find .pipeline -type f | sed 's#/[^/]*$##' | sort | uniq -c | sort -n | tail -1 | awk '{print $1}') files in a directory"
