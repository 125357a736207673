package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// vectors are the operations on vectors of float64 of package dense, for AVX.
func vectors() {
	function("axpy", "func(y, x *float64, n int, f float64)", 4)
	f := spread64("f")
	y, x := load("y"), load("x")
	fours(func() {
		t := YMM()
		VMULPD(Mem{Base: x}, f, t)
		VADDPD(Mem{Base: y}, t, t)
		VMOVUPD(t, Mem{Base: y})
	}, y, x)

	function("addSquares", "func(y, x *float64, n int)", 4)
	y, x = load("y"), load("x")
	fours(func() {
		t := YMM()
		VMOVUPD(Mem{Base: x}, t)
		VMULPD(t, t, t)
		VADDPD(Mem{Base: y}, t, t)
		VMOVUPD(t, Mem{Base: y})
	}, y, x)

	function("scale", "func(y, x, w *float64, n int, f float64)", 4)
	f = spread64("f")
	y, x = load("y"), load("x")
	w := load("w")
	fours(func() {
		t := YMM()
		VMULPD(Mem{Base: w}, f, t)
		VMULPD(Mem{Base: x}, t, t)
		VMOVUPD(t, Mem{Base: y})
	}, y, x, w)

	function("clip", "func(v *float64, n int)", 4)
	one, minus := YMM(), YMM()
	VBROADCASTSD(number("clipOne", math.Float64bits(1)), one)
	VBROADCASTSD(number("clipMinusOne", math.Float64bits(-1)), minus)
	v := load("v")
	fours(func() {
		t := YMM()
		VMOVUPD(Mem{Base: v}, t)
		VMINPD(one, t, t)
		VMAXPD(minus, t, t)
		VMOVUPD(t, Mem{Base: v})
	}, v)

	function("sumSquares", "func(v *float64, n int) float64", 8)
	sums(func(in Mem, t VecVirtual) {
		VMOVUPD(in, t)
		VMULPD(t, t, t)
	})

	function("sumMagnitudes", "func(v *float64, n int) float64", 8)
	magnitude := YMM()
	VBROADCASTSD(number("magnitudeBits", math.MaxInt64), magnitude)
	sums(func(in Mem, t VecVirtual) { VANDPD(in, magnitude, t) })
}

func function(name, signature string, multiple int) {
	TEXT(name+"AVX", NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + "AVX is " + name + "Go; n is a multiple of " + string(rune('0'+multiple)) + ", above 0.")
}

// number is a constant of 8 bytes in read-only data.
func number(name string, bits uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U64(bits))
	return m
}

// spread64 is a parameter in all four lanes.
func spread64(name string) VecVirtual {
	v := YMM()
	addr, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(addr.Addr, v)
	return v
}

// fours runs body for every four of the n elements at the pointers, and returns.
func fours(body func(), pointers ...GPVirtual) {
	n := load("n")
	SHRQ(U8(2), n)
	atLeastOnce("four", n, func() {
		body()
		for _, p := range pointers {
			ADDQ(I8(32), p)
		}
	})
	VZEROUPPER()
	RET()
}

// sums returns the sum of term over the n elements at v, in eight lanes that are added as
// ((0+4)+(1+5)) + ((2+6)+(3+7)).
func sums(term func(in Mem, t VecVirtual)) {
	v, n := load("v"), load("n")
	low, high := YMM(), YMM()
	VXORPD(low, low, low)
	VXORPD(high, high, high)
	SHRQ(U8(3), n)
	atLeastOnce("eight", n, func() {
		s, t := YMM(), YMM()
		term(Mem{Base: v}, s)
		term(Mem{Base: v, Disp: 32}, t)
		VADDPD(s, low, low)
		VADDPD(t, high, high)
		ADDQ(I8(64), v)
	})
	VADDPD(high, low, low)
	upper := XMM()
	VEXTRACTF128(U8(1), low, upper)
	lower := low.AsX()
	VHADDPD(lower, lower, lower)
	VHADDPD(upper, upper, upper)
	VADDSD(upper, lower, lower)
	ret, err := ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	VMOVSD(lower, ret.Addr)
	VZEROUPPER()
	RET()
}
