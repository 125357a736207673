package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/connectivity/damage"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var matricesKind = dag.Kind{
	Name: "matrices",
	Doc: "correlation and partial correlation from files of other programs\n" +
		"Reads npy (regions × regions, or draws in front), npz, TSV, CSV and plain text, gzipped or not, edge lists, triangles, and MATLAB's .mat. Columns with names are put in the order of the node list. The diagonal may be 1, 0 or n/a; a row of n/a is a missing region; a row of 0 off the diagonal is a region without a signal, and a warning. Matrices that are not symmetric are refused. If there is no partial correlation, partial sets how it is computed from the correlation.",
	New: func() dag.Stage { return &Matrices{Partial: "given", Rho: 0.1, FisherZ: "none"} },
}

var _ role.Measurer = (*Matrices)(nil)

// Matrices reads files of matrices.
type Matrices struct {
	Partial         string  `param:"partial" doc:"source of the partial correlation: its file; or the correlation, by the inverse of r + ρI (ridge, as in FSLNets) or of r (empirical, which needs volumes)" choices:"given|ridge|empirical"`
	Rho             float64 `param:"rho" doc:"ρ of partial: ridge" min:"0"`
	Volumes         float64 `param:"volumes" doc:"number of independent volumes behind the matrices, without denoising as many as the volumes; 0 if unknown. The degrees of freedom are one less, for the mean. If set, the partial correlation is checked as in connectivity" min:"0"`
	FisherZ         string  `param:"fisher_z" doc:"files that hold Fisher's z, which is transformed back to correlation" choices:"none|pearson|partial|both"`
	PearsonVariable string  `param:"pearson_variable" doc:"name of the correlation matrix in a .mat file; by default the only square matrix"`
	PartialVariable string  `param:"partial_variable" doc:"name of the partial correlation in a .mat file; by default the only square matrix"`
}

// Measures are what its matrices hold: correlations, which Fisher's z was transformed back to.
func (s *Matrices) Measures(output string, _ func(string) column.Data) column.Data {
	switch {
	case output == "pearson":
		return column.Data{Measure: column.Pearson}
	case output == "partial" && s.Partial == "given":
		return column.Data{Measure: column.Partial}
	case output == "partial":
		return column.Data{Measure: column.Partial, Estimator: s.Partial}
	}
	return column.Data{}
}

func (s *Matrices) Ports() dag.Ports {
	matrix := func(name, doc string) dag.Port {
		return dag.Port{Name: name, Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: doc}
	}
	in := []dag.Port{{Name: "pearson", Type: dag.Format("matrix"), Doc: "the participant's correlation"}}
	if s.Partial == "given" {
		in = append(in, dag.Port{Name: "partial", Type: dag.Format("matrix"), Doc: "its partial correlation (not needed with partial: ridge or empirical)"})
	}
	return dag.Ports{
		In: append(in, region.LayoutPort(), dag.Port{Name: "nodes", Type: column.Type[region.Node](),
			Doc: "the node list"}),
		Out: []dag.Port{
			matrix("pearson", "correlation, 1 on the diagonal"),
			matrix("partial", "partial correlation, 1 on the diagonal"),
			{Name: "quality", Type: column.Type[matrixRow](), Doc: "quality of the matrices, in the columns of connectivity's quality"},
		},
	}
}

func (s *Matrices) Validate() []error {
	var errs []error
	if s.Partial == "empirical" && s.Volumes == 0 {
		errs = append(errs, errors.New("partial is empirical, but volumes is not set: an inverse cannot be checked without the number of volumes; set volumes, or use partial: ridge"))
	}
	if s.Partial == "ridge" && s.Rho == 0 {
		errs = append(errs, errors.New("partial is ridge, but rho is 0: set rho, or use partial: empirical with volumes"))
	}
	if s.Partial != "given" && (s.FisherZ == "partial" || s.FisherZ == "both") {
		errs = append(errs, fmt.Errorf("fisher_z is %s, but no file of partial correlations is read (partial: %s): set fisher_z to none or pearson", s.FisherZ, s.Partial))
	}
	return errs
}

// freedom is the degrees of freedom behind the matrices; 0 if unknown.
func (s *Matrices) freedom() float64 { return max(s.Volumes-1, 0) }

