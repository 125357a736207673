// Package diff prints what differs between two runs: causes first, then the results.
package diff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
)

type printer struct{ *console.Console }

// Print prints how two runs of a store differ; of one stage or task, if it is named.
func Print(c *console.Console, store *artifacts.Store, idA, idB, stage string) error {
	a := printer{c}
	ra, err := results.LoadRun(store, idA)
	if err != nil {
		return err
	}
	rb, err := results.LoadRun(store, idB)
	if err != nil {
		return err
	}
	diffs, sum := differ.Runs(store, ra, rb)
	if stage != "" {
		if diffs, err = ofStage(diffs, ra, rb, stage); err != nil {
			return err
		}
	}
	shown := map[string]bool{}
	for _, d := range diffs {
		if d.State == "different" && (stage != "" || a.Verbose || !shown[d.Stage]) {
			shown[d.Stage] = true
			d.CompareOutputs(store)
		}
	}
	if a.JSON {
		for _, d := range diffs {
			a.Object(d)
		}
		a.Object(sum)
		return nil
	}
	a.printDiff(ra, rb, diffs, sum)
	return nil
}

func ofStage(diffs []*differ.TaskDiff, ra, rb *dag.Record, stage string) ([]*differ.TaskDiff, error) {
	var names []string
	for _, t := range slices.Concat(rb.Tasks, ra.Tasks) {
		names = append(names, dag.StageOf(t.ID), t.ID)
	}
	if !slices.Contains(names, stage) {
		return nil, exit.Wrongf("neither run has a stage or task %q%s", stage, words.OrAll(stage, names))
	}
	return slices.DeleteFunc(diffs, func(d *differ.TaskDiff) bool { return d.Stage != stage && d.Task != stage }), nil
}

func (a printer) printDiff(ra, rb *dag.Record, diffs []*differ.TaskDiff, sum differ.RunDiff) {
	fmt.Fprintf(a.Out, "run %s (%s) → run %s (%s)\n", ra.ID, ra.Started.Local().Format("2006-01-02 15:04:05"), rb.ID, rb.Started.Local().Format("2006-01-02 15:04:05"))
	a.printCauses(diffs)
	a.printConsequences(diffs)
	fmt.Fprintf(a.Out, "diff: %s: %d same, %d different, %d recomputed with the same bytes, %d new, %d removed\n",
		words.Count(sum.Tasks, "task"), sum.Same, sum.Different, sum.Recomputed, sum.New, sum.Gone)
}

// printCauses shows each cause once, with the tasks in which it stands.
func (a printer) printCauses(diffs []*differ.TaskDiff) {
	type cause struct {
		d     dag.Difference
		tasks []string
	}
	var causes []*cause
	at := map[string]*cause{}
	for _, t := range diffs {
		for _, d := range t.Causes {
			if d.What == "input" {
				d.From = ""
			}
			k := t.Stage + "\x00" + d.What + "\x00" + d.Name + "\x00" + d.Old + "\x00" + d.New
			if at[k] == nil {
				at[k] = &cause{d: d}
				causes = append(causes, at[k])
			}
			at[k].tasks = append(at[k].tasks, t.Task)
		}
	}
	if len(causes) == 0 {
		return
	}
	// Digests say nothing to a person: they come behind what does.
	slices.SortStableFunc(causes, func(a, b *cause) int { return cmp.Compare(rankOf(a.d), rankOf(b.d)) })
	fmt.Fprintln(a.Out, "\ncauses")
	a.Few(a.Out, len(causes), 20, func(i int) {
		fmt.Fprintf(a.Out, "  %s\n", words.Some(causes[i].tasks, 4))
		results.PrintFact(a.Console, causes[i].d, "    ")
	})
}

// rankOf puts parameters first, and values that are named by their digest last.
func rankOf(d dag.Difference) int {
	switch d.What {
	case "parameter":
		return 0
	case "value":
		return 2
	}
	return 1
}

// printConsequences shows by stage how many tasks differ, and how.
func (a printer) printConsequences(diffs []*differ.TaskDiff) {
	if len(diffs) == 0 {
		fmt.Fprintln(a.Out, "nothing differs")
		return
	}
	fmt.Fprintln(a.Out, "\nresults")
	states := map[string]map[string]int{}
	var stages []string
	for _, d := range diffs {
		if states[d.Stage] == nil {
			states[d.Stage] = map[string]int{}
			stages = append(stages, d.Stage)
		}
		states[d.Stage][d.State]++
	}
	for _, s := range stages {
		var parts []string
		for _, state := range []struct{ name, words string }{
			{"different", "differ"}, {"recomputed", "recomputed with the same bytes"}, {"new", "new"}, {"gone", "gone"},
		} {
			if n := states[s][state.name]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, state.words))
			}
		}
		fmt.Fprintf(a.Out, "  %s: %s\n", a.Page.Bold(s), strings.Join(parts, ", "))
		for _, d := range diffs {
			if d.Stage != s {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(d.Outputs)) {
				o := d.Outputs[name]
				fmt.Fprintf(a.Out, "    %s.%s: %s\n", d.Task, name, o.Difference.Text)
				results.PrintDifference(a.Out, o.Difference, "        ")
			}
		}
	}
	fmt.Fprintln(a.Out)
}
