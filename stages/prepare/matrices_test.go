package prepare

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/mat5"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

// given wraps the bytes of a file of matrices.
func given(b []byte) dag.Input { return stagetest.Named("m", artifacts.Bytes{Kind: "matrix", Data: b}) }

func npy(t *testing.T, v []float64, shape ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, encoding.NewArray(v, shape...).Encode(&b))
	return b.Bytes()
}

// The same matrix in every format, named in another order than the nodes.
func TestMatricesFormats(t *testing.T) {
	s := stagetest.NewStage[*Matrices](t, "matrices")
	s.Partial = "ridge"
	three := []float64{1, .5, -.25, .5, 1, 0.125, -.25, .125, 1} // c, a, b as they stand
	want := []float64{1, .125, .5, .125, 1, -.25, .5, -.25, 1}   // a, b, c
	nodes := dag.InputOf(stagetest.NodesOf("a", "b", "c"))
	tsv := "Node\tc\ta\tb\nc\t1\t.5\t-.25\na\t.5\t1\t.125\nb\t-.25\t.125\t1\n"
	for name, c := range map[string]struct {
		file    []byte
		ordered bool
	}{
		"npy": {npy(t, three, 3, 3), false},
		"tsv": {[]byte(tsv), true},
		"csv": {[]byte(strings.ReplaceAll(tsv, "\t", ",")), true},
		"mat": {stagetest.Mat(t, mat5.Matrix("R", three, 3, 3), mat5.Matrix("age", []float64{7}, 1, 1)),
			false},
		"mat with names": {stagetest.Mat(t, mat5.Matrix("R", three, 3, 3), mat5.Texts("roi", []string{"c", "a", "b"})),
			true},
		"draws": {npy(t, three, 1, 3, 3), false},
	} {
		out, err := stagetest.RunWith(s, map[string]dag.Input{"pearson": given(c.file), "nodes": nodes})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, w := out["pearson"].(*encoding.Array), three
		if c.ordered {
			w = want
		}
		if !slices.Equal(got.Shape, []int{1, 3, 3}) || !slices.Equal(got.Float64s(), w) {
			t.Errorf("%s: %v %v, want %v", name, got.Shape, got.Float64s(), w)
		}
	}
}

// Values under the heading z are Fisher's z: they are read as that, without a doubt about a diagonal that the file does
// not have, or refused.
func TestEdgesOfFisherZ(t *testing.T) {
	s := stagetest.NewStage[*Matrices](t, "matrices")
	s.Partial = "ridge"
	in := map[string]dag.Input{"pearson": given([]byte("i\tj\tz\na\tb\t0.5\na\tc\t-0.25\nb\tc\t0.125\n")),
		"nodes": dag.InputOf(stagetest.NodesOf("a", "b", "c"))}
	_, err := stagetest.RunWith(s, in)
	need.Error(t, err, "the heading of its values states Fisher's z: set fisher_z of this stage")
	s.FisherZ = "pearson"
	out, err := stagetest.RunWith(s, in)
	need.NoError(t, err)
	need.Equal(t, out["pearson"].(*encoding.Array).Float64s()[1], exact.Tanh(0.5))
	rows := need.Value(column.Rows[matrixRow](out["quality"].(*encoding.Table)))(t)
	need.Equal(t, rows[0].Warning, "")
}

