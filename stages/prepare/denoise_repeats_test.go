package prepare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// The quality counts what a damaged series repeats, in draw 0 as it came in; of several runs the volumes add up.
func TestDenoiseCountsRepeats(t *testing.T) {
	const volumes, regions = 206, 4
	damages := map[string]struct {
		damage               func(x []float64)
		repeated, identicals int32
	}{
		"sound": {func([]float64) {}, 0, 0},
		"one volume from 101 to the end": {func(x []float64) {
			for v := 101; v < volumes; v++ {
				copy(x[v*regions:][:regions], x[100*regions:])
			}
		}, 105, 0},
		"volumes 11 to 20 again": {func(x []float64) {
			for v := 10; v < 30; v += 2 {
				copy(x[(v+1)*regions:][:regions], x[v*regions:])
			}
		}, 10, 0},
		"saved twice": {func(x []float64) { copy(x[103*regions:206*regions], x[:103*regions]) }, 103, 0},
		"region 3 is region 1": {func(x []float64) {
			for v := range volumes {
				x[v*regions+2] = x[v*regions]
			}
		}, 0, 1},
		"two constant regions": {func(x []float64) {
			for v := range volumes {
				x[v*regions+2], x[v*regions] = 7, 7
			}
		}, 0, 0},
		"only draw 1": {func(x []float64) { clear(x[(volumes+100)*regions:]) }, 0, 0},
	}
	var runs []dag.Input
	for name, c := range damages {
		x := stagetest.Series(2, volumes, regions).Float64s()
		c.damage(x)
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Regress = "none"
		out, err := stagetest.RunWith(s, map[string]dag.Input{"scan": dag.InputOf(scanOf(2)),
			"series": dag.InputOf(encoding.NewArray(x, 2, volumes, regions))})
		need.NoError(t, err)
		row := need.Value(column.Rows[column.CleaningRow](out["quality"].(*encoding.Table)))(t)[0]
		if row.RepeatedVolumes != c.repeated || row.RepeatedRegions != c.identicals {
			t.Errorf("%s: %d volumes and %d regions, want %d and %d", name, row.RepeatedVolumes, row.RepeatedRegions,
				c.repeated, c.identicals)
		}
		runs = append(runs, dag.InputOf(out["quality"]))
	}
	q := need.Value(readRuns(runs))(t)
	if w := q.whole(0); w.RepeatedVolumes != 218 || w.RepeatedRegions != 1 {
		t.Errorf("of all runs: %d volumes and %d regions, want 218 and 1", w.RepeatedVolumes, w.RepeatedRegions)
	}
}

// The quality counts marks of the steady state after the first volumes, and cosines that do not fit the scan.
func TestDenoiseChecksConfoundsAgainstScan(t *testing.T) {
	const volumes = 150
	run := func(length float64, marked ...int) column.CleaningRow {
		text := "cosine00\tcosine01\tnon_steady_state_outlier00\n"
		for v := range volumes {
			wave := func(k float64) float64 { return math.Cos(math.Pi * k * (float64(v-1) + 0.5) / length) }
			text += fmt.Sprintf("%g\t%g\t%d\n", wave(1), wave(2), map[bool]int{true: 1}[slices.Contains(marked, v)])
		}
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Regress, s.Columns = "none", []string{"cosine*"}
		out := need.Value(stagetest.RunWith(s, map[string]dag.Input{"scan": dag.InputOf(scanOf(2)),
			"series": dag.InputOf(stagetest.Series(1, volumes, 4)), "confounds": dag.InputOf(artifacts.Text(text))}))(t)
		return need.Value(column.Rows[column.CleaningRow](out["quality"].(*encoding.Table)))(t)[0]
	}
	fits, shifted, other := run(volumes-1, 0), run(volumes-1, 0, 60), run(300, 0)
	need.Equal(t, fmt.Sprint(fits.Cosines, fits.CosinesUsual, fits.OtherCosines, fits.NonSteadyLater), "2 3 0 0")
	need.Equal(t, fmt.Sprint(shifted.NonSteady, shifted.NonSteadyLater, shifted.OtherCosines), "2 1 0")
	need.Equal(t, other.OtherCosines, 2)
}

