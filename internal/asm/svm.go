package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// svm are the two passes over the multipliers in a step of package baseline's support vector machines, for AVX2: eight
// multipliers at a time, in the lanes of two registers. Each lane has the largest value of its multipliers, and which
// one had it last.
func svm() {
	outside := number("outside", math.Float64bits(math.Inf(-1)))
	nothing, eight := number("nothing", 0), number("eightOn", 8)
	places := GLOBL("lanePlaces", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(i))
	}
	function("move", "func(top *[8]float64, at *[8]int64, gradient, grow, row, other *float64, ci, cj float64, n int)", 8)
	ci, cj, top := spread64("ci"), spread64("cj"), newTops(outside, places, eight)
	top.pass(func(at func(i int) Mem, half int) {
		v, t := YMM(), YMM()
		VMULPD(at(2), ci, v)
		VMULPD(at(3), cj, t)
		VADDPD(t, v, v)
		VADDPD(at(0), v, v)
		VMOVUPD(v, at(0))
		VMOVUPD(at(1), t)
		VSUBPD(v, t, v)
		top.look(v, half)
	}, "gradient", "grow", "row", "other")
	top.store()
	VZEROUPPER()
	RET()

	function("second", "func(top *[8]float64, at *[8]int64, worst *[4]float64, "+
		"gradient, shrink, diagonal, row *float64, best, own float64, n int)", 8)
	best, own, none, tau := spread64("best"), spread64("own"), YMM(), YMM()
	worst := [2]VecVirtual{YMM(), YMM()}
	VXORPD(none, none, none)
	VBROADCASTSD(number("curvature", math.Float64bits(1e-12)), tau)
	top = newTops(nothing, places, eight)
	for _, w := range worst {
		VBROADCASTSD(outside, w)
	}
	top.pass(func(at func(i int) Mem, half int) {
		v, curve, t := YMM(), YMM(), YMM()
		VMOVUPD(at(0), v)
		VADDPD(at(1), v, v)
		VMAXPD(worst[half], v, worst[half])
		VADDPD(best, v, v)
		VADDPD(at(2), own, curve)
		VMOVUPD(at(3), t)
		VADDPD(t, t, t)
		VSUBPD(t, curve, curve)
		VCMPPD(U8(0x12), none, curve, t) // curve <= 0
		VBLENDVPD(t, tau, curve, curve)
		VCMPPD(U8(0x1a), none, v, t) // not v > 0: no number, which is never the largest
		VMULPD(v, v, v)
		VDIVPD(curve, v, v)
		VORPD(t, v, v)
		top.look(v, half)
	}, "gradient", "shrink", "diagonal", "row")
	VMAXPD(worst[0], worst[1], worst[0])
	VMOVUPD(worst[0], Mem{Base: load("worst")})
	top.store()
	VZEROUPPER()
	RET()
}

// tops are the largest values of eight lanes, their places, and the places that are looked at.
type tops struct {
	value, at, place [2]VecVirtual
	step             VecVirtual
}

func newTops(least, places, eight Mem) *tops {
	s := &tops{step: YMM()}
	for half := range s.value {
		s.value[half], s.at[half], s.place[half] = YMM(), YMM(), YMM()
		VBROADCASTSD(least, s.value[half])
		VPCMPEQQ(s.at[half], s.at[half], s.at[half]) // -1
		VMOVDQU(places.Offset(32*half), s.place[half])
	}
	VPBROADCASTQ(eight, s.step)
	return s
}

// look takes values that are not below the largest ones, the place with them.
func (s *tops) look(v VecVirtual, half int) {
	t := YMM()
	VCMPPD(U8(0x1d), s.value[half], v, t) // v >= value
	VBLENDVPD(t, s.place[half], s.at[half], s.at[half])
	VMAXPD(s.value[half], v, s.value[half])
}

func (s *tops) store() {
	top, at := load("top"), load("at")
	for half := range s.value {
		VMOVUPD(s.value[half], Mem{Base: top, Disp: 32 * half})
		VMOVDQU(s.at[half], Mem{Base: at, Disp: 32 * half})
	}
}

// pass runs body for each half of every eight of the n numbers at the pointers, of which pointer i is at(i).
func (s *tops) pass(body func(at func(i int) Mem, half int), pointers ...string) {
	n, p := load("n"), make([]GPVirtual, len(pointers))
	for i, name := range pointers {
		p[i] = load(name)
	}
	SHRQ(U8(3), n)
	atLeastOnce("eight", n, func() {
		for half, place := range s.place {
			body(func(i int) Mem { return Mem{Base: p[i], Disp: 32 * half} }, half)
			VPADDQ(s.step, place, place)
		}
		for _, p := range p {
			ADDQ(I8(64), p)
		}
	})
}
