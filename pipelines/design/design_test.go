package design

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Stages without work, with one role each.
type (
	plain   struct{ uses []role.PortUse }
	divider struct {
		role.Divider
		plain
		Folds, Outer int // parameters, by which divisions differ
	}
	tester struct {
		plain
		repeat, fold int
	}
	referrer struct {
		plain
		role.Reference
	}
)

func (*plain) Ports() dag.Ports                                    { return dag.Ports{} }
func (*plain) Run(context.Context, *dag.Task) (dag.Outputs, error) { return nil, nil }
func (p *plain) UsesPorts() []role.PortUse                         { return p.uses }

func (d *divider) Divisions() (repeats, folds int) { return 2, d.Folds }
func (*divider) LeavesOut() string                 { return "" }
func (d *divider) OuterFold() int                  { return d.Outer }
func (*divider) ReadsParticipants() []role.Reading { return nil }
func (t *tester) TestFold() (repeat, fold int)     { return t.repeat, t.fold }
func (r *referrer) RefersTo() role.Reference       { return r.Reference }

// studyOf reads a study, a task a line: STAGE[COORDS] ROLE PORT:TASK … Those of one stage stand together. The roles:
// split=FOLDS and split=FOLDS/OUTER divide, fit is fitted outside its coordinate fold, program is one of the user's,
// and a use (role.Use) is that of the first port. PORT*: members of participants, each with a coordinate subject;
// PORT+: members with the coordinates of the task.
func studyOf(t *testing.T, text string) *Study {
	b := dag.NewGraph("test")
	var stages []*dag.StageNode
	tasks := map[string]*dag.Node{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		words := strings.Fields(line)
		name, coords, _ := strings.Cut(strings.TrimSuffix(words[0], "]"), "[")
		var axes, values []string
		var at []dag.Coord
		for c := range strings.SplitSeq(coords, ",") {
			if axis, value, ok := strings.Cut(c, "="); ok {
				axes, values = append(axes, axis), append(values, value)
				at = append(at, dag.Coord{Axis: axis, Value: value})
			}
		}
		if len(stages) == 0 || stages[len(stages)-1].Name() != name {
			stages = append(stages, b.Stage(name, &dag.Kind{Name: name}, axes...))
		}
		n := b.Task(stages[len(stages)-1], workOf(t, at, words[1:]), values...)
		inputs := map[string][]dag.Source{}
		var ports []string
		for i, input := range words[2:] {
			port, from, _ := strings.Cut(input, ":")
			src := dag.Source{Node: tasks[from], Output: "out"}
			if src.Node == nil {
				src.File, src.Name = from, from
			}
			if strings.HasSuffix(port, "*") {
				src.Coords = append(src.Coords, dag.Coord{Axis: "subject", Value: "sub-" + strconv.Itoa(i)})
			} else if strings.HasSuffix(port, "+") {
				src.Coords = src.Node.Coords()
			}
			if port = strings.TrimRight(port, "*+"); inputs[port] == nil {
				ports = append(ports, port)
			}
			inputs[port] = append(inputs[port], src)
		}
		for _, port := range ports {
			b.Connect(n, port, inputs[port]...)
		}
		tasks[words[0]] = n
	}
	return New(nil, stages, func(k *dag.Kind) bool { return k.Name == "lab" }, nil)
}

// workOf is the stage of a line from its role on.
func workOf(t *testing.T, at []dag.Coord, words []string) dag.Stage {
	number := func(text string) int {
		v, err := strconv.Atoi(text)
		need.NoError(t, err)
		return v
	}
	what, folds, _ := strings.Cut(words[0], "=")
	fold, repeat := column.ValueOn(at, "fold"), column.ValueOn(at, "repeat")
	switch what {
	case "split":
		folds, outer, inner := strings.Cut(folds, "/")
		if !inner {
			outer = "0"
		}
		return &divider{Folds: number(folds), Outer: number(outer)}
	case "fit":
		if repeat == "" {
			repeat = "1"
		}
		return &tester{repeat: number(repeat), fold: number(fold)}
	case "program":
		return &plain{[]role.PortUse{{Port: "container", As: role.Program}}}
	case "refers":
		return &referrer{Reference: role.Reference{Parameter: "reference", Gathered: "predictions",
			Coords: strings.Split(folds, ",")}}
	case "-":
		return &plain{}
	}
	port, _, _ := strings.Cut(words[1], ":")
	return &plain{[]role.PortUse{{Port: strings.TrimRight(port, "*+"), As: map[string]role.Use{"models": role.Models,
		"own": role.OwnFolds, "checks": role.Checks, "all": role.AllFolds, "some": role.SomeFolds,
		"inner": role.InnerFolds}[what]}}}
}

