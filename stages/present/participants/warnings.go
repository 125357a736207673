package participants

import (
	"cmp"
	"regexp"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/finding"
	"prgnn/stages/report"
)

// A warned holds the warnings of one step: each once, in the order in which they come, with the participants.
type warned struct {
	step     string
	all, hit int                 // participants
	order    []string            // without their numbers
	texts    map[string][]string // of each, with its numbers
	whom     map[string][]string
	seen     map[[2]string]bool // what was counted of whom: a participant may have several tables, and draws
}

// numbered are the numbers of a warning, in which it may differ between participants.
var numbered = regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?\b`)

// text is a warning with its numbers; where participants differ in one, with the range of it.
func (s *warned) text(warning string) string {
	texts, at := s.texts[warning], 0
	return numbered.ReplaceAllStringFunc(texts[0], func(string) string {
		v := lists.Map(texts, func(text string) string { return numbered.FindAllString(text, -1)[at] })
		at++
		low, high := slices.MinFunc(v, dag.CompareValues), slices.MaxFunc(v, dag.CompareValues)
		if low == high {
			return low
		}
		return low + "–" + high
	})
}

// first reports whether something is counted of a participant for the first time; of nobody known it always is.
func (s *warned) first(what, whose string) bool {
	key := [2]string{what, whose}
	again := s.seen[key] && whose != ""
	s.seen[key] = true
	return !again
}

// warnings lists what the tables of quality warn of, such as too few independent volumes for the regions, or windows
// that are too short: step by step, each warning once, with its participants.
func (a *Cohort) warnings() error {
	var steps []*warned
	for _, in := range slices.Concat(a.T.All("connectivity"), a.T.All("warnings")) {
		table, err := in.Table()
		if err != nil {
			return err
		}
		name := cmp.Or(in.Coord("stage"), "connectivity")
		at := slices.IndexFunc(steps, func(w *warned) bool { return w.step == name })
		if at < 0 {
			at = len(steps)
			steps = append(steps, &warned{step: name, texts: map[string][]string{}, whom: map[string][]string{},
				seen: map[[2]string]bool{}})
		}
		steps[at].add(dag.Warnings(table), in.Coord("subject"))
	}
	var list []string
	for _, s := range steps {
		if s.hit == 0 {
			continue
		}
		a.Find(finding.Finding{Code: "quality.warned", Weight: finding.Limits, Subject: finding.Subject{Stage: s.step},
			Numbers: values{"N": s.hit, "Of": s.all, "Text": a.Named(s.text(s.order[0])), "Others": len(s.order) - 1}})
		for _, w := range s.order {
			names := slices.DeleteFunc(slices.Clone(s.whom[w]), func(id string) bool { return id == "" })
			list = append(list, a.Text("quality.warning", values{"Stage": s.step, "Text": a.Named(s.text(w)),
				"N": len(s.whom[w]), "Participants": names}))
		}
	}
	if list == nil {
		return nil
	}
	a.Heading(a.Text("quality.warnings", nil))
	if more := len(list) - mostWarnings; more > 0 {
		list = append(list[:mostWarnings], a.Text("quality.more-warnings",
			values{"N": more, "Exported": a.Exported("connectivity", "warnings")}))
	}
	a.Add(report.Block{List: list})
	return nil
}

// mostWarnings is how many different warnings a page lists.
const mostWarnings = 100

func (s *warned) add(warnings []string, whose string) {
	if s.first("all", whose) {
		s.all++
	}
	if len(warnings) > 0 && s.first("hit", whose) {
		s.hit++
	}
	for _, text := range warnings {
		w := numbered.ReplaceAllString(text, "#")
		if s.whom[w] == nil {
			s.order = append(s.order, w)
		}
		s.texts[w] = append(s.texts[w], text)
		if s.first("warning "+w, whose) {
			s.whom[w] = append(s.whom[w], whose)
		}
	}
}
