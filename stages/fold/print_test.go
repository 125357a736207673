package fold

import (
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// The index finds what comparing with every print finds: copies, scaled ones of either sign, and some that differ by
// about as much as is allowed.
func TestPrintIndex(t *testing.T) {
	const tolerance = 1e-8
	r := random.New(1, "prints")
	var all []Print
	x := NewPrintIndex(tolerance)
	found := 0
	var data [][]float64
	for i := range 3000 {
		v := make([]float64, []int{24, 24, 200, 15, 64}[r.IntN(5)]) // 15 have no sketch
		for j := range v {
			v[j] = r.Normal()
		}
		if i > 0 && r.IntN(3) > 0 {
			v = slices.Clone(data[r.IntN(i)])
			scale := []float64{1, -1, 0.37, -1e6}[r.IntN(4)]
			noise := []float64{0, 5e-5, 1e-4, 1.4e-4, 2e-4}[r.IntN(5)]
			for j := range v {
				v[j] = scale * (v[j] + noise*r.Normal())
			}
		}
		data = append(data, v)
		p := PrintOf(v)
		want := slices.IndexFunc(all, func(q Print) bool { return p.Same(q, tolerance) })
		need.Equal(t, x.Find(p), want, "print", i)
		if want >= 0 {
			found++
		}
		all = append(all, p)
		x.Add(p)
	}
	if found < 600 || found > 2400 {
		t.Errorf("%d of 3000 prints were found: too few or too many to tell", found)
	}
}
