package prepare

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/connectivity/damage"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
	"prgnn/stages/sheet"
)

var denoiseKind = dag.Kind{
	Name: "denoise",
	Doc: "detrends time series, regresses out confounds, band-pass filters\n" +
		"Works on regional means, in the order of nilearn's signal.clean: trend, filter (time series and confounds alike), censoring, confounds, scale. With least squares, denoising the means is equivalent to denoising the voxels. With a table of confounds, regress: auto is nilearn's strategy simple: 24 motion parameters, white matter, CSF, and fMRIPrep's cosines as the high-pass filter. Volumes that fMRIPrep marks as non-steady-state are removed. The output quality has the remaining degrees of freedom; the connectivity stage compares them with the number of regions.",
	New: func() dag.Stage {
		return &Denoise{Detrend: 1, TrendOver: "time", Filter: "none", Order: 5, Bridge: "linear", Regress: "auto",
			Components: 5, FirstRow: "next", MinVolumes: 6, MinMinutes: 4, MinDOF: 10, Standardize: "zscore",
			Task: "none", After: 18}
	},
}

var (
	_ role.Cleaner      = (*Denoise)(nil)
	_ role.Drawer       = (*Denoise)(nil)
	_ role.SharedReader = (*Denoise)(nil)
	_ role.InputUser    = (*Denoise)(nil)
	_ role.Measurer     = (*Denoise)(nil)
)

// Denoise cleans series.
type Denoise struct {
	Detrend     int      `param:"detrend" doc:"degree of the polynomial trend to remove; -1: none" min:"-1" max:"20"`
	TrendOver   string   `param:"trend_over" doc:"variable of the trend polynomial when volumes are censored without a Butterworth filter: time, or the number of the kept volume (as in nilearn)" choices:"time|kept"`
	Filter      string   `param:"filter" doc:"temporal filter: butterworth, applied forward and backward; cosine, cosine regressors together with the confounds" choices:"none|butterworth|cosine"`
	HighPass    float64  `param:"high_pass" doc:"lower edge of the pass band" zero:"none" min:"0" unit:"Hz"`
	LowPass     float64  `param:"low_pass" doc:"upper edge of the pass band" zero:"none" min:"0" unit:"Hz"`
	Order       int      `param:"order" doc:"order of the Butterworth filter" min:"1" max:"12"`
	Bridge      string   `param:"bridge" doc:"values of censored volumes while the Butterworth filter runs: linear, a straight line between the kept volumes beside a gap; nilearn, a cubic spline, which overshoots in gaps of more than 5 volumes (docs/denoising.md)" choices:"linear|nilearn"`
	Regress     string   `param:"regress" doc:"nuisance regression: auto is simple where there are confounds; simple, scrubbing, compcor and ica_aroma are nilearn's strategies; 24P, 27P, 36P, acompcor, acompcor_gsr and gsr_only are XCP-D's, and so are its aroma and aroma_gsr, named aroma_orth and aroma_orth_gsr, with the components of fMRIPost-AROMA; aroma has 12 motion parameters, white matter, CSF and the components that ICA-AROMA labels as motion; tedana has the components that tedana rejects; tedana_nonaggressive leaves in what they share with accepted ones; 6P are the motion parameters; none is never the default if there are confounds (docs/denoising.md)" choices:"auto|none|simple|scrubbing|compcor|ica_aroma|6P|24P|27P|36P|acompcor|acompcor_gsr|gsr_only|aroma|aroma_orth|aroma_orth_gsr|tedana|tedana_nonaggressive"`
	Components  int      `param:"components" doc:"number of components of white matter, and of CSF, in acompcor and acompcor_gsr" min:"1" max:"1000"`
	Columns     []string `param:"columns" doc:"further columns of the confounds to regress out; * and ? are wildcards"`
	Task        string   `param:"task" doc:"task response model to regress out together with the confounds, for background connectivity: spm and glover convolve each condition with a canonical response; fir has one regressor per volume after an onset, without an assumed shape (docs/denoising.md)" choices:"none|spm|glover|fir"`
	Conditions  []string `param:"conditions" doc:"the conditions (trial_type) that task models; all by default"`
	After       float64  `param:"after" doc:"duration of fir after the longest event of a condition" min:"0" max:"60" unit:"s"`
	FirstRow    string   `param:"first_row" doc:"replacement of n/a in the first row of a confound: next, the second value (nilearn); zero (XCP-D); mean" choices:"next|zero|mean"`
	FD          float64  `param:"fd" doc:"framewise displacement above which a volume is censored" zero:"as set by regress (scrubbing: 0.5)" min:"0" unit:"mm"`
	DVARS       float64  `param:"dvars" doc:"standardized DVARS above which a volume is censored" zero:"as set by regress (scrubbing: 1.5)" min:"0"`
	MinSegment  int      `param:"min_segment" doc:"segments of kept volumes shorter than this are censored too" zero:"as set by regress (scrubbing: 5)" min:"0" unit:"volumes"`
	MinVolumes  int      `param:"min_volumes" doc:"a run with fewer kept volumes fails (fMRIPrep itself skips scans of 5 volumes)" min:"0" unit:"volumes"`
	MinMinutes  float64  `param:"min_minutes" doc:"if volumes are censored for motion, a run with less remaining time fails (XCP-D: 4)" zero:"no limit, for runs that are joined, where join has it" min:"0" unit:"min"`
	MinDOF      int      `param:"min_dof" doc:"a run with fewer remaining degrees of freedom fails; at 10 the standard error of a correlation is 0.35 (Fisher z)" min:"0"`
	Standardize string   `param:"standardize" doc:"scale of the result: zscore (ddof 1), psc (percent signal change), none" choices:"zscore|psc|none"`
	TR          float64  `param:"tr" doc:"repetition time; one that differs from it is refused; needed by filters and min_minutes" zero:"from the scan" min:"0" max:"60" unit:"s"`
	Draws       int      `param:"draws" doc:"number of random draws of the volumes (circular block bootstrap), in addition to draw 0, the series itself; for series without voxels to draw from (docs/denoising.md)" min:"0" max:"10000"`
	Block       int      `param:"block" doc:"length of the blocks of draws, at most half of the kept volumes" zero:"optimal for the series (Politis & White 2004, corrected 2009), the mean over the regions" min:"0" unit:"volumes"`
	Seed        uint64   `param:"seed" doc:"of the random draws"`
	Subject     string   `param:"subject" doc:"the participant, filled in by each: subject, run or session"`
	ScanRun     string   `param:"run" doc:"the run, filled in by each: run"`
	Session     string   `param:"session" doc:"the session, filled in by each: session"`
}

