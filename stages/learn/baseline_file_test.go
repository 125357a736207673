package learn

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"prgnn/dag"
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
