package quality

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// fine is a scan that has no finding.
var fine = column.CleaningRow{Volumes: 148, Kept: 148, Regressors: 29, TR: 2, MeanFD: math.NaN(), MaxFD: math.NaN(),
	Seconds: 296, TEff: 118, Strategy: "simple", GlobalR: math.NaN()}

// with is a fine scan but for a change.
func with(change func(*column.CleaningRow)) column.CleaningRow { r := fine; change(&r); return r }

// timed is a scan of a task with ten events.
func timed(overlapping, cut int32, span float64) column.CleaningRow {
	return with(func(r *column.CleaningRow) {
		r.Task, r.Conditions, r.Events, r.EventsInside = "spm", []string{"a", "b"}, 10, 10
		r.OverlappingEvents, r.EventsCut, r.EventsSpan = overlapping, cut, span
	})
}

// Overlapping events limit a conclusion; where most events of most scans overlap, they overturn it.
func TestWeightOfOverlappingEvents(t *testing.T) {
	for _, c := range []struct {
		overlapping []int32
		want        finding.Weight
	}{{[]int32{1, 1, 1}, finding.Limits}, {[]int32{5, 9, 0}, finding.Overturns},
		{[]int32{4, 9, 0}, finding.Limits}, {[]int32{5}, finding.Overturns}} {
		found := Cleaning{Scans: scanned(lists.Map(append(c.overlapping, -1), func(n int32) column.CleaningRow {
			if n < 0 {
				return fine // without events
			}
			return timed(n, 0, 0.9)
		})...)}.events()
		at := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Code == "scans.events-overlap" })
		need.Equal(t, found[at].Weight, c.want, c.overlapping)
	}
}

// confounded is a scan with confounds of which the global signal has this correlation with the regions.
func confounded(r float64) column.CleaningRow {
	return with(func(row *column.CleaningRow) { row.Confounds, row.GlobalR = []string{"csf"}, r })
}

// raw is a scan without nuisance regression.
func raw(why string) column.CleaningRow {
	return with(func(r *column.CleaningRow) { r.Strategy, r.Why, r.Regressors, r.GlobalR = "none", why, 0, math.NaN() })
}

// unregressed is a scan without regressors, of which confounds with this correlation give the motion.
func unregressed(r float64) column.CleaningRow {
	row := raw(column.AskedForNone)
	row.GlobalR = r
	return row
}

// used is a scan of which confounds with this correlation give the motion, and so the censored volumes.
func used(why string, r float64, censored int32) column.CleaningRow {
	row := raw(why)
	row.GlobalR, row.Censored = r, censored
	return row
}

// scanned are scans of the participants 1, 2, …
func scanned(rows ...column.CleaningRow) (all []Scan) {
	for i, r := range rows {
		all = append(all, Scan{Who: fmt.Sprint(i + 1), Participant: fmt.Sprint(i + 1), CleaningRow: r})
	}
	return all
}

// listed are findings with their participants: "scans.short 3 5; scans.length 2".
func listed(all finding.List) string {
	return strings.Join(lists.Map(all, func(f finding.Finding) string {
		return strings.Join(append([]string{f.Code}, f.Subject.Participants...), " ")
	}), "; ")
}

// Graphs without edges limit a conclusion; where most graphs have none, they overturn it.
func TestWithoutEdges(t *testing.T) {
	type by = map[string][]float64
	shrinkage := by{"1": {1, 0.5}, "2": {1}, "10": {0.25}}
	for _, c := range []struct {
		edges  by
		want   string
		weight finding.Weight
		empty  int
		median any
	}{
		{nil, "", 0, 0, nil},
		{by{"1": {3, 2}, "2": {1}}, "", 0, 0, nil},
		{by{"1": {0, 2}, "2": {1}, "10": {0}}, "quality.no-edges 1 10", finding.Limits, 2, 0.5},
		{by{"1": {0, 0}, "2": {1}, "10": {0}}, "quality.no-edges 1 10", finding.Overturns, 3, 0.5},
		{by{"1": {0, 2}, "2": {0, 3}}, "quality.no-edges 1 2", finding.Limits, 2, 1.0},
		{by{"2": {0}, "10": {0}}, "quality.no-edges 2 10", finding.Overturns, 2, 0.625},
		{by{"3": {0}}, "quality.no-edges 3", finding.Overturns, 1, nil},
	} {
		all := WithoutEdges(c.edges, shrinkage, nil)
		need.Equal(t, listed(all), c.want)
		for _, f := range all {
			need.Equal(t, f.Weight, c.weight)
			need.Equal(t, f.Values()["Empty"], any(c.empty))
			need.Equal(t, f.Values()["Shrinkage"], c.median)
		}
	}
}

