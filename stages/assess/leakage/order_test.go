package leakage

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
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
	for i, f := range in { // numbers to predict, of which one is there twice
		b.label[f.Coord(column.Subject)] = strconv.Itoa(100 + min(i, people-2))
	}
	need.Equal(t, len(need.Value(reordered(in, b))(t)), 0)
}

// Regions of one group whose series have the other sign are a finding of signs, not of an order.
func TestRegionsOfOneGroupNegated(t *testing.T) {
	const people, regions = 24, 20
	in := twoMatrices(t, 3, people, regions, 150,
		connectivity.Options{Partial: connectivity.Ridge, Rho: 0.1})["features"]
	b := &foldBook{label: map[string]string{}}
	for i, f := range in {
		b.label[f.Coord(column.Subject)] = []string{"A", "B"}[i%2]
		m := slices.Clone(need.Value(f.SharedArray())(t).Float64s())
		for e := range m {
			if i%2 == 1 && (e/regions < 6) != (e%regions < 6) {
				m[e] = -m[e]
			}
		}
		in[i] = dag.InputOf(encoding.NewArray(m, 1, regions, regions), f.Coords...)
	}
	found := need.Value(reordered(in, b))(t)
	need.Equal(t, len(found), 1)
	v := found[0].Values()
	need.Equal(t, fmt.Sprint(found[0].Code, v["Signs"], v["Moved"], v["Reordered"].(float64) > 0.8),
		"leakage.region-order6 0 true")
}

// Where a number is predicted, no two participants need have one label: settings are compared all the same.
func TestRegionsOfSettingsOfNumbers(t *testing.T) {
	const people, regions = 24, 20
	in := twoMatrices(t, 3, people, regions, 150,
		connectivity.Options{Partial: connectivity.Ridge, Rho: 0.1})["features"]
	b := &foldBook{label: map[string]string{}, target: map[string]float64{}}
	var all []dag.Input
	for i, f := range in {
		id := f.Coord(column.Subject)
		b.label[id], b.target[id] = strconv.Itoa(i), float64(i)
		m := slices.Clone(need.Value(f.SharedArray())(t).Float64s())
		slices.Reverse(m) // of rows and columns
		for trend, of := range []dag.Input{f, f, dag.InputOf(encoding.NewArray(m, 1, regions, regions), f.Coords...)} {
			of.Coords = append(slices.Clone(of.Coords), dag.Coord{Axis: "trend", Value: strconv.Itoa(trend)})
			all = append(all, of)
		}
	}
	found := need.Value(reordered(all, b))(t)
	need.Equal(t, len(found), 1)
	need.Equal(t, fmt.Sprint(found[0].Code, found[0].Values()["Others"]), "leakage.option-order[trend=2]")
}

// A part of each group is found whose regions are in another order, also where a number is predicted; a part that
// differs otherwise, and one that is too small, are not.
func TestRegionsOfAPartReordered(t *testing.T) {
	const people, regions = 30, 20
	in := twoMatrices(t, 3, people, regions, 150,
		connectivity.Options{Partial: connectivity.Ridge, Rho: 0.1})["features"]
	reversed := func(m []float64) { slices.Reverse(m) }
	stronger := func(m []float64) { // with noise, as of another scanner
		for i := range m {
			if i%(regions+1) != 0 {
				m[i] = math.Tanh(1.5*math.Atanh(m[i]) + 0.2)
			}
		}
	}
	for _, c := range []struct {
		n      int
		change func(m []float64)
		number bool
		want   string
	}{
		{9, reversed, false, "[leakage.part-order overturns 9]"},
		{9, reversed, true, "[leakage.part-order overturns 9]"},
		{15, reversed, false, "[leakage.part-order overturns 15]"},
		{leastOfGroup - 1, reversed, false, "[]"},
		{9, stronger, false, "[]"},
		{0, reversed, false, "[]"},
	} {
		b := &foldBook{label: map[string]string{}, target: map[string]float64{}}
		var features []dag.Input
		var want []string
		for i, f := range in {
			id := f.Coord(column.Subject)
			b.label[id] = []string{"A", "B"}[i%2]
			if c.number {
				b.target[id] = float64(i)
			}
			if i < c.n {
				m := slices.Clone(need.Value(f.SharedArray())(t).Float64s())
				c.change(m)
				f, want = dag.InputOf(encoding.NewArray(m, 1, regions, regions), f.Coords...), append(want, id)
			}
			features = append(features, f)
		}
		var got []string
		for _, f := range need.Value(reordered(features, b))(t) {
			got = append(got, fmt.Sprint(f.Code, " ", f.Weight, " ", f.Values()["N"]))
			if 2*c.n < people {
				need.Equal(t, fmt.Sprint(f.Subject.Participants), fmt.Sprint(want))
			}
		}
		need.Equal(t, fmt.Sprint(got), c.want, c)
		need.Equal(t, len(need.Value(reordered(features, nil))(t)) == 1, c.want != "[]", c) // without folds
	}
}

