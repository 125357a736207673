package stagetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/mat5"
)

// A corrStudy is participants of two groups with correlation matrices of a few
// nodes, two draws and the plain mean each; the groups differ in the first edge.
type corrStudy struct {
	participants *encoding.Table
	Pearson      []*encoding.Array
	Folds        *encoding.Table
}

func NewCorrStudy(t *testing.T, n int) *corrStudy {
	t.Helper()
	const nodes = 5
	s := &corrStudy{participants: SomeParticipants(n, "ASD", "HC")}
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
		s.Pearson = append(s.Pearson, encoding.NewArray(v, 3, nodes, nodes))
	}
	s.Folds = MustRun(t, Fresh("split", "folds", 4, "repeats", 1, "stratify", true, "seed", 1),
		map[string][]dag.Input{"participants": {dag.InputOf(s.participants)}})["folds"].(*encoding.Table)
	return s
}

func (s *corrStudy) Inputs() map[string][]dag.Input {
	in := map[string][]dag.Input{"folds": {dag.InputOf(s.Folds)}}
	for i, a := range s.Pearson {
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
		in["edges"] = append(in["edges"], dag.InputOf(encoding.NewTable(encoding.Column{Name: "draw", Values: draw},
			encoding.Column{Name: "source", Values: source},
			encoding.Column{Name: "target", Values: target}, encoding.Column{Name: "weight", Values: weight}), subject))
	}
	return in
}

// Quickly is a baseline that is trained in a moment on a few graphs.
func Quickly(model string, more ...any) dag.Stage {
	return Fresh("baseline", append([]any{"model", model, "fold", 2, "trees", 60, "epochs", 60, "batch", 6,
		"learning_rate", 0.01, "channels", []any{4, 4, 4, 8}, "full_widths", []any{6}, "dropout", 0.1}, more...)...)
}

// Fresh is a stage at its defaults but for some parameters: name, value, …
func Fresh(kind string, parameters ...any) dag.Stage {
	k, ok := Lookup(kind)
	if !ok {
		panic("no kind " + kind)
	}
	s := k.New()
	for i := 0; i < len(parameters); i += 2 {
		if err := param.Set(s, parameters[i].(string), parameters[i+1]); err != nil {
			panic(err)
		}
	}
	k.SetDefaults(s, func(name string) bool { return slices.Contains(parameters, any(name)) })
	return s
}

// NodesOf is a node list with these names.
func NodesOf(names ...string) *encoding.Table {
	index, id := make([]int32, len(names)), make([]int32, len(names))
	for i := range names {
		index[i], id[i] = int32(i+1), int32(10*(i+1))
	}
	zero := make([]float64, len(names))
	return encoding.NewTable(
		encoding.Column{Name: "index", Values: index}, encoding.Column{Name: "id", Values: id},
		encoding.Column{Name: "name", Values: names}, encoding.Column{Name: "abbreviation", Values: names},
		encoding.Column{Name: "x", Values: zero}, encoding.Column{Name: "y", Values: zero},
		encoding.Column{Name: "z", Values: zero},
	)
}

// FloatsOf are the numbers of a column of a table.
func FloatsOf(t *testing.T, v artifacts.Value, column string) []float64 {
	t.Helper()
	x := need.Value(v.(*encoding.Table).Floats(column))(t)
	return x
}

func Near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Abs(x-y) < 1e-12 ||
			math.IsNaN(x) && math.IsNaN(y)
	})
}

// Named is a value as an input with the name that messages will show.
func Named(name string, v artifacts.Value) dag.Input {
	in := dag.InputOf(v)
	in.Name = name
	return in
}

// Nodes is a node list of these ids, named n<id>.
func Nodes(ids ...int32) dag.Input {
	index, name := make([]int32, len(ids)), make([]string, len(ids))
	for i, id := range ids {
		index[i], name[i] = int32(i+1), fmt.Sprintf("n%d", id)
	}
	return Named("cohort.nodes", encoding.NewTable(
		encoding.Column{Name: "index", Values: index},
		encoding.Column{Name: "id", Values: slices.Clone(ids)},
		encoding.Column{Name: "name", Values: name},
	))
}

