package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// vectors are the operations on vectors of package dense, for AVX2 and FMA.
func vectors() {
	axpy("axpy32", "float32", XMM, 16, VMOVUPS, VFMADD231PS, VBROADCASTSS)
	axpy("axpy64", "float64", YMM, 32, VMOVUPD, VFMADD231PD, VBROADCASTSD)
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
