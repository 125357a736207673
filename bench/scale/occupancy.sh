#!/usr/bin/env bash
# How busy pilots are kept by many short tasks, which sleep and need no processor:
#
#   bench/scale/occupancy.sh [TASKS=2000] [PILOTS=60] [SECONDS=1] [FLAGS="--executor slurm"]
#
# Prints a table, and leaves occupancy.tsv and occupancy.svg in the working directory. The cluster
# must see TMPDIR; test/slurm/up.sh makes one of three nodes (CPUS=20 MEM=11000 gives 60 slots).
# Other pipelines: bench/scale/occupancy.py.
set -euo pipefail
tasks=${1:-2000} pilots=${2:-60} seconds=${3:-1} flags=${4:-"--executor slurm"}
here=$(pwd)
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "${PRGNN_PIPELINE:-}" ]; then cp "$PRGNN_PIPELINE" "$work/pipeline"; else CGO_ENABLED=0 go build -o "$work/pipeline" ./cmd/pipeline; fi
cat >"$work/naps.yaml" <<YAML
stages:
  naps:
    use: exec
    matrix: { n: [1..$tasks] }
    with:
      command: [sh, -c, "sleep $seconds; echo {n} >\$1", sh, "{nap}"]
      outputs: [nap=text]
      parameters: ["n=\${n}"]
YAML
# shellcheck disable=SC2086 # flags are words
python3 bench/scale/occupancy.py "$pilots" "$here/occupancy" \
  "$work/pipeline" run "$work/naps.yaml" $flags --pilots "$pilots"
