package cohort

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/cohort/container"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

// A door is a file of another program, in fixtures/doors.
type door struct {
	rows    [][2]string // id and value of the column k, the file's name where it is one
	pattern string      // of the files
	within  container.Within
	entries region.Layout
	nodes   string
	with    []any // parameters of the stage
}

// load loads the cohort of a door.
func (d door) load(t *testing.T, matrix bool) (*Roster, error) {
	t.Helper()
	table := "participant_id\tgroup\tk\n"
	for i, row := range d.rows {
		table += fmt.Sprintf("%s\t%s\t%s\n", row[0], "ab"[i%2:i%2+1], row[1])
	}
	p := listed.Defaults()
	p.File = filepath.Join(testdir.Files(t, map[string]string{"p.tsv": table}), "p.tsv")
	p.Root = need.Shared(t, "fixtures/doors")
	if matrix {
		c := &MatricesCohort{Parameters: p, Pearson: d.pattern, Within: d.within, Nodes: d.nodes}
		c.Entries = container.Entries{Order: d.entries.Order, Base: -1, Absent: d.entries.Absent}
		if d.entries.Base != nil {
			c.Base = *d.entries.Base
		}
		return c.Load("")
	}
	c := &TimeseriesCohort{Parameters: p, Series: d.pattern, Within: d.within, Incomplete: "fail", Nodes: d.nodes}
	return c.Load("")
}

// read runs the stage that reads a participant's file.
func (d door) read(t *testing.T, r *Roster, id string, matrix bool) (connectivity.Matrix, *encoding.Table, error) {
	t.Helper()
	kind, port := "timeseries", "series"
	if matrix {
		kind, port = "matrices", "pearson"
	}
	i := slices.IndexFunc(r.Subjects, func(s Subject) bool { return s.ID == id })
	s := r.Subjects[i]
	if s.Problem != nil {
		return connectivity.Matrix{}, nil, s.Problem
	}
	in := map[string]dag.Input{port: stagetest.FileInput(s.Files[port]), "nodes": dag.InputOf(r.Nodes)}
	if v, ok := s.Values["layout"]; ok {
		in["layout"] = dag.InputOf(v)
	}
	out, err := stagetest.RunWith(stagetest.Fresh(kind, d.with...), in)
	if err != nil {
		return connectivity.Matrix{}, nil, err
	}
	a := out[port].(*encoding.Array)
	quality, _ := out["quality"].(*encoding.Table)
	return connectivity.Matrix{Rows: a.Shape[1], Cols: a.Shape[2], Data: a.Float64s()}, quality, nil
}

// matTruth is mat/truth.json, with the series.
type matTruth struct {
	Names   []string
	Pearson []float64 `json:"pearson_upper_row_major"`
	Files   map[string]struct {
		Error   string
		Pearson json.RawMessage `json:"pearson_upper_row_major"`
	}
	series connectivity.Matrix
}

func readMatTruth(t *testing.T) (truth matTruth) {
	t.Helper()
	dir := need.Shared(t, "fixtures/doors/mat")
	need.NoError(t, json.Unmarshal(need.Value(os.ReadFile(filepath.Join(dir, "truth.json")))(t), &truth))
	f := need.Value(os.Open(filepath.Join(dir, "truth_series.tsv")))(t)
	defer f.Close()
	var err error
	_, truth.series, err = connectivity.ReadText(f)
	need.NoError(t, err)
	return truth
}

func names(r *Roster) []string {
	n, _ := r.Nodes.Strings("name")
	return n
}