// DrawsOf is how many draws its series have, draw 0 among them, of an input with so many.
func (s *Denoise) DrawsOf(input int) int {
	if s.Draws == 0 {
		return input
	}
	return 1 + s.Draws
}

// Measures are denoised series, unless every step is left out.
func (s *Denoise) Measures(output string, of func(string) column.Data) column.Data {
	switch {
	case output != "series":
		return column.Data{}
	case s.Detrend < 0 && s.Regress == "none" && s.Filter == "none" && s.Columns == nil && s.Task == "none" &&
		s.FD == 0 && s.DVARS == 0:
		return of("series")
	}
	return column.Data{Measure: column.TimeSeries, Series: column.Denoised}
}

func (*Denoise) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "mean series"},
			{Name: "scan", Type: dag.Arrow("tr"), Optional: true, Doc: "source of the repetition time"},
			{Name: "confounds", Type: dag.Format("tsv"), Optional: true, Doc: "table of confounds, in fMRIPrep's columns"},
			{Name: "confounds_sidecar", Type: dag.Format("json"), Optional: true, Doc: "fMRIPrep's JSON file of that table, which identifies the CompCor masks"},
			{Name: "components", Type: dag.Format("tsv"), Optional: true, Doc: "further columns for the same volumes: components of fMRIPost-AROMA or tedana, physiological regressors"},
			{Name: "component_table", Type: dag.Format("tsv"), Optional: true, Doc: "tedana's table of the components: Component and classification"},
			{Name: "events", Type: dag.Format("tsv"), Optional: true, Doc: "BIDS events of the scan's task: onset and duration in s, trial_type"},
			{Name: "sidecar", Type: dag.Format("json"), Optional: true, Doc: "the scan's BIDS sidecar, for its StartTime: the reference time of slice-timing correction within a volume"},
			{Name: "sampled", Type: dag.NPY("<f4", "time", "voxel"), Optional: true, Doc: "bootstrap's series of single voxels, for carpet plots"},
		},
		Out: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "denoised time series of the kept volumes, and the draws of them; NaN for a missing region, 0 for a constant one"},
			{Name: "quality", Type: column.Type[column.CleaningRow](), Doc: "denoising and remaining degrees of freedom, in one row"},
			{Name: "volumes", Type: column.Type[column.VolumeRow](), Doc: "motion of each volume, and whether it was kept"},
			{Name: "carpet", Type: dag.NPY("<f4", "cleaning", "time", "voxel"), Doc: "the sampled voxels before and after denoising, each standardized over the kept volumes; NaN for a voxel without a signal, and after denoising for a removed volume; without voxels when sampled is not connected"},
		},
	}
}

