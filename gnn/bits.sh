#!/usr/bin/env bash
# The same bits everywhere: gnn/bits.sh runs the digest tests of packages gnn,
# gnn/baseline, gnn/rival, connectivity, connectivity/tangent, numeric/dense and numeric/exact with the
# compiler's fused multiply-add allowed (GOAMD64=v3), without assembly (purego), on processors
# without AVX-512, without FMA and without AVX2 (as GODEBUG plays them), and on arm64 under
# qemu-aarch64-static where that is installed (Debian: qemu-user-static; with PRGNN_REQUIRE=1 it must
# be), with its assembly and without. It fails when one differs. Which products are fused is a test of
# numeric/exact.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests='Digest|Fixtures|Ulps|Exp32|Multiply|Dot|Kernels|Gram|Tiles|Vectors|Blocks|Bits|Fuse'
all='./gnn ./gnn/baseline ./gnn/rival ./connectivity ./connectivity/tangent ./numeric/dense ./numeric/exact'

echo "amd64";         go test -count=1 -run "$tests" $all
for off in avx512f fma avx512f,avx2,avx,fma; do
	echo "amd64, without $off"
	GODEBUG=$(sed 's/[^,]*/cpu.&=off/g' <<<"$off") go test -count=1 -run "$tests" $all
done
echo "amd64, v3";     GOAMD64=v3 go test -count=1 -run "$tests" $all
echo "amd64, purego"; go test -count=1 -tags purego -run "$tests" $all

for package in gnn gnn/baseline gnn/rival connectivity connectivity/tangent numeric/dense numeric/exact; do
	for tags in "" purego; do
		binary=$work/${package//\//-}$tags.test
		CGO_ENABLED=0 GOARCH=arm64 go test -c -tags "$tags" -o "$binary" "./$package"
		if command -v qemu-aarch64-static >/dev/null; then
			echo "arm64${tags:+, $tags}, $package"
			(cd "$package" && qemu-aarch64-static "$binary" -test.short -test.run "${tests/|Fuse/}")
		else
			echo "arm64, $package: not run, qemu-aarch64-static is not installed"
			[ -z "${PRGNN_REQUIRE:-}" ]
		fi
	done
done