// Participants with another number of graphs than most have more or less weight in training.
func TestUnequalGraphs(t *testing.T) {
	type by = map[string]int
	for want, graphs := range map[string]by{"": {"1": 3, "2": 3}, "quality.unequal-graphs 2 10": {"1": 3, "2": 1, "10": 5,
		"4": 3}, "quality.unequal-graphs 1": {"1": 3, "2": 11}} {
		need.Equal(t, listed(UnequalGraphs(graphs)), want)
	}
	need.Equal(t, listed(UnequalGraphs(nil)), "")
}

func TestCleaningFindings(t *testing.T) {
	type row = column.CleaningRow
	sidecar := raw(column.SeriesGiven)
	sidecar.Sidecar = "36P"
	for _, c := range []struct {
		rows []row
		want string
	}{
		{nil, ""},
		{[]row{fine, fine, fine}, ""},
		{[]row{raw(column.AskedForNone), raw(column.AskedForNone)}, "nuisance.none"},
		{[]row{raw(column.NoConfounds)}, "nuisance.none"},
		{[]row{raw(column.Simulated)}, ""},
		{[]row{raw(column.SeriesGiven)}, "nuisance.unknown"},
		{[]row{sidecar}, ""},
		{[]row{fine, fine, raw(column.NoConfounds)}, "nuisance.none-of-some 3"},
		{[]row{fine, fine, fine, with(func(r *row) { r.Volumes, r.TR = 74, 1 })},
			"scans.length 4; scans.repetition-time 4"},
		{[]row{fine, with(func(r *row) { r.NonFinite, r.Reduced, r.Missing, r.Constant = 9, 2, 1, 3 })},
			"scans.not-finite 2; scans.lost-voxels 2; scans.regions-without-series 2"},
		{[]row{fine, with(func(r *row) { r.Censored = 75 }), with(func(r *row) { r.Censored = 74 })},
			"scans.half-censored 2"},
		{[]row{fine, fine, with(func(r *row) { r.RepeatedVolumes = 105 }), with(func(r *row) { r.RepeatedRegions = 1 }),
			with(func(r *row) { r.RepeatedVolumes, r.RepeatedRegions = 1, 2 })},
			"scans.repeated-volumes 3 5; scans.repeated-regions 5 4"},
		{[]row{fine, with(func(r *row) { r.NonSteady = 10 }), with(func(r *row) { r.NonSteady = 11 }),
			with(func(r *row) { r.NonSteady, r.NonSteadyLater = 1, 1 })}, "scans.non-steady 3 4"},
		{[]row{with(func(r *row) { r.Cosines, r.CosinesUsual = 3, 3 }), with(func(r *row) { r.Cosines = 2 }),
			with(func(r *row) { r.Cosines, r.CosinesUsual = 2, 3 }),
			with(func(r *row) { r.Cosines, r.CosinesUsual, r.OtherCosines = 3, 3, 2 })}, "scans.cosines 4 3"},
		{[]row{fine, with(func(r *row) { r.FirstVolumes = 2 }), with(func(r *row) { r.FarVolumes = []int32{7, 9} })},
			"scans.first-volumes 2; scans.far-volumes 3"},
		{[]row{fine, with(func(r *row) { r.Confounds, r.ConstantConfounds = make([]string, 2), []string{"rot_x"} })},
			"scans.constant-confounds 2"},
		{[]row{fine, confounded(0.49), confounded(0.5), confounded(-0.1), confounded(math.NaN()),
			with(func(r *row) { r.Why, r.GlobalR = column.Simulated, 0 })}, "scans.confounds-of-other 4 6 2"},
		{[]row{fine, with(func(r *row) { r.MeanFD, r.HighFD = 0.4, 75 }), with(func(r *row) {
			r.MeanFD,
				r.HighFD = 0.51, 20
		}),
			with(func(r *row) { r.MeanFD, r.HighFD = 0.5, 74 }),
			with(func(r *row) { r.MeanFD, r.HighFD, r.Censored = 0.51, 70, 70 })}, "scans.strong-motion 3 2"},
		{[]row{fine, with(func(r *row) { r.MeanFD = 0.00999 }), with(func(r *row) { r.MeanFD = 0.01 }),
			with(func(r *row) { r.MeanFD, r.Censored = 0, 1 })}, "scans.still 4 2"},
		{[]row{fine, with(func(r *row) { r.Bridge, r.Kept, r.Bridged, r.LongestGap = "linear", 75, 25, 9 }),
			with(func(r *row) { r.Bridge, r.Kept, r.Bridged, r.LongestGap = "linear", 74, 26, 9 })}, "scans.much-bridged 3"},
		{[]row{fine, with(func(r *row) { r.Bridge, r.Kept, r.Bridged, r.LongestGap = "nilearn", 74, 26, 5 }),
			with(func(r *row) { r.Bridge, r.Kept, r.Bridged, r.LongestGap = "nilearn", 90, 6, 6 })},
			"scans.long-gaps 3"},
		{[]row{with(func(r *row) { r.Task, r.Conditions = "fir", []string{"go", "stop"} }),
			with(func(r *row) { r.Task, r.Conditions = "fir", []string{"go"} })}, ""},
		{[]row{with(func(r *row) { r.Task, r.Conditions = "none", []string{"go", "stop"} }), fine},
			"scans.events-left-in 1; scans.without-events 2"},
		{[]row{with(func(r *row) { r.Task, r.Events, r.EventsInside = "fir", 240, 240 }),
			with(func(r *row) { r.Task, r.Events, r.EventsInside = "fir", 240, 239 }),
			with(func(r *row) { r.Task, r.Events, r.EventsInside, r.RepeatedEvents = "fir", 240, 120, 2 })},
			"scans.events-outside 3 2; scans.events-repeated 3"},
		{[]row{timed(0, 2, 0.5), timed(1, 0, 0.9), timed(0, 3, 0.49), timed(3, 3, 0.02)},
			"scans.events-overlap 4 2; scans.events-cut 3 4; scans.events-in-part 4 3"},
		{[]row{timed(0, 0, math.NaN()), timed(0, 0, 0)}, ""},
		{[]row{with(func(r *row) { r.Strategy = "ica_aroma" })}, "scans.not-denoised-by-aroma"},
		{[]row{unregressed(0.49), unregressed(0.5)}, "nuisance.none; scans.confounds-of-other 1"},
		{[]row{used(column.Simulated, 0.4, 0), used(column.Simulated, 0.9, 3)}, "scans.confounds-of-other 1"},
		{[]row{used(column.CleanedScan, 0.4, 0), used(column.CleanedScan, 0.9, 0), used(column.CleanedScan, 0.8, 0)},
			"scans.confounds-of-other 1"},
		{[]row{used(column.SeriesGiven, 0.1, 5), used(column.SeriesGiven, 0.2, 0), used(column.SeriesGiven, 0.9, 0)},
			"nuisance.unknown"}, // their global signal was removed
		{[]row{used(column.SeriesGiven, 0.1, 5), used(column.SeriesGiven, 0.8, 0), used(column.SeriesGiven, 0.9, 0)},
			"scans.confounds-of-other 1; nuisance.unknown"},
	} {
		need.Equal(t, listed(Cleaning{Scans: append([]Scan{}, scanned(c.rows...)...)}.Findings()), c.want, c.rows)
	}
	wrapped := scanned(fine, fine)
	wrapped[1].Wrapped = 7
	need.Equal(t, listed(Cleaning{Scans: wrapped}.Findings()), "scans.wrapped 2")
	like := func(r ...float64) []Scan {
		scans := scanned(slices.Repeat([]row{fine}, len(r)+1)...)
		for i := range r {
			scans[i].ReferenceR = &r[i]
		}
		return scans
	}
	need.Equal(t, listed(Cleaning{Scans: like(0.9, 0.71, 0.7)}.Findings()), "")
	need.Equal(t, listed(Cleaning{Scans: like(0.9, 0.69, -1)}.Findings()), "scans.unlike-reference 3 2")
	given := func(motion float64) []Scan {
		return scanned(with(func(r *row) { r.Strategy, r.Why, r.MeanFD = "none", column.SeriesGiven, motion }))
	}
	for _, c := range []struct {
		of   Cleaning
		want bool
	}{{Cleaning{Scans: given(math.NaN())}, true}, {Cleaning{Scans: given(0.1)}, false},
		{Cleaning{Scans: given(math.NaN()), MotionGiven: true}, false}} {
		need.Equal(t, c.of.Findings()[0].Values()["NoMotion"], any(c.want), c.of)
	}
	aroma := Cleaning{Scans: scanned(with(func(r *row) { r.Strategy = "ica_aroma" })), Description: aromaDescription}
	need.Equal(t, listed(aroma.Findings()), "")
}