// same compares numbers within a tolerance; NaN equals NaN.
func same(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	need.Equal(t, len(got), len(want), what)
	for i := range got {
		if math.Abs(got[i]-want[i]) > tolerance || math.IsNaN(got[i]) != math.IsNaN(want[i]) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// columns are some columns of a matrix, from 0; −1 stands for a missing one.
func columns(x connectivity.Matrix, rows int, take ...int) []float64 {
	var all []float64
	for i := range rows {
		for _, j := range take {
			if j < 0 {
				all = append(all, math.NaN())
			} else {
				all = append(all, x.At(i, j))
			}
		}
	}
	return all
}

// upper is the upper triangle, row by row.
func upper(x connectivity.Matrix) (all []float64) {
	for i := range x.Rows {
		all = append(all, x.Row(i)[i+1:]...)
	}
	return all
}

// Every series of the fixtures is read to its truth, by what the program and the file name state.
func TestSeriesOfPrograms(t *testing.T) {
	truth := readMatTruth(t)
	plain, labels := []string{"1", "2", "3", "4", "5", "6"}, []string{"2001", "2002", "2101", "2102", "2111", "9002"}
	six := []int{0, 1, 2, 3, 4, 5}
	for _, c := range []struct {
		file   string
		within container.Within
		names  []string
		rows   int
		take   []int
		note   string
	}{
		{"mat/conn/ROI_Subject001_Condition001.mat", container.Within{}, truth.Names, 60, six,
			"not taken: Grey Matter, White Matter (3 columns), CSF (3 columns), Effect of rest, realignment (6 columns), QC_timeseries (2 columns)"},
		{"mat/conn/ROI_Subject001_Condition001.mat", container.Within{Regions: []string{"atlas.IC*"}}, truth.Names[2:4], 60, []int{2, 3}, ""},
		{"mat/conn/ROI_Subject001_Condition000.mat", container.Within{Member: "1"}, truth.Names, 30, six, "time series from CONN"},
		{"mat/dpabi/ROISignals_sub001.mat", container.Within{}, labels, 60, six, "time series from DPABI (ROISignals): the order keys"},
		{"mat/dpabi/ROISignals_sub001.txt", container.Within{}, labels, 60, six, ""},
		{"mat/dpabi/ROISignals_sub003.mat", container.Within{}, labels, 60, []int{0, 1, -1, 3, 4, 5}, ""},
		{"mat/dpabi/ROISignals_S01-1-0001.mat", container.Within{Range: []int{5, 10}}, plain, 60, six, ""},
		{"mat/gretna/GretnaTimeCourse/N0001.txt", container.Within{}, labels, 60, six, "time series from GRETNA"},
		{"mat/plain/series_and_names.mat", container.Within{}, truth.Names, 60, six, ""},
		{"mat/plain/series_transposed.mat", container.Within{Variable: "ts", Names: "labels"}, truth.Names, 60, six,
			"the rows are regions, and were transposed"},
		{"mat/plain/struct.mat", container.Within{Variable: "out.timeseries", Names: "out.roi"}, truth.Names, 60, six, ""},
		{"mat/plain/struct_array.mat", container.Within{Variable: "sub(2).ts"}, plain, 50, six, ""},
		{"mat/plain/char_names.mat", container.Within{}, []string{"FP r", "FP l", "IC r", "IC l", "MPFC", "BS"}, 60, six, ""},
		{"mat/v73/series.mat", container.Within{}, truth.Names, 60, six, ""},
		{"mat/v73/conn_ROI_Subject001_Condition001.mat", container.Within{Variable: "data", Names: "names",
			Regions: []string{"atlas.*", "networks.*"}}, truth.Names, 60, six, ""},
		{"mat/v73/struct.mat", container.Within{Variable: "out.timeseries", Names: "out.roi"}, truth.Names, 60,
			six, ""},
		{"mat/octave/v6.mat", container.Within{Variable: "ts"}, truth.Names, 60, six, ""},
		{"mat/octave/v7.mat", container.Within{Variable: "ts"}, truth.Names, 60, six, ""},
	} {
		d := door{rows: [][2]string{{"sub-1", c.file}, {"sub-2", c.file}}, pattern: "{k}", within: c.within}
		r, err := d.load(t, false)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if !slices.Equal(names(r), c.names) {
			t.Errorf("%s: regions %q, want %q", c.file, names(r), c.names)
		}
		x, _, err := d.read(t, r, "sub-1", false)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		same(t, c.file, x.Data, columns(truth.series, c.rows, c.take...), 0)
		if notes := fmt.Sprint(wording.NoteTexts(r.Notes)); !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %s, want %q", c.file, notes, c.note)
		}
	}
}

// A label without a voxel has no column in a file of DPABI; the order keys align the participants, and without them
// the file is refused.
func TestSeriesOfDPABIAreAligned(t *testing.T) {
	truth := readMatTruth(t)
	for _, form := range []string{".mat", ".txt"} { // DPABI writes both
		d := door{rows: [][2]string{{"sub-a", "sub002"}, {"sub-b", "sub001"}, {"sub-c", "sub003"}},
			pattern: "mat/dpabi/ROISignals_{k}" + form}
		r := need.Value(d.load(t, false))(t)
		need.Equal(t, strings.Join(names(r), " "), "2001 2002 2101 2102 2111 9002", form)
		for id, take := range map[string][]int{"sub-a": {0, 1, -1, 3, 4, 5}, "sub-b": {0, 1, 2, 3, 4, 5},
			"sub-c": {0, 1, -1, 3, 4, 5}} {
			x, _, err := d.read(t, r, id, false)
			need.NoError(t, err, form)
			same(t, id+form, x.Data, columns(truth.series, 60, take...), 1e-9)
		}
		d.pattern, d.rows = "mat/dpabi/ROICorrelation_FisherZ_{k}"+form, d.rows[:2]
		d.with = []any{"partial", "ridge"}
		r = need.Value(d.load(t, true))(t)
		_, quality, err := d.read(t, r, "sub-a", true)
		need.NoError(t, err, form)
		need.Equal(t, stagetest.ColumnOf(t, quality, "missing"), 1, form)
	}
}

// Every matrix of the fixtures is read to its truth.
func TestMatricesOfPrograms(t *testing.T) {
	truth := readMatTruth(t)
	group := func(i int) (pearson []float64) {
		var all [][]float64
		need.NoError(t, json.Unmarshal(truth.Files["mat/conn/resultsROI_Condition001.mat"[4:]].Pearson, &all))
		return all[i]
	}
	without := func(region int) []float64 { // pairs of a missing region are 0
		var all []float64
		k := 0
		for i := range 6 {
			for j := i + 1; j < 6; j++ {
				v := truth.Pearson[k]
				if i == region || j == region {
					v = 0
				}
				all, k = append(all, v), k+1
			}
		}
		return all
	}
	for _, c := range []struct {
		file    string
		within  container.Within
		first   string // region
		want    []float64
		missing float64
		note    string
	}{
		{"conn/resultsROI_Condition001.mat", container.Within{Member: "1"}, truth.Names[0], group(0), 0, "matrices from CONN (Z): Fisher's z"},
		{"conn/resultsROI_Condition001.mat", container.Within{Member: "3"}, truth.Names[0], group(2), 0, ""},
		{"conn/resultsROI_Subject001_Condition001.mat", container.Within{}, truth.Names[0], group(0), 0, ""},
		{"dpabi/ROICorrelation_sub001.mat", container.Within{}, "2001", truth.Pearson, 0, "matrices from DPABI (ROICorrelation)"},
		{"dpabi/ROICorrelation_sub001.txt", container.Within{}, "2001", truth.Pearson, 0, ""},
		{"dpabi/ROICorrelation_FisherZ_sub001.mat", container.Within{}, "2001", truth.Pearson, 0, "Fisher's z, transformed back"},
		{"dpabi/ROICorrelation_FisherZ_sub001.txt", container.Within{}, "2001", truth.Pearson, 0, ""},
		{"dpabi/ROICorrelation_sub003.txt", container.Within{}, "2001", without(2), 1, ""},
		{"gretna/GretnaSFCMatrixR/rN0001.txt", container.Within{}, "2001", truth.Pearson, 0, "a row of 0 is a missing region"},
		{"gretna/GretnaSFCMatrixR/rN0002.txt", container.Within{}, "2001", without(3), 1, ""},
		{"gretna/GretnaSFCMatrixZ/zN0001.txt", container.Within{}, "2001", truth.Pearson, 0, ""},
		{"gretna/GretnaSFCMatrixZ/zN0002.txt", container.Within{}, "2001", without(3), 1, ""},
		{"gift/rest_postprocess_results/rest_post_process_sub_001.mat", container.Within{Member: "1"}, "4", truth.Pearson, 0, "from GIFT (fnc_corrs)"},
		{"octave/text.mat", container.Within{}, "1", truth.Pearson, 0, ""},
		{"v73/matrix.mat", container.Within{}, "1", truth.Pearson, 0, ""},
		{"plain/one_square.mat", container.Within{}, "1", truth.Pearson, 0, ""},
		{"plain/two_square.mat", container.Within{Variable: "r"}, "1", truth.Pearson, 0, ""},
		{"octave/v7.mat", container.Within{Variable: "r"}, truth.Names[0], truth.Pearson, 0, ""},
		{"plain/two_square.mat", container.Within{Variable: "r", Range: []int{1, 2}}, "1", truth.Pearson[:1], 0, ""},
	} {
		d := door{rows: [][2]string{{"sub-1", c.file}, {"sub-2", c.file}}, pattern: "mat/{k}", within: c.within,
			with: []any{"partial", "ridge"}}
		r, err := d.load(t, true)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		need.Equal(t, names(r)[0], c.first, c.file)
		x, quality, err := d.read(t, r, "sub-1", true)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		same(t, c.file, upper(x), c.want, 1e-12)
		need.Equal(t, stagetest.ColumnOf(t, quality, "missing"), c.missing, c.file)
		need.Equal(t, stagetest.ColumnOf(t, quality, "constant"), 0, c.file)
		if notes := fmt.Sprint(wording.NoteTexts(r.Notes)); !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %s, want %q", c.file, notes, c.note)
		}
	}
}

