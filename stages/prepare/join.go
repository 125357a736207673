package prepare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var joinKind = dag.Kind{
	Name: "join",
	Doc: "concatenates the denoised time series of a participant's runs\n" +
		"Each run is denoised and scaled separately first; otherwise offsets between runs would look like correlation. The runs are concatenated in the order of their names, draw by draw. Degrees of freedom add up, since each run has lost its own mean. A region missing in one run is missing.",
	New: func() dag.Stage { return &Join{} },
}

var (
	_ role.PortUser = (*Join)(nil)
	_ role.Drawer   = (*Join)(nil)
	_ role.Joiner   = (*Join)(nil)
	_ role.Measurer = (*Join)(nil)
)

// Join concatenates the runs of a participant.
type Join struct {
	MinVolumes int     `param:"min_volumes" doc:"a participant with fewer kept volumes in all runs together fails" min:"0" unit:"volumes"`
	MinMinutes float64 `param:"min_minutes" doc:"if volumes of a participant are censored for motion, one with less remaining time in all runs together fails" zero:"no limit" min:"0" unit:"min"`
}

// DrawsOf is how many draws its arrays have, of an input with so many.
func (*Join) DrawsOf(input int) int { return input }

// UsesPorts are the inputs that take one setting of each participant.
func (*Join) UsesPorts() []role.PortUse {
	return role.OneSettingOf("series", "quality", "coverage", "volumes")
}

// Measures are the series of the runs.
func (*Join) Measures(output string, of func(string) column.Data) column.Data {
	if output != "series" {
		return column.Data{}
	}
	return of("series")
}

func (*Join) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Gather: true, Doc: "denoised time series of each run"},
			{Name: "quality", Type: column.Type[column.CleaningRow](), Gather: true, Doc: "denoise's quality of each run"},
			{Name: "coverage", Type: column.Type[region.CoverageRow](), Gather: true, Optional: true, Doc: "parcellate's coverage of each run"},
			{Name: "volumes", Type: column.Type[column.VolumeRow](), Gather: true, Optional: true, Doc: "denoise's volumes of each run"},
		},
		Out: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "time series of all runs, concatenated; NaN for a missing region"},
			{Name: "quality", Type: column.Type[column.CleaningRow](), Doc: "quality over all runs, in one row, as in denoise"},
			{Name: "runs", Type: column.Type[joinedRow](), Doc: "the runs in the order in which they were joined"},
			{Name: "coverage", Type: column.Type[region.CoverageRow](), Doc: "the smallest coverage of each node over runs; empty when coverage is not connected"},
			{Name: "volumes", Type: column.Type[runVolumeRow](), Doc: "motion of each volume of all runs; empty when volumes is not connected"},
		},
	}
}

func (s *Join) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	series, quality := t.All("series"), t.All("quality")
	if err := sameParts(series, quality, t.All("coverage"), t.All("volumes")); err != nil {
		return nil, err
	}
	joined, rows, err := joinSeries(series)
	if err != nil {
		return nil, err
	}
	q, err := readRuns(quality)
	if err != nil {
		return nil, err
	}
	for i, run := range q.runs {
		if int(run.Kept) != rows[i] {
			return nil, fmt.Errorf("%s has %d volumes, but %s has %d: connect series and quality of one stage", series[i].Name, rows[i], quality[i].Name, run.Kept)
		}
	}
	whole := q.whole(int32(missingRegions(joined)))
	if err := s.enough(whole, len(rows)); err != nil {
		return nil, fmt.Errorf("%w%s", err, column.OrExclude)
	}
	coverage, err := leastCoverage(t.All("coverage"))
	if err != nil {
		return nil, err
	}
	volumes, err := q.volumes(t.All("volumes"))
	if err != nil {
		return nil, err
	}
	return dag.Outputs{
		"volumes":  column.Table(volumes),
		"series":   joined,
		"quality":  column.WithMeta(column.Table([]column.CleaningRow{whole}), q.meta(runNames(series))),
		"runs":     q.list(runNames(series)),
		"coverage": coverage,
	}, nil
}

// RefusesJoined tells from what cleaning leaves of each run whether too little would be left of all.
func (s *Join) RefusesJoined(runs []column.CleaningRow) error {
	q := runQuality{runs: runs}
	return s.enough(q.whole(0), len(runs))
}

func (s *Join) enough(whole column.CleaningRow, runs int) error {
	if int(whole.Kept) < s.MinVolumes {
		return tooLittle("%d volumes are kept in %s, fewer than min_volumes (%d)", whole.Kept, words.Count(runs, "run"), s.MinVolumes)
	}
	return enoughMinutes(whole, s.MinMinutes, " in "+words.Count(runs, "run"))
}

