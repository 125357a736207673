package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// inGNN are the inner loops of package gnn in float32, for AVX2 and some for AVX-512.
func inGNN() {
	gemm("gemm16", 2, false)
	gemm("gemm8", 1, false)
	gemm("gemm16wide", 1, true)
	for _, back := range []string{"", "back"} {
		spread("spread16"+back, 4, 2, false, back != "")
		spread("spread8"+back, 8, 1, false, back != "")
		spread("spread16wide"+back, 8, 1, true, back != "")
	}
	dotRows()
	dotRows16("dotRows16", false)
	dotRows16("dotRows16wide", true)
	edgeDotRows()
	edgeDot16("edgeDot16", false)
	edgeDot16("edgeDot16wide", true)
	logits()
	expVec("expVec", false)
	expVec("expVecWide", true)
	scaleRows()
	attendBack()
	collect()
	spread1("spread1Slices", false)
	spread1("spread1BackSlices", true)
	edgeDots1()
	outerAdd("outerAdd16", 2)
	outerAdd("outerAdd8", 1)
	gate()
	gateBack()
	addVec()
	sigmoid()
	softmax()
	rank()
	link()
	blank()
	integers()
	repeated()
	unfold()
	mmd()
	rows()
}

// constants are the numbers that the loops need, by name.
var constants = map[string]uint32{
	"minusInf": math.Float32bits(float32(math.Inf(-1))),
	"one":      math.Float32bits(1),
	"sign":     1 << 31,
	"intOne":   1,
	"eight":    8,
	// Of Exp32 in package exact.
	"expMin": math.Float32bits(-0x1.5d589ep+6),
	"log2e":  math.Float32bits(1 / math.Ln2),
	"round":  math.Float32bits(0x1.8p+23),
	"ln2Hi":  math.Float32bits(0x1.62e4p-1),
	"ln2Lo":  math.Float32bits(0x1.7f7d1cp-20),
	"c2":     math.Float32bits(0.5),
	"c3":     math.Float32bits(1.0 / 6),
	"c4":     math.Float32bits(1.0 / 24),
	"c5":     math.Float32bits(1.0 / 120),
	"c6":     math.Float32bits(1.0 / 720),
	"c7":     math.Float32bits(1.0 / 5040),
}

var placed = map[string]Mem{}

// c is a constant in all eight lanes of 32 bytes of read-only data.
func c(name string) Mem {
	m, ok := placed[name]
	if !ok {
		bits, known := constants[name]
		if !known {
			panic("no constant " + name)
		}
		m = GLOBL(name, RODATA|NOPTR)
		for i := range 8 {
			DATA(4*i, U32(bits))
		}
		placed[name] = m
	}
	return m
}

// exp sets x to Exp32(x) of package exact, for x ≤ 0.
func exp(x VecVirtual) {
	k, n, p, small := YMM(), YMM(), YMM(), YMM()
	VCMPPS(U8(0x11), c("expMin"), x, small) // x < min
	VMOVUPS(c("round"), k)
	VFMADD231PS(c("log2e"), x, k)
	VSUBPS(c("round"), k, n)
	VFNMADD231PS(c("ln2Hi"), n, x)
	VFNMADD231PS(c("ln2Lo"), n, x)
	VMOVUPS(c("c7"), p)
	for _, q := range []string{"c6", "c5", "c4", "c3", "c2", "one", "one"} {
		VFMADD213PS(c(q), x, p)
	}
	VPSLLD(U8(23), k, k)
	VPADDD(k, p, x)
	VANDNPS(x, small, x)
}

