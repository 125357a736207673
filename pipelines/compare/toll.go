package compare

import (
	"fmt"
	"math"
	"slices"
)

// A toll counts cells and remembers the first that differ and the widest apart.
type toll struct {
	n, differ int
	first     []Pair
	widest    Pair
	ulp       uint64
	rel       float64
	all       []uint64 // of the numbers that differ
	other     bool     // something differs that is no number
}

func (t *toll) cells(a, b any, where func() string) {
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			t.numbers(x, y, false, where)
			return
		}
	case float32:
		if y, ok := b.(float32); ok {
			t.numbers(float64(x), float64(y), true, where)
			return
		}
	}
	t.n++
	if a != b {
		t.other = true
		t.note(Pair{where(), a, b}, 0, 0)
	}
}

func (t *toll) numbers(a, b float64, single bool, where func() string) {
	t.n++
	if math.Float64bits(a) == math.Float64bits(b) {
		return
	}
	far := ulps(a, b, single)
	t.all = append(t.all, far)
	t.note(Pair{where(), a, b}, far, relative(a, b))
}

func (t *toll) note(p Pair, ulp uint64, rel float64) {
	t.differ++
	if len(t.first) < keepPairs {
		t.first = append(t.first, p)
	}
	if t.differ == 1 || ulp > t.ulp {
		t.widest, t.ulp = p, ulp
	}
	t.rel = math.Max(t.rel, rel)
}

func (t *toll) verdict(unit string) *Difference {
	if t.differ == 0 {
		return nil
	}
	d := &Difference{
		Kind: "values", Cells: t.differ, Of: t.n, MaxULP: t.ulp, MaxRel: t.rel,
		Where: t.widest.Where, A: JSON(t.widest.A), B: JSON(t.widest.B), Pairs: t.first, Other: t.other,
	}
	if math.IsInf(d.MaxRel, 0) || math.IsNaN(d.MaxRel) {
		d.MaxRel = math.MaxFloat64
	}
	d.Text = fmt.Sprintf("%d of %d %ss differ", t.differ, t.n, unit)
	if t.ulp > 0 {
		a, b := t.widest.Text()
		d.Text += fmt.Sprintf(", largest difference at %s: %s became %s%s", t.widest.Where, a, b, howFar(t.widest, t.ulp))
		slices.Sort(t.all)
		if d.MidULP = t.all[len(t.all)/2]; len(t.all) > 1 && d.MidULP <= nearULP {
			d.Text += fmt.Sprintf("; the median is %d ULP", d.MidULP)
		}
	}
	return d
}

// nearULP is up to where units in the last place tell more than a relative error.
const nearULP = 1_000_000

// howFar says the distance of two numbers in units in the last place when they
// are near, else as a relative error. Of a NaN there is nothing to say.
func howFar(p Pair, ulp uint64) string {
	a, isDouble := p.A.(float64)
	b, _ := p.B.(float64)
	if !isDouble {
		x, _ := p.A.(float32)
		y, _ := p.B.(float32)
		a, b = float64(x), float64(y)
	}
	switch {
	case ulp == math.MaxUint64:
		return ""
	case ulp <= nearULP:
		return fmt.Sprintf(" (%d ULP, relative error %s)", ulp, Rounded(relative(a, b)))
	}
	return fmt.Sprintf(" (relative error %s)", Rounded(relative(a, b)))
}

// Text writes the two values: in full when they are numbers that a rounding would make
// look the same.
func (p Pair) Text() (a, b string) {
	if a, b = Rounded(p.A), Rounded(p.B); a == b {
		a, b = Full(p.A), Full(p.B)
	}
	if p.A == nil {
		a = "n/a"
	}
	if p.B == nil {
		b = "n/a"
	}
	return a, b
}

// ulps is how many numbers of the type lie between two, plus one. A NaN is as
// far as can be from any number, and nothing from another NaN but its bits.
func ulps(a, b float64, single bool) uint64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		if math.IsNaN(a) && math.IsNaN(b) {
			return 1
		}
		return math.MaxUint64
	}
	x, y := rank64(a), rank64(b)
	if single {
		x, y = rank32(float32(a)), rank32(float32(b))
	}
	if x > y {
		x, y = y, x
	}
	return max(uint64(y)-uint64(x), 1) // 0 and -0 differ in one bit
}

// rank64 numbers the floats in their order; 0 and -0 have one number.
func rank64(x float64) int64 {
	bits := int64(math.Float64bits(x))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}

func rank32(x float32) int64 {
	bits := int32(math.Float32bits(x))
	if bits < 0 {
		return int64(math.MinInt32) - int64(bits)
	}
	return int64(bits)
}

// relative is |a − b| / max(|a|, |b|).
func relative(a, b float64) float64 {
	if a == b {
		return 0
	}
	d := math.Abs(a-b) / math.Max(math.Abs(a), math.Abs(b))
	if math.IsNaN(d) {
		return math.Inf(1)
	}
	return d
}
