package pipelines

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/folds"
	"prgnn/stages"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// checkHeadlines refuses a headline, or a reference, that is not exactly one setting: before anything runs,
// and so before anybody has seen which setting does best.
func (l *loader) checkHeadlines() {
	for _, s := range l.stages {
		for i := range s.nodes {
			n := &s.nodes[i]
			work, ok := n.Work.(role.Referrer)
			if !ok {
				break
			}
			if err := oneSetting(n, work.RefersTo()); err != nil {
				l.bad.Add(placeOf(s.pos, s.with)(err.Error()), "stage %s: %v", s.name, err)
				break
			}
		}
	}
}

// oneSetting checks that a reference is one of the settings.
func oneSetting(n *dag.Node, r role.Reference) error {
	if r.Coords == nil {
		return nil
	}
	settings, input := settingsAt(n, r.Gathered), r.Gathered
	if r.Input != "" {
		settings, input = settingsBehind(n, r.Input, r.Gathered), r.Input
	}
	stage, parameter, or := n.Stage.Name, r.Parameter, ""
	if r.Without != "" {
		or = fmt.Sprintf("; %s: [] %s", parameter, r.Without)
	}
	var fit, all []string
	first := ""
	for _, s := range settings {
		all = append(all, column.CoordText(s))
		if column.Holds(s, column.ReadCoords(r.Coords)) {
			fit, first = append(fit, column.CoordText(s)), cmp.Or(first, strings.Join(column.CoordTexts(s), ", "))
		}
	}
	named := strings.Join(r.Coords, ", ")
	switch {
	case len(fit) == 1:
		return nil
	case len(settings) == 0:
		return fmt.Errorf("%s: there is no setting %s: %s is not connected to several trainings%s", parameter, named, input, or)
	case len(fit) == 0:
		return fmt.Errorf("%s: no setting matches %s; available: %s%s", parameter, named, words.Some(all, 10), or)
	}
	return fmt.Errorf("%s: %d settings match %s (%s): name one, such as %s: { with: { %[1]s: [%[6]s] } }%[7]s", parameter, len(fit),
		named, words.Some(fit, 4), stage, first, or)
}

// settingsBehind are the settings that the task behind an input gathers: coordinates without fold and repeat.
func settingsBehind(n *dag.Node, input, gathered string) (settings [][]dag.Coord) {
	for _, b := range n.Inputs {
		if b.Port == input && len(b.Sources) == 1 && b.Sources[0].Node != nil {
			settings = append(settings, settingsAt(b.Sources[0].Node, gathered)...)
		}
	}
	return settings
}

// settingsAt are those that a task gathers itself.
func settingsAt(n *dag.Node, gathered string) (settings [][]dag.Coord) {
	seen := map[string]bool{}
	for _, b := range n.Inputs {
		if b.Port != gathered {
			continue
		}
		for _, src := range b.Sources {
			coords := slices.DeleteFunc(slices.Clone(src.Coords),
				func(c dag.Coord) bool { return c.Axis == "fold" || c.Axis == "repeat" })
			if key := column.CoordText(coords); !seen[key] {
				seen[key] = true
				settings = append(settings, coords)
			}
		}
	}
	return settings
}

// checkFolds refuses folds that a division does not make, accuracies of some of its folds only, and features that
// were fitted to participants whom their fold tests.
func (l *loader) checkFolds() {
	var participants *encoding.Table
	if l.roster != nil {
		participants = l.roster.Participants
	}
	fits, plans := folds.Fits{Participants: participants, Own: stages.Own}, folds.Plans{Participants: participants}
	if l.roster != nil {
		plans.Line, plans.Skips = l.roster.Line, l.roster.Incomplete != ""
	}
	for _, s := range l.stages {
		for _, text := range folds.Mistakes(s.nodes, participants) {
			l.bad.Add(placeOf(s.pos, s.with)(text), "stage %s: %s", s.name, text)
		}
		why := plans.Faults(s.nodes)
		if err := plans.Fail(s.nodes); err != nil {
			why = append(why, err.Error())
		}
		for _, text := range why {
			l.doomed = append(l.doomed, Doom{s.name, s.pos, text})
			l.note("%v", l.doomed[len(l.doomed)-1])
		}
		refused, doubts := plans.Preserved(s.nodes)
		for _, text := range refused {
			l.bad.Add(placeOf(s.pos, s.with)("preserve"), "stage %s: %s", s.name, text)
		}
		for _, text := range doubts {
			l.doubt(column.DoubtPreserved, "stage %s: %s", s.name, text)
		}
		for _, text := range plans.OneGroup(s.nodes) {
			l.doubt(column.DoubtOneGroup, "stage %s: %s", s.name, text)
		}
		leaks, unknown := fits.Leaks(s.nodes)
		for _, text := range leaks {
			l.bad.Add(s.pos, "stage %s: %s", s.name, text)
		}
		for _, u := range unknown {
			l.note("%s", u)
		}
		l.unchecked = append(l.unchecked, unknown...)
	}
	if len(l.unchecked) > 0 {
		l.connectPages(column.UncheckedPort, "")
	}
	l.connectPages("settings", "permutation")
}

// connectPages gives an output of the pipeline itself to every page (summary, report) with a port of this name, whether
// the file connects it or not; where another port is named, to those on which it is connected. A page must not say that
// the leakage checks passed where there are stages that they do not see, and finds the classifier that a permutation
// test is of by the settings.
func (l *loader) connectPages(output, where string) {
	for _, s := range l.stages {
		if s.kind == nil || !slices.ContainsFunc(s.kind.New().Ports().In, isUnchecked) {
			continue
		}
		for i := range s.nodes {
			n := &s.nodes[i]
			has := func(port string) bool {
				return slices.ContainsFunc(n.Inputs, func(b dag.Binding) bool { return b.Port == port })
			}
			if has(output) || where != "" && !has(where) {
				continue
			}
			src := dag.Source{Node: l.settings.Tasks[0], Output: output}
			n.Inputs = append(slices.Clip(n.Inputs), dag.Binding{Port: output, Sources: []dag.Source{src}})
			l.settled = true
		}
	}
}

// isUnchecked is the port that only pages have.
func isUnchecked(p dag.Port) bool { return p.Name == column.UncheckedPort }
