package progress

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/machine"
	"prgnn/internal/words"
)

// An Estimate is how long tasks that must run took in their last runs, and how much disk.
type Estimate struct {
	Seconds float64 // wall clock
	Bytes   float64 // of results
	Tasks   int     // to run
	Unknown int     // of these, tasks of stages that have never run: not in Seconds
	Workers int
	Stage   string  // the one that takes longest
	Share   float64 // of the work; of the tasks where no time is known
	Members int     // its tasks
	Permute bool    // it repeats work on permuted labels: a run may leave it out
}

// Estimated adds up the times and sizes of the last runs of tasks; a task that has not run takes the mean of its stage.
func Estimated(steps []engine.Step, past Past, workers int) Estimate {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	e := Estimate{Workers: workers}
	work, longest := 0.0, 0.0
	means, seen := past.means(), map[artifacts.Digest]bool{}
	perStage, members := map[string]float64{}, map[string]int{}
	var most *dag.StageNode
	for _, s := range steps {
		if s.State != engine.Stale && s.State != engine.Unknown {
			continue
		}
		e.Tasks++
		stage := s.Node.Stage().Name()
		members[stage]++
		need, known := means[stage]
		if t := past[s.Node.ID()]; t != nil {
			need = taken{seconds: t.Seconds}
			for _, out := range t.Outputs {
				if !seen[out.Digest] { // the store has one copy
					seen[out.Digest] = true
					need.bytes += float64(out.Size)
				}
			}
		}
		if !known { // where no time is known, the stage with most tasks counts
			e.Unknown++
			if work == 0 && members[stage] > members[e.Stage] {
				e.Stage, most = stage, s.Node.Stage()
			}
			continue
		}
		work += need.seconds
		e.Bytes += need.bytes
		longest = max(longest, need.seconds)
		perStage[stage] += need.seconds
		if perStage[stage] > perStage[e.Stage] {
			e.Stage, most = stage, s.Node.Stage()
		}
	}
	e.Seconds = max(work/float64(workers), longest)
	if most != nil {
		e.Members, e.Permute = members[e.Stage], slices.Contains(most.Axes(), "permutation")
		e.Share = float64(e.Members) / float64(e.Tasks)
	}
	if work > 0 {
		e.Share = perStage[e.Stage] / work
	}
	return e
}

// Ahead tells before a run what Estimated says of it: "12 tasks to run: about 41 min on 2 workers …". It is "" when
// nothing is to run, or the time of most tasks is not known. full is what NoRoom says.
func Ahead(ctx context.Context, g *dag.Graph, s *disk.Store, o engine.Options) (text, full string) {
	past := Remember(g, s)
	steps, err := engine.Plan(ctx, g, s, engine.Options{Until: o.Until, Only: o.Only, Force: o.Force})
	if err != nil {
		return "", "" // the run says what is wrong
	}
	e := Estimated(steps, past, o.Workers)
	full = e.NoRoom(s.Dir())
	if e.mostUnknown() {
		return "", full
	}
	return words.Count(e.Tasks, "task") + " to run: " + e.String(), full
}

// mostUnknown reports whether most tasks are of stages that have never run: the time of the others says nothing.
func (e Estimate) mostUnknown() bool { return 2*e.Unknown > e.Tasks || e.Tasks == 0 }

// String is "about 41 min on 2 workers, from earlier runs; permutations: 2500 tasks, 80% of the work".
func (e Estimate) String() string {
	switch {
	case e.Tasks == 0:
		return "nothing to run"
	case e.mostUnknown():
		text := "unknown, no earlier run of these stages"
		if e.Unknown < e.Tasks {
			return fmt.Sprintf("unknown, no earlier run of the stages of %d of %s", e.Unknown, words.Count(e.Tasks, "task"))
		}
		if e.Permute && e.Share >= 0.5 {
			text += fmt.Sprintf("; %s: %d of %s%s", e.Stage, e.Members, words.Count(e.Tasks, "task"), e.without())
		}
		return text
	}
	text := fmt.Sprintf("about %s on %s, from earlier runs", console.Seconds(e.Seconds), words.Count(e.Workers, "worker"))
	if e.Unknown > 0 {
		text += fmt.Sprintf("; plus %d of %s whose stage has not run before", e.Unknown, words.Count(e.Tasks, "task"))
	}
	if e.Share >= 0.5 && e.Members < e.Tasks {
		text += fmt.Sprintf("; %s: %.0f%% of the work (%d of %d tasks)%s", e.Stage, 100*e.Share, e.Members, e.Tasks, e.without())
	}
	return text
}

// Left is "about 41 min left with 2 workers"; "" where the time of most tasks is not known, or less than a second.
func (e Estimate) Left() string {
	if e.mostUnknown() || e.Seconds < 1 {
		return ""
	}
	return fmt.Sprintf("about %s left with %s", console.Seconds(e.Seconds), words.Count(e.Workers, "worker"))
}

// NoRoom notes that the file system of a store has too little free for what is to run; "" where it will do.
func (e Estimate) NoRoom(store string) string {
	if free, known := machine.Free(store); known {
		return e.noRoom(store, free)
	}
	return ""
}

func (e Estimate) noRoom(store string, free int64) string {
	if e.mostUnknown() || e.Bytes <= float64(free) {
		return ""
	}
	return fmt.Sprintf("the disk of %s has %s free and may not hold what is to run: %s of results, from earlier runs; "+
		"free space (pipeline gc), or keep the results on another disk (--store DIR)", store, console.ByteCount(free), e.Disk())
}

// Disk is "about 1.2 GB", or "" where the size of most results is not known.
func (e Estimate) Disk() string {
	if e.mostUnknown() {
		return ""
	}
	return "about " + console.ByteCount(int64(e.Bytes))
}

// without names the flag that leaves out a stage of permutations.
func (e Estimate) without() string {
	if !e.Permute {
		return ""
	}
	return ", left out by --without " + e.Stage
}

// Retraining states, for each stage whose models an evaluation tests without retraining, how many trainings a
// permutation test with 99 label permutations has; none for a graph with such a test.
func Retraining(g *dag.Graph) (lines []string) {
	const permutations = 99
	var tested []*dag.StageNode
	for _, s := range g.Stages() {
		if strings.HasPrefix(s.Kind().Name, "permutation") {
			return nil
		}
		if !strings.HasPrefix(s.Kind().Name, "evaluate") || len(s.Tasks()) == 0 {
			continue
		}
		for _, b := range s.Tasks()[0].Inputs() {
			for _, src := range b.Sources {
				if b.Port == "predictions" && src.Node != nil && !slices.Contains(tested, src.Node.Stage()) &&
					connected(src.Node, "folds") && !connected(src.Node, "permuted") {
					tested = append(tested, src.Node.Stage())
				}
			}
		}
	}
	for _, s := range tested {
		lines = append(lines, fmt.Sprintf("%s: %d label permutations × %s = %d trainings", s.Name(), permutations,
			words.Count(len(s.Tasks()), "training"), permutations*len(s.Tasks())))
	}
	return lines
}

// connected reports whether an input of a task is connected.
func connected(n *dag.Node, port string) bool {
	return slices.ContainsFunc(n.Inputs(), func(b dag.Binding) bool { return b.Port == port && len(b.Sources) > 0 })
}
