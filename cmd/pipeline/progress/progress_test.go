package progress

import (
	"errors"
	"strings"
	"testing"
	"time"

	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/need"
)

// twoStages is a graph of a stage of three tasks and one of a single task.
func twoStages(axes ...string) *dag.Graph {
	b := dag.NewGraph("test")
	for _, s := range []struct {
		name  string
		tasks []string
	}{{"series", []string{"series[sub-1]", "series[sub-2]", "series[sub-3]"}}, {"train", []string{"train"}}} {
		stage := b.Stage(s.name, nil, axes...)
		axes = nil // of the first
		for _, id := range s.tasks {
			b.TaskNamed(stage, nil, id)
		}
	}
	return b.Draft()
}

func event(stage, task string, s engine.State) engine.Event {
	return engine.Event{Stage: stage, Task: task, State: s}
}

func TestLines(t *testing.T) {
	var out strings.Builder
	l := newLines(&out, newTallies(twoStages(), engine.Options{}), false)
	for _, e := range []engine.Event{
		event("series", "series[sub-1]", engine.Cached),
		event("series", "series[sub-2]", engine.Running),
		{Stage: "series", Task: "series[sub-3]", State: engine.Failed, Err: errors.New("x")},
	} {
		l.Event(e)
	}
	if out.Len() > 0 {
		t.Errorf("a line before the stage was through: %q", out.String())
	}
	l.Event(event("series", "series[sub-2]", engine.Ran))
	l.Event(event("train", "train", engine.Skipped))
	l.Close()
	got := strings.Split(out.String(), "\n")
	if len(got) != 3 || !strings.HasPrefix(got[0], "series: 1 ran, 1 cached, 1 failed in 0.0") || got[1] != "train: 1 skipped" || got[2] != "" {
		t.Errorf("got %q", got)
	}
}

// TestLinesOfAnUnfinishedRun: what was begun is told at the end.
func TestLinesOfAnUnfinishedRun(t *testing.T) {
	var out strings.Builder
	l := newLines(&out, newTallies(twoStages(), engine.Options{}), false)
	l.Event(event("series", "series[sub-1]", engine.Cached))
	l.Close()
	need.Equal(t, out.String(), "series: 1 cached\n")
}

// TestAllCached: a run that finds every result has one line, and one in which a task runs has a line a stage.
func TestAllCached(t *testing.T) {
	series := []string{"series[sub-1]", "series[sub-2]", "series[sub-3]"}
	for last, want := range map[engine.State]string{
		engine.Cached:  "2 stages: 4 cached\n",
		engine.Skipped: "series: 3 cached\ntrain: 1 skipped\n",
	} {
		var out strings.Builder
		l, frames := newLines(&out, newTallies(twoStages(), engine.Options{}), false), newTallies(twoStages(),
			engine.Options{})
		for _, task := range series {
			l.Event(event("series", task, engine.Cached))
			frames.count(event("series", task, engine.Cached), time.Now())
		}
		need.Equal(t, out.String(), "") // waits for a task that runs
		l.Event(event("train", "train", last))
		frames.count(event("train", "train", last), time.Now())
		l.Close()
		need.Equal(t, out.String(), want)
		frame := newFrames(frames).frame(time.Now(), 80, 24)
		need.Equal(t, len(frame) == 1 && frame[0]+"\n" == want, last == engine.Cached)
	}
}

func TestLinesSignOfLife(t *testing.T) {
	var out strings.Builder
	l := newLines(&out, newTallies(twoStages(), engine.Options{}), false)
	l.Event(engine.Event{Stage: "train", Task: "train", State: engine.Running, Done: 12, Total: 100, Note: "epoch 12, loss 0.53"})
	l.alive()
	if out.Len() > 0 {
		t.Errorf("too early: %q", out.String())
	}
	l.last = l.last.Add(-l.every)
	l.t.byName["train"].begun = time.Now().Add(-12 * time.Second)
	l.alive()
	l.Close()
	// 12 of 100 epochs took 12 s, so 88 s are left.
	need.Equal(t, out.String(), "train: 0/1, about 88.0 s left (train: epoch 12, loss 0.53)\n")
}

func TestTimeLeft(t *testing.T) {
	now := time.Now()
	s := &tally{tasks: 100, Counts: Counts{cached: 50, ran: 10}, begun: now.Add(-20 * time.Second)}
	left, ok := s.left(now)
	if !ok || left.Round(time.Millisecond) != 80*time.Second {
		t.Errorf("10 of 50 in 20 s leave %v, %v; want 80 s", left, ok)
	}
	s.begun = now.Add(-time.Second)
	if _, ok := s.left(now); ok {
		t.Error("an estimate after one second, without a history")
	}

	// Past runs took 3 s a task; two at a time, four tasks take 6 s.
	tallies := newTallies(twoStages(), engine.Options{})
	series := tallies.byName["series"]
	tallies.remember(Past{"series[sub-1]": {Seconds: 2}, "series[sub-2]": {Seconds: 4}, "elsewhere": {Seconds: 99}})
	series.tasks, series.begun = 4, now
	series.running["series[sub-1]"], series.running["series[sub-2]"] = partial{}, partial{}
	left, ok = series.left(now)
	if !ok || left.Round(time.Millisecond) != 6*time.Second {
		t.Errorf("four tasks of 3 s, two at a time, leave %v, %v; want 6 s", left, ok)
	}
}

func TestBars(t *testing.T) {
	tallies := newTallies(twoStages(), engine.Options{})
	b := newFrames(tallies)
	now := time.Now()
	for _, e := range []engine.Event{
		event("series", "series[sub-1]", engine.Cached),
		event("series", "series[sub-2]", engine.Ran),
		{Stage: "series", Task: "series[sub-3]", State: engine.Running, Done: 1, Total: 4, Note: "volume 40"},
	} {
		tallies.count(e, now)
	}
	frame := b.frame(now, 80, 24)[:1]
	// 2.25 of 3 tasks are three quarters of 30 characters.
	want := "series  " + strings.Repeat("█", 22) + "▌" + strings.Repeat("·", 7) + "  2/3  series[sub-3]: volume 40"
	if len(frame) != 1 || frame[0] != want {
		t.Errorf("got\n%q\nwant\n%q", frame, want)
	}
	for _, width := range []int{10, 20, 40, 60, 200} {
		for _, line := range b.frame(now, width, 24) {
			if n := len([]rune(line)); n > max(width, 14) {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
	}
}

// TestBarsFit: a screen that is too low shows what is going on.
func TestBarsFit(t *testing.T) {
	build := dag.NewGraph("test")
	for i := range 30 {
		build.Task(build.Stage(string(rune('a'+i)), nil), nil)
	}
	g := build.Draft()
	tallies := newTallies(g, engine.Options{})
	now := time.Now()
	for i, s := range g.Stages() {
		tallies.count(event(s.Name(), s.Name(), engine.Waiting), now)
		switch {
		case i < 12:
			tallies.count(event(s.Name(), s.Name(), engine.Ran), now)
		case i == 12:
			tallies.count(event(s.Name(), s.Name(), engine.Running), now)
		}
	}
	b := newFrames(tallies)
	frame := b.frame(now, 80, 10)
	text := strings.Join(frame, "\n")
	if len(frame) > 9 {
		t.Errorf("%d lines on a screen of 10", len(frame))
	}
	for _, want := range []string{"stages through", "stages to come", g.Stages()[12].Name() + "  "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
