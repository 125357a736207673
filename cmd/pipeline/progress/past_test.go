package progress

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
)

// A drawing is a Stage that makes draws, in arrays of so many; a learning one learns from them.
type (
	drawing struct {
		Draws int `param:"draws" doc:"-"`
	}
	learning struct {
		Epochs int `param:"epochs" doc:"-"`
		Draws  int `param:"draws" doc:"-"`
	}
)

func (*drawing) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "series", Type: dag.NPY("<f8", "draw", "time")},
		{Name: "carpet", Type: dag.NPY("<f8", "time", "voxel")}, {Name: "quality", Type: dag.Arrow()}, {Name: "any"}}}
}
func (*drawing) Run(context.Context, *dag.Task) (dag.Outputs, error) { return nil, nil }
func (s *drawing) DrawsOf(int) int                                   { return 1 + s.Draws }

func (*learning) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{{Name: "series", Type: dag.NPY("<f8", "draw", "time"), Gather: true}},
		Out: []dag.Port{{Name: "predictions", Type: dag.Arrow()}}}
}
func (*learning) Run(context.Context, *dag.Task) (dag.Outputs, error) { return nil, nil }
func (s *learning) Graphs(draws int, _ string) (int, error) {
	return map[bool]int{true: s.Draws, false: draws - 1}[s.Draws > 0], nil
}

// refs are outputs of these sizes, each with bytes of its own.
func refs(task string, sizes map[string]int64) (refs artifacts.Refs) {
	for name, n := range sizes {
		refs.Set(name, artifacts.Ref{Digest: artifacts.DigestOf([]byte(task + name)), Size: n})
	}
	return refs
}

// TestPastScales: earlier times and sizes are multiplied by how much more a task works on. Arrays of draws and what a
// training does are in proportion, other arrays and tables of a participant stay as they were, or are there already,
// and what else a task does lies between the two.
func TestPastScales(t *testing.T) {
	series, train := &dag.StageNode{Name: "series"}, &dag.StageNode{Name: "train"}
	var all []dag.Source
	for i := range 6 {
		at := []dag.Coord{{Axis: "subject", Value: fmt.Sprint(i)}}
		n := &dag.Node{ID: fmt.Sprintf("series[%d]", i), Stage: series, Coords: at, Work: &drawing{Draws: 100}}
		series.Tasks = append(series.Tasks, n)
		all = append(all, dag.Source{Node: n, Output: "series", Coords: at})
	}
	train.Tasks = []*dag.Node{{ID: "train", Stage: train, Work: &learning{Epochs: 30},
		Inputs: []dag.Binding{{Port: "series", Sources: all}}}}
	past := &Past{last: map[string]*dag.TaskRecord{"train": {Seconds: 4, Outputs: refs("train", map[string]int64{
		"predictions": 1000})}},
		changed: func(n *dag.Node) []dag.Difference {
			return []dag.Difference{{Name: "draws", Old: "10", New: "100"}}
		},
		work: func(n *dag.Node) dag.Stage {
			if n.Stage == train {
				return &learning{Epochs: 10}
			}
			return &drawing{Draws: 10}
		},
		members: func(n *dag.Node, port string) int { return 3 }}
	for _, n := range series.Tasks[:3] { // the others are new
		past.last[n.ID] = &dag.TaskRecord{Seconds: 2, Outputs: refs(n.ID, map[string]int64{
			"series": 110, "carpet": 5, "quality": 1, "any": 2})}
	}
	var steps []dag.Step
	for _, n := range append(series.Tasks, train.Tasks...) {
		steps = append(steps, dag.Step{Node: n, State: dag.Stale})
	}
	e := Estimated(steps, past, 1)
	// Six participants: 2 s or 2 s · 101/11; the training: ten times the graphs, twice the people, thrice the epochs.
	need.Equal(t, fmt.Sprintf("%.6g %.6g", e.Seconds.low, e.Seconds.high), fmt.Sprintf("%.6g %.6g", 12+4*60.,
		12*101./11+4*60))
	need.Equal(t, fmt.Sprintf("%.6g %.6g", e.Bytes.low, e.Bytes.high), fmt.Sprintf("%.6g %.6g",
		6*(1010+2)+1000*60., 6*(1010+5+1+2*101./11)+1000*60))
	need.Equal(t, strings.Join(e.Scaled, "; "), "series.draws 10 → 100; train.draws 10 → 100")
	need.Equal(t, len(e.Changed), 0)
	past.loads, past.work = [2]map[string]load{}, func(*dag.Node) dag.Stage { return nil } // no recipe can be read
	past.members = func(*dag.Node, string) int { return 0 }
	e = Estimated(steps, past, 1)
	need.Equal(t, e.Seconds, span{16, 16}, "as it was")
	need.Equal(t, strings.Join(e.Changed, "; "), "series.draws 10 → 100; train.draws 10 → 100")
}

// A copy that the store has is counted once.
func TestPastCountsCopiesOnce(t *testing.T) {
	stage := &dag.StageNode{Name: "series"}
	past := &Past{last: map[string]*dag.TaskRecord{}, changed: func(*dag.Node) []dag.Difference { return nil },
		work: func(*dag.Node) dag.Stage { return nil }}
	var steps []dag.Step
	for _, id := range []string{"a", "b"} {
		past.last[id] = &dag.TaskRecord{Outputs: refs("same", map[string]int64{"series": 100})}
		steps = append(steps, dag.Step{Node: &dag.Node{ID: id, Stage: stage, Work: &drawing{}}, State: dag.Stale})
	}
	need.Equal(t, Estimated(steps, past, 1).Bytes, span{100, 100})
}

func TestNoRoom(t *testing.T) {
	const remedy = "; free space (pipeline gc), or keep the results on another disk (--store DIR)"
	for want, e := range map[string]Estimate{
		"": {Tasks: 1, Bytes: span{1e9, 1e9}},
		"the disk of S has 1 GB free and will not hold what is to run: about 2 GB of results, from earlier runs" +
			remedy: {Tasks: 1, Bytes: span{2e9, 2e9}},
		"the disk of S has 1 GB free and may not hold what is to run: about 500 MB to 1.5 GB of results, from earlier " +
			"runs" + remedy: {Tasks: 1, Bytes: span{5e8, 15e8}},
	} {
		need.Equal(t, e.noRoom("S", 1e9), want)
	}
}
