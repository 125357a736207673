package learn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/stagetest"
)

// waves are series of two groups, of three draws and unequal lengths: the first two of five regions go
// together in one group and against each other in the other.
func waves(t *testing.T, n int) map[string][]dag.Input {
	t.Helper()
	const regions = 5
	in := map[string][]dag.Input{}
	people := stagetest.SomeParticipants(n, "ASD", "HC")
	for i := range n {
		volumes := 40 + i%5
		var v []float64
		for draw := range 3 {
			r := random.New(7, "waves", i, draw)
			for range volumes {
				first := r.Normal()
				v = append(v, 100+first, 50+float64(1-2*(i%2))*first+0.3*r.Normal())
				for range regions - 2 {
					v = append(v, 10*r.Normal())
				}
			}
		}
		in["series"] = append(in["series"], dag.InputOf(encoding.NewArray(v, 3, volumes, regions),
			dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%03d", i+1)}))
	}
	in["folds"] = []dag.Input{dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("split", "folds", 4, "seed", 1),
		map[string][]dag.Input{"participants": {dag.InputOf(people)}})["folds"])}
	return in
}

func smallMeanMLP(more ...any) dag.Stage {
	return stagetest.Fresh("network", append([]any{"model", "meanmlp", "hidden", 24, "dropout", 0.2, "epochs",
		60, "batch", 8,
		"patience", 10}, more...)...)
}

func TestMeanMLP(t *testing.T) {
	in := waves(t, 32)
	out := stagetest.MustRun(t, smallMeanMLP(), in)
	rows, tested, right, loss := testedOf(t, out)
	if rows != 64 {
		t.Fatalf("%d rows, want two draws of 32 participants", rows)
	}
	if tested != 16 || right < 15 {
		t.Errorf("%d of %d right", right, tested)
	}
	// The epoch with the smallest validation loss is the one that is taken.
	validation := stagetest.FloatsOf(t, out["history"], "validation_loss")
	at := slices.Index(validation, slices.Min(validation))
	if test := stagetest.FloatsOf(t, out["history"], "test_ce"); math.Abs(test[at]-loss) > 1e-5 {
		t.Errorf("test loss %v, of epoch %d %v", loss, at+1, test[at])
	}
	if last := len(validation) - 1; last != at+10 && last != 59 {
		t.Errorf("the best epoch is %d, and training stops after %d", at+1, last+1)
	}
	note, _ := out["model"].(*encoding.Table).Strings("note")
	graphs, _ := out["model"].(*encoding.Table).Ints("graphs")
	// 24 train, and one of five of each group of 12 validates: 3 and 2.
	if graphs[0] != 2*19 || !strings.HasPrefix(note[0], fmt.Sprintf("epoch %d of %d, by the loss of 10 validation graphs", at+1, len(validation))) {
		t.Errorf("%d graphs, %s", graphs[0], note[0])
	}
	// The two regions that tell the groups apart score highest; before training they do not.
	score, untrained := stagetest.FloatsOf(t, out["scores"], "score"), stagetest.FloatsOf(t, out["scores"], "untrained")
	if len(score) != 64*5 || slices.Equal(score, untrained) {
		t.Fatalf("%d scores", len(score))
	}
	var sum [5]float64
	for i, v := range score {
		sum[i%5] += v
	}
	if min(sum[0], sum[1]) < 2*max(sum[2], sum[3], sum[4]) {
		t.Errorf("region scores %v", sum)
	}
	signed := stagetest.FloatsOf(t, stagetest.MustRun(t, smallMeanMLP("signed", true), in)["scores"], "score")
	for i := range signed {
		if math.Abs(signed[i]) != score[i] {
			t.Fatalf("score %v, with sign %v", score[i], signed[i])
		}
	}
	out = stagetest.MustRun(t, smallMeanMLP("attribution", "integrated"), in)
	integrated := stagetest.FloatsOf(t, out["scores"], "score")
	if slices.Equal(integrated, score) {
		t.Error("integrated gradients are the gradients")
	}
}

