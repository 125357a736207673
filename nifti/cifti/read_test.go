package cifti

import (
	"bytes"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/nifti"
)

func openFile(t testing.TB, path string) *File {
	t.Helper()
	r := need.Value(nifti.Open(path))(t)
	f := need.Value(Read(r, filepath.Base(path)))(t)
	return f
}

// table reads numbers under a line of names.
func table(t *testing.T, text string, header bool) (names []string, rows [][]float64) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		fields := strings.Fields(line)
		if header && i == 0 {
			names = fields
			continue
		}
		var row []float64
		for _, f := range fields {
			v := need.Value(strconv.ParseFloat(f, 64))(t)
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return names, rows
}

// parcels are the ROIs of a label file over a scan.
func parcels(t *testing.T, scan, labels string, n int) nifti.ROIs {
	t.Helper()
	s, l := openFile(t, scan), openFile(t, labels)
	defer s.Close()
	defer l.Close()
	place := need.Value(s.Rows.Models.Match(l.Rows.Models))(t)
	values := need.Value(l.Labels())(t)
	rois := nifti.ROIs{Voxels: make([][]int32, n)}
	for at, p := range place {
		if p >= 0 && values[p] > 0 {
			rois.Voxels[int(values[p])-1] = append(rois.Voxels[int(values[p])-1], int32(at))
		}
	}
	return rois
}

const bold = "sub-01_task-rest_space-fsLR_den-91k_bold.dtseries.nii"
const labels = "tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii"

// The means of numpy, of XCP-D's rule (what is 0 or NaN is left out), and of Workbench.
func TestMeans(t *testing.T) {
	dir := need.Shared(t, "fixtures", "fmriprep", "cifti")
	for scan, oracle := range map[string]string{bold: "parcellated.tsv", strings.Replace(bold, "rest", "holes",
		1): "parcellated-holes.tsv"} {
		path := filepath.Join(dir, scan)
		m, err := Means(func() (*File, error) { return openFile(t, path), nil },
			parcels(t, path, filepath.Join(dir, labels), 24))
		need.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(dir, oracle))
		need.NoError(t, err)
		_, want := table(t, strings.ReplaceAll(string(b), "n/a", "nan"), true)
		if m.Volumes != len(want) {
			t.Fatalf("%d volumes, want %d", m.Volumes, len(want))
		}
		for v, row := range want {
			for i, w := range row {
				if got := m.Series[v*24+i]; !math.IsNaN(w) && !(math.Abs(got-w) <= 1e-6*math.Abs(w)) {
					t.Fatalf("%s: volume %d, parcel %d: %v, want %v (%+v)", scan, v, i+1, got, w, m.Counts[i])
				}
			}
		}
		if scan == bold {
			t.Run("Workbench", func(t *testing.T) { compareWorkbench(t, path, filepath.Join(dir, labels), m) })
		}
	}
}

