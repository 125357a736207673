package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The entries of tables in package inflate (table.go there), and the fields of its type fast, by their offsets.
const (
	entryShift    = 8  // bits of the code
	entryByte     = 16 // the literal
	entryWidth    = 32 // bits of the next index
	entryValue    = 48
	entryLong     = 1 << 25 // behind a subtable; only here
	entryDistance = 1 << 26
	entrySub      = 1 << 28
	entryDirect   = 1 << 29
	entryLength   = 1 << 30

	litBits = 11

	fastIn, fastLast, fastOut, fastLimit, fastBegun = 0, 8, 16, 24, 32
	fastLit, fastDist, fastHold, fastN, fastLength  = 40, 48, 56, 64, 72
	fastWrong                                       = 80
)

// inInflate is the loop of package inflate.
func inInflate() {
	copying()
	decodeLoop()
}

var repeats, strides Mem

// copying is what repeats the first bytes of a register: by their number, the places of the bytes to take, and how
// many bytes further on they are the same again.
func copying() {
	repeats = GLOBL("repeats", RODATA|NOPTR)
	for period := range 16 {
		for half := range 2 {
			bytes := uint64(0)
			for i := range 8 {
				bytes |= uint64((8*half+i)%max(1, period)) << (8 * i)
			}
			DATA(16*period+8*half, U64(bytes))
		}
	}
	strides = GLOBL("strides", RODATA|NOPTR)
	for period := range 16 {
		DATA(8*period, U64(16-16%max(1, period)))
	}
}

