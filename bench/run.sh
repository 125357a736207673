#!/usr/bin/env bash
# Peers and us in one run: bench/run.sh [nifti] [connectivity] [gnn] [baseline] [engine]
#                                     and by name only: startup, commands (connectivity as a command), scan (as a command),
#                                     quick, biopoint, paper, abide_run, multiverse, table1, rest40 (whole runs), duplicates, tasks, exec,
#                                     abide_table, abide_stages (of all of ABIDE), brainnetcnn, abide, baseline_abide, beyond, edges,
#                                     scale, proof (arm64; five minutes), null, weather (one job by several engines)
#
# Without names, all of them. The Python peers get a virtual environment in
# ${XDG_CACHE_HOME:-~/.cache}/prgnn-bench, unless PRGNN_BENCH_PYTHON names an interpreter
# that has them. Raw output goes to bench/results; its lines "figure NAME VALUE" go into docs/figures.tsv,
# if a page has that figure, and from there into the pages: go test ./docs -run Figures -update.
# Machines are noisy: compare the ratios of one run, not seconds of two.
set -euo pipefail
cd "$(dirname "$0")/.."
results=bench/results
mkdir -p "$results"

python=${PRGNN_BENCH_PYTHON:-}
if [ -z "$python" ]; then
	venv=${XDG_CACHE_HOME:-$HOME/.cache}/prgnn-bench
	python=$venv/bin/python
	if ! cmp -s bench/requirements.txt "$venv/requirements.txt"; then
		python3 -m venv "$venv"
		"$python" -m pip install --quiet -r bench/requirements.txt
		cp bench/requirements.txt "$venv/requirements.txt"
	fi
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bench_nifti() {
	"$python" bench/nifti/generate.py "$work/nifti"
	"$python" bench/nifti/compare.py "$work/nifti"
}

bench_connectivity() {
	go run ./bench/connectivity -python "$python"
}

# A classifier on real matrices: needs the series of ABIDE's NYU site.
bench_abide() {
	"$python" bench/connectivity/abide.py "${PRGNN_SHARED:-../shared}/data/abide_nyu"
}

bench_gnn() {
	PYTHON=$python bench/gnn/run.sh "$results/training"
}

# ROUNDS=2 says how often everything is measured in turn, EPOCHS=3 how long the networks.
baselines() { # of the arrays in $1, or some of the models
	go build -o "$work/bench-baseline" ./bench/baseline
	for _ in $(seq "${ROUNDS:-2}"); do
		for threads in 1 2; do
			"$work/bench-baseline" -threads "$threads" -epochs "${EPOCHS:-3}" ${2:+-models "$2"} "$1"
			OMP_WAIT_POLICY=PASSIVE OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads \
				"$python" -W ignore bench/baseline/peers.py "$1" --threads "$threads" --epochs "${EPOCHS:-3}" ${2:+--models "$2,logistic-optimum"}
		done
	done | tee "$1/raw.jsonl"
	"$python" bench/baseline/table.py "$1/raw.jsonl"
}

bench_baseline() {
	[ -d "$work/gnn" ] || "$python" bench/gnn/gen_timing_data.py "$work/gnn"
	baselines "$work/gnn"
}

# The same on real matrices.
bench_baseline_abide() {
	"$python" bench/baseline/abide_arrays.py "${PRGNN_SHARED:-../shared}/data/abide_nyu" "$work/abide"
	baselines "$work/abide" svm,linear-svm,ridge,logistic,forest,mlp | grep -v ^figure
}

# BrainGNN, the Brain Network Transformer and meanMLP on random data of ABIDE's size, with 200 regions.
bench_beyond() {
	go build -o "$work/beyond" ./bench/beyond
	local peers=${PRGNN_SHARED:-../shared}/peers/beyond
	for _ in $(seq "${ROUNDS:-3}"); do
		for model in braingnn bnt meanmlp; do
			"$work/beyond" -model $model
			form=$([ $model != braingnn ] || echo "--form dense")
			OMP_WAIT_POLICY=PASSIVE "$python" "$peers/time_$model.py" $form --epochs 3
			[ $model != braingnn ] || continue
			"$work/beyond" -model $model -threads 2
			for policy in ACTIVE PASSIVE; do # the peer's better one counts
				OMP_WAIT_POLICY=$policy "$python" "$peers/time_$model.py" --threads 2 --epochs 3
			done
		done
	done | tee "$work/beyond.jsonl"
	"$python" bench/beyond/figures.py "$work/beyond.jsonl"
}

# Whole commands; OLD=FILE is a program to alternate with, such as one built before a change.
commands() {
	go build -o "$work/pipeline" ./cmd/pipeline
	mkdir -p "$work/commands-$1"
	script=$PWD/bench/commands/commands.py
	(cd "$work/commands-$1" && "$python" "$script" "$1" ${OLD:+"$OLD"} "$work/pipeline")
}