// Validate checks parameters against each other.
func (s *Denoise) Validate() []error {
	errs := bids.CheckTime(s.TR)
	band := s.HighPass > 0 || s.LowPass > 0
	switch {
	case s.Filter == "none" && band:
		errs = append(errs, errors.New("high_pass and low_pass set a band, but filter is none: set filter to butterworth or cosine"))
	case s.Filter != "none" && !band:
		errs = append(errs, fmt.Errorf("filter is %s, but no band is set: set high_pass, low_pass or both", s.Filter))
	}
	if s.HighPass > 0 && s.LowPass > 0 && s.HighPass >= s.LowPass {
		errs = append(errs, fmt.Errorf("high_pass (%g Hz) is not below low_pass (%g Hz)", s.HighPass, s.LowPass))
	}
	if s.Regress != "auto" {
		errs = append(errs, s.ValidateFor("", func(string) bool { return true })...)
	}
	if s.Block > 0 && s.Draws == 0 {
		errs = append(errs, errors.New("block is the length of the blocks of random draws, but draws is 0: set draws"))
	}
	if s.Task == "none" && len(s.Conditions) > 0 {
		errs = append(errs, errors.New("conditions are set, but task is none: set task to fir, spm or glover"))
	}
	return errs
}

// readScan reads the table of the scan: one without columns where none is connected.
func readScan(t *dag.Task) (*encoding.Table, error) {
	if !t.Has("scan") {
		return &encoding.Table{}, nil
	}
	return t.In("scan").Table()
}

// A stepRow is what cleaning takes from a scan's table.
type stepRow struct {
	TR   float64 `column:"tr"`
	From string  `column:"tr_from,optional"`
	// facts on the voxels (column.SeriesFacts)
	NeighborR float64 `column:"neighbor_r,missing,optional"`
	Labeled   float64 `column:"labeled_share,missing,optional"`
}

// strategy is what regress comes to where there are confounds.
func (s *Denoise) strategy() string {
	if s.Regress == "auto" {
		return "simple"
	}
	return s.Regress
}

func (s *Denoise) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("series")
	draws, err := region.ReadDraws(in, "draw, time, roi")
	if err != nil {
		return nil, err
	}
	scan, err := readScan(t)
	if err != nil {
		return nil, err
	}
	c, row, volumes, err := s.prepare(t, scan, draws[0].Rows)
	if err != nil {
		return nil, err
	}
	if err := lostVoxels(t, scan, &row); err != nil {
		return nil, err
	}
	cleaned := make([]connectivity.Matrix, len(draws))
	var status []connectivity.Status
	var unusable []bool
	for d, x := range draws {
		var y connectivity.Matrix
		y, status, err = c.Clean(x)
		if err != nil {
			return nil, fmt.Errorf("%s: draw %d: %w", in.Name, d, err)
		}
		if d == 0 {
			v, r := damage.Repeats(x, status)
			row.RepeatedVolumes, row.RepeatedRegions = int32(v), int32(r)
			if err := measured(t, x, status, volumes, &row); err != nil {
				return nil, err
			}
		}
		cleaned[d] = y
		m, k := int32(0), int32(0)
		if unusable == nil {
			unusable = make([]bool, len(status))
		}
		for j, st := range status {
			unusable[j] = unusable[j] || st != connectivity.Present
			switch st {
			case connectivity.Missing:
				m++
			case connectivity.Constant:
				k++
			}
		}
		row.Missing, row.Constant = max(row.Missing, m), max(row.Constant, k)
	}
	row.Unusable = region.Numbers(unusable)
	cleaned, block, err := s.resample(ctx, in, c, cleaned, status)
	if err != nil {
		return nil, err
	}
	row.Block = int32(block)
	codes, err := missingCodes(t, draws[0], row.Confounds)
	if err == nil {
		err = damage.Unmeasured(draws[0])
	}
	if err != nil {
		return nil, err
	}
	voxels, err := carpet(t, c.Unscaled(), volumes)
	if err != nil {
		return nil, err
	}
	used := *s
	used.Regress = row.Strategy
	same := []string{"tr", "min_volumes", "min_minutes", "min_dof", "draws", "seed", "subject", "run", "session"}
	if s.Draws == 0 {
		same = append(same, "block")
	}
	if s.Filter != "butterworth" {
		same = append(same, "bridge")
	}
	if s.Task == "none" {
		same = append(same, "task", "conditions", "after")
	}
	meta := column.MadeBy("denoise", &used, scan.Meta["made"], same...)
	if codes != nil {
		meta[column.MissingCodes] = column.JSON(codes)
	}
	for _, key := range []string{column.Wrapped, column.ReferenceR} {
		if stated := scan.Meta[key]; stated != "" {
			meta[key] = stated
		}
	}
	return dag.Outputs{
		"series":  region.Stack(cleaned),
		"quality": column.WithMeta(column.Table([]column.CleaningRow{row}), meta),
		"volumes": column.Table(volumes),
		"carpet":  voxels,
	}, nil
}

