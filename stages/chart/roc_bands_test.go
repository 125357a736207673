package chart

import (
	"strings"
	"testing"

	"prgnn/internal/need"
)

// Each of up to MostBands classifiers has a band; of more the first alone.
func TestROCBands(t *testing.T) {
	for n, want := range map[int]int{1: 1, MostBands: MostBands, MostBands + 1: 1} {
		var of []Classifier
		for i := range n {
			of = append(of, Classifier{Name: "one", Series: i,
				Cases: []Case{{2, true, 0}, {1, false, 0}, {1, true, 1}, {2, false, 1}}})
		}
		svg := string(need.Value(ROC(of, "ASD").SVG())(t))
		if got := strings.Count(svg, "fill-opacity"); got != want {
			t.Errorf("%d classifiers have %d bands, want %d\n%.3000s", n, got, want, svg)
		}
	}
}
