package nifti

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func mapsFile(name string) string { return filepath.Join("testdata", "nilearn", "maps", name) }

func readMaps(t *testing.T, name string) *Weights {
	t.Helper()
	r := need.Value(Open(mapsFile(name)))(t)
	defer r.Close()
	w := need.Value(ReadWeights(r))(t)
	return w
}

func openScan() (*Reader, error) { return Open(mapsFile("scan.nii.gz")) }

// compareSignals compares series with nilearn's, to 1e-10 of their size.
func compareSignals(t *testing.T, name string, series []float64) {
	t.Helper()
	b := need.Value(os.ReadFile(mapsFile(name)))(t)
	fields := strings.Fields(string(b))
	if len(fields) != 12*5 || len(series) != len(fields) {
		t.Fatalf("%d numbers in %s, %d series", len(fields), name, len(series))
	}
	for i, f := range fields {
		want := need.Value(strconv.ParseFloat(f, 64))(t)
		if !(math.Abs(series[i]-want) <= 1e-10*math.Abs(want)) {
			t.Errorf("%s: volume %d, region %d: %.15g, want %.15g", name, i/5, i%5, series[i], want)
		}
	}
}

// The least squares of nilearn's NiftiMapsMasker, with a brain mask and without, and of maps on
// another grid as its linear interpolation has them.
func TestWeightedMeansNilearn(t *testing.T) {
	scan := need.Value(openScan())(t)
	grid := scan.Header.Grid()
	scan.Close()
	maskFile := need.Value(Open(mapsFile("mask.nii.gz")))(t)
	defer maskFile.Close()
	mask := need.Value(ReadLabels(maskFile))(t)
	masked := readMaps(t, "maps.nii.gz")
	for i, m := range masked.Maps {
		var in WeightMap
		for k, at := range m.Voxels {
			if mask.Voxels[at] != 0 {
				in.Voxels, in.Values = append(in.Voxels, at), append(in.Values, m.Values[k])
			}
		}
		masked.Maps[i] = in
	}
	onto := need.Value(readMaps(t, "coarse.nii.gz").Onto(grid))(t)
	for name, w := range map[string]*Weights{"maps.tsv": readMaps(t, "maps.nii.gz"),
		"masked.tsv": masked, "coarse.tsv": onto} {
		m := need.Value(WeightedMeans(openScan, w, 0, nil, nil))(t)
		compareSignals(t, name, m.Series)
	}
}

// A draw fits the maps to the voxels that it chose: it equals the fit of maps that have only those.
func TestWeightedMeansDraws(t *testing.T) {
	w := readMaps(t, "maps.nii.gz")
	var list []int32
	for i := range int32(150) {
		list = append(list, 2*i)
	}
	m, err := WeightedMeans(openScan, w, 1, func(n int) [][]int32 {
		if n < 300 {
			t.Fatalf("%d voxels", n)
		}
		return [][]int32{list}
	}, []int32{7, 200})
	need.NoError(t, err)
	compareSignals(t, "maps.tsv", m.Series[:60])
	r, err := openScan()
	need.NoError(t, err)
	defer r.Close()
	sum, one := make([]float64, len(m.Mean)), make([]float64, r.Header.Grid().Voxels())
	used := 0.0
	for v := 0; r.Next(one) == nil; v++ {
		if got := m.Sample[2*v:][:2]; got[0] != one[7] || got[1] != one[200] {
			t.Fatalf("sample of volume %d: %v, want %v and %v", v, got, one[7], one[200])
		}
		if v%4 > 0 {
			continue
		}
		used++
		for i := range sum {
			sum[i] += one[i]
		}
	}
	for i, s := range sum {
		if m.Mean[i] != s/used || len(sum) != len(one) {
			t.Fatalf("mean of voxel %d over time: %v, want %v", i, m.Mean[i], s/used)
		}
	}
	chosen := map[int32]bool{}
	all := w.support()
	for _, k := range list {
		chosen[all[k]] = true
	}
	few := &Weights{Grid: w.Grid, Maps: make([]WeightMap, len(w.Maps))}
	for i, one := range w.Maps {
		for k, at := range one.Voxels {
			if chosen[at] {
				few.Maps[i].Voxels, few.Maps[i].Values = append(few.Maps[i].Voxels, at),
					append(few.Maps[i].Values, one.Values[k])
			}
		}
	}
	want, err := WeightedMeans(openScan, few, 0, nil, nil)
	need.NoError(t, err)
	for i, x := range want.Series {
		if m.Series[60+i] != x {
			t.Fatalf("number %d: %v, want %v", i, m.Series[60+i], x)
		}
	}
}

func TestWeightedMeansRefuses(t *testing.T) {
	w := readMaps(t, "maps.nii.gz")
	double := WeightMap{Voxels: w.Maps[0].Voxels}
	for _, x := range w.Maps[0].Values {
		double.Values = append(double.Values, 2*x)
	}
	w.Maps[3] = double
	if _, err := WeightedMeans(openScan, w, 0, nil, nil); !errors.Is(err, ErrDependent) {
		t.Errorf("a map twice: error %v", err)
	}
}

// The largest weights and the share of a map inside of a grid, by hand.
func TestWeightsByHand(t *testing.T) {
	g := Grid{Shape: [3]int{3, 1, 1}, Affine: Identity, Oriented: true}
	w := &Weights{g, []WeightMap{{[]int32{0, 1}, []float64{0.75, 0.5}}, {[]int32{1, 2}, []float64{0.5, 0.25}}}}
	if l := w.Largest().Voxels; l[0] != 1 || l[1] != 1 || l[2] != 2 {
		t.Errorf("largest weights of %v", l)
	}
	half := Grid{Shape: [3]int{2, 1, 1}, Affine: Identity, Oriented: true}
	if s := w.Within(half); s[0] != 1 || math.Abs(s[1]-2.0/3) > 1e-15 {
		t.Errorf("shares %v", s)
	}
}