// measured sets what a series, T×N, has before denoising: the kept volumes that are far from all others, but those that
// a regressor of their own takes out, and what its processing left. It refuses volumes that were not measured.
func measured(t *dag.Task, x connectivity.Matrix, status []connectivity.Status, volumes []column.VolumeRow,
	row *column.CleaningRow) error {
	used := lists.Map(volumes, func(v column.VolumeRow) bool { return v.LeftOut == "" })
	if t.Has("confounds") {
		table, err := readConfounds(t, x.Rows)
		if err != nil {
			return err
		}
		for _, v := range damage.Spikes(table, row.Confounds) {
			used[v] = false
		}
	}
	known := judge(t.In("series").Ref.Digest, x, status, used, row.TR)
	far, facts := known.far, known.facts
	if far.Empty != nil {
		v := far.Empty[0]
		j := slices.Index(status, connectivity.Present)
		return fmt.Errorf("%s: %g in all regions in %s, far from all other volumes, so the scan is damaged there, and all correlations would be about 1: repair the scan, or give the confounds a column for each of these volumes that is 1 there and 0 elsewhere, such as motion_outlier00, and set columns: [\"motion_outlier*\"] in denoise%s", t.In("series").Name, x.At(v, j), inVolumes(far.Empty), column.OrExclude)
	}
	row.FirstVolumes = int32(len(far.First))
	row.FarVolumes = lists.Map(far.Other, func(v int) int32 { return int32(v + 1) })
	first := max(slices.Index(used, true), 0)
	global := lists.Map(volumes, func(v column.VolumeRow) float64 { return v.Global })
	row.GlobalR = damage.GlobalR(x, status, first, global)
	row.Standardized, row.Interpolated, row.HighFrequency, row.GlobalVariance = facts.Standardized,
		facts.Interpolated, facts.High, facts.Global
	row.SameValue, row.LevelStep, row.Unexplained = facts.SameValue, facts.Step, facts.Unexplained
	row.FirstDistance, row.FarDistance = far.FirstDistance, far.OtherDistance
	return nil
}

// inVolumes are volumes, from 0, in a sentence.
func inVolumes(volumes []int) string {
	if len(volumes) == 1 {
		return fmt.Sprintf("volume %d", volumes[0]+1)
	}
	return fmt.Sprintf("%d volumes (first: %d)", len(volumes), volumes[0]+1)
}

// missingCodes lists the regions of a series, T×N, and the confounds that hold a code for missing values.
func missingCodes(t *dag.Task, x connectivity.Matrix, regressors []string) (found []column.MissingCode,
	err error) {
	values := make([]float64, x.Rows)
	for j := range x.Cols {
		for v := range values {
			values[v] = x.At(v, j)
		}
		if code, times := damage.Code(values); times > 0 {
			found = append(found, column.MissingCode{Region: j + 1, Code: code, Volumes: times})
		}
	}
	if !t.Has("confounds") {
		return found, nil
	}
	table, err := readConfounds(t, x.Rows)
	for _, c := range damage.Codes(table, regressors) {
		found = append(found, column.MissingCode{Column: c.Column, Code: c.Code, Volumes: c.Volumes})
	}
	return found, err
}

// TimeFrom is "parameter" where tr gives the repetition time, and "" where the scan does.
func (s *Denoise) TimeFrom(func(port string) bool) string {
	if s.TR > 0 {
		return "parameter"
	}
	return ""
}

// GivenTime is the parameter tr, s; 0 for none.
func (s *Denoise) GivenTime() float64 { return s.TR }

// NeedsTime is what needs the repetition time of the scan; "" for nothing, or where tr gives it.
func (s *Denoise) NeedsTime() string {
	switch {
	case s.TR > 0:
		return ""
	case s.Filter != "none":
		return "the " + s.Filter + " filter"
	case s.Task != "none":
		return "the model of events"
	}
	return ""
}

// prepare reads everything but the series themselves: what is regressed out, which volumes are kept, and what is left.
// It
// refuses a scan of which too little is left.
func (s *Denoise) prepare(t *dag.Task, scan *encoding.Table, volumes int) (c *connectivity.Cleaner,
	row column.CleaningRow, each []column.VolumeRow, err error) {
	o := connectivity.Cleaning{
		TR: s.TR, Detrend: s.Detrend, TrendOver: connectivity.TrendOver(s.TrendOver),
		Filter: connectivity.Filter(s.Filter), HighPass: s.HighPass, LowPass: s.LowPass,
		Order: s.Order, Bridge: connectivity.Bridge(s.Bridge), Standardize: connectivity.Standardize(s.Standardize),
	}
	from := s.TimeFrom(t.Has)
	step := stepRow{NeighborR: math.NaN(), Labeled: math.NaN()}
	if t.Has("scan") {
		step, err = column.OneOf[stepRow](scan, t.In("scan").Name)
		if err == nil {
			o.TR, err = bids.TimeOr(s.TR, t.In("scan").Name, step.TR)
		}
		if err != nil {
			return nil, row, each, err
		}
		if from == "" {
			from = step.From
		}
		if o.TR != 0 && !math.IsNaN(o.TR) && !bids.IsTime(o.TR) {
			return nil, row, each, fmt.Errorf("%s: a repetition time of %g s (column tr), possibly in ms; correct it, or set tr, in s", t.In("scan").Name, o.TR)
		}
	}
	if s.Filter != "none" && !(o.TR > 0) {
		return nil, row, each, fmt.Errorf("%s: %w", t.In("series").Name, column.TimeUnknown("the "+s.Filter+" filter"))
	}
	if row, each, err = s.confounds(t, scan, volumes, &o); err != nil {
		return nil, row, each, err
	}
	row.TRFrom, row.NeighborR, row.Labeled = from, step.NeighborR, step.Labeled
	if err := s.addTask(t, volumes, &o, &row); err != nil {
		return nil, row, each, err
	}
	if c, err = s.cleaner(volumes, o, &row); err != nil {
		remedy := ""
		if errors.As(err, new(connectivity.TooLittle)) {
			remedy = column.OrExclude
		}
		return nil, row, each, fmt.Errorf("%s: %w%s", t.In("series").Name, err, remedy)
	}
	return c, row, each, nil
}

