package leakage

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/stagetest"
)

// twoMatrices are correlations and partial correlations of simulated participants: autocorrelated series of common and
// own mixtures of sources.
func twoMatrices(t *testing.T, seed, people, regions, volumes int, o connectivity.Options) (in map[string][]dag.Input) {
	t.Helper()
	in = map[string][]dag.Input{}
	common := random.New(uint64(seed), "common")
	mix := make([]float64, regions*regions)
	for k := range mix {
		mix[k] = common.Normal()
	}
	for i := range people {
		own, mine := random.New(uint64(seed), "own", i), slices.Clone(mix)
		for k := range mine {
			mine[k] += 0.5 * own.Normal()
		}
		x, sources := connectivity.NewMatrix(volumes, regions), make([]float64, regions)
		for v := range volumes {
			for k := range sources {
				sources[k] = float64(0.5*sources[k]) + own.Normal()
			}
			for j := range regions {
				for k, s := range sources {
					x.Row(v)[j] += float64(s * (mine[j*regions+k] + 0.3))
				}
			}
		}
		o.Raw = false
		c, err := connectivity.Estimate([]connectivity.Matrix{x}, o)
		need.NoError(t, err)
		at := dag.Coord{Axis: column.Subject, Value: fmt.Sprintf("sub-%02d", i+1)}
		in["features"] = append(in["features"], dag.InputOf(encoding.NewArray(c.Pearson, 1, regions, regions), at))
		in["partial"] = append(in["partial"], dag.InputOf(encoding.NewArray(c.Partial, 1, regions, regions), at))
	}
	return in
}

// swapped are inputs in which participants have the partial correlations of the next ones.
func swapped(in []dag.Input, who ...int) []dag.Input {
	out := slices.Clone(in)
	for k, i := range who {
		out[i].Ref, out[i].Reader = in[who[(k+1)%len(who)]].Ref, in[who[(k+1)%len(who)]].Reader
	}
	return out
}

// Nobody's own partial correlations are doubted in 100 cohorts, whatever the estimator and the number of volumes, and
// everybody's that are another person's.
func TestPartialOfAnotherPerson(t *testing.T) {
	settings := []struct {
		regions, volumes int
		o                connectivity.Options
	}{
		{20, 120, connectivity.Options{Partial: connectivity.Empirical}},
		{30, 25, connectivity.Options{}},
		{30, 60, connectivity.Options{Partial: connectivity.OAS}},
		{20, 40, connectivity.Options{Partial: connectivity.Ridge, Rho: 1}},
		{20, 60, connectivity.Options{Partial: connectivity.Glasso, Alpha: 0.15, Tolerance: 1e-3}},
	}
	for seed := range 100 {
		s := settings[seed%len(settings)]
		in := twoMatrices(t, seed, 20, s.regions, s.volumes, s.o)
		found := need.Value(misfits(in["features"], in["partial"], 1))(t)
		need.Equal(t, len(found), 0, s, found)
		found = need.Value(misfits(in["features"], swapped(in["partial"], 3, 7, 11), 1))(t)
		need.Equal(t, fmt.Sprint(found[0].Subject.Participants), "[sub-04 sub-08 sub-12]", s)
		pair := found[0].Numbers.(map[string]any)["Pairs"].([]any)[0].(map[string]any)
		need.Equal(t, pair["Other"], "sub-08")
		if r, other := pair["R"].(float64), pair["OtherR"].(float64); !(r < 0.3 && other > 0.4) {
			t.Errorf("%v: %v with the own correlations, %v with those of the other", s, r, other)
		}
	}
}

// Two participants are enough, a region without a signal is left out, and one that only one matrix lacks.
func TestPartialOfFew(t *testing.T) {
	in := twoMatrices(t, 1, 2, 20, 60, connectivity.Options{})
	a := need.Value(in["features"][0].Array())(t)
	for k := range 20 {
		a.Float64s()[k], a.Float64s()[20*k] = 0, 0
	}
	in["features"][0] = dag.InputOf(a, in["features"][0].Coords...)
	need.Equal(t, len(need.Value(misfits(in["features"], in["partial"], 1))(t)), 0)
	// The first one has no correlations.
	need.Equal(t, len(need.Value(misfits(in["features"][1:], in["partial"], 1))(t)), 0)
	found := need.Value(misfits(in["features"], swapped(in["partial"], 0, 1), 1))(t)
	need.Equal(t, fmt.Sprint(found[0].Subject.Participants), "[sub-01 sub-02]")
	for _, alone := range [][]dag.Input{nil, in["partial"][:1]} {
		need.Equal(t, len(need.Value(misfits(in["features"], alone, 1))(t)), 0)
	}
}

// The stage gives the caution, and one file rounded to six digits under two ids is a violation.
func TestPartialOfTwo(t *testing.T) {
	in := twoMatrices(t, 2, 20, 20, 60, connectivity.Options{})
	whole := &Leakage{Unrelated: 0.001}
	in["partial"] = swapped(in["partial"], 0, 1)
	out := stagetest.MustRun(t, whole, in)["checks"].(*encoding.Table)
	codes := need.Value(finding.Of(out.Meta))(t)
	need.Equal(t, codes[0].Code, "leakage.partial-misfit")
	rounded := slices.Clone(need.Value(in["partial"][4].Array())(t).Float64s())
	for i := range rounded {
		rounded[i] = math.Round(rounded[i]*1e6) / 1e6
	}
	in["partial"][9] = dag.InputOf(encoding.NewArray(rounded, 1, 20, 20), in["partial"][9].Coords...)
	_, err := stagetest.RunStage(t, whole, in)
	need.Error(t, err, "sub-05 and sub-10 have the same partial correlations (correlation 0.9999 or more")
}

// Matrices that no set of series has as correlations are not compared: their inverse fits anybody.
func TestIndefiniteCorrelationsHaveNoMisfit(t *testing.T) {
	const n = 3
	at := dag.Coord{Axis: column.Subject, Value: "sub-01"}
	of := func(r float64) *fitted {
		x := []float64{1, r, r, r, 1, r, r, r, 1}
		return need.Value(fittedOf(dag.InputOf(encoding.NewArray(x, 1, n, n), at),
			dag.InputOf(encoding.NewArray(x, 1, n, n), at)))(t)
	}
	need.Equal(t, of(-0.52) == nil, true)
	need.Equal(t, of(-0.4) == nil, false)
}
