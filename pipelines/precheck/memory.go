package precheck

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/words"
	"prgnn/pipelines/design"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// Sizes counts the participants whose data come together in the tasks of a stage, where the memory of its kind grows
// with them: those that one of its tasks gathers, or all where the table of participants is connected. It counts the
// graphs of each that a training uses, too, and their regions.
func Sizes(r *cohort.Roster, s *dag.StageNode) dag.Sizes {
	if r == nil || s.Kind().MemoryFor == nil {
		return nil
	}
	study := design.New(r, nil, nil, nil)
	sizes := dag.Sizes{}
	for _, n := range s.Tasks() {
		if graphs, err := study.GraphsOf(n); err == nil { // else a mistake that is reported
			sizes[column.SizeGraphs] = max(sizes[column.SizeGraphs], graphs)
		}
		if _, trains := n.Instance().(role.Trainer); trains && r.Nodes != nil {
			sizes[column.SizeRegions] = r.Nodes.Rows()
		}
		for _, b := range n.Inputs() {
			members := len(r.Subjects)
			if b.Port != "participants" {
				members = max(sizes[column.SizeParticipants], membersOf(r, b.Sources))
			}
			sizes[column.SizeParticipants] = members
		}
	}
	return sizes
}

// membersOf is how many participants these sources are of.
func membersOf(r *cohort.Roster, sources []dag.Source) int {
	ids := map[string]bool{}
	for i := range sources {
		for _, c := range sources[i].Coords {
			if c.Axis == r.AxisName() {
				ids[c.Value] = true
			}
		}
	}
	return len(ids)
}

// TooLarge notes the stages with tasks to run that need more memory than their resources give, or else than this
// machine has (bytes; 0 where they run on others, or it is not known). No result depends on it, so these are not among
// the notes of a pipeline. plan tells what is to run, and is asked only where a stage is too large; if it fails, so
// will the run.
func TooLarge(r *cohort.Roster, g *dag.Graph, machine func() int64, plan func() ([]engine.Step, error)) (
	notes []string) {
	machine, steps := sync.OnceValue(machine), sync.OnceValues(plan)
	for _, s := range g.Stages() {
		participants := s.Sizes()[column.SizeParticipants]
		needs, has := s.Memory(), s.Needs().Memory
		limit, remedy := "its resources give", fmt.Sprintf("set memory to %.0fG", math.Ceil(float64(needs)/1e9))
		if has == needs && participants > 0 { // the file states no other
			has, limit, remedy = machine(), "this machine has", "run it where there is more, or on a cluster (docs/cluster.md)"
		}
		if participants > 0 && has > 0 && needs > has && toRun(s, steps) {
			notes = append(notes, fmt.Sprintf("stage %s needs about %s for %s, and %s %s: %s", s.Name(), gigabytes(needs),
				words.Count(participants, r.Noun()), limit, gigabytes(has), remedy))
		}
	}
	return notes
}

// toRun reports whether a plan has a task of this stage that has no result yet.
func toRun(s *dag.StageNode, plan func() ([]engine.Step, error)) bool {
	steps, _ := plan()
	return slices.ContainsFunc(steps, func(step engine.Step) bool {
		return step.Node.Stage() == s && step.State != engine.Cached
	})
}

func gigabytes(bytes int64) string {
	if gb := float64(bytes) / 1e9; gb < 9.95 {
		return fmt.Sprintf("%.1f GB", gb)
	}
	return fmt.Sprintf("%.0f GB", float64(bytes)/1e9)
}