// compareWorkbench compares means with those of wb_command.
func compareWorkbench(t *testing.T, path, labels string, m *nifti.Means) {
	tool := need.Program(t, "connectome-workbench", "wb_command")
	out := filepath.Join(t.TempDir(), "x.ptseries.nii")
	if said, err := exec.Command(tool, "-cifti-parcellate", path, labels, "COLUMN", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	f, err := os.Open(out)
	need.NoError(t, err)
	defer f.Close()
	names, series, tr, err := ReadParcels(f)
	need.NoError(t, err)
	if len(names) != 24 || tr != 3.5 || len(series) != len(m.Series) {
		t.Fatalf("%v, %v s, %d numbers", names, tr, len(series))
	}
	for i, w := range series {
		if math.Abs(m.Series[i]-w) > 1e-6*math.Abs(w) {
			t.Fatalf("number %d: %v, Workbench %v", i, m.Series[i], w)
		}
	}
}

// A draw is the mean of the grayordinates that it chose, as often as it chose them.
func TestMeansDraws(t *testing.T) {
	dir := need.Shared(t, "fixtures", "fmriprep", "cifti")
	path := filepath.Join(dir, bold)
	rois := parcels(t, path, filepath.Join(dir, labels), 24)
	rois.Draws, rois.Choose = 2, func(_, n int) [][]int32 { return [][]int32{{0}, {0, 0, 1}} }
	rois.Sample = []int32{700, 3}
	open := func() (*File, error) { return openFile(t, path), nil }
	m := need.Value(Means(open, rois))(t)
	f := openFile(t, path)
	defer f.Close()
	var series [][]float64
	row := make([]float64, f.Columns.N)
	for f.Next(row) == nil {
		series = append(series, slices.Clone(row))
	}
	if len(m.Mean) != len(series) {
		t.Fatalf("means of %d grayordinates over time, want %d", len(m.Mean), len(series))
	}
	for at, row := range series {
		sum, used := 0.0, 0.0
		for v := 0; v < len(row); v += 4 {
			sum, used = sum+row[v], used+1
		}
		if want := sum / used; m.Mean[at] != want {
			t.Fatalf("mean of grayordinate %d over time: %v, want %v", at, m.Mean[at], want)
		}
	}
	for i, got := range m.Sample {
		if want := series[rois.Sample[i%2]][i/2]; got != want {
			t.Fatalf("sample of grayordinate %d, volume %d: %v, want %v", rois.Sample[i%2], i/2, got, want)
		}
	}
	if len(m.Sample) != 2*m.Volumes {
		t.Fatalf("%d sampled values of %d volumes", len(m.Sample), m.Volumes)
	}
	for i, list := range rois.Voxels {
		for v := range m.Volumes {
			a, b := series[list[0]][v], series[list[1]][v]
			if got := m.Series[(m.Volumes+v)*24+i]; got != a {
				t.Fatalf("draw 1, parcel %d: %v, want %v", i, got, a)
			}
			if got, want := m.Series[(2*m.Volumes+v)*24+i], (2*a+b)/3; math.Abs(got-want) > 1e-9 {
				t.Fatalf("draw 2, parcel %d: %v, want %v", i, got, want)
			}
		}
	}
}

// Grayordinates are matched by structure, vertex and voxel, in whatever order.
func TestMatch(t *testing.T) {
	grid := nifti.Grid{Shape: [3]int{4, 4, 4}, Affine: nifti.Identity, Oriented: true}
	left := Model{Structure: "CIFTI_STRUCTURE_CORTEX_LEFT", Surface: 9, Vertices: []int32{1, 4, 8}}
	a := &Models{N: 5, Grid: grid, List: []Model{left, {Structure: "CIFTI_STRUCTURE_BRAIN_STEM", From: 3,
		Voxels: [][3]int32{{0, 1, 2}, {3, 0, 0}}}}}
	b := &Models{N: 4, Grid: grid, List: []Model{
		{Structure: "CIFTI_STRUCTURE_BRAIN_STEM", Voxels: [][3]int32{{3, 0, 0}, {0, 1, 2}}},
		{Structure: "CIFTI_STRUCTURE_CORTEX_LEFT", From: 2, Surface: 9, Vertices: []int32{8, 1}}}}
	got, err := a.Match(b)
	if want := []int32{3, -1, 2, 1, 0}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v, error %v", got, want, err)
	}
	if a.Same(b) || !a.Same(a) {
		t.Error("Same")
	}
	dense := *a
	dense.List = []Model{{Structure: left.Structure, Surface: 10, Vertices: left.Vertices}}
	moved := *a
	moved.Grid.Affine[0][3] = 1
	other := &Models{N: 1, List: []Model{{Structure: "CIFTI_STRUCTURE_OTHER", Surface: 3, Vertices: []int32{0}}}}
	for want, m := range map[string]*Models{"different density": &dense, "the voxels are on": &moved, "no structure in common": other} {
		if _, err := a.Match(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// What is written as maps of grayordinates reads as the same; Workbench takes it.
func TestWriteDense(t *testing.T) {
	dir := need.Shared(t, "fixtures", "fmriprep", "cifti")
	f := openFile(t, filepath.Join(dir, bold))
	defer f.Close()
	values, want := make([]float64, f.Rows.N), make([]int32, f.Rows.N)
	for i := range values {
		values[i] = float64(i % 25)
		want[i] = int32(i % 25)
	}
	var b bytes.Buffer
	path := filepath.Join(t.TempDir(), "x.dscalar.nii")
	need.NoError(t, f.Rows.Models.WriteDense(&b, []string{"old", "new"}, [][]float64{values, values}))
	need.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	two := openFile(t, path)
	defer two.Close()
	_, err := two.Labels()
	need.Error(t, err, "it has 2 maps (old, new), and which one has the labels is unknown: write a file with one map (wb_command")
	b.Reset()
	need.NoError(t, f.Rows.Models.WriteDense(&b, []string{"a"}, [][]float64{values}))
	need.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	back := openFile(t, path)
	defer back.Close()
	got, err := back.Labels()
	if err != nil || !slices.Equal(got, want) || !back.Rows.Models.Same(f.Rows.Models) {
		t.Errorf("error %v, %d values", err, len(got))
	}
	tool := need.Program(t, "connectome-workbench", "wb_command")
	if said, err := exec.Command(tool, "-file-information", path).CombinedOutput(); err != nil ||
		!strings.Contains(string(said), "CortexLeft") {
		t.Errorf("%v: %s", err, said)
	}
}

// What the XML claims and cannot be: each is one change of a file that is read.
func TestReadRefuses(t *testing.T) {
	grid := nifti.Grid{Shape: [3]int{2, 2, 2}, Affine: nifti.Affine{{500, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0},
		{0, 0, 0, 1}}, Oriented: true}
	m := &Models{N: 5, Grid: grid, List: []Model{
		{Structure: "CIFTI_STRUCTURE_CORTEX_LEFT", Surface: 5, Vertices: []int32{1, 4}},
		{Structure: "CIFTI_STRUCTURE_BRAIN_STEM", From: 2, Voxels: [][3]int32{{0, 1, 1}, {1, 1, 1}}},
		{Structure: "CIFTI_STRUCTURE_THALAMUS_LEFT", From: 4, Voxels: [][3]int32{{0, 0, 1}}}}}
	var b bytes.Buffer
	need.NoError(t, m.WriteDense(&b, []string{"x"}, [][]float64{{1, 2, 3, 4, 5}}))
	read := func(data []byte) error {
		r, err := nifti.NewReader(bytes.NewReader(data), "f")
		if err == nil {
			_, err = Read(r, "f")
		}
		return err
	}
	need.NoError(t, read(b.Bytes()))
	for _, c := range []struct{ old, changed, want string }{
		{`Dimension="1"`, `Dimension="0"`, "describes dimension 0 twice"},
		{">1 4<", ">4 4<", "the vertex 4 appears twice"},
		{"1 1 1\n", "0 1 1\n", "the voxel [0 1 1] appears twice, first in CIFTI_STRUCTURE_BRAIN_STEM"},
		{">0 0 1\n", ">0 1 1\n", "the voxel [0 1 1] appears twice, first in CIFTI_STRUCTURE_BRAIN_STEM"},
		{"500", "nan", "the transform of Volume"},
		{"500", "inf", "the transform of Volume"},
		{"500", "0.0", "the transform of Volume"},
	} {
		data := bytes.Replace(b.Bytes(), []byte(c.old), []byte(c.changed), 1)
		if err := read(data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.changed, err, c.want)
		}
	}
}

// No file makes the reader panic or take memory that it does not show to be worth.
func FuzzRead(f *testing.F) {
	grid := nifti.Grid{Shape: [3]int{2, 2, 2}, Affine: nifti.Identity, Oriented: true}
	m := &Models{N: 3, Grid: grid, List: []Model{{Structure: "CIFTI_STRUCTURE_CORTEX_LEFT", Surface: 5,
		Vertices: []int32{1, 4}}, {Structure: "CIFTI_STRUCTURE_BRAIN_STEM", From: 2, Voxels: [][3]int32{{0, 1, 1}}}}}
	var b bytes.Buffer
	need.NoError(f, m.WriteDense(&b, []string{"x"}, [][]float64{{1, 2, 3}}))
	f.Add(b.Bytes())
	b.Reset()
	need.NoError(f, small(f).WriteSeries(&b, []float64{1, 2, 3, 4, 5, 6}, 2))
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, _, _ = ReadParcels(bytes.NewReader(data))
		r, err := nifti.NewReader(bytes.NewReader(data), "f")
		if err != nil {
			return
		}
		file, err := Read(r, "f")
		if err != nil || file.Columns.N > 1<<20 {
			return
		}
		row := make([]float64, file.Columns.N)
		for err == nil {
			err = file.Next(row)
		}
		if err == io.EOF && file.Rows.Models != nil {
			_ = file.Rows.Models.Same(file.Rows.Models)
		}
	})
}

// The centroid of a label is the mean of its voxels' centers; a label with vertices has none.
func TestCentroids(t *testing.T) {
	m := &Models{N: 6, Grid: nifti.Grid{Shape: [3]int{9, 9, 9}, Affine: nifti.Affine{{-2, 0, 0, 90}, {0, 2, 0, -126},
		{0, 0, 2, -72}, {0, 0, 0, 1}}}, List: []Model{
		{Surface: 5, Vertices: []int32{1, 4}}, {From: 2, Voxels: [][3]int32{{1, 2, 3}, {2, 2, 3}}},
		{From: 4, Voxels: [][3]int32{{6, 5, 3}, {0, 0, 0}}},
	}}
	got := m.Centroids([]int32{7, 8, 9, 9, 9, 7})
	if want := (map[int32]nifti.Point{9: {-2*3 + 90, 2*3 - 126, 2*3 - 72}}); !maps.Equal(got, want) {
		t.Errorf("centroids %v, want %v", got, want)
	}
}
