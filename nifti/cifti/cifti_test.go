package cifti

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/nifti"
)

// Three regions of a small image, given in another order than their labels.
func small(t testing.TB) *Parcels {
	t.Helper()
	l := &nifti.Labels{Grid: nifti.Grid{Shape: [3]int{3, 2, 2}, Affine: nifti.Affine{{-2, 0, 0, 4}, {0, 2, 0, -6},
		{0, 0, 2.5, 1}, {0, 0, 0, 1}}, Oriented: true},
		Voxels: []int32{0, 5, 5, 7, 0, 0, 0, 7, 0, 9, 9, 3}}
	p := need.Value(FromLabels(l, []int32{7, 5, 9}, []string{"L.TH", `a<b & "c"`, "Rücken"}))(t)
	return p
}

func TestFromLabels(t *testing.T) {
	p := small(t)
	want := [][][3]int{{{0, 1, 0}, {1, 0, 1}}, {{1, 0, 0}, {2, 0, 0}}, {{0, 1, 1}, {1, 1, 1}}}
	for i := range want {
		if !slices.Equal(p.Voxels[i], want[i]) {
			t.Errorf("parcel %d has %v, want %v", i, p.Voxels[i], want[i])
		}
	}
	l := &nifti.Labels{Grid: nifti.Grid{Shape: [3]int{1, 1, 1}}, Voxels: []int32{1}}
	if _, err := FromLabels(l, []int32{1, 2}, []string{"a", "b"}); err == nil ||
		!strings.Contains(err.Error(), "no voxel of b (2)") {
		t.Errorf("error %v", err)
	}
	if _, err := FromLabels(l, []int32{1}, []string{""}); err == nil {
		t.Error("a parcel without a name was taken")
	}
}

// Every voxel of a ball is within the radius and nearest to its own point; every voxel
// within the radius of some point belongs to a ball.
func TestBalls(t *testing.T) {
	points := [][3]float64{{-10, -19.1, 6.3}, {-7, -19, 6}, {30, 40, 50}, {9.9, 9.9, 9.9}}
	p := need.Value(Balls(points, 4, []string{"a", "b", "c", "d"}))(t)
	d2 := func(v [3]int, at [3]float64) float64 {
		x, y, z := p.Grid.Affine.Apply(float64(v[0]), float64(v[1]), float64(v[2]))
		return (x-at[0])*(x-at[0]) + (y-at[1])*(y-at[1]) + (z-at[2])*(z-at[2])
	}
	of := map[[3]int]int{}
	for n, voxels := range p.Voxels {
		if len(voxels) == 0 {
			t.Errorf("parcel %d is empty", n)
		}
		for _, v := range voxels {
			if _, twice := of[v]; twice {
				t.Errorf("voxel %v belongs to two parcels", v)
			}
			of[v] = n
		}
	}
	for k := range 91 {
		for j := range 109 {
			for i := range 91 {
				v := [3]int{i, j, k}
				nearest, least := -1, 16.0
				for n, at := range points {
					if d := d2(v, at); d <= 16 && d < least || d == 16 && nearest < 0 {
						nearest, least = n, d
					}
				}
				if n, ok := of[v]; nearest >= 0 != ok || ok && n != nearest {
					t.Fatalf("voxel %v belongs to %d (%v), want %d", v, n, ok, nearest)
				}
			}
		}
	}
	for want, at := range map[string][][3]float64{"outside": {{0, 0, 500}}, "same 2 mm voxel": {{1, 1, 1}, {0.8, 1, 1}},
		"used twice": {{0, 0, 0}, {9, 9, 9}}} {
		if _, err := Balls(at, 2, []string{"a", "a"}[:len(at)]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", at, err, want)
		}
	}
}

// write makes one file of each kind.
func write(t *testing.T, p *Parcels) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, f := range map[string]func(*bytes.Buffer) error{
		"x.pconn.nii": func(b *bytes.Buffer) error {
			return p.WriteConn(b,
				[]float64{1, .5, -.25, .5, 1, .125, -.25, .125, 1})
		},
		"x.ptseries.nii": func(b *bytes.Buffer) error {
			return p.WriteSeries(b, []float64{1, 2, 3, 4, 5, 7, -1, 0, 1, 8, 6, 4}, 1.5)
		},
		"x.pscalar.nii": func(b *bytes.Buffer) error {
			return p.WriteScalars(b, []string{"saliency", "a<b"}, [][]float64{{.1, .2, .3}, {1, 2, math.NaN()}})
		},
	} {
		var b, again bytes.Buffer
		need.NoError(t, f(&b))
		if f(&again); !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Errorf("%s: other bytes the second time", name)
		}
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666))
	}
	return dir
}

