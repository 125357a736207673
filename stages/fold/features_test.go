package fold

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// correlations is a random participant's matrix, 1 on the diagonal.
func correlations(seed uint64, n int) []float64 {
	r := random.New(seed, "test", "features")
	v := make([]float64, n*n)
	for i := range n {
		v[i*n+i] = 1
		for j := range i {
			v[i*n+j] = math.Tanh(0.5 + 0.4*r.Normal())
			v[j*n+i] = v[i*n+j]
		}
	}
	return v
}

// Every pair is told at once: also that of a copy with a third scan, which the first does not show.
func TestDuplicatesAllAtOnce(t *testing.T) {
	const n = 20
	scan := func(id string, missing ...int) dag.Input {
		v := correlations(7, n)
		for _, r := range missing {
			for j := range n {
				v[r*n+j], v[j*n+r] = 0, 0
			}
		}
		return dag.InputOf(encoding.NewArray(v, 1, n, n), dag.Coord{Axis: "subject", Value: id})
	}
	low, high := []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{12, 13, 14, 15, 16, 17, 18, 19}
	twins, err := Duplicates([]dag.Input{scan("a", low...), scan("b"), scan("c", high...)})
	need.NoError(t, err)
	pairs := lists.Map(twins, func(d Duplicate) string { return d.First + d.Later })
	if got := strings.Join(pairs, " "); got != "ab bc" { // a and c share 4 regions: too few to compare
		t.Errorf("pairs %q, want ab bc", got)
	}
}

// Participants without any finite feature are named, and are no duplicates of each other; a value is enough.
func TestFeaturesThatAreNotFinite(t *testing.T) {
	const n = 20
	scan := func(id string, x float64, keep bool, shape ...int) dag.Input {
		v := slices.Repeat([]float64{x}, n*n)
		for i := range n {
			v[i*n+i] = 1
		}
		if keep {
			v[1], v[n] = 0.5, 0.5
		}
		if len(shape) == 0 {
			shape = []int{1, n, n}
		} else {
			v[0] = x
		}
		in := dag.InputOf(encoding.NewArray(v[:shape[0]*shape[1]*shape[2]], shape...),
			dag.Coord{Axis: "subject", Value: id})
		in.Name = "connectivity[" + id + "].pearson"
		return in
	}
	nan := math.NaN()
	for _, c := range []struct {
		ins  []dag.Input
		want string
	}{
		{[]dag.Input{scan("sub-1", nan, false), scan("sub-2", nan, false)},
			"connectivity[sub-1].pearson: no feature of sub-1 is finite (draw 0: row 1, column 2 is NaN, and all others)"},
		{[]dag.Input{scan("sub-1", 0.5, false), scan("sub-2", math.Inf(-1), false)}, "no feature of sub-2 is finite (draw 0: row 1, column 2 is -Inf"},
		{[]dag.Input{scan("sub-1", nan, false, 1, 1, 15)}, "row 1, column 1 is NaN"},
		{[]dag.Input{scan("sub-1", nan, true), scan("sub-2", 0, false)}, ""},
	} {
		twins, err := Duplicates(c.ins)
		if c.want != "" {
			need.Error(t, err, c.want)
		} else if err != nil || twins != nil {
			t.Errorf("%v, %v", twins, err)
		}
	}
}

