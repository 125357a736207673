package prepare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

const goAndStop = "onset\tduration\ttrial_type\tresponse_time\n4\t2\tgo\t0.5\n30\t10\tstop\tn/a\n60\t2\tgo\t0.4\n75\tn/a\tn/a\tn/a\n120\t10\tstop\tn/a\n"

func tsv(text string) artifacts.Bytes { return artifacts.Bytes{Kind: "tsv", Data: []byte(text)} }

func startTime(text string) artifacts.Bytes { return artifacts.Bytes{Kind: "json", Data: []byte(text)} }

// What is left of series is orthogonal to the responses to the events, and they cost degrees of freedom.
func TestDenoiseTask(t *testing.T) {
	const volumes = 100
	events := []connectivity.Event{{Onset: 4, Duration: 2, Condition: "go"}, {Onset: 30, Duration: 10,
		Condition: "stop"}, {Onset: 60, Duration: 2, Condition: "go"}, {Onset: 120, Duration: 10, Condition: "stop"}}
	for _, c := range []struct {
		task, sidecar string
		only          []string
		regressors    float64
	}{
		{"spm", `{}`, nil, 2}, {"glover", `{"StartTime": 0.98}`, nil, 2}, {"spm", `{}`, []string{"stop"}, 1},
		{"fir", `{}`, nil, 10 + 14}, // (2 + 18)/2 and (10 + 18)/2 volumes
	} {
		model := connectivity.Task{Events: events, Response: connectivity.Response(c.task), After: 18, TR: 2}
		if strings.Contains(c.sidecar, "0.98") {
			model.Start = 0.98
		}
		if c.only != nil {
			model.Events = slices.DeleteFunc(slices.Clone(events),
				func(e connectivity.Event) bool { return e.Condition != "stop" })
		}
		x := stagetest.Sure(model.Regressors(volumes))
		a := stagetest.Series(2, volumes, 3)
		for i := range a.Float64s() {
			a.Float64s()[i] += 40 * x.At(i/3%volumes, 0)
		}
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Task, s.Regress, s.Conditions = c.task, "6P", c.only
		out, err := stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(a), "scan": dag.InputOf(scanOf(2)),
			"confounds": dag.InputOf(stagetest.Confounds(volumes)),
			"events":    dag.InputOf(tsv(goAndStop)), "sidecar": dag.InputOf(startTime(c.sidecar))})
		need.NoError(t, err)
		y := out["series"].(*encoding.Array).Float64s()
		for j := range x.Cols {
			for region := range 3 {
				sum, length := 0.0, 0.0
				for v := range volumes {
					sum, length = sum+y[v*3+region]*x.At(v, j), length+x.At(v, j)*x.At(v, j)
				}
				if !(math.Abs(sum) < 1e-9*math.Sqrt(length*volumes)) {
					t.Errorf("%s: region %d has %g of regressor %d", c.task, region, sum, j)
				}
			}
		}
		row := stagetest.Sure(column.Rows[column.CleaningRow](out["quality"].(*encoding.Table)))[0]
		names, n := "go, stop", 4.0
		if c.only != nil {
			names, n = "stop", 2
		}
		if row.Events != n || row.EventsInside != n || row.RepeatedEvents != 0 {
			t.Errorf("%s: %v of %v events inside, %d repeated", c.task, row.EventsInside, row.Events, row.RepeatedEvents)
		}
		if want := c.regressors + 6; float64(row.Regressors) != want || row.TEff != volumes-want-2 || // trend and mean

			row.Task != c.task || strings.Join(row.Conditions, ", ") != names {
			t.Errorf("%s: %d regressors, %v degrees of freedom left, task %q of %q", c.task, row.Regressors, row.TEff, row.Task,
				row.Conditions)
		}
	}
}

// The timing of the events stands in quality, which the cautions on milliseconds and minutes read.
func TestDenoiseTimingOfEvents(t *testing.T) {
	const volumes = 100
	for text, want := range map[string]string{
		"onset\tduration\n10\t50\n40\t170\n70\t50\n": "2 1 0.95", "onset\tduration\n10\t2\n11\t2\n": "1 0 NaN",
		"onset\tduration\n0.1\t0.1\n0.4\t0.1\n2\t0\n": "0 0 0.0095",
	} {
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Task = "spm"
		out, err := stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(2, volumes, 3)),
			"scan": dag.InputOf(scanOf(2)), "events": dag.InputOf(tsv(text))})
		need.NoError(t, err)
		row := stagetest.Sure(column.Rows[column.CleaningRow](out["quality"].(*encoding.Table)))[0]
		need.Equal(t, fmt.Sprintf("%d %d %.6g", row.OverlappingEvents, row.EventsCut, row.EventsSpan), want, text)
	}
}

