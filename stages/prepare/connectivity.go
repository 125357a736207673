package prepare

import (
	"context"
	"errors"
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var connectivityKind = dag.Kind{
	Name: "connectivity",
	Doc: "correlation and partial correlation of the regions, with their quality\n" +
		"Time series are z-scored first. Regions without a signal have 0 in their rows and columns and 1 on the diagonal, and are not part of the estimate. The empirical partial correlation is refused for fewer than N+10 degrees of freedom; connect denoise's quality, which counts them.",
	New: func() dag.Stage {
		return &Connectivity{Pearson: "empirical", Partial: "ledoit-wolf", Rho: 0.1, Alpha: 0.1, FisherZ: "none",
			Standardize: true}
	},
}

var (
	_ role.Drawer   = (*Connectivity)(nil)
	_ role.Measurer = (*Connectivity)(nil)
)

// Connectivity estimates matrices.
type Connectivity struct {
	Pearson     string  `param:"pearson" doc:"estimator of the correlation; ledoit-wolf as in nilearn" choices:"empirical|ledoit-wolf|oas"`
	Partial     string  `param:"partial" doc:"estimator of the covariance whose inverse gives the partial correlation" choices:"ledoit-wolf|empirical|oas|ridge|glasso|glasso-cv"`
	Rho         float64 `param:"rho" doc:"added to the diagonal by ridge, as in FSLNets" min:"0"`
	Alpha       float64 `param:"alpha" doc:"penalty of glasso; glasso-cv chooses it" min:"0"`
	FisherZ     string  `param:"fisher_z" doc:"matrices given as Fisher's z, with 0 on the diagonal" choices:"none|pearson|partial|both"`
	Standardize bool    `param:"standardize" doc:"z-score the time series first; false: use them unscaled, as in nilearn's partial correlation, so that shrinkage depends on their scale"`
	Covariance  bool    `param:"covariance" doc:"also output the covariance and its inverse, the precision"`
}

// DrawsOf is how many draws its arrays have, of an input with so many.
func (*Connectivity) DrawsOf(input int) int { return input }

// Measures are what its matrices hold.
func (s *Connectivity) Measures(output string, of func(string) column.Data) column.Data {
	d := column.Data{Measure: output, Estimator: s.Partial, Series: of("series").Series}
	switch output {
	case "pearson":
		d.Measure, d.Estimator, d.FisherZ = column.Pearson, s.Pearson, s.FisherZ == "pearson" || s.FisherZ == "both"
	case "partial":
		d.Measure, d.FisherZ = column.Partial, s.FisherZ == "partial" || s.FisherZ == "both"
	case "covariance", "precision":
	default:
		return column.Data{}
	}
	return d
}

func (s *Connectivity) Ports() dag.Ports {
	matrix := func(name, doc string) dag.Port {
		return dag.Port{Name: name, Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: doc}
	}
	p := dag.Ports{
		In: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "denoised time series"},
			{Name: "quality", Type: dag.Arrow("t_eff"), Optional: true, Doc: "denoise's quality; without it every volume counts as independent"},
		},
		Out: []dag.Port{
			matrix("pearson", "correlation"),
			matrix("partial", "partial correlation"),
			{Name: "quality", Type: column.Type[matrixRow](), Doc: "quality of the matrices, one row per draw"},
		},
	}
	if s.Covariance {
		p.Out = append(p.Out, matrix("covariance", "covariance by the estimator of the partial correlation"), matrix("precision", "its inverse"))
	}
	return p
}

func (s *Connectivity) Validate() []error {
	var errs []error
	if s.Partial == "ridge" && s.Rho == 0 {
		errs = append(errs, errors.New("partial is ridge, but rho is 0: set rho, or use partial: empirical"))
	}
	if s.Partial == "glasso" && s.Alpha == 0 {
		errs = append(errs, errors.New("partial is glasso, but alpha is 0: set alpha, or use glasso-cv"))
	}
	return errs
}

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
	made := ""
	if t.Has("quality") {
		quality, err := t.In("quality").Table()
		if err != nil {
			return nil, err
		}
		left, err := column.OneOf[leftRow](quality, t.In("quality").Name)
		if err != nil {
			return nil, err
		}
		o.TEff, o.Band, o.Nuisance, made = left.TEff, left.Filter > 0, left.Regressors > 0, quality.Meta["made"]
	}
	c, err := connectivity.Estimate(draws, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	array := func(v []float64) *encoding.Array { return encoding.NewArray(v, c.Draws, c.N, c.N) }
	out := dag.Outputs{"pearson": array(c.Pearson), "partial": array(c.Partial),
		"quality": column.WithMeta(connectivityQuality(c.Quality, weaknesses),
			column.MadeBy("connectivity", s, made, "covariance"))}
	if s.Covariance {
		out["covariance"], out["precision"] = array(c.Covariance), array(c.Precision)
	}
	return out, nil
}

// A leftRow is what the estimators take from the quality of the cleaning.
type leftRow struct {
	TEff       float64 `column:"t_eff"`
	Filter     float64 `column:"filter_loss,optional"`
	Regressors int32   `column:"regressors,optional"`
}

// A matrixRow is the quality of the matrices of one draw.
type matrixRow struct {
	Draw             int32   `column:"draw" doc:"0 is the plain mean"`
	Volumes          int32   `column:"volumes" doc:"volumes of the denoised time series"`
	Regions          int32   `column:"regions" doc:"regions, with and without a signal"`
	Missing          int32   `column:"missing" doc:"regions without voxels"`
	Constant         int32   `column:"constant" doc:"regions that do not vary"`
	TEff             float64 `column:"t_eff,missing" doc:"degrees of freedom: t_eff of the denoising, or volumes − 1"`
	Shrinkage        float64 `column:"shrinkage,missing" doc:"of the partial estimator: δ, ρ or α"`
	PearsonShrinkage float64 `column:"pearson_shrinkage,missing" doc:"δ of the correlation's estimator"`
	Condition        float64 `column:"condition,missing" doc:"condition number (1-norm) of the covariance that was inverted"`
	PartialSE        float64 `column:"partial_se,missing" doc:"standard error of an empirical partial correlation under the null hypothesis (Fisher z)"`
	Saturated        int32   `column:"saturated" doc:"pairs with correlation 1 up to rounding; their Fisher z is bounded"`
	Warning          string  `column:"warning" doc:"what the row warns of, for programs: a JSON list of findings; empty if none"`
}

// weaknesses are the finding about partial correlations that say little.
func weaknesses(q *connectivity.Quality) finding.List {
	w := q.Weakness
	if w == nil {
		return nil
	}
	code := map[string]string{connectivity.Undetermined: "connectivity.undetermined",
		connectivity.Poor: "connectivity.poorly-determined", connectivity.Noisy: "connectivity.noisy"}[w.Kind]
	return finding.List{finding.Warning(code, *w)}
}

func connectivityQuality(quality []connectivity.Quality,
	warnings func(*connectivity.Quality) finding.List) *encoding.Table {
	rows := make([]matrixRow, len(quality))
	for d, q := range quality {
		rows[d] = matrixRow{int32(d), int32(q.Volumes), int32(q.Regions), int32(q.Missing), int32(q.Constant), q.TEff,
			q.Shrinkage, q.PearsonShrinkage, q.Condition, q.PartialSE, int32(q.Saturated),
			finding.Written(warnings(&q))}
	}
	return column.Table(rows)
}
