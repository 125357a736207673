package region

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"prgnn/connectivity"
	"prgnn/internal/need"
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
