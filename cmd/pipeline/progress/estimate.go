package progress

import (
	"time"

	"fmt"
	"runtime"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/words"
)

// An Estimate is how long tasks that must run will take.
type Estimate struct {
	Seconds float64 // wall clock
	Tasks   int     // to run
	Unknown int     // of these, tasks of stages that have never run: not in Seconds
	Workers int
	Stage   string   // the one that takes longest
	Share   float64  // of the work; of the tasks where no time is known
	Members int      // its tasks
	Permute bool     // it repeats work on permuted labels: a run may leave it out
	Changed []string // parameters of the tasks that were others in the earlier runs: "clean.draws 0 → 100"
}

// Estimated adds up the times of earlier runs; a task that has not run takes the mean of its stage. Nobody knows by how
// much another parameter changes a time: changed tells them, of one task for each stage.
func Estimated(steps []dag.Step, took map[string]float64, changed func(*dag.Node) []dag.Difference,
	workers int) Estimate {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	e := Estimate{Workers: workers}
	means := stageMeans(took)
	work, longest := 0.0, 0.0
	perStage, members, asked := map[string]float64{}, map[string]int{}, map[string]bool{}
	var most *dag.StageNode
	for _, s := range steps {
		if s.State != dag.Stale && s.State != dag.Unknown {
			continue
		}
		e.Tasks++
		stage := s.Node.Stage.Name
		members[stage]++
		seconds, known := took[s.Node.ID]
		if known && !asked[stage] {
			asked[stage] = true
			for _, d := range changed(s.Node) {
				if d.Old != "" && d.New != "" && weighs(s.Node.Work, d.Name) {
					e.Changed = append(e.Changed, fmt.Sprintf("%s.%s %s → %s", stage, d.Name, d.Old, d.New))
				}
			}
		}
		if !known {
			seconds, known = means[stage]
		}
		if !known { // where no time is known, the stage with most tasks counts
			e.Unknown++
			if work == 0 && members[stage] > members[e.Stage] {
				e.Stage, most = stage, s.Node.Stage
			}
			continue
		}
		work += seconds
		longest = max(longest, seconds)
		perStage[stage] += seconds
		if perStage[stage] > perStage[e.Stage] {
			e.Stage, most = stage, s.Node.Stage
		}
	}
	e.Seconds = max(work/float64(workers), longest)
	if most != nil {
		e.Members, e.Permute = members[e.Stage], slices.Contains(most.Axes, "permutation")
		e.Share = float64(e.Members) / float64(e.Tasks)
	}
	if work > 0 {
		e.Share = perStage[e.Stage] / work
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
// nothing is to run, or the time of most tasks is not known.
func Ahead(g *dag.Graph, s *artifacts.Store, o dag.Options) string {
	took, changed := dag.Durations(g, s)
	if len(took) == 0 {
		return ""
	}
	steps, err := dag.Plan(g, s, dag.Options{Until: o.Until, Only: o.Only, Force: o.Force})
	if err != nil {
		return "" // the run says what is wrong
	}
	e := Estimated(steps, took, changed, o.Workers)
	if e.mostUnknown() {
		return ""
	}
	return words.Count(e.Tasks, "task") + " to run: " + e.String()
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
	text := fmt.Sprintf("about %s on %d workers, from earlier runs", console.Seconds(e.Seconds), e.Workers)
	if e.Workers == 1 {
		text = fmt.Sprintf("about %s on 1 worker, from earlier runs", console.Seconds(e.Seconds))
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