// Series makes draws of series around 1000 that have something in common.
func Series(draws, volumes, regions int) *encoding.Array {
	v := make([]float64, 0, draws*volumes*regions)
	r := random.New(1, "series")
	for range draws * volumes {
		common := r.Normal()
		for j := range regions {
			v = append(v, 1000+r.Normal()+common*float64(j%3))
		}
	}
	return encoding.NewArray(v, draws, volumes, regions)
}

// FileInput is a file as an input.
func FileInput(path string) dag.Input {
	size := Sure(os.Stat(path)).Size()
	return dag.Input{Name: path, Path: path, Ref: artifacts.Ref{Size: size},
		Reader: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// ChosenInputs are two settings in two outer folds: inside fold 1 (who are c, d) setting
// "good" is right about them, inside fold 2 (a, b) it is wrong.
func ChosenInputs() (inner, outer []dag.Input) {
	g := [2]string{"ASD", "HC"}
	for _, setting := range []string{"good", "poor"} {
		m := dag.Coord{Axis: "lambda", Value: setting}
		for o := 1; o <= 2; o++ {
			p := 0.1
			if (setting == "good") != (o == 1) {
				p = 0.8
			}
			who := [2]string{"c", "d"}
			tests := [2]string{"a", "b"}
			if o == 2 {
				who, tests = tests, who
			}
			for f := range 2 {
				label := f
				q := p
				if label == 1 {
					q = 1 - p
				}
				inner = append(inner, dag.InputOf(OneFold(int32(f+1), g, [3]any{who[f], label, q}),
					dag.Coord{Axis: "outer", Value: fmt.Sprint(o)}, m,
					dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}))
			}
			outer = append(outer, dag.InputOf(OneFold(int32(o), g, [3]any{tests[0], 0, p},
				[3]any{tests[1], 1, 0.5 + p/10}), m, dag.Coord{Axis: "fold", Value: fmt.Sprint(o)}))
		}
	}
	return inner, outer
}

const Sited = 24 // participants of sitedInputs

// SitedInputs are matrices of three sites with shifts of their own, two draws each; the
// last region of the first participant is silent. Age tells a little, and nothing the group.
func SitedInputs(t *testing.T) map[string][]dag.Input {
	t.Helper()
	const nodes = 5
	people := SomeParticipants(Sited, "ASD", "HC")
	ids, _ := people.Strings("participant_id")
	site, sex, age := make([]string, Sited), make([]string, Sited), make([]float64, Sited)
	var matrices []dag.Input
	for j, id := range ids {
		r := random.New(1, "sited", id)
		site[j], age[j], sex[j] = string(rune('a'+j%3)), float64(8+r.IntN(10)), [2]string{"F", "M"}[r.IntN(2)]
		v := make([]float64, 2*nodes*nodes)
		for d := range 2 {
			for a := range nodes {
				v[d*nodes*nodes+a*nodes+a] = 1
				for b := a + 1; b < nodes; b++ {
					// The same numbers on every processor, as they go into the battery.
					wave, _ := exact.Sincos(float64(j%3*7 + a*5 + b))
					x := 0.2 + float64(0.2*wave) + float64(0.01*age[j]) + float64(0.1*r.Normal())
					if j == 0 && b == nodes-1 {
						x = 0
					}
					x = max(-0.95, min(0.95, x))
					v[d*nodes*nodes+a*nodes+b], v[d*nodes*nodes+b*nodes+a] = x, x
				}
			}
		}
		matrices = append(matrices, dag.InputOf(encoding.NewArray(v, 2, nodes, nodes),
			dag.Coord{Axis: "subject", Value: id}))
	}
	people.Columns = append(people.Columns, encoding.Column{Name: "site", Values: site},
		encoding.Column{Name: "sex", Values: sex}, encoding.Column{Name: "age", Values: age})
	in := map[string][]dag.Input{"participants": {dag.InputOf(people)}, "matrices": matrices}
	in["folds"] = []dag.Input{dag.InputOf(MustRun(t, Fresh("split", "folds", 3, "seed", 2),
		map[string][]dag.Input{"participants": in["participants"]})["folds"])}
	return in
}

// PeopleWith is a table of 40 participants, of two groups in turn, with covariates.
func PeopleWith(columns ...encoding.Column) *encoding.Table {
	people := SomeParticipants(40, "ASD", "HC")
	people.Columns = append(people.Columns, columns...)
	return people
}

// ColumnOf is the number in the first row of a column.
func ColumnOf(t *testing.T, v artifacts.Value, column string) float64 {
	t.Helper()
	return FloatsOf(t, v, column)[0]
}

func ExecOutput(t *testing.T, v artifacts.Value) string {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, v.Encode(&b))
	return b.String()
}

