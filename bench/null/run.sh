#!/bin/sh
# run.sh [COHORTS]: runs null.yaml on that many simulated cohorts (40) without a planted
# difference, and tells whether the p are spread evenly. Some 4 s of a CPU a cohort.
set -eu
cd "$(dirname "$0")/../.."
n=${1:-40}
work=${NULL_WORK:-$(mktemp -d)}
go build -o "$work/pipeline" ./cmd/pipeline
for seed in $(seq 1 "$n"); do
	for out in permutation.test evaluate.summary biomarkers.ranking biomarkers.null; do
		[ -s "$work/$seed.$out.tsv" ] || {
			"$work/pipeline" run bench/null/null.yaml --set seed="$seed" --store "$work/store" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
			"$work/pipeline" export bench/null/null.yaml "$out" --set seed="$seed" --store "$work/store" -o "$work/$seed.$out.tsv" >/dev/null
		}
	done
done
go run ./bench/null "$work" "$work/null.svg"
echo "picture: $work/null.svg"
