#!/usr/bin/env bash
# test/workflows.sh: Snakemake, Nextflow and DataLad run a study as docs/cluster.md states. What is unchanged does not
# run again, a change does, and what comes out has the same bytes. Needs Go, Python, Java and Maven.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
cache=${XDG_CACHE_HOME:-$HOME/.cache}/prgnn
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
fail() { echo "test/workflows.sh: $*" >&2; exit 1; }

wanted=(snakemake==9.27.1 datalad==1.7.1 git-annex==10.20261026)
python=$cache/workflows-$(echo "${wanted[@]}" | sha256sum | cut -c1-16)
[ -e "$python/complete" ] || { python3 -m venv "$python" && "$python/bin/pip" install -q "${wanted[@]}" && touch "$python/complete"; }
export NEXTFLOW_JARS=$cache/nextflow-24.10.5
[ -d "$NEXTFLOW_JARS" ] || { mvn --batch-mode --quiet --file bench/engine/adapters/nextflow.xml \
	dependency:copy-dependencies -DoutputDirectory="$NEXTFLOW_JARS.part" && mv "$NEXTFLOW_JARS.part" "$NEXTFLOW_JARS"; }

mkdir "$work/bin"
CGO_ENABLED=0 go build -trimpath -o "$work/bin/pipeline" ./cmd/pipeline
export PATH=$work/bin:$python/bin:$PATH HOME=$work NXF_OFFLINE=true NXF_ANSI_LOG=false
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@example.org GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@example.org

# new NAME makes a directory of this name with a study, and goes there.
new() { mkdir "$work/$1" && cd "$work/$1" && echo "extends: quick.yaml" >study.yaml; }
# runs N fails unless the store has records of this many runs of which only the first ran anything.
runs() {
	pipeline runs study.yaml --store store --json -q >"$work/runs"
	[ "$(wc -l <"$work/runs")" = "$1" ] || fail "$1 runs are wanted, not $(cat "$work/runs")"
	[ "$(grep -c '"ran":0,' "$work/runs")" = "$(($1 - 1))" ] || fail "a study that computes the same ran again"
}
same() { [ "$(sha256sum <"$1")" = "$scores" ] || fail "$1 has other bytes"; }

new snakemake
cp "$root/examples/workflows/Snakefile" .
snakemake -q -j2 prgnn
scores=$(sha256sum <out/scores.tsv)
snakemake -j2 prgnn 2>&1 | grep -q 'Nothing to be done' || fail "Snakemake ran an unchanged study again"
runs 1
echo '# a comment' >>study.yaml
snakemake -q -j2 prgnn
runs 2
same out/scores.tsv

new nextflow
cp "$root/examples/workflows/main.nf" .
nextflow() { sh "$root/bench/engine/adapters/nextflow.sh" "$@"; }
nextflow -q run main.nf
same out/scores.tsv
nextflow run main.nf -resume | grep -q 'Cached process' || fail "Nextflow ran an unchanged study again"
runs 1
echo '# a comment' >>study.yaml
nextflow -q run main.nf -resume
runs 2
same out/scores.tsv

new datalad
datalad -l error create --force >/dev/null
echo .pipeline >.gitignore
datalad -l error save -m "a study" >/dev/null
# The command of docs/cluster.md.
eval "$(sed -n '/^    datalad run /,/^$/p' "$root/docs/cluster.md")" >/dev/null
same results/scores.tsv
datalad -l error rerun >"$work/rerun"
[ -z "$(git status --porcelain)" ] && [ "$(git rev-list --count HEAD)" = 3 ] || fail "datalad rerun changed something: $(git log --stat -1)"