// sameParts refuses runs, or sessions, of several participants, which nobody may join, and inputs that are not of the
// same ones.
func sameParts(series []dag.Input, others ...[]dag.Input) error {
	for i, in := range series {
		if who := in.Coord("subject"); who != series[0].Coord("subject") {
			return fmt.Errorf("%s and %s belong to two participants: add each: subject to this stage", series[0].Name, in.Name)
		}
		if i > 0 && dag.CompareCoords(in.Coords, series[i-1].Coords) == 0 {
			return fmt.Errorf("%s appears twice", in.Name)
		}
	}
	for _, ins := range others {
		same := len(ins) == 0 || slices.EqualFunc(series, ins,
			func(a, b dag.Input) bool { return samePart(a, b) && samePart(b, a) })
		if !same {
			return fmt.Errorf("%s (%d runs) and %s (%d) have different runs or sessions: connect stages with the same fan-out", series[0].Name, len(series), ins[0].Name, len(ins))
		}
	}
	return nil
}

// samePart reports whether an input is of the participant, run and session of another. Of a decision, only inputs
// behind
// it have the axis.
func samePart(a, of dag.Input) bool {
	return !slices.ContainsFunc(a.Coords, func(c dag.Coord) bool {
		at := slices.IndexFunc(of.Coords, func(d dag.Coord) bool { return d.Axis == c.Axis })
		if at < 0 {
			return slices.Contains([]string{"subject", "run", "session"}, c.Axis)
		}
		return of.Coords[at].Value != c.Value
	})
}

func runNames(series []dag.Input) []string {
	names := make([]string, len(series))
	for i, in := range series {
		names[i] = cmp.Or(in.Coord("run"), in.Coord("session"), fmt.Sprint(i+1))
	}
	return names
}

// joinSeries concatenates along time, and tells how many volumes each run has.
func joinSeries(series []dag.Input) (*encoding.Array, []int, error) {
	runs := make([][]connectivity.Matrix, len(series))
	rows, total := make([]int, len(series)), 0
	for i, in := range series {
		draws, err := region.ReadDraws(in, "draw, time, roi")
		if err != nil {
			return nil, nil, err
		}
		if first := runs[0]; i > 0 && (len(draws) != len(first) || draws[0].Cols != first[0].Cols) {
			return nil, nil, fmt.Errorf(
				"%s has %d draws of %d regions, but %s has %d of %d: runs are joined draw by draw", in.Name, len(draws), draws[0].Cols, series[0].Name, len(first), first[0].Cols)
		}
		runs[i], rows[i] = draws, draws[0].Rows
		total += rows[i]
	}
	cols := runs[0][0].Cols
	v := make([]float64, 0, len(runs[0])*total*cols)
	for d := range runs[0] {
		from := len(v)
		for _, run := range runs {
			v = append(v, run[d].Data...)
		}
		spreadMissing(v[from:], cols)
	}
	return encoding.NewArray(v, len(runs[0]), total, cols), rows, nil
}

// spreadMissing makes a region that is missing in one run missing in all.
func spreadMissing(v []float64, cols int) {
	for j := range cols {
		missing := false
		for at := j; at < len(v) && !missing; at += cols {
			missing = math.IsNaN(v[at])
		}
		for at := j; missing && at < len(v); at += cols {
			v[at] = math.NaN()
		}
	}
}

// missingRegions counts the regions without series, in the draw with most.
func missingRegions(a *encoding.Array) int {
	most, cols := 0, a.Shape[2]
	for v := range slices.Chunk(a.Float64s(), a.Shape[1]*cols) {
		n := lists.Count(v[:cols], math.IsNaN)
		most = max(most, n)
	}
	return most
}

// runQuality is denoise's quality of some runs.
type runQuality struct {
	runs []column.CleaningRow
	made string // how they were cleaned
	// of each run, the regions and confounds with a code for missing values
	codes   [][]column.MissingCode
	wrapped int // voxels whose numbers overflow
	// referenceR is the least likeness of a raw scan to its reference; nil without one.
	referenceR *float64
}

// meta is the metadata of the quality of all runs, of these names.
func (q *runQuality) meta(names []string) map[string]string {
	meta := map[string]string{"made": q.made}
	if len(names) > 1 {
		meta[column.JoinedRuns] = column.JSON(names)
	}
	var codes []column.MissingCode
	for i, own := range q.codes {
		for _, c := range own {
			c.Run = names[i]
			codes = append(codes, c)
		}
	}
	if times := q.times(); times != nil {
		meta[column.RunTimes] = column.JSON(times)
	}
	if codes != nil {
		meta[column.MissingCodes] = column.JSON(codes)
	}
	if q.wrapped > 0 {
		meta[column.Wrapped] = column.JSON(q.wrapped)
	}
	if q.referenceR != nil {
		meta[column.ReferenceR] = column.JSON(*q.referenceR)
	}
	return meta
}

