package windows

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/connectivity/dynamic"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/prepare"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

// windowed makes the windows of a scan of 120 volumes, 2 s each.
func windowed(t *testing.T, regress string, change func(s *SlidingWindows, in map[string]dag.Input)) (dag.Outputs,
	error) {
	t.Helper()
	const volumes = 120
	d := stagetest.NewStage[*prepare.Denoise](t, "denoise")
	d.Regress, d.FD, d.MinMinutes = regress, 0.5, 1
	clean, err := stagetest.RunWith(d, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, volumes, 5)),
		"scan":      dag.InputOf(encoding.NewTable(encoding.Column{Name: "tr", Values: []float64{2}})),
		"confounds": dag.InputOf(stagetest.Confounds(volumes))})
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]dag.Input{"series": dag.InputOf(clean["series"]), "quality": dag.InputOf(clean["quality"]),
		"volumes": dag.InputOf(clean["volumes"])}
	s := stagetest.NewStage[*SlidingWindows](t, "windows")
	change(s, in)
	return stagetest.RunWith(s, in)
}

// A parameter tr contradicts no repetition time of the scan.
func TestWindowsTime(t *testing.T) {
	_, err := windowed(t, "6P", func(s *SlidingWindows, _ map[string]dag.Input) { s.TR = 3 })
	need.Error(t, err, "the repetition time of the scan is 2 s (column tr), but the parameter tr is 3 s: remove tr (tr: 0)")
	_, err = windowed(t, "6P", func(s *SlidingWindows, _ map[string]dag.Input) { s.TR = 2 })
	need.NoError(t, err)
	for _, tr := range []float64{0, 2} { // of joined runs with several
		_, err = windowed(t, "6P", func(s *SlidingWindows, in map[string]dag.Input) {
			table := stagetest.Sure(in["quality"].Table())
			rows := stagetest.Sure(column.Rows[column.CleaningRow](table))
			rows[0].TR, s.TR = math.NaN(), tr
			in["quality"] = dag.InputOf(column.WithMeta(column.Table(rows),
				map[string]string{"made": table.Meta["made"], column.RunTimes: "[2,1]"}))
		})
		need.Error(t, err, "a window in s needs one repetition time, but the joined runs have 1 and 2 s: join runs with one repetition time only")
	}
}

// Windows are those of package dynamic within the kept volumes, with 3 and 4 censored; variability is their standard
// deviation.
func TestWindows(t *testing.T) {
	var x connectivity.Matrix
	out, err := windowed(t, "6P", func(s *SlidingWindows, in map[string]dag.Input) {
		a := stagetest.Sure(in["series"].Array())
		x = connectivity.Matrix{Rows: a.Shape[1], Cols: a.Shape[2], Data: a.Float64s()}
	})
	if err != nil {
		t.Fatal(err)
	}
	weights, flank, _ := dynamic.Weights(dynamic.Gaussian, 30, 3)
	want := dynamic.Windows([]connectivity.Segment{{From: 0, To: 3}, {From: 3, To: 118}}, weights, flank, 2)
	a := out["windows"].(*encoding.Array)
	if len(want) != 43 || !slices.Equal(a.Shape, []int{43, 10}) {
		t.Fatalf("%d windows, shape %v", len(want), a.Shape)
	}
	list := out["list"].(*encoding.Table)
	first, start := stagetest.Sure(list.Ints("first")), stagetest.FloatsOf(t, list, "start")
	sum, square := make([]float64, 10), make([]float64, 10)
	e := dynamic.NewEstimator(make([]connectivity.Status, 5), false)
	for i, w := range want {
		z := stagetest.Sure(e.Estimate(x, w))
		for k, v := range z {
			if got := a.Float64s()[i*10+k]; math.Abs(got-v) > 1e-6 {
				t.Fatalf("window %d, pair %d: %v, want %v", i+1, k, got, v)
			}
			sum[k], square[k] = sum[k]+v, square[k]+v*v
		}
		if int(first[i]) != w.First+1 || start[i] != 2*float64(w.First) {
			t.Errorf("window %d: volume %d at %v s", i+1, first[i], start[i])
		}
	}
	v, pair := out["variability"].(*encoding.Array).Float64s(), 0
	for i := range 5 {
		for j := i + 1; j < 5; j++ {
			sd := math.Sqrt((square[pair] - sum[pair]*sum[pair]/43) / 42)
			if math.Abs(v[i*5+j]-sd) > 1e-9 || v[j*5+i] != v[i*5+j] || v[i*5+i] != 0 {
				t.Errorf("variability of %d and %d: %v, want %v", i+1, j+1, v[i*5+j], sd)
			}
			pair++
		}
	}
	if w := stagetest.ColumnOf(t, out["quality"], "seconds"); w != 60 {
		t.Errorf("windows of %v s", w)
	}
}

