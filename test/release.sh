#!/usr/bin/env bash
# What users install, tried: two clones in two directories give the same bytes; the wheel, the
# archive and the image each run quick.yaml without Go and leave the page that a build from
# the source leaves. The wheel and the archive run in a root directory of their own too, in which
# nothing is but the program: no Go, no C library, no shell. Needs umoci and runc (Debian) and Python
# with pip; root for runc and chroot.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
machine=$(go env GOARCH)

# The second build has a cache of its own, so that nothing of the first enters it.
git clone -q . "$work/one"
git clone -q . "$work/the second clone"
(cd "$work/one" && go run ./release -snapshot -o "$work/dist" -only "linux/$machine")
(cd "$work/the second clone" && GOCACHE=$work/cache go run ./release -snapshot -o "$work/again" -only "linux/$machine")
for f in "$work"/again/*linux* "$work"/again/*.whl "$work"/again/*oci*; do
	cmp "$f" "$work/dist/$(basename "$f")"
	echo "the same bytes: $(basename "$f"), $(stat -c %s "$f") bytes"
done
(cd "$work/dist" && sha256sum --quiet -c SHA256SUMS)

# From the source.
(cd "$work/one" && go build -o "$work/source" ./cmd/pipeline)
mkdir "$work/from-source" "$work/from-wheel" "$work/from-archive" "$work/from-image"
(cd "$work/from-source" && "$work/source" run -q quick.yaml)

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q "$work"/dist/*manylinux*.whl 'cyclonedx-python-lib[json-validation]==11.5.0' check-wheel-contents==0.6.3
# cffconvert needs an older jsonschema than the check of the bill of materials.
python3 -m venv "$work/cff"
"$work/cff/bin/pip" install -q cffconvert==2.0.0
"$work/cff/bin/cffconvert" --validate -i CITATION.cff
(cd "$work/from-wheel" && env -i HOME="$work" PATH=/usr/bin:/bin "$work/venv/bin/prgnn" run -q quick.yaml)
"$work/venv/bin/check-wheel-contents" --ignore W008,W009 "$work"/dist/*manylinux*.whl
"$work/venv/bin/python" - "$work"/dist/*.cdx.json <<'P'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(f"the bill of materials is not CycloneDX 1.6: {wrong}" if wrong else 0)
P

tar xzf "$work"/dist/*linux*.tar.gz -C "$work/from-archive" --strip-components=1
(cd "$work/from-archive" && env -i HOME="$work" ./pipeline run -q quick.yaml)
env -i "$work/from-archive/prgnn" --help | grep -q participant # the BIDS App

# With nothing beside it. The image below has nothing else either.
alone() { # NAME PROGRAM
	mkdir -p "$work/from-$1-alone/tmp"
	cp -L "$2" "$work/from-$1-alone/pipeline"
	env -i "$(command -v chroot)" "$work/from-$1-alone" /pipeline run -q quick.yaml
}
if [ "$(id -u)" = 0 ]; then
	alone archive "$work/from-archive/pipeline"
	alone wheel "$(find "$work/venv" -path "*/prgnn/*" -name pipeline -type f)"
else
	echo "not tried: the wheel and the archive with nothing beside them; chroot needs root"
fi

mkdir "$work/layout"
tar xf "$work"/dist/*oci*.tar -C "$work/layout"
umoci unpack --image "$work/layout:$("$work/source" version | sed -n 's/^pipeline //p')" "$work/bundle" >/dev/null
python3 - "$work" <<'P'
import json, sys
path = sys.argv[1] + "/bundle/config.json"
config = json.load(open(path))
config["process"].update(args=["/usr/bin/pipeline", "run", "-q", "quick.yaml"], cwd="/out", terminal=False)
config["mounts"].append({"destination": "/out", "type": "bind", "source": sys.argv[1] + "/from-image", "options": ["bind", "rw"]})
json.dump(config, open(path, "w"))
P
mkdir -p "$work/bundle/rootfs/out"
if runc run -b "$work/bundle" "prgnn-test-$$"; then
	echo "the image ran in a container"
elif [ "$(id -u)" = 0 ]; then # within most containers none can be started
	echo "runc starts no container here: the image's root directory is entered by chroot"
	(cd "$work/bundle/rootfs" && env -i "$(command -v chroot)" . /usr/bin/pipeline run -q quick.yaml --store /out/store)
	cp "$work"/bundle/rootfs/quick.html "$work/from-image/"
fi

for from in wheel archive image wheel-alone archive-alone; do
	[ -d "$work/from-$from" ] || continue
	cmp "$work/from-source/quick.html" "$work/from-$from/quick.html"
	echo "the page of the source build: from the $from"
done
