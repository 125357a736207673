package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// vectors are the operations on vectors of package dense, for AVX2 and FMA.
func vectors() {
	axpy("axpy32", "float32", XMM, 16, VMOVUPS, VFMADD231PS, VBROADCASTSS)
	axpy("axpy64", "float64", YMM, 32, VMOVUPD, VFMADD231PD, VBROADCASTSD)

	function("addSquares", "func(y, x *float64, n int)", 4)
	y, x := load("y"), load("x")
	fours(func() {
		t := YMM()
		VMOVUPD(Mem{Base: x}, t)
		VFMADD213PD(Mem{Base: y}, t, t)
		VMOVUPD(t, Mem{Base: y})
	}, y, x)

	function("scale", "func(y, x, w *float64, n int, f float64)", 4)
	f := spread64("f")
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

	function("sumSquares", "func(lane *[8]float64, v *float64, n int)", 8)
	sums(func(in Mem, t, sum VecVirtual) {
		VMOVUPD(in, t)
		VFMADD231PD(t, t, sum)
	})

	function("sumMagnitudes", "func(lane *[8]float64, v *float64, n int)", 8)
	magnitude := YMM()
	VBROADCASTSD(number("magnitudeBits", math.MaxInt64), magnitude)
	sums(func(in Mem, t, sum VecVirtual) {
		VANDPD(in, magnitude, t)
		VADDPD(t, sum, sum)
	})

	lanes("dot32", "float32", XMM, 16, VMOVUPS, VFMADD231PS)
	lanes("dot64", "float64", YMM, 32, VMOVUPD, VFMADD231PD)
}

// axpy has four elements in a register.
func axpy(name, element string, register func() VecVirtual, size int, move, fma, broadcast func(...Op)) {
	TEXT(name, NOSPLIT, fmt.Sprintf("func(y, x *%s, n int, f %s)", element, element))
	Pragma("noescape")
	Doc(name + " is axpyGo; n is a multiple of 4, above 0.")
	y, x, n, f := load("y"), load("x"), load("n"), register()
	addr, err := Param("f").Resolve()
	if err != nil {
		panic(err)
	}
	broadcast(addr.Addr, f)
	SHRQ(U8(2), n)
	atLeastOnce("four", n, func() {
		t := register()
		move(Mem{Base: y}, t)
		fma(Mem{Base: x}, f, t)
		move(t, Mem{Base: y})
		ADDQ(I8(int8(size)), y)
		ADDQ(I8(int8(size)), x)
	})
	VZEROUPPER()
	RET()
}

// lanes is a sum of products in four lanes, those of one register.
func lanes(name, element string, register func() VecVirtual, size int, move func(...Op), fma func(...Op)) {
	TEXT(name, NOSPLIT, fmt.Sprintf("func(lane *[4]%s, a, b *%s, n int)", element, element))
	Pragma("noescape")
	Doc(name + " is dotGo; n is a multiple of 4, above 0.")
	lane, a, b, n := load("lane"), load("a"), load("b"), load("n")
	sum, t := register(), register()
	move(Mem{Base: lane}, sum)
	SHRQ(U8(2), n)
	atLeastOnce("four", n, func() {
		move(Mem{Base: a}, t)
		fma(Mem{Base: b}, t, sum)
		ADDQ(I8(int8(size)), a)
		ADDQ(I8(int8(size)), b)
	})
	move(sum, Mem{Base: lane})
	VZEROUPPER()
	RET()
}

func function(name, signature string, multiple int) {
	TEXT(name+"Vec", NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + "Vec is " + name + "Go; n is a multiple of " + string(rune('0'+multiple)) + ", above 0.")
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

// sums sets the eight lanes to the sums of the n elements at v, which add adds.
func sums(add func(in Mem, t, sum VecVirtual)) {
	lane, v, n := load("lane"), load("v"), load("n")
	low, high := YMM(), YMM()
	VXORPD(low, low, low)
	VXORPD(high, high, high)
	SHRQ(U8(3), n)
	atLeastOnce("eight", n, func() {
		t := YMM()
		add(Mem{Base: v}, t, low)
		add(Mem{Base: v, Disp: 32}, t, high)
		ADDQ(I8(64), v)
	})
	VMOVUPD(low, Mem{Base: lane})
	VMOVUPD(high, Mem{Base: lane, Disp: 32})
	VZEROUPPER()
	RET()
}