// One file of all participants: each has its member, one that CONN did not process is a problem of this participant
// alone, and two cannot have one member.
func TestMembersOfOneFile(t *testing.T) {
	d := door{rows: [][2]string{{"sub-1", "3"}, {"sub-2", "4"}, {"sub-3", "5"}},
		pattern: "mat/conn/resultsROI_Condition001.mat", within: container.Within{Member: "k"}, with: []any{"partial", "ridge"}}
	r := need.Value(d.load(t, true))(t)
	for _, number := range []string{"3", "x"} {
		wrong := d
		wrong.rows = append(slices.Clone(d.rows), [2]string{"sub-4", number})
		_, err := wrong.load(t, true)
		need.Error(t, err, "member: ", `column "k"`)
	}
	// A CONN file of version 7.3 is another file with the same numbers, of which one participant is read.
	dir := t.TempDir()
	b := need.Value(os.ReadFile(need.Shared(t, "fixtures/doors/mat/v73/conn_resultsROI_Condition001.mat")))(t)
	need.NoError(t, os.WriteFile(filepath.Join(dir, "resultsROI_Condition001.mat"), b, 0o644))
	newer := d
	newer.pattern = filepath.Join(dir, "resultsROI_Condition001.mat")
	x, _, err := newer.read(t, need.Value(newer.load(t, true))(t), "sub-1", true)
	need.NoError(t, err)
	y, _, err := d.read(t, need.Value(d.load(t, true))(t), "sub-1", true)
	need.NoError(t, err)
	same(t, "version 7.3", x.Data, y.Data, 0)
	for i, want := range []string{"", "Z has no value of participant 4: CONN did not process this one", ""} {
		if p := r.Subjects[i].Problem; want == "" && p != nil {
			t.Errorf("%s: %v", r.Subjects[i].ID, p)
		} else if want != "" {
			need.Error(t, p, want, r.Subjects[i].ID)
		}
	}
	for _, c := range r.Participants.Columns {
		if c.Name == "k" {
			t.Error("the number of the member is a covariate")
		}
	}
}