// A window shorter than 1/f of the high-pass filter warns (Leonardi & Van De Ville 2015), and a short scan.
func TestWindowsWarn(t *testing.T) {
	highPass := func(f float64) func(s *SlidingWindows, in map[string]dag.Input) {
		return func(s *SlidingWindows, in map[string]dag.Input) {
			table := stagetest.Sure(in["quality"].Table())
			table.Meta = map[string]string{"made": fmt.Sprintf(`{"denoise.filter":"butterworth","denoise.high_pass":%v}`, f)}
			s.Width, in["quality"] = 40, dag.InputOf(table)
		}
	}
	for _, c := range []struct {
		change func(s *SlidingWindows, in map[string]dag.Input)
		want   string
	}{
		{highPass(0.01), `[{"code":"windows.short","weight":"limits","numbers":{"HighPass":0.01,"Period":100,"Seconds":40}}]`},
		{highPass(0.025), ""},
		{func(s *SlidingWindows, _ map[string]dag.Input) { s.Width = 60 }, `[{"code":"windows.no-high-pass","weight":"limits",` +
			`"numbers":{"Seconds":60}},{"code":"windows.few","weight":"limits","numbers":{"Least":5,"Seconds":60}}]`},
	} {
		out, err := windowed(t, "6P", c.change)
		need.NoError(t, err)
		need.Equal(t, stagetest.Sure(out["quality"].(*encoding.Table).Strings("warning"))[0], c.want)
	}
	if f := highPassOf("denoise.filter = \"none\"\ndenoise.high_pass = 0", []string{"csf", "cosine00"}); f != 1.0/128 {
		t.Errorf("fMRIPrep's cosines: %v Hz", f)
	}
}