// cleaner prepares the cleaning, and refuses a run of which too little is left.
func (s *Denoise) cleaner(volumes int, o connectivity.Cleaning, row *column.CleaningRow) (*connectivity.Cleaner,
	error) {
	row.Volumes, row.Kept, row.TR = int32(volumes), int32(volumes)-row.NonSteady-row.Censored, math.NaN()
	row.Seconds, row.FirstRow = math.NaN(), s.FirstRow
	if o.TR > 0 {
		row.TR, row.Seconds = o.TR, float64(row.Kept)*o.TR
	}
	if int(row.Kept) < s.MinVolumes && row.Censored > 0 {
		return nil, censored("censoring for motion keeps %d of %d volumes, fewer than min_volumes (%d)", row.Kept, volumes, s.MinVolumes)
	}
	if int(row.Kept) < s.MinVolumes {
		return nil, tooLittle("%d of %d volumes are kept, fewer than min_volumes (%d)", row.Kept, volumes, s.MinVolumes)
	}
	if err := enoughMinutes(*row, s.MinMinutes, ""); err != nil {
		if errors.As(err, new(connectivity.TooLittle)) && s.ScanRun != "" {
			err = censored("%s; where runs are joined, set min_minutes: 0 here, and the limit in join", err)
		}
		return nil, err
	}
	c, err := connectivity.NewCleaner(volumes, o)
	if err != nil {
		return nil, err
	}
	q := c.Quality
	row.Regressors, row.Trend, row.FilterLoss, row.TEff = int32(q.Regressors), int32(q.Trend), q.FilterLoss, q.TEff
	if row.Bridged, row.LongestGap = int32(q.Bridged), int32(q.LongestGap); q.Bridged > 0 {
		row.Bridge = s.Bridge
	}
	if q.TEff < float64(s.MinDOF) {
		return nil, tooLittle("%s degrees of freedom are left (%d volumes kept − %d regressors − %.3g of the filter − %.3g of mean and trend), fewer than min_dof (%d)",
			below(q.TEff, float64(s.MinDOF), 3), q.Kept, q.Regressors, q.FilterLoss, q.MeanTrend(), s.MinDOF)
	}
	return c, nil
}

// lostVoxels takes over what bootstrap's table of the scan says of voxels that were left out.
func lostVoxels(t *dag.Task, scan *encoding.Table, row *column.CleaningRow) error {
	if !t.Has("scan") {
		return nil
	}
	lost, err := column.Rows[struct {
		NonFinite int32     `column:"nonfinite,optional"`
		Reduced   int32     `column:"reduced,optional"`
		Nodes     []string  `column:"reduced_nodes,optional"`
		Shares    []float64 `column:"reduced_shares,optional"`
	}](scan)
	if err != nil {
		return fmt.Errorf("%s: %w", t.In("scan").Name, err)
	}
	if len(lost) == 1 {
		row.NonFinite, row.Reduced = lost[0].NonFinite, lost[0].Reduced
		row.Lost, row.LostShares = lost[0].Nodes, lost[0].Shares
	}
	return nil
}

// enoughMinutes refuses what censoring for motion leaves too little time of, in min; 0: nothing. where is " in 2 runs",
// or empty.
func enoughMinutes(left column.CleaningRow, least float64, where string) error {
	switch {
	case left.Censored == 0 || least == 0:
	case math.IsNaN(left.Seconds):
		return errors.New("volumes are censored, and min_minutes needs the repetition time, and it is not known: set tr of denoise, in s, or min_minutes: 0")
	case left.Seconds < 60*least:
		return censored("censoring for motion keeps %d of %d volumes%s, %s minutes, less than min_minutes (%g): censor fewer volumes (fd, dvars), or lower min_minutes", left.Kept, left.Volumes, where, below(left.Seconds/60, least, 2), least)
	}
	return nil
}