// The series of a test participant changes nobody else's prediction, and z-scoring forgets offset and gain.
func TestMeanMLPDoesNotLookAtTestParticipants(t *testing.T) {
	in := waves(t, 32)
	folds, _ := in["folds"][0].Table()
	fold, _ := folds.Ints("fold")
	changed := slices.Index(fold, 1)
	own := fmt.Sprintf("sub-%03d", changed+1)
	edit := func(gain, offset float64) map[string][]dag.Input {
		a, _ := in["series"][changed].Array()
		v := slices.Clone(a.Float64s())
		for i := range v {
			v[i] = v[i]*gain + offset
		}
		edited := map[string][]dag.Input{"folds": in["folds"], "series": slices.Clone(in["series"])}
		edited["series"][changed] = dag.InputOf(encoding.NewArray(v, a.Shape...), in["series"][changed].Coords...)
		return edited
	}
	for _, zscore := range []bool{true, false} {
		s := smallMeanMLP("epochs", 5, "zscore", zscore)
		ids, _, _, _, before := predictionsOf(t, stagetest.MustRun(t, s, in))
		for _, c := range []struct {
			gain, offset float64
			moves        bool
		}{{-1, 0, true}, {3, 7, !zscore}} {
			_, _, _, _, after := predictionsOf(t, stagetest.MustRun(t, s, edit(c.gain, c.offset)))
			moved := false
			for i, id := range ids {
				if id != own && before[i] != after[i] {
					t.Fatalf("the prediction for %s changed with the test participant %s", id, own)
				}
				moved = moved || id == own && math.Abs(before[i]-after[i]) > 1e-5
			}
			need.Equal(t, moved, c.moves, "zscore", zscore, "gain", c.gain, "its own prediction moves")
		}
	}
}

func TestSeriesValues(t *testing.T) {
	nan := math.NaN()
	// Four volumes: one region 1 to 4, one missing, one constant.
	v := []float64{1, nan, 5, 2, nan, 5, 3, nan, 5, 4, nan, 5}
	got, err := modelfile.SeriesOf(v, 3, true, nil)
	sd := math.Sqrt(1.25)
	want := make([]float32, 12)
	for t := range 4 {
		want[3*t] = float32((float64(t) - 1.5) / sd)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	got, err = modelfile.SeriesOf(v, 3, false, nil)
	if err != nil || !slices.Equal(got, []float32{1, 0, 5, 2, 0, 5, 3, 0, 5, 4, 0, 5}) {
		t.Errorf("as they are: %v, %v", got, err)
	}
	_, err = modelfile.SeriesOf([]float64{1, 2, nan, 3}, 2, true, nil)
	need.Error(t, err, "1 of 2 volumes of region 1 are NaN")
	_, err = modelfile.SeriesOf([]float64{1, 2, 1, math.Inf(1)}, 2, true, nil)
	need.Error(t, err, "volume 2 of region 2 is +Inf")
}

func TestMeanMLPMistakes(t *testing.T) {
	for _, c := range []struct {
		name   string
		stage  dag.Stage
		change func(in map[string][]dag.Input)
		want   string
	}{
		{"another atlas", smallMeanMLP(), func(in map[string][]dag.Input) {
			in["series"][7] = dag.InputOf(encoding.NewArray(make([]float64, 30), 1, 10, 3), in["series"][7].Coords...)
		}, "3 regions, but other participants have 5"},
		{"too few to validate", smallMeanMLP("validation", 13), func(map[string][]dag.Input) {}, "validation: "},
		{"one scan twice", smallMeanMLP(), func(in map[string][]dag.Input) {
			a, _ := in["series"][3].Array()
			in["series"][9] = dag.InputOf(a, in["series"][9].Coords...)
		}, "sub-004 and sub-010"},
	} {
		in := waves(t, 32)
		c.change(in)
		if _, err := stagetest.RunStage(t, c.stage, in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}