// found are the mistakes of a study, and what is unchecked, as far as a word of them.
func found(s *Study, words ...string) string {
	var all []string
	for _, m := range s.outcome.Mistakes {
		for _, w := range words {
			if strings.Contains(m.Text, w) {
				all = append(all, m.Stage+": "+w)
			}
		}
	}
	for _, u := range s.outcome.Unchecked {
		all = append(all, fmt.Sprintf("%s: unchecked %s by %s", u.Stage, u.Input, u.By))
	}
	return strings.Join(all, "; ")
}

// TestLeaks: who learns from whom.
func TestLeaks(t *testing.T) {
	const before = "folds split=3\nother split=2\nagain split=3\nchoice[outer=1] split=2/1\n"
	for _, c := range []struct{ name, tasks, want string }{
		{"its own fold", "c[fold=1] fit folds:folds\ntrain[fold=1] fit folds:folds x*:c[fold=1]", ""},
		{"the same division twice", "c[fold=1] fit folds:again\ntrain[fold=1] fit folds:folds x*:c[fold=1]", ""},
		{"another fold", "c[fold=2] fit folds:folds\ntrain[fold=1] fit folds:folds x*:c[fold=2]", "train: for test fold 2"},
		{"another repeat", "c[repeat=2,fold=1] fit folds:folds\ntrain[fold=1] fit folds:folds x*:c[repeat=2,fold=1]", "train: for test fold 1 of repeat 2"},
		{"another division", "c[fold=1] fit folds:other\ntrain[fold=1] fit folds:folds x*:c[fold=1]", "train: by the folds of other"},
		{"no folds", "c[fold=1] fit\ntrain[fold=1] fit folds:folds x*:c[fold=1]", "train: to all participants"},
		{"behind a kind that does not know of it", "c[fold=1] fit\nh - y:c[fold=1]\ng - y:h\ntrain[fold=1] fit folds:folds x*:g", "train: to all participants"},
		{"in place of a member a participant", "c[fold=1] fit\ntrain[fold=1] fit folds:folds x:c[fold=1]", "train: to all participants"},
		{"a check", "c[fold=1] fit\nl checks leakage:c[fold=1]\ntrain[fold=1] fit folds:folds x*:l", ""},
		{"no test", "c[fold=1] fit\nh - y*:c[fold=1]", ""},
		{"the folds of a split", "folds2 split=3 participants:other\ntrain[fold=1] fit folds:folds2 x*:folds2", ""},
		{"behind a division", "c[fold=1] fit\ns split=3 participants:c[fold=1]\ntrain[fold=1] fit folds:folds x*:s", ""},
		{"a program for all", "p program y*:folds z*:folds\ntrain[fold=1] fit folds:folds x*:p", "train: unchecked x by p"},
		{"a kind of the user's", "lab - y*:folds z*:folds\ntrain[fold=1] fit folds:folds x*:lab", "train: unchecked x by lab"},
		{"a program for one", "one[subject=sub-0] - \np[subject=sub-0] program y*:one[subject=sub-0]\ntrain[fold=1] fit folds:folds x*:p[subject=sub-0]", ""},
		{"a program for two", "one[subject=sub-0] - \np[subject=sub-0] program y*:one[subject=sub-0] y*:one[subject=sub-0]\ntrain[fold=1] fit folds:folds x*:p[subject=sub-0]", "train: unchecked x by p"},
		{"a program that labels", "p program y*:folds z*:folds\nown split=3 participants:p\ntrain[fold=1] fit folds:own", "train: unchecked folds by p"},
		{"predictions of a program", "p program y*:folds z*:folds\ne some predictions:p", "e: unchecked predictions by p"},
		{"a model's own fold", "c[fold=1] fit folds:folds\ntrain[fold=1] fit folds:folds\na models model:train[fold=1] x*:c[fold=1]", ""},
		{"another fold than the model's", "c[fold=2] fit folds:folds\ntrain[fold=1] fit folds:folds\na models model:train[fold=1] x*:c[fold=2]", "a: for test fold 2"},
		{"features of each fold", "c[fold=1] fit folds:folds\nc[fold=2] fit folds:folds\nm[fold=1] fit folds:folds\nm[fold=2] fit folds:folds\nb own scores+:m[fold=1] scores+:m[fold=2] x+:c[fold=1] x+:c[fold=2] x*:folds", ""},
		{"features of another fold as its own", "c[fold=2] fit folds:folds\ng[fold=1] - y:c[fold=2]\nm[fold=1] fit folds:folds\nb own scores+:m[fold=1] x+:g[fold=1] x*:folds", "b: for test fold 2"},
		{"features of one fold for all", "c[fold=1] fit folds:folds\nm[fold=1] fit folds:folds\nm[fold=2] fit folds:folds\nb own scores+:m[fold=1] scores+:m[fold=2] x+:c[fold=1] x*:folds", "b: for test fold 1,"},
	} {
		s := studyOf(t, before+c.tasks)
		for _, stage := range s.stages {
			s.leaks(stage)
		}
		need.Equal(t, found(s, "for test fold 2", "for test fold 1 of repeat 2", "by the folds of other", "to all participants",
			"for test fold 1,"), c.want, c.name)
	}
}

