package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

var connectivityKind = dag.Kind{
	Name: "connectivity",
	Doc: "correlation and partial correlation of the regions, with their quality\n" +
		"Series are z-scored first. Regions without a signal have 0 in their rows and columns and 1 on the diagonal, and take no part in the estimate. The empirical partial correlation is refused when the series are worth fewer than N+10 independent volumes; connect denoise's quality, which counts them.",
	New: func() dag.Stage {
		return &Connectivity{Pearson: "empirical", Partial: "ledoit-wolf", Rho: 0.1, Alpha: 0.1, FisherZ: "none", Standardize: true}
	},
}

// Connectivity estimates matrices.
type Connectivity struct {
	Pearson     string  `param:"pearson" doc:"estimator of the correlation; ledoit-wolf is what nilearn gives" choices:"empirical|ledoit-wolf|oas"`
	Partial     string  `param:"partial" doc:"estimator of the covariance whose inverse gives the partial correlation" choices:"ledoit-wolf|empirical|oas|ridge|glasso|glasso-cv"`
	Rho         float64 `param:"rho" doc:"added to the diagonal by ridge, as FSLNets does" min:"0"`
	Alpha       float64 `param:"alpha" doc:"penalty of glasso; glasso-cv chooses it" min:"0"`
	FisherZ     string  `param:"fisher_z" doc:"matrices given as Fisher's z, with 0 on the diagonal" choices:"none|pearson|partial|both"`
	Standardize bool    `param:"standardize" doc:"z-score the series first; false takes them as they are, as nilearn's partial correlation does, and lets shrinkage depend on their scale"`
	Covariance  bool    `param:"covariance" doc:"also give the covariance and its inverse, the precision, as outputs"`
}

// Ports are the stage's inputs and outputs.
func (s *Connectivity) Ports() dag.Ports {
	matrix := func(name, doc string) dag.Port {
		return dag.Port{Name: name, Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: doc}
	}
	p := dag.Ports{
		In: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "cleaned series"},
			{Name: "quality", Type: dag.Arrow("t_eff"), Optional: true, Doc: "denoise's quality; without it every volume counts as independent"},
		},
		Out: []dag.Port{
			matrix("pearson", "correlation"),
			matrix("partial", "partial correlation"),
			{Name: "quality", Type: dag.Arrow("draw", "volumes", "regions", "missing", "constant", "t_eff", "shrinkage", "pearson_shrinkage", "condition", "partial_se", "saturated", "warning"), Doc: "how far the matrices can be trusted, one row a draw"},
		},
	}
	if s.Covariance {
		p.Out = append(p.Out, matrix("covariance", "covariance by the estimator of the partial correlation"), matrix("precision", "its inverse"))
	}
	return p
}

// Validate checks parameters against each other.
func (s *Connectivity) Validate() []error {
	var errs []error
	if s.Partial == "ridge" && s.Rho == 0 {
		errs = append(errs, errors.New("partial is ridge, and rho is 0, which is no ridge: set rho, or use empirical"))
	}
	if s.Partial == "glasso" && s.Alpha == 0 {
		errs = append(errs, errors.New("partial is glasso, and alpha is 0, which is no penalty: set alpha, or use glasso-cv"))
	}
	return errs
}

// Run estimates.
func (s *Connectivity) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("series")
	draws, err := region.ReadDraws(in, "draw, time, roi")
	if err != nil {
		return nil, err
	}
	o := connectivity.Options{
		Pearson: connectivity.Estimator(s.Pearson), Partial: connectivity.Estimator(s.Partial), Raw: !s.Standardize,
		Rho: s.Rho, Alpha: s.Alpha, FisherZ: connectivity.Fisher(s.FisherZ), Both: s.Covariance, Workers: t.Threads,
	}
	if t.Has("quality") {
		if o.TEff, err = column.OneFloat(t.In("quality"), "t_eff"); err != nil {
			return nil, err
		}
	}
	made, err := column.MadeOf(t, "quality")
	if err != nil {
		return nil, err
	}
	c, err := connectivity.Estimate(draws, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	array := func(v []float64) *encoding.Array { return encoding.NewArray(v, c.Draws, c.N, c.N) }
	out := dag.Outputs{"pearson": array(c.Pearson), "partial": array(c.Partial), "quality": column.WithMeta(connectivityQuality(c.Quality), column.MadeBy("connectivity", s, made, "covariance"))}
	if s.Covariance {
		out["covariance"], out["precision"] = array(c.Covariance), array(c.Precision)
	}
	return out, nil
}

func connectivityQuality(q []connectivity.Quality) *encoding.Table {
	warnings := make([]string, len(q))
	for d := range q {
		warnings[d] = q[d].Warning
	}
	whole := func(name, doc string, of func(connectivity.Quality) int) encoding.Column {
		return wholeColumn(q, name, doc, of)
	}
	number := func(name, doc string, of func(connectivity.Quality) float64) encoding.Column {
		return numberColumn(q, name, doc, of)
	}
	return encoding.NewTable(
		encoding.Column{Name: "draw", Values: region.DrawNumbers(len(q)), Doc: "0 is the plain mean"},
		whole("volumes", "volumes of the cleaned series", func(q connectivity.Quality) int { return q.Volumes }),
		whole("regions", "regions, with and without a signal", func(q connectivity.Quality) int { return q.Regions }),
		whole("missing", "regions without voxels", func(q connectivity.Quality) int { return q.Missing }),
		whole("constant", "regions that do not vary", func(q connectivity.Quality) int { return q.Constant }),
		number("t_eff", "independent volumes", func(q connectivity.Quality) float64 { return q.TEff }),
		number("shrinkage", "of the partial estimator: δ, ρ or α", func(q connectivity.Quality) float64 { return q.Shrinkage }),
		number("pearson_shrinkage", "δ of the correlation's estimator", func(q connectivity.Quality) float64 { return q.PearsonShrinkage }),
		number("condition", "condition number (1-norm) of the covariance that was inverted", func(q connectivity.Quality) float64 { return q.Condition }),
		number("partial_se", "standard error of an empirical partial correlation that is truly 0 (Fisher z)", func(q connectivity.Quality) float64 { return q.PartialSE }),
		whole("saturated", "pairs whose correlation is 1 to rounding; their Fisher z is bounded", func(q connectivity.Quality) int { return q.Saturated }),
		encoding.Column{Name: "warning", Values: warnings, Doc: "what to be careful about; empty when all is well"},
	)
}

// wholeColumn and numberColumn make a column of the quality of each draw; a NaN is a
// missing value.
func wholeColumn[Q any](q []Q, name, doc string, of func(Q) int) encoding.Column {
	v := make([]int32, len(q))
	for i := range q {
		v[i] = int32(of(q[i]))
	}
	return encoding.Column{Name: name, Values: v, Doc: doc}
}

func numberColumn[Q any](q []Q, name, doc string, of func(Q) float64) encoding.Column {
	v, valid := make([]float64, len(q)), make([]bool, len(q))
	for i := range q {
		x := of(q[i])
		v[i], valid[i] = zeroNaN(x), !math.IsNaN(x)
	}
	return encoding.Column{Name: name, Values: v, Valid: valid, Doc: doc}
}