// decodeLoop writes a loop over bytes, two entries a round. There is no branch on whether one is a literal, a length
// or a distance, which cannot be predicted: what it says decides in which table the next one is looked up, and a copy
// of no length is made where there is no match. A round has one distance at most: that of a length of the round
// before, or that of its first entry.
//
// At least 56 bits are in the buffer when a round takes its first entry. Where that is one of a subtable, bits are
// filled in again; otherwise two entries take 44 at most, a length of 16 and a distance of 28. That leaves 12, enough
// to look the next entry up before more are filled in.
func decodeLoop() {
	TEXT("decodeBytes", NOSPLIT, "func(s *[11]uint64)")
	Pragma("noescape")
	Doc("decodeBytes decompresses as decode does, up to what is wrong, the end of the block or a limit.")
	s := load("s")
	field := func(at int) Mem { return Mem{Base: s, Disp: at} }
	in, out, hold, n := GP64(), GP64(), GP64(), GP64()
	table, width := GP64(), GP64() // of the next entry
	length := GP64()               // that the round before ended with
	MOVQ(field(fastIn), in)
	MOVQ(field(fastOut), out)
	MOVQ(field(fastHold), hold)
	MOVQ(field(fastN), n)
	MOVQ(field(fastLit), table)
	MOVQ(U32(litBits), width)
	first, second, v1, v2, from, t, x := GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()

	refill := func() {
		SHLXQ(n, Mem{Base: in}, t)
		ORQ(t, hold)
		MOVQ(n, t)
		SHRQ(U8(3), t)
		ADDQ(U8(7), in)
		SUBQ(t, in)
		ORQ(U8(56), n)
	}
	lookUp := func(e GPVirtual) {
		BZHIQ(width, hold, e)
		MOVQ(Mem{Base: table, Index: e, Scale: 8}, e)
	}
	// take consumes the bits of an entry, with a value of which some stand behind the code.
	take := func(e, value GPVirtual) {
		MOVQ(e, width)
		SHRQ(U8(entryWidth), width)
		MOVQ(field(fastLit), table)
		TESTL(U32(entryLength), e.As32())
		CMOVQNE(field(fastDist), table)
		BZHIQ(e, hold, x)
		SHRXQ(e, hold, hold)
		SUBB(e.As8(), n.As8())
		MOVQ(e, value)
		SHRQ(U8(entryShift), value)
		SHRXQ(value, x, x)
		MOVQ(e, value)
		SHRQ(U8(entryValue), value)
		ADDQ(x, value)
	}
	// literal writes a byte, whatever the entry, and goes on by it if it is a literal.
	literal := func(e GPVirtual) {
		MOVQ(e, t)
		SHRQ(U8(entryByte), t)
		MOVB(t.As8(), Mem{Base: out})
		MOVL(e.As32(), t.As32())
		SHRL(U8(31), t.As32())
		ADDQ(t, out)
	}
	// follow takes an entry of a subtable in place of the one that names it.
	follow := func(e GPVirtual, none string) {
		TESTL(U32(entrySub), e.As32())
		JZ(LabelRef(none))
		SHRXQ(e, hold, t)
		MOVQ(e, x)
		SHRQ(U8(entryShift), x)
		BZHIQ(x, t, x)
		MOVQ(e, v2)
		SHRQ(U8(entryValue), v2)
		ADDQ(v2, x)
		MOVQ(Mem{Base: table, Index: x, Scale: 8}, x)
		TESTL(U32(entryDirect), x.As32())
		JZ(LabelRef(none))
		MOVQ(t, hold)
		SUBB(e.As8(), n.As8())
		MOVQ(x, e)
	}

	Label("next")
	CMPQ(in, field(fastLast))
	JHI(LabelRef("done"))
	CMPQ(out, field(fastLimit))
	JCC(LabelRef("done"))
	lookUp(first)
	refill()
	TESTL(U32(entryDirect), first.As32())
	JZ(LabelRef("indirect_first"))

	Label("take_first")
	take(first, v1)
	lookUp(second)
	TESTL(U32(entryDirect), second.As32())
	JZ(LabelRef("indirect_second"))

	Label("take_second")
	take(second, v2)
	literal(first)
	MOVQ(v2, t)
	TESTL(U32(entryDistance), first.As32())
	CMOVQNE(v1, t)
	CMOVQNE(length, v1)
	MOVQ(out, from)
	SUBQ(t, from)
	TESTL(first.As32(), first.As32())
	CMOVQMI(field(fastBegun), from) // nothing that has just been written, for which it would wait
	CMPQ(from, field(fastBegun))
	JCS(LabelRef("wrong"))
	CMPQ(t, v1)
	JCS(LabelRef("copy"))
	CMPQ(v1, U8(32))
	JHI(LabelRef("copy"))
	y := YMM()
	VMOVDQU(Mem{Base: from}, y)
	VMOVDQU(y, Mem{Base: out})
	ADDQ(v1, out)

	Label("copied")
	literal(second)
	MOVQ(v2, length)
	MOVQ(second, field(fastLength))
	JMP(LabelRef("next"))

	// Long matches, and those that repeat themselves.
	Label("copy")
	ADDQ(out, v1)
	CMPQ(t, U8(16))
	JCS(LabelRef("repeat"))
	part := XMM()
	Label("more")
	VMOVDQU(Mem{Base: from}, part)
	VMOVDQU(part, Mem{Base: out})
	ADDQ(U8(16), from)
	ADDQ(U8(16), out)
	CMPQ(out, v1)
	JCS(LabelRef("more"))
	MOVQ(v1, out)
	JMP(LabelRef("copied"))
	Label("repeat")
	VMOVDQU(Mem{Base: from}, part)
	LEAQ(strides, from)
	MOVQ(Mem{Base: from, Index: t, Scale: 8}, from)
	SHLQ(U8(4), t)
	LEAQ(repeats, x)
	VPSHUFB(Mem{Base: x, Index: t, Scale: 1}, part, part)
	Label("again")
	VMOVDQU(part, Mem{Base: out})
	ADDQ(from, out)
	CMPQ(out, v1)
	JCS(LabelRef("again"))
	MOVQ(v1, out)
	JMP(LabelRef("copied"))

	Label("indirect_first")
	follow(first, "done")
	refill()
	JMP(LabelRef("take_first"))

	Label("indirect_second")
	follow(second, "stop")
	ORQ(U32(entryLong), second)
	JMP(LabelRef("take_second"))

	// The first entry counts, the second is the end of the block or wrong.
	Label("stop")
	TESTL(U32(entryLength), first.As32())
	JNZ(LabelRef("wrong"))
	MOVQ(U64(litBits<<entryWidth|entryDirect), second)
	MOVQ(U32(0), field(fastLast))
	JMP(LabelRef("take_second"))

	Label("wrong")
	MOVQ(U32(1), field(fastWrong))

	// The bits of a length without its distance are given back.
	Label("done")
	CMPQ(table, field(fastDist))
	JNE(LabelRef("whole"))
	MOVQ(field(fastLength), t)
	MOVBQZX(t.As8(), x)
	ADDQ(x, n)
	TESTL(U32(entryLong), t.As32())
	JZ(LabelRef("whole"))
	ADDQ(U8(litBits), n)
	Label("whole")
	MOVQ(in, field(fastIn))
	MOVQ(out, field(fastOut))
	MOVQ(n, field(fastN))
	VZEROUPPER()
	RET()
}
