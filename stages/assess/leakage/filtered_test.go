package leakage

import (
	"fmt"
	"math"
	"path/filepath"
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
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// processed are volumes from … to of series (time, node), band-pass filtered at a repetition time (0: not) between 0.01
// and 0.1 Hz, with the mean over regions regressed out or not, in their own scale or z-scored before that.
type processed struct {
	from, to int // from the end
	tr       float64
	global   bool
	zscore   bool
}

func (p processed) of(t *testing.T, v []float64, nodes int) *encoding.Array {
	t.Helper()
	v = v[p.from*nodes : len(v)-p.to*nodes]
	x := connectivity.Matrix{Rows: len(v) / nodes, Cols: nodes, Data: v}
	clean := func(c connectivity.Cleaning) {
		cleaner, err := connectivity.NewCleaner(x.Rows, c)
		if err == nil {
			x, _, err = cleaner.Clean(x)
		}
		need.NoError(t, err)
	}
	if p.tr > 0 {
		clean(connectivity.Cleaning{TR: p.tr, Detrend: 1, Filter: connectivity.Butterworth,
			HighPass: 0.01, LowPass: 0.1, Standardize: connectivity.ScaleNone})
	}
	if p.zscore {
		clean(connectivity.Cleaning{Detrend: -1, Standardize: connectivity.ScaleZ})
	}
	if p.global {
		mean := connectivity.NewMatrix(x.Rows, 1)
		for i, a := range x.Data {
			mean.Data[i/nodes] += a / float64(nodes)
		}
		clean(connectivity.Cleaning{Detrend: -1, Regressors: mean, Standardize: connectivity.ScaleNone})
	}
	return encoding.NewArray(x.Data, 1, x.Rows, nodes)
}

// slow series of regions: a common signal, local ones and noise.
func slow(seed uint64, nodes, volumes int) []float64 {
	r := random.New(seed, "test", "filtered")
	own := make([]float64, nodes+1)
	var v []float64
	for range volumes {
		for j := range own {
			own[j] = 0.85*own[j] + r.Normal()
		}
		for j := range nodes {
			v = append(v, 100+own[nodes]+(1+float64(j%3))*own[j]+0.5*r.Normal())
		}
	}
	return v
}

// The checks name the comparison of signals only when it was made of every series, by its mean and filtered.
func TestSignalsThatWereCompared(t *testing.T) {
	series := func(nodes, volumes int) []dag.Input {
		var ins []dag.Input
		for i := range 3 {
			a := encoding.NewArray(slow(uint64(i), nodes, volumes), 1, volumes, nodes)
			ins = append(ins, dag.InputOf(a, dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%03d", i+1)}))
		}
		return ins
	}
	wide := series(25, 120)
	for name, c := range map[string]struct {
		scans []dag.Input
		s     Leakage
		want  string // "": neither
	}{
		"all":         {wide, Leakage{Correlation: 0.8, Filtered: 0.65}, fold.SignalsCompared},
		"few regions": {series(15, 120), Leakage{Correlation: 0.8, Filtered: 0.65}, fold.MeanSignalsCompared},
		"few in one series": {append(series(15, 120)[:1], wide[1:]...), Leakage{Correlation: 0.8, Filtered: 0.65},
			fold.MeanSignalsCompared},
		"few volumes":    {series(25, 45), Leakage{Correlation: 0.8, Filtered: 0.65}, ""},
		"not filtered":   {wide, Leakage{Correlation: 0.8}, fold.MeanSignalsCompared},
		"filtered alone": {wide, Leakage{Filtered: 0.65}, ""},
		"out of reach":   {wide, Leakage{Correlation: 1, Filtered: 1}, ""},
		"by chance":      {wide, Leakage{Correlation: 0.05, Filtered: 0.05}, fold.SignalsCompared},
	} {
		out, err := stagetest.RunStage(t, &c.s, map[string][]dag.Input{
			"folds": stagetest.PlantedInputs(t, 20, 3, 9, 1)["folds"], "scans": c.scans})
		need.NoError(t, err, name)
		checks, _ := out["checks"].(*encoding.Table).Strings("check")
		text := out["checks"].(*encoding.Table).Meta[column.AlikeByChance]
		if strings.Contains(text, `"N":6,`) != (name == "by chance") || text != "" && name != "by chance" {
			t.Errorf("%s: alike by chance: %q", name, text)
		}
		for _, check := range []string{fold.SignalsCompared, fold.MeanSignalsCompared} {
			if slices.Contains(checks, check) != (check == c.want) {
				t.Errorf("%s: checks %q, want %q", name, checks, c.want)
			}
		}
	}
}

func filteredTwins(t *testing.T, ins []dag.Input) []fold.Duplicate {
	t.Helper()
	all, _, _, err := readTraces(ins, 2, filteredTrace)
	need.NoError(t, err)
	same, _, _ := (&Leakage{Filtered: 0.65}).sameTraces(all, ins, 2)
	return same
}

// One scan is found under two ids after a temporal filter, global signal regression and a cut at both ends, in any
// combination; 40 others are not taken for one another.
func TestFilteredTracesFindOneScan(t *testing.T) {
	const nodes, volumes = 24, 160
	raw := func(seed uint64) *encoding.Array {
		return encoding.NewArray(slow(seed, nodes, volumes), 1, volumes, nodes)
	}
	var others []dag.Input
	for i := range 40 {
		others = append(others, seriesInput(raw(uint64(i+1)), "sub-"+strconv.Itoa(i+1)))
	}
	if twins := filteredTwins(t, others); twins != nil {
		t.Fatalf("of 40 independent scans: %v", twins)
	}
	scan := slow(7, nodes, volumes)
	changed := func(p processed, change func(i, j int, x float64) float64) *encoding.Array {
		a := p.of(t, scan, nodes)
		for i, x := range a.Float64s() {
			a.Float64s()[i] = change(i/nodes, i%nodes, x)
		}
		return a
	}
	part := func(a *encoding.Array, regions int) *encoding.Array {
		var v []float64
		for i := 0; i < len(a.Float64s()); i += nodes {
			v = append(v, a.Float64s()[i:i+regions]...)
		}
		return encoding.NewArray(v, 1, len(v)/regions, regions)
	}
	reversed := slices.Clone(scan)
	for i := 0; i < len(reversed); i += nodes {
		slices.Reverse(reversed[i : i+nodes])
	}
	for _, c := range []struct {
		name string
		copy *encoding.Array
		want bool
	}{
		{"as it is", raw(7), true},
		{"band-pass", processed{tr: 2}.of(t, scan, nodes), true},
		{"band-pass, short repetition time", processed{tr: 1}.of(t, scan, nodes), true},
		{"global signal regression", processed{global: true}.of(t, scan, nodes), true},
		{"global signal regression of z-scores", processed{global: true, zscore: true}.of(t, scan, nodes), true},
		{"band-pass and global signal regression", processed{tr: 2, global: true}.of(t, scan, nodes), true},
		{"the same, cut at both ends", processed{17, 20, 2, true, false}.of(t, scan, nodes), true},
		{"the same, with a negative factor", changed(processed{17, 20, 2, true, false},
			func(_, _ int, x float64) float64 { return -3 * x }), true},
		{"the same, without three regions", changed(processed{17, 20, 2, true, false},
			func(_, j int, x float64) float64 {
				if j%8 == 5 {
					return 0
				}
				return x
			}), true},
		{"the same, regions without values", changed(processed{17, 20, 2, true, false},
			func(_, j int, x float64) float64 {
				if j == 5 {
					return math.NaN()
				}
				return x
			}), true},
		// docs/leakage.md: not found
		{"other regions", encoding.NewArray(reversed, 1, volumes, nodes), false},
		{"another number of regions", part(raw(7), nodes-1), false},
		{"51 volumes are too few", processed{50, 60, 0, true, false}.of(t, scan, nodes), false},
		{"too few regions that vary", changed(processed{}, func(_, j int, x float64) float64 {
			if j >= leastRegions-1 {
				return 1
			}
			return x
		}), false},
	} {
		twins := filteredTwins(t, append(slices.Clone(others), seriesInput(c.copy, "sub-99")))
		found := len(twins) == 1 && twins[0].First == "sub-7" && twins[0].Later == "sub-99"
		if found != c.want || !found && twins != nil {
			t.Errorf("%s: %v", c.name, twins)
		}
	}
}

// A filtered trace is that of the slow definition: smoothed slopes in their own SD, the mean regressed out, and sums
// with random signs. The correlation of two traces is nearly that of all their regions.
func TestFilteredTraceByDefinition(t *testing.T) {
	const nodes, volumes = 30, 90
	regions := func(v []float64) (z [][]float64) {
		mean := make([]float64, 0)
		scaled := func(y []float64) []float64 {
			m, s := 0.0, 0.0
			for _, x := range y {
				m += x / float64(len(y))
			}
			for _, x := range y {
				s += (x - m) * (x - m)
			}
			out := lists.Map(y, func(x float64) float64 { return (x - m) / math.Sqrt(s) })
			return out
		}
		for j := range nodes {
			var y []float64
			for at := 7; at+7 < volumes; at += 2 {
				slope := 0.0
				for s := -7; s <= 7; s++ {
					slope += float64(s) * math.Exp(-float64(s*s)/12.5) * v[(at+s)*nodes+j]
				}
				y = append(y, slope)
			}
			z = append(z, scaled(y))
		}
		for i := range z[0] {
			m := 0.0
			for j := range z {
				m += z[j][i]
			}
			mean = append(mean, m)
		}
		mean = scaled(mean)
		for j := range z {
			b := 0.0
			for i := range mean {
				b += mean[i] * z[j][i]
			}
			for i := range mean {
				z[j][i] -= b * mean[i]
			}
			z[j] = scaled(z[j])
		}
		return z
	}
	v := slow(3, nodes, volumes)
	z := regions(v)
	got := filteredTrace(encoding.NewArray(v, 1, volumes, nodes))
	signs := random.New(0, "leakage", "regions")
	want := make([][]float64, projections)
	for j := range z {
		bits := signs.Uint64()
		for c := range want {
			if want[c] == nil {
				want[c] = make([]float64, len(z[j]))
			}
			for i, x := range z[j] {
				if bits&(1<<c) != 0 {
					want[c][i] += x
				} else {
					want[c][i] -= x
				}
			}
		}
	}
	for c := range want {
		for i := range want[c] {
			if len(got.channels[c]) != len(want[c]) || math.Abs(got.channels[c][i]-want[c][i]) > 1e-12 {
				t.Fatalf("channel %d, step %d: %g, by definition %g", c, i, got.channels[c][i], want[c][i])
			}
		}
	}
	noisy := slices.Clone(v)
	r := random.New(4, "test", "noise")
	for i := range noisy {
		noisy[i] += 3 * r.Normal()
	}
	full, other := 0.0, regions(noisy)
	for j := range z {
		for i := range z[j] {
			full += z[j][i] * other[j][i] / nodes
		}
	}
	m := got.meet(filteredTrace(encoding.NewArray(noisy, 1, volumes, nodes)))
	if m.lag != 0 || full > 0.9 || math.Abs(m.r-full) > 0.1 {
		t.Errorf("traces correlate %.3f at a lag of %d, all regions %.3f", m.r, m.lag, full)
	}
}

// Of the real scans of three sites (of all 1,035: docs/leakage.md) exactly those that were published twice are
// found, and the copies of all others that were filtered, had their global signal regressed out, or lost both ends.
func TestFilteredTracesOnABIDE(t *testing.T) {
	files := abideSeries(t, "CMU", "Yale", "OHSU")
	copies := map[string]processed{
		"band-pass":             {tr: 2},
		"band-pass, TR 1 s":     {tr: 1},
		"global signal":         {global: true},
		"global, z-scored":      {global: true, zscore: true},
		"both":                  {tr: 2, global: true},
		"both, of a part":       {from: 5, to: 8, tr: 2, global: true},
		"both, of an even part": {from: 4, to: 8, tr: 2, global: true},
	}
	found := map[string]int{}
	var ins []dag.Input
	for _, f := range files {
		v, nodes := readSeries(t, f)
		a := encoding.NewArray(v, 1, len(v)/nodes, nodes)
		ins = append(ins, seriesInput(a, strings.TrimSuffix(filepath.Base(f), "_rois_ho.1D.gz")))
		whole := filteredTrace(a)
		for name, p := range copies {
			other := filteredTrace(p.of(t, v, nodes))
			if math.Abs(whole.coarse.meet(other.coarse).r) >= 0.65*coarseShare &&
				math.Abs(whole.meet(other).r) >= 0.65 {
				found[name]++
			}
		}
	}
	pairs := lists.Map(filteredTwins(t, ins), func(d fold.Duplicate) string { return d.First + " " + d.Later })
	if want := []string{"Yale_0050578 Yale_0050602"}; len(ins) < 100 || !slices.Equal(pairs, want) {
		t.Errorf("of %d scans %q, want %q", len(ins), pairs, want)
	}
	t.Logf("copies of %d scans that were found: %v", len(ins), found)
	for name := range copies {
		if found[name] < len(ins)*98/100 {
			t.Errorf("%s: %d of %d copies were found", name, found[name], len(ins))
		}
	}
}
