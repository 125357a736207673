package prepare

import (
	"math"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/stagetest"
)

// drawn denoises one scan of 120 volumes with draws of volumes; volumes 3 and 4 are censored.
func drawn(t *testing.T, change func(s *Denoise)) (series []connectivity.Matrix, block int) {
	t.Helper()
	const volumes, regions = 120, 5
	s := stagetest.NewStage[*Denoise](t, "denoise")
	s.Regress, s.Columns, s.FD, s.MinMinutes, s.Seed, s.Subject = "none", []string{"csf"}, 0.5, 0, 7, "sub-1"
	change(s)
	out, err := stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, volumes, regions)),
		"scan": dag.InputOf(scanOf(2)), "confounds": dag.InputOf(stagetest.Confounds(volumes))})
	need.NoError(t, err)
	a := out["series"].(*encoding.Array)
	for v := range slices.Chunk(a.Float64s(), a.Shape[1]*regions) {
		series = append(series, connectivity.Matrix{Rows: a.Shape[1], Cols: regions, Data: v})
	}
	return series, int(stagetest.ColumnOf(t, out["quality"], "block"))
}

// Each draw is the z-scored volumes that its stream names, in blocks that stay on one side of the censored volumes.
func TestDenoiseDrawsVolumes(t *testing.T) {
	one, none := drawn(t, func(*Denoise) {})
	all, block := drawn(t, func(s *Denoise) { s.Draws = 10 })
	if len(one) != 1 || none != 0 || len(all) != 11 || block < 1 || !slices.Equal(all[0].Data, one[0].Data) {
		t.Fatalf("%d and %d draws, blocks of %d and %d: draw 0 is to be the series without draws", len(one), len(all), none, block)
	}
	segments := []connectivity.Segment{{From: 0, To: 3}, {From: 3, To: 118}}
	present := make([]connectivity.Status, one[0].Cols)
	if want := connectivity.BlockLength(one[0], present, segments); block != want {
		t.Errorf("blocks of %d volumes, want %d", block, want)
	}
	for d, x := range all[1:] {
		rows := connectivity.Blocks(segments, block, random.New(7, "blocks", "sub-1", d+1).IntN)
		for j := range x.Cols {
			mean, square := 0.0, 0.0
			for _, row := range rows {
				mean += one[0].At(row, j) / float64(len(rows))
			}
			for _, row := range rows {
				square += math.Pow(one[0].At(row, j)-mean, 2) / float64(len(rows)-1)
			}
			for v, row := range rows {
				if want := (one[0].At(row, j) - mean) / math.Sqrt(square); math.Abs(x.At(v, j)-want) > 1e-12 {
					t.Fatalf("draw %d, volume %d, region %d: %v, want %v", d+1, v, j, x.At(v, j), want)
				}
			}
		}
	}
	// A longer list of draws begins with the shorter one; another participant, run or seed has others.
	if more, _ := drawn(t, func(s *Denoise) { s.Draws = 12 }); !slices.Equal(more[10].Data, all[10].Data) {
		t.Error("draw 10 depends on the number of draws")
	}
	for name, change := range map[string]func(s *Denoise){"participant": func(s *Denoise) { s.Subject = "sub-2" },
		"run": func(s *Denoise) { s.ScanRun = "1" }, "session": func(s *Denoise) { s.Session = "1" },
		"seed": func(s *Denoise) { s.Seed = 8 }, "block": func(s *Denoise) { s.Block = block + 1 }} {
		other, _ := drawn(t, func(s *Denoise) { s.Draws = 1; change(s) })
		if slices.Equal(other[1].Data, all[1].Data) {
			t.Errorf("another %s has the same draw", name)
		}
	}
}

func TestDenoiseDrawsRefuses(t *testing.T) {
	for _, c := range []struct {
		draws, block, from int
		want               string
	}{
		{10, 0, 3, "2 random draws already (of voxels), and draws: 10 asks for draws of volumes"},
		{1, 61, 1, "block is 61, but only 60 volumes are kept"},
		{1, 60, 1, "a draw of fewer than two blocks is the series itself, shifted"},
		{1, 31, 1, "block is 31, but only 60 volumes are kept"},
	} {
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Draws, s.Block = c.draws, c.block
		_, err := stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(c.from, 60, 4))})
		need.Error(t, err, c.want)
	}
	s := stagetest.NewStage[*Denoise](t, "denoise")
	if s.Block = 5; len(s.Validate()) != 1 {
		t.Errorf("a block without draws: %v", s.Validate())
	}
}

// Runs with draws of volumes are joined draw by draw, each draw with mean 0 in each run.
func TestJoinDrawsOfVolumes(t *testing.T) {
	var series, quality []dag.Input
	for _, run := range []string{"1", "2"} {
		s := stagetest.NewStage[*Denoise](t, "denoise")
		s.Draws, s.Subject, s.ScanRun = 2, "sub-1", run
		out, err := stagetest.RunWith(s, map[string]dag.Input{"series": dag.InputOf(stagetest.Series(1, 60, 4))})
		need.NoError(t, err)
		series = append(series, ofRun("sub-1", run, out["series"]))
		quality = append(quality, ofRun("sub-1", run, out["quality"]))
	}
	out, err := (&Join{}).Run(t.Context(), dag.NewTask(map[string][]dag.Input{"series": series, "quality": quality}))
	need.NoError(t, err)
	a := out["series"].(*encoding.Array)
	if !slices.Equal(a.Shape, []int{3, 120, 4}) || stagetest.ColumnOf(t, out["quality"], "block") < 1 {
		t.Fatalf("shape %v, quality %v", a.Shape, out["quality"])
	}
	for run := range slices.Chunk(a.Float64s(), 60*4) {
		for j := range 4 {
			sum := 0.0
			for v := range 60 {
				sum += run[v*4+j]
			}
			if math.Abs(sum) > 1e-9 {
				t.Errorf("a region of a run has the sum %v", sum)
			}
		}
	}
	v := a.Float64s()
	if slices.Equal(v[120*4:180*4], v[180*4:240*4]) { // both runs are the same series
		t.Error("two runs have the same volumes in a draw")
	}
}