// A file of two draws in MATLAB has them along the third dimension.
func TestMatricesDrawsOfMat(t *testing.T) {
	s := stagetest.NewStage[*Matrices](t, "matrices")
	a, b := []float64{1, .5, .5, 1}, []float64{1, -.5, -.5, 1}
	cube := mat5.Variable{Name: "R", Shape: []int{2, 2, 2}, Numbers: slices.Concat(a, b)}
	file := given(stagetest.Mat(t, cube, mat5.Matrix("P", slices.Concat(b, a), 2, 2, 2)))
	s.PearsonVariable, s.PartialVariable = "R", "P"
	if _, err := stagetest.RunWith(s, map[string]dag.Input{"pearson": file, "partial": file,
		"nodes": dag.InputOf(stagetest.NodesOf("a", "b"))}); err == nil {
		t.Error("a variable of 2×2×2 whose slices are not symmetric was read")
	}
	file = given(stagetest.Mat(t, cube, mat5.Variable{Name: "P", Shape: []int{2, 2, 2}, Numbers: slices.Concat(b, a)}))
	out, err := stagetest.RunWith(s, map[string]dag.Input{"pearson": file, "partial": file,
		"nodes": dag.InputOf(stagetest.NodesOf("a", "b"))})
	need.NoError(t, err)
	if got := out["pearson"].(*encoding.Array); !slices.Equal(got.Shape, []int{2, 2, 2}) ||
		!slices.Equal(got.Float64s(), slices.Concat(a, b)) {
		t.Errorf("pearson %v %v", got.Shape, got.Float64s())
	}
	if got := out["partial"].(*encoding.Array); !slices.Equal(got.Float64s(), slices.Concat(b, a)) {
		t.Errorf("partial %v", got.Float64s())
	}
}

// What connectivity gave comes back, and from the empirical correlation follow the same
// partial correlation and the same graph.
func TestMatricesAreThoseOfConnectivity(t *testing.T) {
	c := stagetest.NewStage[*Connectivity](t, "connectivity")
	c.Partial = "empirical"
	made, err := stagetest.RunWith(c, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(2, 120, 20))})
	need.NoError(t, err)
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprint("r", i))
	}
	s := stagetest.NewStage[*Matrices](t, "matrices")
	s.Partial, s.Volumes = "empirical", 120
	pearson := made["pearson"].(*encoding.Array)
	out, err := stagetest.RunWith(s, map[string]dag.Input{"pearson": given(npy(t, pearson.Float64s(),
		pearson.Shape...)), "nodes": dag.InputOf(stagetest.NodesOf(names...))})
	need.NoError(t, err)
	if !slices.Equal(out["pearson"].(*encoding.Array).Float64s(), pearson.Float64s()) {
		t.Error("the correlation has changed")
	}
	want := made["partial"].(*encoding.Array).Float64s()
	for i, v := range out["partial"].(*encoding.Array).Float64s() {
		if math.Abs(v-want[i]) > 1e-10 {
			t.Fatalf("entry %d of the partial correlation is %v, want %v", i, v, want[i])
		}
	}
	for _, column := range []string{"t_eff", "partial_se", "volumes", "regions"} {
		if got, want := stagetest.FloatsOf(t, out["quality"], column), stagetest.FloatsOf(t, made["quality"],
			column); !slices.Equal(got, want) {
			t.Errorf("%s is %v, of the series %v", column, got, want)
		}
	}
}

