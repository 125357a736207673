package prepare

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// components are the inputs of a run of the fixtures: its series, confounds and components.
func components(t *testing.T, components, table string) (dir string, in map[string]dag.Input) {
	t.Helper()
	dir = need.Shared(t, "fixtures/doors/denoise")
	file := func(name string) dag.Input {
		b := need.Value(os.ReadFile(filepath.Join(dir, name)))(t)
		return stagetest.Named(name, artifacts.Bytes{Kind: "tsv", Data: b})
	}
	f := need.Value(os.Open(filepath.Join(dir, "aroma/series.tsv")))(t)
	defer f.Close()
	_, x, err := connectivity.ReadText(f)
	need.NoError(t, err)
	in = map[string]dag.Input{"series": dag.InputOf(encoding.NewArray(x.Data, 1, x.Rows, x.Cols)),
		"scan":       dag.InputOf(scanOf(2)), // too short for cosines
		"confounds":  file("aroma/sub-01_task-rest_run-01_desc-confounds_timeseries.tsv"),
		"components": file(components)}
	if table != "" {
		in["component_table"] = file(table)
	}
	return dir, in
}

const aromaTable = "aroma/sub-01_task-rest_run-01_desc-aroma_timeseries.tsv"

// close compares series, T×N, less their means, with those of an oracle.
func closeTo(t *testing.T, got []float64, want [][]float64) {
	t.Helper()
	worst, n := 0.0, len(want[0])
	need.Equal(t, len(got), n*len(want))
	for j := range n {
		mean := 0.0
		for i := range want {
			mean += (want[i][j] - got[i*n+j]) / float64(len(want))
		}
		for i := range want {
			worst = max(worst, math.Abs(want[i][j]-got[i*n+j]-mean))
		}
	}
	if !(worst < 1e-10) {
		t.Errorf("series differ by up to %g", worst)
	}
}

// XCP-D's strategy aroma takes the orthogonal components of fMRIPost-AROMA, and leaves out the volumes that are not in
// steady state, where these are 0.
func TestComponentsOfAROMA(t *testing.T) {
	dir, in := components(t, aromaTable, "")
	var oracle map[string]json.RawMessage
	need.NoError(t, json.Unmarshal(need.Value(os.ReadFile(filepath.Join(dir, "aroma/oracle.json")))(t), &oracle))
	var want [][]float64
	need.NoError(t, json.Unmarshal(oracle["orthogonalised (XCP-D aroma)"], &want))
	s := stagetest.NewStage[*Denoise](t, "denoise")
	s.Regress, s.Standardize = "aroma_orth", "none"
	out := need.Value(stagetest.RunWith(s, in))(t)
	closeTo(t, out["series"].(*encoding.Array).Float64s(), want)
	names := need.Value(encoding.ListsOf[string](out["quality"].(*encoding.Table), "confounds"))(t)
	need.Equal(t, strings.Join(names[0], " "), "csf white_matter aroma_orth_motion_01 aroma_orth_motion_04 aroma_orth_motion_06")

	// Any column of the table may be a regressor, by its name.
	s.Regress, s.Columns = "none", []string{"aroma_motion_*", "csf", "white_matter"}
	need.NoError(t, json.Unmarshal(oracle["aggressive"], &want))
	closeTo(t, need.Value(stagetest.RunWith(s, in))(t)["series"].(*encoding.Array).Float64s(), want)

	// Where no component is noise, the table has one column of ones, which is no regressor.
	_, in = components(t, "aroma/sub-02_task-rest_run-01_desc-aroma_timeseries.tsv", "")
	s.Regress, s.Columns = "aroma_orth_gsr", nil
	out = need.Value(stagetest.RunWith(s, in))(t)
	names = need.Value(encoding.ListsOf[string](out["quality"].(*encoding.Table), "confounds"))(t)
	need.Equal(t, strings.Join(names[0], " "), "csf white_matter global_signal")

	delete(in, "components")
	_, err := stagetest.RunWith(s, in)
	need.Error(t, err, "regress: aroma_orth_gsr needs the components of each scan: set components in the cohort")
}

