package progress

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/machine"
	"prgnn/internal/words"
)

// An Estimate is how long tasks that must run will take, and how much disk.
type Estimate struct {
	Seconds span // wall clock
	Bytes   span // of results
	Tasks   int  // to run
	Unknown int  // of these, tasks of stages that have never run: not in Seconds
	Workers int
	Stage   string   // the one that takes longest
	Share   float64  // of the work; of the tasks where no time is known
	Members int      // its tasks
	Permute bool     // it repeats work on permuted labels: a run may leave it out
	Scaled  []string // parameters by which the earlier times were multiplied: "series.draws 0 → 100"
	Changed []string // other parameters of the tasks that were others in the earlier runs: "clean.regress 6P → 24P"
}

// Estimated adds up the times and sizes of earlier runs, multiplied by how much more the tasks work on; a task that has
// not run takes the mean of its stage. Nobody knows by how much another parameter changes a time: these are named.
func Estimated(steps []dag.Step, past *Past, workers int) Estimate {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	e := Estimate{Workers: workers}
	var work, longest span
	known, means := past.each(steps)
	perStage, members, asked := map[string]float64{}, map[string]int{}, map[string]bool{}
	var most *dag.StageNode
	for _, s := range steps {
		if s.State != dag.Stale && s.State != dag.Unknown {
			continue
		}
		e.Tasks++
		stage := s.Node.Stage.Name
		members[stage]++
		need, there := known[s.Node]
		if there && !asked[stage] {
			asked[stage] = true
			for _, d := range past.changed(s.Node) {
				text := fmt.Sprintf("%s.%s %s → %s", stage, d.Name, d.Old, d.New)
				switch {
				case d.Old == "" || d.New == "" || !weighs(s.Node.Work, d.Name):
				case past.counted(s.Node, d.Name):
					e.Scaled = append(e.Scaled, text)
				default:
					e.Changed = append(e.Changed, text)
				}
			}
		}
		if !there {
			need, there = means[stage]
		}
		if !there { // where no time is known, the stage with most tasks counts
			e.Unknown++
			if work.high == 0 && members[stage] > members[e.Stage] {
				e.Stage, most = stage, s.Node.Stage
			}
			continue
		}
		work, e.Bytes = work.plus(need.time), e.Bytes.plus(need.size)
		longest = span{max(longest.low, need.time.low), max(longest.high, need.time.high)}
		perStage[stage] += need.time.high
		if perStage[stage] > perStage[e.Stage] {
			e.Stage, most = stage, s.Node.Stage
		}
	}
	e.Seconds = span{max(work.low/float64(workers), longest.low), max(work.high/float64(workers), longest.high)}
	if most != nil {
		e.Members, e.Permute = members[e.Stage], slices.Contains(most.Axes, "permutation")
		e.Share = float64(e.Members) / float64(e.Tasks)
	}
	if work.high > 0 {
		e.Share = perStage[e.Stage] / work.high
	}
	return e
}

// weighs reports whether another value of a parameter may take another time: a number, a switch or a choice, and all of
// a command's. Free texts name columns, groups, settings and titles.
func weighs(work dag.Stage, name string) bool {
	if _, command := work.(dag.EnvReader); command {
		return true
	}
	for _, p := range param.Of(work) {
		if p.Name == name {
			return name != "seed" && (p.Choices != nil || !strings.Contains(p.Type, "text"))
		}
	}
	return false
}

