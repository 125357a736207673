package learn

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/random"
	"prgnn/stages/stagetest"
)

// With inputs in a file, all of them or a part, every output is what it is with all in memory.
func TestLinearBaselinesFromFile(t *testing.T) {
	study := stagetest.NewCorrStudy(t, 24)
	pearson, tangent := study.Inputs(), newTangentStudy(t, study, 2).in
	numbers := numbered(t, ramp(23))
	regression := func(params ...any) dag.Stage { return stagetest.Fresh("regression", append(params, "fold", 2)...) }
	for _, c := range []struct {
		stage dag.Stage
		in    map[string][]dag.Input
	}{
		{stagetest.Quickly("ridge"), pearson},
		{stagetest.Quickly("logistic", "standardize", "training"), pearson},
		{stagetest.Quickly("majority"), pearson},
		{stagetest.Quickly("ridge", "standardize", "training", "offdiagonal", "sqrt2"), tangent},
		{stagetest.Quickly("logistic", "c", 0.1), tangent},
		{regression("model", "ridge", "standardize", "training"), numbers},
		{regression("model", "mean"), numbers},
	} {
		want := stagetest.MustRun(t, c.stage, c.in)
		for _, memory := range []int64{0, 1000} {
			holding(memory, func() {
				got := stagetest.MustRun(t, c.stage, c.in)
				for _, p := range c.stage.Ports().Out {
					if !bytes.Equal(stagetest.Encoded(t, got[p.Name]), stagetest.Encoded(t, want[p.Name])) {
						t.Errorf("%+v with %d bytes in memory: output %s is another one", c.stage, memory, p.Name)
					}
				}
			})
		}
	}
}

// Of more graphs than can be compared with each other, the other linear models come from a file with the same bytes,
// too, and machines with another kernel are refused.
func TestManyGraphsFromFile(t *testing.T) {
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
	numbers := map[string][]dag.Input{"folds": numbered(t, ramp(23))["folds"], "pearson": in["pearson"][:23]}
	regression := func(model string) dag.Stage {
		return stagetest.Fresh("regression", "fold", 2, "model", model, "penalties", []float64{1, 10})
	}
	for _, c := range []struct {
		stage dag.Stage
		in    map[string][]dag.Input
	}{
		{stagetest.Quickly("linear-svm", "c", 0.1), in},
		{stagetest.Quickly("kernel-ridge", "penalties", []float64{1, 10}), in},
		{regression("svr"), numbers},
		{regression("kernel-ridge"), numbers},
	} {
		want := stagetest.MustRun(t, c.stage, c.in)
		holding(1000, func() {
			got := stagetest.MustRun(t, c.stage, c.in)
			for _, p := range c.stage.Ports().Out {
				if !bytes.Equal(stagetest.Encoded(t, got[p.Name]), stagetest.Encoded(t, want[p.Name])) {
					t.Errorf("%+v: output %s is another one", c.stage, p.Name)
				}
			}
		})
	}
	for _, c := range []struct {
		stage dag.Stage
		in    map[string][]dag.Input
	}{{stagetest.Quickly("svm"), in}, {regression("rbf-svr"), numbers}} {
		_, err := c.stage.Run(context.Background(), dag.NewTask(c.in))
		if err == nil || !strings.Contains(err.Error(), "compares each with each and takes at most 11585") {
			t.Errorf("error %v", err)
		}
	}
}

// A disk that cannot take the inputs ends the training; models that need all of them at once do not ask for it.
func TestBaselineFileFails(t *testing.T) {
	in := stagetest.NewCorrStudy(t, 24).Inputs()
	t.Setenv("TMPDIR", "/dev/null/none")
	holding(0, func() {
		_, err := stagetest.Quickly("ridge").Run(context.Background(), dag.NewTask(in))
		if err == nil || !strings.Contains(err.Error(), "a file for inputs: ") {
			t.Errorf("error %v", err)
		}
		stagetest.MustRun(t, stagetest.Quickly("linear-svm"), in)
	})
}
