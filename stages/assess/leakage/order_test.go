package leakage

import (
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// Regions of one group in another order are a finding; groups alike, and a group of few, are none.
func TestRegionsOfOneGroupReordered(t *testing.T) {
	const people, regions = 24, 20
	in := twoMatrices(t, 3, people, regions, 150,
		connectivity.Options{Partial: connectivity.Ridge, Rho: 0.1})["features"]
	b := &foldBook{label: map[string]string{}}
	var reversed []dag.Input
	for i, f := range in {
		b.label[f.Coord(column.Subject)] = []string{"A", "B"}[i%2]
		if i%2 == 1 {
			m := slices.Clone(need.Value(f.SharedArray())(t).Float64s())
			slices.Reverse(m) // of rows and columns
			f = dag.InputOf(encoding.NewArray(m, 1, regions, regions), f.Coords...)
		}
		reversed = append(reversed, f)
	}
	found := need.Value(reordered(reversed, b))(t)
	need.Equal(t, len(found), 1)
	need.Equal(t, found[0].Code, "leakage.region-order")
	if v := found[0].Values(); v["Reordered"].(float64) < 0.8 || v["Moved"].(int) < 16 {
		t.Errorf("%v", v)
	}
	need.Equal(t, len(need.Value(reordered(in, b))(t)), 0)
	need.Equal(t, len(need.Value(reordered(reversed[:12], b))(t)), 0)
}

// Other tasks read the same arrays: what the comparison does with regions without a signal stays its own.
func TestReorderedChangesNoArray(t *testing.T) {
	const people, regions = 16, 12
	in := twoMatrices(t, 3, people, regions, 150,
		connectivity.Options{Partial: connectivity.Ridge, Rho: 0.1})["features"]
	b := &foldBook{label: map[string]string{}}
	for i, f := range in {
		b.label[f.Coord(column.Subject)] = []string{"A", "B"}[i%2]
	}
	m := slices.Clone(need.Value(in[0].SharedArray())(t).Float64s())
	for i := range regions { // region 4 has no usable series
		m[3*regions+i], m[i*regions+3] = 0, 0
	}
	array := encoding.NewArray(m, 1, regions, regions)
	in[0].Share(func(any, func(dag.Input) (any, error)) (any, error) { return array, nil })
	before := slices.Clone(m)
	need.Value(reordered(in, b))(t)
	if !slices.Equal(m, before) {
		t.Error("the array was changed")
	}
}
