package learn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

func smallBrainGNN(more ...any) dag.Stage {
	return stagetest.Fresh("network", append([]any{"model", "braingnn", "widths", []any{8, 8}, "hidden", 16,
		"communities", 3, "epochs", 40,
		"batch", 16, "learning_rate", 0.01}, more...)...)
}

// correlated are planted graphs whose features are in −1 to 1.
func correlated(t *testing.T, draws int) map[string][]dag.Input {
	t.Helper()
	in := stagetest.PlantedInputs(t, 40, draws, 10, 1)
	for i, p := range in["features"] {
		a := need.Value(p.Array())(t)
		v := slices.Clone(a.Float64s())
		for j := range v {
			v[j] = math.Tanh(v[j])
		}
		in["features"][i] = dag.InputOf(encoding.NewArray(v, a.Shape...), p.Coords...)
	}
	return in
}

// Both variants learn a planted difference; predictions, scores and communities are those of the epoch that is
// taken.
func TestBrainGNN(t *testing.T) {
	in := correlated(t, 3)
	for _, variant := range []string{"paper", "authors-code"} {
		out := stagetest.MustRun(t, smallBrainGNN("variant", variant), in)
		rows, tested, right, loss := testedOf(t, out)
		if rows != 80 || tested != 16 || right < 14 {
			t.Errorf("%s: %d rows, %d of %d right", variant, rows, right, tested)
		}
		history := out["history"].(*encoding.Table)
		test, held := stagetest.FloatsOf(t, history, "test_ce"), stagetest.FloatsOf(t, history, "validation_loss")
		taken := 39
		if variant == "authors-code" {
			taken = 5
			for i, v := range held {
				if i > 5 && v < held[taken] {
					taken = i
				}
			}
			note, _ := out["model"].(*encoding.Table).Strings("note")
			if !strings.HasSuffix(note[0], "of 40, by the loss of 16 validation graphs") {
				t.Errorf("%s: %s", variant, note[0])
			}
			if r := stagetest.FloatsOf(t, history, "rate"); r[18] != 0.01 || r[19] != 0.005 {
				t.Errorf("%s: rates %v", variant, r)
			}
		} else if !math.IsNaN(held[0]) {
			t.Errorf("%s: validation %v", variant, held)
		}
		if len(test) != 40 || math.Abs(test[taken]-loss) > 1e-5 {
			t.Errorf("%s: test loss %v, and %v in epoch %d", variant, loss, test[taken], taken+1)
		}
		// Ten regions in layer 1, five in layer 2; those that pool 1 keeps are the five.
		scores := out["scores"].(*encoding.Table)
		layer, _ := scores.Ints("layer")
		score := stagetest.FloatsOf(t, scores, "score")
		if len(score) != 80*15 || layer[9] != 1 || layer[10] != 2 || slices.Min(score) <= 0 || slices.Max(score) >= 1 {
			t.Errorf("%s: %d scores from %v to %v", variant, len(score), slices.Min(score), slices.Max(score))
		}
		if n := out["communities"].(*encoding.Table).Rows(); n != 10 {
			t.Errorf("%s: communities of %d regions", variant, n)
		}
	}
}

// None of the first five epochs is taken, however small its loss.
func TestBrainGNNTakesALateEpoch(t *testing.T) {
	late := smallBrainGNN("variant", "authors-code", "epochs", 6, "learning_rate", 0.2, "seed", 2)
	out := stagetest.MustRun(t, late, correlated(t, 1))
	held := stagetest.FloatsOf(t, out["history"], "validation_loss")
	note, _ := out["model"].(*encoding.Table).Strings("note")
	if !strings.HasPrefix(note[0], "epoch 6 of 6") || slices.Min(held) == held[5] {
		t.Errorf("%s; losses %v", note[0], held)
	}
	_, _, _, loss := testedOf(t, out)
	if test := stagetest.FloatsOf(t, out["history"], "test_ce"); math.Abs(test[5]-loss) > 1e-4*loss {
		t.Errorf("test loss %v, and %v in epoch 6", loss, test[5])
	}
}

func TestFisher(t *testing.T) {
	d := gnn.Data{Nodes: 2, Features: []float64{1, -0.5, -0.5, 1},
		Edges: []gnn.Edge{{Source: 0, Target: 1, Weight: -0.4}}}
	z, err := fisher(d)
	want := []float64{0, math.Atanh(-0.5), math.Atanh(-0.5), 0}
	if err != nil || math.Abs(z.Edges[0].Weight-math.Atanh(0.4)) > 1e-15 || d.Edges[0].Weight != -0.4 ||
		d.Features[0] != 1 {
		t.Errorf("%v, %v, %v", z.Edges, err, d)
	}
	for i := range want {
		if math.Abs(z.Features[i]-want[i]) > 1e-15 {
			t.Errorf("%v, want %v", z.Features, want)
		}
	}
}

// The graphs of a test participant change nobody else's prediction.
func TestBrainGNNDoesNotLookAtTestParticipants(t *testing.T) {
	few := smallBrainGNN("epochs", 3, "variant", "authors-code")
	in := correlated(t, 1)
	ids, set, _, _, before := predictionsOf(t, stagetest.MustRun(t, few, in))
	who := ids[slices.Index(set, "test")]
	for i, p := range in["features"] {
		if p.Coord("subject") == who {
			a := need.Value(p.Array())(t)
			v := slices.Clone(a.Float64s())
			for j := range v {
				if v[j] != 1 {
					v[j] *= -0.5
				}
			}
			in["features"] = slices.Clone(in["features"])
			in["features"][i] = dag.InputOf(encoding.NewArray(v, a.Shape...), p.Coords...)
		}
	}
	_, _, _, _, after := predictionsOf(t, stagetest.MustRun(t, few, in))
	for i, id := range ids {
		if (id == who) != (before[i] != after[i]) {
			t.Errorf("%s: %v, then %v; %s has other features", id, before[i], after[i], who)
		}
	}
}

// A parameter that somebody set stays, also at the paper's value; the others are the variant's.
func TestBrainGNNFollowsTheVariant(t *testing.T) {
	s := smallBrainGNN("variant", "authors-code", "edge", "sum", "weight_decay", 0.1).(*Network)
	o := s.brainGNN(10, 10)
	if !o.BatchNorm || o.ReLU || o.TPK != "code" || o.LambdaUnit != 0 || o.Dropout != 0.5 || s.Transform != "fisher" ||
		s.Select != "validation" {
		t.Errorf("not the released program: %+v", s)
	}
	if o.Edge != "sum" || s.WeightDecay != 0.1 || o.Hidden != 16 || s.LearningRate != 0.01 {
		t.Errorf("%+v", s)
	}
}

func TestBrainGNNRefuses(t *testing.T) {
	in := correlated(t, 1)
	a := need.Value(in["features"][3].Array())(t)
	v := slices.Clone(a.Float64s())
	v[12] = 1.5
	in["features"][3] = dag.InputOf(encoding.NewArray(v, a.Shape...), in["features"][3].Coords...)
	if _, err := stagetest.RunStage(t, smallBrainGNN("transform", "fisher"), in); err == nil ||
		!strings.HasSuffix(err.Error(), "sub-004, draw 0: feature 3 of node 2 is 1.5: not a correlation; set transform: none") {
		t.Errorf("got %v", err)
	}
	if errs := smallBrainGNN("widths", []any{8}, "lambda", []any{1, 0.1}).(*Network).Validate(); len(errs) != 2 ||
		errs[0].Error() != "widths: 1 numbers, expected two: those of the two convolutions" {
		t.Errorf("got %v", errs)
	}
}
