package chart

import (
	"math"
	"testing"
)

// Long names of regions take the width of a page, so that the values keep their room; those of dk84 do not.
func TestLongNames(t *testing.T) {
	width := func(name string) float64 {
		rows := []Row{{Name: name, Value: 0.5, Low: 0.4, High: 0.6, Chance: math.NaN()}}
		return float64(Dots{Rows: rows, Mark: math.NaN()}.Figure().Width)
	}
	if w := width("ctx-rh-rostralanteriorcingulate"); w != float64(Column) {
		t.Errorf("dk84: %g pt wide, want %g", w, float64(Column))
	}
	if w := width("Right Superior Temporal Gyrus, posterior division"); w != float64(Page) {
		t.Errorf("a long name: %g pt wide, want %g", w, float64(Page))
	}
}
