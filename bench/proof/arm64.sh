#!/usr/bin/env bash
# An auditor with another processor: quick.yaml runs here, its lock goes to an empty
# directory, and the program built for arm64 repeats everything under emulation and
# compares every digest. Needs qemu-aarch64-static (or qemu-aarch64); without, it says so
# and ends with 0. On an arm64 machine GOARCH=amd64 and qemu-x86_64 take their places.
#
#   bench/proof/arm64.sh [PIPELINE]        quick.yaml when none is named
set -euo pipefail
cd "$(dirname "$0")/../.."
pipeline=${1:-quick.yaml}
case $(go env GOHOSTARCH) in
  amd64) other=arm64 qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true) ;;
  arm64) other=amd64 qemu=$(command -v qemu-x86_64-static || command -v qemu-x86_64 || true) ;;
  *) other='' qemu='' ;;
esac
if [ -z "$qemu" ]; then
  echo "skipped: no qemu for another processor here (Debian: qemu-user-static)"
  exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/pipeline" ./cmd/pipeline
CGO_ENABLED=0 GOARCH=$other go build -o "$dir/pipeline-$other" ./cmd/pipeline
mkdir "$dir/here" "$dir/there"
(cd "$dir/here" && ../pipeline run -q "$pipeline" && ../pipeline lock -q "$pipeline")
cp "$dir/here/run.lock" "$dir/there/"
cd "$dir/there"
"$qemu" "../pipeline-$other" version
time "$qemu" "../pipeline-$other" audit --lock run.lock --threads 2 -q
