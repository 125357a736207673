package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Loops over the entries of an adjacency, for rows of features. Rows that lie side by
// side are worked on together: as they are sorted by their number of entries, one count does for all, and
// no branch depends on a single row. Places that are no entries take part with a
// coefficient of zero.

// groups runs body for every so many rows that lie side by side, with the number of
// entries of the longest, the offset in bytes of its first, and where their numbers are.
func groups(name string, size int, body func(length, offset GPVirtual, rows Mem)) {
	first, degree, row, n := load("first"), load("degree"), load("row"), load("groups")
	loop(name, n, func() {
		r, length, offset := GP64(), GP64(), GP64()
		MOVLQSX(Mem{Base: row}, r)
		MOVLQSX(Mem{Base: degree, Index: r, Scale: 4}, length)
		MOVLQSX(Mem{Base: first, Index: r, Scale: 4}, offset)
		SHLQ(U8(2), offset)
		empty := label("empty")
		TESTQ(length, length)
		JZ(LabelRef(empty))
		body(length, offset, Mem{Base: row})
		Label(empty)
		ADDQ(I8(int8(4*size)), row)
	})
	VZEROUPPER()
	RET()
}

// spread works on so many rows at once, of cols registers each.
func spread(name string, rows, cols int, wide, back bool) {
	TEXT(name, NOSPLIT, "func(out *float32, n int, first, degree, row, col, reverse *int32, coef, z *float32, stride, groups int)")
	Doc(name + " is spread for one block of columns; stride is in bytes.")
	out, n, col, coef, z, stride := load("out"), load("n"), load("col"), load("coef"), load("z"), load("stride")
	var reverse GPVirtual
	if back {
		reverse = load("reverse")
	}
	vector := YMM
	if wide {
		vector = ZMM
	}
	groups("rows", rows, func(length, offset GPVirtual, which Mem) {
		acc := make([]VecVirtual, rows*cols)
		for i := range acc {
			acc[i] = vector()
			zero(acc[i], wide)
		}
		atLeastOnce("entry", length, func() {
			for r := range rows {
				at, x := GP64(), vector()
				MOVLQSX(Mem{Base: col, Index: offset, Scale: 1, Disp: 4 * r}, at)
				IMULQ(stride, at)
				if back {
					k := GP64()
					MOVLQSX(Mem{Base: reverse, Index: offset, Scale: 1, Disp: 4 * r}, k)
					VBROADCASTSS(Mem{Base: coef, Index: k, Scale: 4}, x)
				} else {
					VBROADCASTSS(Mem{Base: coef, Index: offset, Scale: 1, Disp: 4 * r}, x)
				}
				for j := range cols {
					VFMADD231PS(Mem{Base: z, Index: at, Scale: 1, Disp: 32 * j}, x, acc[r*cols+j])
				}
			}
			ADDQ(I8(32), offset)
		})
		end := label("padding")
		for r := range rows {
			at := GP64()
			MOVLQSX(which.Offset(4*r), at)
			CMPQ(at, n)
			JGE(LabelRef(end))
			IMULQ(stride, at)
			for j := range cols {
				VMOVUPS(acc[r*cols+j], Mem{Base: out, Index: at, Scale: 1, Disp: 32 * j})
			}
		}
		Label(end)
	})
}