// Volumes far from all others are counted, those that nothing censors or regresses out; one that was not measured is
// refused. Of joined runs they count on.
func TestDenoiseListsFarVolumes(t *testing.T) {
	const volumes, regions = 60, 4
	run := func(damage func(x []float64), confounds string) (dag.Outputs, error) {
		x := stagetest.Series(1, volumes, regions).Float64s()
		for i := range x {
			x[i] += 1000
		}
		damage(x)
		text := "trans_x\t" + confounds + "\n"
		for v := range volumes {
			text += fmt.Sprintf("%g\t%d\n", float64(v%7), map[bool]int{true: 1}[v == 40])
		}
		s := stagetest.NewStage[*Denoise](t, "denoise")
		if s.Regress, s.ScanRun = "none", "2"; strings.HasPrefix(confounds, "motion_outlier") {
			s.Columns = []string{"motion_outlier*"}
		}
		return stagetest.RunWith(s, map[string]dag.Input{"scan": dag.InputOf(scanOf(2)),
			"series":    dag.InputOf(encoding.NewArray(x, 1, volumes, regions)),
			"confounds": dag.InputOf(artifacts.Text(text))})
	}
	times := func(volume int, by float64) func([]float64) {
		return func(x []float64) {
			for j := range regions {
				x[volume*regions+j] *= by
			}
		}
	}
	found := func(out dag.Outputs) string {
		row := need.Value(column.Rows[column.CleaningRow](out["quality"].(*encoding.Table)))(t)[0]
		return fmt.Sprint(row.FirstVolumes, row.FarVolumes)
	}
	need.Equal(t, found(need.Value(run(times(40, 3), "non_steady_state_outlier00"))(t)), "0 []")
	need.Equal(t, found(need.Value(run(times(40, 3), "motion_outlier00"))(t)), "0 []")
	first := need.Value(run(times(0, 1.6), "motion_outlier00"))(t)
	need.Equal(t, found(first), "1 []")
	far := need.Value(run(times(41, 1.6), "motion_outlier00"))(t)
	need.Equal(t, found(far), "0 [42]")
	_, err := run(times(41, 0), "motion_outlier00")
	need.Error(t, err, "0 in all regions in volume 42, far from all other volumes, so the scan is damaged there, and all correlations would be about 1: repair the scan, or give the confounds a column for each of these volumes that is 1 there and 0 elsewhere, such as motion_outlier00, and set columns: [\"motion_outlier*\"] in denoise; or exclude this participant")
	q := need.Value(readRuns([]dag.Input{dag.InputOf(first["quality"]), dag.InputOf(far["quality"])}))(t)
	if w := q.whole(0); w.FirstVolumes != 1 || fmt.Sprint(w.FarVolumes) != "[102]" {
		t.Errorf("of both runs: %d first volumes, and volumes %v", w.FirstVolumes, w.FarVolumes)
	}
}

