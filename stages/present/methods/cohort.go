package methods

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/inference"
	"prgnn/stages/present/participants"
)

// cohort states who was scanned, or that nobody was, and how voxels were labeled.
func (a *Author) cohort() {
	n := 0
	if a.Who != nil {
		n = len(a.Who.Ids)
	}
	of := values{"N": n, "Groups": a.groupSizes()}
	switch c := a.Run.Stage("cohort"); {
	case c == nil:
	case c.Kind == "simulate":
		a.say("methods.simulated", parameters(c, of))
	case c.Kind == "bids":
		of["MadeBy"] = a.About.MadeBy
		of["Program"], _, _ = strings.Cut(a.About.MadeBy, " ") // before its version
		a.say("methods.bids", of)
	case n > 0:
		a.say("methods.cohort", of)
	}
	if n > 0 && a.Lacking > 0 {
		a.say("methods.lacking", values{"N": a.Lacking})
	}
	if a.About.Space != "" {
		a.say("methods.space", values{"Space": a.About.Space})
	}
	if p, list := a.parcels(); p != nil {
		a.labels(p, list)
	}
}

// groupSizes are the sizes of the groups; none where there are no groups.
func (a *Author) groupSizes() []string {
	groups := slices.DeleteFunc(a.Groups(), func(g participants.Counted) bool { return g.Name == "" })
	slices.SortFunc(groups, func(x, y participants.Counted) int { return strings.Compare(x.Name, y.Name) })
	return lists.Map(groups, func(g participants.Counted) string { return words.CountOf(g.N, g.Name, " ") })
}

// parcels is the stage that labels voxels in the universe that is being described, of several the one that a decision
// connects, and the node list that a decision chooses for it; "" for that of all universes.
func (a *Author) parcels() (p *finding.StageSettings, list string) {
	p = a.Run.Of("parcellate")
	for _, s := range a.Run.Stages {
		for _, parcels := range s.Chosen("parcels") {
			if of := a.Run.Stage(parcels.Stage); of != nil && of.Kind == "parcellate" {
				return of, cmp.Or(of.Value("in.nodes"), s.Value("in.nodes")) // the same list: others are refused
			}
		}
	}
	if p != nil {
		list = p.Value("in.nodes")
	}
	return p, list
}

// labels states how voxels got their labels, and where these come from.
func (a *Author) labels(p *finding.StageSettings, list string) {
	way := map[string]string{column.LabelsMatched: "grayordinates", column.LabelsOnGrid: "none",
		column.LabelsNearest: "nearest", column.LabelsMajority: "majority"}
	labeled := slices.DeleteFunc(slices.Clone(a.Labeled),
		func(s participants.LabeledScan) bool { return !a.isOf(p, s.Coords) })
	if len(labeled) == 0 && !a.isDecided(p.Stage, "in.labels") { // the page has the scans of another option
		labeled = slices.DeleteFunc(slices.Clone(a.Labeled), func(s participants.LabeledScan) bool {
			return !isOfStage(p, s.Coords)
		})
	}
	counted := quality.Tally(lists.Map(labeled, func(s participants.LabeledScan) string { return way[s.Resampling] }))
	ways := lists.Map(counted, func(c participants.Counted) values { return values{"How": c.Name, "Scans": c.N} })
	switch len(ways) {
	case 0: // no results yet: as the parameter has it
		ways = []values{{"How": p.Value("resampling"), "Scans": 0}}
	case 1:
		ways[0]["Scans"] = 0
	}
	n := a.regionsOf(p)
	own := list == "" || list == "cohort.nodes"
	atlas := ""
	if a.About.DK84 && own && (n == 0 || n == dk84) {
		atlas = a.Text("methods.atlas", nil)
	}
	stated := atlas
	if list != "" {
		stated = ""
	}
	a.say("methods.parcellation", parameters(p, values{"Labelings": ways, "Atlas": stated}))
	switch {
	case list != "" && atlas != "":
		a.say("methods.option-atlas", values{"Atlas": atlas})
	case list != "" || a.About.DK84 && atlas == "":
		if list == "cohort.nodes" {
			list = "of the cohort"
		}
		a.say("methods.option-regions", values{"N": n, "List": list})
	}
	if from := p.Value("in.labels"); from != "" && from != "cohort.labels" {
		a.say("methods.label-source", values{"N": 0, "From": "from " + from})
		return
	}
	if a.About.Aligned && own {
		a.say("methods.aligned", nil)
	}
	for _, from := range slices.Sorted(maps.Keys(a.About.Labels)) {
		n := a.About.Labels[from]
		if len(a.About.Labels) == 1 {
			n = 0
		}
		a.say("methods.label-source", values{"N": n, "From": from})
	}
}

// isOf reports whether results are of a stage in the universe that is being described.
func (a *Author) isOf(p *finding.StageSettings, coords []dag.Coord) bool {
	return a.isIn(coords) && isOfStage(p, coords)
}

