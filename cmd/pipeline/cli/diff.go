package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/compare"
)

func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff RUN_A RUN_B [STAGE]",
		Short: "first differing cause, then its consequences",
		Long: `Compares two runs. First the causes: the parameters, files and declarations in
the source in which tasks of the two runs differ by themselves; then the stages that differ in
consequence, and in how many tasks. Results are compared by value: tables down to cells, arrays down to elements, with
units in the last place and relative error; for an example of each stage, or for every task of
STAGE.`,
		Example: `  pipeline runs
  pipeline diff 3f2a 7c01
  pipeline diff 3f2a 7c01 evaluate`,
		Args: between(2, 3),
		RunE: func(_ *cobra.Command, args []string) error {
			stage := ""
			if len(args) == 3 {
				stage = args[2]
			}
			return a.diff(args[0], args[1], stage)
		},
	}
}

// A taskDiff is what became of one task from one run to the other.
type taskDiff struct {
	Event   string                   `json:"event"` // "difference"
	Task    string                   `json:"task"`
	Stage   string                   `json:"stage"`
	State   string                   `json:"state"` // different, recomputed (other recipe, same bytes), new, gone
	Causes  []differenceJSON         `json:"causes,omitempty"`
	Outputs map[string]outputDiffers `json:"outputs,omitempty"`

	causes []dag.Difference
	a, b   *dag.TaskRecord
}

type outputDiffers struct {
	A          string              `json:"a"`
	B          string              `json:"b"`
	Difference *compare.Difference `json:"difference,omitempty"`
}

type diffEvent struct {
	Event      string `json:"event"` // "diff"
	A          string `json:"run_a"`
	B          string `json:"run_b"`
	Tasks      int    `json:"tasks"`
	Same       int    `json:"same"`
	Different  int    `json:"different"`
	Recomputed int    `json:"recomputed"`
	New        int    `json:"new"`
	Gone       int    `json:"gone"`
}

