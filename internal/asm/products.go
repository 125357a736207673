package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// products are the kernels of products of package dense.
func products() {
	for _, double := range []bool{false, true} {
		for _, wide := range []bool{false, true} {
			multiply(double, wide)
		}
	}
}

// avo hands out the first 16 registers only.
var (
	ymm = []Register{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14}
	zmm = []Register{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15, Z16, Z17, Z18, Z19, Z20, Z21,
		Z22, Z23, Z24, Z25, Z26}
)

// multiply writes c (m × two vectors) = or += a·b. All strides are in bytes.
// One function, in the order of the instructions it writes.
func multiply(double, wide bool) {
	name, element, size := "run32", "float32", 32
	registers, heights := ymm, []int{6, 4, 3, 2, 1}
	zero := func(v Register) { VXORPS(v, v, v) }
	if wide {
		registers, heights, size = zmm, []int{12, 6, 3, 2, 1}, 64
		zero = func(v Register) { VPXORD(v, v, v) }
	}
	b0, b1, x := registers[0], registers[1], registers[2]
	move, fma, broadcast := VMOVUPS, VFMADD231PS, VBROADCASTSS
	if double {
		name, element = "run64", "float64"
		move, fma, broadcast = VMOVUPD, VFMADD231PD, VBROADCASTSD
	}
	if wide {
		name += "wide"
	}
	TEXT(name, NOSPLIT, fmt.Sprintf("func(c *%s, cs int, a *%s, ai, ap int, b *%s, bs, m, depth, add int)", element, element, element))
	Doc(name + " is run; strides are in bytes, add is 0 or 1, m and depth are above 0.")
	c, cs, a, ai, ap, b, bs, m := load("c"), load("cs"), load("a"), load("ai"), load("ap"),
		load("b"), load("bs"), load("m")
	tile := func(rows int) {
		acc := registers[3:][:2*rows]
		for _, v := range acc {
			zero(v)
		}
		fresh := label("fresh")
		add := load("add")
		TESTQ(add, add)
		JZ(LabelRef(fresh))
		at := GP64()
		MOVQ(c, at)
		for r := range rows {
			move(Mem{Base: at}, acc[2*r])
			move(Mem{Base: at, Disp: size}, acc[2*r+1])
			if r < rows-1 {
				ADDQ(cs, at)
			}
		}
		Label(fresh)
		base := rowPointers(a, ai, rows)
		bp, n := GP64(), load("depth")
		MOVQ(b, bp)
		top := label("depth")
		Label(top)
		move(Mem{Base: bp}, b0)
		move(Mem{Base: bp, Disp: size}, b1)
		for r := range rows {
			broadcast(rowAt(base, ai, r), x)
			fma(x, b0, acc[2*r])
			fma(x, b1, acc[2*r+1])
		}
		for _, p := range base {
			ADDQ(ap, p)
		}
		ADDQ(bs, bp)
		DECQ(n)
		JNZ(LabelRef(top))
		for r := range rows {
			move(acc[2*r], Mem{Base: c})
			move(acc[2*r+1], Mem{Base: c, Disp: size})
			ADDQ(cs, c)
			ADDQ(ai, a)
		}
		SUBQ(I8(int8(rows)), m)
	}
	for _, rows := range heights {
		top, end := label("rows"), label("end")
		Label(top)
		CMPQ(m, I8(int8(rows)))
		JLT(LabelRef(end))
		tile(rows)
		if rows == heights[0] {
			JMP(LabelRef(top))
		}
		Label(end)
	}
	VZEROUPPER()
	RET()
}
