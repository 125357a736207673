package assess

import (
	"fmt"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/finding"
	"prgnn/stages/stagetest"
)

func TestTrainAndEvaluate(t *testing.T) {
	const n, draws, nodes = 40, 4, 12
	in := stagetest.PlantedInputs(t, n, draws, nodes, 1.5)
	var predictions []dag.Input
	for fold := 1; fold <= 5; fold++ {
		out := stagetest.MustRun(t, trainer(fold), in)
		for port, v := range out {
			if len(stagetest.Encoded(t, v)) == 0 {
				t.Errorf("output %s is empty", port)
			}
		}
		p := out["predictions"].(*encoding.Table)
		need.Equal(t, p.Rows(), n*(draws-1), "predictions", "draw 0 is left out")
		predictions = append(predictions, dag.InputOf(p, dag.Coord{Axis: "pool", Value: "topk"},
			dag.Coord{Axis: "fold", Value: fmt.Sprint(fold)}))
		checkScores(t, out["scores"].(*encoding.Table), n*(draws-1), nodes)
		checkWeights(t, out)
	}
	out := stagetest.MustRun(t, &Evaluate{}, map[string][]dag.Input{"predictions": predictions})
	summary := out["summary"].(*encoding.Table)
	accuracy, _ := summary.Floats("accuracy")
	level, _ := summary.Strings("level")
	positive, _ := summary.Strings("positive")
	pool, err := summary.Strings("pool")
	if err != nil || fmt.Sprint(level, positive, pool) != "[graph participant] [ASD ASD] [topk topk]" {
		t.Errorf("summary of %v, positive %v, pool %v (%v)", level, positive, pool, err)
	}
	if accuracy[1] < 0.9 {
		t.Errorf("planted groups are told apart with accuracy %v only", accuracy[1])
	}
	if scores := out["scores"].(*encoding.Table); scores.Rows() != 10 {
		t.Errorf("%d rows of scores, want 10", scores.Rows())
	}
}

// checkScores: every node has a score in layer 1, and the nodes in layer 2 are
// those that layer 1 kept.
func checkScores(t *testing.T, s *encoding.Table, graphs, nodes int) {
	t.Helper()
	layer, _ := s.Ints("layer")
	index, _ := s.Ints("index")
	kept, _ := s.Bools("kept")
	score, _ := s.Floats("score")
	half, quarter := (nodes+1)/2, ((nodes+1)/2+1)/2
	per := nodes + half
	if len(layer) != graphs*per {
		t.Fatalf("%d scores, want %d", len(layer), graphs*per)
	}
	for g := range graphs {
		var kept1, all2 []int64
		n2 := 0
		for i := g * per; i < (g+1)*per; i++ {
			if !(score[i] > 0 && score[i] < 1) {
				t.Fatalf("score %v", score[i])
			}
			switch {
			case layer[i] == 1 && kept[i]:
				kept1 = append(kept1, index[i])
			case layer[i] == 2:
				all2 = append(all2, index[i])
				if kept[i] {
					n2++
				}
			}
		}
		if !slices.Equal(kept1, all2) || len(kept1) != half || n2 != quarter {
			t.Fatalf("layer 1 keeps %v, layer 2 rates %v and keeps %d", kept1, all2, n2)
		}
	}
}

func checkWeights(t *testing.T, out dag.Outputs) {
	t.Helper()
	p := out["parameters"].(*encoding.Table)
	offset, _ := p.Ints("offset")
	length, _ := p.Ints("length")
	last := len(offset) - 1
	if w := out["weights"].(*encoding.Array); w.DType() != "<f4" || int64(w.Len()) != offset[last]+length[last] {
		t.Errorf("%d weights of type %s, the table ends at %d", w.Len(), w.DType(), offset[last]+length[last])
	}
}

// Without an effect nothing is learned that holds on the test side.
func TestTrainNothingToFind(t *testing.T) {
	in := stagetest.PlantedInputs(t, 40, 1, 8, 0)
	var predictions []dag.Input
	for fold := 1; fold <= 5; fold++ {
		predictions = append(predictions, dag.InputOf(stagetest.MustRun(t, trainer(fold), in)["predictions"]))
	}
	summary := stagetest.MustRun(t, &Evaluate{},
		map[string][]dag.Input{"predictions": predictions})["summary"].(*encoding.Table)
	low, _ := summary.Floats("ci_low")
	majority, _ := summary.Floats("majority")
	if low[1] > majority[1] {
		t.Errorf("accuracy above %v on noise, whose majority is %v", low[1], majority[1])
	}
}

// What leaks says so, and evaluate passes it on.
func TestCaution(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 1, 8, 1)
	for variant, want := range map[string]string{
		"paper":        "",
		"authors-code": "[map[Parameter:select Value:test] map[Parameter:standardize Value:all]]",
	} {
		var predictions []dag.Input
		for fold := 1; fold <= 5; fold++ {
			s := stagetest.Fresh("train", "variant", variant, "fold", fold, "epochs", 2, "batch", 8)
			predictions = append(predictions, dag.InputOf(stagetest.MustRun(t, s, in)["predictions"]))
		}
		summary := stagetest.MustRun(t, &Evaluate{},
			map[string][]dag.Input{"predictions": predictions})["summary"].(*encoding.Table)
		found, text := need.Value(finding.Of(summary.Meta))(t), ""
		for _, f := range found {
			if f.Code == "training.leakage" {
				text = fmt.Sprint(f.Numbers.(map[string]any)["Leaks"])
			}
		}
		need.Equal(t, text, want, variant)
	}
}
