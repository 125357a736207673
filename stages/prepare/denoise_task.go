package prepare

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/sheet"
)

// addTask adds the responses to the events of a task to the regressors. A scan whose events are there and stay in is
// told of in the row.
func (s *Denoise) addTask(t *dag.Task, volumes int, o *connectivity.Cleaning, row *column.CleaningRow) error {
	if !t.Has("events") {
		if s.Task != "none" {
			return fmt.Errorf("%s: task: %s needs the events of the scan, which has none: add its table of events (a note of the cohort has the file name), connect events (in: { events: cohort.events }), or set task: none%s", t.In("series").Name, s.Task, column.OrExclude)
		}
		return nil
	}
	in := t.In("events")
	events, err := s.events(in)
	task := connectivity.Task{Events: events, Response: connectivity.Response(s.Task), After: s.After, TR: o.TR}
	names := task.Conditions()
	switch {
	case s.Task == "none" && len(names) > 0:
		row.Task, row.Conditions = s.Task, names
		fallthrough
	case s.Task == "none": // what is wrong with events that are not used is of no matter
		return nil
	case err != nil:
		return fmt.Errorf("%w%s", err, column.OrExclude)
	}
	if !(o.TR > 0) {
		return fmt.Errorf("%s: %w", t.In("series").Name, column.TimeUnknown("the model of events"))
	}
	if t.Has("sidecar") {
		var sidecar struct{ StartTime float64 }
		if err := region.ReadJSON(t.In("sidecar"), &sidecar); err != nil {
			return err
		}
		if task.Start = sidecar.StartTime; !(task.Start >= 0 && task.Start < o.TR) {
			return fmt.Errorf("%s: a StartTime of %g s; it must be within the repetition time, %g s", t.In("sidecar").Name, task.Start, o.TR)
		}
	}
	x, err := task.Regressors(volumes)
	if err != nil {
		return fmt.Errorf("%s: %w%s", in.Name, err, column.OrExclude)
	}
	both := connectivity.NewMatrix(volumes, o.Regressors.Cols+x.Cols)
	for v := range volumes {
		if o.Regressors.Cols > 0 {
			copy(both.Row(v), o.Regressors.Row(v))
		}
		copy(both.Row(v)[o.Regressors.Cols:], x.Row(v))
	}
	o.Regressors, row.Task, row.Conditions = both, s.Task, names
	row.Events, row.EventsInside = float64(len(events)), float64(task.Inside(volumes))
	row.RepeatedEvents = int32(task.Repeated())
	timing := task.Timing(volumes)
	row.OverlappingEvents, row.EventsCut = int32(timing.Overlapping), int32(timing.Cut)
	if len(events) >= 3 {
		row.EventsSpan = timing.Span
	}
	return nil
}

// events reads the events of the conditions that are taken. A row whose trial_type is n/a is of no condition; a table
// without that column has one condition.
func (s *Denoise) events(in dag.Input) ([]connectivity.Event, error) {
	b, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	table, err := sheet.Read(bytes.NewReader(b), in.Name)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"onset", "duration"} {
		if !slices.Contains(table.Columns, name) {
			return nil, fmt.Errorf("%s: events need the columns onset and duration, in s; it has %s", in.Name, strings.Join(table.Columns, ", "))
		}
	}
	onset, _ := table.Column("onset")
	duration, _ := table.Column("duration")
	kind, named := table.Column("trial_type")
	number := func(row int, name, text string) (float64, error) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("%s:%d: the %s is %s, which is not a number in s", in.Name, table.Lines[row], name, cmp.Or(text, "n/a"))
		}
		return v, nil
	}
	var events []connectivity.Event
	var have []string
	conditions := lists.Map(s.Conditions, func(name string) string {
		whole, _ := cell.Whole(name)
		return whole
	})
	for i := range table.Rows {
		e := connectivity.Event{Condition: "event"}
		if named {
			e.Condition, _ = cell.Whole(kind[i])
		}
		if e.Condition != "" && !slices.Contains(have, e.Condition) {
			alike := slices.IndexFunc(have, func(other string) bool { return strings.EqualFold(other, e.Condition) })
			if alike >= 0 && len(conditions) == 0 {
				return nil, fmt.Errorf("%s:%d: the trial_type is %q, and %q above: conditions that differ in case only are probably one; write them alike, or choose the conditions",
					in.Name, table.Lines[i], e.Condition, have[alike])
			}
			have = append(have, e.Condition)
		}
		if len(conditions) == 0 && cell.DoubtOf(e.Condition) == cell.Mark {
			return nil, fmt.Errorf("%s:%d: the trial_type is %q, which may be a missing value: write n/a, or choose the conditions", in.Name, table.Lines[i], e.Condition)
		}
		if e.Condition == "" || len(conditions) > 0 && !slices.Contains(conditions, e.Condition) {
			continue
		}
		if s.Task == "none" {
			events = append(events, e)
			continue
		}
		if e.Onset, err = number(i, "onset", onset[i]); err != nil {
			return nil, err
		}
		if e.Duration, err = number(i, "duration", duration[i]); err != nil {
			return nil, err
		}
		if e.Duration < 0 {
			return nil, fmt.Errorf("%s:%d: the duration is %g s; it must be at least 0", in.Name, table.Lines[i], e.Duration)
		}
		events = append(events, e)
	}
	if events == nil && len(s.Conditions) == 0 {
		what := "it has no rows"
		if len(table.Rows) > 0 {
			what = fmt.Sprintf("the trial_type is n/a in all %s", words.Count(len(table.Rows), "row"))
		}
		return nil, fmt.Errorf("%s: no event has a condition: %s; name the conditions in trial_type, or remove that column to model all events as one condition", in.Name, what)
	}
	if events == nil {
		return nil, fmt.Errorf("%s: no event of the conditions [%s]; it has [%s]", in.Name, strings.Join(s.Conditions, ", "), strings.Join(have, ", "))
	}
	return events, nil
}