// Groups that differ in how strongly the same regions are connected, such as by the scanner, have them in one order,
// though another one makes the groups more alike.
func TestRegionsThatDifferInOneOrder(t *testing.T) {
	const people, regions = 24, 24
	s := random.New(3, "scanner")
	b := &foldBook{label: map[string]string{}}
	var load [2][]float64 // of the regions, by group: a part is the same
	for range regions {
		own := s.Normal()
		load[0], load[1] = append(load[0], own+s.Normal()/2), append(load[1], own+s.Normal()/2)
	}
	var features []dag.Input
	for i := range people {
		id := fmt.Sprintf("sub-%02d", i)
		b.label[id] = []string{"A", "B"}[i%2]
		m := make([]float64, regions*regions)
		for j := range regions {
			m[j*regions+j] = 1
			for k := range j {
				r := math.Tanh(0.2*load[i%2][j]*load[i%2][k] + 0.03*s.Normal())
				m[j*regions+k], m[k*regions+j] = r, r
			}
		}
		features = append(features, dag.InputOf(encoding.NewArray(m, 1, regions, regions),
			dag.Coord{Axis: column.Subject, Value: id}))
	}
	need.Equal(t, len(need.Value(reordered(features, b))(t)), 0)
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

// Groups are compared within each setting of the features, such as an option of a decision, whatever the number of its
// regions, and the order of the regions in a setting with that in the first.
func TestRegionsOfSettingsReordered(t *testing.T) {
	const people, regions = 24, 20
	in := twoMatrices(t, 3, people, regions, 150,
		connectivity.Options{Partial: connectivity.Ridge, Rho: 0.1})["features"]
	b := &foldBook{label: map[string]string{}}
	for i, f := range in {
		b.label[f.Coord(column.Subject)] = []string{"A", "B"}[i%2]
	}
	// of are the features with an option each, in the order in which a stage gathers them: by axis, or by participant.
	of := func(axis string, options ...func(i int, m []float64) []float64) (all []dag.Input) {
		for i, f := range in {
			for k, change := range options {
				m := change(i, slices.Clone(need.Value(f.SharedArray())(t).Float64s()))
				n := int(math.Sqrt(float64(len(m))))
				all = append(all, dag.InputOf(encoding.NewArray(m, 1, n, n), append(slices.Clone(f.Coords),
					dag.Coord{Axis: axis, Value: fmt.Sprint(k)})...))
			}
		}
		if axis < column.Subject {
			slices.SortStableFunc(all, func(x, y dag.Input) int {
				return strings.Compare(x.Coord(axis), y.Coord(axis))
			})
		}
		return all
	}
	given := func(_ int, m []float64) []float64 { return m }
	reversed := func(_ int, m []float64) []float64 { slices.Reverse(m); return m }
	one := func(i int, m []float64) []float64 { // of one group
		if i%2 == 1 {
			slices.Reverse(m)
		}
		return m
	}
	part := func(_ int, m []float64) []float64 { // of another atlas
		const fewer = regions - 5
		out := make([]float64, fewer*fewer)
		for i := range out {
			out[i] = m[i/fewer*regions+i%fewer]
		}
		return out
	}
	for _, c := range []struct {
		name    string
		options []func(int, []float64) []float64
		want    string
	}{
		{"all as given", []func(int, []float64) []float64{given, given}, ""},
		{"a group in both", []func(int, []float64) []float64{one, one}, "leakage.region-order"},
		{"a group, beside another atlas", []func(int, []float64) []float64{part, one}, "leakage.region-order"},
		{"two atlases", []func(int, []float64) []float64{part, given}, ""},
		{"an option", []func(int, []float64) []float64{given, reversed, given, reversed}, "leakage.option-order"},
	} {
		for _, axis := range []string{"atlas", "trend"} { // before the participant, and after
			found := need.Value(reordered(of(axis, c.options...), b))(t)
			codes := strings.Join(lists.Map(found, func(f finding.Finding) string { return f.Code }), " ")
			if codes != c.want {
				t.Errorf("%s, %s: %q, want %q", c.name, axis, codes, c.want)
			} else if codes == "leakage.option-order" {
				v := found[0].Values()
				need.Equal(t, fmt.Sprint(v["First"], v["Others"]), fmt.Sprintf("%[1]s=0[%[1]s=1 %[1]s=3]", axis))
				if v["Reordered"].(float64) < 0.8 || v["Moved"].(int) < 16 {
					t.Errorf("%v", v)
				}
			}
		}
	}
}