func TestWindowsRefuse(t *testing.T) {
	for _, c := range []struct {
		change func(s *SlidingWindows, in map[string]dag.Input)
		want   string
	}{
		{func(_ *SlidingWindows, in map[string]dag.Input) { delete(in, "volumes") }, "2 of 120 volumes were left out: connect volumes"},
		{func(s *SlidingWindows, _ map[string]dag.Input) { s.Width = 236 }, "0 windows of 118 volumes (236 s) in 2 segments without a gap"},
		{func(s *SlidingWindows, _ map[string]dag.Input) { s.Width = 4 }, "a width of 4 s is 2 volumes"},
		{func(_ *SlidingWindows, in map[string]dag.Input) {
			in["series"] = dag.InputOf(stagetest.Series(1, 100, 5))
		}, "keeps 118 volumes"},
	} {
		if _, err := windowed(t, "6P", c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	// Joined runs: no window crosses the end of one.
	type runVolumeRow struct {
		column.VolumeRow
		Run string `column:"run" doc:"the run of the volume"`
	}
	rows := make([]runVolumeRow, 40)
	for i := range rows {
		rows[i] = runVolumeRow{column.VolumeRow{Volume: int32(i + 1)}, []string{"1", "2"}[i/25]}
	}
	rows[3].LeftOut = "motion"
	task := dag.NewTask(map[string][]dag.Input{"volumes": {dag.InputOf(column.Table(rows))}})
	got, err := segmentsOf(task, &column.CleaningRow{}, 39)
	if want := []connectivity.Segment{{From: 0, To: 3}, {From: 3, To: 24}, {From: 24, To: 39}}; err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("segments %v (%v), want %v", got, err, want)
	}
}

// manyWindows are windows of four participants in two states of three regions.
func manyWindows(t *testing.T) map[string][]dag.Input {
	t.Helper()
	in := map[string][]dag.Input{}
	var members []fold.Member
	for p := range 4 {
		id := fmt.Sprintf("sub-%d", p+1)
		members = append(members, fold.Member{ID: id, Group: []string{"A", "B"}[p%2], Repeat: 1, Fold: int32(1 + p/2)})
		var z []float64
		var rows []windowRow
		for w := range 12 {
			sign := float64(1 - 2*(w/(3+p)%2)) // visits of 3 + p windows
			for k := range 3 {
				z = append(z, sign*(1+float64(k)/4)+0.01*float64((w*7+k*3+p)%5))
			}
			rows = append(rows,
				windowRow{Window: int32(w + 1), Start: 4 * float64(w), Begins: w == 0, Exemplar: w%2 == 0})
		}
		of := func(name string, v artifacts.Value) dag.Input {
			one := stagetest.Named(name, v)
			one.Coords = []dag.Coord{{Axis: "subject", Value: id}}
			return one
		}
		in["windows"] = append(in["windows"], of("windows "+id, region.Float32(z, 12, 3)))
		list := column.WithMeta(column.Table(rows), map[string]string{"made": "m"})
		in["list"] = append(in["list"], of("list "+id, list))
	}
	in["folds"] = []dag.Input{dag.InputOf(column.Table(members))}
	return in
}

// States are those of package dynamic; with folds, windows of a test participant move nothing, and the metadata name
// the training participants.
func TestStatesOfTrainingParticipants(t *testing.T) {
	in := manyWindows(t)
	s := stagetest.NewStage[*States](t, "states")
	s.States = 2
	fit := func(in map[string][]dag.Input) *encoding.Table {
		return stagetest.MustRun(t, s, in)["fitted"].(*encoding.Table)
	}
	two := fit(in)
	if got := two.Meta["participants"]; got != `["sub-3","sub-4"]` {
		t.Errorf("fold 1 was fitted to %s", got)
	}
	z := stagetest.FloatsOf(t, two, "z")
	if len(z) != 6 || z[0]*z[3] > -0.9 {
		t.Errorf("states %v, want two of opposite sign", z)
	}
	other := manyWindows(t)
	for p := range 2 { // of the test participants, numbers without sense
		moved := stagetest.Named("windows", region.Float32(slices.Repeat([]float64{float64(100 + p)}, 36), 12, 3))
		moved.Coords = in["windows"][p].Coords
		other["windows"][p] = moved
	}
	if got := stagetest.FloatsOf(t, fit(other), "z"); !slices.Equal(got, z) {
		t.Errorf("windows of test participants change the states: %v, want %v", got, z)
	}
	s.Fold = 2
	if got := fit(in).Meta["participants"]; got != `["sub-1","sub-2"]` {
		t.Errorf("fold 2 was fitted to %s", got)
	}
	s.Windows = "all"
	if fit := stagetest.MustRun(t, s, in)["fit"]; stagetest.ColumnOf(t, fit, "windows") != 24 ||
		stagetest.ColumnOf(t, fit, "exemplars") != 12 {
		t.Errorf("fit %v", fit)
	}
	delete(in, "folds")
	if got := fit(in).Meta["participants"]; got != `["sub-1","sub-2","sub-3","sub-4"]` {
		t.Errorf("without folds fitted to %s", got)
	}
	in["list"][3].Coords = []dag.Coord{{Axis: "subject", Value: "sub-9"}}
	_, err := s.Run(t.Context(), dag.NewTask(in))
	if err == nil || !strings.Contains(err.Error(), "different participants") {
		t.Errorf("lists of others: %v", err)
	}
}

// A region that is 0 in all windows of a participant would make states of participants. Of test participants it does
// not matter: no state is fitted to them.
func TestStatesRefuseRegionsWithoutSignal(t *testing.T) {
	in := manyWindows(t)
	s := stagetest.NewStage[*States](t, "states")
	s.States = 2
	flat := func(participant int, all bool) {
		var z []float64
		for w := range 12 {
			z = append(z, 0, 0.5+0.01*float64(w), 0) // region 2 lacks both of its pairs
		}
		if !all {
			z[0] = 0.1
		}
		one := stagetest.Named(in["windows"][participant].Name, region.Float32(z, 12, 3))
		one.Coords = in["windows"][participant].Coords
		in["windows"][participant] = one
	}
	flat(0, true) // tested
	flat(3, false)
	stagetest.MustRun(t, s, in)
	flat(2, true)
	flat(3, true)
	_, err := stagetest.RunStage(t, s, in)
	need.Error(t, err, "leave these regions out (regions: shared), or these participants (exclude, under cohort): windows sub-3: region 2, windows sub-4: region 2")

	// Left out, the states are those of the other pair alone.
	s.Regions = "shared"
	out := stagetest.MustRun(t, s, in)
	warning := stagetest.Sure(out["fit"].(*encoding.Table).Strings("warning"))[0]
	if want := `[{"code":"states.shared-regions","weight":"limits","numbers":{"All":3,"Participants":2,"Regions":[2],"Shared":2}}]`; warning != want {
		t.Errorf("warning %q, want %q", warning, want)
	}
	z := stagetest.FloatsOf(t, out["fitted"], "z")
	for pair, missing := range []bool{true, false, true, true, false, true} {
		if math.IsNaN(z[pair]) != missing {
			t.Errorf("entry %d of the states: %v", pair+1, z[pair])
		}
	}
	one := map[string]dag.Input{"windows": in["windows"][1], "list": in["list"][1],
		"fitted": dag.InputOf(out["fitted"]), "quality": dag.InputOf(column.Table([]windowsRow{{Step: 4}}))}
	spent := stagetest.Sure(stagetest.RunWith(&Occupancy{}, one))
	x := stagetest.Sure(in["windows"][1].Array()).Float64s()
	for w, state := range stagetest.Sure(spent["sequence"].(*encoding.Table).Ints("state")) {
		near := 1
		if math.Abs(x[w*3+1]-z[4]) < math.Abs(x[w*3+1]-z[1]) { // the pair of regions 1 and 3
			near = 2
		}
		if int(state) != near {
			t.Errorf("window %d is in state %d, want %d", w+1, state, near)
		}
	}
	one["windows"], one["list"] = in["windows"][0], in["list"][0] // lacks region 2 itself
	stagetest.Sure(stagetest.RunWith(&Occupancy{}, one))
}

// By hand: visits of three windows, 4 s apart.
func TestOccupancy(t *testing.T) {
	in := manyWindows(t)
	s := stagetest.NewStage[*States](t, "states")
	s.States = 2
	fitted := stagetest.MustRun(t, s, in)["fitted"]
	one := map[string]dag.Input{"windows": in["windows"][0], "list": in["list"][0], "fitted": dag.InputOf(fitted),
		"quality": dag.InputOf(column.Table([]windowsRow{{Step: 4}}))}
	out, err := stagetest.RunWith(&Occupancy{}, one)
	if err != nil {
		t.Fatal(err)
	}
	m := out["measures"]
	for name, want := range map[string][]float64{"fraction": {0.5, 0.5}, "dwell": {12, 12}} {
		if got := stagetest.FloatsOf(t, m, name); !slices.Equal(got, want) {
			t.Errorf("%s %v, want %v", name, got, want)
		}
	}
	// + + + − − − + + + − − −: of 11 steps two of three stay; the last window has no next.
	from := stagetest.Sure(m.(*encoding.Table).Ints("visits"))
	if !slices.Equal(from, []int64{2, 2}) {
		t.Errorf("visits %v", from)
	}
	f := out["features"].(*encoding.Array)
	first := f.Float64s()[:4]
	if !slices.Equal(f.Shape, []int{1, 2, 4}) || first[0] != 0.5 || first[1] != 12 ||
		math.Abs(first[2]+first[3]-1) > 1e-15 {
		t.Errorf("features %v %v", f.Shape, f.Float64s())
	}
	table := stagetest.Sure(one["list"].Table())
	changed := stagetest.Named("list", column.WithMeta(&encoding.Table{Columns: table.Columns},
		map[string]string{"made": `{"windows.width":9}`}))
	changed.Coords = one["list"].Coords
	one["list"] = changed
	_, err = stagetest.RunWith(&Occupancy{}, one)
	if err == nil || !strings.Contains(err.Error(), "made differently") {
		t.Errorf("windows of another width: %v", err)
	}
}
