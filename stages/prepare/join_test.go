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

// ofRun is an input of a participant's run.
func ofRun(who, run string, v artifacts.Value) dag.Input {
	in := stagetest.Named(who+" run "+run, v)
	in.Coords = []dag.Coord{{Axis: "subject", Value: who}, {Axis: "run", Value: run}}
	return in
}

// cleanRuns cleans runs of different length and level.
func cleanRuns(t *testing.T, change func(run int, s *Denoise)) (series, quality, volumes []dag.Input) {
	t.Helper()
	for i, long := range []int{60, 90} {
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Regress = "none"
		if change != nil {
			change(i, s)
		}
		x := stagetest.Series(3, 150, 5)
		v := x.Float64s()
		var part []float64
		for d := range 3 {
			part = append(part, v[(d*150+60*i)*5:][:long*5]...)
		}
		for k := range part {
			part[k] = part[k]*float64(1+i) + float64(500*i)
			if i == 1 && k%5 == 4 {
				part[k] = math.NaN() // the second run lacks the fifth region
			}
		}
		out, err := s.Run(t.Context(), dag.NewTask(map[string][]dag.Input{
			"series": {dag.InputOf(encoding.NewArray(part, 3, long, 5))}, "scan": {dag.InputOf(scanOf(2))},
			"confounds": {dag.InputOf(stagetest.Confounds(long))}}))
		need.NoError(t, err)
		series = append(series, ofRun("sub-1", []string{"1", "2"}[i], out["series"]))
		quality = append(quality, ofRun("sub-1", []string{"1", "2"}[i], out["quality"]))
		volumes = append(volumes, ofRun("sub-1", []string{"1", "2"}[i], out["volumes"]))
	}
	return series, quality, volumes
}

// Joined series are those of the cleaned runs, one after the other; their correlation
// is the mean of the runs' weighted by their length, for each has mean 0 and standard
// deviation 1 (ddof 1): r = Σ (nᵢ−1) rᵢ / Σ (nᵢ−1).
func TestJoin(t *testing.T) {
	series, quality, _ := cleanRuns(t, func(_ int, s *Denoise) { s.Regress = "6P" })
	out, err := stagetest.NewStage[*Join](t, "join").Run(t.Context(),
		dag.NewTask(map[string][]dag.Input{"series": series, "quality": quality}))
	need.NoError(t, err)
	joined := out["series"].(*encoding.Array)
	if want := []int{3, 150, 5}; !slices.Equal(joined.Shape, want) {
		t.Fatalf("shape %v, want %v", joined.Shape, want)
	}
	v := joined.Float64s()
	for d := range 3 {
		var parts [2][]float64
		for i, n := range []int{60, 90} {
			parts[i] = stagetest.Sure(series[i].Array()).Float64s()[d*n*5:][:n*5]
		}
		at := d * 150 * 5
		want := append(slices.Clone(parts[0]), parts[1]...)
		for k := range want {
			if k%5 == 4 {
				want[k] = math.NaN()
			}
			if got := v[at+k]; got != want[k] && !(math.IsNaN(got) && math.IsNaN(want[k])) {
				t.Fatalf("draw %d, value %d: %v, want %v", d, k, got, want[k])
			}
		}
		r := func(x []float64) float64 { // of the first two regions
			sum := [3]float64{}
			for k := 0; k < len(x); k += 5 {
				a, b := x[k], x[k+1]
				sum[0], sum[1], sum[2] = sum[0]+a*b, sum[1]+a*a, sum[2]+b*b
			}
			return sum[0] / math.Sqrt(sum[1]*sum[2])
		}
		if got, want := r(v[at:at+750]), (59*r(parts[0])+89*r(parts[1]))/148; math.Abs(got-want) > 1e-12 {
			t.Errorf("draw %d: r = %v, want %v", d, got, want)
		}
	}
	// 60 + 90 volumes, less 6 regressors and a slope of each run, and the second mean.
	for name, want := range map[string]float64{"volumes": 150, "kept": 150, "regressors": 12, "trend": 3,
		"t_eff": 134, "tr": 2, "missing": 1, "high_fd": 4, "max_fd": 0.75,
		"mean_fd": (59*0.25 + 2*0.5 + 89*0.25 + 2*0.5) / 148} {
		if got := stagetest.ColumnOf(t, out["quality"], name); math.Abs(got-want) > 1e-3 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := stagetest.Sure(out["runs"].(*encoding.Table).Strings("run")); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("runs %q", got)
	}
	need.Equal(t, out["quality"].(*encoding.Table).Meta[column.JoinedRuns], `["1","2"]`)
	if _, err := connectivity.Inspect(connectivity.Matrix{Rows: 150, Cols: 5, Data: v[:750]}); err != nil {
		t.Error(err)
	}
}

