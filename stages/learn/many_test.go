package learn

import (
	"context"
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/stagetest"
)

// More graphs than can be compared with each other are refused by support vector machines, and by no other linear
// model.
func TestManyGraphs(t *testing.T) {
	study := stagetest.NewCorrStudy(t, 24)
	r := random.New(1, "test", "draws")
	for i, a := range study.Pearson {
		const draws = 700
		v := make([]float64, 0, draws*25)
		for range draws {
			v = append(v, a.Float64s()[:25]...)
			last := v[len(v)-25:]
			for j := range 5 {
				for k := range j {
					last[j*5+k] = 0.9*last[j*5+k] + 0.05*math.Tanh(r.Normal())
					last[k*5+j] = last[j*5+k]
				}
			}
		}
		study.Pearson[i] = encoding.NewArray(v, draws, 5, 5)
	}
	in := study.Inputs()
	numbers := map[string][]dag.Input{"folds": stagetest.Numbered(t, stagetest.Ramp(23))["folds"],
		"pearson": in["pearson"][:23]}
	regression := func(model string) dag.Stage {
		return stagetest.Fresh("regression", "fold", 2, "model", model, "penalties", []float64{1, 10})
	}
	for _, c := range []struct {
		stage dag.Stage
		in    map[string][]dag.Input
	}{
		{stagetest.Quickly("ridge"), in},
		{stagetest.Quickly("logistic", "standardize", "training"), in},
		{stagetest.Quickly("kernel-ridge", "penalties", []float64{1, 10}), in},
		{regression("ridge"), numbers},
		{regression("kernel-ridge"), numbers},
	} {
		stagetest.MustRun(t, c.stage, c.in)
	}
	for _, c := range []struct {
		stage dag.Stage
		in    map[string][]dag.Input
	}{{stagetest.Quickly("svm"), in}, {stagetest.Quickly("linear-svm"), in}, {regression("svr"), numbers},
		{regression("rbf-svr"), numbers}} {
		_, err := c.stage.Run(context.Background(), dag.NewTask(c.in))
		need.Error(t, err, "compares each with each and takes at most 11585")
	}
}
