package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// unfold copies the rows of the upper triangle that have at least eight values, whose last eight may overlap those
// before, and then mirrors the matrix in blocks of eight rows and columns, the last of which may overlap too: first the
// blocks on the diagonal, so that a block that overlaps one of them has all its values.
func unfold() {
	TEXT("unfoldRows", NOSPLIT, "func(x, upper *float32, n int)")
	Doc("unfoldRows is unfold for n ≥ 8; the last seven rows of the upper triangle are in x.")
	x, upper, n := load("x"), load("upper"), load("n")
	stride, last := GP64(), GP64() // of a row, in bytes; the number of the last block's first row
	MOVQ(n, stride)
	SHLQ(U8(2), stride)
	LEAQ(Mem{Base: n, Disp: -8}, last)

	to, length, v := GP64(), GP64(), YMM()
	MOVQ(x, to)
	MOVQ(n, length)
	rows, copied := label("copy"), label("copied")
	Label(rows)
	SUBQ(I8(8), length)
	JL(LabelRef(copied))
	at := GP64()
	XORQ(at, at)
	eights, tail := label("eight"), label("tail")
	Label(eights)
	CMPQ(at, length)
	JGE(LabelRef(tail))
	VMOVUPS(Mem{Base: upper, Index: at, Scale: 4}, v)
	VMOVUPS(v, Mem{Base: to, Index: at, Scale: 4})
	ADDQ(I8(8), at)
	JMP(LabelRef(eights))
	Label(tail)
	VMOVUPS(Mem{Base: upper, Index: length, Scale: 4}, v)
	VMOVUPS(v, Mem{Base: to, Index: length, Scale: 4})
	LEAQ(Mem{Base: upper, Index: length, Scale: 4, Disp: 32}, upper)
	LEAQ(Mem{Base: to, Index: stride, Scale: 1, Disp: 4}, to)
	ADDQ(I8(7), length)
	JMP(LabelRef(rows))
	Label(copied)

	row := GP64()
	// each runs body for every first row of a block from the one in number on.
	each := func(name string, number GPVirtual, body func(at GPVirtual)) {
		top, end := label(name), label(name+"_end")
		Label(top)
		CMPQ(number, n)
		JGE(LabelRef(end))
		at := GP64()
		MOVQ(number, at)
		CMPQ(last, at)
		CMOVQLT(last, at)
		body(at)
		ADDQ(I8(8), number)
		JMP(LabelRef(top))
		Label(end)
	}
	// block points to the rows of the block that begins in a row and a column.
	block := func(row, column GPVirtual) []GPVirtual {
		p := GP64()
		MOVQ(row, p)
		IMULQ(stride, p)
		LEAQ(Mem{Base: p, Index: column, Scale: 4}, p)
		ADDQ(x, p)
		return rowPointers(p, stride, 8)
	}
	XORQ(row, row)
	each("diagonal", row, func(at GPVirtual) {
		base := block(at, at)
		for r, v := range transposed(base, stride) {
			if r > 0 {
				VBLENDPS(U8(0xff<<r), rowAt(base, stride, r), v, v) // what is not below the diagonal stays
				VMOVUPS(v, rowAt(base, stride, r))
			}
		}
	})
	XORQ(row, row)
	each("rows", row, func(at GPVirtual) {
		column := GP64()
		LEAQ(Mem{Base: row, Disp: 8}, column)
		each("columns", column, func(right GPVirtual) {
			values := transposed(block(at, right), stride)
			base := block(right, at)
			for r, v := range values {
				VMOVUPS(v, rowAt(base, stride, r))
			}
		})
	})
	VZEROUPPER()
	RET()
}

// transposed gives the columns of a block of eight rows and columns.
func transposed(base []GPVirtual, stride GPVirtual) [8]VecVirtual {
	var pairs, fours, out [8]VecVirtual
	for r := 0; r < 8; r += 2 {
		v := YMM()
		pairs[r], pairs[r+1] = YMM(), YMM()
		VMOVUPS(rowAt(base, stride, r), v)
		VUNPCKLPS(rowAt(base, stride, r+1), v, pairs[r])
		VUNPCKHPS(rowAt(base, stride, r+1), v, pairs[r+1])
	}
	for h := 0; h < 8; h += 4 {
		for i := range 2 {
			fours[h+2*i], fours[h+2*i+1] = YMM(), YMM()
			VSHUFPS(U8(0x44), pairs[h+2+i], pairs[h+i], fours[h+2*i])
			VSHUFPS(U8(0xee), pairs[h+2+i], pairs[h+i], fours[h+2*i+1])
		}
	}
	for i := range 4 {
		out[i], out[4+i] = YMM(), YMM()
		VPERM2F128(U8(0x20), fours[4+i], fours[i], out[i])
		VPERM2F128(U8(0x31), fours[4+i], fours[i], out[4+i])
	}
	return out
}
