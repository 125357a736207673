#!/usr/bin/env bash
# The same bits everywhere: gnn/bits.sh runs the digest tests of packages gnn,
# gnn/baseline, gnn/rival, connectivity, connectivity/tangent, numeric/dense and numeric/exact with the
# compiler's fused multiply-add allowed (GOAMD64=v3), without assembly (purego), on processors
# without AVX-512, without FMA and without AVX2 (as GODEBUG plays them), and on arm64 under
# qemu-aarch64-static where that is installed (Debian: qemu-user-static; with PRGNN_REQUIRE=1 it must
# be), with the assembly of numeric/dense, the only one there, and without. It fails when one differs.
# Which products are fused is a test of numeric/exact.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages='gnn gnn/baseline gnn/rival connectivity connectivity/tangent numeric/dense numeric/exact'
export tests='Digest|Fixtures|Ulps|Exp32|Multiply|Dot|Kernels|Gram|Tiles|Vectors|Blocks|Bits'

# compiled NAME [VARIABLE=VALUE…] [go's flags] compiles the tests of each package, once for all processors.
compiled() {
	local name=$1 variables=()
	shift
	while [[ ${1:-} == *=* && $1 != -* ]]; do variables+=("$1"); shift; done
	env "${variables[@]}" go test -vet=off -c -o "$work/$name/" "$@" $(printf './%s ' $packages)
}

# tried TITLE NAME [COMMAND…] runs them, by a command, two packages at once.
tried() {
	local title=$1 binaries=$work/$2
	shift 2
	echo "$title"
	printf '%s\n' $packages | xargs -P 2 -I{} bash -c '
		package=$1 binaries=$2
		shift 2
		cd "$package"
		out=$("$@" "$binaries/$(basename "$package").test" -test.run "$tests" $short 2>&1) && [[ $out != *"no tests to run"* ]] &&
			echo "  $package" || { echo "  $package: $out"; exit 1; }' bash {} "$binaries" "$@"
}

export short=
compiled amd64
tried "amd64" amd64
for off in avx512f fma avx512f,avx2,avx,fma; do
	tried "amd64, without $off" amd64 env GODEBUG="$(sed 's/[^,]*/cpu.&=off/g' <<<"$off")"
done
compiled v3 GOAMD64=v3
tried "amd64, v3" v3
compiled purego -tags purego
tried "amd64, purego" purego

short=-test.short
for tags in "" purego; do
	[ -z "$tags" ] || packages=numeric/dense
	compiled "arm64$tags" CGO_ENABLED=0 GOARCH=arm64 -tags "$tags"
	if command -v qemu-aarch64-static >/dev/null; then
		tried "arm64${tags:+, $tags}" "arm64$tags" qemu-aarch64-static
	else
		echo "arm64${tags:+, $tags}: not run, qemu-aarch64-static is not installed"
		[ -z "${PRGNN_REQUIRE:-}" ]
	fi
done