// One run joined is that run.
func TestJoinOfOneRun(t *testing.T) {
	series, quality, _ := cleanRuns(t, nil)
	out, err := stagetest.NewStage[*Join](t, "join").Run(t.Context(),
		dag.NewTask(map[string][]dag.Input{"series": series[:1], "quality": quality[:1]}))
	need.NoError(t, err)
	if !slices.Equal(stagetest.Encoded(t, out["series"]), stagetest.Encoded(t, stagetest.Sure(series[0].Array()))) {
		t.Error("the series are not those of the run")
	}
	if !slices.Equal(stagetest.Encoded(t, out["quality"]), stagetest.Encoded(t, stagetest.Sure(quality[0].Table()))) {
		t.Error("the quality is not that of the run")
	}
}

// Repetition times of runs that differ are listed, and the joined series has none.
func TestJoinOfDifferentTimes(t *testing.T) {
	for _, c := range []struct {
		times [2]float64 // NaN: unknown
		tr    float64
		want  string
	}{{[2]float64{2, 2}, 2, ""}, {[2]float64{2, 2.0001}, 2, ""}, {[2]float64{2, 0.8}, math.NaN(), "[2,0.8]"},
		{[2]float64{2, math.NaN()}, math.NaN(), ""}, {[2]float64{math.NaN(), 2}, math.NaN(), ""}} {
		series, quality, _ := cleanRuns(t, nil)
		for i, in := range quality {
			table := stagetest.Sure(in.Table())
			row := stagetest.Sure(column.Rows[column.CleaningRow](table))
			row[0].TR = c.times[i]
			quality[i] = ofRun("sub-1", []string{"1", "2"}[i], column.WithMeta(column.Table(row), table.Meta))
		}
		out, err := stagetest.NewStage[*Join](t, "join").Run(t.Context(),
			dag.NewTask(map[string][]dag.Input{"series": series, "quality": quality}))
		need.NoError(t, err)
		need.Equal(t, out["quality"].(*encoding.Table).Meta[column.RunTimes], c.want)
		need.Equal(t, fmt.Sprint(stagetest.ColumnOf(t, out["quality"], "tr")), fmt.Sprint(c.tr))
	}
}

// Events of runs add up. Runs without a model of events add none.
func TestJoinEvents(t *testing.T) {
	nan := math.NaN()
	row := func(events, inside float64) column.CleaningRow {
		return column.CleaningRow{Events: events, EventsInside: inside, RepeatedEvents: 1, OverlappingEvents: 3,
			EventsCut: 2, EventsSpan: inside / 100}
	}
	for _, c := range []struct {
		runs         []column.CleaningRow
		events, with float64
		least        float64
	}{
		{[]column.CleaningRow{row(nan, nan), row(30, 29), row(10, 10)}, 40, 39, 0.1},
		{[]column.CleaningRow{row(30, 29), row(nan, nan)}, 30, 29, 0.29}, {[]column.CleaningRow{row(nan, nan)},
			nan, nan, nan},
	} {
		w := (&runQuality{runs: c.runs}).whole(0)
		need.Equal(t, fmt.Sprint(w.Events, w.EventsInside), fmt.Sprint(c.events, c.with))
		n := len(c.runs)
		need.Equal(t, fmt.Sprint(w.RepeatedEvents, w.OverlappingEvents, w.EventsCut), fmt.Sprint(n, 3*n, 2*n))
		need.Equal(t, fmt.Sprint(w.EventsSpan), fmt.Sprint(c.least))
	}
}

func TestJoinRefuses(t *testing.T) {
	series, quality, _ := cleanRuns(t, nil)
	_, rough, _ := cleanRuns(t, func(run int, s *Denoise) { s.Detrend = run })
	levels, level, _ := cleanRuns(t, func(_ int, s *Denoise) { s.Detrend, s.Standardize = -1, "none" })
	other := slices.Clone(series)
	other[1] = ofRun("sub-2", "2", stagetest.Sure(series[1].Array()))
	for _, c := range []struct {
		name            string
		series, quality []dag.Input
		min             int
		want            string
	}{
		{"two participants", other, quality, 0, "belong to two participants"},
		{"a run twice", []dag.Input{series[0], series[0]}, []dag.Input{quality[0], quality[0]}, 0, "appears twice"},
		{"other runs", series, quality[1:], 0, "have different runs or sessions"},
		{"changed places", series, []dag.Input{ofRun("sub-1", "1", stagetest.Sure(quality[1].Table())),
			ofRun("sub-1", "2", stagetest.Sure(quality[0].Table()))}, 0, "connect series and quality of one stage"},
		{"cleaned otherwise", series, rough, 0, "denoise.detrend is 1, not 0"},
		{"levels kept", levels, level, 0, "which would look like correlation"},
		{"too short", series, quality, 151, "150 volumes are kept in 2 runs, fewer than min_volumes (151)"},
	} {
		s := stagetest.NewStage[*Join](t, "join")
		s.MinVolumes = c.min
		_, err := s.Run(t.Context(), dag.NewTask(map[string][]dag.Input{"series": c.series, "quality": c.quality}))
		need.Error(t, err, c.want, c.name)
	}
}

