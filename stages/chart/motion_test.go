package chart

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/plot/vg"

	"prgnn/internal/need"
	ours "prgnn/stages/draw"
)

// TestHeadMotion: the shares of the histogram, the distribution without relation by its closed forms, the least-squares
// line through points that lie on one; missing edges count for nothing.
func TestHeadMotion(t *testing.T) {
	nan := math.NaN()
	m := Motion{R: []float64{-1, 1, 0.01, 0.04, nan}, Distance: []float64{nan, nan, nan, nan, 3}}
	share, sum := shares(m.R), 0.0
	for _, s := range share {
		sum += s
	}
	if share[0] != 25 || share[bins-1] != 25 || share[bins/2] != 50 || sum != 100 {
		t.Errorf("shares %v", share)
	}
	// Of 2 degrees of freedom r is uniform, of 4 its density is ¾ (1 − r²), of 6 (15/16) (1 − r²)².
	for freedom, density := range map[float64]func(r float64) float64{
		2: func(float64) float64 { return 0.5 },
		4: func(r float64) float64 { return 0.75 * (1 - r*r) },
		6: func(r float64) float64 { return 15. / 16 * (1 - r*r) * (1 - r*r) },
	} {
		null := Motion{Freedom: freedom}.unrelated()
		for _, r := range []float64{0, 0.3, -0.8} {
			if got, want := null(r), 100*density(r)*0.05; math.Abs(got-want) > 1e-5 {
				t.Errorf("%v degrees of freedom, r %v: %v%%, want %v", freedom, r, got, want)
			}
		}
	}
	if _, _, ok := m.line(); ok {
		t.Error("a line without distances")
	}
	m.R, m.Distance = nil, nil
	for d := range 5 {
		m.R, m.Distance = append(m.R, 0.2-0.01*float64(d), nan), append(m.Distance, float64(d), 100)
	}
	if at0, slope, ok := m.line(); !ok || math.Abs(at0-0.2) > 1e-15 || math.Abs(slope+0.01) > 1e-15 {
		t.Errorf("line %v %v %v", at0, slope, ok)
	}
}

// Names of small blocks of a matrix are moved apart, and left out where there is no room for all.
func TestNamesOfBlocks(t *testing.T) {
	groups := slices.Repeat([]string{"L cortex"}, 34)
	groups = append(groups, "L cerebellum", "R cerebellum")
	groups = append(groups, slices.Repeat([]string{"R cortex"}, 34)...)
	svg := string(need.Value(Matrices([]MatrixPanel{{"a", make([]float64, 70*70), "r"}}, groups).SVG())(t))
	var at []float64
	for _, name := range []string{"L cortex", "L cerebellum", "R cerebellum", "R cortex"} {
		m := regexp.MustCompile(`y="(-?[0-9.]+)"[^>]*>` + name + "<").FindStringSubmatch(svg)
		need.Equal(t, len(m), 2, name)
		at = append(at, need.Value(strconv.ParseFloat(m[1], 64))(t))
	}
	for i := range at[1:] {
		if gap := math.Abs(at[i+1] - at[i]); gap < ours.TextSize-0.01 {
			t.Errorf("%v: %.1f points between two names", at, gap)
		}
	}
	need.Equal(t, spread(make([]vg.Length, 12), 8, rect(0, 0, 90, 90)) == nil, true)
	need.Equal(t, spread([]vg.Length{0, 0, 0}, 10, rect(0, 0, 90, 90))[2], 5)
}