// gemm in registers of 8 values (cols of them a row), or in one of 16. A block of
// rows shares each load of b.
func gemm(name string, cols int, wide bool) {
	vector, blocks := YMM, []int{6, 3, 2, 1}
	if wide {
		vector, blocks = ZMM, []int{12, 6, 3, 2, 1}
	}
	TEXT(name, NOSPLIT, "func(c *float32, cs int, a *float32, ai, ap int, b *float32, bs, m, n int, soon *float32, step int)")
	Doc(name+" is gemm for one block of columns; strides are in bytes. A line of memory is fetched for every step of", "the innermost loop, from soon on and so many bytes further each time.")
	cPtr, cs, a, ai, ap, b, bs := load("c"), load("cs"), load("a"), load("ai"), load("ap"), load("b"), load("bs")
	m, soon := load("m"), load("soon")
	step, err := Param("step").Resolve()
	if err != nil {
		panic(err)
	}
	tile := func(rows int) {
		acc := make([]VecVirtual, rows*cols)
		for i := range acc {
			acc[i] = vector()
			zero(acc[i], wide)
		}
		bp, n := GP64(), load("n")
		base := rowPointers(a, ai, rows)
		MOVQ(b, bp)
		atLeastOnce("p", n, func() {
			x := vector()
			bv := make([]VecVirtual, cols)
			for j := range bv {
				bv[j] = vector()
				VMOVUPS(Mem{Base: bp, Disp: 32 * j}, bv[j])
			}
			for r := range rows {
				at := rowAt(base, ai, r)
				if wide {
					VFMADD231PS_BCST(at, bv[0], acc[r])
					continue
				}
				VBROADCASTSS(at, x)
				for j := range bv {
					VFMADD231PS(x, bv[j], acc[r*cols+j])
				}
			}
			PREFETCHT1(Mem{Base: soon})
			ADDQ(step.Addr, soon)
			for _, p := range base {
				ADDQ(ap, p)
			}
			ADDQ(bs, bp)
		})
		for r := range rows {
			for j := range cols {
				VMOVUPS(acc[r*cols+j], Mem{Base: cPtr, Disp: 32 * j})
			}
			ADDQ(cs, cPtr)
			ADDQ(ai, a)
		}
		SUBQ(I8(int8(rows)), m)
	}
	for _, rows := range blocks {
		top, end := label("rows"), label("rows_end")
		Label(top)
		CMPQ(m, I8(int8(rows)))
		JLT(LabelRef(end))
		tile(rows)
		if rows == blocks[0] {
			JMP(LabelRef(top))
		}
		Label(end)
	}
	VZEROUPPER()
	RET()
}

// A slice is eight rows of an adjacency that lie side by side.
type slice struct {
	length, offset GPVirtual  // entries of the longest row; of the first entry, in bytes
	rows           Mem        // which rows they are
	degree         VecVirtual // their entries
}

func sliceWalk(body func(s slice)) {
	start, row, degree, n := load("start"), load("row"), load("degree"), load("slices")
	loop("slice", n, func() {
		s := slice{GP64(), GP64(), Mem{Base: row}, YMM()}
		MOVLQSX(Mem{Base: start}, s.offset)
		MOVLQSX(Mem{Base: start, Disp: 4}, s.length)
		SUBQ(s.offset, s.length)
		SHRQ(U8(3), s.length)
		SHLQ(U8(2), s.offset)
		next := label("empty")
		TESTQ(s.length, s.length)
		JZ(LabelRef(next))
		i, all := YMM(), YMM()
		VMOVDQU(s.rows, i)
		VPCMPEQD(all, all, all)
		VPXOR(s.degree, s.degree, s.degree)
		VPGATHERDD(all, Mem{Base: degree, Index: i, Scale: 4}, s.degree)
		body(s)
		Label(next)
		ADDQ(I8(4), start)
		ADDQ(I8(32), row)
	})
	VZEROUPPER()
	RET()
}

// scatter writes the lanes of v to the places of their rows.
func (s slice) scatter(v VecVirtual, to GPVirtual) {
	low, high, at := v.AsX(), XMM(), GP64()
	VEXTRACTF128(U8(1), v, high)
	for lane := range 8 {
		MOVLQSX(s.rows.Offset(4*lane), at)
		x := low
		if lane >= 4 {
			x = high
		}
		if lane%4 == 0 {
			VMOVSS(x, Mem{Base: to, Index: at, Scale: 4})
		} else {
			VEXTRACTPS(U8(lane%4), x, Mem{Base: to, Index: at, Scale: 4})
		}
	}
}

// entries runs body for each entry of a slice, with the mask of the rows that
// have this entry and its offset in bytes.
func (s slice) entries(name string, body func(valid VecVirtual, at GPVirtual)) {
	t, one, count, at := YMM(), YMM(), GP64(), GP64()
	VPXOR(t, t, t)
	VMOVDQU(c("intOne"), one)
	MOVQ(s.length, count)
	MOVQ(s.offset, at)
	atLeastOnce(name, count, func() {
		valid := YMM()
		VPCMPGTD(t, s.degree, valid)
		body(valid, at)
		VPADDD(one, t, t)
		ADDQ(I8(32), at)
	})
}

