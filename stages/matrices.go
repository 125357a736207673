package stages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/mat5"
)

func init() {
	Register(dag.Kind{
		Name: "matrices",
		Doc: "correlation and partial correlation from files that others made\n" +
			"Reads npy (regions × regions, or draws in front), TSV, CSV and plain text, gzipped or not, and MATLAB's .mat (version 5, -v6 or -v7). Columns with names are put in the order of the node list. The diagonal may be 1, 0 or n/a; a row of n/a is a missing region. Matrices that are not symmetric are refused. Where there is no partial correlation, partial says how it follows from the correlation.",
		New: func() dag.Stage { return &Matrices{Partial: "given", Rho: 0.1, FisherZ: "none"} },
	})
}

// Matrices reads files of matrices.
type Matrices struct {
	Partial         string  `param:"partial" doc:"where the partial correlation comes from: its file; or the correlation, by the inverse of r + ρI (ridge, as FSLNets has it) or of r itself (empirical, which needs volumes)" choices:"given|ridge|empirical"`
	Rho             float64 `param:"rho" doc:"ρ of partial: ridge" min:"0"`
	Volumes         float64 `param:"volumes" doc:"how many independent volumes stand behind the matrices; 0 when that is not known. With it the partial correlation is judged as in connectivity" min:"0"`
	FisherZ         string  `param:"fisher_z" doc:"files that hold Fisher's z, which is turned back into correlation" choices:"none|pearson|partial|both"`
	PearsonVariable string  `param:"pearson_variable" doc:"name of the correlation matrix in a .mat file; the only square one when empty"`
	PartialVariable string  `param:"partial_variable" doc:"name of the partial correlation in a .mat file; the only square one when empty"`
}

// Ports are the stage's inputs and outputs.
func (s *Matrices) Ports() dag.Ports {
	matrix := func(name, doc string) dag.Port {
		return dag.Port{Name: name, Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: doc}
	}
	in := []dag.Port{{Name: "pearson", Type: dag.Format("matrix"), Doc: "the participant's correlation"}}
	if s.Partial == "given" {
		in = append(in, dag.Port{Name: "partial", Type: dag.Format("matrix"), Doc: "its partial correlation (with partial: ridge or empirical it follows from the correlation)"})
	}
	return dag.Ports{
		In: append(in, dag.Port{Name: "nodes", Type: dag.Arrow("index", "id", "name"), Doc: "the node list"}),
		Out: []dag.Port{
			matrix("pearson", "correlation, 1 on the diagonal"),
			matrix("partial", "partial correlation, 1 on the diagonal"),
			{Name: "quality", Type: dag.Arrow("draw", "volumes", "regions", "missing", "constant", "t_eff", "shrinkage", "pearson_shrinkage", "condition", "partial_se", "saturated", "warning"), Doc: "what is known of the matrices, in the columns of connectivity's"},
		},
	}
}

// Validate checks parameters against each other.
func (s *Matrices) Validate() []error {
	var errs []error
	if s.Partial == "empirical" && s.Volumes == 0 {
		errs = append(errs, errors.New("partial is empirical, and volumes is not given: an inverse cannot be judged without the number of volumes behind it; set volumes, or use ridge"))
	}
	if s.Partial == "ridge" && s.Rho == 0 {
		errs = append(errs, errors.New("partial is ridge, and rho is 0, which is no ridge: set rho, or use empirical"))
	}
	if s.Partial != "given" && (s.FisherZ == "partial" || s.FisherZ == "both") {
		errs = append(errs, fmt.Errorf("fisher_z is %s, and no file of partial correlations is read (partial: %s): set fisher_z to none or pearson", s.FisherZ, s.Partial))
	}
	return errs
}

// Run reads.
func (s *Matrices) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	nodes, err := t.In("nodes").Table()
	if err != nil {
		return nil, err
	}
	pearson, quality, err := s.read(t.In("pearson"), nodes, s.PearsonVariable, s.FisherZ == "pearson" || s.FisherZ == "both")
	if err != nil {
		return nil, err
	}
	var partial []connectivity.Matrix
	if s.Partial == "given" {
		if partial, _, err = s.read(t.In("partial"), nodes, s.PartialVariable, s.FisherZ == "partial" || s.FisherZ == "both"); err != nil {
			return nil, err
		}
		if len(partial) != len(pearson) {
			return nil, fmt.Errorf("%s has %d draws and %s has %d", t.In("partial").Name, len(partial), t.In("pearson").Name, len(pearson))
		}
	} else {
		for d, r := range pearson {
			p, q, err := connectivity.PartialOf(r, connectivity.Estimator(s.Partial), s.Rho, s.Volumes)
			if err != nil {
				return nil, fmt.Errorf("%s: draw %d: %w", t.In("pearson").Name, d, err)
			}
			q.Missing, q.Constant = quality[d].Missing, quality[d].Constant
			partial, quality[d] = append(partial, p), q
		}
	}
	for d := range quality {
		q := &quality[d]
		q.Volumes = int(s.Volumes)
		if s.Volumes == 0 {
			q.TEff = math.NaN()
		}
	}
	return dag.Outputs{"pearson": stack(pearson), "partial": stack(partial), "quality": withMeta(connectivityQuality(quality), madeBy("matrices", s, "", "pearson_variable", "partial_variable"))}, nil
}