// A fault that goes with the group is listed with its share in each group; one that does not, is not.
func TestFaultsByGroup(t *testing.T) {
	shares := func(faulty ...int) []Share {
		var rows []column.CleaningRow
		group := map[string]string{}
		for i := range 20 {
			rows = append(rows, with(func(r *column.CleaningRow) {
				if slices.Contains(faulty, i) {
					r.ConstantConfounds = []string{"rot_x"}
				}
			}))
			group[fmt.Sprint(i+1)] = []string{"ASD", "HC"}[i%2]
		}
		return Cleaning{Scans: scanned(rows...), Group: group}.Findings()[0].Values()["Groups"].([]Share)
	}
	need.Equal(t, fmt.Sprint(shares(0, 2, 4, 6, 8, 10)), "[{ASD 6 10} {HC 0 10}]")
	need.Equal(t, len(shares(0, 2, 4, 1)), 0)
}

// Volumes that make all correlations about 1 overturn a result where they go with the group.
func TestWeightOfFarVolumes(t *testing.T) {
	for _, c := range []struct {
		faulty []int
		want   finding.Weight
	}{{[]int{0, 2, 4, 6, 8, 10}, finding.Overturns}, {[]int{0, 2, 4, 1}, finding.Limits}} {
		for code, change := range map[string]func(*column.CleaningRow){
			"scans.first-volumes": func(r *column.CleaningRow) { r.FirstVolumes = 1 },
			"scans.far-volumes":   func(r *column.CleaningRow) { r.FarVolumes = []int32{51} },

			"scans.repeated-volumes":   func(r *column.CleaningRow) { r.RepeatedVolumes = 20 },
			"scans.repeated-regions":   func(r *column.CleaningRow) { r.RepeatedRegions = 1 },
			"scans.confounds-of-other": func(r *column.CleaningRow) { *r = confounded(0) },
			"scans.constant-confounds": func(r *column.CleaningRow) { r.ConstantConfounds = []string{"rot_x"} },
		} {
			var rows []column.CleaningRow
			group := map[string]string{}
			for i := range 20 {
				rows = append(rows, fine)
				if slices.Contains(c.faulty, i) {
					rows[i] = with(change)
				}
				group[fmt.Sprint(i+1)] = []string{"ASD", "HC"}[i%2]
			}
			found := Cleaning{Scans: scanned(rows...), Group: group}.Findings()
			need.Equal(t, len(found), 1)
			need.Equal(t, found[0].Code, code)
			need.Equal(t, found[0].Weight, c.want, code)
			need.Equal(t, len(found[0].Values()["Exclude"].([]string)) > 0, c.want == finding.Limits, code)
		}
	}
}

