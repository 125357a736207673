package region

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/connectivity"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// Three lines of three numbers are a matrix or an edge list: by their numbers, or else they are refused.
func TestThreeRegionsWithoutNames(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want float64 // between the first and the last region
		err  string
	}{
		"1":            {"1 .5 .2\n.5 1 .3\n.2 .3 1\n", .2, ""},
		"0":            {"0 .5 .2\n.5 0 .3\n.2 .3 0\n", .2, ""},
		"n/a":          {"n/a .5 .2\n.5 n/a .3\n.2 .3 n/a\n", .2, ""},
		"edges":        {"1 2 .5\n1 3 .2\n2 3 .3\n", .2, ""},
		"named edges":  {"a b .5\na c .2\nb c .3\n", .2, ""},
		"zeros":        {"0 0 0\n0 0 0\n0 0 0\n", 0, "three lines of three numbers may be the matrix of three regions, or an edge list"},
		"a path":       {"0 1 0\n1 0 1\n0 1 0\n", 0, "for the matrix the names of the regions, for the edge list i j r"},
		"a wrong edge": {"1 2 .5\n1 3 .2\n2 3 x\n", 0, `line 3: "x" is no number`},
		"named":        {"A\tB\tC\n0\t0\t1\n0\t0\t0\n1\t0\t0\n", 1, ""},
		"headed":       {"i j r\n0 1 1\n0 2 .5\n1 2 1\n", .5, ""},
	} {
		c1, err := ReadSquares(strings.NewReader(c.text), Layout{})
		if c.err != "" {
			need.Error(t, err, c.err, name)
			continue
		}
		need.NoError(t, err, name)
		need.Equal(t, c1.Draws[0].At(0, 2), c.want, name)
	}
	// What the program writes itself is read as it was, whatever the numbers.
	for _, z := range []bool{false, true} {
		for _, v := range []float64{.5, 0, 1, math.NaN()} {
			x := connectivity.NewMatrix(3, 3)
			for i := range x.Data {
				x.Data[i] = v
			}
			wrote := &Contents{Draws: []connectivity.Matrix{x}, FisherZ: z, Filled: v == .5}
			read := need.Value(ReadSquares(bytes.NewReader(wrote.Text()), Layout{}))(t)
			need.Equal(t, read.FisherZ, z)
			need.Equal(t, math.Float64bits(read.Draws[0].At(0, 1)) == math.Float64bits(v) || math.IsNaN(v), true, v)
		}
	}
}

// Series of several participants that are stored regions × volumes are found, and those stored volumes × regions never
// are: noise, autocorrelated or not, with or without networks of neighboring regions, short scans, many regions, and
// the scans of ABIDE, also prewhitened.
func TestTurnedSeries(t *testing.T) {
	t.Parallel()
	made := func(volumes, regions int, phi, network float64) (all []connectivity.Matrix) {
		for k := range 20 {
			draw := random.New(uint64(k), "series")
			x := connectivity.NewMatrix(volumes, regions)
			shared, noise := make([]float64, regions/4+1), make([]float64, regions)
			for i := range volumes {
				for j := range shared {
					shared[j] = phi*shared[j] + draw.Normal()
				}
				for j := range regions {
					noise[j] = phi*noise[j] + draw.Normal()
					x.Row(i)[j] = noise[j] + network*shared[j/4] + 100*float64(j%3)
				}
			}
			all = append(all, x)
		}
		return all
	}
	both := func(what string, all []connectivity.Matrix, found bool) {
		if why := Turned(all); why != "" {
			t.Errorf("%s: volumes × regions are refused: %s", what, why)
		}
		if why := Turned(lists.Map(all, transposed)); (why != "") != found {
			t.Errorf("%s: regions × volumes: %t, want %t: %s", what, why != "", found, why)
		}
	}
	for what, c := range map[string]struct {
		volumes, regions int
		phi, network     float64
		found            bool
	}{
		"white":             {120, 20, 0, 0, false},
		"white, short":      {20, 120, 0, 0, false},
		"white, networks":   {148, 100, 0, 1, false},
		"many regions":      {148, 400, 0.4, 1, true},
		"as usual":          {120, 20, 0.4, 0.7, true},
		"independent":       {120, 20, 0.4, 0, true},
		"independent, long": {60, 200, 0.4, 0, false},
		"few regions":       {120, 6, 0.5, 1, true},
		"short":             {30, 60, 0.4, 0.7, true},
	} {
		both(what, made(c.volumes, c.regions, c.phi, c.network), c.found)
	}
	for _, pattern := range []string{"abide_pcp/cpac/nofilt_noglobal", "abide_nyu/nyu_original_1D"} {
		paths := need.Value(filepath.Glob(filepath.Join(need.Shared(t, "data"), pattern, "*_ho.1D.gz")))(t)
		var all, short, white []connectivity.Matrix
		for i := range 20 {
			f := need.Value(os.Open(paths[i*len(paths)/20]))(t)
			x := need.Value(ReadSeries(f, Layout{}))(t).Draws[0]
			f.Close()
			all, short = append(all, x), append(short, connectivity.Matrix{Rows: 30, Cols: x.Cols,
				Data: x.Data[:30*x.Cols]})
			y := connectivity.NewMatrix(x.Rows-1, x.Cols)
			for k := range y.Data {
				y.Data[k] = x.Data[k+x.Cols] - 0.4*x.Data[k]
			}
			white = append(white, y)
		}
		both(pattern, all, true)
		both(pattern+", short", short, true)
		if why := Turned(white); why != "" {
			t.Errorf("%s, prewhitened: %s", pattern, why)
		}
	}
}