// readRuns reads them, and refuses runs that were cleaned in different ways.
func readRuns(quality []dag.Input) (*runQuality, error) {
	q := &runQuality{}
	for i, in := range quality {
		row, err := column.One[column.CleaningRow](in)
		if err != nil {
			return nil, err
		}
		t, err := in.Table()
		if err != nil {
			return nil, err
		}
		made := t.Meta["made"]
		if i > 0 && made != q.made {
			return nil, fmt.Errorf("%s was denoised differently from %s: %s", in.Name, quality[0].Name,
				strings.Join(column.MadeApart(made, q.made), "; "))
		}
		codes, err := column.MissingCodesOf(t.Meta)
		wrapped, other := column.MetaOf[int](t.Meta, column.Wrapped)
		like, bad := column.MetaOf[*float64](t.Meta, column.ReferenceR)
		if err = cmp.Or(err, other, bad); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if like != nil && (q.referenceR == nil || *like < *q.referenceR) {
			q.referenceR = like
		}
		q.wrapped += wrapped
		q.runs, q.made, q.codes = append(q.runs, row), made, append(q.codes, codes)
	}
	if len(quality) > 1 && column.MadeValue[string](q.made, "denoise.standardize") == "none" &&
		column.MadeValue[float64](q.made, "denoise.detrend") == -1 {
		return nil, errors.New("the runs keep their offsets (standardize: none, detrend: -1), which would look like correlation: use detrend: 0 or more in denoise")
	}
	return q, nil
}

// whole is what is left of all runs. The mean of each run is gone; further ones count with the trend. Motion is that
// of all volumes, the repetition time that of all runs, or none.
func (q *runQuality) whole(missing int32) column.CleaningRow {
	first, further := q.runs[0], int32(len(q.runs)-1)
	w := column.CleaningRow{
		Trend: further, TR: first.TR, TRFrom: first.TRFrom, MeanFD: math.NaN(),
		MaxFD:  math.NaN(),
		Events: math.NaN(), EventsInside: math.NaN(), EventsSpan: math.NaN(),
		Missing: missing, FirstRow: first.FirstRow, Strategy: first.Strategy, Why: first.Why, Sidecar: first.Sidecar,
	}
	for _, fact := range column.SeriesFacts {
		*fact.Of(&w), _ = column.MeanSD(column.Known(lists.Map(q.runs, func(r column.CleaningRow) float64 {
			return *fact.Of(&r)
		})))
	}
	mean, of := 0.0, 0.0
	for _, run := range q.runs {
		if run.GlobalR < w.GlobalR {
			w.GlobalR = run.GlobalR
		}
		w.FirstVolumes, w.NonSteadyLater = w.FirstVolumes+run.FirstVolumes, w.NonSteadyLater+run.NonSteadyLater
		w.Cosines, w.CosinesUsual = w.Cosines+run.Cosines, w.CosinesUsual+run.CosinesUsual
		w.OtherCosines += run.OtherCosines
		for _, v := range run.FarVolumes {
			w.FarVolumes = append(w.FarVolumes, w.Volumes+v)
		}
		w.Volumes, w.Kept, w.Regressors, w.Trend = w.Volumes+run.Volumes, w.Kept+run.Kept,
			w.Regressors+run.Regressors, w.Trend+run.Trend
		w.NonSteady, w.Censored, w.Seconds = w.NonSteady+run.NonSteady, w.Censored+run.Censored, w.Seconds+run.Seconds
		w.HighFD += run.HighFD
		w.FilterLoss += run.FilterLoss
		w.TEff += run.TEff
		w.Constant, w.Block = max(w.Constant, run.Constant), max(w.Block, run.Block)
		if run.Reduced > w.Reduced {
			w.Reduced, w.Lost, w.LostShares = run.Reduced, run.Lost, run.LostShares
		}
		w.NonFinite += run.NonFinite
		w.Unusable = append(w.Unusable, run.Unusable...)
		w.ConstantConfounds = append(w.ConstantConfounds, run.ConstantConfounds...)
		w.Bridge, w.Bridged = cmp.Or(w.Bridge, run.Bridge), w.Bridged+run.Bridged
		w.LongestGap = max(w.LongestGap, run.LongestGap)
		w.RepeatedVolumes += run.RepeatedVolumes
		w.RepeatedRegions = max(w.RepeatedRegions, run.RepeatedRegions)
		if !math.IsNaN(run.MeanFD) {
			mean += float64(run.MeanFD * float64(run.Volumes))
			of += float64(run.Volumes)
		}
		if !(w.MaxFD >= run.MaxFD) && !math.IsNaN(run.MaxFD) {
			w.MaxFD = run.MaxFD
		}
		if !bids.IsTime(run.TR) || bids.TimesDiffer(run.TR, first.TR) {
			w.TR = math.NaN()
		}
		if run.TRFrom != w.TRFrom {
			w.TRFrom = ""
		}
		w.Task, w.Conditions = cmp.Or(run.Task, w.Task), append(w.Conditions, run.Conditions...)
		if run.Events > 0 {
			if !(w.Events > 0) {
				w.Events, w.EventsInside = 0, 0
			}
			w.Events, w.EventsInside = w.Events+run.Events, w.EventsInside+run.EventsInside
		}
		w.RepeatedEvents += run.RepeatedEvents
		w.OverlappingEvents, w.EventsCut = w.OverlappingEvents+run.OverlappingEvents, w.EventsCut+run.EventsCut
		if !(w.EventsSpan <= run.EventsSpan) && !math.IsNaN(run.EventsSpan) {
			w.EventsSpan = run.EventsSpan
		}
		for _, name := range run.Confounds {
			w.Confounds = lists.Add(w.Confounds, name)
		}
	}
	if of > 0 {
		w.MeanFD = mean / of
	}
	slices.Sort(w.Unusable)
	slices.Sort(w.Conditions)
	w.Unusable, w.Conditions = slices.Compact(w.Unusable), slices.Compact(w.Conditions)
	return w
}