// below is a number that is below a limit, with as many digits as show it.
func below(x, limit float64, digits int) string {
	for ; ; digits++ {
		text := strconv.FormatFloat(x, 'g', digits, 64)
		if shown, err := strconv.ParseFloat(text, 64); err != nil || shown < limit || shown == x {
			return text
		}
	}
}

func tooLittle(format string, args ...any) error {
	return connectivity.TooLittle(fmt.Sprintf(format, args...))
}

// censored is tooLittle where censoring for motion is the reason.
func censored(format string, args ...any) error {
	return column.CensoredError{Err: tooLittle(format, args...)}
}

// confounds reads the table of confounds, and sets regressors and censoring. It begins the row of the quality table,
// and
// says of each volume how it moved and whether it is kept.
func (s *Denoise) confounds(t *dag.Task, scan *encoding.Table, volumes int, o *connectivity.Cleaning) (
	row column.CleaningRow, each []column.VolumeRow, err error) {
	each = unknownVolumes(volumes)
	row = column.CleaningRow{MeanFD: math.NaN(), MaxFD: math.NaN(), Strategy: "none",
		Events: math.NaN(), EventsInside: math.NaN(), EventsSpan: math.NaN()}
	asked := s.asksForConfounds()
	why := scan.Meta[column.CleanedBefore] // why they need no nuisance regression: somebody has cleaned them
	if why == column.CleanedScan && (asked || s.Task != "none") {
		return row, each, fmt.Errorf("%s: according to its sidecar, confounds were already regressed out of this scan; denoising it twice would remove signal: remove regress, columns, fd, dvars and task", t.In("series").Name)
	}
	if !t.Has("confounds") {
		row, err = s.without(row, asked, scan)
		return row, each, err
	}
	if errs := s.ValidateFor("", t.Has); errs != nil {
		return row, each, errs[0]
	}
	in := t.In("confounds")
	table, err := readConfounds(t, volumes)
	if err != nil {
		return row, each, err
	}
	names := table.Names
	marked, nonSteady, err := table.NonSteady()
	if err != nil {
		return row, each, fmt.Errorf("%s: %w%s", in.Name, err, column.OrExclude)
	}
	if o.TR > 0 {
		table.Cosines = connectivity.FMRIPrepCosines(volumes-nonSteady, o.TR)
	}
	s.choose(&row, names, scan)
	strategy, err := connectivity.StrategyOf(row.Strategy)
	if err != nil {
		return row, each, err
	}
	var taken []string
	if o.Regressors, taken, err = table.Select(strategy, s.Components, s.Columns,
		connectivity.FirstRow(s.FirstRow)); err != nil {
		return row, each, fmt.Errorf("%s: %w; choose another strategy with regress%s", in.Name, err, column.OrExclude)
	}
	if len(taken) > 0 {
		row.Why, row.Sidecar = "", ""
	}
	o.Signal = table.Signal(strategy)
	row.Confounds = taken
	row.NonSteadyLater = later(marked)
	for _, name := range taken {
		if strings.HasPrefix(name, "cosine") {
			row.Cosines, row.CosinesUsual = row.Cosines+1, int32(max(table.Cosines, 0))
		}
	}
	if row.NonSteadyLater == 0 {
		row.OtherCosines = int32(damage.OtherCosines(table, taken, nonSteady))
	}
	for _, j := range connectivity.IdleColumns(o.Regressors) {
		row.ConstantConfounds = append(row.ConstantConfounds, taken[j])
	}
	if err := table.Impossible(); err != nil {
		return row, each, fmt.Errorf("%s: %w%s", in.Name, err, column.OrExclude)
	}
	fd, dvars := table.Motion()
	row.MeanFD, row.MaxFD = meanAndMax(fd)
	scrub := strategy.Scrub
	scrub.FD, scrub.DVARS, scrub.MinSegment = cmp.Or(s.FD, scrub.FD), cmp.Or(s.DVARS, scrub.DVARS),
		cmp.Or(s.MinSegment, scrub.MinSegment)
	if fd == nil && scrub.FD > 0 {
		return row, each, fmt.Errorf("%s: fd needs the column framewise_displacement, or the six motion parameters", in.Name)
	}
	if dvars == nil && scrub.DVARS > 0 {
		return row, each, fmt.Errorf("%s: dvars needs the column std_dvars", in.Name)
	}
	if o.Keep, err = scrub.Keep(fd, dvars, volumes); err != nil {
		return row, each, fmt.Errorf("%s: %w; repair the table (without the column framewise_displacement, it is computed from the motion parameters), or censor nothing (another strategy with regress, fd: 0, dvars: 0)%s", in.Name, err, column.OrExclude)
	}
	d := table.Displacement()
	if d.Flat && slices.ContainsFunc(taken, connectivity.Moves) {
		return row, each, fmt.Errorf("%s: trans_x to rot_z have one value each in all volumes, although framewise_displacement is not 0, so no motion would be regressed out: give the motion parameters of the scan, or choose another strategy with regress%s", in.Name, column.OrExclude)
	}
	if err := displaced(d, row.MeanFD); err != nil && scrub.FD > 0 {
		return row, each, fmt.Errorf("%s: %w", in.Name, err)
	}
	row.NonSteady = int32(nonSteady)
	global := slices.Index(names, "global_signal")
	for v, keep := range o.Keep {
		if fd != nil {
			if each[v].FD = fd[v]; fd[v] > column.StrongMotion {
				row.HighFD++
			}
		}
		if dvars != nil {
			each[v].DVARS = dvars[v]
		}
		if global >= 0 {
			each[v].Global = table.Values.At(v, global)
		}
		switch {
		case marked[v]:
			each[v].LeftOut = "not in steady state"
		case !keep:
			row.Censored++
			each[v].LeftOut = "motion"
		}
		o.Keep[v] = keep && !marked[v]
	}
	return row, each, nil
}