// Every file that must be refused is refused with its reason.
func TestRefusedFilesOfPrograms(t *testing.T) {
	for _, c := range []struct {
		file   string
		matrix bool
		within container.Within
		want   string
	}{
		{"mat/conn/resultsROI_Condition001.mat", true, container.Within{}, "Z has the matrices of 5 participants; set member"},
		{"mat/conn/ROI_Subject001_Condition000.mat", false, container.Within{}, "it has 2 sessions (data_sessions)"},
		{"mat/gift/rest_postprocess_results/rest_post_process_sub_001.mat", true, container.Within{}, "fnc_corrs has 2 sessions: set member"},
		{"mat/gift/rest_dfnc_sub_001_sess_001_results.mat", true, container.Within{}, "sliding windows (windows × pairs)"},
		{"mat/plain/two_square.mat", true, container.Within{}, "several variables could be the matrix: r (6×6 double), p (6×6 double)"},
		{"mat/plain/struct.mat", false, container.Within{}, "no variable is a matrix of volumes × regions; it has out (1×1 struct)"},
		{"mat/plain/series_and_names.mat", false, container.Within{Variable: "tz"}, `there is no variable "tz"; it has ts (60×6 double), labels (1×6 cell)`},
		{"mat/plain/series_and_names.mat", false, container.Within{Regions: []string{"atlas.*", "Yeo*"}}, "regions: no name matches Yeo*"},
		{"mat/plain/series_and_names.mat", false, container.Within{Range: []int{5, 10}}, "columns_range is [5, 10], but there are the columns 1 to 6"},
		{"mat/refuse/complex.mat", true, container.Within{}, "r (6×6 double) – it is complex"},
		{"mat/refuse/complex.mat", true, container.Within{Variable: "r"}, "variable r: it is complex, which is not supported: save real(x)"},
		{"mat/refuse/v73_complex.mat", true, container.Within{}, "r (6×6 double) – it is complex"},
		{"mat/refuse/v73_empty.mat", false, container.Within{}, "no variable is a matrix of volumes × regions; it has mask (6×6 logical), s (0×0 char), ts (0×6 double)"},
		{"mat/refuse/v73_empty.mat", false, container.Within{Variable: "ts"}, "variable ts is empty: ts (0×6 double)"},
		{"mat/refuse/v73_table_object.mat", false, container.Within{}, "it is a MATLAB table, an object: save table2array(x), or write it with writetable"},
		{"mat/refuse/plain_hdf5_named.mat", true, container.Within{}, "it is an HDF5 file: "},
		{"mat/octave/hdf5.mat", true, container.Within{}, "it is an HDF5 file: "},
		{"mat/octave/v4.mat", true, container.Within{}, "version 4"},
		{"mat/refuse/no_numbers.mat", false, container.Within{}, "it has a (1×4 char), b (1×6 cell)"},
		{"mat/refuse/truncated.mat", false, container.Within{}, "truncated; copy it again"},
		{"mat/dpabi/ROISignals_sub002.mat", false, container.Within{Names: "mat/dpabi/ROI_OrderKey_sub001.tsv"}, "6 names for 60 rows and 5 columns"},
	} {
		d := door{rows: [][2]string{{"sub-1", c.file}, {"sub-2", c.file}}, pattern: "{k}", within: c.within,
			with: []any{}}
		if c.matrix {
			d.with = []any{"partial", "ridge"}
		}
		r, err := d.load(t, c.matrix)
		if err == nil {
			_, _, err = d.read(t, r, "sub-1", c.matrix)
		}
		need.Error(t, err, c.want, c.file)
	}
	// A sparse matrix lost its weak correlations.
	d := door{rows: [][2]string{{"sub-1", "sparse"}, {"sub-2", "sparse"}}, pattern: "mat/plain/{k}.mat",
		with: []any{"partial", "ridge"}}
	r := need.Value(d.load(t, true))(t)
	_, _, err := d.read(t, r, "sub-1", true)
	need.Error(t, err, "no partial correlation can be computed from it")
	// The measure of CONN is not in its file but for SE.
	dir := testdir.Files(t, map[string]string{"p.tsv": "participant_id\tgroup\nsub-1\ta\nsub-2\tb\n"})
	b := need.Value(os.ReadFile(need.Shared(t, "fixtures/doors/mat/refuse/conn_regression_Condition001.mat")))(t)
	need.NoError(t, os.WriteFile(filepath.Join(dir, "resultsROI_Condition001.mat"), b, 0o644))
	c := &MatricesCohort{Parameters: listed.Defaults(), Pearson: "resultsROI_Condition001.mat"}
	c.File = "p.tsv"
	_, err = c.Load(dir)
	need.Error(t, err, "SE differs from 1/sqrt(DOF−3): these are regression coefficients")
}

