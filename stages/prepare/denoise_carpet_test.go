package prepare

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// The carpet of single voxels is what denoise makes of them as if they were regions; a voxel with NaN, and one that
// does not vary, have none.
func TestCarpetIsCleanedSeries(t *testing.T) {
	const volumes, voxels = 60, 5
	series := stagetest.Series(1, volumes, voxels)
	x := series.Float64s()
	sampled := make([]float32, len(x))
	for i := range x {
		sampled[i] = float32(x[i])
		x[i] = float64(sampled[i])
		switch i % voxels {
		case 3:
			sampled[i], x[i] = float32(math.NaN()), math.NaN()
		case 4:
			sampled[i], x[i] = 7, 7
		}
	}
	for _, scale := range []string{"zscore", "psc", "none"} {
		in := map[string]dag.Input{"series": stagetest.Named("series", encoding.NewArray(x, 1, volumes, voxels)),
			"scan": stagetest.Named("scan", scanOf(2)), "confounds": stagetest.Named("confounds",
				stagetest.Confounds(volumes)),
			"sampled": stagetest.Named("sampled", encoding.NewArray(sampled, volumes, voxels))}
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Regress, s.FD, s.MinMinutes, s.Standardize = "6P", 0.5, 0, scale
		out := need.Value(stagetest.RunWith(s, in))(t)
		rows := need.Value(column.Rows[column.VolumeRow](out["volumes"].(*encoding.Table)))(t)
		clean, carpet := out["series"].(*encoding.Array), out["carpet"].(*encoding.Array)
		if fmt.Sprint(carpet.Shape) != "[2 60 5]" {
			t.Fatalf("a carpet of shape %v", carpet.Shape)
		}
		var kept []int
		for v, row := range rows {
			if row.LeftOut == "" {
				kept = append(kept, v)
			}
		}
		if len(kept) == volumes || len(kept) != clean.Shape[1] {
			t.Fatalf("%d volumes are kept", len(kept))
		}
		want := slices.Repeat([]float64{math.NaN()}, 2*volumes*voxels)
		for j := range 3 {
			var raw, cleaned []float64
			for i, v := range kept {
				raw, cleaned = append(raw, x[v*voxels+j]), append(cleaned, clean.Float64s()[i*voxels+j])
			}
			m, sd := column.MeanSD(raw)
			for v := range volumes {
				want[v*voxels+j] = (x[v*voxels+j] - m) / sd
			}
			m, sd = column.MeanSD(cleaned)
			for i, v := range kept {
				want[(volumes+v)*voxels+j] = (cleaned[i] - m) / sd
			}
		}
		for i, got := range carpet.Float64s() {
			if !(math.Abs(got-want[i]) < 1e-5) && !(math.IsNaN(got) && math.IsNaN(want[i])) {
				t.Fatalf("%s: volume %d, voxel %d: %v, want %v", scale, i/voxels%volumes, i%voxels, got, want[i])
			}
		}
	}
}