bench_startup() { commands startup; }
bench_commands() { commands connectivity; }
bench_scan() { commands scan; }
for run in quick biopoint paper table1 abide_run multiverse rest40 duplicates; do eval "bench_$run() { commands $run; }"; done
export DATA=${DATA:-${PRGNN_SHARED:-$PWD/../shared}/data}
bench_abide_stages() { ABIDE=${ABIDE:-$DATA/abide_pcp} commands abide; }
# The table of classifiers of docs/abide.md; STORE=DIR keeps the results.
bench_abide_table() {
	go build -o "$work/pipeline" ./cmd/pipeline
	local args=(abide.yaml --set "data=$DATA/abide_pcp" --store "${STORE:-$work/store}")
	(cd "$work" && ./pipeline run "${args[@]}" --until evaluate -q && ./pipeline export "${args[@]}" evaluate.summary -o summary.csv -q)
	"$python" bench/abide/table.py abide "$work/summary.csv" "$results/abide.md"
}
# 1,001 commands beside make and ninja, the least of five runs.
bench_exec() {
	for _ in 1 2 3 4 5; do
		PAUSE=6 SUBJECTS=250 PARTS=speed PEERS="ninja make" bench/engine/run.sh "$work/exec" | grep '^{'
	done | tee "$work/exec.jsonl"
	"$python" - "$work/exec.jsonl" <<-'END'
		import json, sys
		least, worst = {}, 0
		for r in map(json.loads, open(sys.argv[1])):
		    assert r["ok"], r
		    if r["adapter"] == "pipeline":
		        worst = max(worst, r["cold_s"])
		    least[r["adapter"]] = min(r["cold_s"], least.get(r["adapter"], 1e9))
		ours = least.pop("pipeline")
		print(f"figure exec.wall {ours:.2f} s\nfigure exec.worst {worst:.2f} s")
		for peer, took in least.items():
		    print(f"figure exec.{peer} {ours / took:.1f}×")
	END
}
bench_tasks() { PARTS=alone bench/engine/run.sh "$results/engine"; }

# One permutation of the tests of edges.
bench_edges() {
	go test ./stages/inference/edgewise -run '^$' -bench Permutations -cpu 1 -benchtime 4999x | tee "$work/edges"
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$python" bench/edges/peers.py "$work/edges"
}

# An epoch of BrainNetCNN beside PyTorch's.
bench_brainnetcnn() {
	[ -d "$work/gnn" ] || "$python" bench/gnn/gen_timing_data.py "$work/gnn"
	baselines "$work/gnn" brainnetcnn
}

bench_engine() {
	bench/engine/run.sh "$results/engine"
}

bench_weather() {
	bench/engine/weather/run.sh "$results/engine"
}

# Not a matter of speed: the digests of quick.yaml on arm64, under qemu.
bench_proof() {
	bench/proof/arm64.sh
}

bench_scale() {
	bench/scale/run.sh 40000
}

# Whether nothing is found where nothing is: some three minutes of a CPU.
bench_null() {
	mkdir "$work/null"
	NULL_WORK="$work/null" bench/null/run.sh 40
	cp "$work/null/null.svg" "$results/null.svg"
}

# record SOURCE OUTPUT puts the figures of an output that a page has into docs/figures.tsv; where others were at work
# at the start, no wall times and ratios.
busy=$(awk '$1 >= 1' /proc/loadavg 2>/dev/null || true)
record() {
	local name value row processor
	processor=$(lscpu 2>/dev/null | sed -n 's/^Model name: *//p')
	grep '^figure ' "$2" | while read -r _ name value; do
		grep -qF "<!-- $name -->" README.md docs/*.md || continue
		[[ -z $busy || $name =~ \.(cpu|memory|store|auc)$ ]] || continue
		row=$(printf '%s\t%s\t%s\t%s\t%s\t%s' "$name" "$value" "$1" "${processor:-$(uname -m)}" "$(date -u +%F)" "$(git rev-parse --short HEAD)")
		{ head -1 docs/figures.tsv; { awk -F'\t' -v name="$name" 'NR > 1 && $1 != name' docs/figures.tsv; echo "$row"; } | LC_ALL=C sort; } >"$work/figures.tsv"
		cp "$work/figures.tsv" docs/figures.tsv
	done || true
}

for name in "${@:-nifti connectivity gnn baseline engine}"; do
	for one in $name; do
		echo "== $one"
		"bench_$one" 2>&1 | tee "$results/$one.txt"
		record "bench/run.sh $one" "$results/$one.txt"
	done
done
