package stages

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/random"
)

// A corrStudy is participants of two groups with correlation matrices of a few
// nodes, two draws and the plain mean each; the groups differ in the first edge.
type corrStudy struct {
	participants *artifacts.Table
	pearson      []*artifacts.Array
	folds        *artifacts.Table
}

func newCorrStudy(t *testing.T, n int) *corrStudy {
	t.Helper()
	const nodes = 5
	s := &corrStudy{participants: someParticipants(n, "ASD", "HC")}
	for i := range n {
		r := random.New(1, "study", i)
		var v []float64
		for range 3 {
			m := make([]float64, nodes*nodes)
			for a := range nodes {
				m[a*nodes+a] = 1
				for b := range a {
					x := 0.2 * r.Normal()
					if a == 1 && b == 0 {
						x = 0.5 - float64(i%2) + 0.1*x
					}
					x = max(-0.99, min(0.99, x))
					m[a*nodes+b], m[b*nodes+a] = x, x
				}
			}
			v = append(v, m...)
		}
		s.pearson = append(s.pearson, artifacts.NewArray(v, 3, nodes, nodes))
	}
	s.folds = mustRun(t, &Split{Folds: 4, Repeats: 1, Stratify: true, Seed: 1}, map[string][]dag.Input{"participants": {dag.InputOf(s.participants)}})["folds"].(*artifacts.Table)
	return s
}

func (s *corrStudy) inputs() map[string][]dag.Input {
	in := map[string][]dag.Input{"folds": {dag.InputOf(s.folds)}}
	for i, a := range s.pearson {
		subject := dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%03d", i+1)}
		in["pearson"] = append(in["pearson"], dag.InputOf(a, subject))
		in["features"] = append(in["features"], dag.InputOf(a, subject))
		// A ring, and the first edge with its correlation.
		var draw, source, target []int32
		var weight []float64
		for d := range a.Shape[0] {
			n := a.Shape[1]
			for k := range n - 1 {
				draw, source, target = append(draw, int32(d)), append(source, int32(k+1)), append(target, int32(k+2))
				weight = append(weight, a.Float64s()[(d*n+k)*n+k+1])
			}
		}
		in["edges"] = append(in["edges"], dag.InputOf(artifacts.NewTable(artifacts.Column{Name: "draw", Values: draw}, artifacts.Column{Name: "source", Values: source},
			artifacts.Column{Name: "target", Values: target}, artifacts.Column{Name: "weight", Values: weight}), subject))
	}
	return in
}

// quickly is a baseline that is trained in a moment on a few graphs.
func quickly(model string, more ...any) dag.Stage {
	return fresh("baseline", append([]any{"model", model, "fold", 2, "trees", 60, "epochs", 60, "batch", 6, "learning_rate", 0.01, "channels", []any{4, 4, 4, 8}, "full_widths", []any{6}, "dropout", 0.1}, more...)...)
}

// models are all that the parameter offers.
func models() []string {
	for _, p := range dag.Params(fresh("baseline")) {
		if p.Name == "model" {
			return p.Choices
		}
	}
	return nil
}

func predictionsOf(t *testing.T, out dag.Outputs) (id, set []string, predicted, label []int64, p []float64) {
	t.Helper()
	table := out["predictions"].(*artifacts.Table)
	id, _ = table.Strings("participant_id")
	set, _ = table.Strings("set")
	predicted, _ = table.Ints("predicted")
	label, _ = table.Ints("label")
	p, err := table.Floats("probability")
	if err != nil {
		t.Fatal(err)
	}
	return
}

// Every model learns an easy difference, from the draws and not from draw 0, and
// gives a row a graph, each participant on one side.
func TestBaselines(t *testing.T) {
	s := newCorrStudy(t, 24)
	for _, model := range models() {
		out := mustRun(t, quickly(model), s.inputs())
		id, set, predicted, label, p := predictionsOf(t, out)
		if len(id) != 48 {
			t.Fatalf("%s: %d rows, want two draws of 24 participants", model, len(id))
		}
		side := map[string]string{}
		right, tested := 0, 0
		for i := range id {
			if side[id[i]] == "" {
				side[id[i]] = set[i]
			}
			if side[id[i]] != set[i] {
				t.Fatalf("%s: %s is on both sides", model, id[i])
			}
			if (p[i] > 0.5) != (predicted[i] == 1) {
				t.Errorf("%s: probability %v of group 1, and group %d predicted", model, p[i], predicted[i])
			}
			if set[i] == "test" {
				tested++
				if predicted[i] == label[i] {
					right++
				}
			}
		}
		if tested != 12 {
			t.Errorf("%s: %d graphs tested, want 12", model, tested)
		}
		if want := 11; model != "majority" && right < want || model == "majority" && right != 6 {
			t.Errorf("%s: %d of %d right", model, right, tested)
		}
	}
}

