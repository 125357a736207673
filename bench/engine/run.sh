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
# them; the engines of adapters/requirements.txt (Hamilton, Prefect, Dagster, Kedro) get one
# below it, and Nextflow its jars from Maven Central (needs mvn and java).
# Other sizes, peers, parts, or a program that is built already:
#
#   SUBJECTS="250 1250" PEERS="ninja make snakemake dvc redun" SLOW="…" PARTS="speed scenarios share alone" PIPELINE=FILE
#
# The peers under SLOW take part in the smaller size only. A peer's scenarios:
# PARTS=scenarios SCENARIOS="pipeline dvc hamilton prefect dagster kedro kedro_missing nextflow_deep nextflow_standard".
#
# PAUSE is a time before each engine in seconds: after much was deleted, ext4 creates files slowly for a while.
# TIMEOUT is the time of one run of a scenario in seconds (default 120); NOOPS how often an
# unchanged workload is timed (default 9).
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
	sed -e "s#/[a-z]*/prgnn-engines#$work/scratch#" -e "s/timeout=1[25]0/timeout=${TIMEOUT:-120}/" \
		-e "s/-t0 < 120/-t0 < ${TIMEOUT:-120}/" "$script" >"$work/$(basename "$script")"
done
mkdir "$work/scratch"
cp "$battery"/adapters/*.py "$work/adapters/"
cp "$here"/adapters/*.py "$work/adapters/" # prefect.py: ours instead of theirs
if [ -z "${PIPELINE-}" ]; then
	(cd "$project" && go build -o "$work/pipeline" ./cmd/pipeline)
	PIPELINE=$work/pipeline
fi
export PIPELINE

venv=${ENGINES_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/prgnn-bench-engines}
wanted=" ${PEERS-ninja make snakemake dvc redun} ${SCENARIOS-} "
environment() { # DIRECTORY REQUIREMENTS: a virtual environment that has them
	cmp -s "$2" "$1/requirements.txt" && return
	if python3 -m venv "$1" && "$1/bin/python" -m pip install --quiet -r "$2"; then cp "$2" "$1/requirements.txt"; fi
}
if [ -z "${ENGINES_VENV-}" ] && [[ $wanted =~ \ (snakemake|dvc|redun)\  ]]; then
	environment "$venv" "$here/requirements.txt"
fi
export ENGINES=$venv/values/bin NEXTFLOW_JARS=$venv/nextflow NEXTFLOW=$here/adapters/nextflow.sh
if [[ $wanted =~ \ (hamilton|prefect|dagster|kedro|kedro_missing)\  ]]; then
	environment "$venv/values" "$here/adapters/requirements.txt"
fi
if [[ $wanted =~ \ nextflow ]] && command -v mvn >/dev/null && [ ! -d "$NEXTFLOW_JARS" ]; then
	mvn --batch-mode --quiet --file "$here/adapters/nextflow.xml" dependency:copy-dependencies \
		-DoutputDirectory="$NEXTFLOW_JARS" || rm -rf "$NEXTFLOW_JARS"
fi
PATH=$PATH:$venv/bin
export SNAKEMAKE=${SNAKEMAKE:-$(command -v snakemake || true)} DVC=${DVC:-$(command -v dvc || true)} DVC_NO_ANALYTICS=1
export REDUN=${REDUN:-$(command -v redun || true)} REDUN_PYTHONPATH=

installed() { # ADAPTER
	case $1 in
	pipeline) ;;
	hamilton | prefect | dagster | kedro | kedro_missing) "$ENGINES/python3" -c "import ${1%_missing}" ;;
	nextflow*) command -v java && [ -d "$NEXTFLOW_JARS" ] ;;
	*) command -v "$1" ;;
	esac >/dev/null 2>&1 || { echo "$1 is not installed: left out" >&2; return 1; }
}
peers=() scenarios=()
for peer in ${PEERS-ninja make snakemake dvc redun}; do
	if installed "$peer"; then peers+=("$peer"); fi
done
for peer in ${SCENARIOS-pipeline}; do
	if installed "$peer"; then scenarios+=("$peer"); fi
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
		{ machine; NAMED=1 python3 scenarios.py --dir "$work/scenarios" ${scenarios[@]+"${scenarios[@]}"}; } | tee "$results/scenarios.txt" ;;
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
				for peer in pipeline ${took[@]+"${took[@]}"}; do
					sleep "${PAUSE:-0}"
					RUN_ONLY=1 python3 speed.py -S "$subjects" -n "${NOOPS:-9}" --dir "$work/speed" "$peer"
				done
			} | tee "$results/speed-$((4 * subjects + 1)).txt"
		done ;;
	*)
		echo "PARTS has speed, scenarios, share and alone; there is no part $part" >&2
		exit 2 ;;
	esac
done
