package folds

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
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Fits are the tasks upstream of a task that have learned from participants: of each path the nearest one of a kind
// with a test fold, for what is upstream of that is its own matter, and programs of the user's that take participants
// together.
type Fits struct {
	Participants *encoding.Table      // of the cohort; nil when they are not known
	Own          func(*dag.Kind) bool // a kind of the user's, not of this program

	behind  map[*dag.Node][]*dag.Node
	files   map[string]*dag.Node
	madeOf  map[*dag.Node]string                    // whose data a task's results are made of
	readers map[*dag.StageNode]map[[2]string]string // port and file → who reads it there
}

// Leaks are the mistakes of the tasks of one stage, in words: they test participants whom a fit upstream has seen. The
// kinds between the two need not know of it. unknown says of which stages it cannot be known.
func (f *Fits) Leaks(tasks []dag.Node) (leaks []string, unknown []column.Unchecked) {
	said := map[*dag.StageNode]bool{} // one sentence of each stage that fits
	for i := range tasks {
		n := &tasks[i]
		unknown = append(unknown, f.ownPredictions(n, said)...)
		tests := testsOf(n)
		for _, b := range n.Inputs {
			// A ranking of the regions, which fidelity takes too, is of all folds and enters no prediction.
			features := ofSubjects(b) || slices.Contains(tests, n)
			if tests == nil || !features || gate(n, b.Port) {
				continue
			}
			if b.Port == "folds" {
				unknown = append(unknown, f.dividedBy(n, b, said)...)
				continue
			}
			for _, src := range b.Sources {
				compared := testsWith(n, b.Sources, src, tests)
				for _, fit := range f.of(b.Port, src) {
					if said[fit.Stage] || slices.Contains(tests, fit) {
						continue
					}
					if !known(fit) {
						unknown = append(unknown, f.unchecked(fit, n, b.Port))
						said[fit.Stage] = true
					} else if leak := verdict(fit, compared, n); leak != "" {
						leaks = append(leaks, fmt.Sprintf("leakage: input %s of %s depends on %s", b.Port, n.ID, leak))
						said[fit.Stage] = true
					}
				}
			}
		}
	}
	return leaks, unknown
}

// dividedBy are the stages of unknown work that make the folds of a task, or the labels that these divide.
func (f *Fits) dividedBy(n *dag.Node, b dag.Binding, said map[*dag.StageNode]bool) (unknown []column.Unchecked) {
	for _, src := range b.Sources {
		made := []dag.Source{src}
		if src.Node != nil {
			if _, ok := src.Node.Work.(role.Divider); ok {
				made = sources(src.Node, "participants")
			}
		}
		for _, src := range made {
			if src.Node == nil {
				continue
			}
			for _, fit := range f.of(b.Port, src) {
				if !known(fit) && !said[fit.Stage] {
					unknown = append(unknown, f.unchecked(fit, n, b.Port))
					said[fit.Stage] = true
				}
			}
		}
	}
	return unknown
}

// ownPredictions are the stages that take participants together and make predictions without a training of ours: no
// test fold of theirs is known.
func (f *Fits) ownPredictions(n *dag.Node, said map[*dag.StageNode]bool) (unknown []column.Unchecked) {
	port := role.Port(n.Work, role.AllFolds, role.SomeFolds)
	for _, src := range sources(n, port) {
		if src.Node == nil {
			continue
		}
		for _, fit := range f.of(port, src) {
			if known(fit) || role.Port(fit.Work, role.Models) != "" || said[fit.Stage] {
				continue
			}
			unknown = append(unknown, f.unchecked(fit, n, port))
			said[fit.Stage] = true
		}
	}
	return unknown
}

// known reports whether it is known to whom something is fitted: not of a program that takes participants together.
func known(fit *dag.Node) bool {
	_, ok := fit.Work.(role.Tester)
	return ok || fit.Work == nil // a file names its participants
}

