package participants

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// cleaningTask gathers a quality table a participant.
func cleaningTask(rows map[string]column.CleaningRow, order ...string) *dag.Task {
	var in []dag.Input
	for _, id := range order {
		one := dag.InputOf(column.Table([]column.CleaningRow{rows[id]}))
		one.Coords = []dag.Coord{{Axis: "subject", Value: id}}
		in = append(in, one)
	}
	return dag.NewTask(map[string][]dag.Input{"cleaning": in})
}

// Every finding about the scans has an entry that can be written, with the most severe scans first.
func TestCleaningIsWritten(t *testing.T) {
	type row = column.CleaningRow
	fine := row{Volumes: 148, Kept: 148, Regressors: 29, TR: 2, MeanFD: math.NaN(), MaxFD: math.NaN(), Seconds: 296,
		TEff: 118, Strategy: "simple", GlobalR: math.NaN()}
	with := func(change func(*row)) row { r := fine; change(&r); return r }
	raw := func(why string) row {
		return with(func(r *row) { r.Strategy, r.Why, r.Regressors = "none", why, 0 })
	}
	const simple = "Nuisance regression: strategy simple with 24 motion parameters, white matter, CSF and fMRIPrep's cosines (high-pass filter at 1/128 Hz)"
	for _, c := range []struct {
		rows     []row
		text     string
		cautions []string // of each some words, in their order
	}{
		{[]row{fine, fine, fine}, simple + ".", nil},
		{[]row{with(func(r *row) { r.Strategy = "mine" })}, "Nuisance regression: columns of the confounds file that the pipeline lists.", nil},
		{[]row{raw(column.AskedForNone), raw(column.AskedForNone)}, "No nuisance regression (regress: none).",
			[]string{"(regress: none), so motion"}},
		{[]row{raw(column.SeriesGiven)}, "No nuisance regression (the time series were supplied; their denoising strategy is unknown).",
			[]string{"The time series was supplied already preprocessed; the denoising strategy is unknown, so the degrees of freedom are upper bounds, and motion"}},
		{[]row{with(func(r *row) { r.Strategy, r.Why, r.Sidecar = "none", column.SeriesGiven, "36P" })},
			"No nuisance regression (the time series were supplied; according to the sidecar, they had been cleaned with 36P).", nil},
		{[]row{fine, fine, raw(column.NoConfounds)}, simple + " in sub-1 and sub-2; none (no confounds in the data) in sub-3.",
			[]string{"(no confounds in the data) in sub-3, while"}},
		{[]row{fine, fine, fine, with(func(r *row) { r.Volumes, r.TR = 70, 1.495 }),
			with(func(r *row) { r.NonFinite, r.Reduced, r.Missing, r.Constant = 9, 2, 1, 3 }),
			with(func(r *row) { r.Censored = 75 })}, simple + ".", []string{
			"Scans with less than half of the median number of volumes (148); if a file was truncated, copy it again: sub-4 (70 volumes)",
			"(most have 2 s): sub-4 (1.495 s)",
			"Voxels with NaN or infinity, excluded from their regions: sub-5 (9 voxels)",
			"(constant or not finite): sub-5 (2 regions)",
			"(no signal): sub-5 (4 regions)",
			"censored for motion: sub-6 (75 of 148)"}},
		{[]row{fine, fine, with(func(r *row) { r.RepeatedVolumes = 105 }), with(func(r *row) { r.RepeatedRegions = 1 }),
			with(func(r *row) { r.RepeatedVolumes, r.RepeatedRegions, r.Volumes = 1, 2, 150 })}, simple, []string{
			"(most have 148 volumes): sub-5 (150 volumes)",
			"or repeat an earlier block (zeros or copies; repair the data, or exclude the participants with exclude: [sub-3, sub-5] under cohort): sub-3 (105 of 148 volumes), sub-5 (1 of 150 volumes)",
			"(repair the data, or exclude the participants with exclude: [sub-4, sub-5] under cohort): sub-5 (2 regions), sub-4 (1 region)"}},
		{[]row{fine, with(func(r *row) { r.NonSteady, r.NonSteadyLater = 3, 1 }),
			with(func(r *row) { r.Cosines, r.CosinesUsual, r.OtherCosines = 2, 3, 1 })}, simple, []string{
			"Correct the confounds: sub-2 (3 of 148 volumes, 1 of them later)",
			"with the scan: sub-3 (2 cosines, fMRIPrep writes 3; not half waves of this scan: 1)"}},
		{[]row{fine, with(func(r *row) { r.FirstVolumes = 2 }), with(func(r *row) { r.FarVolumes = []int32{7, 9} })},
			simple, []string{
				"elsewhere, or exclude the participants with exclude: [sub-2] under cohort: sub-2 (2 volumes)",
				"in denoise, or exclude the participants with exclude: [sub-3] under cohort: sub-3 (2 of 148 volumes: 7 and 9)"}},
		{[]row{fine, fine, with(func(r *row) { r.Confounds, r.GlobalR = []string{"csf"}, -0.018 })}, simple, []string{
			"less than 0.5 with global_signal. They belong to a different participant or run, or the scan was filtered or resampled in time, or its global signal was removed, after they were computed. Supply the confounds of this scan, and the scan from which they were computed, or exclude the participants with exclude: [sub-3] under cohort: sub-3 (r −0.02)"}},
		{[]row{fine, fine, with(func(r *row) {
			r.Confounds, r.ConstantConfounds = make([]string, 6), []string{"rot_x", "rot_y"}
		})}, simple, []string{
			"Constant regressors, or copies of another regressor, which regress out nothing (correct the confounds, or exclude the participants with exclude: [sub-3] under cohort): sub-3 (2 of 6: rot_x and rot_y)"}},
		{slices.Repeat([]row{with(func(r *row) { r.RepeatedRegions = 2 })}, 7), simple,
			[]string{"(repair the data): 7 of 7 scans"}},
		{append(slices.Repeat([]row{with(func(r *row) { r.Constant = 1 })}, 6),
			with(func(r *row) { r.Missing, r.Constant = 50, 8 })), simple,
			[]string{": 7 of 7 scans, most in sub-7 (58 regions)"}},
		{[]row{fine, with(func(r *row) { r.MeanFD, r.HighFD = 0.51, 20 }),
			with(func(r *row) { r.Bridge, r.Kept, r.Bridged, r.LongestGap = "linear", 74, 26, 9 }),
			with(func(r *row) { r.Bridge, r.Kept, r.Bridged, r.LongestGap = "nilearn", 90, 6, 6 })}, simple, []string{
			"Gaps of more than 5 censored volumes bridged by a cubic spline, which overshoots and distorts the correlations (set bridge: linear in denoise): sub-4 (a gap of 6 volumes)",
			"More than 25% of the volumes bridged", "(mean FD above 0.5 mm"}},
		{[]row{with(func(r *row) { r.Task, r.Conditions = "fir", []string{"go", "stop"} }),
			with(func(r *row) { r.Task, r.Conditions = "fir", []string{"go", "error"} })},
			"Task regression: responses to error, go, stop (finite impulse responses) were regressed out of 2 scans.", nil},
		{[]row{fine, with(func(r *row) { r.Events, r.EventsInside, r.RepeatedEvents = 240, 200, 7 })}, simple,
			[]string{"sub-2 (40 of 240)", "sub-2 (7 of 240)"}},
		{[]row{with(func(r *row) { r.Task, r.Conditions = "none", []string{"go", "stop"} }), fine}, simple,
			[]string{"(go, stop) were not regressed out of 1 scan", "although other scans have events: sub-2"}},
		{[]row{fine, with(func(r *row) {
			r.Reduced, r.Lost, r.LostShares = 2, []string{"l.TP", "r.TP"},
				[]float64{0.25, 0.999}
		})}, simple,
			[]string{": sub-2 (l.TP 25%, r.TP 99%)"}},
		{append(slices.Repeat([]row{with(func(r *row) {
			r.Reduced, r.Lost, r.LostShares = 1, []string{"a"},
				[]float64{0.12}
		})}, 6),
			with(func(r *row) { r.Reduced, r.Lost, r.LostShares = 2, []string{"a", "b"}, []float64{0.9, 1} })), simple,
			[]string{": a in all 7 scans (median 12%, up to 90%), one more region in one scan"}},
		{append(slices.Repeat([]row{fine}, 5), slices.Repeat([]row{with(func(r *row) {
			r.Reduced, r.Lost, r.LostShares = 4, []string{"a", "b", "c", "d"}, []float64{0.12, 0.12, 0.12, 0.5}
		})}, 7)...), simple, []string{": a in 7 of 12 scans (12%), b in 7 of 12 scans (12%) and 2 more"}},
		{[]row{with(func(r *row) { r.Strategy = "ica_aroma" })}, "from scans denoised by ICA-AROMA.",
			[]string{"desc-smoothAROMAnonaggr"}},
	} {
		rows, ids := map[string]row{}, []string{"sub-1", "sub-2", "sub-3", "sub-4", "sub-5", "sub-6", "sub-7", "sub-8",
			"sub-9", "sub-10", "sub-11", "sub-12"}[:len(c.rows)]
		for i, id := range ids {
			rows[id] = c.rows[i]
		}
		a := &Cohort{Writer: section.NewWriter(cleaningTask(rows, ids...))}
		a.readCleaned()
		need.NoError(t, a.Err())
		a.cleaning()
		a.Page.Sections = []report.Section{*a.Section}
		if text := strings.Join(strings.Fields(a.Page.Text()), " "); !strings.Contains(text, c.text) {
			t.Errorf("%q\nwant %q", text, c.text)
		}
		got := a.Cautions()
		need.NoError(t, a.Err())
		need.Equal(t, len(got), len(c.cautions), got)
		for i := range min(len(got), len(c.cautions)) {
			if !strings.Contains(got[i], c.cautions[i]) {
				t.Errorf("caution %q\nwant %q", got[i], c.cautions[i])
			}
		}
	}
}