func TestNibabelReads(t *testing.T) {
	python := need.Python(t, "nibabel")
	out, err := exec.Command(python, "-c", `
import sys, json, nibabel as nb, numpy as np
got = {}
for k in "pconn", "ptseries", "pscalar":
    i = nb.load(f"{sys.argv[1]}/x.{k}.nii")
    a, p = i.header.get_axis(0), i.header.get_axis(1)
    d = np.nan_to_num(i.get_fdata(), nan=-99)
    got[k] = dict(shape=d.shape, sum=float(d.sum()), first=d[0].tolist(), names=p.name.tolist(), voxels=[v.tolist() for v in p.voxels], affine=p.affine.tolist(),
                  intent=int(i.nifti_header["intent_code"]), axis=str(getattr(a, "step", "")) + str(getattr(a, "name", [""])[0]))
print(json.dumps(got))`, write(t, small(t))).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	type file struct {
		Shape  []int
		Sum    float64
		First  []float64
		Names  []string
		Voxels [][][3]int
		Affine [][]float64
		Intent int
		Axis   string
	}
	var got map[string]file
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := small(t)
	for kind, want := range map[string]file{
		"pconn":    {Shape: []int{3, 3}, Sum: 3.75, First: []float64{1, .5, -.25}, Intent: 3003, Axis: "L.TH"},
		"ptseries": {Shape: []int{4, 3}, Sum: 40, First: []float64{1, 2, 3}, Intent: 3004, Axis: "1.5"},
		"pscalar": {Shape: []int{2, 3}, Sum: 3 + .6 - 99, First: []float64{.1, .2, .3}, Intent: 3008,
			Axis: "saliency"},
	} {
		g := got[kind]
		if !slices.Equal(g.Shape, want.Shape) || math.Abs(g.Sum-want.Sum) > 1e-5 || g.Intent != want.Intent ||
			g.Axis != want.Axis || !slices.Equal(g.Names, p.Names) {
			t.Errorf("%s: nibabel reads %+v", kind, g)
		}
		for i, v := range want.First {
			if math.Abs(g.First[i]-v) > 1e-6 {
				t.Errorf("%s: row 0 is %v, want %v", kind, g.First, want.First)
			}
		}
		if fmt.Sprint(g.Voxels) != fmt.Sprint(p.Voxels) || fmt.Sprint(g.Affine) != fmt.Sprint(p.Grid.Affine) {
			t.Errorf("%s: voxels %v, affine %v", kind, g.Voxels, g.Affine)
		}
	}
}

// Workbench opens the files, gives the numbers back, and works with them.
func TestWorkbenchReads(t *testing.T) {
	wb := need.Program(t, "connectome-workbench", "wb_command")
	dir := write(t, small(t))
	command := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(wb, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("wb_command %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for file, wants := range map[string][]string{
		"x.pconn.nii":    {"CIFTI - Parcel", "Parcel 2:             a<b", "Number of Rows:           3", "Number of Columns:        3"},
		"x.ptseries.nii": {"Parcel Series", "Number of Columns:        4", "Second"},
		"x.pscalar.nii":  {"Parcel Scalar", "Number of Maps:           2", "saliency"},
	} {
		got := command("-file-information", file)
		for _, want := range wants {
			if !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
				t.Errorf("%s: Workbench does not say %q:\n%s", file, want, got)
			}
		}
	}
	command("-cifti-convert", "-to-text", "x.pconn.nii", "conn.txt")
	b, err := os.ReadFile(filepath.Join(dir, "conn.txt"))
	need.NoError(t, err)
	need.Equal(t, strings.Join(strings.Fields(string(b)), " "), "1 0.5 -0.25 0.5 1 0.125 -0.25 0.125 1",
		"the matrix of Workbench is")
	// Its own correlation of our series: columns 1 and 2 of the series by the definition.
	command("-cifti-correlation", "x.ptseries.nii", "r.pconn.nii")
	command("-cifti-convert", "-to-text", "r.pconn.nii", "r.txt")
	if b, err = os.ReadFile(filepath.Join(dir, "r.txt")); err != nil {
		t.Fatal(err)
	}
	x, y := []float64{1, 4, -1, 8}, []float64{2, 5, 0, 6}
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx, sy, sxx, syy, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], syy+y[i]*y[i], sxy+x[i]*y[i]
	}
	want := (sxy - sx*sy/4) / math.Sqrt((sxx-sx*sx/4)*(syy-sy*sy/4))
	var got float64
	if fmt.Sscan(strings.Fields(string(b))[1], &got); math.Abs(got-want) > 1e-4 {
		t.Errorf("Workbench correlates our series to %v, want %v", got, want)
	}
}

func TestWriteRefuses(t *testing.T) {
	p := small(t)
	for name, err := range map[string]error{
		"conn":    p.WriteConn(&bytes.Buffer{}, make([]float64, 8)),
		"tr":      p.WriteSeries(&bytes.Buffer{}, make([]float64, 9), 0),
		"series":  p.WriteSeries(&bytes.Buffer{}, make([]float64, 10), 2),
		"scalars": p.WriteScalars(&bytes.Buffer{}, []string{"a"}, [][]float64{{1, 2}}),
		"none":    p.WriteScalars(&bytes.Buffer{}, nil, nil),
	} {
		if err == nil {
			t.Errorf("%s was written", name)
		}
	}
}