func (s *Matrices) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	nodes, err := t.In("nodes").Table()
	if err != nil {
		return nil, err
	}
	var forms []column.MatrixForm
	var doubtful []string // files read as Fisher's z whose diagonal is that of correlations
	read := func(port, variable string) ([]connectivity.Matrix, []connectivity.Quality, error) {
		z := s.FisherZ == port || s.FisherZ == "both"
		layout, err := region.LayoutOf(t, port)
		if err != nil {
			return nil, nil, err
		}
		if variable != "" {
			layout.Variable = variable
		}
		draws, quality, form, err := s.read(t.In(port), nodes, layout, z && !layout.FisherZ)
		form.Port = port
		if layout.FisherZ {
			form.FisherZ = layout.Program
		}
		if port != "pearson" { // a valid partial correlation may have any
			form.Spectrum = column.Spectrum{}
		}
		forms = append(forms, form)
		if form.Diagonal == "1" && z && !layout.FisherZ { // its z are correlations by now
			doubtful = append(doubtful, port)
		}
		return draws, quality, err
	}
	pearson, quality, err := read("pearson", s.PearsonVariable)
	if err != nil {
		return nil, err
	}
	var partial []connectivity.Matrix
	noPartial := false
	if s.Partial == "given" {
		if partial, _, err = read("partial", s.PartialVariable); err != nil {
			return nil, err
		}
		if len(partial) != len(pearson) {
			return nil, fmt.Errorf("%s has %d draws, but %s has %d", t.In("partial").Name, len(partial), t.In("pearson").Name, len(pearson))
		}
		if noPartial, err = checkPartial(t, pearson, partial); err != nil {
			return nil, err
		}
	} else {
		for d, r := range pearson {
			p, q, err := connectivity.PartialOf(r, connectivity.Estimator(s.Partial), s.Rho, s.freedom())
			if err != nil {
				err = fmt.Errorf("%s: draw %d: %w", t.In("pearson").Name, d, err)
				if errors.As(err, new(connectivity.UnitError)) {
					err = column.UnitError{Err: err}
				}
				return nil, err
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
	meta := column.MadeBy("matrices", s, "", "pearson_variable", "partial_variable")
	meta[column.FormsKey] = column.JSON(forms)
	return dag.Outputs{"pearson": region.Stack(pearson), "partial": region.Stack(partial),
		"quality": column.WithMeta(connectivityQuality(quality, func(q *connectivity.Quality) finding.List {
			all := matrixWarnings(q)
			if doubtful != nil {
				all.Add(finding.Warning("matrices.ones-in-z", map[string]any{"Of": doubtful}))
			}
			if noPartial {
				all.Add(finding.Warning("matrices.no-partial", nil))
			}
			return all
		}), meta)}, nil
}

// checkPartial refuses files of which one was given for both matrices, or each for the other. doubtful reports whether
// no set of series has the partial correlations of a draw.
func checkPartial(t *dag.Task, pearson, partial []connectivity.Matrix) (doubtful bool, err error) {
	a, b := t.In("pearson").Name, t.In("partial").Name
	for d := range pearson {
		switch connectivity.CheckPartial(pearson[d], partial[d]) {
		case connectivity.EqualMatrix:
			return false, fmt.Errorf("%s: draw %d: the correlation and the partial correlation (%s) are one matrix: supply both, or remove partial from the cohort and compute it from the correlation (partial: ridge)",
				a, d, b)
		case connectivity.Exchanged:
			return false, fmt.Errorf("%s: draw %d: this is the partial correlation of %s, and not the reverse: exchange pearson and partial",
				a, d, b)
		case connectivity.NoPartial:
			doubtful = true
		}
	}
	return doubtful, nil
}

// matrixWarnings adds the regions whose correlations are all 0: a file does not state whether they have no signal or
// lost their weak correlations to a threshold.
func matrixWarnings(q *connectivity.Quality) finding.List {
	all := weaknesses(q)
	if q.Constant > 0 {
		all.Add(finding.Warning("matrices.zero-regions",
			map[string]any{"Zero": q.Constant, "Regions": q.Regions}))
	}
	return all
}

// read reads one file: a matrix a draw, in the order of the nodes, and the form of draw 0.
func (s *Matrices) read(in dag.Input, nodes *encoding.Table, layout region.Layout, z bool) (
	_ []connectivity.Matrix, _ []connectivity.Quality, form column.MatrixForm, _ error) {
	r, err := region.Reader(in)
	if err != nil {
		return nil, nil, form, err
	}
	defer r.Close()
	layout.Nodes = nodes
	c, err := region.ReadSquares(r, layout)
	if err == nil && c.FisherZ && !z {
		err = column.UnitError{Err: errors.New("the heading of its values states Fisher's z: set fisher_z of this stage, or change the heading to r if these are correlations")}
	}
	if err == nil && c.Sparse && s.Partial != "given" {
		err = fmt.Errorf("a sparse matrix lacks its weak correlations, and no partial correlation can be computed from it (partial: %s): supply the full correlation matrix", s.Partial)
	}
	if err == nil {
		err = layout.AddAbsent(c, nodes)
	}
	if err != nil {
		return nil, nil, form, fmt.Errorf("%s: %w", in.Name, err)
	}
	draws := c.Draws
	n := draws[0].Cols
	place, err := region.PlaceColumns(c.Names, n, nodes)
	if err != nil {
		return nil, nil, form, fmt.Errorf("%s: %w", in.Name, err)
	}
	quality := make([]connectivity.Quality, len(draws))
	y := connectivity.NewMatrix(n, n)
	form.Diagonal, form.Negative, form.Repeated = connectivity.Form(draws[0])
	if c.Filled {
		form.Diagonal = ""
	}
	for d, x := range draws {
		for i, pi := range place {
			for j, pj := range place {
				y.Row(pi)[pj] = x.At(i, j)
			}
		}
		nan := math.NaN()
		q := connectivity.Quality{Regions: n, TEff: s.freedom(), Shrinkage: nan, PearsonShrinkage: nan,
			Condition: nan, PartialSE: nan}
		var given connectivity.Matrix
		if given, q.Missing, q.Constant, err = connectivity.Given(y, z); err != nil {
			err = fmt.Errorf("%s: draw %d: %w", in.Name, d, err)
			if errors.As(err, new(connectivity.UnitError)) {
				err = column.UnitError{Err: err}
			}
			return nil, nil, form, err
		}
		if d == 0 {
			form.Spectrum = column.Spectrum(damage.SpectrumOf(given))
		}
		copy(x.Data, given.Data)
		quality[d] = q
	}
	return draws, quality, form, nil
}