func (f *Fits) unchecked(fit, n *dag.Node, port string) column.Unchecked {
	return column.Unchecked{By: fit.Stage.Name, Reads: f.together(fit), Stage: n.Stage.Name, Input: port}
}

// verdict says of a fit why it leaks into one of these tests; "" where it does not.
func verdict(fit *dag.Node, tests []*dag.Node, n *dag.Node) string {
	switch {
	case fit.Work != nil:
	case fit.ID == "":
		return fmt.Sprintf("the file %s, whose metadata do not name the participants that it was fitted to: connect the stage that fits it, or export it from there again", fit.Stage.Name)
	default:
		return fmt.Sprintf("the file %s, which is fitted to participants of this cohort (%s): connect the stage that fits it, fanned out over the folds", fit.Stage.Name, fit.ID)
	}
	for _, test := range tests {
		text := seen(fit, test)
		if text == "" {
			continue
		}
		if role.Port(n.Work, role.OwnFolds) != "" {
			return fmt.Sprintf("%s %s and each stage before %s over the same folds (matrix), and connect the features of all folds ([*]): each model is compared with those of its own fold", text, fit.Stage.Name, n.Stage.Name)
		}
		return fmt.Sprintf("%s %s and each stage up to %s over the same folds (matrix), so that each fold has its own fit", text, fit.Stage.Name, n.Stage.Name)
	}
	return ""
}

// testsWith are those of the tests for which a task uses a member of an input: all, unless it compares each model with
// the features of its fold. A fold without features of its own is given those of others.
func testsWith(n *dag.Node, all []dag.Source, src dag.Source, tests []*dag.Node) []*dag.Node {
	if role.Port(n.Work, role.OwnFolds) == "" || foldOf(src) == "" {
		return tests
	}
	return slices.DeleteFunc(slices.Clone(tests), func(test *dag.Node) bool {
		_, fold := test.Work.(role.Tester).TestFold()
		own := func(s dag.Source) bool { return foldOf(s) == strconv.Itoa(fold) }
		return !own(src) && slices.ContainsFunc(all, own)
	})
}

// foldOf is the coordinate fold of a member; "" without one.
func foldOf(src dag.Source) string {
	for _, c := range src.Coords {
		if c.Axis == "fold" {
			return c.Value
		}
	}
	return ""
}

// ofSubjects reports whether an input has a member a participant.
func ofSubjects(b dag.Binding) bool {
	return slices.ContainsFunc(b.Sources, func(src dag.Source) bool {
		return slices.ContainsFunc(src.Coords, func(c dag.Coord) bool { return c.Axis == "subject" })
	})
}

// testsOf are the tasks whose folds a task tests: itself, or the trainings of its models; nil where it tests none.
func testsOf(n *dag.Node) (tests []*dag.Node) {
	if port := role.Port(n.Work, role.Models, role.OwnFolds); port != "" {
		for _, src := range sources(n, port) {
			if src.Node != nil {
				tests = append(tests, testsOf(src.Node)...)
			}
		}
		return tests
	}
	if _, ok := n.Work.(role.Tester); ok && foldsOf(n) != nil {
		return []*dag.Node{n}
	}
	return nil
}

// of are the fits that an input depends on.
func (f *Fits) of(port string, src dag.Source) []*dag.Node {
	n := src.Node
	if n == nil {
		return f.ofFile(port, src)
	}
	switch n.Work.(type) {
	case role.Tester:
		return []*dag.Node{n}
	case role.Divider:
		return nil
	}
	fits, known := f.behind[n]
	if known {
		return fits
	}
	for _, b := range n.Inputs {
		if gate(n, b.Port) {
			continue // nothing is made of what a check says
		}
		for _, src := range b.Sources {
			for _, fit := range f.of(b.Port, src) {
				if !slices.Contains(fits, fit) {
					fits = append(fits, fit)
				}
			}
		}
	}
	if f.together(n) != "" && !slices.Contains(fits, n) {
		fits = append(fits, n)
	}
	if f.behind == nil {
		f.behind = map[*dag.Node][]*dag.Node{}
	}
	f.behind[n] = fits
	return fits
}

