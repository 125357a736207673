package connectivity

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// Task regressors are those of nilearn's make_first_level_design_matrix (testdata/task/gen.py).
func TestTaskRegressorsOfNilearn(t *testing.T) {
	var golden struct {
		Cases []struct {
			Name    string
			Model   Response
			TR      float64
			Volumes int
			Start   float64
			After   float64
			Events  [][3]any
			Of      []string
			Design  [][]float64
		}
	}
	b, err := os.ReadFile(filepath.Join("testdata", "task", "golden.json"))
	if err == nil {
		err = json.Unmarshal(b, &golden)
	}
	if err != nil || len(golden.Cases) != 15 {
		t.Fatalf("%d cases, want 15: %v", len(golden.Cases), err)
	}
	for _, c := range golden.Cases {
		t.Run(c.Name+"/"+string(c.Model), func(t *testing.T) {
			k := Task{Response: c.Model, TR: c.TR, Start: c.Start, After: c.After}
			for _, e := range c.Events {
				k.Events = append(k.Events, Event{e[0].(float64), e[1].(float64), e[2].(string)})
			}
			got := need.Value(k.Regressors(c.Volumes))(t)
			if got.Cols != len(c.Design) {
				t.Fatalf("%d regressors, want %d", got.Cols, len(c.Design))
			}
			far := 0.0
			for j, want := range c.Design {
				for v, x := range want {
					far = max(far, math.Abs(got.At(v, j)-x))
				}
			}
			if !(far < 1e-11) {
				t.Errorf("%g away from nilearn", far)
			}
		})
	}
}

// The order of events is of no matter. Half of them may lie outside the scan; those that are twice in the table are
// counted.
func TestTaskEvents(t *testing.T) {
	k := Task{TR: 2, Response: SPMResponse, Events: []Event{{12, 1, "a"}, {3, 2, "b"}, {-5, 4, "a"}, {-5, 6, "a"},
		{3, 2, "b"}, {3, 1, "b"}, {20, 1, "a"}, {19.9, 0, "a"}, {3, 2, "b"}, {7000, 1, "a"}}}
	need.Equal(t, k.Inside(10), 7)
	need.Equal(t, k.Repeated(), 2)
	x := need.Value(k.Regressors(10))(t)
	slices.Reverse(k.Events)
	y := need.Value(k.Regressors(10))(t)
	for v := range 10 {
		need.Equal(t, fmt.Sprint(y.Row(v)), fmt.Sprint(x.Row(v)))
	}
	k.Events = append(k.Events, slices.Repeat([]Event{{7000, 1, "a"}}, 4)...)
	need.Value(k.Regressors(10))(t) // 7 of 14
	k.Events = append(k.Events, Event{7000, 1, "a"})
	_, err := k.Regressors(10)
	need.Error(t, err, "only 7 of 15 events lie within the scan")
}

// What is compared is of one condition: trials within a block do not overlap it, and blocks that follow each other
// end where the next begins, give or take a step of the model.
func TestTaskTiming(t *testing.T) {
	ms := func(factor float64) (events []Event) { // 20 trials in 600 s
		for i := range 20 {
			events = append(events, Event{30 * float64(i), 0.2 * factor, []string{"a", "b"}[i%2]})
		}
		return events
	}
	each := ms(1000)
	for i := range each {
		each[i].Condition = fmt.Sprint(i)
	}
	for _, c := range []struct {
		events []Event
		want   Timing
	}{
		{ms(1), Timing{0, 0, (570 + 0.2) / 600}},
		{ms(1000), Timing{18, 6, 1}},
		{each, Timing{0, 6, 1}}, // each trial is a condition of its own
		{[]Event{{0, 30, "block"}, {0, 2, "trial"}, {2, 2, "trial"}, {4.001, 26.1, "trial"}, {30.1, 30, "block"}},
			Timing{0, 0, 60.1 / 600}},
		{[]Event{{0, 30, "block"}, {29, 30, "block"}, {29, 30, "block"}}, Timing{1, 0, 59.0 / 600}},
		{[]Event{{0, 30.04, "block"}, {30, 570.04, "block"}}, Timing{0, 0, 1}},
		{[]Event{{0, 30.05, "block"}, {30, 570.05, "block"}}, Timing{1, 1, 1}},
		{[]Event{{-5, 2, "a"}, {-2, 4, "a"}, {3, 1, "a"}, {700, 90, "a"}}, Timing{0, 0, 4.0 / 600}},
		{[]Event{{0.5, 0.01, "a"}, {9.5, 0.01, "a"}}, Timing{0, 0, 9.01 / 600}}, // minutes
		{[]Event{{3, 1, "a"}, {3, 2, "a"}}, Timing{1, 0, 2.0 / 600}},
		{[]Event{{700, 1, "a"}}, Timing{}},
	} {
		got := Task{TR: 2, Events: c.events}.Timing(300)
		if math.Abs(got.Span-c.want.Span) < 1e-12 {
			got.Span = c.want.Span
		}
		need.Equal(t, got, c.want, c.events)
	}
}

func TestTaskRegressorsRefuse(t *testing.T) {
	for want, k := range map[string]Task{
		"none of 1 event lies within the scan, which takes 20 s; the onsets range from 30000 to 30000": {TR: 2,
			Events: []Event{{30000, 2000, "a"}}},
		"only 1 of 3 events lies within the scan, which takes 20 s; the onsets range from 0 to 9000": {TR: 2, // ms
			Events: []Event{{4500, 500, "b"}, {0, 500, "a"}, {9000, 500, "a"}}},
		"an event of a at -30 s": {TR: 2, Events: []Event{{-30, 1, "a"}}},
		"a duration of -1 s":     {TR: 2, Events: []Event{{1, -1, "a"}}},
		"no degrees of freedom are left: of 10 volumes, the model of the events takes 11 regressors": {TR: 2,
			Response: FIRResponse, Events: []Event{{0, 20, "a"}, {18, 2, "b"}}},
		"the duration of 1 of 2 events is longer than the scan, which takes 20 s; the longest is 1e+300": {TR: 2,
			Response: FIRResponse, Events: []Event{{0, 1e300, "a"}, {18, 20, "b"}}},
		"need a repetition time": {Events: []Event{{1, 1, "a"}}},
	} {
		if _, err := k.Regressors(10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
