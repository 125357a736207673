package chart

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"prgnn/internal/need"
)

// The tail has all its pairs, and a pair has a name where there is room.
func TestSimilarities(t *testing.T) {
	s := Similarities{Low: -1, Step: 0.02, Counts: make([]int, 200), From: 0.1, Scale: 0.05, Pairs: 300, Threshold: 0.9}
	sum := 0.0
	for i := range 200 {
		sum += s.tail(s.From + float64(i)*s.Step)
	}
	if math.Abs(sum-300) > 1e-6 {
		t.Errorf("the tail has %v pairs", sum)
	}
	need.Equal(t, fmt.Sprintf("%.6f %.6f %.6f", height(1), height(100), height(0.5)), "0.301030 2.301030 0.000000")
	s.Counts[50], s.Counts[199] = 1000, 1
	s.Above = []SimilarPair{{"a, b", 0.99, 0.9, 0}, {"c, d", 0.98, 0.9, 1}, {"e, f", 0.8, 0.9, 1},
		{"g, h", 0.7, math.NaN(), 1}}
	need.Equal(t, fmt.Sprint(named(s.Above, 0.025)), "[0 2]")
	svg := need.Value(Copies(s, []string{"violation", "caution"}).SVG())(t)
	for _, want := range []string{"a, b", "e, f", "violation", "caution", "threshold"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("%s is not in the figure", want)
		}
	}
}
