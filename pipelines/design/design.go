// Package design checks, before anything runs, the design of a study: that the folds which tasks test are those that
// their division makes, and for an accuracy all of them; that no feature was fitted to the participants that its fold
// tests; that columns, groups and settings which parameters name exist; and what permutations and relatives do to the
// statistics. It reads roles (package role), and no kind by its name.
package design

import (
	"errors"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
)

// A Study is the stages of a pipeline file, in its order, with the participants of its cohort.
type Study struct {
	roster *cohort.Roster // nil where they are unknown
	stages []*dag.StageNode
	own    func(*dag.Kind) bool               // a kind of the user's, not of this program
	set    func(stage, parameter string) bool // the file sets it

	outcome Outcome

	plans   map[*dag.Node]plan
	drawn   map[*dag.StageNode][]string // its inputs that have an axis of draws
	draws   map[*dag.Node]int           // of its arrays; 0: unknown
	fits    map[*dag.Node][]fit         // upstream of a task
	files   map[string][]fit
	madeOf  map[*dag.Node]string // whose data a task's results are made of
	readers map[*dag.StageNode]map[[2]string]string
	taken   map[[2]string]bool // outputs, by stage and port, that other stages take; nil: not read yet
}

// An Outcome is what the checks found.
type Outcome struct {
	Mistakes  []Mistake
	Doomed    []Mistake // tasks fail whatever the stages before them make; they are among the notes, too
	Notes     []column.Note
	Unchecked []column.Unchecked // stages that no leakage check sees
}

// A Mistake is one of a stage, at its Parameter, or at the one that Place mentions first; "": at the stage.
type Mistake struct{ Stage, Place, Parameter, Text string }

// Err is the mistake without the stage.
func (m Mistake) Err() error {
	if m.Parameter == "" {
		return errors.New(m.Text)
	}
	return words.Refuse("%s: %s", words.Setting{Parameter: m.Parameter}, m.Text)
}

// New is the study of these stages. own reports whether a kind is one of the user's, and set whether the file sets a
// parameter.
func New(roster *cohort.Roster, stages []*dag.StageNode, own func(*dag.Kind) bool,
	set func(stage, parameter string) bool) *Study {
	return &Study{roster: roster, stages: stages, own: own, set: set,
		plans: map[*dag.Node]plan{}, drawn: map[*dag.StageNode][]string{}, draws: map[*dag.Node]int{},
		fits: map[*dag.Node][]fit{}, files: map[string][]fit{}, madeOf: map[*dag.Node]string{},
		readers: map[*dag.StageNode]map[[2]string]string{}}
}

// Check is what all checks find. sites are the columns of Sites.
func (s *Study) Check(sites []string) Outcome {
	s.outcome = Outcome{}
	s.checksFail()
	s.headlines()
	for _, stage := range s.stages {
		s.inputs(stage)
		s.references(stage)
		s.folds(stage)
		s.plansFail(stage)
		s.preserved(stage)
		s.gathers(stage)
		s.oneGroup(stage)
		s.leaks(stage)
	}
	s.exclusions()
	s.idleWithin()
	if s.people() != nil {
		s.checkSites(sites)
		s.unplaced()
		s.permutedWithin()
		s.relatives()
	}
	for _, stage := range s.stages {
		s.permutations(stage)
	}
	if s.people() != nil {
		s.names()
	}
	s.histories()
	return s.outcome
}

func (s *Study) mistake(stage *dag.StageNode, place, text string) {
	s.found(Mistake{Stage: stage.Name(), Place: place, Text: text})
}

// refuse adds a mistake in a parameter.
func (s *Study) refuse(stage *dag.StageNode, parameter, text string) {
	s.found(Mistake{Stage: stage.Name(), Place: parameter, Parameter: parameter, Text: text})
}

func (s *Study) found(m Mistake) {
	s.outcome.Mistakes = lists.Add(s.outcome.Mistakes, m)
}

func (s *Study) note(notes ...column.Note) {
	for _, n := range notes {
		if s.ofOthers(n) {
			continue
		}
		// Several pages show one test, and the participants may have the note.
		if !slices.Contains(s.outcome.Notes, n) && (s.roster == nil || !slices.Contains(s.roster.Notes, n)) {
			s.outcome.Notes = append(s.outcome.Notes, n)
		}
	}
}

// ofOthers adds the stage of a note to a note that is the same of other stages, if there is one.
func (s *Study) ofOthers(n column.Note) bool {
	of := n.Values()[ofStages]
	stage, is := of.([]any)
	for i, other := range s.outcome.Notes {
		values := other.Values()
		stages, _ := values[ofStages].([]any)
		if values[ofStages] = of; !is || other.Code != n.Code || column.JSON(values) != n.Numbers {
			continue
		}
		if !slices.Contains(stages, stage[0]) {
			values[ofStages] = append(stages, stage[0])
			s.outcome.Notes[i].Numbers = column.JSON(values)
		}
		return true
	}
	return false
}

// ofStages is the value of a note that has the stages that it is of.
const ofStages = "Of"

// noteOf adds a note of a stage.
func (s *Study) noteOf(stage *dag.StageNode, n column.Note) {
	s.note(n.With(ofStages, []string{stage.Name()}))
}

// people is the table of the participants; nil where it is unknown, or has rows in place of participants.
func (s *Study) people() *encoding.Table {
	if s.roster == nil || s.roster.Axis != "" {
		return nil
	}
	return s.roster.Participants
}

// Sources are what a port of a task is connected to.
func Sources(n *dag.Node, port string) []dag.Source {
	for _, b := range n.Inputs() {
		if b.Port == port {
			return b.Sources
		}
	}
	return nil
}

// behind are the tasks whose results a task takes at a port.
func behind(n *dag.Node, port string) (of []*dag.Node) {
	for _, src := range Sources(n, port) {
		if src.Node != nil {
			of = append(of, src.Node)
		}
	}
	return of
}

// OfCohort reports whether a task takes the participants of the cohort itself.
func OfCohort(n *dag.Node) bool {
	of := Sources(n, "participants")
	return len(of) > 0 && of[0].Node != nil && of[0].Node.Stage().Name() == "cohort"
}

// setting are the coordinates of a setting: those without fold and repeat.
func setting(coords []dag.Coord) []dag.Coord {
	return slices.DeleteFunc(slices.Clone(coords), func(c dag.Coord) bool {
		return c.Axis == "fold" || c.Axis == "repeat"
	})
}

// sorted are texts in order, each once.
func sorted(texts []string) []string { return slices.Compact(slices.Sorted(slices.Values(texts))) }

// columns are the names of the columns of the participants, but for their ids.
func (s *Study) columns() []string { return columns(s.people()) }

func columns(people *encoding.Table) []string {
	return lists.Map(people.Columns[1:], func(c encoding.Column) string { return c.Name })
}
