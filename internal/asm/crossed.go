package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// crossed are the loops of package baseline over the maps of edge-to-edge layers, on blocks of 16 channels in
// float32: two registers of AVX2.
func crossed() {
	crossedFill("fillA16", false)
	crossedFill("fill16", true)
	crossedAdd()
	crossedSlopes()
}

// A sixteen is a block of 16 values.
type sixteen [2]VecVirtual

func newSixteen() sixteen { return sixteen{YMM(), YMM()} }

// each runs body for each register of the block and its offset in bytes.
func (s sixteen) each(body func(i, offset int)) {
	for i := range s {
		body(i, 32*i)
	}
}

// spreadParam is a parameter in all lanes.
func spreadParam(name string) VecVirtual {
	v := YMM()
	addr, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(addr.Addr, v)
	return v
}

func crossedFill(name string, both bool) {
	if both {
		TEXT(name, NOSPLIT, "func(a, b, weights *float32, stride int, v *float32, order *int32, d int)")
		Doc(name + " is fill; stride is in bytes.")
	} else {
		TEXT(name, NOSPLIT, "func(a, weights *float32, stride int, order *int32, d int)")
		Doc(name + " is fill without b; stride is in bytes.")
	}
	Pragma("noescape")
	a, weights, stride, order, d := load("a"), load("weights"), load("stride"), load("order"), load("d")
	sumA, sumB := newSixteen(), newSixteen()
	var b, v GPVirtual
	sumA.each(func(i, _ int) { zero(sumA[i], false) })
	if both {
		b, v = load("b"), load("v")
		sumB.each(func(i, _ int) { zero(sumB[i], false) })
	}
	store := func() {
		sumA.each(func(i, at int) { VMOVUPS(sumA[i], Mem{Base: a, Disp: at}) })
		ADDQ(I8(64), a)
		if both {
			sumB.each(func(i, at int) { VMOVUPS(sumB[i], Mem{Base: b, Disp: at}) })
			ADDQ(I8(64), b)
		}
	}
	store()
	atLeastOnce("node", d, func() {
		j, row := GP64(), GP64()
		MOVLQSX(Mem{Base: order}, j)
		MOVQ(j, row)
		IMULQ(stride, row)
		ADDQ(weights, row)
		x, t := newSixteen(), newSixteen()
		x.each(func(i, at int) {
			VMOVUPS(Mem{Base: row, Disp: at}, x[i])
			VADDPS(x[i], sumA[i], sumA[i])
		})
		if both {
			x.each(func(i, at int) {
				VBROADCASTSS(Mem{Base: v, Index: j, Scale: 4}, t[i])
				VMULPS(x[i], t[i], t[i])
				VADDPS(t[i], sumB[i], sumB[i])
			})
		}
		store()
		ADDQ(I8(4), order)
	})
	VZEROUPPER()
	RET()
}

func crossedAdd() {
	TEXT("add16", NOSPLIT, "func(out *float32, stride int, a, b, v *float32, above *int32, d int, slope, rest float32)")
	Doc("add16 is add; stride is in bytes.")
	Pragma("noescape")
	out, stride, a, b, v, above, d := load("out"), load("stride"), load("a"), load("b"), load("v"), load("above"),
		load("d")
	slope, rest := spreadParam("slope"), spreadParam("rest")
	allA, allB, last := newSixteen(), newSixteen(), GP64()
	MOVQ(d, last)
	SHLQ(U8(6), last)
	allA.each(func(i, at int) {
		VMULPS(Mem{Base: a, Index: last, Scale: 1, Disp: at}, slope, allA[i])
		VMULPS(Mem{Base: b, Index: last, Scale: 1, Disp: at}, slope, allB[i])
	})
	atLeastOnce("node", d, func() {
		p, x, y, below := GP64(), newSixteen(), newSixteen(), newSixteen()
		MOVLQSX(Mem{Base: above}, p)
		SHLQ(U8(6), p)
		x.each(func(i, at int) {
			VBROADCASTSS(Mem{Base: v}, x[i])
			VMULPS(allA[i], x[i], below[i])
			VADDPS(allB[i], below[i], below[i])
			VMULPS(Mem{Base: a, Index: p, Scale: 1, Disp: at}, x[i], y[i])
			VADDPS(Mem{Base: b, Index: p, Scale: 1, Disp: at}, y[i], y[i])
			VMULPS(rest, y[i], y[i])
			VADDPS(below[i], y[i], y[i])
			VADDPS(Mem{Base: out, Disp: at}, y[i], y[i])
			VMOVUPS(y[i], Mem{Base: out, Disp: at})
		})
		ADDQ(stride, out)
		ADDQ(I8(4), v)
		ADDQ(I8(4), above)
	})
	VZEROUPPER()
	RET()
}

func crossedSlopes() {
	TEXT("slopes16", NOSPLIT, "func(dv, x *float32, stride int, a *float32, above *int32, d int, slope, rest float32)")
	Doc("slopes16 is slopes for at least eight nodes; stride is in bytes.")
	Pragma("noescape")
	dv, x, stride, a, above, d := load("dv"), load("x"), load("stride"), load("a"), load("above"), load("d")
	slope, rest := spreadParam("slope"), spreadParam("rest")
	all, last := newSixteen(), GP64()
	MOVQ(d, last)
	SHLQ(U8(6), last)
	all.each(func(i, at int) { VMULPS(Mem{Base: a, Index: last, Scale: 1, Disp: at}, slope, all[i]) })
	eights("nodes", d, dv, func() VecVirtual {
		row := GP64()
		return sumEight(false, func(r int) VecVirtual {
			p, y := GP64(), newSixteen()
			MOVQ(I32(int32(r)), row)
			IMULQ(stride, row)
			MOVLQSX(Mem{Base: above, Disp: 4 * r}, p)
			SHLQ(U8(6), p)
			y.each(func(i, at int) {
				VMULPS(Mem{Base: a, Index: p, Scale: 1, Disp: at}, rest, y[i])
				VADDPS(all[i], y[i], y[i])
				VMULPS(Mem{Base: x, Index: row, Scale: 1, Disp: at}, y[i], y[i])
			})
			VADDPS(y[1], y[0], y[0])
			return y[0]
		})
	}, func(step Register) {
		LEAQ(Mem{Base: above, Index: step, Scale: 4}, above)
		IMULQ(stride, step)
		ADDQ(step, x)
	})
	VZEROUPPER()
	RET()
}
