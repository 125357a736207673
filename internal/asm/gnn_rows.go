package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Loops over rows of numbers, eight at a time: what the networks do between products.
func rows() {
	row("scaleVec", "scale", "y *float32, f float32")
	f := scalar("f")
	eachEight(func(at map[string]GPVirtual) {
		t := YMM()
		VMULPS(Mem{Base: at["y"]}, f, t)
		VMOVUPS(t, Mem{Base: at["y"]})
	}, "y")

	row("affineVec", "affine", "out, v, scale, shift *float32")
	eachEight(func(at map[string]GPVirtual) {
		t := YMM()
		VMOVUPS(Mem{Base: at["v"]}, t)
		VMULPS(Mem{Base: at["scale"]}, t, t)
		VADDPS(Mem{Base: at["shift"]}, t, t)
		VMOVUPS(t, Mem{Base: at["out"]})
	}, "out", "v", "scale", "shift")

	row("reluVec", "relu", "v *float32, slope float32")
	slope, none := scalar("slope"), YMM()
	VXORPS(none, none, none)
	eachEight(func(at map[string]GPVirtual) {
		x, low := YMM(), YMM()
		VMOVUPS(Mem{Base: at["v"]}, x)
		VMINPS(x, none, low)
		VMAXPS(none, x, x) // of −0 it is 0
		VMULPS(slope, low, low)
		VADDPS(low, x, x)
		VMOVUPS(x, Mem{Base: at["v"]})
	}, "v")

	row("reluBackVec", "reluBack", "d, y *float32, slope float32")
	slope, none = scalar("slope"), YMM()
	one := YMM()
	VXORPS(none, none, none)
	VMOVUPS(c("one"), one)
	eachEight(func(at map[string]GPVirtual) {
		t := YMM()
		VMOVUPS(Mem{Base: at["y"]}, t)
		VCMPPS(U8(0x1e), none, t, t) // y > 0
		VBLENDVPS(t, one, slope, t)
		VMULPS(Mem{Base: at["d"]}, t, t)
		VMOVUPS(t, Mem{Base: at["d"]})
	}, "d", "y")

	row("dropVec", "drop", "out, x *float32, kept *uint8, factor float32")
	factor := scalar("factor")
	eachEight(func(at map[string]GPVirtual) {
		t := YMM()
		VPMOVSXBD(Mem{Base: at["kept"]}, t)
		VANDPS(factor, t, t)
		VMULPS(Mem{Base: at["x"]}, t, t)
		VMOVUPS(t, Mem{Base: at["out"]})
		SUBQ(I8(24), at["kept"])
	}, "out", "x", "kept")

	drawn()

	row("sumVec", "sum", "lane *[8]float32, v *float32")
	lane := load("lane")
	sum := YMM()
	VMOVUPS(Mem{Base: lane}, sum)
	eachEightThen(func() { VMOVUPS(sum, Mem{Base: lane}) }, func(at map[string]GPVirtual) {
		VADDPS(Mem{Base: at["v"]}, sum, sum)
	}, "v")

	row("centerVec", "center", "lane *[8]float32, v *float32, mean float32")
	lane = load("lane")
	sum, mean := YMM(), scalar("mean")
	VMOVUPS(Mem{Base: lane}, sum)
	eachEightThen(func() { VMOVUPS(sum, Mem{Base: lane}) }, func(at map[string]GPVirtual) {
		t := YMM()
		VMOVUPS(Mem{Base: at["v"]}, t)
		VSUBPS(mean, t, t)
		VMOVUPS(t, Mem{Base: at["v"]})
		VMULPS(t, t, t)
		VADDPS(t, sum, sum)
	}, "v")

	row("unscaleVec", "unscale", "lane *[16]float32, d, normal, scale, ds, dt *float32")
	lane = load("lane")
	sum, along := YMM(), YMM()
	VMOVUPS(Mem{Base: lane}, sum)
	VMOVUPS(Mem{Base: lane, Disp: 32}, along)
	eachEightThen(func() {
		VMOVUPS(sum, Mem{Base: lane})
		VMOVUPS(along, Mem{Base: lane, Disp: 32})
	}, func(at map[string]GPVirtual) {
		v, normal, t := YMM(), YMM(), YMM()
		VMOVUPS(Mem{Base: at["d"]}, v)
		VMOVUPS(Mem{Base: at["normal"]}, normal)
		VMULPS(normal, v, t)
		VADDPS(Mem{Base: at["ds"]}, t, t)
		VMOVUPS(t, Mem{Base: at["ds"]})
		VADDPS(Mem{Base: at["dt"]}, v, t)
		VMOVUPS(t, Mem{Base: at["dt"]})
		VMULPS(Mem{Base: at["scale"]}, v, v)
		VMOVUPS(v, Mem{Base: at["d"]})
		VADDPS(v, sum, sum)
		VMULPS(v, normal, t)
		VADDPS(t, along, along)
	}, "d", "normal", "scale", "ds", "dt")

	row("uncenterVec", "uncenter", "d, normal *float32, inverse, mean, along float32")
	inverse, mean, along := scalar("inverse"), scalar("mean"), scalar("along")
	eachEight(func(at map[string]GPVirtual) {
		v, t := YMM(), YMM()
		VMOVUPS(Mem{Base: at["d"]}, v)
		VSUBPS(mean, v, v)
		VMULPS(Mem{Base: at["normal"]}, along, t)
		VSUBPS(t, v, v)
		VMULPS(v, inverse, v)
		VMOVUPS(v, Mem{Base: at["d"]})
	}, "d", "normal")

	row("productsVec", "products", "lane *[8]float32, a, b *float32")
	lane = load("lane")
	sum = YMM()
	VMOVUPS(Mem{Base: lane}, sum)
	eachEightThen(func() { VMOVUPS(sum, Mem{Base: lane}) }, func(at map[string]GPVirtual) {
		t := YMM()
		VMOVUPS(Mem{Base: at["a"]}, t)
		VMULPS(Mem{Base: at["b"]}, t, t)
		VADDPS(t, sum, sum)
	}, "a", "b")

	row("softmaxBackVec", "softmaxBack", "d, p *float32, along, factor float32")
	along, factor = scalar("along"), scalar("factor")
	eachEight(func(at map[string]GPVirtual) {
		t := YMM()
		VMOVUPS(Mem{Base: at["d"]}, t)
		VSUBPS(along, t, t)
		VMULPS(Mem{Base: at["p"]}, t, t)
		VMULPS(factor, t, t)
		VMOVUPS(t, Mem{Base: at["d"]})
	}, "d", "p")

	row("adamVec", "adam", "params, grad, m, v *float32, rates *[8]float32")
	rates := load("rates")
	var rate [8]VecVirtual // as the fields of adamRates
	for i := range rate {
		rate[i] = YMM()
		VBROADCASTSS(Mem{Base: rates, Disp: 4 * i}, rate[i])
	}
	eachEight(func(at map[string]GPVirtual) {
		p, g, m, v, t := YMM(), YMM(), YMM(), YMM(), YMM()
		VMOVUPS(Mem{Base: at["params"]}, p)
		VMULPS(rate[0], p, g)
		VADDPS(Mem{Base: at["grad"]}, g, g)
		VMULPS(Mem{Base: at["m"]}, rate[1], m)
		VMULPS(g, rate[2], t)
		VADDPS(t, m, m)
		VMOVUPS(m, Mem{Base: at["m"]})
		VMULPS(g, g, g)
		VMULPS(g, rate[4], g)
		VMULPS(Mem{Base: at["v"]}, rate[3], v)
		VADDPS(g, v, v)
		VMOVUPS(v, Mem{Base: at["v"]})
		VSQRTPS(v, v)
		VDIVPS(rate[5], v, v)
		VADDPS(rate[6], v, v)
		VDIVPS(v, m, m)
		VMULPS(rate[7], m, m)
		VSUBPS(m, p, p)
		VMOVUPS(p, Mem{Base: at["params"]})
	}, "params", "grad", "m", "v")
}