// The quality has what the processing of a series left, from the first kept volume on; that of joined runs is the mean,
// of the runs where it is known.
func TestDenoiseHasFactsOfSeries(t *testing.T) {
	const volumes, regions = 60, 4
	run := func(volumes int, damage func(x []float64), marked bool) dag.Outputs {
		x := stagetest.Series(1, volumes, regions).Float64s()
		for i := range x {
			x[i] += 1000
		}
		damage(x)
		text := "non_steady_state_outlier00\n"
		for v := range volumes {
			text += fmt.Sprintf("%d\n", map[bool]int{true: 1}[marked && v == 0])
		}
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Regress, s.MinVolumes, s.MinDOF = "none", 1, 1
		return need.Value(stagetest.RunWith(s, map[string]dag.Input{"scan": dag.InputOf(scanOf(2)),
			"series":    dag.InputOf(encoding.NewArray(x, 1, volumes, regions)),
			"confounds": dag.InputOf(artifacts.Text(text))}))(t)
	}
	row := func(out dag.Outputs) column.CleaningRow {
		return need.Value(column.Rows[column.CleaningRow](out["quality"].(*encoding.Table)))(t)[0]
	}
	bright := func(x []float64) {
		for j := range regions {
			x[j] += 1000
		}
	}
	flat := func(x []float64) { // their mean is the same in all volumes
		for v := 0; v < len(x); v += regions {
			sum := 0.0
			for _, y := range x[v : v+regions] {
				sum += y
			}
			for j := range regions {
				x[v+j] += 1000 - sum/regions
			}
		}
	}
	sound := run(volumes, func([]float64) {}, false)
	first, dropped, global := run(volumes, bright, false), run(volumes, bright, true), run(volumes, flat, false)
	short := run(9, flat, false)
	for i, c := range []struct {
		is bool
		of column.CleaningRow
	}{
		{row(first).FirstDistance > 100 && row(first).FarDistance < 10, row(first)},
		{math.Abs(row(dropped).FirstDistance) < 10 && row(dropped).GlobalVariance < 0.5, row(dropped)},
		{row(first).GlobalVariance > 0.9 && row(global).GlobalVariance < 1e-9, row(global)},
		{row(sound).HighFrequency > 0.1 && row(sound).Standardized == 0 && row(sound).Interpolated == 0, row(sound)},
		{row(sound).SameValue == 0 && row(sound).LevelStep > 0 && row(sound).Unexplained > 0.1, row(sound)},
		{row(global).Unexplained < 1e-9 && math.IsNaN(row(short).Unexplained), row(global)},
		{math.IsNaN(row(short).GlobalVariance) && math.IsNaN(row(short).FirstDistance), row(short)},
	} {
		if !c.is {
			t.Errorf("%d: %+v", i, c.of)
		}
	}
	of := func(outs ...dag.Outputs) column.CleaningRow {
		in := lists.Map(outs, func(out dag.Outputs) dag.Input { return dag.InputOf(out["quality"]) })
		return need.Value(readRuns(in))(t).whole(0)
	}
	need.Equal(t, of(sound, first, short).FirstDistance, (row(sound).FirstDistance+row(first).FirstDistance)/2)
	need.Equal(t, math.IsNaN(of(short, short).HighFrequency), true)
	one, alone := of(sound), row(sound)
	for _, fact := range column.SeriesFacts {
		need.Equal(t, fmt.Sprint(*fact.Of(&one)), fmt.Sprint(*fact.Of(&alone)), fact.Name) // or unknown
	}
}

// The quality has how the mean of the regions goes with the global signal of the confounds; of joined runs that of the
// run with the least. Without the column it is unknown.
func TestDenoiseComparesGlobalSignal(t *testing.T) {
	const volumes, regions = 60, 24
	run := func(name string, shift int) dag.Input {
		x := stagetest.Series(1, volumes, regions).Float64s()
		text := name + "\n"
		for v := range volumes {
			sum := 0.0
			for _, y := range x[(v+shift)%volumes*regions:][:regions] {
				sum += y
			}
			text += fmt.Sprintf("%.17g\n", 900+10*sum)
		}
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Regress, s.MinDOF = "none", 1
		return dag.InputOf(need.Value(stagetest.RunWith(s, map[string]dag.Input{"scan": dag.InputOf(scanOf(2)),
			"series":    dag.InputOf(encoding.NewArray(x, 1, volumes, regions)),
			"confounds": dag.InputOf(artifacts.Text(text))}))(t)["quality"])
	}
	r := func(in ...dag.Input) float64 { return need.Value(readRuns(in))(t).whole(0).GlobalR }
	own, other, without := run("global_signal", 0), run("global_signal", 17), run("csf", 0)
	if !(r(own) > 0.999) || !(math.Abs(r(other)) < 0.5) || !math.IsNaN(r(without)) {
		t.Errorf("own %g, of other volumes %g, without the column %g", r(own), r(other), r(without))
	}
	need.Equal(t, r(without, own, other, own), r(other))
}