// Participants nearly all of whose correlations are strong are listed; one without a correlation is not.
func TestNearOne(t *testing.T) {
	rows := func(r ...float64) (all []column.TypicalityRow, group map[string]string) {
		group = map[string]string{}
		for i, v := range r {
			id := fmt.Sprint(i + 1)
			group[id] = []string{"ASD", "HC"}[i%2]
			all = append(all, column.TypicalityRow{Participant: id, MedianR: v})
		}
		return append(all, all...), group // of two strategies
	}
	need.Equal(t, listed(NearOne(rows(0.2, 0.72, math.NaN()))), "")
	need.Equal(t, listed(NearOne(nil, nil)), "")
	one := NearOne(rows(0.2, 0.95, math.NaN(), 0.3, 0.2))
	need.Equal(t, listed(one), "quality.near-one 2")
	need.Equal(t, one[0].Weight, finding.Limits)
	need.Equal(t, fmt.Sprint(one[0].Values()["Of"], one[0].Values()["Median"]), "5 0.25")
	need.Equal(t, one[0].Values()["Largest"], any(0.72)) // of real scans, from which the limit is
	half := NearOne(rows(slices.Repeat([]float64{0.2, 0.95}, 6)...))
	need.Equal(t, listed(half), "quality.near-one 2 4 6 8 10 12")
	need.Equal(t, half[0].Weight, finding.Overturns)
}

// Participants whose connectivity is unlike that of the others are listed, with a result that is overturned where they
// are of one group.
func TestUnlike(t *testing.T) {
	rows := func(typicality ...float64) (all []column.TypicalityRow, group map[string]string) {
		group = map[string]string{}
		for i, v := range typicality {
			r := column.TypicalityRow{Participant: fmt.Sprint(i + 1), Typicality: v}
			if group[r.Participant] = []string{"ASD", "HC"}[i%2]; v < 0.5 {
				r.Outlier = []string{"typicality"}
			}
			all = append(all, r)
		}
		return append(all, all...), group // of two strategies
	}
	need.Equal(t, listed(Unlike(rows(0.7, 0.6, math.NaN(), 0.4))), "") // more than half of the median
	need.Equal(t, listed(Unlike(nil, nil)), "")
	one := Unlike(rows(0.7, 0.1, math.NaN(), 0.6, 0.65))
	need.Equal(t, listed(one), "quality.unlike 2")
	need.Equal(t, one[0].Weight, finding.Limits)
	half := Unlike(rows(append(slices.Repeat([]float64{0.7}, 8), slices.Repeat([]float64{0.7, 0.05}, 6)...)...))
	need.Equal(t, listed(half), "quality.unlike 10 12 14 16 18 20")
	need.Equal(t, half[0].Weight, finding.Overturns)
}

