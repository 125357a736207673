package participants

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
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

func TestCleaningIsTold(t *testing.T) {
	fine := column.CleaningRow{Volumes: 148, Kept: 148, Regressors: 29, TR: 2, MeanFD: math.NaN(), MaxFD: math.NaN(),
		Seconds: 296, TEff: 118, Strategy: "simple"}
	with := func(change func(*column.CleaningRow)) column.CleaningRow { r := fine; change(&r); return r }
	raw := func(why string) column.CleaningRow {
		return with(func(r *column.CleaningRow) { r.Strategy, r.Why, r.Regressors = "none", why, 0 })
	}
	const simple = "strategy simple: 24 motion parameters, white matter, CSF and fMRIPrep's cosines (high-pass filter at 1/128 Hz)"
	for _, c := range []struct {
		name     string
		rows     []column.CleaningRow
		told     string   // of the text, in one line
		cautions []string // all
	}{
		{"everybody alike", []column.CleaningRow{fine, fine, fine}, "Nuisance regression: " + simple, nil},
		{"none by hand", []column.CleaningRow{raw(column.AskedForNone), raw(column.AskedForNone)}, "No nuisance regression (regress: none)",
			[]string{"No nuisance regression (regress: none): motion and physiological noise remain in the correlations"}},
		{"no table", []column.CleaningRow{raw(column.NoConfounds)}, "No nuisance regression (no confounds in the data)",
			[]string{"No nuisance regression (no confounds in the data): motion and physiological noise remain in the correlations"}},
		{"simulated", []column.CleaningRow{raw(column.Simulated)}, "No nuisance regression (simulated confounds)", nil},
		{"series", []column.CleaningRow{raw(column.SeriesGiven)}, "No nuisance regression by this program (time series used as given; how they were cleaned is not known to it)",
			[]string{"Time series used as given of 1 of 1 scan: how they were cleaned is not known, and degrees of freedom are upper bounds; their motion was not assessed"}},
		{"series with motion", []column.CleaningRow{with(func(r *column.CleaningRow) {
			r.Strategy, r.Why, r.MeanFD = "none", column.SeriesGiven, 0.1
		})},
			"(time series used as given; how they were cleaned is not known to it)",
			[]string{"Time series used as given of 1 of 1 scan: how they were cleaned is not known, and degrees of freedom are upper bounds"}},
		{"series with a sidecar", []column.CleaningRow{raw(column.SeriesGiven + column.AsSidecarSays + "36P")},
			"No nuisance regression by this program (time series used as given; according to the sidecar, cleaned with 36P)", nil},
		{"one without", []column.CleaningRow{fine, fine, raw(column.NoConfounds)}, simple + ": sub-1, sub-2",
			[]string{"No nuisance regression (no confounds in the data) for sub-3, while others were cleaned"}},
		{"other scans", []column.CleaningRow{fine, fine, fine,
			with(func(r *column.CleaningRow) { r.Volumes, r.TR = 74, 1 }),
			with(func(r *column.CleaningRow) { r.NonFinite, r.Reduced, r.Missing, r.Constant = 9, 2, 1, 3 }),
			with(func(r *column.CleaningRow) { r.Censored = 75 })}, simple, []string{
			"Scans of unusual length (most have 148 volumes): sub-4 (74 volumes)",
			"Scans with an unusual repetition time (most have 2 s): sub-4 (1 s)",
			"Voxels with NaN or infinity, excluded from their regions: sub-5 (9 voxels)",
			"Regions that lost more than a tenth of their voxels (constant or not finite): sub-5 (2 regions)",
			"Regions without a usable series (no signal): sub-5 (4 regions)",
			"More than half of the volumes censored for motion: sub-6 (75 of 148)",
		}},
		{"damaged series", []column.CleaningRow{fine, fine,
			with(func(r *column.CleaningRow) { r.RepeatedVolumes = 105 }),
			with(func(r *column.CleaningRow) { r.RepeatedRegions = 1 }),
			with(func(r *column.CleaningRow) { r.RepeatedVolumes, r.RepeatedRegions = 1, 2 })}, simple, []string{
			"Volumes that equal the volume before them in all regions (zeros or copies; repair the data, or under cohort: exclude: [sub-3, sub-5]): sub-3 (105 of 148 volumes), sub-5 (1 of 148 volumes)",
			"Regions with the same series as another region (repair the data, or under cohort: exclude: [sub-4, sub-5]): sub-5 (2 regions), sub-4 (1 region)",
		}},
		{"everybody's series damaged", slices.Repeat([]column.CleaningRow{
			with(func(r *column.CleaningRow) { r.RepeatedVolumes, r.RepeatedRegions = 9, 2 })}, 7), simple, []string{
			"Volumes that equal the volume before them in all regions (zeros or copies; repair the data): 7 of 7 scans",
			"Regions with the same series as another region (repair the data): 7 of 7 scans",
		}},
		{"many regions of one scan", append(slices.Repeat([]column.CleaningRow{
			with(func(r *column.CleaningRow) { r.Constant = 1 })}, 6),
			with(func(r *column.CleaningRow) { r.Missing, r.Constant = 50, 8 })), simple, []string{
			"Regions without a usable series (no signal): 7 of 7 scans, most in sub-7 (58 regions)",
		}},
		{"the worst first", []column.CleaningRow{fine, with(func(r *column.CleaningRow) { r.Constant = 1 }),
			with(func(r *column.CleaningRow) { r.Missing, r.Constant = 50, 8 })}, simple, []string{
			"Regions without a usable series (no signal): sub-3 (58 regions), sub-2 (1 region)",
		}},
		{"strong motion", []column.CleaningRow{fine,
			with(func(r *column.CleaningRow) { r.MeanFD, r.HighFD = 0.4, 75 }),
			with(func(r *column.CleaningRow) { r.MeanFD, r.HighFD = 0.51, 20 }),
			with(func(r *column.CleaningRow) { r.MeanFD, r.HighFD = 0.5, 74 }),
			with(func(r *column.CleaningRow) { r.MeanFD, r.HighFD, r.Censored = 0.51, 70, 70 })}, simple, []string{
			"Strong motion and no volume censored (mean FD above 0.5 mm, or more than half of the volumes; exclude, or censor with fd of denoise): sub-3 (mean FD 0.51 mm, 20 of 148 volumes above 0.5 mm), sub-2 (mean FD 0.40 mm, 75 of 148 volumes above 0.5 mm)",
		}},
		{"gaps under lines", []column.CleaningRow{fine,
			with(func(r *column.CleaningRow) { r.Bridge, r.Kept, r.Bridged, r.LongestGap = "linear", 75, 25, 9 }),
			with(func(r *column.CleaningRow) { r.Bridge, r.Kept, r.Bridged, r.LongestGap = "linear", 74, 26, 9 })},
			simple, []string{
				"More than 25 % of the volumes bridged while the Butterworth filter ran, which changes the correlations (filter: cosine needs no bridge): sub-3 (26 of 100, longest gap 9 volumes)",
			}},
		{"gaps under splines", []column.CleaningRow{fine,
			with(func(r *column.CleaningRow) { r.Bridge, r.Kept, r.Bridged, r.LongestGap = "nilearn", 74, 26, 5 }),
			with(func(r *column.CleaningRow) { r.Bridge, r.Kept, r.Bridged, r.LongestGap = "nilearn", 90, 6, 6 })},
			simple, []string{
				"Gaps of more than 5 censored volumes bridged by a cubic spline, which overshoots and distorts the correlations (use bridge: linear of denoise): sub-3 (a gap of 6 volumes)",
			}},
		{"task out", []column.CleaningRow{with(func(r *column.CleaningRow) { r.Task = "fir: go, stop" }),
			with(func(r *column.CleaningRow) { r.Task = "fir: go, error" })},
			"Task regression: responses to error, go, stop (finite impulse responses) were regressed out of 2 scans.", nil},
		{"task in", []column.CleaningRow{with(func(r *column.CleaningRow) { r.Task = "none: go, stop" }), fine}, simple,
			[]string{
				"Events of a task were not regressed out (task: none in denoise) of 1 scan: the correlations hold common responses to go, stop",
				"Scans without events, while others have some: sub-2",
			}},
		{"regions by name", []column.CleaningRow{fine,
			with(func(r *column.CleaningRow) { r.Reduced, r.Lost = 2, "l.TP; r.TP" })}, simple,
			[]string{"Regions that lost more than a tenth of their voxels (constant or not finite): sub-2 (l.TP, r.TP)"}},
		{"of everybody, by name", append(slices.Repeat([]column.CleaningRow{
			with(func(r *column.CleaningRow) { r.Reduced, r.Lost = 1, "100 %" })}, 6),
			with(func(r *column.CleaningRow) { r.Reduced, r.Lost = 2, "a; 100 %" })), simple,
			[]string{"Regions that lost more than a tenth of their voxels (constant or not finite): 100 % in all 7 scans, another in one scan"}},
		{"everybody has it", slices.Repeat([]column.CleaningRow{with(func(r *column.CleaningRow) { r.Reduced = 1 })},
			7), simple,
			[]string{"Regions that lost more than a tenth of their voxels (constant or not finite): 7 of 7 scans"}},
	} {
		rows, ids := map[string]column.CleaningRow{}, []string{"sub-1", "sub-2", "sub-3", "sub-4", "sub-5", "sub-6",
			"sub-7"}[:len(c.rows)]
		for i, id := range ids {
			rows[id] = c.rows[i]
		}
		a := &Cohort{Writer: section.NewWriter(cleaningTask(rows, ids...))}
		a.Section.Title = "Checks"
		need.NoError(t, a.readCleaned())
		a.cleaning()
		a.Page.Sections = []report.Section{*a.Section}
		if text := strings.Join(strings.Fields(a.Page.Text()), " "); !strings.Contains(text, c.told) {
			t.Errorf("%s: told %q\nwant %q", c.name, text, c.told)
		}
		if got, want := strings.Join(a.Cautions(), "\n"), strings.Join(c.cautions, "\n"); got != want {
			t.Errorf("%s: cautions\n%s\nwant\n%s", c.name, got, want)
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
		need.NoError(t, a.readCleaned())
		need.NoError(t, a.Quality())
		a.motionTable([]column.MotionRow{{Strategy: "none", Participants: 40, Lost: 1, Remaining: 119}})
		a.Page.Sections = []report.Section{*a.Section}
		text := strings.Join(strings.Fields(a.Page.Text()), " ")
		for _, want := range []string{"degrees of freedom (upper bound)",
			"What cleaning before this program cost is not known: dof lost is a lower bound, dof left an upper one."} {
			if strings.Contains(text, want) != bound {
				t.Errorf("%s: %q is told: %v in\n%s", why, want, !bound, text)
			}
		}
	}
}

// Who has no standard error, for too few independent volumes, is counted beside the largest of the others.
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
	need.NoError(t, a.Quality())
	a.Page.Sections = []report.Section{*a.Section}
	text := strings.Join(strings.Fields(a.Page.Text()), " ")
	if want := "The standard error is undefined for 1 participant with too few independent volumes."; !strings.Contains(text, want) {
		t.Errorf("%q is missing in\n%s", want, text)
	}
}

