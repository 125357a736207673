package extract

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"prgnn/stages/region"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// regionNodes is a node list with names, abbreviations and ids.
func regionNodes() dag.Input {
	return stagetest.Named("nodes", encoding.NewTable(
		encoding.Column{Name: "index", Values: []int32{1, 2, 3}},
		encoding.Column{Name: "id", Values: []int32{10, 2001, 17}},
		encoding.Column{Name: "name", Values: []string{"Left-Thalamus", "ctx-rh-bankssts", "Left-Hippocampus"}},
		encoding.Column{Name: "abbreviation", Values: []string{"L.TH", "R.BSTS", "L.HI"}},
	))
}

func fileOf(name, content string) dag.Input {
	return stagetest.Named(name, artifacts.Bytes{Kind: "series", Data: []byte(content)})
}

func TestTimeseries(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte("#10\t#2001\t#17\n1\t2\t3.5\n4\t5\t6\n"))
	w.Close()
	var npy, npz bytes.Buffer
	need.NoError(t, encoding.NewArray([]float32{1, 2, 3.5, 4, 5, 6}, 2, 3).Encode(&npy))
	w = gzip.NewWriter(&npz)
	w.Write(npy.Bytes())
	w.Close()
	for what, content := range map[string]string{
		"names in another order": "ctx-rh-bankssts\tLeft-Hippocampus\tLeft-Thalamus\n2\t3.5\t1\n5\t6\t4\n",
		"abbreviations":          "L.HI,L.TH,R.BSTS\n3.5,1,2\n6,4,5\n",
		"ids":                    "17 10 2001\n3.5 1 2\n6 4 5\n",
		"semicolons":             "L.HI;L.TH;R.BSTS\n3,5;1;2\n6;4,0;5\n",
		"no names":               "1 2 3.5\n4 5 6\n",
		"counted names":          "0\t1\t2\n1\t2\t3.5\n4\t5\t6\n",
		"C-PAC, gzipped":         z.String(),
		"npy":                    npy.String(),
		"npy, gzipped":           npz.String(),
	} {
		s := stagetest.NewStage[*Timeseries](t, "timeseries")
		s.TR = 1.5
		out, err := stagetest.RunWith(s, map[string]dag.Input{"series": fileOf("f", content), "nodes": regionNodes()})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		a := out["series"].(*encoding.Array)
		if !slices.Equal(a.Shape, []int{1, 2, 3}) || !slices.Equal(a.Float64s(), []float64{1, 2, 3.5, 4, 5, 6}) {
			t.Errorf("%s: %v %v", what, a.Shape, a.Float64s())
		}
		if tr, v := stagetest.ColumnOf(t, out["scan"], "tr"),
			stagetest.ColumnOf(t, out["scan"], "volumes"); tr != 1.5 || v != 2 {
			t.Errorf("%s: repetition time %v, volumes %v", what, tr, v)
		}
	}
	out, err := stagetest.RunWith(stagetest.NewStage[*Timeseries](t, "timeseries"),
		map[string]dag.Input{"series": fileOf("f", "L.TH,L.HI,R.BSTS\n1,n/a,3\n4,n/a,6\n"), "nodes": regionNodes()})
	need.NoError(t, err)
	if v := out["series"].(*encoding.Array).Float64s(); !math.IsNaN(v[2]) || !math.IsNaN(v[5]) || v[4] != 6 {
		t.Errorf("series %v", v)
	}
	if tr := stagetest.ColumnOf(t, out["scan"], "tr"); !math.IsNaN(tr) {
		t.Errorf("repetition time %v, and nobody gave one", tr)
	}
	for _, c := range []struct {
		tr   float64 // the parameter
		text string
		want float64
	}{{0, `{"RepetitionTime": 2.5}`, 2.5}, {0, `{"SamplingFrequency": 0.5}`, 2}, {2.5, `{"RepetitionTime": 2.5}`, 2.5},
		{3, `{"RepetitionTime": 3000}`, 3}, {3, `{}`, 3}, {0, `{}`, math.NaN()}} {
		s := stagetest.NewStage[*Timeseries](t, "timeseries")
		s.TR = c.tr
		out, err := stagetest.RunWith(s, map[string]dag.Input{"series": fileOf("f", "1 2 3\n4 5 6\n"),
			"nodes": regionNodes(), "sidecar": fileOf("s.json", c.text)})
		need.NoError(t, err)
		if tr := stagetest.ColumnOf(t, out["scan"], "tr"); tr != c.want && !(math.IsNaN(tr) && math.IsNaN(c.want)) {
			t.Errorf("%s, parameter %v: repetition time %v, want %v", c.text, c.tr, tr, c.want)
		}
	}
}

