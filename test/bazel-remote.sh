#!/usr/bin/env bash
# Builds bazel-remote 2.6.1, a server that keeps the results of builds, as the file FILE:
# bazel-remote.sh FILE. (go install would ask for all its versions, which a proxy may not list.)
set -euo pipefail
file=$(realpath -m "$1")
cd "$(mktemp -d)"
sources=$(go mod download -json github.com/buchgr/bazel-remote/v2@v2.6.1 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
go build -C "$sources" -o "$file" .