// later counts the marked volumes after one that is not.
func later(marked []bool) (n int32) {
	first := slices.Index(marked, false)
	for _, m := range marked[max(first, 0):] {
		if m {
			n++
		}
	}
	return n
}

// displaced refuses a framewise displacement that is in another unit, of another scan or was not measured, and so
// censors the wrong volumes. mean is in mm.
func displaced(d connectivity.Displacement, mean float64) error {
	const remedy = ": give framewise_displacement in mm, or remove that column and give the motion parameters in mm and rad"
	switch {
	case d.Constant:
		return fmt.Errorf("framewise_displacement is %.4g mm in all volumes, so it was not measured and cannot censor volumes by their motion; remove that column and give the motion parameters in mm and rad%s", mean, column.OrExclude)
	case d.Ratio > 0:
		return column.UnitError{Err: fmt.Errorf("framewise_displacement is %.3g times that of trans and rot, so it is not in mm, or they are not in mm and rad, and the wrong volumes would be censored%s", d.Ratio, remedy)}
	case mean < column.LeastMotion:
		return column.UnitError{Err: fmt.Errorf("the mean framewise displacement is %.2g mm, below %g mm, so it was not measured or is in another unit, and censors nothing%s", mean, column.LeastMotion, remedy)}
	case mean > column.MostMotion:
		return column.UnitError{Err: fmt.Errorf("the mean framewise displacement is %.3g mm, above %g mm, so it is in another unit, and censors too much%s", mean, column.MostMotion, remedy)}
	case d.Apart != 0:
		return column.UnitError{Err: fmt.Errorf("framewise_displacement correlates %.2f with that of trans and rot of the same table, so they are of two scans, and volumes of the other one would be censored: give both of this scan, or remove framewise_displacement: it is then computed from the motion parameters", d.Apart)}
	}
	return nil
}

// unknownVolumes are volumes of which neither motion nor signal is known.
func unknownVolumes(n int) []column.VolumeRow {
	each := make([]column.VolumeRow, n)
	for v := range each {
		each[v] = column.VolumeRow{Volume: int32(v + 1), FD: math.NaN(), DVARS: math.NaN(), Global: math.NaN()}
	}
	return each
}

func (s *Denoise) asksForConfounds() bool {
	return s.Regress != "none" && s.Regress != "auto" || len(s.Columns) > 0 || s.FD > 0 || s.DVARS > 0
}

// without is the row of a scan that has no confounds; asked reports whether the parameters need some.
func (s *Denoise) without(row column.CleaningRow, asked bool, scan *encoding.Table) (column.CleaningRow, error) {
	if asked {
		return row, fmt.Errorf("regress, columns, fd and dvars need a table of confounds: connect confounds, or remove them%s", column.OrExclude)
	}
	row.Why, row.Sidecar = scan.Meta[column.CleanedBefore], scan.Meta[column.CleanedBy]
	switch { // who has cleaned before counts more than what is asked now
	case row.Why != "":
	case s.Regress == "none":
		row.Why = column.AskedForNone
	default:
		row.Why = column.NoConfounds
	}
	return row, nil
}

// choose sets the strategy of a row, and why there is none.
func (s *Denoise) choose(row *column.CleaningRow, names []string, scan *encoding.Table) {
	row.Strategy = s.strategy()
	switch why := scan.Meta[column.CleanedBefore]; {
	case s.Regress == "none":
		row.Why = column.AskedForNone
	case s.Regress == "auto" && slices.Contains(names, "simulated"):
		row.Strategy, row.Why = "none", column.Simulated
	case s.Regress == "auto" && why != "":
		row.Strategy, row.Why, row.Sidecar = "none", why, scan.Meta[column.CleanedBy]
	}
}

