#!/usr/bin/env bash
# Every stage kind gives the same bytes on other processors.
#
# The battery (stages/battery_test.go: every kind at work on small inputs, held against
# the digests in stages/testdata/battery) runs with the program compiled for newer
# amd64 processors, where the compiler fuses x·y+z as it does on arm64, and on arm64
# under qemu-aarch64-static where that is installed (Debian: qemu-user-static; a minute).
# Then quick.yaml as a whole: its lock from one program, audited by the other.
# bench/proof/arm64.sh does that on arm64, which takes five minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PRGNN_PYTHON=$(go run ./test -python) # of the stage kind estimator
export PRGNN_PYTHON

if [ "$(go env GOHOSTARCH)" = amd64 ] && grep -qw fma /proc/cpuinfo && grep -qw avx2 /proc/cpuinfo; then
	echo "amd64, v3: every kind"
	GOAMD64=v3 go test -count=1 -run Battery ./stages
	echo "amd64, v3: quick.yaml"
	GOAMD64=v1 go build -o "$work/pipeline" ./cmd/pipeline
	GOAMD64=v3 go build -o "$work/pipeline-v3" ./cmd/pipeline
	mkdir "$work/here"
	(cd "$work/here" && ../pipeline run -q quick.yaml && ../pipeline lock -q quick.yaml)
	mkdir "$work/there"
	cp "$work/here/run.lock" "$work/there"
	(cd "$work/there" && ../pipeline-v3 audit -q --lock run.lock --threads 2)
else
	echo "amd64, v3: not run, this processor is not one"
	[ -z "${PRGNN_REQUIRE:-}" ]
fi

if command -v qemu-aarch64-static >/dev/null; then
	echo "arm64: every kind"
	CGO_ENABLED=0 GOARCH=arm64 go test -c -o "$work/stages.test" ./stages
	(cd stages && qemu-aarch64-static "$work/stages.test" -test.run Battery)
else
	echo "arm64: not run, qemu-aarch64-static is not installed"
	[ -z "${PRGNN_REQUIRE:-}" ]
fi