// TestFolds: the folds that a division makes, and those that tasks test.
func TestFolds(t *testing.T) {
	const before = "folds split=2\nother split=3\ninner[outer=1] split=3/1\nelsewhere[outer=1] split=3/1 participants:folds\n"
	for _, c := range []struct{ name, tasks, want string }{
		{"both folds", "m[fold=1] fit folds:folds\nm[fold=2] fit folds:folds\ne all p:m[fold=1] p:m[fold=2]", ""},
		{"one of them", "m[fold=1] fit folds:folds\ne all p:m[fold=1]", "e: not every participant is tested"},
		{"one of them, on purpose", "m[fold=1] fit folds:folds\ne some p:m[fold=1]", ""},
		{"one of each setting", "m[k=1,fold=1] fit folds:folds\nm[k=2,fold=2] fit folds:folds\ne all p:m[k=1,fold=1] p:m[k=2,fold=2]", "e: not every participant is tested"},
		{"a fold too many", "m[fold=3] fit folds:folds", "m: uses fold 3"},
		{"a repeat too many", "m[repeat=3,fold=1] fit folds:folds", "m: uses repeat 3"},
		{"an inner fold too many", "m[fold=4] fit folds:inner[outer=1]", "m: uses fold 4; m: with: { inner: 4 }"},
		{"without a division", "m[fold=9] fit", ""},
		{"a choice by outer folds", "m[fold=1] fit folds:folds\nc inner i:m[fold=1]", "c: a choice needs inner folds"},
		{"a choice by inner folds", "m[fold=1] fit folds:inner[outer=1]\nc inner i:m[fold=1]", ""},
	} {
		s := studyOf(t, before+c.tasks)
		for _, stage := range s.stages {
			s.folds(stage)
		}
		need.Equal(t, found(s, "not every participant is tested", "uses fold 3", "uses repeat 3", "uses fold 4",
			"with: { inner: 4 }", "a choice needs inner folds"), c.want, c.name)
	}
}

// TestReferences: a reference is exactly one setting.
func TestReferences(t *testing.T) {
	const before = "m[k=1,fold=1] -\nm[k=1,fold=2] -\nm[k=2,fold=1] -\n"
	const gathers = " predictions+:m[k=1,fold=1] predictions+:m[k=1,fold=2] predictions+:m[k=2,fold=1]"
	for _, c := range []struct{ tasks, want string }{
		{"c refers=k=1" + gathers, ""},
		{"c refers=k=3" + gathers, "c: no setting matches"},
		{"c refers=fold=1" + gathers, "c: no setting matches"},
		{"c refers=k=1", "c: there is no setting"},
		{"o[k=1,l=2] -\nc refers=k=1 predictions+:o[k=1,l=2]" + gathers, "c: settings match"},
	} {
		s := studyOf(t, before+c.tasks)
		s.references(s.stages[len(s.stages)-1])
		need.Equal(t, found(s, "no setting matches", "there is no setting", "settings match"), c.want, c.tasks)
	}
}

// TestFaultsAreMerged: one fault of several folds is one, and is of the tested where it is in all.
func TestFaultsAreMerged(t *testing.T) {
	few := func(tested bool, value string, ids ...string) []column.Fault {
		return []column.Fault{{Column: "site", Why: "few", Values: []string{value}, IDs: ids, Tested: tested}}
	}
	all := merged(merged(merged(nil, few(true, "x", "sub-2")), few(false, "x", "sub-1")), few(true, "y", "sub-3"))
	need.Equal(t, len(all), 2, "faults")
	need.Equal(t, fmt.Sprint(all[0].IDs, all[0].Tested, all[1].IDs, all[1].Tested), "[sub-1 sub-2] false [sub-3] true")
}
