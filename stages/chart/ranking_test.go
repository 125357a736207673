package chart

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"

	"prgnn/internal/need"
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

// Ticks beside long names of rows lie as long as they have room.
func TestTicksBesideLongNames(t *testing.T) {
	rows := Axis{Max: 1, At: []float64{0.5}, Names: []string{"mean framewise displacement: lowest third, n 24"}}
	share := Axis{Max: 1, At: []float64{0, 0.5, 1}, Names: []string{"0", "0.5", "1"}}
	mark := []Mark{Upright(0.5, Chance)}
	panels := []Panel{{X: share, Y: rows, Marks: mark}, {X: share, Y: Axis{Max: 1}, Marks: mark}}
	p := Plot{Rows: [][]Panel{panels}, Width: Page, Height: []vg.Length{100}}
	svg := need.Value(p.Figure().SVG())(t)
	if bytes.Contains(svg, []byte("rotate(")) {
		t.Errorf("a tick stands upright:\n%s", svg)
	}
}
