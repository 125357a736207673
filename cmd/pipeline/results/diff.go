package results

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/pipelines/compare"
)

// A TaskDiff is what became of one task from one run to the other.
type TaskDiff struct {
	Event   string                `json:"event"` // "difference"
	Task    string                `json:"task"`
	Stage   string                `json:"stage"`
	State   string                `json:"state"` // different, recomputed (other recipe, same bytes), new, gone
	Causes  []dag.Difference      `json:"causes,omitempty"`
	Outputs map[string]OutputDiff `json:"outputs,omitempty"`

	a, b *dag.TaskRecord
}

// An OutputDiff is one output that has other bytes in the two runs.
type OutputDiff struct {
	A          string              `json:"a"`
	B          string              `json:"b"`
	Difference *compare.Difference `json:"difference,omitempty"`
}

// A RunDiff counts the tasks of two runs.
type RunDiff struct {
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

// DiffRuns lists the tasks that differ, in the order of the second run, then
// those that only the first one has.
func DiffRuns(store *artifacts.Store, ra, rb *dag.Record) ([]*TaskDiff, RunDiff) {
	sum := RunDiff{Event: "diff", A: ra.ID, B: rb.ID}
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
	var diffs []*TaskDiff
	add := func(d *TaskDiff) {
		d.Event, d.Stage = "difference", dag.StageOf(d.Task)
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
			add(&TaskDiff{Task: b.ID, State: "new"})
		case same && bytes:
			sum.Same++
		case bytes && x.Outputs != nil:
			sum.Recomputed++
			add(&TaskDiff{Task: b.ID, State: "recomputed", Causes: causesOf(store, ra, rb, x, b, madeA, madeB)})
		default:
			sum.Different++
			add(&TaskDiff{Task: b.ID, State: "different", Causes: causesOf(store, ra, rb, x, b, madeA, madeB), a: x,
				b: b})
		}
	}
	for i := range ra.Tasks {
		if t := &ra.Tasks[i]; inB[t.ID] == nil {
			sum.Tasks++
			sum.Gone++
			add(&TaskDiff{Task: t.ID, State: "gone"})
		}
	}
	return diffs, sum
}

func sameOutputs(a, b *dag.TaskRecord) bool {
	return slices.EqualFunc(a.Outputs, b.Outputs, func(x, y artifacts.NamedRef) bool {
		return x.Name == y.Name && x.Digest == y.Digest
	})
}

// causesOf are the facts in which a task differs by itself: not the inputs that
// other tasks made, for those are consequences.
func causesOf(store *artifacts.Store, ra, rb *dag.Record, a, b *dag.TaskRecord, madeA,
	madeB map[string]bool) []dag.Difference {
	switch {
	case a.State == dag.Failed || b.State == dag.Failed:
		if a.Error != b.Error {
			return []dag.Difference{{What: "error", Old: a.Error, New: b.Error}}
		}
	case a.Key == b.Key && a.Key != (artifacts.Key{}):
		return []dag.Difference{{What: "nothing", Name: "in its recipe differs, but its bytes do: the stage is not deterministic"}}
	}
	old, now := Recipe(store, a.Key), Recipe(store, b.Key)
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

// CompareOutputs compares what a task made in the two runs. What gc has removed
// cannot be compared, and that is said.
func (d *TaskDiff) CompareOutputs(store *artifacts.Store) {
	d.Outputs = map[string]OutputDiff{}
	for _, out := range d.b.Outputs {
		x, y := d.a.Outputs.Of(out.Name), out.Ref
		if x.Digest == y.Digest || x == (artifacts.Ref{}) {
			continue
		}
		diff, err := Difference(store, x, store, y, dag.Type{})
		if err != nil {
			diff = &compare.Difference{Kind: "gone", Text: fmt.Sprintf("cannot be compared: %v", err)}
		}
		d.Outputs[out.Name] = OutputDiff{x.Digest.String(), y.Digest.String(), diff}
	}
}

// Recipe is the recipe of a key, or "" when the store does not have it any more.
func Recipe(store *artifacts.Store, k artifacts.Key) string {
	act, err := store.Lookup(k)
	if err != nil && !errors.Is(err, artifacts.ErrMiss) {
		return ""
	}
	return act.Recipe
}