// A site all of whose scans are shorter is named once; other scans of unusual length are named each.
func TestSitesThatDifferInLength(t *testing.T) {
	rows := map[string]column.CleaningRow{}
	ids := []string{"sub-1", "sub-2", "sub-3", "sub-4", "sub-5", "sub-6", "sub-7"}
	for i, volumes := range []int32{196, 196, 196, 196, 90, 146, 146} {
		rows[ids[i]] = column.CleaningRow{Volumes: volumes, Kept: volumes, TR: 2, MeanFD: math.NaN()}
	}
	task := cleaningTask(rows, ids...)
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "site", Values: []string{"A", "A", "A", "A", "A", "B", "B"}})
	a := &Cohort{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{
		"cleaning": task.All("cleaning"), "participants": {dag.InputOf(people)}}))}
	need.NoError(t, a.readCleaned())
	a.cautionScans()
	need.Equal(t, strings.Join(a.Cautions(), "\n"),
		"Scans with less than half of the median number of volumes (196); if a file was cut, copy it again: sub-5 (90 volumes)\n"+
			"Scans differ in length between sites (most have 196 volumes): B (146 volumes in all 2)", "cautions")
}

// A scan with less than half of the median number of volumes is a caution for every kind of cohort, also where no
// length is that of most scans; a length that a protocol has is none.
func TestShortScans(t *testing.T) {
	for _, c := range []struct {
		volumes []int
		want    string
	}{
		{[]int{80, 81, 19, 79, 82}, "Scans with less than half of the median number of volumes (80); if a file was cut, copy it again: sub-3 (19 volumes)"},
		{[]int{80, 30, 19, 79, 82}, "Scans with less than half of the median number of volumes (79); if a file was cut, copy it again: sub-3 (19 volumes), sub-2 (30 volumes)"},
		{[]int{80, 81, 40, 79, 82}, ""},
		{[]int{80, 19}, ""},
		{[]int{19, 19, 80, 82, 19, 84, 86}, ""},
	} {
		rows := map[string]column.CleaningRow{}
		ids := []string{"sub-1", "sub-2", "sub-3", "sub-4", "sub-5", "sub-6", "sub-7"}
		for i, n := range c.volumes {
			rows[ids[i]] = column.CleaningRow{Volumes: int32(n), Kept: int32(n), TR: 2, MeanFD: math.NaN()}
		}
		a := &Cohort{Writer: section.NewWriter(cleaningTask(rows, ids[:len(c.volumes)]...))}
		need.NoError(t, a.readCleaned())
		a.cautionScans()
		need.Equal(t, strings.Join(a.Cautions(), "\n"), c.want, c.volumes)
	}
}

