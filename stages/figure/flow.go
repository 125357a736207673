package figure

import (
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/chart"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
)

// A Span is the smallest and the largest of several counts.
type Span struct{ Low, High int }

// Hold widens the span to a count; the zero value holds none.
func (s *Span) Hold(n int) {
	if s.Low == 0 || n < s.Low {
		s.Low = n
	}
	s.High = max(s.High, n)
}

// A Flow counts participants from the table to the analysis.
type Flow struct {
	Simulated      bool
	Reasons        []quality.Reason // of those who were excluded
	Groups         []quality.Counted
	Included       int
	Scans          int // 0 where they are not known
	Sessions       bool
	Duplicates     int // participants whose scan has a second id
	Lacking        int // participants without all results, in an incomplete run
	Tested         int // 0 without results of models
	TestedGroups   []quality.Counted
	Stored         int // models that were trained elsewhere
	Folds, Repeats Span
	Train, Test    Span // participants in each fold
}

// Excluded is how many were excluded.
func (f Flow) Excluded() (n int) {
	for _, r := range f.Reasons {
		n += r.N
	}
	return n
}

// DrawFlow draws how many participants were excluded, by reason, included, and tested.
func DrawFlow(f Flow) *Chart {
	v := values(finding.Values(f))
	out := f.Excluded()
	v["Excluded"], v["All"], v["Untested"] = out, f.Included+out, f.Included-f.Tested
	v["Kind"] = map[bool]string{true: "simulated participant", false: "participant"}[f.Simulated]
	v["Several"], v["OneFold"], v["Repeated"] = len(f.Reasons) > 1, f.Folds.High == 1, f.Repeats.High > 1
	line := func(code string) string { return label(code, v) }
	sizes := func(groups []quality.Counted) string {
		return strings.Join(lists.Map(groups, func(g quality.Counted) string {
			return words.CountOf(g.N, g.Name, "\u00a0")
		}), ", ")
	}
	var steps []chart.Step
	if out > 0 {
		reasons := lists.Map(f.Reasons, func(r quality.Reason) string { return label("figure.flow.reason", r) })
		steps = append(steps, chart.Step{Lines: []string{line("figure.flow.table")},
			Aside: append([]string{line("figure.flow.excluded")}, reasons...)})
	}
	included := chart.Step{Lines: []string{line("figure.flow.included"), sizes(f.Groups), line("figure.flow.scans")}}
	if f.Tested > 0 && f.Tested < f.Included {
		included.Aside = []string{line("figure.flow.untested")}
	}
	steps = append(steps, included)
	if f.Tested > 0 {
		steps = append(steps, chart.Step{Lines: []string{line("figure.flow.tested"), sizes(f.TestedGroups),
			line("figure.flow.folds"), line("figure.flow.each")}})
	}
	for i := range steps {
		steps[i].Lines = slices.DeleteFunc(steps[i].Lines, func(line string) bool { return line == "" })
	}
	v["Boxes"] = lists.Map(steps, func(s chart.Step) string {
		text := strings.Join(s.Lines, ", ")
		if s.Aside != nil {
			text += " (" + strings.Join(s.Aside, ", ") + ")"
		}
		return text
	})
	return Captioned(chart.Flow(steps), "figure.flow", v)
}