// How the series were cleaned is known where their sidecar says it, and only there.
func TestTimeseriesTellsOfItsSidecar(t *testing.T) {
	for text, want := range map[string]string{
		`{"RepetitionTime": 2}`:                                     "",
		`{"RepetitionTime": 2, "nuisance parameters": "36P"}`:       "36P",
		`{"RepetitionTime": 2, "ConfoundRegressors": ["csf", "x"]}`: "2 confound regressors",
		`{"RepetitionTime": 2, "ConfoundRegressors": []}`:           "",
	} {
		out := need.Value(stagetest.RunWith(stagetest.NewStage[*Timeseries](t, "timeseries"), map[string]dag.Input{
			"series": fileOf("f", "1 2 3\n4 5 6\n"), "nodes": regionNodes(), "sidecar": fileOf("s.json", text)}))(t)
		meta := out["scan"].(*encoding.Table).Meta
		need.Equal(t, meta[column.CleanedBefore], column.SeriesGiven, text)
		need.Equal(t, meta[column.CleanedBy], want, text)
	}
}

// Volumes at unequal intervals have no repetition time, which no parameter replaces.
func TestTimeseriesUnequalIntervals(t *testing.T) {
	for _, tr := range []float64{0, 2} {
		s := stagetest.NewStage[*Timeseries](t, "timeseries")
		s.TR = tr
		_, err := stagetest.RunWith(s, map[string]dag.Input{"series": fileOf("f", "1 2 3\n4 5 6\n"),
			"nodes":   regionNodes(),
			"sidecar": fileOf("s.json", `{"VolumeTiming": [0, 2, 12, 14]}`)})
		need.Error(t, err, "s.json: a VolumeTiming with 2 to 10 s between volumes")
	}
}

// Onsets of another number of volumes are those of another scan, whose repetition time may be another.
func TestVolumeTimingOfOtherLength(t *testing.T) {
	sidecar := fileOf("s.json", `{"VolumeTiming": [0, 2, 4, 6]}`)
	scan := boldCube(t, 4, 0, 5)
	series := fileOf("f", "1 2 3\n4 5 6\n7 8 1\n")
	for _, tr := range []float64{0, 2} {
		in := map[string]dag.Input{"bold": scan, "nodes": stagetest.Nodes(1001), "sidecar": sidecar,
			"parcels": imageInput(t, "parcels", cube(4, 0, func(i, j, k int) int32 { return 1 }))}
		_, err := stagetest.RunWith(&Bootstrap{TR: tr}, in)
		volumes := need.Value(region.OpenImage(scan))(t).Volumes()
		want := fmt.Sprintf("s.json: a VolumeTiming of 4 onsets for %d volumes: list the onset", volumes)
		need.Error(t, err, want)
		need.Error(t, (&Bootstrap{TR: tr}).RefusesHeaders(in), want)
		s := stagetest.NewStage[*Timeseries](t, "timeseries")
		s.TR = tr
		in = map[string]dag.Input{"series": series, "nodes": regionNodes(), "sidecar": sidecar}
		_, err = stagetest.RunWith(s, in)
		need.Error(t, err, "s.json: a VolumeTiming of 4 onsets for 3 volumes")
		need.Error(t, s.RefusesHeaders(in), "s.json: a VolumeTiming of 4 onsets for 3 volumes")
	}
}

// A parameter does not silently stand in for the repetition time that the file of a participant gives.
func TestTimeseriesTwoTimes(t *testing.T) {
	s := stagetest.NewStage[*Timeseries](t, "timeseries")
	s.TR = 2
	_, err := stagetest.RunWith(s, map[string]dag.Input{"series": fileOf("f", "1 2 3\n4 5 6\n"), "nodes": regionNodes(),
		"sidecar": fileOf("sub-01.json", `{"RepetitionTime": 1.5}`)})
	need.Error(t, err, "sub-01.json: its repetition time is 1.5 s, but the parameter tr is 2 s: "+
		"remove tr (tr: 0) if the file is right; if tr is, correct RepetitionTime in a copy and connect that (in: { sidecar: { file: FILE.json } })")
}

// Repetition times that cannot be are refused wherever they stand, and never fall through to another source.
func TestTimeseriesUnbelievable(t *testing.T) {
	in := func(sidecar string) map[string]dag.Input {
		return map[string]dag.Input{"series": fileOf("f", "1 2 3\n4 5 6\n"), "nodes": regionNodes(),
			"sidecar": fileOf("s.json", sidecar)}
	}
	for _, time := range []string{"0", "-2", "2000", "0.002", "2e9"} {
		_, err := stagetest.RunWith(&Timeseries{}, in(`{"RepetitionTime": `+time+`}`))
		need.Error(t, err, "s.json: a RepetitionTime of ", time)
	}
	for _, frequency := range []string{"0", "-0.5", "1000", "1e-9"} {
		_, err := stagetest.RunWith(&Timeseries{}, in(`{"SamplingFrequency": `+frequency+`}`))
		need.Error(t, err, "s.json: a SamplingFrequency of ", frequency)
	}
	const name = "sub-01_task-rest_space-fsLR_den-91k_atlas-Mini_stat-mean_timeseries.ptseries.nii"
	whole := need.Value(os.ReadFile(filepath.Join(need.Shared(t, "fixtures", "fmriprep", "cifti"), name)))(t)
	const step = `SeriesStep="3.5`
	if !strings.Contains(string(whole), step) {
		t.Fatal("the file has another step")
	}
	var names []string
	for i := range 24 {
		names = append(names, fmt.Sprintf("P%02d", i+1))
	}
	nodes := stagetest.Named("nodes", stagetest.NodesOf(names...))
	for changed, want := range map[string]string{`SeriesStep="9e9`: "f.ptseries.nii: the header gives a repetition time of 9e+09 s",
		`SeriesStep="-35`: "the header gives a repetition time of -35 s", `SeriesStep="NaN`: "a repetition time of NaN s"} {
		series := fileOf("f.ptseries.nii", strings.Replace(string(whole), step, changed, 1))
		_, err := stagetest.RunWith(&Timeseries{}, map[string]dag.Input{"series": series, "nodes": nodes})
		need.Error(t, err, want)
		out, err := stagetest.RunWith(&Timeseries{TR: 2}, map[string]dag.Input{"series": series, "nodes": nodes})
		need.NoError(t, err, "tr is set")
		need.Equal(t, stagetest.ColumnOf(t, out["scan"], "tr"), 2.0)
	}
}

