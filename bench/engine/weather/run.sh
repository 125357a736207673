#!/usr/bin/env bash
# One job on weather stations by several engines: bench/engine/weather/run.sh [RESULTS]
#
# What each change runs again, and the seconds: weather.py lists the scenarios, and prints the table behind docs/engines.md to
# RESULTS/weather.md (default: bench/engine/results). GNU make, Snakemake, DVC, redun, and this program with the steps in
# Python and in Go (examples/weather/go). The Python packages go to a virtual environment in
# ${XDG_CACHE_HOME:-~/.cache}/prgnn-bench-weather, unless ENGINES_VENV names one that has requirements.txt.
#
#   ROUNDS=3   how often all scenarios are measured; the table has medians
#   PEERS=Make,Snakemake,DVC,Redun,Ours,OursGo
#
# Some three minutes a round on two free CPUs. On a shared machine trust the seconds of the processor.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../../.." && pwd)
results=$(mkdir -p "${1:-$here/../results}" && cd "${1:-$here/../results}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
venv=${ENGINES_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/prgnn-bench-weather}
if [ -z "${ENGINES_VENV-}" ] && ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
	python3 -m venv "$venv"
	"$venv/bin/python" -m pip install --quiet -r "$here/requirements.txt"
	cp "$here/requirements.txt" "$venv/requirements.txt"
fi
export CGO_ENABLED=0
(cd "$project" && go build -o "$work/pipeline" ./cmd/pipeline)
(cd "$project/examples/weather/go" && go build -o "$work/go-pipeline" .)
{
	echo "# $(uname -sm), $(nproc) CPUs, load $(cut -d' ' -f1-3 /proc/loadavg) at the start"
	echo
	"$venv/bin/python" "$here/weather.py" "$venv" "$work/pipeline" "$work/go-pipeline" "$work/work" "${ROUNDS:-3}" ${PEERS:+"$PEERS"}
} | tee "$results/weather.md"
