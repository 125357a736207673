package participants

import (
	"cmp"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/report"
)

// A warned holds the warnings of one step, in the order in which they come.
type warned struct {
	step     string
	unit     string // what all counts: participant, fit of a fold, or result of another axis; "" for the one result
	all, hit int
	coords   [][]dag.Coord // of all tables
	warnings []warning
	seen     map[string]bool // participants: one may have several tables, and draws
}

// A warning is one finding of several participants or fits, which differ in numbers alone.
type warning struct {
	each   []finding.Finding
	n      int           // of the unit
	known  []string      // those whose name is known
	coords [][]dag.Coord // of its tables
}

// warnings lists what the tables of quality warn of, such as too few degrees of freedom for the regions, or windows
// that are too short: step by step, each warning once, with its participants.
func (a *Cohort) warnings() {
	var steps []*warned
	for _, in := range slices.Concat(a.T.All("connectivity"), a.T.All("warnings")) {
		name := cmp.Or(in.Coord("stage"), "connectivity")
		at := slices.IndexFunc(steps, func(w *warned) bool { return w.step == name })
		if at < 0 {
			at = len(steps)
			steps = append(steps, &warned{step: name, unit: unitOf(in), seen: map[string]bool{}})
		}
		var found finding.List
		for _, cell := range column.Warnings(a.TableOf(in)) {
			found.Add(finding.Warned(cell)...)
		}
		if of := a.Run.Stage(name); of != nil && !a.Run.Takes(of, "partial") {
			found = slices.DeleteFunc(found, func(f finding.Finding) bool {
				return slices.Contains(ofPartial, f.Code)
			})
		}
		steps[at].add(found, in)
	}
	var list []string
	for _, s := range steps {
		for i, w := range s.warnings {
			of := finding.List{a.withNames(finding.Over(w.each))}
			var only finding.Part
			if s.unit != "participant" || !s.seen["all "] { // else an axis of any name is that of participants
				only = finding.Only(s.coords, w.coords)
			}
			if i == 0 {
				a.FindOf(s.coords, finding.Finding{Code: "quality.warned", Weight: finding.Limits,
					Subject: finding.Subject{Stage: s.step, Only: only},
					Numbers: values{"N": s.hit, "Of": s.all, "Unit": s.unit, "Warning": of,
						"Others": len(s.warnings) - 1}})
			}
			list = append(list, a.Text("quality.warning", values{"Stage": s.step, "Warning": of, "N": w.n,
				"Unit": s.unit, "Participants": w.known, "Only": only.String()}))
		}
	}
	if list == nil {
		return
	}
	a.Heading(a.Text("quality.warnings", nil))
	if more := len(list) - mostWarnings; more > 0 {
		list = append(list[:mostWarnings], a.Text("quality.more-warnings",
			values{"N": more, "Exported": a.Exported("connectivity", "warnings")}))
	}
	a.Add(report.Block{List: list})
}

// unitOf is what the tables of a stage are counted as, by one of them.
func unitOf(in dag.Input) string {
	switch {
	case in.Coord("subject") != "":
		return "participant"
	case in.Coord("fold") != "":
		return "fit"
	case in.Coord("stage") == "": // of connectivity, in a cohort of another kind
		return "participant"
	case slices.ContainsFunc(in.Coords, func(c dag.Coord) bool { return c.Axis != "stage" }):
		return "result"
	}
	return ""
}

// ofPartial are warnings about partial correlations, which say nothing about a study that takes none.
var ofPartial = []string{"connectivity.undetermined", "connectivity.poorly-determined", "connectivity.noisy"}

// mostWarnings is how many different warnings a page lists.
const mostWarnings = 100

// add adds what one table warns of. One whose participant is not known counts as a further participant.
func (s *warned) add(found finding.List, in dag.Input) {
	whose := in.Coord("subject")
	s.coords = append(s.coords, in.Coords)
	if again := s.seen["all "+whose]; !again || whose == "" {
		s.all++
	}
	if again := s.seen["hit "+whose]; len(found) > 0 && (!again || whose == "") {
		s.hit++
		s.seen["hit "+whose] = true
	}
	s.seen["all "+whose] = true
	hit := map[int]bool{} // warnings of this table
	for _, f := range found {
		at := slices.IndexFunc(s.warnings, func(w warning) bool { return w.each[0].Same(f) })
		if at < 0 {
			at = len(s.warnings)
			s.warnings = append(s.warnings, warning{})
		}
		w := &s.warnings[at]
		w.each, w.coords = append(w.each, f), append(w.coords, in.Coords)
		if hit[at] || whose != "" && slices.Contains(w.known, whose) {
			continue
		}
		hit[at] = true
		if w.n++; whose != "" {
			w.known = append(w.known, whose)
		}
	}
}

// withNames is a finding with the names of its regions, whose numbers a stage gives.
func (a *Cohort) withNames(f finding.Finding) finding.Finding {
	if of, ok := f.Numbers.(map[string]any); ok {
		if regions, ok := of["Regions"].([]any); ok {
			of["Regions"] = lists.Map(regions, func(r any) string {
				index, _ := r.(float64)
				return a.RegionName(int(index))
			})
		}
	}
	return f
}
