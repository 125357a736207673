#!/usr/bin/env bash
# The tables of docs/salient.md: bench/gnn/salient.sh [DIR]
#
# All of it is simulated and trained anew, at low priority: one to two hours on two cores. Results go to DIR (default:
# bench/results/salient), whose store lets a second call continue. recovery.py needs numpy, scipy and pyarrow.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
dir=${1:-bench/results/salient}
mkdir -p "$dir"
go build -o "$dir/pipeline" ./cmd/pipeline
cp -r bench/gnn "$dir/"
cd "$dir"

run() { nice -n 10 ./pipeline run "$@" >/dev/null; }
export_() { ./pipeline export "$@"; }

# What the mean score finds, and what chance gives.
run gnn/recovery.yaml
export_ gnn/recovery.yaml train.scores -o seeds.arrow
export_ gnn/recovery.yaml shuffled.scores -o shuffled.arrow
export_ gnn/recovery.yaml cohort.truth -o truth.csv
"${PYTHON:-python3}" gnn/recovery.py seeds.arrow shuffled.arrow truth.csv | tee recovery.md

# What training adds, on the default cohort and on heterogeneous ones.
for h in 0 0.5 0.7; do
	run gnn/references.yaml --set cohort.heterogeneity=$h
	export_ gnn/references.yaml --set cohort.heterogeneity=$h biomarkers.recovery -o "references-$h.csv"
	export_ gnn/references.yaml --set cohort.heterogeneity=$h evaluate.summary -o "accuracy-$h.csv"
	export_ gnn/references.yaml --set cohort.heterogeneity=$h train.history -o "history-$h.csv" # stuck models: < 0.709
done

# Individual or group level.
run gnn/lambda.yaml
export_ gnn/lambda.yaml train.scores -o lambda.arrow
export_ gnn/lambda.yaml evaluate.summary -o lambda.csv
(cd "$root" && go run ./bench/gnn/consistency "$OLDPWD/lambda.arrow") | tee lambda.md
run paper.yaml --until levels
export_ paper.yaml individuality -o levels.csv
export_ paper.yaml levels -o levels.svg

# Several scanners.
run sites.yaml
for t in evaluate evaluate_site evaluate_site_out; do export_ sites.yaml $t.summary -o "sites-$t.csv"; done
export_ sites.yaml comparison -o sites-comparison.csv
