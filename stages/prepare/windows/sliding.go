package windows

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
	"prgnn/connectivity/dynamic"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var windowsKind = dag.Kind{
	Name: "windows",
	Doc: "sliding-window connectivity of a participant\n" +
		"Correlation, or shrunk partial correlation, of the denoised series (draw 0) in windows that a taper weights, as Fisher's z; and how much each pair of regions varies over the windows. A window shorter than the slowest fluctuation left in the series varies without any change of connectivity (Leonardi & Van De Ville 2015): the output quality warns. No window crosses censored volumes or the end of a run. The stage states finds states that the windows return to (docs/dynamic.md).",
	New: func() dag.Stage {
		return &SlidingWindows{Width: 60, Step: 4, Taper: "gaussian", Sigma: 6, Of: "pearson"}
	},
	Memory: 64 << 20,
}

var (
	_ role.Drawer   = (*SlidingWindows)(nil)
	_ role.Measurer = (*SlidingWindows)(nil)
)

// SlidingWindows estimates connectivity in windows.
type SlidingWindows struct {
	Width float64 `param:"width" doc:"duration of a window; at least 1/f of the lowest frequency f in the series, 100 s for a high-pass filter at 0.01 Hz; rounded to volumes" min:"1" max:"3600" unit:"s"`
	Step  float64 `param:"step" doc:"time from one window to the next, rounded to volumes, at least one" min:"0" max:"3600" unit:"s"`
	Taper string  `param:"taper" doc:"weights of the volumes: rectangular; gaussian, a rectangle of the width convolved with a Gaussian (GIFT; Allen et al. 2014); hamming" choices:"rectangular|gaussian|hamming"`
	Sigma float64 `param:"sigma" doc:"taper gaussian: standard deviation of the Gaussian (Allen et al. 2014: 3 volumes of 2 s)" min:"0.001" max:"600" unit:"s"`
	Of    string  `param:"of" doc:"pearson: correlation; partial: partial correlation, shrunk after Ledoit and Wolf" choices:"pearson|partial"`
	TR    float64 `param:"tr" doc:"repetition time; one that differs from it is refused" zero:"from quality" min:"0" max:"60" unit:"s"`
}

// DrawsOf is how many draws its arrays have.
func (*SlidingWindows) DrawsOf(int) int { return 1 }

// Measures are what the windows hold, and how it varies.
func (s *SlidingWindows) Measures(output string, of func(string) column.Data) column.Data {
	d := column.Data{Measure: s.Of, FisherZ: true, Series: of("series").Series}
	if s.Of == "partial" {
		d.Estimator = "ledoit-wolf"
	}
	switch output {
	case "windows":
		return d
	case "variability":
		d.Measure, d.Of = column.Variability, s.Of
		return d
	}
	return column.Data{}
}

func (*SlidingWindows) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "denoised time series of denoise or join; draw 0 is used"},
			{Name: "quality", Type: column.Type[column.CleaningRow](), Doc: "denoise's quality: repetition time, and the filter"},
			{Name: "volumes", Type: column.Type[column.VolumeRow](), Optional: true, Doc: "denoise's volumes, or join's; needed where volumes were left out or runs joined"},
		},
		Out: []dag.Port{
			{Name: "windows", Type: dag.NPY("<f4", "window", "edge"), Doc: "Fisher's z of the pairs of regions, the upper triangle by rows; 0 for a region without a signal"},
			{Name: "list", Type: column.Type[windowRow](), Doc: "the windows"},
			{Name: "variability", Type: dag.NPY("<f8", "draw", "roi", "roi"), Doc: "standard deviation over the windows (n−1) of Fisher's z of each pair, as one draw; 0 on the diagonal"},
			{Name: "quality", Type: column.Type[windowsRow](), Doc: "the windows in one row, with warnings"},
		},
	}
}

