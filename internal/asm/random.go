package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// inRandom is the radius of the polar method of package random, of four numbers at once, for AVX2. It is Log of
// package exact, operation by operation.
func inRandom() {
	function("radii", "func(q *float64, n int)", 4)
	q := load("q")
	fours(func() {
		x, e, k, f := YMM(), YMM(), YMM(), YMM()
		VMOVUPD(Mem{Base: q}, x)
		// k, so that x = (1+f)·2^k. There is no shift that keeps the sign: it is of k + 1023, which is not negative.
		VPSUBQ(four("rootHalf", 0x3fe6a09e667f3bcd), x, e)
		VPADDQ(four("bias", 1023<<52), e, k)
		VPSRLQ(U8(52), k, k)
		VPOR(four("whole", math.Float64bits(0x1p52)), k, k)
		VSUBPD(four("biased", math.Float64bits(0x1p52+1023)), k, k)
		VPSRLQ(U8(52), e, e)
		VPSLLQ(U8(52), e, e)
		VPSUBQ(e, x, f)
		VSUBPD(real("one", 1), f, f)

		s, z, r, t := YMM(), YMM(), YMM(), YMM()
		VADDPD(real("two", 2), f, s)
		VDIVPD(s, f, s)
		VMULPD(s, s, z)
		VMOVUPD(real("tail23", 2.0/23), r)
		for d := 21.0; d > 1; d -= 2 {
			VMULPD(z, r, r)
			VADDPD(real(fmt.Sprintf("tail%g", d), 2/d), r, r)
		}
		VMULPD(z, r, r)
		h := YMM()
		VMULPD(f, f, h)
		VMULPD(real("half", 0.5), h, h)
		VADDPD(r, h, r)
		VMULPD(r, s, r)
		VMULPD(real("ln2Lo", 0x1.a39ef35793c76p-33), k, t)
		VADDPD(t, r, t)
		VSUBPD(t, h, h)
		VSUBPD(f, h, h)
		VMULPD(real("ln2Hi", 0x1.62e42fee00000p-1), k, k)
		VSUBPD(h, k, k)

		VMULPD(real("minusTwo", -2), k, k)
		VDIVPD(x, k, k)
		VSQRTPD(k, k)
		VMOVUPD(k, Mem{Base: q})
	}, q)
}

// four is a constant in all four lanes, in read-only data.
func four(name string, bits uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(bits))
	}
	return m
}

func real(name string, x float64) Mem { return four(name, math.Float64bits(x)) }
