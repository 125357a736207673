package learn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/stagetest"
)

func smallBNT(more ...any) dag.Stage {
	return stagetest.Fresh("network", append([]any{"model", "bnt", "feed_forward", 16, "epochs", 60, "batch", 8,
		"learning_rate", 0.003,
		"final_rate", 0.0003}, more...)...)
}

// Every readout learns an easy difference from the draws; the predictions are those of the last epoch.
func TestBNT(t *testing.T) {
	in := stagetest.NewCorrStudy(t, 24).Inputs()
	for _, readout := range []string{"authors-code", "paper", "student_t"} {
		out := stagetest.MustRun(t, smallBNT("readout", readout), in)
		rows, tested, right, loss := testedOf(t, out)
		if rows != 48 {
			t.Fatalf("%d rows, want two draws of 24 participants", rows)
		}
		if tested != 12 || right < 11 {
			t.Errorf("%s: %d of %d right", readout, right, tested)
		}
		test := stagetest.FloatsOf(t, out["history"], "test_ce")
		if len(test) != 60 || math.Abs(test[59]-loss) > 1e-5 {
			t.Errorf("%s: test loss %v, and %v in the last of %d epochs", readout, loss, test[len(test)-1], len(test))
		}
		// 36 graphs in batches of 8: four whole batches of the five that are counted.
		want := 0.0003 + 0.0027*(1+math.Cos(math.Pi*0.8))/2
		if rate := stagetest.FloatsOf(t, out["history"], "rate"); math.Abs(rate[59]-want) > 1e-9 {
			t.Errorf("%s: the last rate is %v, want %v", readout, rate[59], want)
		}
		// Attention sums to 1 in both blocks; of gradient × input a planted region has most.
		layer, _ := out["scores"].(*encoding.Table).Ints("layer")
		score := stagetest.FloatsOf(t, out["scores"], "score")
		var sum [3]float64
		var region [5]float64
		for i, v := range score {
			sum[layer[i]-1] += v
			if layer[i] == 3 {
				region[i%5] += v
			}
		}
		if len(score) != 48*5*3 || math.Abs(sum[0]-48) > 1e-4 || math.Abs(sum[1]-48) > 1e-4 {
			t.Errorf("%s: %d scores, attention sums to %v", readout, len(score), sum)
		}
		if max(region[0], region[1]) < max(region[2], region[3], region[4]) {
			t.Errorf("%s: region scores %v", readout, region)
		}
	}
	// Fisher's z is another input, and signs are those of the magnitudes.
	few := smallBNT("epochs", 2)
	score := stagetest.FloatsOf(t, stagetest.MustRun(t, few, in)["scores"], "score")
	signed := stagetest.FloatsOf(t, stagetest.MustRun(t, smallBNT("epochs", 2, "signed", true), in)["scores"], "score")
	for i := range signed {
		if math.Abs(signed[i]) != score[i] {
			t.Fatalf("score %v, with sign %v", score[i], signed[i])
		}
	}
	z := stagetest.FloatsOf(t, stagetest.MustRun(t, smallBNT("epochs", 2, "transform", "fisher"), in)["scores"],
		"score")
	if slices.Equal(z, score) {
		t.Error("Fisher's z are the correlations")
	}
	// The clustering loss is in the loss; 360 learned columns, and zeros up to a multiple of four.
	out := stagetest.MustRun(t, smallBNT("epochs", 2, "readout", "paper", "dec", 0.5, "pos_encoding", "identity"), in)
	loss, ce := stagetest.FloatsOf(t, out["history"], "loss"), stagetest.FloatsOf(t, out["history"], "ce")
	if !(loss[0] > ce[0] && ce[0] > 0) {
		t.Errorf("a loss of %v, cross-entropy %v", loss, ce)
	}
	note, _ := out["model"].(*encoding.Table).Strings("note")
	if !strings.HasSuffix(note[0], "readout paper, 2 clusters, 360 identity columns, clustering loss × 0.5") {
		t.Errorf("note %q", note)
	}
	weights, _ := out["model"].(*encoding.Table).Ints("parameters")
	plain := stagetest.MustRun(t, smallBNT("epochs", 1, "readout", "paper"), in)["model"].(*encoding.Table)
	if without, _ := plain.Ints("parameters"); weights[0] != without[0]+bntBlocks(368)-bntBlocks(8)+360*8+360*5 {
		t.Errorf("%v parameters, without an identity %v", weights, without)
	}
}

// bntBlocks counts the parameters of two blocks of a width, with 16 in their full layers.
func bntBlocks(v int64) int64 { return 2 * (4*v*v + 4*v + 2*16*v + 16 + v + 4*v) }

// The matrices of a test participant change nobody else's prediction.
func TestBNTDoesNotLookAtTestParticipants(t *testing.T) {
	s := stagetest.NewCorrStudy(t, 24)
	few := smallBNT("epochs", 5)
	ids, set, _, _, before := predictionsOf(t, stagetest.MustRun(t, few, s.Inputs()))
	who := ids[slices.Index(set, "test")]
	in := s.Inputs()
	for i, p := range in["pearson"] {
		if p.Coord("subject") == who {
			a := s.Pearson[i]
			v := slices.Clone(a.Float64s())
			for j := range v {
				if v[j] != 1 {
					v[j] *= -0.5
				}
			}
			in["pearson"][i] = dag.InputOf(encoding.NewArray(v, a.Shape...), p.Coords...)
		}
	}
	_, _, _, _, after := predictionsOf(t, stagetest.MustRun(t, few, in))
	for i, id := range ids {
		if (id == who) != (before[i] != after[i]) {
			t.Errorf("%s: %v, then %v; %s has other matrices", id, before[i], after[i], who)
		}
	}
}

func TestBNTRefuses(t *testing.T) {
	in := stagetest.NewCorrStudy(t, 24).Inputs()
	// eight columns: five regions, and zeros for four heads
	if _, err := stagetest.RunStage(t, smallBNT("clusters", 9), in); err == nil ||
		!strings.HasSuffix(err.Error(), "clusters: 9, but the centers of 5 regions can be orthogonal for 1 to 8 clusters") {
		t.Errorf("got %v", err)
	}
	if errs := smallBNT("final_rate", 0.1).(*Network).Validate(); len(errs) != 1 ||
		errs[0].Error() != "final_rate is above learning_rate" {
		t.Errorf("got %v", errs)
	}
}
