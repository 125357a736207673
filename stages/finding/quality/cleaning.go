// Package quality judges the data of a run: how many participants there are, how their scans were acquired and cleaned,
// which scans are one, and which covariates alone separate the groups.
package quality

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// values are numbers by their names.
type values = map[string]any

// A Scan is one scan, or the joined series of one participant, and how it was cleaned.
type Scan struct {
	Who         string // the participant, with its session or run
	Participant string
	Session     string
	Runs        int  // of a joined series; 0 for one scan
	Again       bool // of a scan that is listed before, cleaned in another way
	Codes       []Code
	Times       []float64   // repetition times of the runs of a joined series, s, where these differ
	Wrapped     int         // voxels of regions whose numbers overflow 16 bits
	ReferenceR  *float64    // likeness of a raw scan to the reference of its transforms; nil without one
	Coords      []dag.Coord // of its task
	column.CleaningRow
}

// A Code is a number that may stand for missing values, with the name of its region for people.
type Code struct {
	Name string
	column.MissingCode
}

// Cleaning is how the scans of a cohort were cleaned.
type Cleaning struct {
	Scans       []Scan
	Element     string            // what regions consist of: voxel or grayordinate
	Joined      bool              // series of several runs or sessions
	LeastValid  float64           // share of its voxels that a region needs for a series; 0 where none is known
	MotionGiven bool              // a column of the participants has the framewise displacement
	Site        map[string]string // by participant; nil without sites
	Group       map[string]string // by participant; nil without groups
	Description string            // what the names of the scans state of their preprocessing (desc-)
	// RegionName is that of a place in the node list, from 1.
	RegionName func(place int) string
}

// aromaDescription is what fMRIPrep calls scans that ICA-AROMA denoised.
const aromaDescription = "smoothAROMAnonaggr"

// Findings are about scans that were not cleaned, that differ from the others, or that lack something.
func (c Cleaning) Findings() (all finding.List) {
	all.Add(c.nuisance()...)
	all.Add(c.events()...)
	all.Add(c.lengths()...)
	all.Add(c.values()...)
	all.Add(c.LostVoxels()...)
	all.Add(c.regions()...)
	all.Add(c.motion()...)
	if slices.ContainsFunc(c.Scans, func(s Scan) bool { return s.Strategy == "ica_aroma" }) &&
		c.Description != aromaDescription {
		all.Study("scans.not-denoised-by-aroma", finding.Limits, nil)
	}
	return all
}

