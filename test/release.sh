#!/usr/bin/env bash
# What users install, tried. Two clones in two directories give the same bytes. Then the wheel, the
# archive, the image, the conda package and the module file are installed where there is no Go, run
# quick.yaml, and give every digest that a build from the source gives: it ends with that table.
#
# Where: the wheel in a root directory of Debian that debootstrap made, with Python and nothing more;
# the archive and the image each in a root directory with nothing but the program (that of the wheel too), no C
# library and no shell; the image by Apptainer too. Without root these are left out, and that is said.
# Needs umoci and runc, Lmod (Debian), Python with pip, and what test/sid.sh makes.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
server=""
cleanup() {
	[ -z "$server" ] || kill "$server"
	chmod -R u+w "$work"
	rm -rf "$work"
}
trap cleanup EXIT
machine=$(go env GOARCH)
sid=${XDG_CACHE_HOME:-$HOME/.cache}/prgnn/sid
dist=$work/web/v1
mkdir -p "$work/web"

# The recipes fetch the archives from here.
python3 -u -m http.server --bind 127.0.0.1 --directory "$work/web" 0 >"$work/server" 2>&1 &
server=$!
until grep -q 'port [0-9]' "$work/server"; do kill -0 "$server" && sleep 0.1; done
url=http://127.0.0.1:$(grep -o 'port [0-9]*' "$work/server" | cut -d' ' -f2)/v1

git clone -q . "$work/one"
git clone -q . "$work/the second clone"
# The flags are those of the program, so that what both are built from is compiled once.
release() { CGO_ENABLED=0 go run -trimpath ./release -snapshot -only "linux/$machine" "$@"; }
if grep -q '^## [0-9.]*$' CHANGELOG.md && (cd "$work/one" && go run ./release -o "$work/none") >"$work/refused" 2>&1; then
	echo "a source whose changelog has a version without a date is released" >&2
	exit 1
fi
(cd "$work/one" && release -o "$dist" -url "$url")
# The second build has a cache of its own, so that nothing of the first enters it. It goes on while the
# first is tried.
(cd "$work/the second clone" && GOCACHE=$work/cache release -o "$work/again") >"$work/second" 2>&1 &
second=$!

# tried FROM [STORE] compares what a run of quick.yaml left, in $work/FROM: the page, and the list of all digests.
tried() {
	(cd "$work/$1" && "$work/source" lock -q quick.yaml --store "${2:-.pipeline}" -o run.lock >/dev/null)
	cmp "$work/source-build/quick.html" "$work/$1/quick.html"
	cmp "$work/source-build/run.lock" "$work/$1/run.lock"
	printf '%-42s %.16s  %.16s\n' "$1" "$(sha256sum <"$work/$1/quick.html")" "$(sha256sum <"$work/$1/run.lock")" >>"$work/table"
}
(cd "$work/one" && go build -o "$work/source" ./cmd/pipeline)
mkdir "$work/source-build"
(cd "$work/source-build" && "$work/source" run -q quick.yaml)
tried source-build