func Mat(t *testing.T, vs ...mat5.Variable) []byte {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, mat5.Write(&b, vs))
	return b.Bytes()
}

// NewStage is a fresh stage of a kind, with its defaults.
func NewStage[S dag.Stage](t testing.TB, kind string) S {
	t.Helper()
	k, ok := Lookup(kind)
	if !ok {
		t.Fatalf("no stage kind %s", kind)
	}
	return k.New().(S)
}

// RunWith runs a stage on one input a port.
func RunWith(s dag.Stage, in map[string]dag.Input) (dag.Outputs, error) {
	inputs := map[string][]dag.Input{}
	for port, i := range in {
		inputs[port] = []dag.Input{i}
	}
	return s.Run(context.Background(), dag.NewTask(inputs))
}

// Sure is for calls that the test has no doubt about.
func Sure[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// NumberedFolds gives the predictions of one permutation: the true groups of a, b
// (fold 1), c, d (fold 2), and the probability of HC.
func NumberedFolds(n int, label [4]int, p ...float64) []dag.Input {
	g := [2]string{"ASD", "HC"}
	c := dag.Coord{Axis: "permutation", Value: fmt.Sprint(n)}
	return []dag.Input{
		dag.InputOf(OneFold(1, g, [3]any{"a", label[0], p[0]}, [3]any{"b", label[1], p[1]}), c,
			dag.Coord{Axis: "fold", Value: "1"}),
		dag.InputOf(OneFold(2, g, [3]any{"c", label[2], p[2]}, [3]any{"d", label[3], p[3]}), c,
			dag.Coord{Axis: "fold", Value: "2"}),
	}
}

// ReportInputs are made-up inputs of a report: the first participant and the groups
// are called as given.
func ReportInputs(first, groupA, groupB string) map[string][]dag.Input {
	people := encoding.NewTable(
		encoding.Column{Name: "participant_id", Values: []string{first, "sub-02", "sub-03"}},
		encoding.Column{Name: "group", Values: []string{groupA, groupA, groupB}},
		encoding.Column{Name: "age", Values: []float64{11, 12, 13.5}, Unit: "a"},
		encoding.Column{Name: "simulated", Values: []bool{true, true, true}})
	evaluation, scores := Evaluated(0.8, 0.7, 0.9)
	var columns [3][]string
	var values [][]string
	for _, row := range [][4]string{
		{"graphs", "graph", "rule", "largest"}, {"graphs", "graph", "density", "0.1"}, {"graphs", "graph", "of",
			"pairs"}, {"graphs", "graph", "repair", "largest"}, {"graphs", "graph", "features", "pearson"},
		{"folds", "split", "folds", "5"}, {"folds", "split", "stratify", "true"}, {"folds", "split", "seed", "7"},
		{"evaluate", "evaluate", "positive", ""},
	} {
		for i := range columns {
			columns[i] = append(columns[i], row[i])
		}
		values = append(values, row[3:])
	}
	settings := encoding.NewTable(encoding.Column{Name: "stage", Values: columns[0]},
		encoding.Column{Name: "kind", Values: columns[1]}, encoding.Column{Name: "parameter", Values: columns[2]},
		encoding.Column{Name: "value", Values: encoding.Lists(values)},
		encoding.Column{Name: "default", Values: encoding.Lists(values)})
	settings.Meta = map[string]string{"pipeline": "made up", column.SettingLinks: column.JSON([]column.Link{
		{Stage: "graphs", Port: "partial", From: column.Result{Stage: "r", Output: "partial"}, Data: "measure=partial"},
		{Stage: "graphs", Port: "pearson", From: column.Result{Stage: "r", Output: "pearson"},
			Data: "measure=pearson"}})}
	return map[string][]dag.Input{
		"participants": {dag.InputOf(people)}, "settings": {dag.InputOf(settings)},
		"notes":      {dag.InputOf(encoding.NewTable(encoding.Column{Name: "note", Values: []string{"1 participant excluded by name: " + first}}))},
		"evaluation": {dag.InputOf(evaluation)}, "scores": {dag.InputOf(scores)},
	}
}

// Evaluated are tables of evaluate, for one setting and three folds. low and high
// bound the accuracy.
func Evaluated(accuracy, low, high float64) (summary, scores *encoding.Table) {
	both := func(v float64) []float64 { return []float64{v, v} }
	level := []string{"graph", "participant"}
	summary = encoding.NewTable(
		encoding.Column{Name: "level", Values: level},
		encoding.Column{Name: "folds", Values: []int32{3, 3}}, encoding.Column{Name: "participants",
			Values: []int32{40, 40}},
		encoding.Column{Name: "accuracy", Values: both(accuracy)},
		encoding.Column{Name: "ci_low", Values: both(low)}, encoding.Column{Name: "ci_high", Values: both(high)},
		encoding.Column{Name: "fold_mean", Values: both(0.75)}, encoding.Column{Name: "fold_sd", Values: both(0.05)},
		encoding.Column{Name: "majority", Values: both(0.6)}, encoding.Column{Name: "balanced_accuracy",
			Values: both(0.7)},
		encoding.Column{Name: "auc", Values: both(0.8)}, encoding.Column{Name: "sensitivity", Values: both(0.9)},
		encoding.Column{Name: "specificity", Values: both(0.4)},
		encoding.Column{Name: "positive", Values: []string{"ASD", "ASD"}},
		encoding.Column{Name: "test", Values: []string{"", column.PerFold}},
		encoding.Column{Name: "p", Values: both(0.0004)}, encoding.Column{Name: "auc_p", Values: both(0.02)},
		encoding.Column{Name: "permutations", Values: []int32{9999, 9999}}, encoding.Column{Name: "p_least",
			Values: both(0.0001)},
	)
	scores = encoding.NewTable(
		encoding.Column{Name: "repeat", Values: []int32{1, 1, 1, 1}},
		encoding.Column{Name: "fold", Values: []int32{1, 1, 2, 3}},
		encoding.Column{Name: "level", Values: []string{"graph", "participant", "participant", "participant"}},
		encoding.Column{Name: "accuracy", Values: []float64{0.1, 0.5, 0.75, 1}},
	)
	return summary, scores
}

// SummaryOf is a summary of evaluate with these columns in front, a row a setting
// and level; the accuracies count up from 0.500.
func SummaryOf(axes []string, settings ...[]string) *encoding.Table {
	n := 2 * len(settings)
	var cols []encoding.Column
	for i, axis := range axes {
		var v []string
		for _, s := range settings {
			v = append(v, s[i], s[i])
		}
		cols = append(cols, encoding.Column{Name: axis, Values: v})
	}
	level, positive, folds, people := make([]string, n), make([]string, n), make([]int32, n), make([]int32, n)
	for i := range level {
		level[i], positive[i], folds[i], people[i] = fold.Levels[i%2], "ASD", 5, 118
	}
	cols = append(cols, encoding.Column{Name: "level", Values: level}, encoding.Column{Name: "folds", Values: folds},
		encoding.Column{Name: "participants", Values: people})
	for j, name := range []string{"fold_mean", "fold_sd", "accuracy", "ci_low", "ci_high", "majority",
		"balanced_accuracy", "auc", "sensitivity", "specificity"} {
		v := make([]float64, n)
		for i := range v {
			v[i] = []float64{0.5 + 0.001*float64(i/2) + 0.2*float64(i%2), 0.04,
				0.5 + 0.001*float64(i/2) + 0.2*float64(i%2), 0.4, 0.6, 0.636, 0.5, 0.5, 0.5, 0.5}[j]
		}
		cols = append(cols, encoding.Column{Name: name, Values: v})
	}
	return encoding.NewTable(append(cols, encoding.Column{Name: "positive", Values: positive})...)
}

func PaperVariations() *encoding.Table {
	var settings [][]string
	for _, d := range []string{"bce", "mmd"} {
		for _, p := range []string{"sage", "topk"} {
			for _, l := range []string{"0-0", "0.1-0", "0.1-0.1", "0.1-0.5", "0.1-1"} {
				settings = append(settings, []string{d, l, p})
			}
		}
	}
	return SummaryOf([]string{"distance", "lambda", "pool"}, settings...)
}

func ComparisonInputs() map[string][]dag.Input {
	model := func(name string, n int64) dag.Input {
		return dag.InputOf(encoding.NewTable(encoding.Column{Name: "model", Values: []string{name}},
			encoding.Column{Name: "parameters", Values: []int64{n}}))
	}
	return map[string][]dag.Input{
		"comparison": {dag.InputOf(SummaryOf([]string{"stage", "model"}, []string{"baselines", "ridge"},
			[]string{"baselines", "svm"}, []string{"train", ""}, []string{"baselines", "own|model"}))},
		"models": {model("svm", 3486), model("ridge", 3487), model("ridge", 3487), model("svm", 3486)},
		"parameters": {dag.InputOf(encoding.NewTable(encoding.Column{Name: "name", Values: []string{"a", "b", "c"}},
			encoding.Column{Name: "length", Values: []int64{2000, 122, 9}},
			encoding.Column{Name: "trainable", Values: []bool{true, true, false}}))},
	}
}

// SomeParticipants are n participants of the groups a and b in turn.
func SomeParticipants(n int, groups ...string) *encoding.Table {
	ids, group := make([]string, n), make([]string, n)
	for i := range ids {
		ids[i], group[i] = fmt.Sprintf("sub-%03d", i+1), groups[i%len(groups)]
	}
	return encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: group})
}