// A scan with less than half of the median number of volumes is one for every kind of cohort, also where no length is
// that of most scans; a length that a protocol has is none. A site all of whose scans have another length is listed
// once.
func TestLengthFindings(t *testing.T) {
	for _, c := range []struct {
		volumes []int32
		sites   string
		want    string
	}{
		{[]int32{80, 81, 19, 79, 82}, "", "scans.short 3"},
		{[]int32{80, 30, 19, 79, 82}, "", "scans.short 3 2"},
		{[]int32{80, 81, 40, 79, 82}, "", ""},
		{[]int32{80, 19}, "", ""},
		{[]int32{19, 19, 80, 82, 19, 84, 86}, "", ""},
		{[]int32{196, 196, 196, 196, 90, 146, 146}, "", "scans.short 5; scans.length 6 7"},
		{[]int32{196, 196, 196, 196, 90, 146, 146}, "AAAAABB", "scans.short 5; scans.length-by-site"},
	} {
		of := Cleaning{Site: map[string]string{}}
		for i, n := range c.volumes {
			of.Scans = append(of.Scans, scanned(with(func(r *column.CleaningRow) { r.Volumes = n }))...)
			id := fmt.Sprint(i + 1)
			of.Scans[i].Who, of.Scans[i].Participant = id, id
			if c.sites != "" {
				of.Site[id] = c.sites[i : i+1]
			}
		}
		need.Equal(t, listed(of.lengths()), c.want, c.volumes)
	}
}

// A scan that is cleaned in several ways counts once, with its most severe fault.
func TestCleanedInSeveralWays(t *testing.T) {
	var scans []Scan
	for setting := range int32(3) {
		for i := range int32(4) {
			s := scanned(with(func(r *column.CleaningRow) {
				r.Strategy, r.Why, r.Constant = "none", column.SeriesGiven, setting*(i%2)
			}))[0]
			s.Who, s.Session, s.Again = fmt.Sprint(i+1), "a", setting > 0
			s.Participant = s.Who
			s.Coords = []dag.Coord{{Axis: "motion", Value: fmt.Sprint(setting)}, {Axis: "subject", Value: s.Who}}
			scans = append(scans, s)
		}
	}
	c := Cleaning{Scans: scans}
	for _, f := range c.Findings() {
		switch v := f.Values(); f.Code {
		case "nuisance.unknown":
			need.Equal(t, fmt.Sprint(v["N"], v["Of"]), "4 4")
			need.Equal(t, f.Subject.Only.String(), "")
		case "scans.regions-without-series":
			need.Equal(t, fmt.Sprint(v["N"], v["Of"], f.Subject.Participants), "2 4 [2 4]")
			need.Equal(t, f.Subject.Only.String(), "motion=1 or 2")
			need.Equal(t, v["Listed"].([]ScanFault)[0].N, 2)
		default:
			t.Errorf("unexpected: %s", f.Code)
		}
	}
	need.Equal(t, len(c.Findings()), 2)
	need.Equal(t, fmt.Sprint(SessionsOf(scans)), "[1 1 1 1]")
	for i := range scans[:4] { // one of the settings regresses nothing
		scans[i].Why, scans[i+4].Why, scans[i+4].Strategy = column.AskedForNone, "", "24P"
	}
	var without []string
	for _, f := range (Cleaning{Scans: scans}).nuisance() {
		without = append(without, f.Code+" "+f.Subject.Only.String())
	}
	need.Equal(t, strings.Join(without, "; "), "nuisance.none motion=0; nuisance.unknown ")
	need.Equal(t, strings.Join(lists.Map(Ways(scans), func(w Way) string { return fmt.Sprint(w.Only, w.Who) }), "; "),
		"motion=0[]; motion=1[]; motion=2[]")
}

// A fault of most scans is counted, and lists the most severe one alone if there is one; only a fault of few scans
// has a
// remedy by exclusion.
func TestFaultsOfMostScans(t *testing.T) {
	constant := func(n int32) column.CleaningRow { return with(func(r *column.CleaningRow) { r.Constant = n }) }
	for _, c := range []struct {
		of     []int32
		shared bool
		listed string
	}{
		{[]int32{0, 1, 58}, false, "3 2"},
		{[]int32{1, 1, 1, 1, 1, 1}, false, "1 2 3 4 5 6"},
		{[]int32{1, 1, 1, 1, 1, 1, 58}, true, "7"},
		{[]int32{1, 1, 1, 1, 1, 1, 1}, true, ""},
		{[]int32{1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}, false, "1 2 3 4 5 6 7"},
	} {
		f := Cleaning{Scans: scanned(lists.Map(c.of, constant)...)}.Findings()
		need.Equal(t, len(f), 1)
		v := f[0].Values()
		need.Equal(t, v["Shared"], any(c.shared), c.of)
		need.Equal(t, strings.Join(lists.Map(v["Listed"].([]ScanFault),
			func(f ScanFault) string { return f.Who }), " "), c.listed,
			c.of)
	}
	copied := with(func(r *column.CleaningRow) { r.RepeatedVolumes, r.RepeatedRegions = 9, 2 })
	for n, want := range map[int]string{2: "1 2", 7: ""} {
		for _, f := range (Cleaning{Scans: scanned(slices.Repeat([]column.CleaningRow{copied}, n)...)}).Findings() {
			need.Equal(t, strings.Join(f.Values()["Exclude"].([]string), " "), want, f.Code)
		}
	}
}