// A network tells its epochs: what the last one says of the test side is what the
// predictions say. Other models have none.
func TestBaselineHistory(t *testing.T) {
	s := newCorrStudy(t, 24)
	for _, model := range models() {
		out := mustRun(t, quickly(model, "epochs", 7), s.inputs())
		h := out["history"].(*artifacts.Table)
		if network := slices.Contains([]string{"mlp", "brainnetcnn", "li2019"}, model); !network {
			if h.Rows() != 0 {
				t.Errorf("%s: %d epochs", model, h.Rows())
			}
			continue
		}
		if h.Rows() != 7 {
			t.Fatalf("%s: %d epochs, want 7", model, h.Rows())
		}
		of := func(name string) float64 {
			v, err := h.Floats(name)
			if err != nil {
				t.Fatal(err)
			}
			return v[6]
		}
		_, set, predicted, label, p := predictionsOf(t, out)
		right, loss, n := 0.0, 0.0, 0.0
		for i := range set {
			if set[i] == "test" {
				n++
				if predicted[i] == label[i] {
					right++
				}
				loss -= math.Log(math.Abs(1 - float64(label[i]) - p[i]))
			}
		}
		if of("test_accuracy") != right/n || math.Abs(of("test_ce")-loss/n) > 1e-6 {
			t.Errorf("%s: accuracy %v and cross-entropy %v, want %v and %v", model, of("test_accuracy"), of("test_ce"), right/n, loss/n)
		}
		if of("loss") != of("ce") || !(of("train_accuracy") > 0) || !(of("rate") > 0) {
			t.Errorf("%s: loss %v, ce %v, accuracy %v, rate %v", model, of("loss"), of("ce"), of("train_accuracy"), of("rate"))
		}
	}
}

// Curves are drawn of the networks; classifiers without epochs are passed over.
func TestCurvesOfNetworks(t *testing.T) {
	s := newCorrStudy(t, 24)
	drawn := func(models ...string) string {
		var in []dag.Input
		for _, model := range models {
			in = append(in, dag.InputOf(mustRun(t, quickly(model, "epochs", 3), s.inputs())["history"], dag.Coord{Axis: "model", Value: model}))
		}
		out := mustRun(t, fresh("figure-training"), map[string][]dag.Input{"training": in})
		return string(out["picture"].(artifacts.Bytes).Data)
	}
	if all, networks := drawn("svm", "mlp", "ridge"), drawn("mlp"); all != networks || !strings.Contains(all, ">MLP<") {
		t.Error("classifiers without epochs change the figure, or the network is not named")
	}
}

// What test participants look like changes nothing for anybody else: neither
// models nor the statistics of their inputs are fitted to them.
func TestBaselineDoesNotLookAtTestParticipants(t *testing.T) {
	s := newCorrStudy(t, 24)
	folds, _ := s.folds.Ints("fold")
	for _, model := range models() {
		stage := quickly(model, "standardize", "training", "epochs", 5)
		_, _, _, _, before := predictionsOf(t, mustRun(t, stage, s.inputs()))
		whole := s.pearson
		s.pearson = slices.Clone(whole)
		var changed int
		for i := range s.pearson {
			if folds[i] == 2 {
				changed = i
				v := slices.Clone(s.pearson[i].Float64s())
				for j := range v {
					v[j] *= -0.5
				}
				s.pearson[i] = artifacts.NewArray(v, s.pearson[i].Shape...)
				break
			}
		}
		id, _, _, _, after := predictionsOf(t, mustRun(t, stage, s.inputs()))
		s.pearson = whole
		other := false
		for i := range id {
			own := id[i] == fmt.Sprintf("sub-%03d", changed+1)
			if !own && before[i] != after[i] {
				t.Fatalf("%s: the prediction for %s changed with the test participant sub-%03d", model, id[i], changed+1)
			}
			other = other || own && before[i] != after[i]
		}
		if !other && model != "majority" {
			t.Errorf("%s: another matrix gives the same prediction", model)
		}
	}
}

func TestBaselineMistakes(t *testing.T) {
	s := newCorrStudy(t, 8)
	broken := slices.Clone(s.pearson[2].Float64s())
	broken[25+3] = math.NaN()
	for _, c := range []struct {
		name   string
		change func(in map[string][]dag.Input)
		stage  dag.Stage
		want   string
	}{
		{"a value is missing", func(in map[string][]dag.Input) {
			in["pearson"][2] = dag.InputOf(artifacts.NewArray(broken, 3, 5, 5), in["pearson"][2].Coords...)
		}, fresh("baseline"), "draw 1: the correlation of nodes 1 and 4 is NaN"},
		{"another atlas", func(in map[string][]dag.Input) {
			in["pearson"][7] = dag.InputOf(artifacts.NewArray(make([]float64, 32), 2, 4, 4), in["pearson"][7].Coords...)
		}, fresh("baseline"), "4 regions, other participants have 5"},
		{"somebody is missing", func(in map[string][]dag.Input) { in["pearson"] = in["pearson"][1:] }, fresh("baseline"), "no graphs of sub-001"},
		{"no such fold", func(map[string][]dag.Input) {}, fresh("baseline", "fold", 9), "has the folds 1 to 4, not 9"},
		{"no graphs", func(in map[string][]dag.Input) { delete(in, "edges") }, fresh("baseline", "model", "li2019"), "connect edges and features as for train"},
		{"others' edges", func(in map[string][]dag.Input) { in["edges"][0].Coords[0].Value = "sub-999" }, fresh("baseline", "model", "li2019"), "are not of one participant"},
	} {
		in := s.inputs()
		c.change(in)
		_, err := runStage(t, c.stage, in)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