// RunStage runs a stage on inputs by port.
func RunStage(t *testing.T, s dag.Stage, inputs map[string][]dag.Input) (dag.Outputs, error) {
	t.Helper()
	return s.Run(context.Background(), dag.NewTask(inputs))
}

// MustRun is RunStage where the stage must not fail.
func MustRun(t *testing.T, s dag.Stage, inputs map[string][]dag.Input) dag.Outputs {
	t.Helper()
	out := need.Value(RunStage(t, s, inputs))(t)
	return out
}

// Encoded are the bytes that a value is stored as.
func Encoded(t *testing.T, v artifacts.Value) []byte {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, v.Encode(&b))
	return b.Bytes()
}

// PlantedGraphs makes the graphs of n participants, groups in turn: random
// features and a chain of edges; in group 1 the first three features of every node
// are moved by the effect.
func PlantedGraphs(n, draws, nodes int, effect float64) map[string][]dag.Input {
	var edges, features []dag.Input
	for i := range n {
		r := random.New(1, "test", i)
		x := make([]float64, draws*nodes*nodes)
		for j := range x {
			x[j] = 0.3 * r.Normal()
			if i%2 == 1 && j%nodes < 3 {
				x[j] += effect
			}
		}
		var draw, source, target []int32
		var weight []float64
		for d := range draws {
			for j := range nodes - 1 {
				draw, source, target = append(draw, int32(d)), append(source, int32(j+1)), append(target, int32(j+2))
				weight = append(weight, 0.2+0.1*r.Float64())
			}
		}
		coord := dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%03d", i+1)}
		features = append(features, dag.InputOf(encoding.NewArray(x, draws, nodes, nodes), coord))
		edges = append(edges, dag.InputOf(encoding.NewTable(
			encoding.Column{Name: "draw", Values: draw},
			encoding.Column{Name: "source", Values: source},
			encoding.Column{Name: "target", Values: target},
			encoding.Column{Name: "weight", Values: weight}), coord))
	}
	return map[string][]dag.Input{"edges": edges, "features": features}
}

