package design

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// A fit is what has learned from participants: a task, or a file of the user's.
type fit struct {
	task *dag.Node
	file string
	who  string // participants of the cohort to whom the file was fitted; "" where it names nobody
}

// stage is the name of its stage, or of the file.
func (f fit) stage() string {
	if f.task == nil {
		return f.file
	}
	return f.task.Stage().Name()
}

// known reports whether it is known to whom it is fitted: not of a program that takes participants together.
func (f fit) known() bool { return f.task == nil || isTester(f.task) }

func isTester(n *dag.Node) bool {
	_, ok := n.Instance().(role.Tester)
	return ok
}

// leaks refuses a stage that tests participants to whom something upstream was fitted. The kinds between the two need
// not know of it. Where it is unknown to whom something was fitted, the stage is unchecked.
func (s *Study) leaks(stage *dag.StageNode) {
	said := map[string]bool{} // one sentence of each stage that is fitted
	for _, n := range stage.Tasks() {
		// Predictions without a training of ours: no test fold of theirs is known.
		evaluated := role.Port(n.Instance(), role.AllFolds, role.SomeFolds)
		for _, src := range Sources(n, evaluated) {
			for _, fit := range s.fitsOf(evaluated, src) {
				if !fit.known() && role.Port(fit.task.Instance(), role.Models) == "" {
					s.uncheck(fit, n, evaluated, said)
				}
			}
		}
		tests := testsOf(n)
		if tests == nil {
			continue
		}
		for _, b := range n.Inputs() {
			// A ranking of the regions, which fidelity takes too, is of all folds and enters no prediction.
			features := ofSubjects(b) || slices.Contains(tests, n)
			if !features || b.Port == role.Port(n.Instance(), role.Checks) {
				continue
			}
			for _, src := range b.Sources {
				if b.Port == "folds" {
					s.uncheckFolds(n, src, said)
					continue
				}
				compared := testsWith(n, b.Sources, src, tests)
				for _, fit := range s.fitsOf(b.Port, src) {
					if said[fit.stage()] || slices.Contains(tests, fit.task) {
						continue
					}
					if !fit.known() {
						s.uncheck(fit, n, b.Port, said)
					} else if leak := verdict(fit, compared, n); leak != "" {
						s.mistake(stage, "", fmt.Sprintf("leakage: input %s of %s depends on %s", b.Port, n.ID(), leak))
						said[fit.stage()] = true
					}
				}
			}
		}
	}
}

// uncheckFolds are the stages of unknown work that make the folds of a task, or the labels that these divide.
func (s *Study) uncheckFolds(n *dag.Node, folds dag.Source, said map[string]bool) {
	made := []dag.Source{folds}
	if folds.Node != nil {
		if _, ok := folds.Node.Instance().(role.Divider); ok {
			made = Sources(folds.Node, "participants")
		}
	}
	for _, src := range made {
		for _, fit := range s.fitsOf("folds", src) {
			if !fit.known() {
				s.uncheck(fit, n, "folds", said)
			}
		}
	}
}

func (s *Study) uncheck(f fit, n *dag.Node, port string, said map[string]bool) {
	if said[f.stage()] {
		return
	}
	said[f.stage()] = true
	u := column.Unchecked{By: f.stage(), Reads: s.together(f.task), Stage: n.Stage().Name(), Input: port}
	s.outcome.Unchecked = append(s.outcome.Unchecked, u)
	s.note(column.Notef("%s", u))
}

// verdict is why a fit leaks into one of these tests; "" where it does not.
func verdict(f fit, tests []*dag.Node, n *dag.Node) string {
	switch {
	case f.task != nil:
	case f.who == "":
		return fmt.Sprintf("the file %s, whose metadata do not name the participants that it was fitted to: connect the stage that fits it, or export it from there again", f.file)
	default:
		return fmt.Sprintf("the file %s, which is fitted to participants of this cohort (%s): connect the stage that fits it, fanned out over the folds", f.file, f.who)
	}
	for _, test := range tests {
		port := func(p dag.Port) bool { return p.Name == "folds" }
		if foldsOf(f.task) == nil && !slices.ContainsFunc(f.task.Instance().Ports().In, port) {
			return fmt.Sprintf("%s, which is fitted to all participants, including those that %s tests, and cannot be fitted within folds: remove it from what %s uses", f.task.ID(), test.ID(), n.Stage().Name())
		}
		text := seen(f.task, test)
		switch {
		case text == "":
		case role.Port(n.Instance(), role.OwnFolds) != "":
			return fmt.Sprintf("%s %s and each stage before %s over the same folds (matrix), and connect the features of all folds ([*]): each model is compared with those of its own fold", text, f.stage(), n.Stage().Name())
		default:
			return fmt.Sprintf("%s %s and each stage up to %s over the same folds (matrix), so that each fold has its own fit", text, f.stage(), n.Stage().Name())
		}
	}
	return ""
}

// testsWith are those of the tests for which a task uses a member of an input: all, unless it compares each model with
// the features of its fold. A fold without features of its own is given those of others.
func testsWith(n *dag.Node, all []dag.Source, src dag.Source, tests []*dag.Node) []*dag.Node {
	if role.Port(n.Instance(), role.OwnFolds) == "" || column.ValueOn(src.Coords, "fold") == "" {
		return tests
	}
	return slices.DeleteFunc(slices.Clone(tests), func(test *dag.Node) bool {
		_, fold := test.Instance().(role.Tester).TestFold()
		own := func(s dag.Source) bool { return column.ValueOn(s.Coords, "fold") == strconv.Itoa(fold) }
		return !own(src) && slices.ContainsFunc(all, own)
	})
}