// gather loads v[index] for the eight 32-bit numbers at index.
func gather(v GPVirtual, index Mem) VecVirtual {
	i, all, out := YMM(), YMM(), YMM()
	VMOVDQU(index, i)
	VPCMPEQD(all, all, all)
	VXORPS(out, out, out)
	VGATHERDPS(all, Mem{Base: v, Index: i, Scale: 4}, out)
	return out
}

func scalar(name string) VecVirtual {
	v := YMM()
	addr, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(addr.Addr, v)
	return v
}

// attend is in three parts, so that no exponential waits for the row before: the logits less the largest of their
// row, the exponentials of all places, and their division by their sum.
func logits() {
	TEXT("logitSlices", NOSPLIT, "func(alpha *float32, start, row, degree, col *int32, weight, fi, gj *float32, slope float32, slices int)")
	Doc("logitSlices gives the logits of attend, less the largest of their row, eight rows at a time. What is no entry", "gets −∞.")
	alpha, col, weight, f, g := load("alpha"), load("col"), load("weight"), load("fi"), load("gj")
	slope := scalar("slope")
	sliceWalk(func(sl slice) {
		fv, largest := gather(f, sl.rows), YMM()
		VMOVUPS(c("minusInf"), largest)
		sl.entries("logit", func(valid VecVirtual, at GPVirtual) {
			x := gather(g, Mem{Base: col, Index: at, Scale: 1})
			low, zero, l := YMM(), YMM(), YMM()
			VADDPS(x, fv, x)
			VXORPS(zero, zero, zero)
			VMINPS(x, zero, low)
			VMULPS(low, slope, low)
			VMAXPS(x, zero, x)
			VADDPS(low, x, x)
			VMULPS(Mem{Base: weight, Index: at, Scale: 1}, x, x)
			VMOVUPS(c("minusInf"), l)
			VBLENDVPS(valid, x, l, l)
			VMOVUPS(l, Mem{Base: alpha, Index: at, Scale: 1})
			VMAXPS(largest, l, largest)
		})
		sl.entries("less", func(_ VecVirtual, at GPVirtual) {
			x := YMM()
			VMOVUPS(Mem{Base: alpha, Index: at, Scale: 1}, x)
			VSUBPS(largest, x, x)
			VMOVUPS(x, Mem{Base: alpha, Index: at, Scale: 1})
		})
	})
}

// expVec has registers of 8 or 16.
func expVec(name string, wide bool) {
	TEXT(name, NOSPLIT, "func(v *float32, eights int)")
	Doc(name + " replaces numbers by their exponentials.")
	v, n := load("v"), load("eights")
	each := func(x VecVirtual, exp func(VecVirtual)) {
		VMOVUPS(Mem{Base: v}, x)
		exp(x)
		VMOVUPS(x, Mem{Base: v})
	}
	if wide {
		sixteens := GP64()
		MOVQ(n, sixteens)
		SHRQ(U8(1), sixteens)
		loop("sixteen", sixteens, func() {
			each(ZMM(), expWide)
			ADDQ(I8(64), v)
		})
		ANDQ(I8(1), n)
	}
	loop("eight", n, func() {
		each(YMM(), exp)
		ADDQ(I8(32), v)
	})
	VZEROUPPER()
	RET()
}

// expWide is exp in 16 lanes.
func expWide(x VecVirtual) {
	k, n, p, enough := ZMM(), ZMM(), ZMM(), K()
	VCMPPS_BCST(U8(0x15), c("expMin"), x, enough) // not x < min
	VBROADCASTSS(c("round"), k)
	VFMADD231PS_BCST(c("log2e"), x, k)
	VSUBPS_BCST(c("round"), k, n)
	VFNMADD231PS_BCST(c("ln2Hi"), n, x)
	VFNMADD231PS_BCST(c("ln2Lo"), n, x)
	VBROADCASTSS(c("c7"), p)
	for _, q := range []string{"c6", "c5", "c4", "c3", "c2", "one", "one"} {
		VFMADD213PS_BCST(c(q), x, p)
	}
	VPSLLD(U8(23), k, k)
	VPADDD_Z(k, p, enough, x)
}

