package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

var denoiseKind = dag.Kind{
	Name: "denoise",
	Doc: "series without trend, confounds, and frequencies outside a band\n" +
		"Works on the means of regions, in the order of nilearn's signal.clean: trend, filter (of series and confounds alike), censored volumes, confounds, scale. For least squares, cleaning the means is cleaning the voxels. Its quality tells how many independent volumes are left; the connectivity stage compares that with the number of regions.",
	New: func() dag.Stage {
		return &Denoise{Detrend: 1, TrendOver: "time", Filter: "none", Order: 5, Regress: "none", Components: 5, FirstRow: "next", Standardize: "zscore"}
	},
}

// Denoise cleans series.
type Denoise struct {
	Detrend     int      `param:"detrend" doc:"degree of the polynomial trend that is taken out; -1 takes out none" min:"-1" max:"20"`
	TrendOver   string   `param:"trend_over" doc:"what the trend is a polynomial of, when volumes are censored and there is no Butterworth filter: time, or the number of the kept volume (nilearn)" choices:"time|kept"`
	Filter      string   `param:"filter" doc:"how a band of frequencies is kept: butterworth runs forwards and backwards; cosine regresses cosines out together with the confounds" choices:"none|butterworth|cosine"`
	HighPass    float64  `param:"high_pass" doc:"lower edge of the band; 0 has none" min:"0" unit:"Hz"`
	LowPass     float64  `param:"low_pass" doc:"upper edge of the band; 0 has none" min:"0" unit:"Hz"`
	Order       int      `param:"order" doc:"order of the Butterworth filter" min:"1" max:"12"`
	Regress     string   `param:"regress" doc:"confounds that are regressed out: 6P motion; 24P with derivatives and squares (Friston 1996); 36P with white matter, CSF and global signal (Ciric 2017); acompcor, 12 motion, components and cosines (Behzadi 2007)" choices:"none|6P|24P|36P|acompcor"`
	Components  int      `param:"components" doc:"how many a_comp_cor columns the preset acompcor takes" min:"0" max:"1000"`
	Columns     []string `param:"columns" doc:"further columns of the confounds that are regressed out; * and ? stand for any letters"`
	FirstRow    string   `param:"first_row" doc:"what takes the place of n/a in the first row of a confound: next, the second value (nilearn); zero (XCP-D); mean" choices:"next|zero|mean"`
	FD          float64  `param:"fd" doc:"framewise displacement above which a volume is censored; 0 censors none" min:"0" unit:"mm"`
	DVARS       float64  `param:"dvars" doc:"standardised DVARS above which a volume is censored; 0 censors none" min:"0"`
	MinSegment  int      `param:"min_segment" doc:"runs of kept volumes shorter than this are censored too (nilearn: 5)" min:"0" unit:"volumes"`
	MinVolumes  int      `param:"min_volumes" doc:"a run with fewer kept volumes fails" min:"0" unit:"volumes"`
	Standardize string   `param:"standardize" doc:"scale of the result: zscore (ddof 1), psc (per cent of the mean), none" choices:"zscore|psc|none"`
	TR          float64  `param:"tr" doc:"repetition time; 0 takes it from the scan; only filters need it" min:"0" unit:"s"`
}

// Ports are the stage's inputs and outputs.
func (*Denoise) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "mean series"},
			{Name: "scan", Type: dag.Arrow("tr"), Optional: true, Doc: "where the repetition time is read"},
			{Name: "confounds", Type: dag.Format("tsv"), Optional: true, Doc: "table of confounds, in fMRIPrep's columns"},
		},
		Out: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "cleaned series of the kept volumes; NaN for a missing region, 0 for a constant one"},
			{Name: "quality", Type: dag.Arrow("volumes", "kept", "regressors", "trend", "filter_loss", "t_eff", "tr", "mean_fd", "max_fd", "missing", "constant", "confounds", "first_row"), Doc: "what is left, in one row"},
		},
	}
}

// Validate checks parameters against each other.
func (s *Denoise) Validate() []error {
	var errs []error
	band := s.HighPass > 0 || s.LowPass > 0
	switch {
	case s.Filter == "none" && band:
		errs = append(errs, errors.New("high_pass and low_pass give a band, and filter is none: set filter to butterworth or cosine"))
	case s.Filter != "none" && !band:
		errs = append(errs, fmt.Errorf("filter is %s, and no band is given: set high_pass, low_pass or both", s.Filter))
	}
	if s.HighPass > 0 && s.LowPass > 0 && s.HighPass >= s.LowPass {
		errs = append(errs, fmt.Errorf("high_pass (%g Hz) is not below low_pass (%g Hz)", s.HighPass, s.LowPass))
	}
	if s.Regress == "acompcor" && s.HighPass > 0 {
		errs = append(errs, errors.New("regress: acompcor brings the cosines of fMRIPrep's high-pass filter; leave out high_pass"))
	}
	return errs
}