// isOfStage reports whether results are of a stage; those of one stage alone have no such coordinate.
func isOfStage(p *finding.StageSettings, coords []dag.Coord) bool {
	return !slices.ContainsFunc(coords, func(c dag.Coord) bool { return c.Axis == "stage" && c.Value != p.Stage })
}

// dk84 is how many regions column.Scans.DK84 is about.
const dk84 = 84

// regionsOf is how many regions a stage parcellate has in the universe that is being described; 0 where the page has
// no coverage of it. All its scans have the same list, so one table is read.
func (a *Author) regionsOf(p *finding.StageSettings) int {
	for i, in := range a.T.All("coverage") {
		if !a.isOf(p, in.Coords) {
			continue
		}
		n, known := a.regions[i]
		if !known {
			if a.regions == nil {
				a.regions = map[int]int{}
			}
			n = a.TableOf(in).Rows()
			a.regions[i] = n
		}
		return n
	}
	return 0
}

// scans states the length of the scans, who was excluded and why, and the number of regions, as far as the stages
// report them.
func (a *Author) scans() {
	if c := a.Run.Stage("cohort"); c == nil || c.Kind != "simulate" {
		a.lengths()
	}
	if n := len(a.Excluded); n > 0 {
		of := values{"N": n, "All": 0, "Reasons": reasons(a.Excluded)}
		if a.Who != nil {
			of["All"] = a.InTable()
		}
		a.say("methods.excluded", of)
	}
	if a.Refused > 0 {
		a.say("methods.refused", values{"N": a.Refused, "All": a.InTable(), "Excluded": len(a.Excluded)})
	}
	left := a.leftOut()
	if a.Nodes > 0 && (left != nil || !(a.About.DK84 && a.Run.Of("parcellate") != nil)) {
		a.say("methods.regions", values{"N": a.Nodes, "Kept": a.Nodes - len(left)})
	}
}

// leftOut are the regions that no model of the page takes: of its own models, or else of the stored ones.
func (a *Author) leftOut() []string {
	left, _ := a.RegionsLeftOut()
	if applied := a.Applied(); left == nil && a.Evaluated == nil && len(applied) > 0 {
		left = slices.DeleteFunc(slices.Clone(applied[0].LeftOut), func(region string) bool {
			return slices.ContainsFunc(applied, func(one finding.Applied) bool {
				return !slices.Contains(one.LeftOut, region)
			})
		})
	}
	return left
}

// reasons are those of excluded participants with their numbers, of which one alone has none. There are none where
// somebody's is not known.
func reasons(excluded []participants.ExcludedRow) []participants.Reason {
	if slices.ContainsFunc(excluded, func(r participants.ExcludedRow) bool { return r.Category == "" }) {
		return nil
	}
	all := participants.Reasons(excluded)
	if len(all) == 1 {
		all[0].N = 0
	}
	return all
}

// lengths states the number of volumes and the repetition time, as far as it is known.
func (a *Author) lengths() {
	if len(a.Scans) == 0 {
		return
	}
	var volumes, tr []float64
	for _, s := range a.Scans {
		if volumes = append(volumes, float64(s.Volumes)); s.TR > 0 && !math.IsInf(s.TR, 0) {
			tr = append(tr, s.TR)
		}
	}
	var group map[string]string
	if a.Who != nil {
		group = a.Who.Group
	}
	unknown, groups := quality.TimeUnknown(a.Scans, group)
	names := slices.DeleteFunc(lists.Map(unknown, func(s quality.Scan) string { return s.Who }),
		func(who string) bool { return who == "" })
	differ, times := quality.TimesDiffer(a.Scans)
	of := values{"Differ": quality.CountScans(differ), "Times": column.TimesText(times),
		"Joined": a.Joined(), "Scans": quality.CountScans(a.Scans), "Low": int(slices.Min(volumes)),
		"High": int(slices.Max(volumes)), "Median": inference.Median(volumes), "Unknown": names, "Groups": groups,
		"N":     quality.CountScans(unknown),
		"LowTR": math.NaN(), "HighTR": math.NaN()}
	if tr != nil {
		of["LowTR"], of["HighTR"] = slices.Min(tr), slices.Max(tr)
	}
	a.say("methods.lengths", of)
}

// sessions states how many sessions the participants have, and how they enter the analysis.
func (a *Author) sessions() {
	if a.Run.Of("sessions") == nil {
		return
	}
	each, sum := quality.SessionsOf(a.Scans), 0
	of := values{"N": len(each), "Least": 0, "Most": 0}
	for _, n := range each {
		sum += n
		of["Least"], of["Most"] = each[0], n
	}
	of["Sessions"], of["Data"] = sum, a.held(a.Run.Of("sessions"), "pearson", "partial")
	a.say("methods.sessions", of)
}
