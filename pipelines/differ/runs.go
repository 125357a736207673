package differ

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/recipe"
	"prgnn/dag/record"
	"prgnn/dag/why"
)

// A TaskDiff is what became of one task from one run to the other.
type TaskDiff struct {
	Event   string                `json:"event"` // "difference"
	Task    string                `json:"task"`
	Stage   string                `json:"stage"`
	State   string                `json:"state"` // different, recomputed (other recipe, same bytes), new, gone
	Causes  []why.Difference      `json:"causes,omitempty"`
	Outputs map[string]OutputDiff `json:"outputs,omitempty"`

	a, b *record.Task
}

// An OutputDiff is one output that has other bytes in the two runs.
type OutputDiff struct {
	A          string      `json:"a"`
	B          string      `json:"b"`
	Difference *Difference `json:"difference,omitempty"`
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

// A side is one of two runs.
type side struct {
	*record.Record
	tasks map[string]*record.Task
	made  map[string]bool // the digests of their outputs
}

func sideOf(r *record.Record) side {
	s := side{r, map[string]*record.Task{}, map[string]bool{}}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		s.tasks[t.ID] = t
		for _, ref := range t.Outputs {
			s.made[ref.Digest.String()] = true
		}
	}
	return s
}

// Runs lists the tasks that differ between two runs of a store, in the order of the second run, then those that only
// the first one has.
func Runs(store *disk.Store, ra, rb *record.Record) ([]*TaskDiff, RunDiff) {
	a, b := sideOf(ra), sideOf(rb)
	sum := RunDiff{Event: "diff", A: ra.ID, B: rb.ID, Tasks: len(rb.Tasks)}
	var diffs []*TaskDiff
	add := func(count *int, state, task string, x, y *record.Task) {
		*count++
		d := &TaskDiff{Event: "difference", Task: task, Stage: dag.StageOf(task), State: state, a: x, b: y}
		if x != nil && y != nil {
			d.Causes = causes(store, a, b, x, y)
		}
		diffs = append(diffs, d)
	}
	for i := range rb.Tasks {
		y := &rb.Tasks[i]
		switch x := a.tasks[y.ID]; {
		case x == nil:
			add(&sum.New, "new", y.ID, nil, y)
		case !sameOutputs(x, y) || x.Outputs == nil && x.Key != y.Key:
			add(&sum.Different, "different", y.ID, x, y)
		case x.Key != y.Key:
			add(&sum.Recomputed, "recomputed", y.ID, x, y)
		default:
			sum.Same++
		}
	}
	for i := range ra.Tasks {
		if x := &ra.Tasks[i]; b.tasks[x.ID] == nil {
			sum.Tasks++
			add(&sum.Gone, "gone", x.ID, x, nil)
		}
	}
	return diffs, sum
}

func sameOutputs(a, b *record.Task) bool {
	return slices.EqualFunc(a.Outputs, b.Outputs, func(x, y artifacts.NamedRef) bool {
		return x.Name == y.Name && x.Digest == y.Digest
	})
}

// causes are the facts in which a task differs, without the inputs that
// other tasks made, for those are consequences.
func causes(store *disk.Store, a, b side, x, y *record.Task) []why.Difference {
	switch {
	case x.State == engine.Failed || y.State == engine.Failed:
		if x.Error != y.Error {
			return []why.Difference{{What: "error", Old: x.Error, New: y.Error}}
		}
	case x.Key == y.Key && x.Key != (artifacts.Key{}):
		return []why.Difference{{What: "nothing", Name: "in its recipe differs, but its bytes do: the stage is not deterministic"}}
	}
	old, now := recipeOf(store, x.Key), recipeOf(store, y.Key)
	if old == "" || now == "" {
		return nil
	}
	made := func(r side, input string) bool {
		return input == "" || r.made[input[strings.LastIndexByte(input, ' ')+1:]]
	}
	var all []why.Difference
	for _, d := range why.Recipes(old, now) {
		switch {
		case d.What == "input" && made(a, d.Old) && made(b, d.New):
		case d.What == "code":
			r, _ := recipe.Read(now) // without it, only the digests are known
			all = append(all, why.Code(d, r.Kind, a.Record, b.Reach(r.Kind))...)
		default:
			all = append(all, d)
		}
	}
	return all
}

// CompareOutputs compares the values that a task gave in the two runs, as far as gc has left them.
func (d *TaskDiff) CompareOutputs(store *disk.Store) {
	d.Outputs = map[string]OutputDiff{}
	for _, out := range d.b.Outputs {
		x, y := d.a.Outputs.Of(out.Name), out.Ref
		if x.Digest == y.Digest || x == (artifacts.Ref{}) {
			continue
		}
		diff, err := Blobs(store, x, store, y, dag.Type{})
		if err != nil {
			diff = &Difference{Kind: "gone", Text: fmt.Sprintf("cannot be compared: %v", err)}
		}
		d.Outputs[out.Name] = OutputDiff{x.Digest.String(), y.Digest.String(), diff}
	}
}

// recipe is the recipe of a key, or "" when the store does not have it any more.
func recipeOf(store *disk.Store, k artifacts.Key) string {
	act, err := store.Lookup(k)
	if err != nil && !errors.Is(err, artifacts.ErrMiss) {
		return ""
	}
	return act.Recipe
}
