package connectivity

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/sbinet/npyio"

	"prgnn/internal/need"
)

func readTSV(t *testing.T, path string) ([]string, Matrix) {
	t.Helper()
	f, err := os.Open(path)
	need.NoError(t, err)
	defer f.Close()
	names, x, err := ReadText(f)
	need.NoError(t, err, path)
	return names, x
}

func golden(t *testing.T, name string) Matrix {
	t.Helper()
	_, x := readTSV(t, filepath.Join("testdata", "nilearn", name+".tsv"))
	return x
}

func readNPY(t *testing.T, path string) Matrix {
	t.Helper()
	f := need.Value(os.Open(path))(t)
	defer f.Close()
	r := need.Value(npyio.NewReader(f))(t)
	shape := r.Header.Descr.Shape
	m := Matrix{Rows: shape[0], Cols: shape[1]}
	need.NoError(t, r.Read(&m.Data))
	return m
}

// close fails unless |got − want| ≤ tol everywhere.
func closeTo(t *testing.T, what string, got, want Matrix, tol float64) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%s: %d×%d, want %d×%d", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	worst, at := 0.0, 0
	for i := range want.Data {
		d := math.Abs(got.Data[i] - want.Data[i])
		if !(d <= worst) {
			worst, at = d, i
		}
	}
	if !(worst <= tol) {
		t.Errorf("%s: (%d,%d) is %v, want %v (off by %.3g, allowed %.3g)", what, at/want.Cols, at%want.Cols, got.Data[at], want.Data[at], worst, tol)
	}
}

// Every matrix of the golden set of nilearn 0.12.1 and scikit-learn 1.2.1
// (nifti/testdata/nilearn/gen.py), from the series it was made from.
func TestMatricesOfNilearn(t *testing.T) {
	for _, in := range []string{"raw", "z"} {
		x := golden(t, map[string]string{"raw": "ts_raw", "z": "ts_zscore_sample"}[in])
		for _, e := range []Estimator{LedoitWolf, OAS, Empirical} {
			file := map[Estimator]string{LedoitWolf: "ledoitwolf", OAS: "oas", Empirical: "empirical"}[e]
			// The covariance and what comes of it are of the series as they are;
			// nilearn standardizes for "correlation" alone.
			raw, err := Estimate([]Matrix{x}, Options{Pearson: e, Partial: e, Raw: true, Both: true})
			need.NoError(t, err)
			z, err := Estimate([]Matrix{x}, Options{Pearson: e, Partial: e})
			need.NoError(t, err)
			for _, c := range []struct {
				kind string
				got  Matrix
			}{
				{"pearson", z.view(z.Pearson, 0)},
				{"partial", raw.view(raw.Partial, 0)},
				{"covariance", raw.view(raw.Covariance, 0)},
				{"precision", raw.view(raw.Precision, 0)},
			} {
				name := fmt.Sprintf("%s_%s_%s", c.kind, file, in)
				want := golden(t, name)
				scale := 1.0 // the files hold 12 digits
				for _, v := range want.Data {
					scale = max(scale, math.Abs(v))
				}
				closeTo(t, name, c.got, want, 1e-9*scale)
			}
		}
	}
}

func TestShrinkageOfScikitLearn(t *testing.T) {
	var want struct {
		Raw float64 `json:"lw_shrinkage_raw"`
		Z   float64 `json:"lw_shrinkage_z"`
	}
	b := need.Value(os.ReadFile(filepath.Join("testdata", "nilearn", "golden.json")))(t)
	need.NoError(t, json.Unmarshal(b, &want))
	for _, c := range []struct {
		file string
		want float64
	}{{"ts_raw", want.Raw}, {"ts_zscore_sample", want.Z}} {
		// The z-scores of the file are single precision: as they are.
		got := need.Value(Estimate([]Matrix{golden(t, c.file)}, Options{Raw: true}))(t)
		if s := got.Quality[0].Shrinkage; math.Abs(s-c.want) > 1e-10 {
			t.Errorf("%s: shrinkage %v, scikit-learn %v", c.file, s, c.want)
		}
	}
}

func TestRidgeOfFSLNets(t *testing.T) {
	got, err := Estimate([]Matrix{golden(t, "ts_zscore_sample")}, Options{Partial: Ridge, Rho: 0.1, Raw: true})
	need.NoError(t, err)
	want := golden(t, "ridgep_rho0.1_z")
	for i := range want.Rows {
		want.Data[i*want.Cols+i] = 1 // FSLNets puts 0 there
	}
	closeTo(t, "ridgep", got.view(got.Partial, 0), want, 1e-9)
}

func TestFisherZOfNumpy(t *testing.T) {
	got, err := Estimate([]Matrix{golden(t, "ts_zscore_sample")}, Options{FisherZ: FisherPearson})
	need.NoError(t, err)
	closeTo(t, "fisher z", got.view(got.Pearson, 0), golden(t, "fisherz_pearson_empirical_z"), 1e-9)
}

// Correlations, partial correlations and edges of an independent program.
func TestSeriesToEdges(t *testing.T) {
	for _, c := range []struct {
		name      string
		dir       func(t *testing.T) string
		shrinkage float64
		chosen    map[Share][2]int // edges, repaired
	}{
		{"p20short", func(*testing.T) string { return filepath.Join("testdata", "p20short") }, 0.4830677447440894,
			map[Share][2]int{OfPairs: {20, 1}, OfPositive: {17, 8}}},
		{"p84", func(t *testing.T) string { return need.Shared(t, "fixtures", "prgnn", "preproc", "p84") },
			0.13517991321735348, map[Share][2]int{OfPairs: {348, 0}, OfPositive: {179, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := c.dir(t)
			x := readNPY(t, filepath.Join(dir, "ts.npy"))
			got := need.Value(Estimate([]Matrix{x}, Options{Both: true}))(t)
			closeTo(t, "pearson", got.view(got.Pearson, 0), readNPY(t, filepath.Join(dir, "pearson.npy")), 1e-12)
			closeTo(t, "partial", got.view(got.Partial, 0), readNPY(t, filepath.Join(dir, "pcorr_lw.npy")), 1e-12)
			if s := got.Quality[0].Shrinkage; math.Abs(s-c.shrinkage) > 1e-12 {
				t.Errorf("shrinkage %v, want %v", s, c.shrinkage)
			}
			if path := filepath.Join(dir, "pcorr_emp.npy"); c.name == "p84" {
				emp := need.Value(Estimate([]Matrix{x}, Options{Partial: Empirical}))(t)
				closeTo(t, "empirical partial", emp.view(emp.Partial, 0), readNPY(t, path), 1e-10)
			}
			for of, want := range c.chosen {
				g := need.Value(Build(got.view(got.Partial, 0), Rule{Density: 0.1, Of: of}))(t)
				if q := g.Quality; q.Edges != want[0] || q.Repaired != want[1] {
					t.Errorf("of %s: %d edges, %d repaired, want %v", of, q.Edges, q.Repaired, want)
				}
				e := NewMatrix(x.Cols, x.Cols)
				for _, edge := range g.Edges {
					e.Data[edge.Source*x.Cols+edge.Target] = edge.Weight
					e.Data[edge.Target*x.Cols+edge.Source] = edge.Weight
				}
				file := map[Share]string{OfPairs: "edges_all.npy", OfPositive: "edges_positive.npy"}[of]
				closeTo(t, file, e, readNPY(t, filepath.Join(dir, file)), 1e-12)
			}
		})
	}
}
