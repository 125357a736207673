package leakage

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/fold"
)

// sameByDefinition compares all pairs of traces, one by one.
func (s *Leakage) sameByDefinition(t *testing.T, all []*trace, ins []dag.Input) (found []fold.Duplicate, byChance int) {
	var compared [2]float64
	for i, x := range all {
		for _, y := range all[:i] {
			if low, high := x.lags(y); x.regions == y.regions {
				compared[x.kind()] += float64(max(0, high-low+1))
			}
		}
	}
	for i, y := range all {
		for _, x := range all[:i] {
			a, b := ins[x.input], ins[y.input]
			if x.regions != y.regions || a.Coord("subject") == b.Coord("subject") {
				continue
			}
			if m, what, same := s.alike(x, y); same {
				if need.Value(x.chance(y, m.lag, 0))(t) > math.Log(0.005/compared[x.kind()])+1e-9 {
					byChance++
					continue
				}
				how := fmt.Sprintf("have %s that correlate %.2f over %d volumes at a lag of %d (%s and %s)", what, m.r,
					m.shared*x.step+x.margin, max(m.lag, -m.lag)*x.step, filepath.Base(a.Name), filepath.Base(b.Name))
				found = append(found, fold.Twins(a, b, how))
			}
		}
	}
	return found, byChance
}

// madeCohort has series of several lengths and numbers of regions, copies of each kind, and series of which a part does
// not vary or has a jump.
func madeCohort(t *testing.T) (ins []dag.Input) {
	t.Helper()
	const nodes = 24
	r := random.New(1, "test", "screen")
	add := func(a *encoding.Array) {
		ins = append(ins, seriesInput(a, fmt.Sprintf("sub-%03d", len(ins)+1)))
	}
	for i := range 48 {
		volumes := []int{120, 120, 120, 97, 60, 51}[i%6]
		v := slow(uint64(i), nodes, volumes)
		switch {
		case i%24 == 7: // still, but for its end
			for k := range v[:(volumes-20)*nodes] {
				v[k] = float64(k % nodes)
			}
		case i%24 == 9: // a jump
			for k := range nodes {
				v[30*nodes+k] += 1e6
			}
		case i%24 == 11: // hardly above rounding
			for k := range v {
				v[k] = 1e9 + 1e-6*v[k]
			}
		}
		add(encoding.NewArray(v, 1, volumes, nodes))
		if i%4 != 0 {
			continue
		}
		noisy := slices.Clone(v)
		for k := range noisy {
			noisy[k] = -2*noisy[k] + float64(i)/20*r.Normal()
		}
		add(encoding.NewArray(noisy, 1, volumes, nodes))
		if volumes > 70 {
			add(processed{from: i % 8, to: 3 + i%5, tr: 2, global: i%2 == 0}.of(t, v, nodes))
			add(processed{from: 11}.of(t, v, nodes))
		}
	}
	return ins
}

// screenAll has all tiles but the smallest screened in a test.
func screenAll(t *testing.T) {
	was := fewTraces
	t.Cleanup(func() { fewTraces = was })
	fewTraces = 2
}

// What is found in place of comparing all pairs is what comparing all pairs finds, at any number of threads.
func TestScreenFindsWhatAllPairsFind(t *testing.T) {
	screenAll(t)
	ins := madeCohort(t)
	all, _, _, err := readTraces(ins, 2, meanTrace, filteredTrace)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Leakage{{Correlation: 0.8, Filtered: 0.65}, {Correlation: 0.4, Filtered: 0.4},
		{Correlation: 0.97, Filtered: 0.97}} {
		want, chance := s.sameByDefinition(t, all, ins)
		if len(want) < 12 {
			t.Fatalf("%+v: %d pairs: nothing to lose", s, len(want))
		}
		for threads := range 2 {
			got, by, _ := s.sameTraces(all, ins, threads+1)
			if !slices.Equal(got, want) || by.count != chance {
				t.Errorf("%+v: %d pairs and %d by chance with %d threads, %d and %d by definition", s, len(got), by.count,
					threads+1, len(want), chance)
			}
		}
	}
}

// A screen passes every pair that correlates by enough at some lag, at every level, and few others.
func TestScreenBound(t *testing.T) {
	screenAll(t)
	ins := madeCohort(t)
	all, _, _, err := readTraces(ins, 2, meanTrace, filteredTrace)
	if err != nil {
		t.Fatal(err)
	}
	most := map[[2]int]float64{} // pair → largest correlation
	for j, y := range all {
		for i, x := range all[:j] {
			if x.regions != y.regions {
				continue
			}
			low, high := x.lags(y)
			for lag := low; lag <= high; lag++ {
				dot := 0.0
				from, to := x.overlap(y, lag)
				for c, v := range x.channels {
					for k := from; k < to; k++ {
						dot += v[k] * y.channels[c][k+lag]
					}
				}
				most[[2]int{i, j}] = max(most[[2]int{i, j}], math.Abs(x.correlation(y, lag, dot)))
			}
		}
	}
	screened := 0
	defer func() {
		if screened < 20 {
			t.Errorf("%d tiles were screened", screened)
		}
	}()
	for least := 0.05; least < 1; least += 0.15 {
		passed := map[[2]int]bool{}
		s := &Leakage{Correlation: least, Filtered: least}
		for _, tile := range need.Value(s.tiles(all, 1))(t) {
			if tile.screen == nil {
				continue
			}
			screened++
			tile.pairs(all, func(i, j int) {
				if passed[[2]int{i, j}] {
					t.Fatalf("%d and %d are passed twice", i, j)
				}
				passed[[2]int{i, j}] = true
			})
			for _, i := range tile.xs {
				for _, j := range tile.ys {
					if p := [2]int{i, j}; i < j && most[p] >= least && !passed[p] {
						t.Fatalf("%d and %d correlate by %.3f and are lost at %.2f", i, j, most[p], least)
					}
				}
			}
		}
		if least > 0.8 && len(passed) > len(most)/4 {
			t.Errorf("%d of %d pairs are passed at %.2f", len(passed), len(most), least)
		}
	}
}

// Of the real series of three sites (and of all 1,035) the same pairs are found as by comparing each with each.
func TestScreenOnABIDE(t *testing.T) {
	screenAll(t)
	var ins []dag.Input
	for _, f := range abideSeries(t, "CMU_", "Yale_") {
		v, nodes := readSeries(t, f)
		ins = append(ins, seriesInput(encoding.NewArray(v, 1, len(v)/nodes, nodes),
			strings.TrimSuffix(filepath.Base(f), "_rois_ho.1D.gz")))
	}
	all, _, _, err := readTraces(ins, 2, meanTrace, filteredTrace)
	if err != nil {
		t.Fatal(err)
	}
	s := &Leakage{Correlation: 0.8, Filtered: 0.65}
	got, _, _ := s.sameTraces(all, ins, 2)
	t.Logf("%d traces of %d scans: %v", len(all), len(ins), got)
	if want, _ := s.sameByDefinition(t, all, ins); len(want) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, by definition %v", got, want)
	}
}