func TestLostVoxels(t *testing.T) {
	type row = column.CleaningRow
	lost := func(names string, shares ...float64) row {
		of := strings.Fields(names)
		return row{Reduced: int32(len(of)), Lost: of, LostShares: shares}
	}
	cut := lost("a", 0.116)
	for i := range 20 {
		cut.Lost, cut.LostShares = append(cut.Lost, fmt.Sprintf("r%02d", i)), append(cut.LostShares, 1)
	}
	cut.Reduced = 21
	one := lost("a", 0.116)
	for _, c := range []struct {
		name string
		rows []row
		want string // scans | regions | alone | most
	}{
		{"none", []row{{}}, ""},
		{"few scans", []row{{}, lost("l r", 0.25, 0.999), cut}, "3: 21 1, 2: 2 0.999 l r||0|"},
		{"shares unknown", []row{{}, lost("l r")}, "2: 2 NaN l r||0|"},
		{"all alike", slices.Repeat([]row{one}, 40), "|a 40 0.116 0.116|0|"},
		{"one cut short", append(slices.Repeat([]row{one}, 39), cut), "|a 40 0.116 0.116|20|40: 21 1"},
		{"shares differ", append(slices.Repeat([]row{one}, 6), lost("a", 0.9), row{}), "|a 7 0.116 0.9|0|"},
		{"one share unknown", append(slices.Repeat([]row{one}, 6), lost("a")), "|a 7 NaN NaN|0|"},
		{"single scans", []row{lost("a", 1), lost("b", 1), lost("c", 1), lost("d", 1), lost("e", 1),
			lost("f", 1), lost("g", 1)}, "||7|"},
		{"regions unknown", slices.Repeat([]row{{Reduced: 1}}, 7), "||0|"},
	} {
		scan := func(all []LostScan) string {
			return strings.Join(lists.Map(all, func(s LostScan) string {
				text := fmt.Sprintf("%s: %d %g", s.Who, s.N, s.Largest)
				for _, r := range s.Regions {
					text += " " + r.Name
				}
				return text
			}), ", ")
		}
		got := ""
		for _, f := range (Cleaning{Scans: scanned(c.rows...)}).LostVoxels() {
			v := f.Values()
			got += scan(v["Scans"].([]LostScan)) + "|"
			for _, r := range v["Regions"].([]LostIn) {
				got += fmt.Sprintf("%s %d %g %g", r.Name, r.N, r.Median, r.Most)
			}
			got += fmt.Sprintf("|%d|%s", v["Alone"], scan(v["Most"].([]LostScan)))
		}
		need.Equal(t, got, c.want, c.name)
	}
}

func TestFindingsOfScans(t *testing.T) {
	need.Equal(t, listed(Registration(nil)), "")
	need.Equal(t, listed(Registration([]Doubtful{{"sub-2", finding.List{finding.Warning("registration.rotation", nil)}}})), "scans.labels-doubtful sub-2")
	coverages := func(shares ...float64) (all []Coverage) {
		for i, s := range shares {
			all = append(all, Coverage{fmt.Sprintf("sub-%d", i+1), s})
		}
		return all
	}
	own := []float64{.50, .51, .49, .50, .52, .50, .48, .51}
	need.Equal(t, listed(Uncovered(coverages(own...))), "")
	need.Equal(t, listed(Uncovered(coverages(append(own, .58, .54)...))), "scans.uncovered sub-9")
	need.Equal(t, listed(Uncovered(coverages(own[0], own[1], .9))), "")
	need.Equal(t, listed(Uncovered(coverages(.1, .3, .5, .2, .6, .4, .7, .3, .9))), "")
	for _, c := range []struct {
		n, all    int
		misplaced any
	}{{1, 20, false}, {2, 20, true}} {
		f := Empty([]Counted{{"a", c.n}}, c.all, "voxel")
		need.Equal(t, listed(f), "scans.regions-without-voxels")
		need.Equal(t, f[0].Values()["Misplaced"], c.misplaced, c)
	}
	need.Equal(t, listed(Empty(nil, 20, "voxel")), "")
	need.Equal(t, listed(HeadMotion([]column.MotionRow{{ShareFDR: 0}, {ShareFDR: math.NaN()}})), "")
	need.Equal(t, listed(HeadMotion([]column.MotionRow{{Edges: 3486, ShareFDR: 0.01}})), "motion.remains")
	few := HeadMotion([]column.MotionRow{{Edges: 3486, ShareFDR: 1.0 / 3486}})
	need.Equal(t, listed(few), "motion.few-edges")
	need.Equal(t, few[0].Weight, finding.Notes)
	need.Equal(t, fmt.Sprint(few[0].Values()["N"], few[0].Values()["Of"]), "1 3486")
	need.Equal(t, UnreliableMotion(column.MotionRow{Participants: 19}), true)
	need.Equal(t, UnreliableMotion(column.MotionRow{Participants: 20}), false)
}