func PlantedInputs(t *testing.T, n, draws, nodes int, effect float64) map[string][]dag.Input {
	in := PlantedGraphs(n, draws, nodes, effect)
	folds := MustRun(t, Fresh("split", "folds", 5, "repeats", 1, "stratify", true, "seed", 5),
		map[string][]dag.Input{"participants": {dag.InputOf(SomeParticipants(n, "HC", "ASD"))}})
	in["folds"] = []dag.Input{dag.InputOf(folds["folds"])}
	return in
}

// Codes are those of the findings in a table's metadata.
func Codes(t testing.TB, table *encoding.Table) string {
	t.Helper()
	all, err := finding.Of(table.Meta)
	need.NoError(t, err)
	return strings.Join(lists.Map(all, func(f finding.Finding) string { return f.Code }), " ")
}

// Numbered are participants with a number to predict, and the matrices of 4 regions that say it, of draw 0, which is
// not trained on, and of two draws: the correlation of the first two regions rises with the number.
func Numbered(t *testing.T, of []float64) map[string][]dag.Input {
	t.Helper()
	ids := make([]string, len(of))
	var matrices []dag.Input
	for i, y := range of {
		ids[i] = fmt.Sprintf("sub-%03d", i+1)
		x := make([]float64, 3*16)
		for d := range 3 {
			m := x[d*16:][:16]
			for a := range 4 {
				for b := range 4 {
					sin, _ := exact.Sincos(float64(7*i + 3*a*b + d))
					m[a*4+b] = 0.1 * sin
					if a > b {
						m[a*4+b] = m[b*4+a]
					}
				}
				m[a*4+a] = 1
			}
			m[1], m[4] = y/100, y/100
		}
		matrices = append(matrices,
			dag.InputOf(encoding.NewArray(x, 3, 4, 4), dag.Coord{Axis: "subject", Value: ids[i]}))
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "target", Values: of})
	folds := MustRun(t, Fresh("split", "label", "target", "folds", 4),
		map[string][]dag.Input{"participants": {dag.InputOf(people)}})["folds"]
	return map[string][]dag.Input{"pearson": matrices, "folds": {dag.InputOf(folds)}}
}