// edgeDot16 works on eight rows at once.
func edgeDot16(name string, wide bool) {
	TEXT(name, NOSPLIT, "func(d *float32, n int, first, degree, row, col *int32, y, z *float32, groups int)")
	Doc(name + " is edgeDots for rows of 16 values.")
	d, n, col, y, z := load("d"), load("n"), load("col"), load("y"), load("z")
	var own Mem // the eight rows of y
	if !wide {
		own = AllocLocal(8 * 64)
	}
	groups("rows", 8, func(length, offset GPVirtual, which Mem) {
		var rows [8]VecVirtual
		none := GP64()
		XORQ(none, none)
		for r := range 8 {
			at := GP64()
			MOVLQSX(which.Offset(4*r), at)
			CMPQ(at, n)
			CMOVQGE(none, at) // padding
			SHLQ(U8(6), at)
			if wide {
				rows[r] = ZMM()
				VMOVUPS(Mem{Base: y, Index: at, Scale: 1}, rows[r])
				continue
			}
			for j := range 2 {
				t := YMM()
				VMOVUPS(Mem{Base: y, Index: at, Scale: 1, Disp: 32 * j}, t)
				VMOVUPS(t, own.Offset(64*r+32*j))
			}
		}
		atLeastOnce("entry", length, func() {
			product := func(r int) VecVirtual {
				at := GP64()
				MOVLQSX(Mem{Base: col, Index: offset, Scale: 1, Disp: 4 * r}, at)
				SHLQ(U8(6), at)
				if wide {
					p := ZMM()
					VMULPS(Mem{Base: z, Index: at, Scale: 1}, rows[r], p)
					return p
				}
				p, q := YMM(), YMM()
				VMOVUPS(own.Offset(64*r), p)
				VMULPS(Mem{Base: z, Index: at, Scale: 1}, p, p)
				VMOVUPS(own.Offset(64*r+32), q)
				VMULPS(Mem{Base: z, Index: at, Scale: 1, Disp: 32}, q, q)
				VADDPS(q, p, p)
				return p
			}
			VMOVUPS(sumEight(wide, product), Mem{Base: d, Index: offset, Scale: 1})
			ADDQ(I8(32), offset)
		})
	})
}

// edgeDotRows is for any width; it goes row by row.
func edgeDotRows() {
	TEXT("edgeDotRows", NOSPLIT, "func(d *float32, n int, first, degree, col *int32, y, z *float32, w int)")
	Doc("edgeDotRows is edgeDots; w is in bytes.")
	d, col, y, z, w := load("d"), load("col"), load("y"), load("z"), load("w")
	first, deg, n := load("first"), load("degree"), load("n")
	loop("row", n, func() {
		offset, degree := GP64(), GP64()
		MOVLQSX(Mem{Base: first}, offset)
		SHLQ(U8(2), offset)
		MOVLQSX(Mem{Base: deg}, degree)
		atLeastOnce("entry", degree, func() {
			at := GP64()
			MOVLQSX(Mem{Base: col, Index: offset, Scale: 1}, at)
			IMULQ(w, at)
			ADDQ(z, at)
			r := dotOf(Mem{Base: y}, Mem{Base: at}, w)
			VMOVSS(r, Mem{Base: d, Index: offset, Scale: 1})
			ADDQ(I8(32), offset)
		})
		ADDQ(I8(4), first)
		ADDQ(I8(4), deg)
		ADDQ(w, y)
	})
	VZEROUPPER()
	RET()
}

func link() {
	TEXT("linkEdges", NOSPLIT, "func(col, reverse *int32, weight *float32, last, from, to *int32, strength *float32, edges int)")
	Doc("linkEdges is link.")
	arrays := []GPVirtual{load("col"), load("reverse"), load("weight")}
	last, from, to, strength, n := load("last"), load("from"), load("to"), load("strength"), load("edges")
	atLeastOnce("edge", n, func() {
		var node, entry [2]GPVirtual
		for i, end := range []GPVirtual{from, to} {
			node[i], entry[i] = GP64(), GP64()
			MOVLQSX(Mem{Base: end}, node[i])
			MOVLQSX(Mem{Base: last, Index: node[i], Scale: 4}, entry[i])
			ADDQ(I8(8), entry[i])
			MOVL(entry[i].As32(), Mem{Base: last, Index: node[i], Scale: 4})
			ADDQ(I8(4), end)
		}
		w := GP32()
		MOVL(Mem{Base: strength}, w)
		ADDQ(I8(4), strength)
		for i := range 2 {
			for j, v := range []Register{node[1-i].As32(), entry[1-i].As32(), w} {
				MOVL(v, Mem{Base: arrays[j], Index: entry[i], Scale: 4})
			}
		}
	})
	RET()
}