// What was lost before this program is not known: what it counts as left is a bound.
func TestDegreesOfFreedomAreBounds(t *testing.T) {
	for why, bound := range map[string]bool{column.SeriesGiven: true, column.CleanedScan: true,
		column.AskedForNone: false} {
		row := column.CleaningRow{Volumes: 120, Kept: 120, TEff: 119, Strategy: "none", Why: why, MeanFD: math.NaN()}
		a := &Cohort{Writer: section.NewWriter(cleaningTask(map[string]column.CleaningRow{"sub-1": row}, "sub-1"))}
		a.Section.Title = "Checks"
		a.readCleaned()
		a.Quality()
		need.NoError(t, a.Err())
		a.motionTable([]column.MotionRow{{Strategy: []string{"none"}, Participants: 40, Lost: 1, Remaining: 119}})
		a.Page.Sections = []report.Section{*a.Section}
		text := strings.Join(strings.Fields(a.Page.Text()), " ")
		for _, want := range []string{"degrees of freedom (upper bound)",
			"so dof lost is a lower bound and dof left an upper bound."} {
			if strings.Contains(text, want) != bound {
				t.Errorf("%s: %q is told: %v in\n%s", why, want, !bound, text)
			}
		}
	}
}

// Who has no standard error, for too few degrees of freedom, is counted beside the largest of the others.
func TestUndefinedStandardErrorsAreCounted(t *testing.T) {
	var in []dag.Input
	for i, v := range []float64{0.11, math.NaN(), 0.3} {
		one := dag.InputOf(encoding.NewTable(encoding.Column{Name: "partial_se", Values: []float64{v}},
			encoding.Column{Name: "warning", Values: []string{""}}))
		one.Coords = []dag.Coord{{Axis: "subject", Value: []string{"sub-1", "sub-2", "sub-3"}[i]}}
		in = append(in, one)
	}
	a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"connectivity": in}))}
	a.Section.Title = "Checks"
	a.Quality()
	need.NoError(t, a.Err())
	a.Page.Sections = []report.Section{*a.Section}
	text := strings.Join(strings.Fields(a.Page.Text()), " ")
	if want := "The standard error is undefined for 1 participant with too few degrees of freedom."; !strings.Contains(text, want) {
		t.Errorf("%q is missing in\n%s", want, text)
	}
}

