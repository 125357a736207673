#!/usr/bin/env bash
# The engine beside others, all in one run: bench/engine/run.sh [RESULTS]
#
#   first run, no-op and one changed input of 1,001 and 5,001 jobs   speed-1001.txt, speed-5001.txt
#   fifteen scenarios of correctness                                 scenarios.txt
#   a second clone with a shared store; an input of 512 MB           share.txt
#   ours alone on 1,000, 10,000 and 100,000 tasks of no work         alone.md
#
# Needs the battery of engines ($PRGNN_SHARED/peers/engines; default ../shared beside the
# project), bash, python3, /usr/bin/time, and of the peers those that are installed
# (Debian: ninja-build, make). Snakemake, DVC and redun get a virtual environment in
# ${XDG_CACHE_HOME:-~/.cache}/prgnn-bench-engines, unless ENGINES_VENV names one that has
# them. Other sizes, peers, parts, or a program that is built already:
#
#   SUBJECTS="250 1250" PEERS="ninja make snakemake dvc redun" SLOW="…" PARTS="speed scenarios share alone" PIPELINE=FILE
#
# The peers under SLOW take part in the smaller size only. A peer's scenarios:
# PARTS=scenarios SCENARIOS="pipeline dvc".
#
# On a shared machine trust the least wall time, CPU time and ratios.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
battery=${PRGNN_SHARED:-$project/../shared}/peers/engines
results=$(mkdir -p "${1:-$here/results}" && cd "${1:-$here/results}" && pwd)
if [ ! -f "$battery/speed.py" ]; then
	echo "no battery of engines in $battery: set PRGNN_SHARED to the directory that holds peers/engines" >&2
	exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/adapters"
for script in "$battery"/*.py; do # some name their scratch directory
	sed "s#/[a-z]*/prgnn-engines#$work/scratch#" "$script" >"$work/$(basename "$script")"
done
mkdir "$work/scratch"
cp "$battery"/adapters/*.py "$work/adapters/"
cp "$here/pipeline_adapter.py" "$work/adapters/pipeline.py"
if [ -z "${PIPELINE-}" ]; then
	(cd "$project" && go build -o "$work/pipeline" ./cmd/pipeline)
	PIPELINE=$work/pipeline
fi
export PIPELINE

venv=${ENGINES_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/prgnn-bench-engines}
wanted=" ${PEERS-ninja make snakemake dvc redun} ${SCENARIOS-} "
if [ -z "${ENGINES_VENV-}" ] && [[ $wanted =~ \ (snakemake|dvc|redun)\  ]] && ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
	if python3 -m venv "$venv" && "$venv/bin/python" -m pip install --quiet -r "$here/requirements.txt"; then
		cp "$here/requirements.txt" "$venv/requirements.txt"
	fi
fi
PATH=$PATH:$venv/bin
export SNAKEMAKE=${SNAKEMAKE:-$(command -v snakemake || true)} DVC=${DVC:-$(command -v dvc || true)} DVC_NO_ANALYTICS=1
export REDUN=${REDUN:-$(command -v redun || true)} REDUN_PYTHONPATH=

peers=()
for peer in ${PEERS-ninja make snakemake dvc redun}; do
	if command -v "$peer" >/dev/null; then peers+=("$peer"); else echo "$peer is not installed: left out" >&2; fi
done

machine() {
	echo "# $(uname -sm), $(nproc) CPUs, load $(cut -d' ' -f1-3 /proc/loadavg) at the start"
}

cd "$work"
for part in ${PARTS-speed scenarios share alone}; do
	case $part in
	alone)
		{ machine; echo; python3 "$here/alone.py" "$PIPELINE" "$work" 1000 10000 100000; } | tee "$results/alone.md" ;;
	scenarios)
		{ machine; NAMED=1 python3 scenarios.py --dir "$work/scenarios" ${SCENARIOS-pipeline}; } | tee "$results/scenarios.txt" ;;
	share)
		{
			machine
			PIPELINE_STORE="$work/shared" python3 share.py pipeline
			RUN_ONLY=1 python3 bigfile.py pipeline
		} | tee "$results/share.txt" ;;
	speed)
		for subjects in ${SUBJECTS-250 1250}; do
			{
				machine
				took=()
				for peer in ${peers[@]+"${peers[@]}"}; do
					if [ "$subjects" -le 250 ] || [[ " ${SLOW-snakemake dvc redun} " != *" $peer "* ]]; then took+=("$peer"); fi
				done
				RUN_ONLY=1 python3 speed.py -S "$subjects" -n 9 --dir "$work/speed" pipeline ${took[@]+"${took[@]}"}
			} | tee "$results/speed-$((4 * subjects + 1)).txt"
		done ;;
	*)
		echo "PARTS has speed, scenarios, share and alone; there is no part $part" >&2
		exit 2 ;;
	esac
done
