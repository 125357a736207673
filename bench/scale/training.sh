#!/usr/bin/env bash
# Training on more graphs than memory holds, beside training in memory, in turn: after each epoch that reads a file,
# that process is stopped while six epochs of 12,000 graphs run in memory. A machine changes its speed with what its
# neighbors do; within a turn of some seconds it hardly does.
#
#   bench/scale/training.sh [GRAPHS=400000] [EPOCHS=4]
#
# As root, the file's process gets a memory cgroup of 2 GiB, so that the system's cache cannot hold the file either.
# Needs 14.3 kB of disk a graph under TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/../.."
graphs=${1:-400000} epochs=${2:-4}
work=$(mktemp -d)
child=
trap '[ -z "$child" ] || kill -CONT "$child" 2>/dev/null && kill "$child" 2>/dev/null; rm -rf "$work"' EXIT
go build -o "$work/training" ./bench/scale/training

limit() { # the memory of this process and of what it starts
	local v1=/sys/fs/cgroup/memory/prgnn-training v2=/sys/fs/cgroup/prgnn-training
	if mkdir -p "$v1" 2>/dev/null && echo $((2 << 30)) >"$v1/memory.limit_in_bytes" 2>/dev/null; then
		echo $BASHPID >"$v1/cgroup.procs"
	elif mkdir -p "$v2" 2>/dev/null && echo $((2 << 30)) >"$v2/memory.max" 2>/dev/null; then
		echo $BASHPID >"$v2/cgroup.procs"
	else
		echo "no memory cgroup here: the system's cache may hold the file" >&2
	fi
}

mkfifo "$work/lines"
(
	limit
	exec "$work/training" -graphs "$graphs" -epochs "$epochs" -dir "$work"
) >"$work/lines" &
child=$!
stopped=0
while read -r line; do
	case $line in
	epoch*)
		kill -STOP "$child"
		from=$(date +%s%N)
		# The line counts the stop of the turn before.
		awk -v s="$stopped" -v n="$graphs" '{ printf "file: %s %.1f µs a graph, %s of processor\n", $2, $13 - s / 1e3 / n, $15 }' <<<"$line"
		"$work/training" -graphs 12000 -epochs 6 -dir "$work" | awk '/^epoch/ && NR > 3 { print $13, $15 }' | sort -n |
			awk '{ wall[NR] = $1; used[NR] = $2 } END { m = int((NR + 1) / 2); printf "memory:  %.1f µs a graph, %.1f of processor\n", wall[m], used[m] }'
		stopped=$(($(date +%s%N) - from))
		kill -CONT "$child"
		;;
	*) echo "$line" ;;
	esac
done <"$work/lines"
child=

# What the disk takes without a training, within the same memory.
(
	limit
	exec "$work/training" -graphs "$graphs" -epochs 3 -dir "$work" -model none
)