// Numbers that may stand for missing values are a caution by participant, with the names of regions.
func TestMissingCodesAreACaution(t *testing.T) {
	row := column.CleaningRow{Volumes: 148, Kept: 148, TR: 2, Strategy: "none", Why: column.Simulated}
	quality := column.WithMeta(column.Table([]column.CleaningRow{row}), map[string]string{
		column.MissingCodes: column.JSON([]column.MissingCode{{Region: 2, Code: -9999, Volumes: 3},
			{Column: "csf", Code: 999, Volumes: 1}}), column.Wrapped: "9",
		column.ReferenceR: "0.42"})
	nodes := encoding.NewTable(encoding.Column{Name: "index", Values: []int32{1, 2}},
		encoding.Column{Name: "name", Values: []string{"left", "right"}})
	w := section.NewWriter(dag.NewTask(map[string][]dag.Input{"nodes": {dag.InputOf(nodes)},
		"cleaning": {dag.InputOf(quality, dag.Coord{Axis: "subject", Value: "sub-7"})}}))
	a := &Cohort{Writer: w}
	a.Read()
	need.NoError(t, a.Err())
	a.cleaning()
	const want = "Values that may code missing data are analyzed as measurements (replace them by n/a, or exclude the participants): sub-7 (region 2 (right): -9999 in 3 volumes, column csf: 999 in 1 volume)"
	const over = "Stored 16-bit numbers overflow: values of a voxel jump by about 65,536 (convert the original images again, to 32 bits or with a scale factor; repair the data, or exclude the participants with exclude: [sub-7] under cohort): sub-7 (9 voxels)"
	const unlike = "The raw scans are unlike the references to which their transforms belong (r below 0.7 over the voxels of the regions). They may be of a different participant or run, or mirrored. Supply the raw scans that fMRIPrep processed, or exclude the participants with exclude: [sub-7] under cohort: sub-7 (r 0.42)"
	for _, caution := range []string{want, over, unlike} {
		if !slices.Contains(w.Cautions(), caution) {
			t.Errorf("%q is not among %q", caution, w.Cautions())
		}
	}
}

