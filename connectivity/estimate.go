package connectivity

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
)

// Options say what Estimate estimates.
type Options struct {
	Pearson Estimator // of the correlation; "" is Empirical
	Partial Estimator // of the partial correlation; "" is LedoitWolf
	// Raw takes the series as they are. Shrinkage depends on their scale then: a
	// region with a large variance is shrunk less than one with a small.
	Raw   bool
	Rho   float64 // of Ridge
	Alpha float64 // of Glasso
	// Tolerance is the dual gap at which the graphical lasso ends; 0 is 1e-6.
	Tolerance float64
	FisherZ   Fisher
	// TEff is the degrees of freedom of the series (CleanQuality); 0 takes the number
	// of volumes less one.
	TEff float64
	// Band and Nuisance say whether a filter, and regressors, took some of the others: what can be done about it.
	Band, Nuisance bool
	// Both asks for the covariance of the partial estimator and its inverse, too.
	Both    bool
	Workers int // draws at a time; 0 is one
}

// Fisher says which matrices are given as Fisher's z.
type Fisher string

// Which matrices: neither, one, both.
const (
	FisherNone    Fisher = "none"
	FisherPearson Fisher = "pearson"
	FisherPartial Fisher = "partial"
	FisherBoth    Fisher = "both"
)

// Quality says how far the matrices of one draw can be trusted.
type Quality struct {
	Volumes, Regions  int
	Missing, Constant int     // regions without a signal
	TEff              float64 // degrees of freedom
	// Shrinkage used by the estimator of the partial correlation (δ, ρ or α), and by
	// that of the correlation; NaN for the empirical one.
	Shrinkage, PearsonShrinkage float64
	// Condition is ‖A‖₁·‖A⁻¹‖₁ of the covariance A of the partial estimator.
	Condition float64
	// PartialSE is the standard error of the Fisher z of an empirical partial
	// correlation that is truly 0, 1/√(T_eff−(N−2)−3) with N the regions that have a
	// signal (Fisher 1924, Metron 3:329); NaN when T_eff does not reach.
	PartialSE float64
	Saturated int       // pairs whose Fisher z was bounded
	Weakness  *Weakness // nil when all is well
}

// A Weakness is why partial correlations say little.
type Weakness struct {
	Kind      string // Undetermined, Poor or Noisy
	Regions   int    // with a signal
	Volumes   int    // 0 for a matrix that was given
	TEff, SE  float64
	Estimator Estimator
	// what left fewer degrees of freedom: a filter, and regressors
	Band, Nuisance bool
	Others         string // estimators to use instead
	Turned         bool   // more regions than volumes: a file of series may have the volumes in columns
}

// Why partial correlations say little.
const (
	Undetermined = "undetermined" // T_eff is below the number of regions: the data alone do not determine them
	Poor         = "poor"         // it is not much above
	Noisy        = "noisy"        // it is below twice that number, and they are not regularized
)

// Connectomes are the matrices of the draws of one run.
type Connectomes struct {
	Draws, N         int
	Pearson, Partial []float64 // draw × N × N, symmetric
	// Covariance and Precision, when asked for, of the (scaled) series.
	Covariance, Precision []float64
	Quality               []Quality // by draw
}

// Estimate estimates the connectivity of each draw (each T×N).
func Estimate(draws []Matrix, o Options) (*Connectomes, error) {
	if len(draws) == 0 {
		return nil, errors.New("no time series")
	}
	n := draws[0].Cols
	size := len(draws) * n * n
	c := &Connectomes{Draws: len(draws), N: n, Quality: make([]Quality, len(draws)),
		Pearson: make([]float64, size), Partial: make([]float64, size)}
	if o.Both {
		c.Covariance, c.Precision = make([]float64, size), make([]float64, size)
	}
	errs := make([]error, len(draws))
	dense.EachWith(o.Workers, len(draws), func() func(int) {
		var w estimation
		return func(d int) {
			if err := w.estimate(c, d, draws[d], o); err != nil {
				errs[d] = fmt.Errorf("draw %d: %w", d, err)
			}
		}
	})
	if err := cmp.Or(errs...); err != nil { // draws fail alike; the first tells it
		return nil, err
	}
	return c, nil
}

// view is the matrix of one draw.
func (c *Connectomes) view(all []float64, d int) Matrix {
	size := c.N * c.N
	return Matrix{Rows: c.N, Cols: c.N, Data: all[d*size : (d+1)*size]}
}

// An estimation is the work space for one draw after another.
type estimation struct {
	moments
	cov, inv []float64 // m×m
	solver   *dense.Cholesky
}