// Events that stay in are named; a table that would not do for task regression is no error then.
func TestDenoiseTaskStaysIn(t *testing.T) {
	for text, want := range map[string]string{goAndStop: "go, stop", "onset\tduration\ttrial_type\n": "", "onset\tduration\ttrial_type\nn/a\tn/a\tfilm\n": "film", "no table": ""} {
		out, err := stagetest.RunWith(stagetest.NewStage[*Denoise](t, "denoise"),
			map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, 60, 3)), "events": dag.InputOf(tsv(text))})
		need.NoError(t, err)
		if row := stagetest.Sure(column.Rows[column.CleaningRow](
			out["quality"].(*encoding.Table)))[0]; strings.Join(row.Conditions, ", ") != want ||
			row.Task == "none" != (want != "") || row.Regressors != 0 {
			t.Errorf("task %q of %q, want %q", row.Task, row.Conditions, want)
		}
	}
}

func TestDenoiseTaskRefuses(t *testing.T) {
	const exclude = "; or exclude this participant (exclude, under cohort)"
	for _, c := range []struct {
		events, sidecar string
		change          func(*Denoise)
		want            string
	}{
		{"", "{}", nil, "series[sub-1]: task: spm needs the events of the scan, which has none: add its table of events (a note of the cohort has the file name), connect events (in: { events: cohort.events }), or set task: none" + exclude},
		{"onset\ttrial_type\n1\ta\n", "{}", nil, "events.tsv: events need the columns onset and duration, in s; it has onset, trial_type" + exclude},
		{"onset\tduration\ttrial_type\n1\t2\ta\n3\tn/a\tb\n", "{}", nil, "events.tsv:3: the duration is n/a, which is not a number in s" + exclude},
		{goAndStop, "{}", func(s *Denoise) { s.Conditions = []string{"Go"} }, "events.tsv: no event of the conditions [Go]; it has [go, stop]" + exclude},
		{"onset\tduration\ttrial_type\n1\t2\tn/a\n3\t1\tn/a\n", "{}", nil, "events.tsv: no event has a condition: the trial_type is n/a in all 2 rows; name the conditions in trial_type, or remove that column"},
		{"onset\tduration\ttrial_type\n1\t2\tgo\n3\t1\tstop\n5\t1\tGo\n", "{}", nil, "events.tsv:4: the trial_type is \"Go\", and \"go\" above: conditions that differ in case only are probably one"},
		{"onset\tduration\n4000\t2000\n", "{}", nil, "events.tsv: none of 1 event lies within the scan, which takes 120 s; the onsets range from 4000 to 4000, and must be in s from the first volume: are they in milliseconds or in samples, or is this the table of another run? Correct the table" + exclude},
		{"onset\tduration\n0\t500\n4000\t500\n9000\t500\n", "{}", nil, "events.tsv: only 1 of 3 events lies within the scan, which takes 120 s; the onsets range from 0 to 9000"},
		{"onset\tduration\n10\t2000\n40\t120\n70\t2500\n", "{}", nil, "events.tsv: the duration of 2 of 3 events is longer than the scan, which takes 120 s; the longest is 2500, and durations must be in s: are they in milliseconds or in samples? Correct the table" + exclude},
		{"onset\tduration\n1\t2\n3\t-1\n", "{}", nil, "events.tsv:3: the duration is -1 s; it must be at least 0" + exclude},
		{"onset\tduration\n1\t2\nNaN\t1\n", "{}", nil, "events.tsv:3: the onset is n/a, which is not a number in s" + exclude},
		{goAndStop, `{"StartTime": 980}`, nil, "bold.json: a StartTime of 980 s; it must be within the repetition time, 2 s"},
		{goAndStop, "{}", func(s *Denoise) { s.Task, s.After = "fir", 60 }, "events.tsv: no degrees of freedom are left"},
	} {
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Task = "spm"
		if c.change != nil {
			c.change(s)
		}
		in := map[string]dag.Input{"series": stagetest.Named("series[sub-1]", stagetest.Series(1, 60, 3)),
			"scan":    dag.InputOf(scanOf(2)),
			"sidecar": stagetest.Named("bold.json", startTime(c.sidecar))}
		if c.events != "" {
			in["events"] = stagetest.Named("events.tsv", tsv(c.events))
		}
		if _, err := stagetest.RunWith(s, in); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("error %v\nwant  %s", err, c.want)
		}
	}
	s := stagetest.NewStage[*Denoise](t, "denoise")
	if s.Conditions = []string{"go"}; len(s.Validate()) != 1 {
		t.Error("conditions without a task are accepted")
	}
}