// The quality lists regions and confounds that hold a code for missing values, and no others; join adds the run.
// Motion below 0 is refused.
func TestDenoiseListsMissingCodes(t *testing.T) {
	const volumes, regions = 60, 3
	likeness := "0.5"
	run := func(damage func(x, fd, csf []float64)) (dag.Outputs, error) {
		x := stagetest.Series(1, volumes, regions).Float64s()
		fd, csf, spike := make([]float64, volumes), make([]float64, volumes), make([]float64, volumes)
		for v := range fd {
			fd[v], csf[v] = 0.1+0.01*float64(v%7), 900+float64(v%11)
		}
		spike[9] = 1
		if damage != nil {
			damage(x, fd, csf)
		}
		text := "framewise_displacement\tcsf\tcsf_derivative1\tmotion_outlier00\n"
		for v := range fd {
			text += fmt.Sprintf("%g\t%g\t%g\t%g\n", fd[v], csf[v], csf[v]-csf[max(v-1, 0)], spike[v])
		}
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Regress, s.Columns, s.ScanRun = "none", []string{"csf", "motion_outlier00"}, "2"
		scan := column.WithMeta(scanOf(2), map[string]string{column.Wrapped: "4",
			column.ReferenceR: likeness})
		return stagetest.RunWith(s, map[string]dag.Input{"scan": dag.InputOf(scan),
			"series":    dag.InputOf(encoding.NewArray(x, 1, volumes, regions)),
			"confounds": dag.InputOf(artifacts.Text(text))})
	}
	codes := func(out dag.Outputs) string {
		return fmt.Sprint(need.Value(column.MissingCodesOf(out["quality"].(*encoding.Table).Meta))(t))
	}
	need.Equal(t, codes(need.Value(run(nil))(t)), "[]")
	out := need.Value(run(func(x, fd, csf []float64) {
		x[5*regions+1], x[8*regions+1] = -9999, -9999
		fd[3], csf[7], csf[8] = 999, -1e6, -1e6
	}))(t)
	const want = "[{2  -9999 2 } {0 framewise_displacement 999 1 } {0 csf -1e+06 2 }]"
	need.Equal(t, codes(out), want)
	in := func(port, run string) dag.Input {
		return dag.InputOf(out[port], dag.Coord{Axis: "subject", Value: "sub-1"}, dag.Coord{Axis: "run", Value: run})
	}
	joined := stagetest.MustRun(t, stagetest.NewStage[*Join](t, "join"), map[string][]dag.Input{
		"series":  {in("series", "1"), in("series", "2")},
		"quality": {in("quality", "1"), in("quality", "2")}})
	if got := codes(joined); !strings.HasPrefix(got, "[{2  -9999 2 1} ") {
		t.Error(got)
	}
	need.Equal(t, joined["quality"].(*encoding.Table).Meta[column.Wrapped], "8")
	likeness = "0.25"
	second := need.Value(run(nil))(t)["quality"]
	for _, order := range [][]dag.Input{{in("quality", "1"), dag.InputOf(second)},
		{dag.InputOf(second), in("quality", "1")}} {
		q := need.Value(readRuns(order))(t)
		need.Equal(t, q.meta([]string{"1", "2"})[column.ReferenceR], "0.25")
	}
	_, err := run(func(_, fd, _ []float64) { fd[4] = -1 })
	need.Error(t, err, "framewise_displacement is -1 in volume 5 (line 6), but cannot be negative: write n/a for a missing value; or exclude this participant")
}