func scaleRows() {
	TEXT("scaleSlices", NOSPLIT, "func(alpha *float32, start, row, degree *int32, slices int)")
	Doc("scaleSlices divides each row by its sum, eight rows at a time.")
	alpha := load("alpha")
	sliceWalk(func(sl slice) {
		sum := YMM()
		VXORPS(sum, sum, sum)
		sl.entries("sum", func(_ VecVirtual, at GPVirtual) {
			VADDPS(Mem{Base: alpha, Index: at, Scale: 1}, sum, sum)
		})
		scale := YMM()
		VMOVUPS(c("one"), scale)
		VDIVPS(sum, scale, scale)
		sl.entries("scale", func(valid VecVirtual, at GPVirtual) {
			x := YMM()
			VMULPS(Mem{Base: alpha, Index: at, Scale: 1}, scale, x)
			VANDPS(valid, x, x)
			VMOVUPS(x, Mem{Base: alpha, Index: at, Scale: 1})
		})
	})
}

func attendBack() {
	TEXT("attendBackSlices", NOSPLIT, "func(d, alpha *float32, start, row, degree, col *int32, weight, fi, gj *float32, slope float32, df *float32, slices int)")
	Doc("attendBackSlices is attendBack, eight rows at a time.")
	d, alpha, col, weight, f, g, df := load("d"), load("alpha"), load("col"), load("weight"), load("fi"),
		load("gj"), load("df")
	slope := scalar("slope")
	sliceWalk(func(sl slice) {
		mean := YMM()
		VXORPS(mean, mean, mean)
		sl.entries("mean", func(valid VecVirtual, at GPVirtual) {
			x := YMM()
			VMOVUPS(Mem{Base: alpha, Index: at, Scale: 1}, x)
			VMULPS(Mem{Base: d, Index: at, Scale: 1}, x, x)
			VANDPS(valid, x, x)
			VADDPS(x, mean, mean)
		})
		fv, sum := gather(f, sl.rows), YMM()
		VXORPS(sum, sum, sum)
		sl.entries("slope", func(valid VecVirtual, at GPVirtual) {
			pre := gather(g, Mem{Base: col, Index: at, Scale: 1})
			x, zero := YMM(), YMM()
			VADDPS(pre, fv, pre)
			VXORPS(zero, zero, zero)
			VCMPPS(U8(0x1e), zero, pre, pre) // pre > 0
			VBLENDVPS(pre, c("one"), slope, pre)
			VMOVUPS(Mem{Base: d, Index: at, Scale: 1}, x)
			VSUBPS(mean, x, x)
			VMULPS(Mem{Base: alpha, Index: at, Scale: 1}, x, x)
			VMULPS(Mem{Base: weight, Index: at, Scale: 1}, x, x)
			VMULPS(pre, x, x)
			VANDPS(valid, x, x)
			VMOVUPS(x, Mem{Base: d, Index: at, Scale: 1})
			VADDPS(x, sum, sum)
		})
		sl.scatter(sum, df)
	})
}

func collect() {
	TEXT("collectSlices", NOSPLIT, "func(out *float32, start, row, degree, reverse *int32, d *float32, slices int)")
	Doc("collectSlices is collect, eight rows at a time.")
	out, reverse, d := load("out"), load("reverse"), load("d")
	sliceWalk(func(sl slice) {
		sum := YMM()
		VXORPS(sum, sum, sum)
		sl.entries("entry", func(valid VecVirtual, at GPVirtual) {
			x := gather(d, Mem{Base: reverse, Index: at, Scale: 1})
			VANDPS(valid, x, x)
			VADDPS(x, sum, sum)
		})
		sl.scatter(sum, out)
	})
}

