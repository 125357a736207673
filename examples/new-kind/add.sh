#!/usr/bin/env bash
# examples/new-kind/add.sh DIR: adds the stage kind strength to a copy of this repository in DIR,
# which must not exist, and runs it: two new files, then make generate.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:?usage: add.sh DIR}
mkdir "$dir"
(cd "$here/../.." && git ls-files -co --exclude-standard -z | while IFS= read -r -d '' f; do [ ! -e "$f" ] || printf '%s\0' "$f"; done | tar --null -T - -cf -) | tar -xf - -C "$dir"
cd "$dir"

echo "== 1. the kind: one file in the room of its topic"
cp "$here/strength.go.txt" stages/prepare/strength.go
go test ./stages -run '^TestBattery$/^$' || echo "   (this error says all that it lacks)"

echo "== 2. its example, and the digests of what it makes there"
cp "$here/strength.txt" stages/testdata/battery/
go run ./dag/codeid ./stages
go test ./stages -run '^TestBattery$/^strength$' -update

echo "== 3. its test"
go test ./stages -run '^TestBattery$/^strength$' -v

echo "== 4. a pipeline"
go build -o pipeline-strength ./cmd/pipeline
cp "$here/strength.yaml" .
./pipeline-strength run -q strength.yaml --until strength
./pipeline-strength show strength.yaml strength

echo "== what a commit would hold"
diff -rq "$here/../.." . | grep -E '^(Only in \./stages|Files .* differ)' | sed -e "s|$here/../../||" || true
