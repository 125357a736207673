package connectivity

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// strategyTable reads a table of testdata/strategies, with its JSON file.
func strategyTable(t *testing.T, version string) Confounds {
	t.Helper()
	stem := filepath.Join("testdata", "strategies", "fmriprep-"+version+"_timeseries")
	names, values := readTSV(t, stem+".tsv")
	c := Confounds{Names: names, Values: values, Cosines: FMRIPrepCosines(98, 3)}
	b, err := os.ReadFile(stem + ".json")
	if err == nil {
		err = json.Unmarshal(b, &c.About)
	}
	need.NoError(t, err)
	return c
}

// Every strategy takes the columns and volumes that nilearn takes (of XCP-D's strategies: the columns of its
// documentation), and gives the series that nilearn gives.
func TestStrategiesOfNilearn(t *testing.T) {
	var golden map[string]map[string]struct {
		Columns []string
		Keep    []int
		Series  [][]float64
	}
	b, err := os.ReadFile(filepath.Join("testdata", "strategies", "golden.json"))
	if err == nil {
		err = json.Unmarshal(b, &golden)
	}
	need.NoError(t, err)
	_, series := readTSV(t, filepath.Join("testdata", "strategies", "series.tsv"))
	for version, strategies := range golden {
		table := strategyTable(t, version)
		for _, s := range Strategies[1:] {
			if s.Noise != "" && s.Name != "aroma" { // their components are in a table of their own
				continue
			}
			t.Run(version+"/"+s.Name, func(t *testing.T) {
				want, ok := strategies[s.Name]
				if !ok {
					t.Fatal("no golden values: run gen.py")
				}
				x, names, err := table.Select(s, 5, nil, FirstNext)
				need.NoError(t, err)
				if sorted := slices.Sorted(slices.Values(names)); !slices.Equal(sorted, want.Columns) {
					t.Errorf("columns %v\nwant    %v", sorted, want.Columns)
				}
				keep, err := s.Scrub.Keep(table.column1("framewise_displacement"), table.column1("std_dvars"), series.Rows)
				need.NoError(t, err)
				marked, _, err := table.NonSteady()
				need.NoError(t, err)
				var kept []int
				for v := range keep {
					if keep[v] = keep[v] && !marked[v]; keep[v] {
						kept = append(kept, v)
					}
				}
				if !slices.Equal(kept, want.Keep) {
					t.Fatalf("volumes %v\nwant    %v", kept, want.Keep)
				}
				got, _ := clean(t, series, Cleaning{Detrend: -1, Regressors: x, Keep: keep})
				closeTo(t, "series", got, matrixOf(want.Series), 1e-10)
			})
		}
	}
}

func (c Confounds) column1(name string) []float64 { v, _ := c.column(name); return v }

// A cosine filter and the confounds are taken out in one projection: nothing of either is left, which filtering first
// and regressing then would bring back (Lindquist et al. 2019).
func TestOneProjection(t *testing.T) {
	table := strategyTable(t, "25.1")
	_, series := readTSV(t, filepath.Join("testdata", "strategies", "series.tsv"))
	s, err := StrategyOf("36P")
	need.NoError(t, err)
	x, names, err := table.Select(s, 5, nil, FirstNext)
	need.NoError(t, err)
	keep, kept := keepAllBut(series.Rows, []int{0, 1, 20, 60})
	y, _ := clean(t, series, Cleaning{TR: 3, Detrend: 1, Filter: Cosine, HighPass: 0.01, Regressors: x, Keep: keep})
	correlation := func(a, b []float64) float64 {
		var ma, mb, ab, aa, bb float64
		for i := range a {
			ma, mb = ma+a[i]/float64(len(a)), mb+b[i]/float64(len(b))
		}
		for i := range a {
			ab, aa, bb = ab+(a[i]-ma)*(b[i]-mb), aa+(a[i]-ma)*(a[i]-ma), bb+(b[i]-mb)*(b[i]-mb)
		}
		return ab / math.Sqrt(aa*bb)
	}
	for j := range y.Cols {
		for k, name := range names {
			if r := correlation(lists.At(x.column(k), kept), y.column(j)); math.Abs(r) > 1e-7 {
				t.Errorf("%s and region %d correlate: %g", name, j+1, r)
			}
		}
		for k := 1; k <= 6; k++ { // half waves below 0.01 Hz in 300 s
			if r := correlation(lists.At(cosine(series.Rows, k), kept), y.column(j)); math.Abs(r) > 1e-7 {
				t.Errorf("cosine %d and region %d correlate: %g", k, j+1, r)
			}
		}
	}
}