func TestWays(t *testing.T) {
	for _, c := range []struct {
		rows []column.CleaningRow
		want string
	}{
		{[]column.CleaningRow{fine, fine}, "simple []"},
		{[]column.CleaningRow{fine, raw(column.NoConfounds), fine}, "simple [1 3], none [2]"},
		{[]column.CleaningRow{raw(column.SeriesGiven), with(func(r *column.CleaningRow) {
			r.Strategy, r.Why, r.Sidecar = "none", column.SeriesGiven, "36P"
		})}, "none [1], none [2]"},
		{nil, ""},
	} {
		need.Equal(t, strings.Join(lists.Map(Ways(scanned(c.rows...)), func(w Way) string {
			return fmt.Sprint(w.Strategy, " ", w.Who)
		}), ", "), c.want)
	}
	for why, bound := range map[string]bool{column.SeriesGiven: true, column.CleanedScan: true,
		column.AskedForNone: false} {
		need.Equal(t, UpperBound(scanned(fine, raw(why))), bound, why)
	}
	one := scanned(fine, fine, fine)
	need.Equal(t, fmt.Sprint(SessionsOf(one)), "[]")
	one[0].Session, one[1].Session, one[1].Participant, one[2].Session = "1", "2", "1", "1"
	need.Equal(t, fmt.Sprint(SessionsOf(one)), "[1 2]")
}

// Lengths and repetition times that are unusual in all scans of a group overturn a result.
func TestConfoundedTimes(t *testing.T) {
	for _, c := range []struct {
		of   func(s *Scan)
		n    int // of 8 in group B
		want string
	}{
		{func(s *Scan) { s.TR = 1.5 }, 8, "scans.repetition-time overturns"},
		{func(s *Scan) { s.TR = 1.5 }, 7, "scans.repetition-time limits"},
		{func(s *Scan) { s.Volumes = 140 }, 8, "scans.length overturns"},
		{func(s *Scan) { s.TR, s.Times = math.NaN(), []float64{2, 1.5} }, 8, "scans.run-times overturns"},
		{func(s *Scan) { s.TR, s.Times = math.NaN(), []float64{2, 1.5} }, 2, "scans.run-times limits"},
	} {
		group, scans := map[string]string{}, []Scan{}
		for i := range 16 { // of two sessions each, of which the second is another in group B
			for _, session := range []string{"1", "2"} {
				s := Scan{Who: fmt.Sprint(i, session), Participant: fmt.Sprint(i), Session: session, CleaningRow: fine}
				if session == "2" && i >= 8 && i < 8+c.n {
					c.of(&s)
				}
				scans = append(scans, s)
			}
			group[fmt.Sprint(i)] = []string{"A", "B"}[i/8]
		}
		found := Cleaning{Scans: scans, Group: group}.lengths()
		need.Equal(t, strings.Join(lists.Map(found, func(f finding.Finding) string {
			return f.Code + " " + f.Weight.String()
		}), "; "), c.want)
	}
}

// A repetition time that only some scans lack is a finding, with the groups that these scans make up.
func TestTimeUnknown(t *testing.T) {
	group := map[string]string{"a": "ASD", "b": "ASD", "c": "TD", "d": "TD"}
	for _, c := range []struct {
		unknown string // participants
		found   bool
		groups  string
	}{{"", false, ""}, {"cd", true, "TD"}, {"d", true, ""}, {"bcd", true, ""}, {"abcd", false, ""}} {
		var scans []Scan
		for _, id := range []string{"a", "b", "c", "d"} {
			row := fine
			if strings.Contains(c.unknown, id) {
				row.TR = math.NaN()
			}
			scans = append(scans, Scan{Who: id, Participant: id, CleaningRow: row})
		}
		var found *finding.Finding
		for _, f := range (Cleaning{Scans: scans, Group: group}).Findings() {
			if f.Code == "scans.time-unknown" {
				found = &f
			}
		}
		if found == nil != !c.found {
			t.Fatalf("%s: %v", c.unknown, found)
		}
		if found != nil {
			need.Equal(t, strings.Join(found.Subject.Participants, ""), c.unknown)
			need.Equal(t, strings.Join(found.Numbers.(map[string]any)["Groups"].([]string), " "), c.groups)
		}
	}
}