// read reads one file: a matrix a draw, in the order of the nodes.
func (s *Matrices) read(in dag.Input, nodes *artifacts.Table, variable string, z bool) ([]connectivity.Matrix, []connectivity.Quality, error) {
	r, err := in.Reader()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	names, draws, err := readSquares(r, variable)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	n := draws[0].Cols
	place, err := placeColumns(names, n, nodes)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	quality := make([]connectivity.Quality, len(draws))
	for d, x := range draws {
		y := connectivity.NewMatrix(n, n)
		for i, pi := range place {
			for j, pj := range place {
				y.Row(pi)[pj] = x.At(i, j)
			}
		}
		nan := math.NaN()
		q := connectivity.Quality{Regions: n, TEff: s.Volumes, Shrinkage: nan, PearsonShrinkage: nan, Condition: nan, PartialSE: nan}
		if draws[d], q.Missing, q.Constant, err = connectivity.Given(y, z); err != nil {
			return nil, nil, fmt.Errorf("%s: draw %d: %w", in.Name, d, err)
		}
		quality[d] = q
	}
	return draws, quality, nil
}

// readSquares reads the matrices of a file, and the names of its columns (nil when it
// has none). What the file is, its first bytes tell.
func readSquares(r io.Reader, variable string) (names []string, draws []connectivity.Matrix, err error) {
	br, err := connectivity.Decompress(r)
	if err != nil {
		return nil, nil, err
	}
	first, _ := br.Peek(mat5.HeaderSize)
	switch {
	case bytes.HasPrefix(first, []byte(npyMagic)):
		a, err := artifacts.ReadArray(br)
		if err != nil {
			return nil, nil, err
		}
		draws, err = squares(a.Shape, a.Float64s())
		return nil, draws, err
	case mat5.Is(first):
		all, err := mat5.Read(br)
		if err != nil {
			return nil, nil, err
		}
		return matSquares(all, variable)
	}
	names, x, err := connectivity.ReadRelmat(br)
	return names, []connectivity.Matrix{x}, err
}

// squares cuts an array [roi, roi] or [draw, roi, roi] into matrices.
func squares(shape []int, v []float64) ([]connectivity.Matrix, error) {
	r := len(shape)
	if r != 2 && r != 3 || shape[r-1] != shape[r-2] || len(v) == 0 {
		return nil, fmt.Errorf("an array of shape %v, want regions × regions, or draws in front", shape)
	}
	n := shape[r-1]
	var draws []connectivity.Matrix
	for ; len(v) > 0; v = v[n*n:] {
		draws = append(draws, connectivity.Matrix{Rows: n, Cols: n, Data: v[:n*n]})
	}
	return draws, nil
}

// matSquares finds the matrix of a .mat file; draws lie along a third dimension. A cell
// of as many texts as there are regions names them.
func matSquares(all []mat5.Variable, variable string) ([]string, []connectivity.Matrix, error) {
	var has, fits []string
	var found mat5.Variable
	for _, v := range all {
		has = append(has, fmt.Sprintf("%s (%s %s)", v.Name, strings.Trim(strings.ReplaceAll(fmt.Sprint(v.Shape), " ", "×"), "[]"), v.Class))
		if v.Name == variable || variable == "" && matSquare(v) {
			fits, found = append(fits, v.Name), v
		}
	}
	switch {
	case len(fits) > 1:
		return nil, nil, fmt.Errorf("several variables could be the matrix: %s; name one (pearson_variable, partial_variable)", strings.Join(fits, ", "))
	case len(fits) == 0 && variable != "":
		return nil, nil, fmt.Errorf("there is no variable %q; it has %s", variable, strings.Join(has, ", "))
	case len(fits) == 0:
		return nil, nil, fmt.Errorf("no variable is a square matrix; it has %s", strings.Join(has, ", "))
	case found.Problem != nil:
		return nil, nil, fmt.Errorf("variable %s: %w", found.Name, found.Problem)
	case !matSquare(found):
		return nil, nil, fmt.Errorf("variable %s is %v, want regions × regions, or draws along a third dimension", found.Name, found.Shape)
	}
	n := found.Shape[0]
	var draws []connectivity.Matrix
	for v := found.Numbers; len(v) > 0; v = v[n*n:] {
		one := mat5.Variable{Shape: []int{n, n}, Numbers: v[:n*n]}
		draws = append(draws, connectivity.Matrix{Rows: n, Cols: n, Data: one.Rows()})
	}
	return matNames(all, n), draws, nil
}

// matSquare tells whether a variable can be matrices of regions by regions.
func matSquare(v mat5.Variable) bool {
	return len(v.Numbers) > 0 && (len(v.Shape) == 2 || len(v.Shape) == 3) && v.Shape[0] == v.Shape[1] && v.Shape[0] > 1
}

// matNames are the n names of the regions, when one variable alone can be them.
func matNames(all []mat5.Variable, n int) (names []string) {
	for _, v := range all {
		if v.Class == "cell" && len(v.Texts) == n {
			if names != nil {
				return nil
			}
			names = v.Texts
		}
	}
	return names
}

// matrixNames are the names of the regions of a file, numbers from 1 when it has none.
func matrixNames(r io.Reader) ([]string, error) {
	br, err := connectivity.Decompress(r)
	if err != nil {
		return nil, err
	}
	var names []string
	n := 0
	if first, _ := br.Peek(mat5.HeaderSize); !mat5.Is(first) {
		var draws []connectivity.Matrix
		if names, draws, err = readSquares(br, ""); err == nil {
			n = draws[0].Cols
		}
	} else if all, damaged := mat5.Read(br); damaged != nil {
		err = damaged
	} else { // several matrices of one size will do
		_, _, err = matSquares(all, "")
		for _, v := range all {
			if matSquare(v) && (n == 0 || n == v.Shape[0]) {
				n, err = v.Shape[0], nil
			} else if matSquare(v) {
				return nil, errors.New("its matrices are of several sizes")
			}
		}
		names = matNames(all, n)
	}
	if err != nil {
		return nil, err
	}
	if names == nil || counted(names) {
		names = nil
		for i := range n {
			names = append(names, strconv.Itoa(i+1))
		}
	}
	return names, nil
}