// Tables that lack something are refused, by the strategy and the column.
func TestStrategyMistakes(t *testing.T) {
	without := func(c Confounds, prefixes ...string) Confounds {
		out := Confounds{About: c.About, Cosines: c.Cosines}
		var values [][]float64
		for j, name := range c.Names {
			if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
				out.Names, values = append(out.Names, name), append(values, c.Values.column(j))
			}
		}
		out.Values = columns(values...)
		return out
	}
	all := strategyTable(t, "25.1")
	old := strategyTable(t, "20.2")
	old.About = nil
	failed := strategyTable(t, "25.1")
	for j, name := range failed.Names {
		for v := 0; (name == "w_comp_cor_00" || name == "c_comp_cor_01") && v < failed.Values.Rows; v++ {
			failed.Values.Data[v*failed.Values.Cols+j] = nan
		}
	}
	for _, c := range []struct {
		table    Confounds
		strategy string
		columns  []string
		want     string
	}{
		{without(all, "cosine"), "simple", nil, "strategy simple: the table lacks cosine*;"},
		{without(all, "white_matter"), "simple", nil, "strategy simple: the table lacks white_matter;"},
		{without(all, "white_matter", "trans_x"), "24P", nil, "strategy 24P: the table lacks trans_x, trans_x_derivative1, trans_x_power2, trans_x_derivative1_power2;"},
		{without(all, "a_comp"), "compcor", nil, "strategy compcor: the table lacks a_comp_cor_* of the combined mask;"},
		{without(all, "w_comp"), "acompcor", nil, "strategy acompcor: the table lacks w_comp_cor_* of the white matter mask;"},
		{without(all, "aroma"), "aroma", nil, "strategy aroma: the table lacks aroma_motion_*;"},
		{old, "acompcor", nil, "strategy acompcor: the table lacks a_comp_cor_* with a Mask each (in the JSON file beside the table, which is missing);"},
		{all, "24P", []string{"t_comp*"}, "strategy 24P with columns t_comp*: the table lacks t_comp*"},
		{all, "24P", []string{"a_comp_cor_00"}, "strategy 24P with columns a_comp_cor_00: a_comp_cor_00 was computed after fMRIPrep's high-pass filter, but cosine00 of that filter is not among the regressors: add cosine* to columns"},
		{failed, "acompcor", nil, "strategy acompcor: each of the columns c_comp_cor_01, w_comp_cor_00 has no values (n/a throughout: fMRIPrep could not compute it)"},
		{Confounds{Names: []string{"FramewiseDisplacement", "aCompCor00"}, Values: NewMatrix(5, 2)}, "simple", nil, "the columns have the names of fMRIPrep before 1.2"},
	} {
		s := need.Value(StrategyOf(c.strategy))(t)
		if _, _, err := c.table.Select(s, 5, c.columns, FirstNext); err == nil ||
			!strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("error %v\nwant  %s", err, c.want)
		}
	}
	// A short scan has no cosines, and nothing to filter.
	short := without(all, "cosine")
	short.Cosines = FMRIPrepCosines(40, 3)
	if _, names, err := short.Select(Strategies[1], 5, nil, FirstNext); err != nil || len(names) != 26 {
		t.Errorf("a short scan: %d regressors, error %v", len(names), err)
	}
	if _, err := StrategyOf("12P"); err == nil || err.Error() != `unknown strategy "12P": choose one of none, simple, scrubbing, compcor, ica_aroma, 6P, 24P, 27P, 36P, acompcor, acompcor_gsr, gsr_only, aroma, aroma_orth, aroma_orth_gsr, tedana, tedana_nonaggressive` {
		t.Errorf("error %v", err)
	}
}

