package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Pooling with AVX-512.

func rankWide() {
	TEXT("rankWide", NOSPLIT, "func(rank *int32, r *float32, n, room int)")
	Doc("rankWide is rank, for 16 places at a time; r and rank have room for so many, at least 16 and a multiple of 8.", "The last 16 may begin among those before.")
	out, r, n, room := load("rank"), load("r"), load("n"), load("room")
	one := broadcastInt(1)
	last, base := GP64(), GP64()
	LEAQ(Mem{Base: room, Disp: -16}, last)
	XORQ(base, base)
	block, end := label("block"), label("block_end")
	Label(block)
	x, sum, j, limit := ZMM(), ZMM(), GP64(), GP64()
	VMOVUPS(Mem{Base: r, Index: base, Scale: 4}, x)
	VPXORD(sum, sum, sum)
	until := func(name string, body func(y Mem)) {
		top, end := label(name), label(name+"_end")
		CMPQ(j, limit)
		JGE(LabelRef(end))
		Label(top)
		body(Mem{Base: r, Index: j, Scale: 4})
		INCQ(j)
		CMPQ(j, limit)
		JLT(LabelRef(top))
		Label(end)
	}
	compare := func(predicate uint8) func(y Mem) {
		return func(y Mem) {
			before := K()
			VCMPPS_BCST(U8(predicate), y, x, before)
			VPADDD(one, sum, before, sum)
		}
	}
	XORQ(j, j)
	MOVQ(base, limit)
	until("before", compare(0x12)) // x <= y
	ADDQ(I8(16), limit)
	CMPQ(n, limit)
	CMOVQLT(n, limit)
	after := GP32() // the lanes after j
	MOVL(U32(0xfffe), after)
	until("within", func(y Mem) {
		equal, less := K(), K()
		KMOVW(after, equal)
		VCMPPS_BCST(U8(0x00), y, x, equal, equal)
		VCMPPS_BCST(U8(0x11), y, x, less) // x < y
		KORW(equal, less, less)
		VPADDD(one, sum, less, sum)
		SHLL(U8(1), after)
	})
	MOVQ(n, limit)
	until("behind", compare(0x11)) // x < y
	VMOVDQU32(sum, Mem{Base: out, Index: base, Scale: 4})
	CMPQ(base, last)
	JGE(LabelRef(end))
	ADDQ(I8(16), base)
	CMPQ(base, last)
	CMOVQGT(last, base)
	JMP(LabelRef(block))
	Label(end)
	VZEROUPPER()
	RET()
}

func broadcastInt(value uint32) VecVirtual {
	number, v := GP32(), ZMM()
	MOVL(U32(value), number)
	VPBROADCASTD(number, v)
	return v
}

func edgesWide() {
	TEXT("edgesWide", NOSPLIT, "func(outFrom, outTo *int32, outStrength *float32, from, to *int32, strength *float32, rank *int32, k, blocks int) int")
	Doc("edgesWide is edges, for blocks of 16.")
	outs := []GPVirtual{load("outFrom"), load("outTo"), load("outStrength")}
	ins := []GPVirtual{load("from"), load("to"), load("strength")}
	rank, blocks := load("rank"), load("blocks")
	limit, total := ZMM(), GP64()
	VPBROADCASTD(load("k").As32(), limit)
	XORQ(total, total)
	ranks := func(of GPVirtual) VecVirtual {
		all, at, v := K(), ZMM(), ZMM()
		KXNORW(all, all, all)
		VMOVDQU32(Mem{Base: of}, at)
		VPXORD(v, v, v)
		VPGATHERDD(Mem{Base: rank, Index: at, Scale: 4}, all, v)
		return v
	}
	atLeastOnce("block", blocks, func() {
		p, q, s := ranks(ins[0]), ranks(ins[1]), ZMM()
		VMOVDQU32(Mem{Base: ins[2]}, s)
		low, stay, count := K(), K(), GP32()
		VPCMPGTD(p, limit, low) // k > p
		VPCMPGTD(q, limit, low, stay)
		for i, v := range []VecVirtual{p, q, s} {
			VPCOMPRESSD_Z(v, stay, v)
			VMOVDQU32(v, Mem{Base: outs[i], Index: total, Scale: 4})
			ADDQ(I8(64), ins[i])
		}
		KMOVW(stay, count)
		POPCNTL(count, count)
		ADDQ(count.As64(), total)
	})
	Store(total, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
