package chart

import (
	"math"
	"testing"
)

// Long names of regions widen the figure, so that its values keep their room; those of dk84 do not.
func TestLongNames(t *testing.T) {
	width := func(name string) float64 {
		rows := []Row{{Name: name, Value: 0.5, Low: 0.4, High: 0.6, Chance: math.NaN()}}
		return float64(Dots{Rows: rows, Mark: math.NaN()}.Figure().Width)
	}
	if w := width("ctx-rh-rostralanteriorcingulate"); w != float64(Column) {
		t.Errorf("dk84: %g pt wide, want %g", w, float64(Column))
	}
	const name = "Right Superior Temporal Gyrus, posterior division"
	if w := width(name); w < width(name[:40])+20 || w < float64(Column)+20 {
		t.Errorf("a long name: %g pt wide", w)
	}
}
