package stages

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
)

// The predict stage, given what a training stored and the same graphs, says what the
// training said of them.
func TestPredictAgreesWithTrain(t *testing.T) {
	in := plantedInputs(t, 20, 3, 9, 1)
	for _, change := range []func(*Train){
		func(s *Train) {},
		func(s *Train) { s.Precision = "float64" },
		func(s *Train) { s.Variant = "authors-code" },
		func(s *Train) { s.Standardize, s.Pool = "training", "sage" },
	} {
		s := trainer(2)
		s.Epochs = 3
		change(s)
		out := mustRun(t, s, in)
		told := mustRun(t, &Predict{}, map[string][]dag.Input{
			"weights": {dag.InputOf(out["weights"])}, "parameters": {dag.InputOf(out["parameters"])},
			"edges": in["edges"], "features": in["features"]})
		want, _ := out["predictions"].(*artifacts.Table).Floats("p_HC")
		got, err := told["predictions"].(*artifacts.Table).Floats("p_HC")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, %s: other probabilities than in training", s.Variant, s.Precision)
		}
		a, _ := out["scores"].(*artifacts.Table).Floats("score")
		b, _ := told["scores"].(*artifacts.Table).Floats("score")
		if !slices.Equal(a, b) {
			t.Errorf("%s, %s: other scores than in training", s.Variant, s.Precision)
		}
		// Those who were tested in fold 2 are new to the model.
		side, _ := out["predictions"].(*artifacts.Table).Strings("set")
		known, _ := told["participants"].(*artifacts.Table).Ints("trained")
		for i, k := range known {
			if (k == 1) != (side[2*i] == "train") {
				t.Errorf("participant %d: known to %d models, and on the side %s", i+1, k, side[2*i])
			}
		}
	}
}

// Several models: the mean of their probabilities decides.
func TestPredictAverages(t *testing.T) {
	in := plantedInputs(t, 20, 3, 9, 1)
	var weights, parameters []dag.Input
	for fold := 1; fold <= 2; fold++ {
		s := trainer(fold)
		s.Epochs = 2
		out := mustRun(t, s, in)
		c := dag.Coord{Axis: "fold", Value: fmt.Sprint(fold)}
		weights, parameters = append(weights, dag.InputOf(out["weights"], c)), append(parameters, dag.InputOf(out["parameters"], c))
	}
	out := mustRun(t, &Predict{}, map[string][]dag.Input{"weights": weights, "parameters": parameters, "edges": in["edges"][:1], "features": in["features"][:1]})
	each, _ := out["predictions"].(*artifacts.Table).Floats("p_ASD")
	mean, _ := out["participants"].(*artifacts.Table).Floats("p_ASD")
	sum := 0.0
	for _, p := range each {
		sum += p
	}
	if len(each) != 4 || len(mean) != 1 || math.Abs(mean[0]-sum/4) > 1e-15 {
		t.Errorf("mean %v of %v", mean, each)
	}
}

func TestPredictRefuses(t *testing.T) {
	in := plantedInputs(t, 20, 3, 9, 1)
	s := trainer(2)
	s.Epochs = 1
	out := mustRun(t, s, in)
	small := plantedGraphs(1, 3, 8, 0)
	loud := plantedGraphs(1, 3, 9, 100)
	for _, f := range loud["features"] {
		a, _ := f.Array()
		v := slices.Clone(a.Float64s())
		v[100] = 1e3
		loud["features"] = []dag.Input{dag.InputOf(artifacts.NewArray(v, a.Shape...), f.Coords...)}
	}
	few := plantedGraphs(1, 3, 9, 0)
	e, _ := few["edges"][0].Table()
	var cols []artifacts.Column
	for _, c := range e.Columns {
		switch v := c.Values.(type) {
		case []int32:
			c.Values = v[:18]
		case []float64:
			c.Values = v[:18]
		}
		cols = append(cols, c)
	}
	few["edges"] = []dag.Input{dag.InputOf(artifacts.NewTable(cols...), few["edges"][0].Coords...)}
	for _, c := range []struct {
		in         map[string][]dag.Input
		weights    artifacts.Value
		parameters artifacts.Value
		want       string
	}{
		{small, out["weights"], out["parameters"], "8 nodes of 8 features, not 9 of 9"},
		{loud, out["weights"], out["parameters"], "are the features others?"},
		{few, out["weights"], out["parameters"], "2 edges, not 8 to 8: is the density another?"},
		{in, artifacts.NewArray([]float32{1, 2}, 2), out["parameters"], "holds 2"},
		{in, out["weights"], out["predictions"], "is it the parameter table of a training?"},
	} {
		_, err := runStage(t, &Predict{}, map[string][]dag.Input{"weights": {dag.InputOf(c.weights)}, "parameters": {dag.InputOf(c.parameters)},
			"edges": c.in["edges"], "features": c.in["features"]})
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("error %v, want …%s", err, c.want)
		}
	}
}
