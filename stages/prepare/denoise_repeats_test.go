package prepare

import (
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
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
		"sound":                           {func([]float64) {}, 0, 0},
		"106 volumes of zeros at the end": {func(x []float64) { clear(x[100*regions:]) }, 105, 0},
		"volumes 11 to 20 again": {func(x []float64) {
			for v := 10; v < 30; v += 2 {
				copy(x[(v+1)*regions:][:regions], x[v*regions:])
			}
		}, 10, 0},
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
	if w := q.whole(0); w.RepeatedVolumes != 115 || w.RepeatedRegions != 1 {
		t.Errorf("of all runs: %d volumes and %d regions, want 115 and 1", w.RepeatedVolumes, w.RepeatedRegions)
	}
}