// A windowRow is one window.
type windowRow struct {
	Window   int32   `column:"window" doc:"from 1"`
	First    int32   `column:"first" doc:"its first volume among the kept ones, from 1"`
	Start    float64 `column:"start" unit:"s" doc:"time of that volume from the first kept one, without the volumes left out"`
	Begins   bool    `column:"begins" doc:"the first window of a run, or after censored volumes"`
	Variance float64 `column:"variance" doc:"variance of Fisher's z over the pairs of regions"`
	Exemplar bool    `column:"exemplar" doc:"local maximum of variance (Allen et al. 2014)"`
}

// A windowsRow tells of the windows of a participant.
type windowsRow struct {
	Windows  int32   `column:"windows"`
	Width    int32   `column:"width" unit:"volumes" doc:"width of a window, without the flanks of its taper"`
	Seconds  float64 `column:"seconds" unit:"s" doc:"the same in time"`
	Step     float64 `column:"step" unit:"s" doc:"time from one window to the next"`
	Scan     float64 `column:"scan" unit:"s" doc:"duration of the kept volumes"`
	HighPass float64 `column:"high_pass,missing" unit:"Hz" doc:"lowest frequency left in the series, by the high-pass filter or fMRIPrep's cosines; empty where neither was used"`
	Warning  string  `column:"warning" doc:"what the row warns of, for programs: a JSON list of findings; empty if none"`
}

// fewestWidths is how many windows side by side a scan should have.
const fewestWidths = 5

func (s *SlidingWindows) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("series")
	draws, err := region.ReadDraws(in, "draw, time, roi")
	if err != nil {
		return nil, err
	}
	x := draws[0]
	status, err := connectivity.Inspect(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	clean, err := column.One[column.CleaningRow](t.In("quality"))
	if err != nil {
		return nil, err
	}
	segments, err := segmentsOf(t, &clean, x.Rows)
	if err != nil {
		return nil, err
	}
	quality, err := t.In("quality").Table()
	if err != nil {
		return nil, err
	}
	if times, err := column.TimesOfRuns(quality.Meta); err != nil || times != nil {
		return nil, fmt.Errorf("%s: %w", t.In("quality").Name, cmp.Or(err, column.OneTime("a window in s", times)))
	}
	tr, err := bids.TimeOr(s.TR, t.In("quality").Name, clean.TR)
	if err != nil {
		return nil, err
	}
	if !(tr > 0) {
		return nil, fmt.Errorf("%s: %w", in.Name, column.TimeUnknown("a window in s"))
	}
	width, step := int(math.Round(s.Width/tr)), max(1, int(math.Round(s.Step/tr)))
	if width < 3 {
		return nil, fmt.Errorf("%s: a width of %g s is %s: set a width of three or more", in.Name, s.Width, words.Count(width, "volume"))
	}
	weights, flank, err := dynamic.Weights(dynamic.Taper(s.Taper), width, s.Sigma/tr)
	if err != nil {
		return nil, err
	}
	windows := dynamic.Windows(segments, weights, flank, step)
	if n := len(windows); n < 2 {
		return nil, fmt.Errorf("%s: %s of %d volumes (%g s) in %s without a gap: set a smaller width%s", in.Name,
			words.Count(n, "window"), width, float64(width)*tr, words.Count(len(segments), "segment"), column.OrExclude)
	}
	pairs := x.Cols * (x.Cols - 1) / 2
	z := make([]float64, 0, len(windows)*pairs)
	begins, variance := make([]bool, len(windows)), make([]float64, len(windows))
	estimator := dynamic.NewEstimator(status, s.Of == "partial")
	for i, w := range windows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one, err := estimator.Estimate(x, w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		z, variance[i] = append(z, one...), varianceOf(one)
		begins[i] = w.Begins
	}
	rows := make([]windowRow, len(windows))
	for i, exemplar := range dynamic.Exemplars(variance, begins) {
		first := windows[i].First
		rows[i] = windowRow{int32(i + 1), int32(first + 1), float64(first) * tr, begins[i], variance[i], exemplar}
	}
	made, err := column.MadeOf(t, "quality")
	if err != nil {
		return nil, err
	}
	row := windowsRow{Windows: int32(len(windows)), Width: int32(width), Seconds: float64(width) * tr,
		Step: float64(step) * tr, Scan: float64(x.Rows) * tr, HighPass: highPassOf(made, clean.Confounds)}
	row.Warning = finding.Written(row.warn(s.Width))
	meta := column.MadeBy("windows", s, made, "tr")
	return dag.Outputs{
		"windows":     region.Float32(z, len(windows), pairs),
		"list":        column.WithMeta(column.Table(rows), meta),
		"variability": variability(z, len(windows), x.Cols),
		"quality":     column.Table([]windowsRow{row}),
	}, nil
}