// readConfounds reads the table of confounds of a scan with so many volumes.
func readConfounds(t *dag.Task, volumes int) (table connectivity.Confounds, err error) {
	in := t.In("confounds")
	names, x, err := region.ReadText(in)
	switch {
	case err != nil:
		return table, err
	case names == nil:
		return table, fmt.Errorf("%s: the first line has no column names", in.Name)
	case x.Rows != volumes:
		return table, fmt.Errorf("%s: %d rows of confounds for %d volumes; does the table belong to another run?%s", in.Name, x.Rows, volumes, column.OrExclude)
	}
	table = connectivity.Confounds{Names: names, Values: x, Cosines: -1}
	if table.About, err = aboutConfounds(t); err != nil || !t.Has("components") {
		return table, err
	}
	in = t.In("components")
	if names, x, err = readComponents(t, volumes); err == nil {
		if err = table.Join(names, x); err != nil {
			err = fmt.Errorf("%s: %w", in.Name, err)
		}
		rejected := func(name string) bool { return strings.HasPrefix(name, connectivity.TedanaRejected) }
		switch {
		case len(names) == 0:
			table.NoNoise = "aroma_"
		case t.Has("component_table") && !slices.ContainsFunc(names, rejected):
			table.NoNoise = connectivity.TedanaRejected
		}
	}
	return table, err
}

// readComponents reads the time courses of components, without the column that fMRIPost-AROMA writes where none of them
// is noise. Those of tedana are named by what it decided on each.
func readComponents(t *dag.Task, volumes int) (names []string, x connectivity.Matrix, err error) {
	in := t.In("components")
	names, x, err = region.ReadText(in)
	switch {
	case err != nil:
		return nil, x, err
	case names == nil:
		return nil, x, fmt.Errorf("%s: the first line has no column names", in.Name)
	case x.Rows != volumes:
		return nil, x, fmt.Errorf("%s: %d rows of components for %d volumes; does the table belong to another run?%s", in.Name, x.Rows, volumes, column.OrExclude)
	case len(names) == 1 && names[0] == "intercept":
		return nil, connectivity.NewMatrix(volumes, 0), nil
	case !t.Has("component_table"):
		return names, x, nil
	}
	decided, err := decisions(t.In("component_table"))
	if err != nil {
		return nil, x, err
	}
	for i, name := range names {
		number := componentNumber(name)
		switch what := decided[number]; {
		case number == "" || what == "":
			return nil, x, fmt.Errorf("%s: the component %s is not in %s: the tables are of two runs of tedana", in.Name, name, t.In("component_table").Name)
		case what == "rejected":
			names[i] = connectivity.TedanaRejected + number
		default: // accepted; ignored, before tedana 23, stays in as well
			names[i] = connectivity.TedanaAccepted + number
		}
	}
	if len(decided) != len(names) {
		return nil, x, fmt.Errorf("%s: %d components, but %s has %d: the tables are of two runs of tedana", in.Name, len(names), t.In("component_table").Name, len(decided))
	}
	return names, x, nil
}

// decisions are those of tedana, by the number of the component: accepted, rejected, ignored.
func decisions(in dag.Input) (map[string]string, error) {
	b, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	s, err := sheet.Read(bytes.NewReader(b), in.Name)
	if err != nil {
		return nil, err
	}
	component, ok1 := s.Column("Component")
	what, ok2 := s.Column("classification")
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("%s: tedana's table of components has the columns Component and classification; this one has %s", in.Name, words.Some(s.Columns, 8))
	}
	decided := map[string]string{}
	for i, name := range component {
		number := componentNumber(name)
		known := slices.Contains([]string{"accepted", "rejected", "ignored"}, what[i])
		if number == "" || decided[number] != "" || !known {
			return nil, fmt.Errorf("%s:%d: component %q is %q; components have a number each, and are accepted, rejected or ignored", in.Name, s.Lines[i], name, what[i])
		}
		decided[number] = what[i]
	}
	return decided, nil
}

// componentNumber is that of ICA_4 or ICA_04, which are one component; "" where a name has none.
func componentNumber(name string) string {
	digits, is := strings.CutPrefix(name, "ICA_")
	n, err := strconv.Atoi(digits)
	if !is || err != nil || n < 0 {
		return ""
	}
	return fmt.Sprintf("%02d", n)
}

// aboutConfounds reads fMRIPrep's JSON file of the confounds; nil where it is not connected.
func aboutConfounds(t *dag.Task) (map[string]connectivity.AboutColumn, error) {
	if !t.Has("confounds_sidecar") {
		return nil, nil
	}
	var about map[string]connectivity.AboutColumn
	err := region.ReadJSON(t.In("confounds_sidecar"), &about)
	return about, err
}

// meanAndMax are of the finite values; NaN where there is none.
func meanAndMax(v []float64) (mean, largest float64) {
	n, sum, largest := 0, 0.0, math.NaN()
	for _, x := range v {
		if !math.IsNaN(x) {
			n, sum = n+1, sum+x
			if !(largest >= x) {
				largest = x
			}
		}
	}
	if n == 0 {
		return math.NaN(), largest
	}
	return sum / float64(n), largest
}
