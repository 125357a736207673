#!/usr/bin/env bash
# test/fuzz.sh [REGEXP]: runs every fuzz target of the tree, or those whose package.Name matches,
# for FUZZTIME each and prints a table in Markdown. Exits with 1 when a target fails; its input is
# then in testdata/fuzz beside it.
#
# FUZZTIME is a time (default 10m), a number of executions (1000000x), or both ("1000000x 10m",
# needs timeout of coreutils): what comes first ends the target.
#
# -fuzzminimizetime 1x: with Go's default a slow target spends its minute on shortening one
# input (8 to 100 executions were seen).
set -uo pipefail
cd "$(dirname "$0")/.."
until=() # when to interrupt go, which then ends as at its limit
read -r limit most <<<"${FUZZTIME:-10m}"
[ -z "$most" ] || until=(timeout --signal=INT "$most")
log=$(mktemp)
trap 'rm -f "$log"' EXIT

targets=$(go test -list '^Fuzz' ./...) || { echo "$targets"; exit 1; }
targets=$(awk '/^Fuzz/ { names = names " " $1 } $1 == "ok" { n = split(names, a, " "); for (i = 1; i <= n; i++) print $2, a[i]; names = "" }' <<<"$targets")
failed=0
echo "| target | executions | time | new inputs | result |"
echo "|---|---|---|---|---|"
while read -r package name; do
	[[ "$package.$name" =~ ${1:-} ]] || continue
	result="no failure"
	# Building it takes none of its time.
	[ -z "$most" ] || go test -run '^$' -fuzz "^$name\$" -fuzztime 1x "$package" >/dev/null 2>&1
	"${until[@]}" go test -run '^$' -fuzz "^$name\$" -fuzztime "$limit" -fuzzminimizetime 1x "$package" >"$log" 2>&1
	if ! grep -q "^ok[[:space:]]*$package[[:space:]]" "$log"; then
		result="**failed**"
		failed=1
		cat "$log" >&2
	fi
	# fuzz: elapsed: 1m0s, execs: 12345 (205/sec), new interesting: 12 (total: 120)
	last=$(grep '^fuzz: elapsed:.*execs:' "$log" | tail -1)
	field() { sed -nE "s/.*$1: ([^ ,]+).*/\1/p" <<<"$last"; }
	echo "| ${package#prgnn/}.$name | $(field execs) | $(field elapsed) | $(field 'new interesting') | $result |"
done <<<"$targets"
exit $failed