// segmentsOf are the rows of consecutive volumes of one run.
func segmentsOf(t *dag.Task, clean *column.CleaningRow, rows int) ([]connectivity.Segment, error) {
	if !t.Has("volumes") {
		if int(clean.Kept) < int(clean.Volumes) {
			return nil, fmt.Errorf("%s: %d of %d volumes were left out: connect volumes of the same stage, so that no window crosses a gap", t.In("quality").Name, clean.Volumes-clean.Kept, clean.Volumes)
		}
		return []connectivity.Segment{{From: 0, To: rows}}, nil
	}
	volumes, err := column.Read[struct {
		LeftOut string `column:"left_out"`
		Run     string `column:"run,optional"`
	}](t.In("volumes"))
	if err != nil {
		return nil, err
	}
	var all []connectivity.Segment
	row, open := 0, false
	for i, v := range volumes {
		if v.LeftOut != "" {
			open = false
			continue
		}
		if !open || v.Run != volumes[i-1].Run {
			all = append(all, connectivity.Segment{From: row})
		}
		row, open = row+1, true
		all[len(all)-1].To = row
	}
	if row != rows {
		return nil, fmt.Errorf("%s keeps %d volumes, and %s has %d: connect outputs of one stage", t.In("volumes").Name, row, t.In("series").Name, rows)
	}
	return all, nil
}

// highPassOf is the lowest frequency that cleaning left, Hz; NaN where it took out a trend only.
func highPassOf(made string, confounds []string) float64 {
	f := 0.0
	if column.MadeValue[string](made, "denoise.filter") != "none" {
		f = column.MadeValue[float64](made, "denoise.high_pass")
	}
	switch {
	case f > 0:
		return f
	case slices.ContainsFunc(confounds, func(name string) bool { return strings.HasPrefix(name, "cosine") }):
		return 1.0 / 128
	}
	return math.NaN()
}

// warn says what the windows cannot show; asked is their width before it was rounded to volumes.
func (r *windowsRow) warn(asked float64) (all finding.List) {
	switch {
	case math.IsNaN(r.HighPass):
		all.Add(finding.Warning("windows.no-high-pass", map[string]any{"Seconds": r.Seconds}))
	case max(r.Seconds, asked) < (1-1e-9)/r.HighPass:
		all.Add(finding.Warning("windows.short", map[string]any{"Seconds": r.Seconds, "HighPass": r.HighPass,
			"Period": 1 / r.HighPass}))
	}
	if r.Scan < fewestWidths*r.Seconds {
		all.Add(finding.Warning("windows.few", map[string]any{"Seconds": r.Seconds, "Least": fewestWidths}))
	}
	return all
}

func varianceOf(v []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sum += float64((x - mean) * (x - mean))
	}
	return sum / float64(len(v)-1)
}

// variability is the standard deviation over windows as a matrix of n regions.
func variability(z []float64, windows, n int) *encoding.Array {
	m, at, series := make([]float64, n*n), 0, make([]float64, windows)
	pairs := n * (n - 1) / 2
	for i := range n {
		for j := i + 1; j < n; j++ {
			for w := range series {
				series[w] = z[w*pairs+at]
			}
			m[i*n+j] = math.Sqrt(varianceOf(series))
			m[j*n+i] = m[i*n+j]
			at++
		}
	}
	return encoding.NewArray(m, 1, n, n)
}

// Validate checks parameters against each other.
func (s *SlidingWindows) Validate() []error {
	errs := bids.CheckTime(s.TR)
	if s.Step > s.Width {
		errs = append(errs, errors.New("step is longer than width: volumes between two windows would not be used"))
	}
	return errs
}