// fMRIPrep writes floor(2·T·TR/128) − 1 cosines (nipype's _cosine_drift).
func TestCosinesOfFMRIPrep(t *testing.T) {
	for _, c := range []struct {
		volumes int
		tr      float64
		want    int
	}{{39, 3.5, 1}, {63, 2, 0}, {64, 2, 1}, {146, 2, 3}, {1200, 0.72, 12}, {3, 2, 0}} {
		need.Equal(t, FMRIPrepCosines(c.volumes, c.tr), c.want, c.volumes, c.tr)
	}
}

// A gap in the numbers of the cosines is refused.
func TestIncompleteCosines(t *testing.T) {
	none := need.Value(StrategyOf("none"))(t)
	for _, c := range []struct{ names, lacks string }{
		{"cosine00 cosine01 cosine02", ""}, {"cosine02 cosine00 cosine01", ""}, {"cosine1 cosine2", ""},
		{"cosine00 cosine02", "cosine01"}, {"cosine01 cosine02", "cosine00"}, {"cosine1 cosine3", "cosine2"},
	} {
		names := strings.Fields(c.names)
		table := Confounds{Names: names, Values: NewMatrix(5, len(names))}
		_, _, err := table.Select(none, 5, []string{"cosine*"}, FirstNext)
		if (err == nil) != (c.lacks == "") || err != nil &&
			!strings.Contains(err.Error(), "the table lacks "+c.lacks+", which is part of a high-pass filter with cosine") {
			t.Errorf("%v: %v", c.names, err)
		}
	}
}

// Tables of every version of fMRIPrep have the columns: 24 motion parameters, two tissues and one cosine; six
// components
// of the combined mask, five of CSF and four of white matter, numbered through in 20.2.
func TestStrategiesOfVersions(t *testing.T) {
	for _, version := range []string{"20.2.7", "21.0.4", "22.1.1", "23.1.4", "23.2.3", "24.1.1",
		"25.0.0", "25.1.4", "25.2.5"} {
		t.Run(version, func(t *testing.T) {
			tables, err := filepath.Glob(filepath.Join(need.Shared(t, "fixtures", "fmriprep", "fmriprep-"+version), "*",
				"*", "*", "*desc-confounds_timeseries.tsv"))
			more, err2 := filepath.Glob(filepath.Join(need.Shared(t, "fixtures", "fmriprep", "fmriprep-"+version),
				"sub-*", "func", "*desc-confounds_timeseries.tsv"))
			if tables = append(tables, more...); len(tables) == 0 || err != nil || err2 != nil {
				t.Fatal("no table of confounds", err, err2)
			}
			for _, path := range tables {
				names, values := readTSV(t, path)
				c := Confounds{Names: names, Values: values, Cosines: FMRIPrepCosines(39, 3.5)}
				b, err := os.ReadFile(strings.TrimSuffix(path, ".tsv") + ".json")
				if err == nil {
					err = json.Unmarshal(b, &c.About)
				}
				need.NoError(t, err)
				if _, n, err := c.NonSteady(); n != 1 {
					t.Errorf("%s: %d volumes not in steady state, want 1 (%v)", filepath.Base(path), n, err)
				}
				for name, want := range map[string]int{"simple": 27, "scrubbing": 33, "compcor": 31, "24P": 24,
					"27P": 27, "36P": 36, "acompcor": 22} {
					s := need.Value(StrategyOf(name))(t)
					if _, taken, err := c.Select(s, 5, nil, FirstNext); err != nil || len(taken) != want {
						t.Errorf("%s: %s takes %d columns, want %d: %v", filepath.Base(path), name, len(taken), want, err)
					}
				}
			}
		})
	}
}