// So it is with the repetition time in the header of a CIFTI file, before which a sidecar goes.
func TestTimeseriesHeaderTime(t *testing.T) {
	const name = "sub-01_task-rest_space-fsLR_den-91k_atlas-Mini_stat-mean_timeseries.ptseries.nii" // 3.5 s
	series := stagetest.FileInput(filepath.Join(need.Shared(t, "fixtures", "fmriprep", "cifti"), name))
	nodes := encoding.NewTable(encoding.Column{Name: "index", Values: countTo(24)},
		encoding.Column{Name: "id", Values: countTo(24)}, encoding.Column{Name: "name", Values: make([]string, 24)})
	for i := range 24 {
		nodes.Columns[2].Values.([]string)[i] = fmt.Sprintf("P%02d", i+1)
	}
	const differ = ": the repetition time in its header is 3.5 s, but the parameter tr is 2 s: remove tr (tr: 0) if the header is right; if tr is, give it as RepetitionTime in a sidecar (in: { sidecar: { file: FILE.json } })"
	for _, c := range []struct {
		tr      float64
		sidecar string
		want    float64
		fails   string
	}{
		{0, "", 3.5, ""},
		{3.5004, "", 3.5004, ""},
		{2, "", 0, differ},
		{2, `{}`, 0, differ},
		{2, `{"RepetitionTime": 2}`, 2, ""},
		{0, `{"RepetitionTime": 2}`, 2, ""},
	} {
		in := map[string]dag.Input{"series": series, "nodes": stagetest.Named("nodes", nodes)}
		if c.sidecar != "" {
			in["sidecar"] = fileOf("sub-01.json", c.sidecar)
		}
		out, err := stagetest.RunWith(&Timeseries{TR: c.tr}, in)
		if c.fails != "" {
			need.Error(t, err, series.Name+c.fails)
			continue
		}
		need.NoError(t, err)
		if tr := stagetest.ColumnOf(t, out["scan"], "tr"); tr != c.want {
			t.Errorf("parameter %v, sidecar %s: repetition time %v, want %v", c.tr, c.sidecar, tr, c.want)
		}
	}
}

func TestTimeseriesRefuses(t *testing.T) {
	var cube bytes.Buffer
	need.NoError(t, encoding.NewArray(make([]float64, 8), 2, 2, 2).Encode(&cube))
	for content, want := range map[string]string{
		"1 2\n3 4\n":                         "f.tsv: 2 columns without names for 3 nodes",
		"L.TH,L.HI,Brain-Stem\n1,2,3\n":      "f.tsv: the columns do not match the node list: there is no node Brain-Stem; there is no column for ctx-rh-bankssts; use the node list of this atlas (a missing region is a column of n/a; if nodes is not set in the cohort, the first participant's file is the list)",
		"L.TH,L.HI,Left-Thalamus\n1,2,3\n":   "f.tsv: the columns do not match the node list: there is no column for ctx-rh-bankssts; there is one node for L.TH and Left-Thalamus; use the node list of this atlas (a missing region is a column of n/a; if nodes is not set in the cohort, the first participant's file is the list)",
		"L.TH,L.HI,R.BSTS\n1,2,3\n4,n/a,6\n": "f.tsv: region 3 (Left-Hippocampus) has no value in 1 of 2 volumes, first in volume 2; a region needs all volumes, or none when it is missing",
		"":                                   "f.tsv: the file has no numbers: is it the right file?",
		cube.String():                        "f.tsv: an array of shape [2 2 2]; time series are volumes × regions: if it holds several participants, write a file for each",
	} {
		_, err := stagetest.RunWith(stagetest.NewStage[*Timeseries](t, "timeseries"),
			map[string]dag.Input{"series": fileOf("f.tsv", content), "nodes": regionNodes()})
		if err == nil || err.Error() != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
	}
	if _, err := stagetest.RunWith(stagetest.NewStage[*Timeseries](t, "timeseries"),
		map[string]dag.Input{"series": fileOf("x", cube.String()[:100]), "nodes": regionNodes()}); err == nil ||
		!strings.HasPrefix(err.Error(), "x: ") {
		t.Errorf("error %v", err)
	}
}