func (w *estimation) estimate(c *Connectomes, d int, x Matrix, o Options) error {
	if x.Cols != c.N {
		return fmt.Errorf("it has %d regions, but draw 0 has %d", x.Cols, c.N)
	}
	partial := o.Partial
	if partial == "" {
		partial = LedoitWolf
	}
	q := &c.Quality[d]
	q.Volumes, q.Regions, q.TEff = x.Rows, x.Cols, o.TEff
	if q.TEff == 0 {
		q.TEff = float64(x.Rows - 1)
	}
	place, err := w.loadPresent(x, q, o.Raw)
	if err != nil {
		return err
	}
	if err := q.judge(len(place), partial, "ledoit-wolf or ridge", o); err != nil {
		return err
	}
	if len(w.cov) != len(w.s) {
		w.cov, w.inv, w.solver = make([]float64, len(w.s)), make([]float64, len(w.s)), dense.NewCholesky(w.n)
	}
	w.solver.N = w.n

	pearson := o.Pearson
	if pearson == "" {
		pearson = Empirical
	}
	cov := w.s
	q.PearsonShrinkage = math.NaN()
	switch pearson {
	case Empirical:
	case LedoitWolf, OAS:
		if q.PearsonShrinkage, err = w.covariance(w.cov, w.inv, pearson, o); err != nil {
			return err
		}
		cov = w.cov
	default:
		return fmt.Errorf("unknown correlation estimator %q: choose empirical, ledoit-wolf or oas", pearson)
	}
	correlations(c.view(c.Pearson, d), place, cov, w.m)

	if q.Shrinkage, err = w.covariance(w.cov, w.inv, partial, o); err != nil {
		return err
	}
	from, to := w.cov, w.inv
	if partial == Glasso || partial == GlassoCV { // which estimates the precision
		from, to = to, from
	}
	if !w.solver.Factor(from) {
		return fmt.Errorf("the %s covariance of %d regions over %d volumes is singular: two regions may be identical, or there are too few volumes; %s", partial, w.n, x.Rows, unlikeSingular(partial))
	}
	w.solver.Invert(to)
	q.Condition = norm1(w.cov, w.n, w.m) * norm1(w.inv, w.n, w.m)
	partials(c.view(c.Partial, d), place, w.inv, w.m)
	if o.Both {
		spread(c.view(c.Covariance, d), place, w.cov, w.m)
		spread(c.view(c.Precision, d), place, w.inv, w.m)
	}
	if o.FisherZ == FisherPearson || o.FisherZ == FisherBoth {
		q.Saturated += FisherZ(c.view(c.Pearson, d))
	}
	if o.FisherZ == FisherPartial || o.FisherZ == FisherBoth {
		q.Saturated += FisherZ(c.view(c.Partial, d))
	}
	return nil
}

// unlikeSingular says what to do where the covariance of an estimator is singular.
func unlikeSingular(e Estimator) string {
	switch e {
	case Ridge:
		return "use a larger rho"
	case Glasso:
		return "use a larger alpha"
	case Empirical:
		return "use ledoit-wolf or ridge"
	}
	return fmt.Sprintf("%s regularizes too little here: use ridge, or leave out one of identical regions", e)
}

// loadPresent loads the regions that have a signal, and returns their places. Nearly always all have one, and looking
// takes as long as loading.
func (w *estimation) loadPresent(x Matrix, q *Quality, raw bool) ([]int, error) {
	if place := lists.UpTo(x.Cols); x.Rows >= 3 && x.Cols >= 2 && w.load(x, place, raw) {
		return place, nil
	}
	status, err := Inspect(x)
	if err != nil {
		return nil, err
	}
	place := present(status)
	q.Missing, q.Constant = count(status)
	if len(place) < 2 || x.Rows < 3 {
		hint := ""
		if x.Rows > 2 && q.Missing > 1 {
			hint = ": the labels may not overlap the brain"
		}
		return nil, fmt.Errorf("too few volumes or regions for connectivity: %s, %s with a signal (%d missing, %d constant)%s",
			words.Count(x.Rows, "volume"), words.Count(len(place), "region"), q.Missing, q.Constant, hint)
	}
	w.load(x, place, raw)
	return place, nil
}

// Between T_eff = N and N+margin the empirical inverse exists, and is noise.
const margin = 10

// judge compares T_eff with the number of regions: it refuses an empirical inverse
// that would be noise, and warns of one that would be weak. Its advice is what o leaves to be done, and
// the other estimators.
func (q *Quality) judge(n int, partial Estimator, others string, o Options) error {
	q.PartialSE = math.NaN()
	if df := q.TEff - float64(n-2) - 2; df > 0 {
		q.PartialSE = 1 / math.Sqrt(df)
	}
	remedy := "use partial: " + others
	switch {
	case o.Band && o.Nuisance:
		remedy += "; a wider band or fewer regressors leave more degrees of freedom"
	case o.Band:
		remedy += "; a wider band leaves more degrees of freedom"
	case o.Nuisance:
		remedy += "; fewer regressors leave more degrees of freedom"
	}
	weak := func(kind string) {
		q.Weakness = &Weakness{kind, n, q.Volumes, q.TEff, q.PartialSE, partial, o.Band, o.Nuisance, others,
			q.Volumes > 0 && n > q.Volumes}
	}
	turned, has := "", fmt.Sprintf("these time series have %.4g (of %d volumes)", q.TEff, q.Volumes)
	if q.Volumes == 0 { // a matrix that was given
		has = fmt.Sprintf("there are %.4g", q.TEff)
	} else if n > q.Volumes {
		turned = fmt.Sprintf(". There are more regions than volumes (%d): if the series come from files of series, check that each row is a volume", q.Volumes)
	}
	switch {
	case partial == Empirical && q.TEff < float64(n+margin):
		return fmt.Errorf("the empirical partial correlation of %d regions needs at least %d degrees of freedom, but %s: the estimate would be mostly noise; %s%s",
			n, n+margin, has, remedy, turned)
	case q.TEff < float64(n):
		weak(Undetermined)
	case q.TEff < float64(n+margin):
		weak(Poor)
	case partial == Empirical && q.TEff < float64(2*n):
		weak(Noisy)
	}
	return nil
}

// norm1 is the largest column sum of absolute values of the first n rows; beyond n
// they are 0.
func norm1(a []float64, n, m int) float64 {
	largest := 0.0
	for i := range n { // symmetric: rows for columns
		largest = max(largest, dense.SumMagnitudes(a[i*m:][:m]))
	}
	return largest
}