func TestMatricesRefuses(t *testing.T) {
	half := []float64{1, .5, .5, 1}
	moved := []float64{1, 0, 0, 4, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
	for _, c := range []struct {
		name, want string
		file       []byte
		change     func(*Matrices)
	}{
		{"not square", "expected regions × regions", npy(t, half, 1, 4), nil},
		{"two variables", "several variables could be the matrix: a (2×2 double), b (2×2 double); name one", stagetest.Mat(t, mat5.Matrix("a", half, 2, 2), mat5.Matrix("b", half, 2, 2)), nil},
		{"no such variable", `there is no variable "c"; it has a (2×2 double)`,
			stagetest.Mat(t, mat5.Matrix("a", half, 2, 2)), func(s *Matrices) { s.PearsonVariable = "c" }},
		{"no matrix", "no variable is a square matrix (or a triangle of one, if order is set); it has a (1×4 double)", stagetest.Mat(t, mat5.Matrix("a", half, 1, 4)), nil},
		{"of other regions", "the columns do not match the node list", []byte("a\tx\n1\t.5\n.5\t1\n"), nil},
		{"other size", "3 columns without names for 2 nodes", npy(t, make([]float64, 9), 3, 3), nil},
		{"Fisher's z", "if these are Fisher's z, set fisher_z", npy(t, []float64{0, 1.5, 1.5, 0}, 2, 2), nil},
		{"Fisher's z, infinite", "if the files hold Fisher's z, set fisher_z", npy(t, []float64{math.Inf(1), .5, .5, math.Inf(1)}, 2, 2), nil},
		{"covariance", "covariance and precision matrices are refused", npy(t, []float64{2, .5, .5, 1}, 2, 2), nil},
		{"−1 on the diagonal", "set it to 1 in all files", npy(t, []float64{-1, .5, .5, -1}, 2, 2), nil},
		{"distance", "covariances and distances are refused", npy(t, []float64{0, 1.2, 1.2, 0}, 2, 2), nil},
		{"an affine transform, npy", "it is a spatial transform of FSL or SPM", npy(t, moved, 4, 4), nil},
		{"an affine transform, mat", "it is a spatial transform of FSL or SPM",
			stagetest.Mat(t, mat5.Matrix("M", moved, 4, 4)), nil},
		{"an affine transform of FSL", "it is a spatial transform of FSL or SPM",
			[]byte("1 0 0 4\n0 1 0 0\n0 0 1 0\n0 0 0 1\n"), nil},
		{"too few volumes", "needs at least 12 degrees of freedom", npy(t, half, 2, 2), func(s *Matrices) { s.Partial, s.Volumes = "empirical", 11 }},
	} {
		s := stagetest.NewStage[*Matrices](t, "matrices")
		s.Partial = "ridge"
		if c.change != nil {
			c.change(s)
		}
		_, err := stagetest.RunWith(s, map[string]dag.Input{"pearson": given(c.file),
			"nodes": dag.InputOf(stagetest.NodesOf("a", "b"))})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "m: ") {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		need.Equal(t, errors.As(err, new(column.UnitError)), strings.Contains(c.want, "Fisher's z") ||
			strings.Contains(c.want, "covariance"), c.name)
	}
	s := stagetest.NewStage[*Matrices](t, "matrices")
	s.Partial = "empirical"
	if errs := s.Validate(); len(errs) != 1 || !strings.Contains(errs[0].Error(), "set volumes, or use partial: ridge") {
		t.Errorf("empirical without volumes: %v", errs)
	}
}

// Files with 1 on the diagonal that are read as Fisher's z are a warning: z of 1 is infinite.
func TestMatricesOnesInZ(t *testing.T) {
	for _, c := range []struct {
		z        string
		diagonal float64
		want     string
	}{{"pearson", 1, "matrices.ones-in-z"}, {"pearson", 0, ""}, {"pearson", math.Inf(1), ""}, {"none", 1, ""}} {
		s := stagetest.NewStage[*Matrices](t, "matrices")
		s.Partial, s.FisherZ = "ridge", c.z
		out := need.Value(stagetest.RunWith(s, map[string]dag.Input{"pearson": given(npy(t,
			[]float64{c.diagonal, .5, .5, c.diagonal}, 2, 2)), "nodes": dag.InputOf(stagetest.NodesOf("a", "b"))}))(t)
		code := ""
		rows := need.Value(column.Rows[matrixRow](out["quality"].(*encoding.Table)))(t)
		for _, f := range finding.Warned(rows[0].Warning) {
			code += f.Code
		}
		need.Equal(t, code, c.want, c.z, c.diagonal)
	}
	// Nor is fisher_z beside the format of a program that writes z: they are transformed back once.
	for _, z := range []string{"none", "pearson"} {
		s := stagetest.NewStage[*Matrices](t, "matrices")
		s.Partial, s.FisherZ = "ridge", z
		layout := region.Layouts{"pearson": {Program: "DPABI", FisherZ: true}}
		out := need.Value(stagetest.RunWith(s, map[string]dag.Input{"pearson": given(npy(t,
			[]float64{math.Inf(1), .5, .5, math.Inf(1)}, 2, 2)), "nodes": dag.InputOf(stagetest.NodesOf("a", "b")),
			"layout": stagetest.Named("layout", artifacts.Bytes{Kind: "json", Data: layout.JSON()})}))(t)
		need.Equal(t, out["pearson"].(*encoding.Array).Float64s()[1], math.Tanh(.5), z)
		table := out["quality"].(*encoding.Table)
		need.Equal(t, len(finding.Warned(need.Value(column.Rows[matrixRow](table))(t)[0].Warning)), 0, z)
		need.Equal(t, need.Value(column.MatrixFormsOf(table.Meta))(t)[0].FisherZ, "DPABI", z)
	}
}

// One matrix as both files is refused, and so are exchanged files. Partial correlations that no series have are a
// warning.
func TestMatricesOfOneFile(t *testing.T) {
	s := stagetest.NewStage[*Connectivity](t, "connectivity")
	s.Partial = "empirical"
	series := dag.InputOf(stagetest.Series(1, 120, 8))
	made := need.Value(stagetest.RunWith(s, map[string]dag.Input{"series": series}))(t)
	r, p := made["pearson"].(*encoding.Array).Float64s(), made["partial"].(*encoding.Array).Float64s()
	nodes := dag.InputOf(stagetest.NodesOf("a", "b", "c", "d", "e", "f", "g", "h"))
	other := slices.Clone(r)
	for i := range 6 { // another sign
		other[i*8+7], other[56+i] = -other[i*8+7], -other[56+i]
	}
	for name, c := range map[string]struct {
		pearson, partial []float64
		err, warning     string
	}{"both": {r, p, "", ""}, "equal": {r, r, "are one matrix", ""},
		"exchanged":     {p, r, "exchange pearson and partial", ""},
		"of other data": {r, other, "", "matrices.no-partial"}} {
		out, err := stagetest.RunWith(stagetest.NewStage[*Matrices](t, "matrices"), map[string]dag.Input{"nodes": nodes,
			"pearson": given(npy(t, c.pearson, 8, 8)), "partial": given(npy(t, c.partial, 8, 8))})
		if c.err != "" {
			need.Error(t, err, c.err, name)
			continue
		}
		need.NoError(t, err)
		code := ""
		rows := need.Value(column.Rows[matrixRow](out["quality"].(*encoding.Table)))(t)
		for _, f := range finding.Warned(rows[0].Warning) {
			code += f.Code
		}
		need.Equal(t, code, c.warning, name)
	}
}

// TestMatricesZeroRegion: a region whose correlations are all 0 is listed as a warning, whatever its diagonal is; a
// missing one is not.
func TestMatricesZeroRegion(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		diagonal, rest float64
		want           int
	}{"thresholded": {1, 0, 1}, "without a signal": {0, 0, 1}, "missing": {nan, nan, 0}, "present": {1, .1, 0}} {
		s := stagetest.NewStage[*Matrices](t, "matrices")
		s.Partial = "ridge"
		d, r := c.diagonal, c.rest
		out, err := stagetest.RunWith(s, map[string]dag.Input{"pearson": given(npy(t,
			[]float64{1, .5, r, .5, 1, r, r, r, d}, 3, 3)), "nodes": dag.InputOf(stagetest.NodesOf("a", "b", "c"))})
		need.NoError(t, err)
		rows, err := column.Rows[matrixRow](out["quality"].(*encoding.Table))
		need.NoError(t, err)
		found := finding.Warned(rows[0].Warning)
		if len(found) != c.want || c.want == 1 && found[0].Code != "matrices.zero-regions" {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// The quality has the form of each file, with the diagonal as it was before it became 1.
func TestMatricesKeepTheirForm(t *testing.T) {
	s := stagetest.NewStage[*Matrices](t, "matrices")
	s.Partial = "ridge"
	out := need.Value(stagetest.RunWith(s, map[string]dag.Input{
		"pearson": given(npy(t, []float64{0, -.5, -.5, 0}, 2, 2)),
		"nodes":   dag.InputOf(stagetest.NodesOf("a", "b"))}))(t)
	forms := need.Value(column.MatrixFormsOf(out["quality"].(*encoding.Table).Meta))(t)
	need.Equal(t, fmt.Sprint(forms), "[{pearson 0 1 0  {0 0 false false false}}]")
	out = need.Value(stagetest.RunWith(s, map[string]dag.Input{
		"pearson": given(npy(t, []float64{1, -.5, -.5, -.5, 1, -.5, -.5, -.5, 1}, 3, 3)),
		"nodes":   dag.InputOf(stagetest.NodesOf("a", "b", "c"))}))(t)
	forms = need.Value(column.MatrixFormsOf(out["quality"].(*encoding.Table).Meta))(t)
	need.Equal(t, fmt.Sprint(forms), "[{pearson 1 1 1  {-0.5 0 true true false}}]")
}
