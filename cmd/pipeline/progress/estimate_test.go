package progress

import (
	"slices"
	"strings"
	"testing"

	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/internal/need"
)

// TestEstimated: 2 stale tasks of a known stage, one of them never run, and one task of a stage
// without a record. series: 3 s and, for the task that has not run, the mean of 3 and 5 s.
func TestEstimated(t *testing.T) {
	stepsOf := func(axes ...string) (steps []engine.Step) {
		g := twoStages(axes...)
		for i, state := range []engine.State{engine.Stale, engine.Unknown, engine.Cached} {
			steps = append(steps, engine.Step{Node: g.Stages()[0].Tasks()[i], State: state})
		}
		return append(steps, engine.Step{Node: g.Stages()[1].Tasks()[0], State: engine.Unknown})
	}
	steps := stepsOf()
	took := map[string]float64{"series[sub-1]": 3, "series[sub-3]": 5}
	past := func(took map[string]float64) Past {
		p := Past{}
		for id, seconds := range took {
			p[id] = &record.Task{ID: id, Seconds: seconds}
		}
		return p
	}
	for _, tt := range []struct {
		workers int
		want    string
	}{
		{1, "about 7.0 s on 1 worker, from earlier runs; plus 1 of 3 tasks whose stage has not run before; series: 100% of the work (2 of 3 tasks)"},
		{2, "about 4.0 s on 2 workers, from earlier runs; plus 1 of 3 tasks whose stage has not run before; series: 100% of the work (2 of 3 tasks)"}, // the longest task
	} {
		if got := Estimated(steps, past(took), tt.workers).String(); got != tt.want {
			t.Errorf("%d workers: %s\nwant %s", tt.workers, got, tt.want)
		}
	}
	for end, took := range map[string]map[string]float64{
		"; series: 100% of the work (2 of 3 tasks), left out by --without series":                     took,
		"unknown, no earlier run of these stages; series: 2 of 3 tasks, left out by --without series": nil,
	} {
		// Without permutations a run says as much.
		if got := Estimated(stepsOf("permutation"), past(took), 1).String(); !strings.HasSuffix(got, end) {
			t.Errorf("permutations: %s, want … %s", got, end)
		}
	}
	need.Equal(t, Estimated(steps, past(nil), 1).String(), "unknown, no earlier run of these stages", "without records")
	few := append(steps[:1:1], slices.Repeat([]engine.Step{steps[3]}, 5)...)
	need.Equal(t, Estimated(few, past(took), 1).String(), "unknown, no earlier run of the stages of 5 of 6 tasks")
	need.Equal(t, Estimated(steps[2:3], past(took), 1).String(), "nothing to run", "all cached")
	need.Equal(t, Estimated(steps, past(took), 2).Left(), "about 4.0 s left with 2 workers")
	need.Equal(t, Estimated(few, past(took), 1).Left(), "", "the time of most is not known")
	need.Equal(t, Estimated(steps[2:3], past(took), 1).Left(), "", "all cached")
}