// tedana's rejected components are taken out; its accepted ones are fitted beside them and stay, where nilearn's
// non-aggressive mode takes them out, too.
func TestComponentsOfTedana(t *testing.T) {
	for _, version := range []string{"24.0.2", "26.0.3"} { // the first writes ICA_4 and ICA_04 of one component
		stem := "tedana/" + version + "/sub-01_task-rest_desc-"
		_, in := components(t, stem+"ICA_mixing.tsv", stem+"tedana_metrics.tsv")
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Regress, s.Detrend, s.Standardize = "tedana", 0, "none"
		out := need.Value(stagetest.RunWith(s, in))(t)
		names := need.Value(encoding.ListsOf[string](out["quality"].(*encoding.Table), "confounds"))(t)
		need.Equal(t, strings.Join(names[0], " "), "tedana_rejected_01 tedana_rejected_03 tedana_rejected_05 "+
			"tedana_rejected_07 tedana_rejected_09 tedana_rejected_10")
		left := stagetest.ColumnOf(t, out["quality"], "t_eff")
		s.Regress = "tedana_nonaggressive"
		out = need.Value(stagetest.RunWith(s, in))(t)
		need.Equal(t, stagetest.ColumnOf(t, out["quality"], "t_eff"), left-5) // all that is fitted counts
	}
	// Components of two runs are refused.
	_, in := components(t, aromaTable, "tedana/26.0.3/sub-01_task-rest_desc-tedana_metrics.tsv")
	s := stagetest.NewStage[*Denoise](t, "denoise")
	s.Regress = "tedana"
	_, err := stagetest.RunWith(s, in)
	need.Error(t, err, "the tables are of two runs of tedana")
	need.Equal(t, s.ValidateFor("denoised", func(string) bool { return true })[0].Error(), "regress: tedana removes components "+
		"from the combined echoes, but the cohort uses desc-denoised, from which tedana has already removed them: set "+
		"description: optcom in the cohort, or regress: none")
	none := func(string) bool { return false }
	need.Error(t, s.RefusesInputs(none), "no participant has one: connect confounds")
	s.Regress = "auto"
	need.NoError(t, s.RefusesInputs(none))
}

// The part of the accepted components stays to the last digits of least squares.
func TestNonAggressive(t *testing.T) {
	dir := need.Shared(t, "fixtures/doors/denoise")
	read := func(name string) connectivity.Matrix {
		b := need.Value(os.ReadFile(filepath.Join(dir, name)))(t)
		if strings.Contains(name, "mixing") { // has no line of names
			b = append([]byte("a\tb\tc\td\te\tf\n"), b...)
		}
		_, x, err := connectivity.ReadText(bytes.NewReader(b))
		need.NoError(t, err)
		return x
	}
	series := read("aroma/series.tsv")
	all := read("aroma/sub-01_task-rest_run-01_space-MNI152NLin6Asym_res-2_desc-melodic_mixing.tsv")
	take := func(columns ...int) connectivity.Matrix {
		x := connectivity.NewMatrix(all.Rows, len(columns))
		for i := range all.Rows {
			for j, c := range columns {
				x.Row(i)[j] = all.At(i, c)
			}
		}
		return x
	}
	keep := slices.Repeat([]bool{true}, all.Rows)
	keep[0], keep[1] = false, false
	c := need.Value(connectivity.NewCleaner(series.Rows, connectivity.Cleaning{Detrend: 0, Keep: keep,
		Regressors: take(0, 3, 5), Signal: take(1, 2, 4), Standardize: connectivity.ScaleNone}))(t)
	y, _, err := c.Clean(series)
	need.NoError(t, err)
	var oracle map[string]json.RawMessage
	need.NoError(t, json.Unmarshal(need.Value(os.ReadFile(filepath.Join(dir, "aroma/oracle.json")))(t), &oracle))
	var want [][]float64
	need.NoError(t, json.Unmarshal(oracle["non-aggressive (rejected part subtracted)"], &want))
	closeTo(t, y.Data, want)
	_, err = connectivity.NewCleaner(series.Rows, connectivity.Cleaning{Regressors: take(0, 1), Signal: take(1)})
	need.Error(t, err, "their parts of the series cannot be separated")
}
