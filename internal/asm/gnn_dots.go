package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Inner products, in the order of the portable dot.

func zero(v VecVirtual, wide bool) {
	if wide {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}

// sumLanes adds the lanes of v as dot does: ((0+1)+(2+3)) + ((4+5)+(6+7)), into
// the lowest.
func sumLanes(v VecVirtual) VecVirtual {
	VHADDPS(v, v, v)
	VHADDPS(v, v, v)
	hi := XMM()
	VEXTRACTF128(U8(1), v, hi)
	VADDSS(hi, v.AsX(), hi)
	return hi
}

// sumEight does that for eight vectors at once, into one vector of eight sums. With
// wide, they have 16 lanes, and lane j+8 is first added to lane j.
func sumEight(wide bool, vector func(r int) VecVirtual) VecVirtual {
	if !wide {
		var half [2]VecVirtual
		for h := range half {
			a, b := vector(4*h), vector(4*h+1)
			VHADDPS(b, a, a)
			c, d := vector(4*h+2), vector(4*h+3)
			VHADDPS(d, c, c)
			VHADDPS(c, a, a)
			half[h] = a
		}
		low, high := YMM(), YMM()
		VPERM2F128(U8(0x20), half[1], half[0], low)
		VPERM2F128(U8(0x31), half[1], half[0], high)
		VADDPS(high, low, low)
		return low
	}
	// r and r+4 share a register, then r, r+2, r+4, r+6, and at last all.
	fold := func(r int) VecVirtual {
		a, b := vector(r), vector(r+4)
		low, high := ZMM(), ZMM()
		VINSERTF64X4(U8(1), b.AsY(), a, low)
		VSHUFF64X2(U8(0xee), b, a, high)
		VADDPS(high, low, low)
		return low
	}
	pairs := func(a, b VecVirtual) VecVirtual {
		even, odd := ZMM(), ZMM()
		VSHUFPS(U8(0x88), b, a, even)
		VSHUFPS(U8(0xdd), b, a, odd)
		VADDPS(odd, even, even)
		return even
	}
	x := pairs(pairs(fold(0), fold(1)), pairs(fold(2), fold(3)))
	high := ZMM()
	VSHUFF64X2(U8(0xdd), x, x, high) // quarters 1 and 3
	VSHUFF64X2(U8(0x88), x, x, x)    // quarters 0 and 2
	sum := YMM()
	VADDPS(high.AsY(), x.AsY(), sum)
	return sum
}

// dotOf is dot of two vectors of w bytes, w a multiple of 32 and above 0.
func dotOf(a, b Mem, w GPVirtual) VecVirtual {
	acc, t, j := YMM(), YMM(), GP64()
	VMOVUPS(a, acc)
	VMULPS(b, acc, acc)
	MOVQ(I32(32), j)
	top, end := label("dot"), label("dot_end")
	Label(top)
	CMPQ(j, w)
	JGE(LabelRef(end))
	VMOVUPS(a.Idx(j, 1), t)
	VMULPS(b.Idx(j, 1), t, t)
	VADDPS(t, acc, acc)
	ADDQ(I8(32), j)
	JMP(LabelRef(top))
	Label(end)
	return sumLanes(acc)
}

func dotRows() {
	TEXT("dotRows", NOSPLIT, "func(out, a, b *float32, n, w int)")
	Doc("dotRows is dots; w is in bytes.")
	out, a, b, n, w := load("out"), load("a"), load("b"), load("n"), load("w")
	loop("row", n, func() {
		r := dotOf(Mem{Base: a}, Mem{Base: b}, w)
		VMOVSS(r, Mem{Base: out})
		ADDQ(I8(4), out)
		ADDQ(w, a)
	})
	VZEROUPPER()
	RET()
}

func dotRows16(name string, wide bool) {
	TEXT(name, NOSPLIT, "func(out, a, b *float32, n int)")
	Doc(name + " is dots for at least eight rows of 16 values.")
	out, a, b, n := load("out"), load("a"), load("b"), load("n")
	var bv [2]VecVirtual
	if wide {
		bv[0] = ZMM()
		VMOVUPS(Mem{Base: b}, bv[0])
	} else {
		for j := range bv {
			bv[j] = YMM()
			VMOVUPS(Mem{Base: b, Disp: 32 * j}, bv[j])
		}
	}
	eights("rows", n, out, func() VecVirtual {
		return sumEight(wide, func(r int) VecVirtual {
			if wide {
				p := ZMM()
				VMULPS(Mem{Base: a, Disp: 64 * r}, bv[0], p)
				return p
			}
			p, q := YMM(), YMM()
			VMULPS(Mem{Base: a, Disp: 64 * r}, bv[0], p)
			VMULPS(Mem{Base: a, Disp: 64*r + 32}, bv[1], q)
			VADDPS(q, p, p)
			return p
		})
	}, func(step Register) {
		SHLQ(U8(6), step)
		ADDQ(step, a)
	})
	VZEROUPPER()
	RET()
}

// eights writes the sums of eight items at a time to out, for n of at least eight; the last eight
// may begin among those before. next takes the other operands on by step items.
func eights(name string, n, out Register, sums func() VecVirtual, next func(step Register)) {
	top, end := label(name), label(name+"_end")
	Label(top)
	VMOVUPS(sums(), Mem{Base: out})
	SUBQ(I8(8), n)
	JLE(LabelRef(end))
	step, eight := GP64(), GP64()
	MOVQ(n, step)
	MOVQ(I32(8), eight)
	CMPQ(step, eight)
	CMOVQGT(eight, step)
	LEAQ(Mem{Base: out, Index: step, Scale: 4}, out)
	next(step)
	JMP(LabelRef(top))
	Label(end)
}