func spread1(name string, back bool) {
	TEXT(name, NOSPLIT, "func(out *float32, start, row, degree, col, reverse *int32, coef, z *float32, slices int)")
	Doc(name + " is spread1, eight rows at a time.")
	out, col, coef, z := load("out"), load("col"), load("coef"), load("z")
	var reverse GPVirtual
	if back {
		reverse = load("reverse")
	}
	sliceWalk(func(sl slice) {
		sum := YMM()
		VXORPS(sum, sum, sum)
		sl.entries("entry", func(valid VecVirtual, at GPVirtual) {
			x := gather(z, Mem{Base: col, Index: at, Scale: 1})
			if back {
				k := gather(coef, Mem{Base: reverse, Index: at, Scale: 1})
				VMULPS(k, x, x)
			} else {
				VMULPS(Mem{Base: coef, Index: at, Scale: 1}, x, x)
			}
			VANDPS(valid, x, x)
			VADDPS(x, sum, sum)
		})
		sl.scatter(sum, out)
	})
}

func edgeDots1() {
	TEXT("edgeDots1Slices", NOSPLIT, "func(d *float32, start, row, degree, col *int32, y, z *float32, slices int)")
	Doc("edgeDots1Slices is edgeDots1, eight rows at a time.")
	d, col, y, z := load("d"), load("col"), load("y"), load("z")
	sliceWalk(func(sl slice) {
		yv := gather(y, sl.rows)
		sl.entries("entry", func(valid VecVirtual, at GPVirtual) {
			x := gather(z, Mem{Base: col, Index: at, Scale: 1})
			VMULPS(x, yv, x)
			VMOVUPS(x, Mem{Base: d, Index: at, Scale: 1})
		})
	})
}

func outerAdd(name string, cols int) {
	TEXT(name, NOSPLIT, "func(y, c, v *float32, n, stride int)")
	Doc(name + " is outerAdd for one block of columns; stride is in bytes.")
	y, cp, v, n, stride := load("y"), load("c"), load("v"), load("n"), load("stride")
	vv := make([]VecVirtual, cols)
	for j := range vv {
		vv[j] = YMM()
		VMOVUPS(Mem{Base: v, Disp: 32 * j}, vv[j])
	}
	loop("row", n, func() {
		x, t := YMM(), YMM()
		VBROADCASTSS(Mem{Base: cp}, x)
		for j := range vv {
			VMOVUPS(Mem{Base: y, Disp: 32 * j}, t)
			VFMADD231PS(vv[j], x, t)
			VMOVUPS(t, Mem{Base: y, Disp: 32 * j})
		}
		ADDQ(I8(4), cp)
		ADDQ(stride, y)
	})
	VZEROUPPER()
	RET()
}

// blocks runs body for the offsets 0, 32 … below w.
func blocks(w GPVirtual, body func(j GPVirtual)) {
	j := GP64()
	XORQ(j, j)
	top := label("block")
	Label(top)
	body(j)
	ADDQ(I8(32), j)
	CMPQ(j, w)
	JLT(LabelRef(top))
}

func gate() {
	TEXT("gateRows", NOSPLIT, "func(out, h, s *float32, kept *int32, k, w int)")
	Doc("gateRows is gate; w is in bytes.")
	out, h, s, kept, k, w := load("out"), load("h"), load("s"), load("kept"), load("k"), load("w")
	loop("row", k, func() {
		i, x := GP64(), YMM()
		MOVLQSX(Mem{Base: kept}, i)
		VBROADCASTSS(Mem{Base: s, Index: i, Scale: 4}, x)
		IMULQ(w, i)
		ADDQ(h, i)
		blocks(w, func(j GPVirtual) {
			t := YMM()
			VMULPS(Mem{Base: i, Index: j, Scale: 1}, x, t)
			VMOVUPS(t, Mem{Base: out, Index: j, Scale: 1})
		})
		ADDQ(I8(4), kept)
		ADDQ(w, out)
	})
	VZEROUPPER()
	RET()
}

