package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/record"
	"prgnn/dag/why"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
)

// Runs prints what differs between two runs of a store, causes first, then the results; for one stage or task, if it is
// named.
func Runs(con *console.Console, store *disk.Store, idA, idB, stage string) error {
	a := start(con, Options{})
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
			a.Object("", d)
		}
		a.Object("", sum)
		return nil
	}
	then := func(r *record.Record) string { return r.Started.Local().Format("2006-01-02 15:04:05") }
	fmt.Fprintf(a.Out, "run %s (%s) → run %s (%s)\n", ra.ID, then(ra), rb.ID, then(rb))
	a.printCauses(diffs)
	a.printConsequences(diffs)
	fmt.Fprintf(a.Out, "diff: %s: %d same, %d different, %d recomputed with the same bytes, %d new, %d removed\n",
		words.Count(sum.Tasks, "task"), sum.Same, sum.Different, sum.Recomputed, sum.New, sum.Gone)
	return nil
}

func ofStage(diffs []*differ.TaskDiff, ra, rb *record.Record, stage string) ([]*differ.TaskDiff, error) {
	var names []string
	for _, t := range slices.Concat(rb.Tasks, ra.Tasks) {
		names = append(names, dag.StageOf(t.ID), t.ID)
	}
	if !slices.Contains(names, stage) {
		return nil, exit.Wrongf("neither run has a stage or task %q%s", stage, words.OrAll(stage, names))
	}
	return slices.DeleteFunc(diffs, func(d *differ.TaskDiff) bool { return d.Stage != stage && d.Task != stage }), nil
}

// printCauses shows each cause once, with the tasks in which it stands.
func (a *auditor) printCauses(diffs []*differ.TaskDiff) {
	type cause struct {
		why.Difference
		stage string
	}
	var causes []cause
	tasks := map[cause][]string{}
	for _, t := range diffs {
		for _, d := range t.Causes {
			if d.What == "input" {
				d.From = ""
			}
			k := cause{d, t.Stage}
			if tasks[k] == nil {
				causes = append(causes, k)
			}
			tasks[k] = append(tasks[k], t.Task)
		}
	}
	if causes == nil {
		return
	}
	// The causes of the same tasks stand together, parameters first, digests of values last.
	of := func(c cause) int { return map[string]int{"parameter": -1, "value": 1}[c.What] }
	group := func(c cause) string { return strings.Join(tasks[c], "\n") }
	first := map[string]int{}
	for _, c := range causes {
		first[group(c)] = min(first[group(c)], of(c))
	}
	slices.SortStableFunc(causes, func(a, b cause) int {
		return cmp.Or(cmp.Compare(first[group(a)], first[group(b)]), cmp.Compare(group(a), group(b)),
			cmp.Compare(of(a), of(b)))
	})
	fmt.Fprintln(a.Out, "\ncauses")
	a.Few(a.Out, len(causes), 20, func(i int) {
		if i == 0 || group(causes[i]) != group(causes[i-1]) {
			fmt.Fprintf(a.Out, "  %s\n", words.Some(tasks[causes[i]], 4))
		}
		results.PrintFact(a.Console, causes[i].Difference, "    ")
	})
}

// printConsequences shows by stage how many tasks differ, and how.
func (a *auditor) printConsequences(diffs []*differ.TaskDiff) {
	if len(diffs) == 0 {
		fmt.Fprintln(a.Out, "nothing differs")
		return
	}
	fmt.Fprintln(a.Out, "\nresults")
	for _, of := range lists.By(diffs, func(d *differ.TaskDiff) string { return d.Stage }) {
		count := map[string]int{}
		for _, d := range of.All {
			count[d.State]++
		}
		var parts []string
		for _, state := range []struct{ name, words string }{
			{"different", "differ"}, {"recomputed", "recomputed with the same bytes"}, {"new", "new"}, {"gone", "gone"},
		} {
			if n := count[state.name]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, state.words))
			}
		}
		fmt.Fprintf(a.Out, "  %s: %s\n", a.Page.Bold(of.Key), strings.Join(parts, ", "))
		for _, d := range of.All {
			for _, name := range slices.Sorted(maps.Keys(d.Outputs)) {
				o := d.Outputs[name]
				fmt.Fprintf(a.Out, "    %s.%s: %s\n", d.Task, name, o.Difference.Text)
				results.PrintDifference(a.Out, o.Difference, "        ")
			}
		}
	}
	fmt.Fprintln(a.Out)
}