// One matrix under two ids is found when regions are missing in either copy, and when its entries are any increasing or
// decreasing function of the other's, whatever is on the diagonal.
func TestFeaturesOfOneScan(t *testing.T) {
	const n = 20
	off := func(change func(x float64) float64) func([]float64, int) {
		return func(v []float64, n int) {
			for i := range v {
				if i%(n+1) != 0 {
					v[i] = change(v[i])
				}
			}
		}
	}
	without := func(value float64, regions ...int) func([]float64, int) {
		return func(v []float64, n int) {
			for _, r := range regions {
				for j := range n {
					if j != r {
						v[r*n+j], v[j*n+r] = value, value
					}
				}
			}
		}
	}
	cube := func(x float64) float64 { return x * x * x }
	for _, c := range []struct {
		name         string
		n            int
		first, later func([]float64, int) // nil: as it is
		want         string               // "": not found
	}{
		{"as it is", n, nil, nil, "(correlation"},
		{"one region missing", n, nil, without(math.NaN(), 3), "(correlation 0.9999 or more, of either sign, where both have values)"},
		{"one region without a signal", n, nil, without(0, 3), "(correlation"},
		{"other regions missing in each", n, without(0, 1, 2), without(0, 3, 7, 19), "(correlation"},
		{"half of 200 regions missing", 200, nil, without(0, random.New(1).Perm(200)[:100]...), "(correlation"},
		{"half of it", n, nil, off(func(x float64) float64 { return x / 2 }), "(correlation"},
		{"of a negative sign", n, nil, off(func(x float64) float64 { return -0.3*x + 0.1 }), "(correlation"},
		{"rounded to three digits", n, nil, off(func(x float64) float64 { return math.Round(x*1e3) / 1e3 }), "(correlation"},
		{"Fisher's z", n, nil, off(math.Atanh), "(rank correlation"},
		{"its third power", n, nil, off(cube), "(rank correlation"},
		{"minus its third power, one region missing", n, without(math.NaN(), 5),
			off(func(x float64) float64 { return -cube(x) }), "(rank correlation 0.9999 or more, of either sign, where both"},
		{"17 of 20 regions missing in either", n, without(0, 0, 1, 2, 3, 4, 5, 6, 7, 8), without(0, 9, 10, 11, 12, 13, 14, 15, 16), ""},
		{"rounded to one digit", n, nil, off(func(x float64) float64 { return math.Round(x*10) / 10 }), ""},
		{"without sign", n, nil, off(func(x float64) float64 { return math.Abs(x - 0.5) }), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, later := correlations(7, c.n), correlations(7, c.n)
			if c.first != nil {
				c.first(first, c.n)
			}
			if c.later != nil {
				c.later(later, c.n)
			}
			var ins []dag.Input
			for i, v := range [][]float64{correlations(1, c.n), first, correlations(2, c.n), later} {
				ins = append(ins, dag.InputOf(encoding.NewArray(v, 1, c.n, c.n),
					dag.Coord{Axis: "subject", Value: string(rune('a' + i))}))
			}
			twins := need.Value(Duplicates(ins))(t)
			found := len(twins) == 1 && twins[0].First == "b" && twins[0].Later == "d" &&
				strings.HasPrefix(twins[0].How, "have the same features "+c.want)
			if found != (c.want != "") || !found && twins != nil {
				t.Errorf("%q, want %q", twins, c.want)
			}
		})
	}
}

// What is found in place of comparing all pairs is what comparing all pairs finds: with missing regions, ties, equal
// values, other sizes and pairs about as alike as a screen passes.
func TestDuplicatesOfAllPairs(t *testing.T) {
	r := random.New(5, "test", "pairs")
	var ins []dag.Input
	for i := range 400 {
		n := []int{20, 20, 20, 8, 5}[i%5]
		v := correlations(uint64(i%150), n)
		kind := r.IntN(8)
		missing := []int{r.IntN(n), r.IntN(3)}
		for k := range v {
			if k%(n+1) == 0 {
				continue
			}
			at := min(k/n, k%n)*n + max(k/n, k%n)
			switch kind {
			case 0: // nearly alike: 0.9 between the ranks
				v[k] += 0.12 * math.Sin(float64(7*at+i))
			case 1:
				v[k] = math.Atanh(v[k])
			case 2:
				v[k] = math.Round(v[k] * 3)
			case 3:
				if k/n == missing[0] || k%n == missing[0] {
					v[k] = 0
				}
			case 4:
				if slices.Contains(missing, k/n) || slices.Contains(missing, k%n) {
					v[k] = math.NaN()
				}
			case 5:
				v[k] = 0.25
			case 6:
				v[k] *= -1
			}
		}
		ins = append(ins, dag.InputOf(encoding.NewArray(v, 1, n, n),
			dag.Coord{Axis: "subject", Value: fmt.Sprint(i / 2 * 2 / (1 + i%7%2))}))
	}
	var want []Duplicate
	near := 0
	var all []Features
	for j, in := range ins {
		all = append(all, FeaturesOf(need.Value(in.Array())(t)))
		for i, f := range all[:j] {
			if len(f.values) == len(all[j].values) && all[j].alike(f) {
				near++
			}
			how, first, later := all[j].Same(f), ins[i].Coord("subject"), in.Coord("subject")
			if how != "" && first != later {
				want = append(want, Twins(ins[i], in, "have the same features ("+how+")"))
			}
		}
	}
	got := need.Value(Duplicates(ins))(t)
	if len(want) < 100 || near < 2*len(want) || !slices.Equal(got, want) {
		t.Errorf("%d pairs, by definition %d, of %d that are alike", len(got), len(want), near)
	}
	passed := map[[2]int]bool{}
	candidates(all, func(i, j int) { passed[[2]int{min(i, j), max(i, j)}] = true })
	for j, g := range all {
		for i, f := range all[:j] {
			if len(f.values) == len(g.values) && g.alike(f) && !passed[[2]int{i, j}] {
				t.Fatalf("%d and %d are alike and no candidates", i, j)
			}
		}
	}
	if pairs := len(all) * (len(all) - 1) / 2; len(passed) > pairs*9/10 {
		t.Errorf("%d of %d pairs are candidates", len(passed), pairs)
	}
}