// ofFile is a fit of the user's, as a task without work whose ID names participants of this cohort, or is empty where
// its metadata name nobody: a fit to others is none of their features.
func (f *Fits) ofFile(port string, src dag.Source) []*dag.Node {
	if !strings.HasSuffix(port, "fitted") || f.Participants == nil {
		return nil
	}
	fit, known := f.files[src.File]
	if !known {
		if who, named := f.OfCohort(src.File); len(who) > 0 || !named {
			fit = &dag.Node{ID: words.Some(who, 4), Stage: &dag.StageNode{Name: src.Name}}
		}
		if f.files == nil {
			f.files = map[string]*dag.Node{}
		}
		f.files[src.File] = fit
	}
	if fit == nil {
		return nil
	}
	return []*dag.Node{fit}
}

// OfCohort are the participants of the cohort whom the metadata of a fit name; named is false where these name nobody
// at all. What is no table is left to the task, which says so.
func (f *Fits) OfCohort(file string) (who []string, named bool) {
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
	ids, err := f.Participants.Strings("participant_id")
	return slices.DeleteFunc(who, func(id string) bool { return err != nil || !slices.Contains(ids, id) }), true
}

// seen says that a fit has seen participants whom a task tests, and what to do; "" where it has not.
func seen(fit, test *dag.Node) string {
	repeat, fold := test.Work.(role.Tester).TestFold()
	fitRepeat, fitFold := fit.Work.(role.Tester).TestFold()
	of, division := foldsOf(fit), foldsOf(test)
	here := fmt.Sprintf("test fold %d", fold)
	if repeat != fitRepeat {
		here += fmt.Sprintf(" of repeat %d", repeat)
	}
	switch {
	case of == nil:
		return fmt.Sprintf("%s, which is fitted to all participants, including those of %s: connect folds: %s to %s, and fan out", fit.ID, here, stageOf(division), fit.Stage.Name)
	case !sameSource(*of, *division):
		return fmt.Sprintf("%s, which is fitted by the folds of %s, but %s is one of %s: connect folds: %s to %s, and fan out", fit.ID, nameOf(of), here, nameOf(division), stageOf(division), fit.Stage.Name)
	case fitRepeat != repeat || fitFold != fold:
		other := fmt.Sprintf("test fold %d", fitFold)
		if repeat != fitRepeat {
			other += fmt.Sprintf(" of repeat %d", fitRepeat)
		}
		return fmt.Sprintf("%s, which is fitted for %s, on the participants of %s too: fan out", fit.ID, other, here)
	}
	return ""
}

// gate reports whether an input is a check that a task waits for.
func gate(n *dag.Node, port string) bool {
	return role.Port(n.Work, role.Checks) == port
}

func sources(n *dag.Node, port string) []dag.Source {
	for _, b := range n.Inputs {
		if b.Port == port {
			return b.Sources
		}
	}
	return nil
}

// foldsOf is where the folds of a task come from; nil where it has none.
func foldsOf(n *dag.Node) *dag.Source {
	if all := sources(n, "folds"); len(all) == 1 {
		return &all[0]
	}
	return nil
}

func nameOf(src *dag.Source) string {
	if src.Node == nil {
		return src.Name
	}
	return src.Node.ID
}

// stageOf names the stage, as in a pipeline file.
func stageOf(src *dag.Source) string {
	if src.Node == nil {
		return src.Name
	}
	return src.Node.Stage.Name
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
	return a.Stage.Kind == b.Stage.Kind && a.Stage.Name != "cohort" && slices.EqualFunc(a.Inputs, b.Inputs, same) &&
		bytes.Equal(param.Append(nil, "", a.Work), param.Append(nil, "", b.Work))
}