// Run cleans.
func (s *Denoise) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("series")
	draws, err := region.ReadDraws(in, "draw, time, roi")
	if err != nil {
		return nil, err
	}
	o := connectivity.Cleaning{
		TR: s.TR, Detrend: s.Detrend, TrendOver: connectivity.TrendOver(s.TrendOver), Filter: connectivity.Filter(s.Filter), HighPass: s.HighPass, LowPass: s.LowPass,
		Order: s.Order, Standardize: connectivity.Standardize(s.Standardize),
	}
	if o.TR == 0 && t.Has("scan") {
		if o.TR, err = column.OneFloat(t.In("scan"), "tr"); err != nil {
			return nil, err
		}
	}
	if s.Filter != "none" && !(o.TR > 0) {
		return nil, fmt.Errorf("%s: the %s filter needs the repetition time: set tr, in s, or connect scan", in.Name, s.Filter)
	}
	motion, err := s.confounds(t, draws[0].Rows, &o)
	if err != nil {
		return nil, err
	}
	c, err := connectivity.NewCleaner(draws[0].Rows, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if c.Quality.Kept < s.MinVolumes {
		return nil, fmt.Errorf("%s: %d of %d volumes are kept, fewer than min_volumes (%d): leave this participant out, or raise fd and dvars", in.Name, c.Quality.Kept, c.Quality.Volumes, s.MinVolumes)
	}
	made, err := column.MadeOf(t, "scan")
	if err != nil {
		return nil, err
	}
	cleaned := make([]connectivity.Matrix, len(draws))
	missing, constant := 0, 0
	for d, x := range draws {
		y, status, err := c.Clean(x)
		if err != nil {
			return nil, fmt.Errorf("%s: draw %d: %w", in.Name, d, err)
		}
		cleaned[d] = y
		m, k := 0, 0
		for _, st := range status {
			switch st {
			case connectivity.Missing:
				m++
			case connectivity.Constant:
				k++
			}
		}
		missing, constant = max(missing, m), max(constant, k)
	}
	return dag.Outputs{
		"series":  region.Stack(cleaned),
		"quality": column.WithMeta(s.quality(c.Quality, o.TR, motion, int32(missing), int32(constant)), column.MadeBy("denoise", s, made, "tr", "min_volumes")),
	}, nil
}

// A motionSummary is what the confounds told.
type motionSummary struct {
	names    []string // of the regressors
	mean, fd float64  // mean and largest framewise displacement, mm; NaN when there is none
}

// confounds reads the table of confounds, and sets regressors and censoring.
func (s *Denoise) confounds(t *dag.Task, volumes int, o *connectivity.Cleaning) (motionSummary, error) {
	m := motionSummary{mean: math.NaN(), fd: math.NaN()}
	needed := s.Regress != "none" || len(s.Columns) > 0 || s.FD > 0 || s.DVARS > 0
	if !t.Has("confounds") {
		if needed {
			return m, errors.New("regress, columns, fd and dvars need a table of confounds: connect confounds, or leave them out")
		}
		return m, nil
	}
	in := t.In("confounds")
	names, x, err := region.ReadText(in)
	if err != nil {
		return m, err
	}
	if names == nil {
		return m, fmt.Errorf("%s: the first line does not name the columns", in.Name)
	}
	if x.Rows != volumes {
		return m, fmt.Errorf("%s: %d rows of confounds for %d volumes; is it the table of another run?", in.Name, x.Rows, volumes)
	}
	table := connectivity.Confounds{Names: names, Values: x}
	o.Regressors, m.names, err = table.Select(s.Regress, s.Components, s.Columns, connectivity.FirstRow(s.FirstRow))
	if err != nil {
		return m, fmt.Errorf("%s: %w", in.Name, err)
	}
	fd, dvars := table.Motion()
	if fd == nil && s.FD > 0 {
		return m, fmt.Errorf("%s: fd needs the column framewise_displacement, or the six motion parameters", in.Name)
	}
	if dvars == nil && s.DVARS > 0 {
		return m, fmt.Errorf("%s: dvars needs the column std_dvars", in.Name)
	}
	scrub := connectivity.Scrub{FD: s.FD, DVARS: s.DVARS, MinSegment: s.MinSegment}
	if o.Keep, err = scrub.Keep(fd, dvars, volumes); err != nil {
		return m, fmt.Errorf("%s: %w", in.Name, err)
	}
	n, sum := 0, 0.0
	for _, v := range fd {
		if !math.IsNaN(v) {
			n, sum = n+1, sum+v
			if !(m.fd >= v) {
				m.fd = v
			}
		}
	}
	if n > 0 {
		m.mean = sum / float64(n)
	}
	return m, nil
}

// quality is the table of one row.
func (s *Denoise) quality(q connectivity.CleanQuality, tr float64, m motionSummary, missing, constant int32) *encoding.Table {
	number := func(name, unit, doc string, v float64) encoding.Column {
		return encoding.Column{Name: name, Values: []float64{zeroNaN(v)}, Valid: []bool{!math.IsNaN(v)}, Unit: unit, Doc: doc}
	}
	whole := func(name, doc string, v int32) encoding.Column {
		return encoding.Column{Name: name, Values: []int32{v}, Doc: doc}
	}
	if !(tr > 0) {
		tr = math.NaN()
	}
	return encoding.NewTable(
		whole("volumes", "volumes of the run", int32(q.Volumes)),
		whole("kept", "volumes after censoring", int32(q.Kept)),
		whole("regressors", "independent confounds regressed out", int32(q.Regressors)),
		whole("trend", "degree of the trend taken out", int32(q.Trend)),
		number("filter_loss", "", "degrees of freedom that the filter took", q.FilterLoss),
		number("t_eff", "", "independent volumes that are left: kept − regressors − filter loss − trend", q.TEff),
		number("tr", "s", "repetition time", tr),
		number("mean_fd", "mm", "mean framewise displacement", m.mean),
		number("max_fd", "mm", "largest framewise displacement", m.fd),
		whole("missing", "regions without voxels, in the draw with most", missing),
		whole("constant", "regions that do not vary, or of which the confounds leave nothing, in the draw with most", constant),
		encoding.Column{Name: "confounds", Values: []string{strings.Join(m.names, " ")}, Doc: "columns regressed out"},
		encoding.Column{Name: "first_row", Values: []string{s.FirstRow}, Doc: "what replaced n/a in the first row"},
	)
}

// zeroNaN is what stands under a missing value, so that equal tables have equal bytes.
func zeroNaN(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