// Ramp are numbers 10, 11, … in an order of their own.
func Ramp(n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = 10 + float64(i*7%n)
	}
	return y
}

// PredictedNumbers are the rows of a table of predicted numbers.
func PredictedNumbers(t *testing.T, out dag.Outputs) []fold.NumberRow {
	t.Helper()
	table := out["predictions"].(*encoding.Table)
	ids, _ := table.Strings("participant_id")
	sets, _ := table.Strings("set")
	draws, _ := table.Ints("draw")
	targets, _ := table.Floats("target")
	predicted := need.Value(table.Floats("predicted"))(t)
	rows := make([]fold.NumberRow, len(ids))
	for i := range rows {
		rows[i] = fold.NumberRow{ID: ids[i], Set: sets[i], Draw: int32(draws[i]), Target: targets[i],
			Predicted: predicted[i]}
	}
	return rows
}

// Confounds is a table of fMRIPrep's columns; volumes 3 and 4 move.
func Confounds(volumes int) artifacts.Bytes {
	var b strings.Builder
	b.WriteString("csf\ttrans_x\ttrans_y\ttrans_z\trot_x\trot_y\trot_z\tglobal_signal\tframewise_displacement\tstd_dvars\n")
	r := random.New(2, "confounds")
	for v := range volumes {
		for range 7 {
			fmt.Fprintf(&b, "%.6f\t", r.Normal())
		}
		fmt.Fprintf(&b, "%d\t", 1000+v)
		switch v {
		case 0:
			b.WriteString("n/a\tn/a\n")
		case 3, 4:
			b.WriteString("0.75\t1\n")
		default:
			fmt.Fprintf(&b, "0.25\t1.%02d\n", v)
		}
	}
	return artifacts.Bytes{Kind: "tsv", Data: []byte(b.String())}
}