// Regions that no scan has are listed by name.
func TestRegionsNeverUsable(t *testing.T) {
	lacks := func(places ...int32) column.CleaningRow {
		return with(func(r *column.CleaningRow) { r.Missing, r.Unusable = int32(len(places)), places })
	}
	for _, c := range []struct {
		rows []column.CleaningRow
		want []string
	}{
		{[]column.CleaningRow{lacks(2, 7), lacks(7), lacks(3, 7)}, []string{"r7"}},
		{[]column.CleaningRow{lacks(2, 7), lacks(7), fine}, nil},
		{[]column.CleaningRow{lacks(2, 7)}, nil},
	} {
		name := func(at int) string { return fmt.Sprint("r", at) }
		all := Cleaning{Scans: scanned(c.rows...), RegionName: name}.regions()
		if got := all[0].Numbers.(map[string]any)["Always"]; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}

// Matrices of one group without the global signal, or singular alone, are a finding that overturns a result; so is, in
// whatever group, what no set of series has.
func TestSpectraDiffer(t *testing.T) {
	usual := column.Spectrum{Mean: 0.2}
	constant := column.Spectrum{Mean: -0.05, Singular: true, Constant: true}
	for name, c := range map[string]struct {
		of   [4]column.Spectrum // in turn, of groups in turn
		want string
	}{
		"alike":          {[4]column.Spectrum{usual, usual, usual, usual}, ""},
		"removed in all": {[4]column.Spectrum{constant, constant, constant, constant}, ""},
		"removed in one group": {[4]column.Spectrum{usual, constant, usual, constant},
			"matrices.global-signal overturns constant [HC] [ASD]"},
		"removed in half": {[4]column.Spectrum{usual, usual, constant, constant},
			"matrices.global-signal limits constant [] []"},
		"low means in one": {[4]column.Spectrum{{Mean: 0.01}, usual, {Mean: 0.01}, usual},
			"matrices.global-signal overturns mean [ASD] [HC]"},
		"low means in half": {[4]column.Spectrum{{Mean: 0.01}, {Mean: 0.01}, usual, usual},
			""},
		"singular in one group": {[4]column.Spectrum{{Mean: 0.2, Singular: true}, usual, {Mean: 0.2, Singular: true}, usual},
			"matrices.singular overturns  [ASD] [HC]"},
		"no correlations": {[4]column.Spectrum{{Mean: 0.2, Indefinite: true}, usual, usual, usual},
			"matrices.indefinite overturns  [] []"},
	} {
		var all []Form
		group := map[string]string{}
		for i := range 40 {
			id := fmt.Sprint(i + 1)
			all = append(all, Form{id, column.MatrixForm{Port: "pearson", Diagonal: "1", Negative: 0.3,
				Spectrum: c.of[i%4]}})
			group[id] = []string{"ASD", "HC"}[i%2]
		}
		var got []string
		for _, f := range FormsDiffer(all, group) {
			v := f.Values()
			got = append(got, fmt.Sprint(f.Code, " ", f.Weight, " ", v["Other"], " ", v["With"], " ", v["Without"]))
		}
		need.Equal(t, strings.Join(got, "; "), c.want, name)
	}
}

// Matrices of another form than those of other participants are listed, with their share in each group where it
// differs: the finding then overturns a result.
func TestFormsDiffer(t *testing.T) {
	forms := func(diagonals string, negative func(i int) float64) (all []Form, group map[string]string) {
		group = map[string]string{}
		for i, d := range strings.Fields(strings.Repeat(diagonals+" ", 10)) {
			id := fmt.Sprint(i + 1)
			all = append(all, Form{id, column.MatrixForm{Port: "pearson", Diagonal: strings.Trim(d, "-"),
				Negative: negative(i)}})
			group[id] = []string{"ASD", "HC"}[i%2]
		}
		return all, group
	}
	some := func(i int) float64 { return 0.2 + 0.01*float64(i) }
	for name, c := range map[string]struct {
		diagonals string
		negative  func(i int) float64
		want      string
	}{
		"alike":          {"1 1", some, ""},
		"z of one group": {"1 0", some, "matrices.diagonals-differ overturns 1 0 10 [{ASD 0 10} {HC 10 10}]"},
		"no diagonals":   {"- -", some, ""},
		"other programs": {"1 1 0 0", some, "matrices.diagonals-differ limits 1 0 20 []"},
		"squares of one group": {"1 1", func(i int) float64 { return float64(i%2) * some(i) },
			"matrices.none-negative overturns   10 [{ASD 10 10} {HC 0 10}]"},
		"all positive": {"1 1", func(int) float64 { return 0 },
			"matrices.all-positive limits <nil> <nil> 20 <nil>"},
		"mostly positive": {"1 1", func(i int) float64 { return 0.01 * float64(i) }, ""},
	} {
		var got []string
		for _, f := range FormsDiffer(forms(c.diagonals, c.negative)) {
			v := f.Values()
			got = append(got, fmt.Sprint(f.Code, " ", f.Weight, " ", v["Usual"], " ", v["Other"], " ", v["N"], " ",
				v["Groups"]))
		}
		need.Equal(t, strings.Join(got, "; "), c.want, name)
	}
}