// tableTruth is tables/truth.json.
type tableTruth struct {
	Regions  []string
	Matrices [][][]float64
}

func readTableTruth(t *testing.T) (truth tableTruth) {
	t.Helper()
	b := need.Value(os.ReadFile(need.Shared(t, "fixtures/doors/tables/truth.json")))(t)
	need.NoError(t, json.Unmarshal(b, &truth))
	return truth
}

// pairs are the entries above the diagonal of a participant's matrix, row by row.
func (truth tableTruth) pairs(participant int) (all []float64) {
	for i, row := range truth.Matrices[participant] {
		all = append(all, row[i+1:]...)
	}
	return all
}

// regionList writes a node list.
func regionList(t *testing.T, names ...string) string {
	t.Helper()
	list := "index\tname\n"
	for i, name := range names {
		list += fmt.Sprintf("%d\t%s\n", i+1, name)
	}
	return filepath.Join(testdir.Files(t, map[string]string{"nodes.tsv": list}), "nodes.tsv")
}

// Edge lists, triangles and npz archives are read to the matrices of the fixtures.
func TestMatricesOfEntries(t *testing.T) {
	truth := readTableTruth(t)
	one, upper_, lower := 1, region.Layout{Order: "upper_rows"}, region.Layout{Order: "lower_rows"}
	named := regionList(t, truth.Regions...)
	for _, c := range []struct {
		file    string
		entries region.Layout
		within  container.Within
		nodes   string
		names   []string
	}{
		{"edges/one_based.tsv", region.Layout{}, container.Within{}, "", nil},
		{"edges/one_based.tsv", region.Layout{}, container.Within{}, named, truth.Regions},
		{"edges/zero_based.csv", region.Layout{}, container.Within{}, "", []string{"0", "1", "2", "3", "4"}},
		{"edges/both_directions.txt", region.Layout{}, container.Within{}, "", nil},
		{"edges/names.tsv", region.Layout{}, container.Within{}, "", truth.Regions},
		{"vectors/upper_rows.npy", upper_, container.Within{}, "", nil},
		{"vectors/upper_rows.txt", upper_, container.Within{}, named, truth.Regions},
		{"vectors/lower_rows.npy", lower, container.Within{}, "", nil},
		{"vectors/lower_rows.txt", lower, container.Within{}, "", nil},
		{"vectors/nilearn.npy", lower, container.Within{}, "", nil},
		{"vectors/nilearn.txt", lower, container.Within{}, named, truth.Regions},
		{"vectors/nilearn_no_diagonal.npy", lower, container.Within{}, "", nil},
		{"vectors/upper_rows_diagonal.npy", upper_, container.Within{}, "", nil},
		{"vectors/full.npy", region.Layout{Order: "full"}, container.Within{}, "", nil},
		{"npz/fortran.npz", region.Layout{}, container.Within{}, "", nil},
		{"npz/conn2d.npz", region.Layout{}, container.Within{Variable: "correlation", Member: "1"}, "", truth.Regions},
		{"xlsx/matrix.xlsx", region.Layout{}, container.Within{}, "", truth.Regions},
		{"xlsx/matrix.xlsx", region.Layout{}, container.Within{Variable: "r"}, named, truth.Regions},
		{"npz/conn2d.npz", region.Layout{Base: &one}, container.Within{Member: "1"}, "", truth.Regions},
	} {
		d := door{rows: [][2]string{{"sub-1", c.file}, {"sub-2", c.file}}, pattern: "tables/{k}", within: c.within,
			entries: c.entries, nodes: c.nodes, with: []any{"partial", "ridge"}}
		r, err := d.load(t, true)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		want := c.names
		if want == nil {
			want = []string{"1", "2", "3", "4", "5"}
		}
		if !slices.Equal(names(r), want) {
			t.Errorf("%s: regions %q, want %q", c.file, names(r), want)
		}
		x, _, err := d.read(t, r, "sub-1", true)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		same(t, c.file, upper(x), truth.pairs(0), 1e-9)
	}
	// The other order gives another matrix, which no series have.
	d := door{rows: [][2]string{{"sub-1", ""}, {"sub-2", ""}}, pattern: "tables/vectors/lower_rows.npy",
		entries: upper_, with: []any{"partial", "ridge"}}
	r := need.Value(d.load(t, true))(t)
	if notes := fmt.Sprint(wording.NoteTexts(r.Notes)); !strings.Contains(notes, "negative eigenvalue") {
		t.Errorf("notes of the wrong order: %s", notes)
	}
}