// ofSubjects reports whether an input has a member a participant.
func ofSubjects(b dag.Binding) bool {
	return slices.ContainsFunc(b.Sources, func(src dag.Source) bool { return subjectOf(src.Coords) != "" })
}

// testsOf are the tasks whose folds a task tests: itself, or the trainings of its models; nil where it tests none.
func testsOf(n *dag.Node) (tests []*dag.Node) {
	if port := role.Port(n.Instance(), role.Models, role.OwnFolds); port != "" {
		for _, from := range behind(n, port) {
			tests = append(tests, testsOf(from)...)
		}
		return tests
	}
	if isTester(n) && foldsOf(n) != nil {
		return []*dag.Node{n}
	}
	return nil
}

// fitsOf are the tasks that an input depends on and that have learned from participants: of each path the nearest one
// with a test fold, for what is upstream of that is its own matter, and programs of the user's that take participants
// together.
func (s *Study) fitsOf(port string, src dag.Source) []fit {
	n := src.Node
	if n == nil {
		return s.fitOfFile(port, src)
	}
	switch n.Instance().(type) {
	case role.Tester:
		return []fit{{task: n}}
	case role.Divider:
		return nil
	}
	fits, known := s.fits[n]
	if known {
		return fits
	}
	for _, b := range n.Inputs() {
		if b.Port == role.Port(n.Instance(), role.Checks) {
			continue // nothing is made of what a check states
		}
		for _, src := range b.Sources {
			for _, f := range s.fitsOf(b.Port, src) {
				fits = lists.Add(fits, f)
			}
		}
	}
	if s.together(n) != "" {
		fits = append(fits, fit{task: n})
	}
	s.fits[n] = fits
	return fits
}

// fitOfFile is a file of the user's that is fitted to participants of this cohort, or whose metadata name nobody: a fit
// to others is none of their features.
func (s *Study) fitOfFile(port string, src dag.Source) []fit {
	if !strings.HasSuffix(port, "fitted") || s.people() == nil {
		return nil
	}
	fits, known := s.files[src.File]
	if !known {
		if who, named := s.fittedTo(src.File); len(who) > 0 || !named {
			fits = []fit{{file: src.Name, who: words.Some(who, 4)}}
		}
		s.files[src.File] = fits
	}
	return fits
}

// fittedTo are the participants of the cohort whom the metadata of a fit name; named is false where these name nobody
// at all. What is no table is left to the task.
func (s *Study) fittedTo(file string) (who []string, named bool) {
	r, err := regular.Open(file)
	if err != nil {
		return nil, true
	}
	defer r.Close()
	table, err := encoding.ReadTable(r)
	if err != nil {
		return nil, true
	}
	if json.Unmarshal([]byte(table.Meta["participants"]), &who) != nil || len(who) == 0 {
		return nil, false
	}
	ids, err := s.people().Strings("participant_id")
	return slices.DeleteFunc(who, func(id string) bool { return err != nil || !slices.Contains(ids, id) }), true
}

// seen is how a fit has seen participants whom a task tests, and what to do; "" where it has not.
func seen(fit, test *dag.Node) string {
	repeat, fold := test.Instance().(role.Tester).TestFold()
	fitRepeat, fitFold := fit.Instance().(role.Tester).TestFold()
	of, division := foldsOf(fit), foldsOf(test)
	here, there := fmt.Sprintf("test fold %d", fold), fmt.Sprintf("test fold %d", fitFold)
	if repeat != fitRepeat {
		here += fmt.Sprintf(" of repeat %d", repeat)
		there += fmt.Sprintf(" of repeat %d", fitRepeat)
	}
	connect := func(folds string) string {
		return fmt.Sprintf("connect folds: %s to %s, and fan out", folds, fit.Stage().Name())
	}
	_, divided := placeOf(division)
	switch {
	case of == nil:
		return fmt.Sprintf("%s, which is fitted to all participants, including those of %s: %s", fit.ID(), here, connect(divided))
	case !sameSource(*of, *division):
		fits, _ := placeOf(of)
		tests, _ := placeOf(division)
		return fmt.Sprintf("%s, which is fitted by the folds of %s, but %s is one of %s: %s", fit.ID(), fits, here, tests, connect(divided))
	case fitRepeat != repeat || fitFold != fold:
		return fmt.Sprintf("%s, which is fitted for %s, on the participants of %s too: fan out", fit.ID(), there, here)
	}
	return ""
}

// foldsOf is where the folds of a task come from; nil where it has none.
func foldsOf(n *dag.Node) *dag.Source {
	if all := Sources(n, "folds"); len(all) == 1 {
		return &all[0]
	}
	return nil
}

// placeOf names the task, or the file, of a source, and its stage as a pipeline file does.
func placeOf(src *dag.Source) (task, stage string) {
	if src.Node == nil {
		return src.Name, src.Name
	}
	return src.Node.ID(), src.Node.Stage().Name()
}

// sameSource reports whether two sources are one file, or one result of tasks that do the same work on the same inputs.
func sameSource(a, b dag.Source) bool {
	return a.File == b.File && a.Output == b.Output && sameTask(a.Node, b.Node)
}

func sameTask(a, b *dag.Node) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	same := func(x, y dag.Binding) bool {
		return x.Port == y.Port && slices.EqualFunc(x.Sources, y.Sources, sameSource)
	}
	return a.Stage().Kind() == b.Stage().Kind() && a.Stage().Name() != "cohort" && slices.EqualFunc(a.Inputs(),
		b.Inputs(), same) &&
		bytes.Equal(param.Append(nil, "", a.Instance()), param.Append(nil, "", b.Instance()))
}