func (a *app) diff(idA, idB, stage string) error {
	store, err := a.openHere()
	if err != nil {
		return err
	}
	defer store.Close()
	ra, err := results.LoadRun(store, idA)
	if err != nil {
		return err
	}
	rb, err := results.LoadRun(store, idB)
	if err != nil {
		return err
	}
	diffs, sum := compareRuns(store, ra, rb)
	if stage != "" {
		if diffs, err = ofStage(diffs, ra, rb, stage); err != nil {
			return err
		}
	}
	shown := map[string]bool{}
	for _, d := range diffs {
		if d.State == "different" && (stage != "" || a.Verbose || !shown[d.Stage]) {
			shown[d.Stage] = true
			d.compareOutputs(store)
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

func ofStage(diffs []*taskDiff, ra, rb *dag.Record, stage string) ([]*taskDiff, error) {
	var names []string
	for _, t := range slices.Concat(rb.Tasks, ra.Tasks) {
		names = append(names, dag.StageOf(t.ID), t.ID)
	}
	if !slices.Contains(names, stage) {
		return nil, exit.Wrongf("neither run has a stage or task %q%s", stage, words.OrAll(stage, names))
	}
	return slices.DeleteFunc(diffs, func(d *taskDiff) bool { return d.Stage != stage && d.Task != stage }), nil
}

// compareRuns lists the tasks that differ, in the order of the second run, then
// those that only the first one has.
func compareRuns(store *artifacts.Store, ra, rb *dag.Record) ([]*taskDiff, diffEvent) {
	sum := diffEvent{Event: "diff", A: ra.ID, B: rb.ID}
	inA, inB := map[string]*dag.TaskRecord{}, map[string]*dag.TaskRecord{}
	madeA, madeB := map[string]bool{}, map[string]bool{} // digests that tasks made
	for _, side := range []struct {
		r    *dag.Record
		in   map[string]*dag.TaskRecord
		made map[string]bool
	}{{ra, inA, madeA}, {rb, inB, madeB}} {
		for i := range side.r.Tasks {
			t := &side.r.Tasks[i]
			side.in[t.ID] = t
			for _, ref := range t.Outputs {
				side.made[ref.Digest.String()] = true
			}
		}
	}
	var diffs []*taskDiff
	add := func(d *taskDiff) {
		d.Event, d.Stage, d.Causes = "difference", dag.StageOf(d.Task), differencesJSON(d.causes)
		diffs = append(diffs, d)
	}
	for i := range rb.Tasks {
		b := &rb.Tasks[i]
		x := inA[b.ID]
		sum.Tasks++
		same := x != nil && x.Key == b.Key
		bytes := x != nil && sameOutputs(x, b)
		switch {
		case x == nil:
			sum.New++
			add(&taskDiff{Task: b.ID, State: "new"})
		case same && bytes:
			sum.Same++
		case bytes && x.Outputs != nil:
			sum.Recomputed++
			add(&taskDiff{Task: b.ID, State: "recomputed", causes: causesOf(store, ra, rb, x, b, madeA, madeB)})
		default:
			sum.Different++
			add(&taskDiff{Task: b.ID, State: "different", causes: causesOf(store, ra, rb, x, b, madeA, madeB), a: x, b: b})
		}
	}
	for i := range ra.Tasks {
		if t := &ra.Tasks[i]; inB[t.ID] == nil {
			sum.Tasks++
			sum.Gone++
			add(&taskDiff{Task: t.ID, State: "gone"})
		}
	}
	return diffs, sum
}

func sameOutputs(a, b *dag.TaskRecord) bool {
	return maps.EqualFunc(a.Outputs, b.Outputs, func(x, y artifacts.Ref) bool { return x.Digest == y.Digest })
}

// causesOf are the facts in which a task differs by itself: not the inputs that
// other tasks made, for those are consequences.
func causesOf(store *artifacts.Store, ra, rb *dag.Record, a, b *dag.TaskRecord, madeA, madeB map[string]bool) []dag.Difference {
	switch {
	case a.State == dag.Failed || b.State == dag.Failed:
		if a.Error != b.Error {
			return []dag.Difference{{What: "error", Old: a.Error, New: b.Error}}
		}
	case a.Key == b.Key && a.Key != (artifacts.Key{}):
		return []dag.Difference{{What: "nothing", Name: "in its recipe differs, and yet its bytes do: the stage does not give the same twice"}}
	}
	old, now := lookupRecipe(store, a.Key), lookupRecipe(store, b.Key)
	if old == "" || now == "" {
		return nil
	}
	var causes []dag.Difference
	for _, d := range dag.RecipeDifferences(old, now) {
		switch {
		case d.What == "input" && (d.Old == "" || madeA[lastWord(d.Old)]) && (d.New == "" || madeB[lastWord(d.New)]):
		case d.What == "code":
			r, _ := dag.ReadRecipe(now) // of one that cannot be read, the digests are all there is to say
			causes = append(causes, dag.CodeDifferences(d, r.Kind, ra, rb)...)
		default:
			causes = append(causes, d)
		}
	}
	return causes
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// compareOutputs compares what a task made in the two runs. What gc has removed
// cannot be compared, and that is said.
func (d *taskDiff) compareOutputs(store *artifacts.Store) {
	d.Outputs = map[string]outputDiffers{}
	for _, name := range slices.Sorted(maps.Keys(d.b.Outputs)) {
		x, y := d.a.Outputs[name], d.b.Outputs[name]
		if x.Digest == y.Digest || x == (artifacts.Ref{}) {
			continue
		}
		diff, err := results.Difference(store, x, store, y, dag.Type{})
		if err != nil {
			diff = &compare.Difference{Kind: "gone", Text: fmt.Sprintf("cannot be compared: %v", err)}
		}
		d.Outputs[name] = outputDiffers{x.Digest.String(), y.Digest.String(), diff}
	}
}

func (a *app) printDiff(ra, rb *dag.Record, diffs []*taskDiff, sum diffEvent) {
	fmt.Fprintf(a.Out, "run %s (%s) → run %s (%s)\n", ra.ID, ra.Started.Local().Format("2006-01-02 15:04:05"), rb.ID, rb.Started.Local().Format("2006-01-02 15:04:05"))
	a.printCauses(diffs)
	a.printConsequences(diffs)
	fmt.Fprintf(a.Out, "diff: %s: %d same, %d different, %d made again with the same bytes, %d new, %d gone\n",
		words.Count(sum.Tasks, "task"), sum.Same, sum.Different, sum.Recomputed, sum.New, sum.Gone)
}

// printCauses shows each cause once, with the tasks in which it stands.
func (a *app) printCauses(diffs []*taskDiff) {
	type cause struct {
		d     dag.Difference
		tasks []string
	}
	var causes []*cause
	at := map[string]*cause{}
	for _, t := range diffs {
		for _, d := range t.causes {
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
	fmt.Fprintln(a.Out, "\ncauses")
	a.Few(a.Out, len(causes), 20, func(i int) {
		fmt.Fprintf(a.Out, "  %s\n", words.Some(causes[i].tasks, 4))
		a.printDifference(causes[i].d, "    ")
	})
}

// printConsequences shows by stage how many tasks differ, and how.
func (a *app) printConsequences(diffs []*taskDiff) {
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
			{"different", "differ"}, {"recomputed", "made again with the same bytes"}, {"new", "new"}, {"gone", "gone"},
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