# The archive, and what completes it.
mkdir "$work/unpacked"
tar xzf "$dist"/*linux*.tar.gz -C "$work/unpacked" --strip-components=1
version=$("$work/unpacked/pipeline" version | sed -n 's/^pipeline //p')
"$work/unpacked/pipeline" version | grep -qx "commit $(git -C "$work/one" rev-parse HEAD)"
env -i "$work/unpacked/prgnn" --help | grep -q participant # the BIDS App
"$work/unpacked/pipeline" completion bash | bash -n
"$work/unpacked/pipeline" help --man | groff -man -Tascii -ww >/dev/null

# The archive of the source is the clone.
mkdir "$work/unpacked-source"
tar xzf "$dist"/*source.tar.gz -C "$work/unpacked-source" --strip-components=1
diff -r --exclude=.git "$work/one" "$work/unpacked-source"

# The module file.
mkdir -p "$work/opt/prgnn" "$work/modules/prgnn"
cp -r "$work/unpacked" "$work/opt/prgnn/$version"
cp "$dist"/*module.lua "$work/modules/prgnn/$version.lua"
env -i HOME="$work" PATH=/usr/bin:/bin PRGNN_ROOT="$work/opt" bash -c "
	. /etc/profile.d/lmod.sh && module use '$work/modules' && module load prgnn && [ \$(command -v prgnn) = '$work/opt/prgnn/$version/prgnn' ]"
echo "the module file: loaded by Lmod"

# The wheel's form, the bill of materials, the conda recipe. cffconvert needs an older jsonschema.
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q 'cyclonedx-python-lib[json-validation]==11.5.0' check-wheel-contents==0.6.3 py-rattler-build==0.73.0
python3 -m venv "$work/cff"
"$work/cff/bin/pip" install -q cffconvert==2.0.0
"$work/cff/bin/cffconvert" --validate -i CITATION.cff
"$work/venv/bin/check-wheel-contents" --ignore W008,W009 "$dist"/*manylinux*.whl
"$work/venv/bin/python" - "$dist"/*.cdx.json <<'P'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(f"the bill of materials is not CycloneDX 1.6: {wrong}" if wrong else 0)
P
mkdir "$work/recipe"
cp "$dist"/*conda-recipe.yaml "$work/recipe/recipe.yaml"
"$work/venv/bin/python" - "$work" <<'P'
import json, pathlib, sys
from rattler_build import Package, Stage0Recipe
work = pathlib.Path(sys.argv[1])
for platform in ("noarch", "linux-64"):  # a channel without packages: the program needs none
    (work / "channel" / platform).mkdir(parents=True)
    (work / "channel" / platform / "repodata.json").write_text(json.dumps({"info": {"subdir": platform}, "packages": {}}))
channel = (work / "channel").as_uri()
recipe = Stage0Recipe.from_file(work / "recipe" / "recipe.yaml")
(built,) = recipe.run_build(channels=[channel], output_dir=work / "conda")
(package,) = (work / "conda").rglob("*.conda")
for test in Package.from_file(package).run_tests(channel=[channel]):
    if not test.success:
        sys.exit("\n".join(test.output))
print(f"the conda recipe: {package.name} built, installed and tested by rattler-build")
P

# The wheel, in a Python of this machine.
"$work/venv/bin/pip" install -q "$dist"/*manylinux*.whl
mkdir "$work/wheel"
(cd "$work/wheel" && env -i HOME="$work" PATH=/usr/bin:/bin "$work/venv/bin/prgnn" run -q quick.yaml)
tried wheel
cmp "$work/unpacked/pipeline" "$(find "$work/venv" -path "*/prgnn/*" -name pipeline -type f)"

if [ "$(id -u)" = 0 ]; then
	mkdir "$work/wheel in Debian with Python alone"
	"$work/venv/bin/pip" download -q -d "$work/wheels" --only-binary :all: --python-version 3.14 "$dist"/*manylinux*.whl
	TMPDIR=$work "$sid/bin/in-sid" env -i HOME="$work" PATH=/usr/bin:/bin sh -e -c '
		! command -v go
		cd "$1/wheel in Debian with Python alone"
		python3.14 -m venv "$1/venv-sid"
		"$1/venv-sid/bin/pip" install -q --no-index --find-links "$1/wheels" prgnn
		"$1/venv-sid/bin/prgnn" run -q quick.yaml' sh "$work"
	tried "wheel in Debian with Python alone"

	mkdir -p "$work/archive with nothing beside it/tmp"
	cp "$work/unpacked/pipeline" "$work/archive with nothing beside it/"
	env -i "$(command -v chroot)" "$work/archive with nothing beside it" /pipeline run -q quick.yaml
	tried "archive with nothing beside it"

	mkdir "$work/image by Apptainer"
	TMPDIR=$work APPTAINER_CACHEDIR=$work/apptainer "$sid/bin/apptainer" --silent build "$work/prgnn.sif" "oci-archive:$(echo "$dist"/*oci*.tar)"
	TMPDIR=$work "$sid/bin/apptainer" --silent exec --cleanenv --containall -B "$work/image by Apptainer":/out --pwd /out \
		"$work/prgnn.sif" pipeline run -q quick.yaml
	TMPDIR=$work "$sid/bin/apptainer" --silent run --cleanenv "$work/prgnn.sif" --help | grep -q participant
	tried "image by Apptainer"
else
	mkdir "$work/archive"
	(cd "$work/archive" && env -i HOME="$work" "$work/unpacked/pipeline" run -q quick.yaml)
	tried archive
	echo "not tried: the wheel and the archive with nothing beside them, and Apptainer, which need root"
fi

mkdir "$work/layout" "$work/image by runc"
tar xf "$dist"/*oci*.tar -C "$work/layout"
umoci unpack --image "$work/layout:$version" "$work/bundle" >/dev/null
python3 - "$work" <<'P'
import json, sys
path = sys.argv[1] + "/bundle/config.json"
config = json.load(open(path))
config["process"].update(args=["/usr/bin/pipeline", "run", "-q", "quick.yaml"], cwd="/out", terminal=False)
config["mounts"].append({"destination": "/out", "type": "bind", "source": sys.argv[1] + "/image by runc", "options": ["bind", "rw"]})
json.dump(config, open(path, "w"))
P
mkdir -p "$work/bundle/rootfs/out"
if runc run -b "$work/bundle" "prgnn-test-$$"; then
	tried "image by runc"
elif [ "$(id -u)" = 0 ]; then # within most containers none can be started
	echo "runc starts no container here: the image's root directory is entered by chroot"
	mv "$work/image by runc" "$work/image by chroot"
	(cd "$work/bundle/rootfs" && env -i "$(command -v chroot)" . /usr/bin/pipeline run -q quick.yaml)
	mv "$work/bundle/rootfs/quick.html" "$work/bundle/rootfs/.pipeline" "$work/image by chroot/"
	tried "image by chroot"
fi

wait "$second" || { cat "$work/second"; exit 1; }
for f in "$work"/again/*linux* "$work"/again/*.whl "$work"/again/*oci* "$work"/again/*source*; do
	cmp "$f" "$dist/$(basename "$f")"
	echo "the same bytes from both clones: $(basename "$f"), $(stat -c %s "$f") bytes"
done
(cd "$dist" && sha256sum --quiet -c SHA256SUMS)

echo "quick.yaml, without Go:                    report            all digests (run.lock)"
cat "$work/table"