func gateBack() {
	TEXT("gateBackRows", NOSPLIT, "func(dh, dr, dOut, h, s *float32, kept *int32, k, w int)")
	Doc("gateBackRows is gateBack; w is in bytes.")
	dh, dr, dOut, h, s, kept, k, w := load("dh"), load("dr"), load("dOut"), load("h"), load("s"),
		load("kept"), load("k"), load("w")
	loop("row", k, func() {
		i, at, x := GP64(), GP64(), YMM()
		MOVLQSX(Mem{Base: kept}, i)
		MOVQ(i, at)
		IMULQ(w, at)
		hi := GP64()
		LEAQ(Mem{Base: h, Index: at, Scale: 1}, hi)
		r := dotOf(Mem{Base: dOut}, Mem{Base: hi}, w)
		VADDSS(Mem{Base: dr, Index: i, Scale: 4}, r, r)
		VMOVSS(r, Mem{Base: dr, Index: i, Scale: 4})
		VBROADCASTSS(Mem{Base: s, Index: i, Scale: 4}, x)
		ADDQ(dh, at)
		blocks(w, func(j GPVirtual) {
			t := YMM()
			VMULPS(Mem{Base: dOut, Index: j, Scale: 1}, x, t)
			VMOVUPS(t, Mem{Base: at, Index: j, Scale: 1})
		})
		ADDQ(I8(4), kept)
		ADDQ(w, dOut)
	})
	VZEROUPPER()
	RET()
}

func addVec() {
	TEXT("addVec", NOSPLIT, "func(y, x *float32, n int)")
	Doc("addVec is add; n counts vectors of eight.")
	y, x, n := load("y"), load("x"), load("n")
	loop("block", n, func() {
		t := YMM()
		VMOVUPS(Mem{Base: y}, t)
		VADDPS(Mem{Base: x}, t, t)
		VMOVUPS(t, Mem{Base: y})
		ADDQ(I8(32), x)
		ADDQ(I8(32), y)
	})
	VZEROUPPER()
	RET()
}

func sigmoid() {
	TEXT("sigmoidVec", NOSPLIT, "func(s, tail, r *float32, n int)")
	Doc("sigmoidVec is sigmoid; n counts vectors of eight.")
	s, tail, r, n := load("s"), load("tail"), load("r"), load("n")
	loop("block", n, func() {
		x, e, q, zero := YMM(), YMM(), YMM(), YMM()
		VMOVUPS(Mem{Base: r}, x)
		VORPS(c("sign"), x, e)
		exp(e)
		VMOVUPS(e, Mem{Base: tail})
		VADDPS(c("one"), e, q)
		one := YMM()
		VMOVUPS(c("one"), one)
		VDIVPS(q, one, q)
		VMULPS(q, e, e)
		VXORPS(zero, zero, zero)
		VCMPPS(U8(0x1d), zero, x, x) // r >= 0
		VBLENDVPS(x, q, e, e)
		VMOVUPS(e, Mem{Base: s})
		for _, p := range []GPVirtual{s, tail, r} {
			ADDQ(I8(32), p)
		}
	})
	VZEROUPPER()
	RET()
}

func softmax() {
	TEXT("softmaxVec", NOSPLIT, "func(v *float32, n int, tail *float32)")
	Doc("softmaxVec is softmax of n vectors of eight and those in tail.")
	v, n, tail := load("v"), load("n"), load("tail")
	each := func(name string, body func(at Mem)) {
		p, left := GP64(), GP64()
		MOVQ(v, p)
		MOVQ(n, left)
		loop(name, left, func() {
			body(Mem{Base: p})
			ADDQ(I8(32), p)
		})
		body(Mem{Base: tail})
	}
	// fold combines the lanes of x, i with i+4, then with i+2, then with i+1, and spreads the result.
	fold := func(x VecVirtual, combine func(ops ...Op)) {
		a, b := XMM(), XMM()
		VEXTRACTF128(U8(1), x, a)
		combine(x.AsX(), a, a)
		VPERMILPS(U8(0x4e), a, b)
		combine(b, a, a)
		VPERMILPS(U8(0xb1), a, b)
		combine(b, a, a)
		VBROADCASTSS(a, x)
	}
	largest, sum := YMM(), YMM()
	VMOVUPS(c("minusInf"), largest)
	each("largest", func(at Mem) { VMAXPS(at, largest, largest) })
	fold(largest, VMAXPS)
	VXORPS(sum, sum, sum)
	each("exp", func(at Mem) {
		x := YMM()
		VMOVUPS(at, x)
		VSUBPS(largest, x, x)
		exp(x)
		VMOVUPS(x, at)
		VADDPS(x, sum, sum)
	})
	fold(sum, VADDPS)
	one := YMM()
	VMOVUPS(c("one"), one)
	VDIVPS(sum, one, sum)
	each("scale", func(at Mem) {
		x := YMM()
		VMULPS(at, sum, x)
		VMOVUPS(x, at)
	})
	VZEROUPPER()
	RET()
}