// Runs that one option of a decision cleaned have its axis, and what comes before the decision does not.
func TestJoinUnderDecision(t *testing.T) {
	part := func(coords ...string) (in dag.Input) {
		for i := 0; i < len(coords); i += 2 {
			in.Coords = append(in.Coords, dag.Coord{Axis: coords[i], Value: coords[i+1]})
		}
		return in
	}
	series := []dag.Input{part("clean", "24P", "session", "1", "subject", "a"), part("clean", "24P", "session",
		"2", "subject", "a")}
	need.NoError(t, sameParts(series, series, []dag.Input{part("session", "1", "subject", "a"), part("session",
		"2", "subject", "a")}))
	for _, other := range [][]dag.Input{
		{part("session", "1", "subject", "a"), part("session", "3", "subject", "a")},
		{part("clean", "24P", "session", "1", "subject", "a"), part("clean", "scrub", "session", "2", "subject", "a")},
		{part("subject", "a"), part("subject", "a")},
	} {
		need.Error(t, sameParts(series, other), "have different runs or sessions")
	}
}

// min_minutes is on all runs together, of which any volume is censored: 146 volumes of 2 s are 4.9 minutes, though
// neither run has 4. What the files tell before a run is the same.
func TestJoinMinutes(t *testing.T) {
	for _, c := range []struct {
		fd, least float64
		want      string
	}{
		{0.5, 4, ""},
		{0.5, 5, "censoring for motion keeps 146 of 150 volumes in 2 runs, 4.9 minutes, less than min_minutes (5): censor fewer volumes (fd, dvars), or lower min_minutes"},
		{0.5, 0, ""},
		{0, 6, ""}, // nothing is censored
	} {
		series, quality, _ := cleanRuns(t, func(_ int, s *Denoise) { s.FD, s.MinMinutes = c.fd, 0 })
		s := stagetest.NewStage[*Join](t, "join")
		s.MinMinutes = c.least
		_, err := s.Run(t.Context(), dag.NewTask(map[string][]dag.Input{"series": series, "quality": quality}))
		var runs []column.CleaningRow
		for i, long := range []int{60, 90} {
			clean := stagetest.NewStage[*Denoise](t, "denoise")
			clean.Regress, clean.FD, clean.MinMinutes = "none", c.fd, 0
			files := map[string]dag.Input{"confounds": dag.InputOf(stagetest.Confounds(long))}
			row := need.Value(clean.Refuses(long, 2, files))(t)
			need.Equal(t, row.Kept, stagetest.Sure(column.One[column.CleaningRow](quality[i])).Kept, "volumes that are kept")
			runs = append(runs, row)
		}
		before := s.RefusesJoined(runs)
		if c.want == "" {
			need.NoError(t, err)
			need.NoError(t, before)
			continue
		}
		need.Error(t, err, c.want+column.OrExclude, "the task")
		need.Error(t, before, c.want, "before a run")
	}
}

// The volumes of all runs are those of each, counted on and with the run's name.
func TestJoinVolumes(t *testing.T) {
	series, quality, volumes := cleanRuns(t, nil)
	join := func(volumes []dag.Input) (dag.Outputs, error) {
		return stagetest.NewStage[*Join](t, "join").Run(t.Context(),
			dag.NewTask(map[string][]dag.Input{"series": series, "quality": quality, "volumes": volumes}))
	}
	out, err := join(volumes)
	need.NoError(t, err)
	got, err := column.Rows[runVolumeRow](out["volumes"].(*encoding.Table))
	if err != nil || len(got) != 150 {
		t.Fatalf("%d rows, want 150: %v", len(got), err)
	}
	second := stagetest.Sure(column.Read[column.VolumeRow](volumes[1]))
	for i, row := range got {
		want := runVolumeRow{Run: "1"}
		if i >= 60 {
			want.Run, want.FD = "2", second[i-60].FD
		} else {
			want.FD = stagetest.Sure(column.Read[column.VolumeRow](volumes[0]))[i].FD
		}
		if row.Volume != int32(i+1) || row.Run != want.Run || row.FD != want.FD &&
			!(math.IsNaN(row.FD) && math.IsNaN(want.FD)) {
			t.Fatalf("row %d: %+v, want run %s, FD %v", i, row, want.Run, want.FD)
		}
	}
	if _, err := join([]dag.Input{volumes[0], ofRun("sub-1", "2", column.Table(second[1:]))}); err == nil ||
		!strings.Contains(err.Error(), "connect volumes and quality of one stage") {
		t.Error(err)
	}
}