// nuisance are findings about scans without nuisance regression, and about series that others cleaned.
func (c Cleaning) nuisance() (all finding.List) {
	for _, why := range [2]string{column.AskedForNone, column.NoConfounds} {
		of := slices.DeleteFunc(slices.Clone(c.Scans), func(s Scan) bool { return s.Why != why })
		switch {
		case len(of) == 0:
		case len(who(of)) == CountScans(c.Scans): // in all settings, or in some
			all.Add(finding.Finding{Code: "nuisance.none", Weight: finding.Limits,
				Subject: finding.Subject{Only: only(c.Scans, of)}, Numbers: values{"Why": why}})
		default:
			all.Add(finding.Finding{Code: "nuisance.none-of-some", Weight: finding.Limits, Subject: c.subject(of),
				Numbers: values{"Why": why}})
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(c.Scans), func(s Scan) bool { return !s.Given() || s.Sidecar != "" })
	still := slices.ContainsFunc(c.Scans, func(s Scan) bool { return s.Given() && math.IsNaN(s.MeanFD) })
	if len(unknown) > 0 {
		all.Study("nuisance.unknown", finding.Notes, values{"N": CountScans(unknown),
			"Of": CountScans(c.Scans), "Joined": c.Joined, "NoMotion": still && !c.MotionGiven})
	}
	return all
}

// A Way is how scans were cleaned, and which; Who is nil where it is all of them.
type Way struct {
	Strategy, Why string
	Given         bool
	Sidecar       string
	Who           []string
	Only          string // finding.Part
}

// Ways are those in which scans were cleaned, in their order.
func Ways(scans []Scan) (ways []Way) {
	var of [][]Scan
	for _, s := range scans {
		at := slices.IndexFunc(ways, func(w Way) bool {
			return w.Strategy == s.Strategy && w.Why == s.Why &&
				w.Sidecar == s.Sidecar
		})
		if at < 0 {
			at = len(ways)
			ways = append(ways, Way{Strategy: s.Strategy, Why: s.Why, Given: s.Given(), Sidecar: s.Sidecar})
			of = append(of, nil)
		}
		of[at] = append(of[at], s)
	}
	for i := range ways {
		ways[i].Only = only(scans, of[i]).String()
		if ways[i].Who = who(of[i]); len(ways[i].Who) == CountScans(scans) {
			ways[i].Who = nil
		}
	}
	return ways
}

// UpperBound reports whether degrees of freedom were lost before this program, which does not know how many: what it
// counts as left is then an upper bound, and a standard error a lower one.
func UpperBound(scans []Scan) bool {
	return slices.ContainsFunc(scans, func(s Scan) bool { return s.LossUnknown() })
}

// SessionsOf are how many scans each participant has, sorted, where they are of sessions; nil where they are not.
func SessionsOf(scans []Scan) []int {
	count := map[string]int{}
	for _, s := range scans {
		if s.Session != "" && !s.Again {
			count[s.Participant]++
		}
	}
	return slices.Sorted(maps.Values(count))
}

// Events are the sorted conditions of each model of the response to a task, and the scans in which it was used. Scans
// without events are those of the model "".
func Events(scans []Scan) (conditions map[string][]string, of map[string][]Scan) {
	conditions, of = map[string][]string{}, map[string][]Scan{}
	for _, s := range scans {
		conditions[s.Task] = append(conditions[s.Task], s.Conditions...)
		of[s.Task] = append(of[s.Task], s)
	}
	for model, names := range conditions {
		slices.Sort(names)
		conditions[model] = slices.Compact(names)
	}
	return conditions, of
}

// events are findings about responses to a task that remain in the series.
func (c Cleaning) events() (all finding.List) {
	conditions, of := Events(c.Scans)
	if left := of["none"]; left != nil {
		all.Among(who(left), "scans.events-left-in", finding.Limits, values{"N": CountScans(left), "Joined": c.Joined,
			"Conditions": conditions["none"]})
	}
	if without := of[""]; without != nil && len(without) < len(c.Scans) {
		all.Among(who(without), "scans.without-events", finding.Limits, nil)
	}
	all.Add(c.faults("scans.events-outside", func(s Scan) (ScanFault, bool) {
		out := s.Events - s.EventsInside
		return partOf(out, s.Events), out > 0
	}, nil)...)
	overlap := c.faults("scans.events-overlap", func(s Scan) (ScanFault, bool) {
		return partOf(float64(s.OverlappingEvents), s.Events), s.OverlappingEvents > 0
	}, nil)
	modeled, most := 0, 0
	for _, s := range c.Scans {
		if s.Events > 0 {
			modeled++
			if 2*float64(s.OverlappingEvents) >= s.Events {
				most++
			}
		}
	}
	for i := range overlap {
		if 2*most > modeled {
			overlap[i].Weight = finding.Overturns
		}
	}
	all.Add(overlap...)
	all.Add(c.faults("scans.events-cut", func(s Scan) (ScanFault, bool) {
		n := float64(s.EventsCut) // the last event of a condition may go on after the scan
		return partOf(n, s.Events), n >= 3 && 4*n > s.Events
	}, nil)...)
	all.Add(c.faults("scans.events-in-part", func(s Scan) (ScanFault, bool) {
		return ScanFault{X: s.EventsSpan, severity: -s.EventsSpan}, s.EventsSpan > 0 && 2*s.EventsSpan < 1
	}, nil)...)
	all.Add(c.faults("scans.events-repeated", func(s Scan) (ScanFault, bool) {
		return partOf(float64(s.RepeatedEvents), s.Events), s.RepeatedEvents > 0
	}, nil)...)
	return all
}

// lengths are findings about scans of unusual length or repetition time.
func (c Cleaning) lengths() (all finding.List) {
	volumes := map[string]int{}
	for _, s := range c.Scans {
		volumes[s.Who] = int(s.Volumes)
	}
	median, short := column.ShortScans(volumes)
	all.Add(c.faults("scans.short", func(s Scan) (ScanFault, bool) {
		return ScanFault{N: int(s.Volumes), severity: -float64(s.Volumes)}, short[s.Who] && s.Volumes > 0
	}, values{"Median": median})...)
	if length, ok := usual(c.Scans, func(s Scan) float64 { return float64(s.Volumes) }); ok {
		sites, alike := c.sitesOfLength(int32(length))
		if sites != nil {
			all.Study("scans.length-by-site", finding.Limits, values{"Usual": int(length), "Joined": c.Joined, "Sites": sites})
		}
		all.Add(completely(c.faults("scans.length", func(s Scan) (ScanFault, bool) {
			return ScanFault{N: int(s.Volumes)},
				float64(s.Volumes) != length && !alike[s.Who] && !short[s.Who] && s.Volumes > 0
		}, values{"Usual": int(length)}))...)
	}
	if unknown, groups := TimeUnknown(c.Scans, c.Group); unknown != nil && len(unknown) < len(c.Scans) {
		all.Among(who(unknown), "scans.time-unknown", finding.Limits, values{"N": CountScans(unknown),
			"Of": CountScans(c.Scans), "Joined": c.Joined, "Groups": groups,
			"Who": who(unknown)})
	}
	if differ, times := TimesDiffer(c.Scans); differ != nil {
		all.Add(completely(c.faults("scans.run-times", func(s Scan) (ScanFault, bool) {
			return ScanFault{Names: []string{column.TimesText(s.Times)}}, s.Times != nil
		}, values{"Times": column.TimesText(times)}))...)
	}
	if tr, ok := usual(c.Scans, func(s Scan) float64 { return s.TR }); ok {
		all.Add(completely(c.faults("scans.repetition-time", func(s Scan) (ScanFault, bool) {
			return ScanFault{X: s.TR}, s.TR != tr && !math.IsNaN(s.TR)
		}, values{"Usual": tr}))...)
	}
	return all
}

func timeUnknown(s Scan) bool { return s.Times == nil && (!(s.TR > 0) || math.IsInf(s.TR, 0)) }

// TimesDiffer lists the joined series whose runs have different repetition times, and all of these times.
func TimesDiffer(scans []Scan) (differ []Scan, times []float64) {
	for _, s := range scans {
		if s.Times != nil {
			differ, times = append(differ, s), append(times, s.Times...)
		}
	}
	return differ, times
}

// TimeUnknown lists the scans without a repetition time, and the groups that they make up; no groups where a group has
// scans with one, too.
func TimeUnknown(scans []Scan, group map[string]string) (unknown []Scan, groups []string) {
	lacks, has := map[string]bool{}, map[string]bool{}
	for _, s := range scans {
		if g := group[s.Participant]; timeUnknown(s) {
			unknown = append(unknown, s)
			lacks[g] = true
		} else {
			has[g] = true
		}
	}
	for g := range lacks {
		if g == "" || has[g] {
			return unknown, nil
		}
	}
	return unknown, slices.Sorted(maps.Keys(lacks))
}

// leastReferenceR is the likeness to its reference that a raw scan has (docs/fmriprep.md).
const leastReferenceR = 0.7

// values are findings about numbers in the scans that are none, or are those of another scan.
func (c Cleaning) values() (all finding.List) {
	all.Add(c.faults("scans.not-finite", func(s Scan) (ScanFault, bool) {
		return ScanFault{N: int(s.NonFinite), Element: c.Element, severity: float64(s.NonFinite)}, s.NonFinite > 0
	}, values{"Element": c.Element})...)
	all.Add(c.excludable("scans.wrapped", func(s Scan) bool { return s.Wrapped > 0 }, func(s Scan) ScanFault {
		return ScanFault{N: s.Wrapped, Element: c.Element, severity: float64(s.Wrapped)}
	})...)
	unlike := func(s Scan) bool { return s.ReferenceR != nil && *s.ReferenceR < leastReferenceR }
	all.Add(overturning(c.faults("scans.unlike-reference", func(s Scan) (ScanFault, bool) {
		if !unlike(s) {
			return ScanFault{}, false
		}
		return ScanFault{X: *s.ReferenceR, severity: -*s.ReferenceR}, true
	}, values{"Exclude": c.toExclude(unlike), "Limit": leastReferenceR}))...)
	coded := slices.DeleteFunc(slices.Clone(c.Scans), func(s Scan) bool { return len(s.Codes) == 0 })
	if len(coded) > 0 {
		all.Among(who(coded), "scans.missing-codes", finding.Limits, values{"Listed": lists.Map(coded, func(s Scan) ScanFault {
			return ScanFault{Who: s.Who, Codes: s.Codes}
		})})
	}
	return all
}

// regions are findings about regions without a series of their own.
func (c Cleaning) regions() (all finding.List) {
	all.Add(c.faults("scans.regions-without-series", func(s Scan) (ScanFault, bool) {
		return counted(s.Missing + s.Constant), s.Missing+s.Constant > 0
	}, values{"Element": c.Element, "LeastValid": 100 * c.LeastValid, "Always": c.neverUsable()})...)
	all.Add(c.excludable("scans.constant-confounds", func(s Scan) bool { return len(s.ConstantConfounds) > 0 },
		func(s Scan) ScanFault {
			f := partOf(float64(len(s.ConstantConfounds)), float64(len(s.Confounds)))
			f.Names = s.ConstantConfounds
			return f
		})...)
	all.Add(c.excludable("scans.repeated-volumes", func(s Scan) bool { return s.RepeatedVolumes > 0 },
		func(s Scan) ScanFault { return partOf(float64(s.RepeatedVolumes), float64(s.Volumes)) })...)
	all.Add(c.faults("scans.non-steady", func(s Scan) (ScanFault, bool) {
		f := partOf(float64(s.NonSteady), float64(s.Volumes))
		f.Later = int(s.NonSteadyLater)
		return f, s.NonSteady > mostNonSteady*int32(max(s.Runs, 1)) || s.NonSteadyLater > 0
	}, values{"Most": mostNonSteady})...)
	all.Add(c.faults("scans.cosines", func(s Scan) (ScanFault, bool) {
		return ScanFault{N: int(s.Cosines), Of: int(s.CosinesUsual), Other: int(s.OtherCosines),
				severity: float64(s.OtherCosines)},
			s.OtherCosines > 0 || s.CosinesUsual > 0 && s.Cosines != s.CosinesUsual
	}, nil)...)
	other := c.confoundsOfOther()
	all.Add(overturning(c.faults("scans.confounds-of-other", func(s Scan) (ScanFault, bool) {
		return ScanFault{X: s.GlobalR, severity: -s.GlobalR}, other(s)
	}, values{"Exclude": c.toExclude(other), "Limit": column.LeastGlobalR}))...)
	all.Add(c.excludable("scans.first-volumes", func(s Scan) bool { return s.FirstVolumes > 0 },
		func(s Scan) ScanFault { return counted(s.FirstVolumes) })...)
	all.Add(c.excludable("scans.far-volumes", func(s Scan) bool { return len(s.FarVolumes) > 0 },
		func(s Scan) ScanFault {
			f := partOf(float64(len(s.FarVolumes)), float64(s.Volumes))
			f.Names = lists.Map(s.FarVolumes, func(v int32) string { return strconv.Itoa(int(v)) })
			return f
		})...)
	all.Add(c.excludable("scans.repeated-regions", func(s Scan) bool { return s.RepeatedRegions > 0 },
		func(s Scan) ScanFault { return counted(s.RepeatedRegions) })...)
	return all
}

// mostNonSteady is how many volumes a scan has before the steady state, at most.
const mostNonSteady = 10

// neverUsable are the names of regions without a usable series in any of several scans: a column that is no region, or
// one outside the field of view of all.
func (c Cleaning) neverUsable() (names []string) {
	if len(c.Scans) < 2 || c.RegionName == nil {
		return nil
	}
	for _, place := range c.Scans[0].Unusable {
		if !slices.ContainsFunc(c.Scans, func(s Scan) bool { return !slices.Contains(s.Unusable, place) }) {
			names = append(names, c.RegionName(int(place)))
		}
	}
	return names
}

// Beyond these, correlation matrices of 40 real scans agree by less than 0.98 on average with those filtered before
// censoring (docs/denoising.md): the volumes of a gap under a cubic spline, and the per cent of volumes, scattered in
// short gaps, under straight lines.
const mostCubic, mostLinear = 5, 25

// motion are findings about motion and its censoring.
func (c Cleaning) motion() (all finding.List) {
	all.Add(c.faults("scans.half-censored", func(s Scan) (ScanFault, bool) {
		return partOf(float64(s.Censored), float64(s.Volumes)), 2*s.Censored > s.Volumes
	}, nil)...)
	all.Add(c.faults("scans.long-gaps", func(s Scan) (ScanFault, bool) {
		return counted(s.LongestGap), s.Bridge == "nilearn" && s.LongestGap > mostCubic
	}, values{"Most": mostCubic})...)
	all.Add(c.faults("scans.much-bridged", func(s Scan) (ScanFault, bool) {
		n := s.Kept + s.Bridged
		return ScanFault{N: int(s.Bridged), Of: int(n), Longest: int(s.LongestGap),
				severity: float64(s.Bridged) / float64(n)},
			s.Bridge == "linear" && 100*s.Bridged > mostLinear*n
	}, values{"Most": mostLinear})...)
	all.Add(c.faults("scans.strong-motion", func(s Scan) (ScanFault, bool) {
		return ScanFault{N: int(s.HighFD), Of: int(s.Volumes), X: s.MeanFD, severity: s.MeanFD},
			s.Censored == 0 && (s.MeanFD > column.StrongMotion || 2*s.HighFD > s.Volumes)
	}, values{"Limit": column.StrongMotion})...)
	all.Add(c.faults("scans.still", func(s Scan) (ScanFault, bool) {
		return ScanFault{X: s.MeanFD, severity: -s.MeanFD},
			s.MeanFD < column.LeastMotion || s.MeanFD > column.MostMotion
	}, values{"Limit": column.LeastMotion, "Most": column.MostMotion})...)
	return all
}

// A ScanFault is a fault of one scan.
type ScanFault struct {
	Who      string
	N, Of    int      // volumes, voxels, regions or cosines; 0 where they are not counted
	Later    int      // volumes that are not the first ones
	Other    int      // cosines of a scan of another length
	Longest  int      // gap, volumes
	Names    []string // of columns of confounds
	X        float64  // repetition time in s, mean framewise displacement in mm, a share of the scan, or a correlation
	Element  string
	Codes    []Code
	severity float64
}

// partOf is that so many of all have it, and counted that so many have.
func partOf(n, all float64) ScanFault { return ScanFault{N: int(n), Of: int(all), severity: n / all} }
func counted(n int32) ScanFault       { return ScanFault{N: int(n), severity: float64(n)} }

// faults are one finding about the scans that have a fault, the most severe first. Where most scans have it, it counts
// them, and lists the most severe one alone, if one is.
func (c Cleaning) faults(code string, of func(Scan) (ScanFault, bool), numbers values) finding.List {
	var found []ScanFault
	var with []Scan
	for _, s := range c.Scans {
		if f, ok := of(s); ok {
			f.Who = s.Who
			found, with = append(found, f), append(with, s)
		}
	}
	if found == nil {
		return nil
	}
	slices.SortStableFunc(found, func(x, y ScanFault) int { return cmp.Compare(y.severity, x.severity) })
	if cleanedAgain(c.Scans) {
		found = once(found, func(f ScanFault) string { return f.Who })
	}
	subject := finding.Subject{Participants: lists.Map(found, func(f ScanFault) string { return f.Who }),
		Only: only(c.Scans, with)}
	n, scans := len(found), CountScans(c.Scans)
	shared := nobodyStandsOut(n, scans)
	if shared {
		found = slices.DeleteFunc(found[:1], func(ScanFault) bool { return found[0].severity == found[n-1].severity })
	}
	all := values{"Listed": found, "Shared": shared, "N": n, "Of": scans, "Joined": c.Joined, "Groups": c.byGroup(with)}
	maps.Copy(all, numbers)
	return finding.List{{Code: code, Weight: finding.Limits, Subject: subject, Numbers: all}}
}

// confoundsOfOther reports whether the confounds of a scan are of another one: without regressors, too, because their
// motion censors volumes and is a covariate. Who denoised a scan before may have removed its global signal, so a scan
// that needs no more regressors has to stand out among those of its kind.
func (c Cleaning) confoundsOfOther() func(Scan) bool {
	low := func(s Scan) bool { return s.GlobalR < column.LeastGlobalR }
	n, of := map[string]int{}, map[string]int{}
	for _, s := range c.Scans {
		if !math.IsNaN(s.GlobalR) {
			of[s.Why]++
			if low(s) {
				n[s.Why]++
			}
		}
	}
	return func(s Scan) bool {
		return low(s) && (len(s.Confounds) > 0 || !s.LossUnknown() || 2*n[s.Why] < of[s.Why])
	}
}

// excludable are the faults of scans that have one for which their participants are excluded, and which overturns a
// result where it goes with the group.
func (c Cleaning) excludable(code string, has func(Scan) bool, fault func(Scan) ScanFault) finding.List {
	return overturning(c.faults(code, func(s Scan) (ScanFault, bool) { return fault(s), has(s) },
		values{"Exclude": c.toExclude(has)}))
}

// overturning gives findings about scans whose connectivity a fault changes the weight that they have where the
// fault goes with the group: the fault can then be what a model learns, and to exclude its participants is no remedy.
func overturning(all finding.List) finding.List {
	for i := range all {
		if of := all[i].Numbers.(values); of["Groups"].([]Share) != nil {
			all[i].Weight = finding.Overturns
			of["Exclude"] = []string(nil)
		}
	}
	return all
}

// completely gives findings about scans the weight of a complete confound, where all participants of a group have such
// a scan, or none.
func completely(all finding.List) finding.List {
	for i := range all {
		shares := all[i].Numbers.(values)["Groups"].([]Share)
		if shares != nil && !slices.ContainsFunc(shares, func(s Share) bool { return s.N > 0 && s.N < s.Of }) {
			all[i].Weight = finding.Overturns
		}
	}
	return all
}

// A Share is how many participants of a group have something.
type Share struct {
	Name  string
	N, Of int
}

// byGroup are the shares of the participants of some of the scans.
func (c Cleaning) byGroup(some []Scan) []Share {
	ids := func(scans []Scan) []string { return lists.Map(scans, func(s Scan) string { return s.Participant }) }
	return SharesOf(c.Group, ids(c.Scans), ids(some))
}

// SharesOf is how many of the participants of each group are among some, where this differs between the groups
// (Fisher's exact test of each group against the others, corrected by Holm); otherwise nil.
func SharesOf(group map[string]string, all, some []string) (shares []Share) {
	count := func(ids []string) (of map[string]int, n int) {
		of = map[string]int{}
		for _, id := range once(ids, strings.Clone) {
			if g := group[id]; g != "" {
				of[g]++
				n++
			}
		}
		return of, n
	}
	of, n := count(all)
	with, hit := count(some)
	var p []float64
	for _, g := range slices.Sorted(maps.Keys(of)) {
		shares = append(shares, Share{g, with[g], of[g]})
		p = append(p, inference.Fisher(with[g], of[g], hit-with[g], n-of[g]))
	}
	if len(p) == 2 {
		p = p[:1] // the second is the same test
	}
	if len(shares) < 2 || !inference.Significant(slices.Min(inference.Holm(p))) {
		return nil
	}
	return shares
}

// toExclude are the participants of scans with a fault, which could be excluded; none where most scans have it: then it
// is one of the data.
func (c Cleaning) toExclude(fault func(Scan) bool) (ids []string) {
	of := slices.DeleteFunc(slices.Clone(c.Scans), func(s Scan) bool { return !fault(s) })
	if nobodyStandsOut(CountScans(of), CountScans(c.Scans)) {
		return nil
	}
	ids = lists.Map(of, func(s Scan) string { return s.Participant })
	slices.Sort(ids) // several runs of one participant are one
	return slices.Compact(ids)
}

// A SiteLength is the number of volumes that all scans of a site have.
type SiteLength struct {
	Site       string
	Volumes, N int // N scans
}

// sitesOfLength are sites all of whose scans have one length that is not the usual one, and these scans.
func (c Cleaning) sitesOfLength(usual int32) (sites []SiteLength, alike map[string]bool) {
	of := map[string][]Scan{}
	for _, s := range c.Scans {
		if at := c.Site[s.Participant]; at != "" {
			of[at] = append(of[at], s)
		}
	}
	alike = map[string]bool{}
	for _, at := range slices.SortedFunc(maps.Keys(of), dag.CompareValues) {
		scans, length := of[at], of[at][0].Volumes
		n := CountScans(scans)
		if n < 2 || length == usual ||
			slices.ContainsFunc(scans, func(s Scan) bool { return s.Volumes != length }) {
			continue
		}
		for _, s := range scans {
			alike[s.Who] = true
		}
		sites = append(sites, SiteLength{at, int(length), n})
	}
	return sites, alike
}

// nobodyStandsOut reports whether so many scans share something that they are counted and not listed.
func nobodyStandsOut(n, all int) bool { return n > max(6, all/2) }

// usual is the value that most scans have; not ok where no value is that of more than half, or all have it.
func usual(scans []Scan, of func(Scan) float64) (value float64, ok bool) {
	count := map[float64]int{}
	for _, s := range scans {
		if x := of(s); !math.IsNaN(x) {
			count[x]++
		}
	}
	for x, n := range count {
		if 2*n > len(scans) {
			return x, len(count) > 1
		}
	}
	return 0, false
}

// who are the names of the scans, each once.
func who(scans []Scan) []string {
	names := lists.Map(scans, func(s Scan) string { return s.Who })
	if cleanedAgain(scans) {
		names = once(names, func(name string) string { return name })
	}
	return names
}

// subject is some of the scans, in some of their settings.
func (c Cleaning) subject(some []Scan) finding.Subject {
	return finding.Subject{Participants: who(some), Only: only(c.Scans, some)}
}

// only are the settings that some scans were cleaned in, of those of all; nil where they are of all settings.
func only(all, some []Scan) finding.Part {
	if !cleanedAgain(all) {
		return nil
	}
	coords := func(scans []Scan) [][]dag.Coord {
		return lists.Map(scans, func(s Scan) []dag.Coord { // the axis of participants may have any name
			return slices.DeleteFunc(slices.Clone(s.Coords), func(c dag.Coord) bool { return c.Value == s.Participant })
		})
	}
	return finding.Only(coords(all), coords(some))
}

// CountScans is the number of scans; one that was cleaned in several ways is one.
func CountScans(scans []Scan) int { return len(who(scans)) }

// cleanedAgain reports whether there are scans that were cleaned in several ways.
func cleanedAgain(scans []Scan) bool {
	return slices.ContainsFunc(scans, func(s Scan) bool { return s.Again })
}

// once is the first element of each name.
func once[E any](list []E, name func(E) string) (first []E) {
	seen := map[string]bool{}
	for _, e := range list {
		if !seen[name(e)] {
			seen[name(e)] = true
			first = append(first, e)
		}
	}
	return first
}