// times are the repetition times of the runs, where these are known and differ; otherwise nil.
func (q *runQuality) times() []float64 {
	times := lists.Map(q.runs, func(r column.CleaningRow) float64 { return r.TR })
	if slices.ContainsFunc(times, func(tr float64) bool { return !bids.IsTime(tr) }) ||
		!slices.ContainsFunc(times, func(tr float64) bool { return bids.TimesDiffer(tr, times[0]) }) {
		return nil
	}
	return times
}

// list has a row a run.
func (q *runQuality) list(names []string) *encoding.Table {
	rows := make([]joinedRow, len(names))
	for i, run := range q.runs {
		rows[i] = joinedRow{names[i], run.Volumes, run.Kept, run.TEff}
	}
	return column.Table(rows)
}

// A joinedRow is one of the runs that were joined.
type joinedRow struct {
	Run     string  `column:"run"`
	Volumes int32   `column:"volumes" doc:"volumes of the run"`
	Kept    int32   `column:"kept" doc:"volumes after censoring"`
	TEff    float64 `column:"t_eff" doc:"degrees of freedom left"`
}

// A runVolumeRow is one volume of the joined runs.
type runVolumeRow struct {
	column.VolumeRow        // counted over all runs
	Run              string `column:"run" doc:"the run of the volume"`
}

// volumes puts the tables of volumes one after the other.
func (q *runQuality) volumes(ins []dag.Input) ([]runVolumeRow, error) {
	var all []runVolumeRow
	names := runNames(ins)
	for i, in := range ins {
		rows, err := column.Read[column.VolumeRow](in)
		if err != nil {
			return nil, err
		}
		if len(rows) != int(q.runs[i].Volumes) {
			return nil, fmt.Errorf("%s has %d volumes, but its quality has %d: connect volumes and quality of one stage", in.Name, len(rows), q.runs[i].Volumes)
		}
		for _, row := range rows {
			row.Volume = int32(len(all) + 1)
			all = append(all, runVolumeRow{row, names[i]})
		}
	}
	return all, nil
}

// leastCoverage is, of each node, the least that a run sees.
func leastCoverage(ins []dag.Input) (*encoding.Table, error) {
	least, meta := []region.CoverageRow{}, map[string]string{}
	for k, in := range ins {
		t, err := in.Table()
		if err != nil {
			return nil, err
		}
		rows, err := column.Rows[region.CoverageRow](t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if k == 0 {
			least, meta = rows, t.Meta
			continue
		}
		if len(rows) != len(least) {
			return nil, fmt.Errorf("%s: %d nodes, but %s has %d", in.Name, len(rows), ins[0].Name, len(least))
		}
		for i, r := range rows {
			l := least[i]
			least[i] = region.CoverageRow{Node: r.Node, LabelVoxels: min(r.LabelVoxels, l.LabelVoxels),
				Voxels: min(r.Voxels, l.Voxels), Coverage: min(r.Coverage, l.Coverage), Kept: r.Kept && l.Kept}
		}
	}
	return column.WithMeta(column.Table(least), meta), nil
}
