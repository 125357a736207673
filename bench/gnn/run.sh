#!/usr/bin/env bash
# Training beside PyTorch, all in one run on the same arrays: bench/gnn/run.sh [RESULTS]
#
#   raw.jsonl    a line a measurement: seconds of wall clock and of CPU an epoch, resident memory
#   table.md     ours against each form of PyTorch, least of the rounds
#
# Needs python3 with numpy and torch (Debian: python3-torch); without torch only ours is
# measured. PYTHON=… takes another interpreter, ROUNDS=3 says how often everything is
# measured in turn, EPOCHS=20 how long. The machine should be quiet: on a shared one trust the
# least CPU time and ratios within a round.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
results=$(mkdir -p "${1:-$here/results}" && cd "${1:-$here/results}" && pwd)
python=${PYTHON:-python3}
rounds=${ROUNDS:-3}
epochs=${EPOCHS:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$project" && go build -o "$work/gnn" ./bench/gnn)
OPENBLAS_NUM_THREADS=1 "$python" "$here/gen_timing_data.py" "$work/data" >&2
# PyTorch's spinning threads cost it 5 to 20 times on two busy cores.
export OMP_WAIT_POLICY=PASSIVE GOMP_SPINCOUNT=0
raw=$results/raw.jsonl
: >"$raw"
torch=no
"$python" -c 'import torch' 2>/dev/null && torch=yes
for _ in $(seq "$rounds"); do
	for threads in 1 2; do
		for model in "topk bce" "topk mmd" "sage bce" "sage mmd"; do
			set -- $model
			"$work/gnn" -pool "$1" -distance "$2" -threads "$threads" -epochs "$epochs" "$work/data" >>"$raw"
		done
		"$work/gnn" -precision float64 -threads "$threads" -epochs "$epochs" "$work/data" >>"$raw"
		"$work/gnn" -variant authors-code -threads "$threads" -epochs "$epochs" "$work/data" >>"$raw"
		if [ "$torch" = yes ]; then
			for form in dense_fast dense pyg authors; do
				OPENBLAS_NUM_THREADS=$threads OMP_NUM_THREADS=$threads "$python" "$here/time_torch.py" "$work/data" \
					--form "$form" --threads "$threads" --epochs 5 2>/dev/null | grep '^{' >>"$raw"
			done
		fi
	done
done
"$work/gnn" -repeat 11 -epochs 5 "$work/data" >>"$raw"
OPENBLAS_NUM_THREADS=1 "$python" "$here/gen_timing_data.py" "$work/large" --subjects 20 --nodes 400 >&2
"$work/gnn" -epochs 5 "$work/large" >>"$raw"
"$python" "$here/table.py" "$raw" >"$results/table.md"
cat "$results/table.md"