// row begins a function that does what another does in plain Go, for n times eight numbers.
func row(name, does, parameters string) {
	TEXT(name, NOSPLIT, "func("+parameters+", n int)")
	Pragma("noescape")
	Doc(name + " is " + does + " for n times eight numbers; n is above 0.")
}

// eachEight runs body for every eight of the numbers at the pointers, and returns.
func eachEight(body func(at map[string]GPVirtual), pointers ...string) {
	eachEightThen(func() {}, body, pointers...)
}

func eachEightThen(then func(), body func(at map[string]GPVirtual), pointers ...string) {
	at, n := map[string]GPVirtual{}, load("n")
	for _, p := range pointers {
		at[p] = load(p)
	}
	atLeastOnce("eight", n, func() {
		body(at)
		for _, p := range pointers {
			ADDQ(I8(32), at[p])
		}
	})
	then()
	VZEROUPPER()
	RET()
}

// drawn compares 32 numbers at a time.
func drawn() {
	TEXT("drawnVec", NOSPLIT, "func(kept *uint8, words *uint64, least uint32, n int)")
	Pragma("noescape")
	Doc("drawnVec is drawn for n times 32 numbers; n is above 0.")
	kept, words, n, least, order := load("kept"), load("words"), load("n"), YMM(), YMM()
	VMOVD(Load(Param("least"), GP32()).(GPVirtual), least.AsX())
	VPBROADCASTD(least.AsX(), least)
	places := GLOBL("packedOrder", RODATA|NOPTR)
	for i, place := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
		DATA(4*i, U32(place))
	}
	VMOVDQU(places, order)
	atLeastOnce("numbers", n, func() {
		var part [4]VecVirtual
		for i := range part {
			x := YMM()
			part[i] = YMM()
			VMOVDQU(Mem{Base: words, Disp: 32 * i}, x)
			VPMAXUD(x, least, part[i])
			VPCMPEQD(x, part[i], part[i]) // x >= least
		}
		VPACKSSDW(part[1], part[0], part[0])
		VPACKSSDW(part[3], part[2], part[2])
		VPACKSSWB(part[2], part[0], part[0])
		VPERMD(part[0], order, part[0])
		VMOVDQU(part[0], Mem{Base: kept})
		ADDQ(I8(32), kept)
		ADDQ(I32(128), words)
	})
	VZEROUPPER()
	RET()
}