// Lists of entries that may mean several matrices, or none, are refused.
func TestRefusedEntries(t *testing.T) {
	truth := readTableTruth(t)
	named := regionList(t, truth.Regions...)
	for _, c := range []struct {
		file    string
		entries region.Layout
		nodes   string
		want    string
	}{
		{"edges/thresholded.tsv", region.Layout{}, named, "an edge list of 8 of the 10 pairs of 5 regions: state what the absent ones are by absent: zero"},
		{"edges/thresholded.tsv", region.Layout{Absent: "zero"}, named, "no partial correlation can be computed from it"},
		{"edges/ambiguous_base.tsv", region.Layout{}, named, "which may count from 0 or from 1: set base: 1"},
		{"refuse/edges_conflict.tsv", region.Layout{}, named, "edge 1–2 has two values: 0.5 (line 2), 0.4 (line 3)"},
		{"refuse/edges_beyond.tsv", region.Layout{}, named, "line 12: region 9 of 5"},
		{"vectors/upper_rows.npy", region.Layout{}, "", "a vector of 10 values: the triangle of a matrix; set order"},
		{"vectors/upper_rows.txt", region.Layout{}, "", "set order: upper_rows"},
		{"vectors/full.npy", region.Layout{Order: "upper_rows"}, "", "25 values are no triangle: N(N−1)/2 is 21 for 7 regions, and 28 for 8"},
		{"refuse/pickled.npz", region.Layout{}, "", "it holds Python objects (pickle), which are never unpickled"},
		{"refuse/escape.npz", region.Layout{}, "", "leads out of the archive"},
	} {
		d := door{rows: [][2]string{{"sub-1", c.file}, {"sub-2", c.file}}, pattern: "tables/{k}", entries: c.entries,
			nodes: c.nodes, with: []any{"partial", "ridge"}}
		r, err := d.load(t, true)
		if err == nil {
			_, _, err = d.read(t, r, "sub-1", true)
		}
		need.Error(t, err, c.want, c.file)
	}
}

