// Package folds checks, before anything runs, that the folds which tasks test are those that their division
// makes: none beyond it, and for an accuracy all of them; and that no feature was fitted to the participants that its
// fold tests.
package folds

import (
	"fmt"
	"maps"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Mistakes are those of the tasks of one stage, in words. participants is the cohort's table; nil when it is not known.
func Mistakes(tasks []dag.Node, participants *encoding.Table) []string {
	var out []string
	largest, wrong := 0, ""
	for i := range tasks {
		n := &tasks[i]
		if work, ok := n.Work.(role.Tester); ok {
			if over, text := beyond(n, work, participants); over > largest {
				largest, wrong = over, text
			}
		}
		if text := apart(n); text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
		if port := role.Port(n.Work, role.AllFolds); port != "" {
			out = append(out, untested(n, port, participants)...)
		}
	}
	if wrong != "" {
		out = append(out, wrong)
	}
	return out
}

// divisions is what a division will have; 0 folds where that is not known before it runs.
func divisions(n *dag.Node, participants *encoding.Table) (repeats, folds int) {
	if !OfCohort(n) {
		participants = nil
	}
	return Divisions(n.Work, participants)
}

// Divisions is how many repeats and folds a Stage divides these participants into; 0 folds where that is not known, or
// it divides none.
func Divisions(work dag.Stage, participants *encoding.Table) (repeats, folds int) {
	d, ok := work.(role.Divider)
	if !ok {
		return 0, 0
	}
	repeats, folds = d.Divisions()
	if by := d.LeavesOut(); by != "" && participants != nil {
		if _, values, err := column.ByParticipant(participants, by); err == nil {
			distinct := map[string]bool{}
			for _, v := range values {
				if cell.Missing(v) {
					return repeats, 0 // the task fails
				}
				distinct[v] = true
			}
			folds = len(distinct)
		}
	}
	return repeats, folds
}

// notGroups refuses a column that does not hold groups: more than two values, most of them of one participant alone.
func notGroups(n *dag.Node, d role.Divider, participants *encoding.Table) error {
	if participants == nil || !OfCohort(n) {
		return nil
	}
	if d.Divides() == column.Target {
		return nil // a number; the task says what is wrong with it
	}
	_, values, err := column.ByParticipant(participants, d.Divides())
	if err != nil {
		return nil // the task says so
	}
	count, alone := map[string]int{}, 0
	for _, v := range values {
		count[v]++
	}
	for _, n := range count {
		if n == 1 {
			alone++
		}
	}
	if len(count) < 3 || 2*alone <= len(count) {
		return nil
	}
	named := lists.Map(slices.Sorted(maps.Keys(count)), func(v string) string {
		return fmt.Sprintf("%s (%d)", v, count[v])
	})
	return fmt.Errorf("the column %s holds %d values in %s, most of them of one participant alone: %s; such groups cannot "+
		"be trained on and tested: give misspelled groups their name by levels, or name a column of groups "+
		"(group of the cohort, or label of the stage)", d.Divides(), len(count), words.Count(len(values), "participant"),
		words.Some(named, 10))
}

// OfCohort reports whether a task takes the participants of the cohort itself.
func OfCohort(n *dag.Node) bool {
	for _, b := range n.Inputs {
		for _, src := range b.Sources {
			if b.Port == "participants" {
				return src.Node != nil && src.Node.Stage.Name == "cohort"
			}
		}
	}
	return false
}

// divisionOf is the task behind the folds of another one; nil where there is none.
func divisionOf(n *dag.Node) *dag.Node {
	for _, b := range n.Inputs {
		for _, src := range b.Sources {
			if src.Node == nil {
				continue
			}
			if _, ok := src.Node.Work.(role.Divider); ok {
				return src.Node
			}
		}
	}
	return nil
}

// beyond is the fold or repeat of a task that the division does not make, and the mistake; else 0.
func beyond(n *dag.Node, t role.Tester, participants *encoding.Table) (int, string) {
	repeat, fold := t.TestFold()
	by := divisionOf(n)
	if by == nil {
		return 0, ""
	}
	repeats, folds := divisions(by, participants)
	for _, c := range []struct {
		axis       string
		want, have int
	}{{"fold", fold, folds}, {"repeat", repeat, repeats}} {
		if folds > 0 && c.want > c.have {
			values, param := "all", "folds"
			switch {
			case c.axis == "repeat":
				values, param = fmt.Sprintf("[1..%d]", c.have), "repeats"
			case by.Work.(role.Divider).OuterFold() > 0:
				param = "inner"
			}
			or := fmt.Sprintf(", or with: { %s: %d } in %s", param, c.want, by.Stage.Name)
			if by.Work.(role.Divider).LeavesOut() != "" { // the participants decide
				or = ""
			}
			return c.want, fmt.Sprintf("%[1]s: %[2]s uses %[1]s %[3]d, but %[4]s makes %[5]s: write matrix: { %[1]s: %[6]s } in %[8]s%[7]s",
				c.axis, n.ID, c.want, by.ID, words.Count(c.have, c.axis), values, or, n.Stage.Name)
		}
	}
	return 0, ""
}

// untested are the mistakes of the settings whose folds a task gathers on a port: not all of the division.
func untested(n *dag.Node, port string, participants *encoding.Table) []string {
	type setting struct {
		stage, rest string
		repeat      int
	}
	tests := map[setting][]int{}
	of := map[setting]*dag.Node{} // the division
	var order []setting
	for _, b := range n.Inputs {
		for _, src := range b.Sources {
			if b.Port != port || src.Node == nil {
				continue
			}
			t, ok := src.Node.Work.(role.Tester)
			d := divisionOf(src.Node)
			if !ok || d == nil {
				continue
			}
			repeat, fold := t.TestFold()
			k := setting{stage: src.Node.Stage.Name, repeat: repeat}
			for _, c := range src.Node.Coords {
				if c.Axis != "fold" && c.Axis != "repeat" {
					k.rest += c.Axis + "=" + c.Value + ","
				}
			}
			if of[k] == nil {
				order = append(order, k)
			}
			tests[k], of[k] = append(tests[k], fold), d
		}
	}
	said := map[string]bool{}
	var out []string
	for _, k := range order {
		_, folds := divisions(of[k], participants)
		have := slices.Compact(slices.Sorted(slices.Values(tests[k])))
		if len(have) >= folds || said[k.stage] {
			continue
		}
		said[k.stage] = true
		names := lists.Map(have, func(f int) string { return fmt.Sprint(f) })
		out = append(out, fmt.Sprintf("%s tests fold %s, but %s makes %s, so not every participant is tested: write matrix: { fold: all } in %s, or partial: true in %s to evaluate only these participants",
			k.stage, words.Some(names, 8), of[k].ID, words.Count(folds, "fold"), k.stage, n.Stage.Name))
	}
	return out
}
