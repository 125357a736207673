#!/usr/bin/env bash
# The numbers and the figure of docs/when-prgnn.md: bench/when/run.sh NYU ABIDE [DIR]
#
# NYU and ABIDE are the directories of abide-nyu.yaml and abide.yaml (docs/data.md). One process at low priority takes about
# half an hour of a core and 3 GB in DIR (default: bench/results/when), whose store lets a second call continue.
# PYTHON: one with numpy.
set -euo pipefail
nyu=$(realpath "$1") abide=$(realpath "$2")
cd "$(dirname "$0")/../.."
dir=$(realpath -m "${3:-bench/results/when}")
mkdir -p "$dir/predictions" "$dir/matrices"
go build -o "$dir/pipeline" ./cmd/pipeline
export PIPELINE_STORE="$dir/store"

# study NAME FILE STAGES [--set …]: runs a file, and exports its choices and the predictions of these stages.
study() {
	local name=$1 file=bench/when/$2 stages=$3
	local out=$dir/predictions/$name
	shift 3
	nice -n 10 "$dir/pipeline" run "$file" "$@"
	mkdir -p "$out"
	for stage in chosen linear $stages; do
		"$dir/pipeline" export "$file" "$@" "$stage.predictions" -o "$out/$stage.csv"
	done
	for stage in chosen linear; do
		"$dir/pipeline" export "$file" "$@" "$stage.choice" -o "$out/choice-$stage.csv"
	done
	"$dir/pipeline" export "$file" "$@" folds -o "$out/folds.csv"
	"$dir/pipeline" export "$file" "$@" inner_folds -o "$out/inner_folds.csv"
	"$dir/pipeline" export "$file" "$@" connectivity.pearson -o "$dir/matrices/$name/"
	"${PYTHON:-python3}" bench/when/strength.py "$dir/matrices/$name" "$out"
}

study nyu nyu.yaml "eight rate batch longer ratio shorter decay density authors tangent tangent_ridge" --set "data=$nyu"
study abide abide.yaml eight --set "data=$abide"
for h in 0 0.5 0.7; do
	study "simulated-$h" simulated.yaml eight --set "heterogeneity=$h"
done
"${PYTHON:-python3}" bench/when/when.py "$dir/predictions" "$dir/when.svg" | tee "$dir/when.md"