func rank() {
	TEXT("rankVec", NOSPLIT, "func(rank *int32, r *float32, n, blocks int)")
	Doc("rankVec is rank, for eight places at a time; r and rank have room for whole blocks of eight.")
	out, r, n, count := load("rank"), load("r"), load("n"), load("blocks")
	// Lane i of laneAfter[q] is set when i > q.
	after := GLOBL("laneAfter", RODATA|NOPTR)
	for q := range 8 {
		for i := range 8 {
			v := uint32(0)
			if i > q {
				v = math.MaxUint32
			}
			DATA(4*(8*q+i), U32(v))
		}
	}
	masks := GP64()
	LEAQ(after, masks)
	base := GP64()
	XORQ(base, base)
	loop("block", count, func() {
		x, sum, j, limit := YMM(), YMM(), GP64(), GP64()
		VMOVUPS(Mem{Base: r, Index: base, Scale: 4}, x)
		VPXOR(sum, sum, sum)
		compare := func(predicate uint8) {
			y := YMM()
			VBROADCASTSS(Mem{Base: r, Index: j, Scale: 4}, y)
			VCMPPS(U8(predicate), x, y, y)
			VPSUBD(y, sum, sum)
		}
		until := func(name string, body func()) {
			top, end := label(name), label(name+"_end")
			Label(top)
			CMPQ(j, limit)
			JGE(LabelRef(end))
			body()
			INCQ(j)
			JMP(LabelRef(top))
			Label(end)
		}
		XORQ(j, j)
		MOVQ(base, limit)
		until("before", func() { compare(0x1d) }) // y >= x
		ADDQ(I8(8), limit)
		CMPQ(n, limit)
		CMOVQLT(n, limit)
		m := GP64()
		MOVQ(masks, m)
		until("within", func() {
			y, e := YMM(), YMM()
			VBROADCASTSS(Mem{Base: r, Index: j, Scale: 4}, y)
			VCMPPS(U8(0x00), x, y, e) // y == x
			VANDPS(Mem{Base: m}, e, e)
			VCMPPS(U8(0x1e), x, y, y) // y > x
			VORPS(e, y, y)
			VPSUBD(y, sum, sum)
			ADDQ(I8(32), m)
		})
		MOVQ(n, limit)
		until("behind", func() { compare(0x1e) }) // y > x
		VMOVDQU(sum, Mem{Base: out, Index: base, Scale: 4})
		ADDQ(I8(8), base)
	})
	VZEROUPPER()
	RET()
}

func mmd() {
	TEXT("mmdVec", NOSPLIT, "func(value, slope, s, weight *float32, inside float32, n, blocks int)")
	Doc("mmdVec is mmdSums, for eight places at a time; the arrays have room for whole blocks of eight.")
	value, slope, s, weight, n, count := load("value"), load("slope"), load("s"), load("weight"),
		load("n"), load("blocks")
	inside := scalar("inside")
	base := GP64()
	XORQ(base, base)
	loop("block", count, func() {
		si, v, g, j := YMM(), YMM(), YMM(), GP64()
		VMOVUPS(Mem{Base: s, Index: base, Scale: 4}, si)
		VXORPS(v, v, v)
		VXORPS(g, g, g)
		XORQ(j, j)
		top, end := label("pair"), label("pair_end")
		Label(top)
		CMPQ(j, n)
		JGE(LabelRef(end))
		d, x, w := YMM(), YMM(), YMM()
		VBROADCASTSS(Mem{Base: s, Index: j, Scale: 4}, x)
		VSUBPS(x, si, d)
		VMULPS(d, d, x)
		VMULPS(inside, x, x)
		exp(x)
		VBROADCASTSS(Mem{Base: weight, Index: j, Scale: 4}, w)
		VMULPS(w, x, x)
		VADDPS(x, v, v)
		VMULPS(d, x, x)
		VADDPS(x, g, g)
		INCQ(j)
		JMP(LabelRef(top))
		Label(end)
		VMOVUPS(v, Mem{Base: value, Index: base, Scale: 4})
		VMOVUPS(g, Mem{Base: slope, Index: base, Scale: 4})
		ADDQ(I8(8), base)
	})
	VZEROUPPER()
	RET()
}