// Numbers that may stand for missing values are a caution by participant, with the names of regions.
func TestMissingCodesAreACaution(t *testing.T) {
	row := column.CleaningRow{Volumes: 148, Kept: 148, TR: 2, Strategy: "none", Why: column.Simulated}
	quality := column.WithMeta(column.Table([]column.CleaningRow{row}), map[string]string{
		column.MissingCodes: "region 2: -9999 in 3 volumes\ncolumn csf: 999 in 1 volume"})
	nodes := encoding.NewTable(encoding.Column{Name: "index", Values: []int32{1, 2}},
		encoding.Column{Name: "name", Values: []string{"left", "right"}})
	w := section.NewWriter(dag.NewTask(map[string][]dag.Input{"nodes": {dag.InputOf(nodes)},
		"cleaning": {dag.InputOf(quality, dag.Coord{Axis: "subject", Value: "sub-7"})}}))
	a := &Cohort{Writer: w}
	need.NoError(t, a.Read())
	a.cleaning()
	const want = "Numbers that may stand for missing values are analyzed as measured ones (write n/a in their place, or exclude the participants): sub-7 (region 2 (right): -9999 in 3 volumes, column csf: 999 in 1 volume)"
	if !slices.Contains(w.Cautions(), want) {
		t.Errorf("%q", w.Cautions())
	}
}

// Numbers of regions get their names in lists, too; other numbers do not.
func TestRegionsAreNamed(t *testing.T) {
	a := &Cohort{names: map[int][2]string{1: {"left"}, 2: {"right"}, 3: {"3"}}}
	for text, want := range map[string]string{
		"(regions 1, 2 and 2 more)":            "(regions 1 (left), 2 (right) and 2 more)",
		"region 2 is missing in ASD 2 of 2":    "region 2 (right) is missing in ASD 2 of 2",
		"regions 3, 9: 1 of 2 regions, 1 each": "regions 3, 9: 1 of 2 regions, 1 each",
	} {
		need.Equal(t, a.Named(text), want)
	}
}