// Ahead tells before a run what Estimated says of it: "12 tasks to run: about 41 min on 2 workers …". It is "" when
// nothing is to run, or the time of most tasks is not known. full is what NoRoom says.
func Ahead(g *dag.Graph, s *artifacts.Store, o dag.Options) (text, full string) {
	past := Remember(g, s)
	steps, err := dag.Plan(g, s, dag.Options{Until: o.Until, Only: o.Only, Force: o.Force})
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

func stageMeans(took map[string]float64) map[string]float64 {
	mean, n := map[string]float64{}, map[string]float64{}
	for task, seconds := range took {
		s := dag.StageOf(task)
		n[s]++
		mean[s] += (seconds - mean[s]) / n[s]
	}
	return mean
}

// mostUnknown reports whether most tasks are of stages that have never run: the time of the others says nothing.
func (e Estimate) mostUnknown() bool { return 2*e.Unknown > e.Tasks || e.Tasks == 0 }

// String is "about 41 min on 2 workers, from earlier runs; permutations: 2500 tasks, 80 % of the work".
func (e Estimate) String() string {
	switch {
	case e.Tasks == 0:
		return "nothing to run"
	case e.mostUnknown():
		text := "unknown, no earlier run of these stages"
		if e.Unknown < e.Tasks {
			return fmt.Sprintf("unknown, no earlier run of the stages of %d of %d tasks", e.Unknown, e.Tasks)
		}
		if e.Permute && e.Share >= 0.5 {
			text += fmt.Sprintf("; %s: %d of %d tasks%s", e.Stage, e.Members, e.Tasks, e.without())
		}
		return text
	}
	text := fmt.Sprintf("about %s on %s, from earlier runs", between(e.Seconds, console.Seconds),
		words.Count(e.Workers, "worker"))
	if e.Scaled != nil {
		text += ", scaled for " + words.Some(e.Scaled, 4)
	}
	if e.Changed != nil {
		text += ", not counting that " + words.Some(e.Changed, 4) + " changed since"
	}
	if e.Unknown > 0 {
		text += fmt.Sprintf("; plus %d of %d tasks whose stage has not run before", e.Unknown, e.Tasks)
	}
	if e.Share >= 0.5 && e.Members < e.Tasks {
		text += fmt.Sprintf("; %s: %.0f %% of the work (%d of %d tasks)%s", e.Stage, 100*e.Share, e.Members, e.Tasks, e.without())
	}
	return text
}

// between writes a span: "9.0 s to 1 min 12 s", or one number where its ends are close together.
func between(s span, write func(float64) string) string {
	if low, high := write(s.low), write(s.high); s.high > 1.2*s.low && low != high {
		return low + " to " + high
	}
	return write((s.low + s.high) / 2)
}

// NoRoom notes that the file system of a store has too little free for what is to run; "" where it will do.
func (e Estimate) NoRoom(store string) string {
	if free, known := machine.Free(store); known {
		return e.noRoom(store, free)
	}
	return ""
}

func (e Estimate) noRoom(store string, free int64) string {
	results := e.Bytes
	if e.mostUnknown() {
		results = span{}
	}
	if results.high <= float64(free) {
		return ""
	}
	verb := "may not hold"
	if results.low > float64(free) {
		verb = "will not hold"
	}
	return fmt.Sprintf("the disk of %s has %s free and %s what is to run: %s of results, from earlier runs; free space (pipeline gc), "+
		"or keep the results on another disk (--store DIR)", store, console.ByteCount(free), verb, e.Disk())
}

// Disk is "about 1.2 GB to 3.4 GB", or "" where the size of most results is not known.
func (e Estimate) Disk() string {
	if e.mostUnknown() {
		return ""
	}
	return "about " + between(e.Bytes, func(b float64) string { return console.ByteCount(int64(b)) })
}

// without names the flag that leaves out a stage of permutations.
func (e Estimate) without() string {
	if !e.Permute {
		return ""
	}
	return ", left out by --without " + e.Stage
}

// allLeft says how long the whole run still takes: each task at the mean of its stage's tasks in this run,
// or in earlier runs; no less than the line of a single stage says. Stages without a known time are named.
// "" when less than a second is left, or most of what is left is of unknown time.
func (t *tallies) allLeft(now time.Time) string {
	work, longest := 0.0, 0.0
	var unknown []string
	dark, known := 0.0, 0.0 // tasks left
	for _, s := range t.order {
		left, mean := float64(s.total()-s.done()), s.usual
		if s.ran > 0 {
			mean = s.spent / float64(s.ran)
		}
		if alone, ok := s.atItsPace(now); ok && len(s.running) > 0 {
			longest = max(longest, alone.Seconds())
		}
		for _, p := range s.running {
			if p.total > 0 {
				left -= float64(p.done) / float64(p.total)
			}
		}
		if work += left * mean; left > 0 && mean == 0 {
			unknown, dark = append(unknown, s.name), dark+left
		} else {
			known += left
		}
	}
	seconds := max(work/float64(t.workers), longest)
	if work == 0 || dark > known || seconds < 1 && unknown == nil {
		return ""
	}
	text := "about " + console.Seconds(seconds) + " left"
	if unknown != nil {
		text += ", plus stages of unknown duration: " + words.Some(unknown, 3)
	}
	return text
}

// Retraining states, for each stage whose models an evaluation tests without retraining, what a permutation test with
// 99 label permutations would cost; none for a graph with such a test.
func Retraining(g *dag.Graph, steps []dag.Step, past *Past, workers int) (lines []string) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	const permutations = 99
	_, means := past.each(steps)
	var tested []*dag.StageNode
	for _, s := range g.Stages {
		if strings.HasPrefix(s.Kind.Name, "permutation") {
			return nil
		}
		if !strings.HasPrefix(s.Kind.Name, "evaluate") || len(s.Tasks) == 0 {
			continue
		}
		for _, b := range s.Tasks[0].Inputs {
			for _, src := range b.Sources {
				if b.Port == "predictions" && src.Node != nil && !slices.Contains(tested, src.Node.Stage) &&
					connected(src.Node, "folds") && !connected(src.Node, "permuted") {
					tested = append(tested, src.Node.Stage)
				}
			}
		}
	}
	for _, s := range tested {
		n, time := permutations*len(s.Tasks), "time unknown, it has not run before"
		if of, known := means[s.Name]; known && of.time.high > 0 {
			all := span{of.time.low * float64(n) / float64(workers), of.time.high * float64(n) / float64(workers)}
			time = fmt.Sprintf("about %s on %s", between(all, console.Seconds), words.Count(workers, "worker"))
		}
		lines = append(lines, fmt.Sprintf("%s: %d label permutations × %s = %d trainings, %s", s.Name, permutations,
			words.Count(len(s.Tasks), "training"), n, time))
	}
	return lines
}

// connected reports whether an input of a task is connected.
func connected(n *dag.Node, port string) bool {
	return slices.ContainsFunc(n.Inputs, func(b dag.Binding) bool { return b.Port == port && len(b.Sources) > 0 })
}