// A table with the matrix of each participant in its row.
func TestMatricesInTheTable(t *testing.T) {
	truth := readTableTruth(t)
	dir := need.Shared(t, "fixtures/doors/tables")
	named := regionList(t, truth.Regions...)
	load := func(file, wide, order, nodes string) (*Roster, error) {
		p := listed.Defaults()
		p.File, p.Group = filepath.Join(dir, file), "dx"
		c := &MatricesCohort{Parameters: p, Wide: wide, Entries: container.Entries{Order: order, Base: -1,
			Absent: "refused"}, Nodes: nodes}
		return c.Load("")
	}
	for _, c := range []struct {
		file, wide, order, nodes string
		names                    bool
	}{
		{"wide/indices.tsv", "fc_*", "none", "", false},
		{"wide/indices.tsv", "fc_*", "none", named, true},
		{"wide/names.csv", "*--*", "none", named, true},
		{"wide/numbered.csv", "V*", "upper_rows", "", false},
		{"wide/numbered.csv", "V*", "upper_rows", named, true},
	} {
		r, err := load(c.file, c.wide, c.order, c.nodes)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		need.Equal(t, names(r)[0] == truth.Regions[0], c.names, c.file)
		for i, s := range r.Subjects {
			out, err := stagetest.RunWith(stagetest.Fresh("matrices", "partial", "ridge"),
				map[string]dag.Input{"pearson": dag.InputOf(s.Values["pearson"]), "nodes": dag.InputOf(r.Nodes)})
			need.NoError(t, err, c.file)
			a := out["pearson"].(*encoding.Array)
			x := connectivity.Matrix{Rows: a.Shape[1], Cols: a.Shape[2], Data: a.Float64s()}
			same(t, c.file, upper(x), truth.pairs(i), 0)
		}
		for _, column := range r.Participants.Columns {
			if strings.ContainsAny(column.Name, "-_1") && column.Name != "participant_id" &&
				column.Name != "source_id" {
				t.Errorf("%s: %s is a covariate", c.file, column.Name)
			}
		}
	}
	r := need.Value(load("wide/names.csv", "*--*", "none", ""))(t) // in the order of the names
	need.Equal(t, len(names(r)), 5)
	for _, c := range [][4]string{
		{"wide/numbered.csv", "V*", "none", "wide: V1 … V10 name no two regions: set order"},
		{"refuse/wide_not_triangular.csv", "V*", "upper_rows", "11 values are no triangle: N(N−1)/2 is 10 for 5 regions, and 15 for 6"},
		{"wide/indices.tsv", "edge*", "none", "wide: no column matches edge*"},
	} {
		_, err := load(c[0], c[1], c[2], "")
		need.Error(t, err, c[3], c[0])
	}
}