// blank writes, slice by slice, the first entries of eight rows, which are the nodes themselves, and as many places as
// the slice has behind them.
func blank() {
	TEXT("blankSlices", NOSPLIT, "func(col, reverse *int32, weight *float32, first, start, row *int32, self float32, n, slices int)")
	Doc("blankSlices is blank.")
	arrays := []GPVirtual{load("col"), load("reverse"), load("weight")}
	first, start, row, slices := load("first"), load("start"), load("row"), load("slices")
	self, n, last, eight := scalar("self"), YMM(), YMM(), YMM()
	count := XMM()
	VMOVD(load("n").As32(), count)
	VPBROADCASTD(count, n)
	VMOVDQU(c("eight"), eight)
	VPSUBD(c("intOne"), n, last)
	order := GLOBL("order", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(uint32(i)))
	}
	loop("slice", slices, func() {
		nodes, entries, weight, at, end := YMM(), YMM(), YMM(), GP64(), GP64()
		VMOVDQU(Mem{Base: row}, nodes)
		MOVLQSX(Mem{Base: start}, at)
		MOVLQSX(Mem{Base: start, Disp: 4}, end)
		for i := range 8 {
			node, entry := GP64(), GP64()
			MOVLQSX(Mem{Base: row, Disp: 4 * i}, node)
			LEAQ(Mem{Base: at, Disp: i}, entry)
			MOVL(entry.As32(), Mem{Base: first, Index: node, Scale: 4})
		}
		VPBROADCASTD(Mem{Base: start}, entries)
		VPADDD(order, entries, entries)
		VPCMPGTD(nodes, n, weight)
		VANDPS(self, weight, weight)
		VPMINSD(last, nodes, nodes) // rows beyond the last node join it to itself
		top, done := label("places"), label("placed")
		Label(top)
		CMPQ(at, end)
		JGE(LabelRef(done))
		for i, v := range []Register{nodes, entries, weight} {
			VMOVDQU(v, Mem{Base: arrays[i], Index: at, Scale: 4})
		}
		VXORPS(weight, weight, weight)
		VPADDD(eight, entries, entries)
		ADDQ(I8(8), at)
		JMP(LabelRef(top))
		Label(done)
		ADDQ(I8(4), start)
		ADDQ(I8(32), row)
	})
	VZEROUPPER()
	RET()
}

// integers widens bytes, eight at a time.
func integers() {
	TEXT("integersVec", NOSPLIT, "func(to *int32, from *uint8, eights int)")
	Doc("integersVec is integers, for blocks of eight.")
	to, from, eights := load("to"), load("from"), load("eights")
	atLeastOnce("eight", eights, func() {
		v := YMM()
		VPMOVZXBD(Mem{Base: from}, v)
		VMOVDQU(v, Mem{Base: to})
		ADDQ(I8(8), from)
		ADDQ(I8(32), to)
	})
	VZEROUPPER()
	RET()
}

// repeated writes eight of each number at least, over which the next one goes.
func repeated() {
	TEXT("repeatedVec", NOSPLIT, "func(to *int32, times *uint8, n int)")
	Doc("repeatedVec is repeated; it may write eight numbers beyond.")
	to, times, n := load("to"), load("times"), load("n")
	number, one := YMM(), YMM()
	VXORPS(number, number, number)
	VMOVDQU(c("intOne"), one)
	atLeastOnce("number", n, func() {
		at, next := GP64(), GP64()
		MOVQ(to, at)
		MOVBQZX(Mem{Base: times}, next)
		LEAQ(Mem{Base: to, Index: next, Scale: 4}, to)
		INCQ(times)
		top := label("eights")
		Label(top)
		VMOVDQU(number, Mem{Base: at})
		ADDQ(I8(32), at)
		CMPQ(at, to)
		JLT(LabelRef(top))
		VPADDD(one, number, number)
	})
	VZEROUPPER()
	RET()
}