// The forms that the tables of matrices have are compared, and those that differ are cautions in words.
func TestFormsOfMatricesAreCautions(t *testing.T) {
	var in []dag.Input
	for i, form := range []column.MatrixForm{{Diagonal: "1", Negative: 0.3}, {Diagonal: "1", Negative: 0.3},
		{Diagonal: "0", Negative: 0.3, Spectrum: column.Spectrum{Constant: true}}, {Diagonal: "1"}} {
		form.Port = "pearson"
		in = append(in, dag.InputOf(column.WithMeta(&encoding.Table{}, map[string]string{
			column.FormsKey: column.JSON([]column.MatrixForm{form})}),
			dag.Coord{Axis: "subject", Value: fmt.Sprint("sub-", i+1)}))
	}
	a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"connectivity": in}))}
	a.FindOf(nil, quality.FormsDiffer(a.forms(), nil)...)
	text := strings.Join(a.Cautions(), "\n")
	for _, want := range []string{"The diagonals of the matrices (pearson) differ: 0 in 1 of 4, 1 in most.",
		"set fisher_z if it is z): sub-3", "Matrices (pearson) without negative entries in 1 of 4,",
		"(supply signed correlations for all): sub-4",
		"Matrices (pearson) of 1 of 4 look as if the global signal had been removed: a mean of all regions is constant."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q has no %q", text, want)
		}
	}
}

// A region without a series may have a signal, in too few of its voxels: the caution says so.
func TestCautionOfRegionsWithoutSeries(t *testing.T) {
	rows := []column.CleaningRow{{Missing: 8, MeanFD: 0.1, Strategy: "none", Why: column.Simulated,
		GlobalR: math.NaN()}}
	table := column.WithMeta(column.Table(rows),
		map[string]string{"made": `{"bootstrap.fraction":0.5,"bootstrap.min_valid":0.5,"denoise.detrend":1}`})
	in := dag.InputOf(table)
	in.Coords = []dag.Coord{{Axis: "subject", Value: "sub-23"}}
	a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"cleaning": {in}}))}
	a.Read()
	need.NoError(t, a.Err())
	a.cleaning()
	const want = "Regions without a usable series (no signal, or less than 50% of their voxels valid): sub-23 (8 regions)"
	if !slices.Equal(a.Cautions(), []string{want}) {
		t.Errorf("%q, want %q", a.Cautions(), want)
	}
}

// Joined runs are counted by participant: 2 of 4 time series were supplied, and not all of 2. The tables state so
// themselves, for a page without the parameters.
func TestJoinedRunsAreCountedByParticipant(t *testing.T) {
	write := func(runs ...string) string {
		var in []dag.Input
		for _, id := range []string{"sub-1", "sub-2"} {
			table := column.Table([]column.CleaningRow{{Volumes: 148, Kept: 148, TR: 2, Trend: 3, Strategy: "none",
				Why: column.SeriesGiven, MeanFD: 0.1, Task: "none", Conditions: []string{"go"}}})
			if runs != nil {
				table = column.WithMeta(table, map[string]string{column.JoinedRuns: column.JSON(runs)})
			}
			in = append(in, dag.InputOf(table, dag.Coord{Axis: "subject", Value: id}))
		}
		a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"cleaning": in}))}
		a.Read()
		need.NoError(t, a.Err())
		a.cleaning()
		a.Page.Sections = []report.Section{*a.Section}
		return strings.Join(strings.Fields(a.Page.Text()), " ") + strings.Join(a.Cautions(), " ")
	}
	one := []string{"All 2 time series were supplied", "out of 2 scans (task"}
	for _, c := range []struct {
		runs, want []string
	}{{nil, one}, {[]string{"1"}, one}, {[]string{"1", "2"}, []string{
		"The time series of all 2 participants were supplied", "out of the scans of 2 participants (task"}}} {
		text := write(c.runs...)
		for _, want := range c.want {
			need.Equal(t, strings.Contains(text, want), true, text)
		}
	}
}