// A triangle without names has the order of its regions from a node list, or the same one in all participants: both are
// noted, as nothing in the files shows them.
func TestOrderOfTriangles(t *testing.T) {
	dir := t.TempDir()
	table, wide := "participant_id\tgroup\n", "participant_id\tgroup\tV1\tV2\tV3\n"
	for i := range 4 {
		id, values := fmt.Sprintf("sub-%d", i+1), []string{fmt.Sprintf("0.%d1", i), "0.2", "0.3"}
		table += fmt.Sprintf("%s\t%d\n", id, i%2)
		wide += fmt.Sprintf("%s\t%d\t%s\n", id, i%2, strings.Join(values, "\t"))
		need.NoError(t, os.WriteFile(filepath.Join(dir, id+".txt"), []byte(strings.Join(values, "\n")+"\n"), 0o644))
	}
	for name, text := range map[string]string{"table.tsv": table, "wide.tsv": wide} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, file := range []string{"table.tsv", "wide.tsv"} {
		for nodes, want := range map[string]string{"": "(order: upper_rows) have no names and are numbered; their order is assumed",
			regionList(t, "a", "b", "c"): "by position alone"} {
			p := listed.Defaults()
			p.File, p.Group, p.Levels = filepath.Join(dir, file), "group", []string{"0=HC", "1=PAT"}
			c := &MatricesCohort{Parameters: p, Pearson: "{participant_id}.txt", Nodes: nodes, Entries: container.Entries{
				Order: "upper_rows", Base: -1, Absent: "refused"}}
			if file == "wide.tsv" {
				c.Pearson, c.Wide = "", "V*"
			}
			r := need.Value(c.Load(""))(t)
			notes := slices.DeleteFunc(r.Notes, func(n column.Note) bool { return n.Doubt != column.DoubtNames })
			need.Equal(t, len(notes) == 1 && strings.Contains(wording.NoteTexts(notes)[0], want), true, file, r.Notes)
		}
	}
}
