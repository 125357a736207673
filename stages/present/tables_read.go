package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
)

// A variation is one row of Table 1: a setting of PR-GNN.
type variation struct {
	distance, pool   string
	lambda1, lambda2 float64
	accuracyRow
	paper, paperSD float64 // NaN where nothing is printed
}

// paperOne is Table 1 as printed: distance, pool, then λ1-λ2 of 0-0, 0.1-0, 0.1-0.1, 0.1-0.5, 0.1-1.
var paperOne = map[[2]string][5][2]float64{
	{"mmd", "topk"}: {{0.753, 0.042}, {0.784, 0.062}, {0.781, 0.038}, {0.780, 0.059}, {0.744, 0.060}},
	{"mmd", "sage"}: {{0.751, 0.022}, {0.770, 0.039}, {0.771, 0.051}, {0.773, 0.047}, {0.751, 0.050}},
	{"bce", "topk"}: {{0.750, 0.046}, {0.779, 0.053}, {0.797, 0.051}, {0.789, 0.066}, {0.762, 0.044}},
	{"bce", "sage"}: {{0.755, 0.041}, {0.767, 0.033}, {0.773, 0.047}, {0.764, 0.050}, {0.755, 0.041}},
}

var paperLambda = [5][2]float64{{0, 0}, {0.1, 0}, {0.1, 0.1}, {0.1, 0.5}, {0.1, 1}}

// A contender is one row of Table 2: a classifier.
type contender struct {
	id, name string
	accuracyRow
	parameters      float64 // NaN when it is not known
	paper, paperSD  float64 // as printed; 0 in the list, and then NaN, where nothing is
	paperParameters float64
}

// contenders are the models of Table 2 in the order of the paper, then ours,
// with what is printed.
var contenders = []contender{
	{id: "svm", name: "SVM", paper: 0.686, paperSD: 0.111, paperParameters: 3000},
	{id: "forest", name: "Random Forest", paper: 0.723, paperSD: 0.020, paperParameters: 3000},
	{id: "mlp", name: "MLP", paper: 0.727, paperSD: 0.047, paperParameters: 137000},
	{id: "brainnetcnn", name: "BrainNetCNN", paper: 0.781, paperSD: 0.044, paperParameters: 1438000},
	{id: "li2019", name: "Li et al. 2019", paper: 0.753, paperSD: 0.033, paperParameters: 16000},
	{id: "", name: "PR-GNN", paper: 0.797, paperSD: 0.051, paperParameters: 6000},
	{id: "majority", name: "Majority"}, {id: "linear-svm", name: "Linear SVM"}, {id: "ridge", name: "Ridge"}, {id: "logistic", name: "Logistic"},
}

// variations reads Table 1, in the order of the paper; settings that the paper
// does not have come after its own.
func (s *Tables) variations(t *dag.Task) ([]variation, error) {
	if !t.Has("variations") {
		return nil, nil
	}
	in := t.In("variations")
	rows, table, err := s.accuracies(in)
	if err != nil {
		return nil, err
	}
	var axes [3][]string
	for i, name := range []string{"distance", "pool", "lambda"} {
		if axes[i], err = table.Strings(name); err != nil {
			return nil, fmt.Errorf("%s: there is no column %s: let the trainings fan out over it (matrix: { distance: [mmd, bce], pool: [topk, sage], lambda: [[0.1, 0.1]], fold: [1..5] })", in.Name, name)
		}
	}
	var out []variation
	for i, r := range rows {
		if r.level != s.Level {
			continue
		}
		v := variation{distance: axes[0][i], pool: axes[1][i], accuracyRow: r, paper: math.NaN(), paperSD: math.NaN()}
		if v.lambda1, v.lambda2, err = column.Lambdas(axes[2][i]); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if at := slices.Index(paperLambda[:], [2]float64{v.lambda1, v.lambda2}); at >= 0 {
			if p, ok := paperOne[[2]string{v.distance, v.pool}]; ok {
				v.paper, v.paperSD = p[at][0], p[at][1]
			}
		}
		for _, other := range out {
			if other.distance == v.distance && other.pool == v.pool && other.lambda1 == v.lambda1 && other.lambda2 == v.lambda2 {
				return nil, fmt.Errorf("%s: %s, %s, %s comes twice: the trainings differ in another axis, of which Table 1 knows nothing", in.Name, v.distance, v.pool, axes[2][i])
			}
		}
		out = append(out, v)
	}
	order := func(v variation) []float64 {
		return []float64{float64(place(v.distance, "mmd", "bce")), float64(place(v.pool, "topk", "sage")), v.lambda1, v.lambda2}
	}
	slices.SortStableFunc(out, func(a, b variation) int { return slices.Compare(order(a), order(b)) })
	return out, nil
}

// place is where a word stands among others, or after them.
func place(word string, words ...string) int {
	if i := slices.Index(words, word); i >= 0 {
		return i
	}
	return len(words)
}

// accuracies reads evaluate's summary, and the table for its other columns.
func (s *Tables) accuracies(in dag.Input) ([]accuracyRow, *encoding.Table, error) {
	table, err := in.Table()
	if err != nil {
		return nil, nil, err
	}
	rows, err := readAccuracy(in)
	return rows, table, err
}

// comparison reads Table 2, in the order of the paper; models that it does not
// have come after its own.
func (s *Tables) comparison(t *dag.Task) ([]contender, error) {
	if !t.Has("comparison") {
		return nil, nil
	}
	in := t.In("comparison")
	rows, table, err := s.accuracies(in)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	if _, ok := table.Column("model"); ok {
		if ids, err = table.Strings("model"); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	count, err := parameterCounts(t)
	if err != nil {
		return nil, err
	}
	var out []contender
	for i, r := range rows {
		if r.level != s.Level {
			continue
		}
		c := contender{id: ids[i], name: ids[i]}
		if at := slices.IndexFunc(contenders, func(c contender) bool { return c.id == ids[i] || c.name == ids[i] }); at >= 0 {
			c = contenders[at]
		}
		if c.paper == 0 {
			c.paper, c.paperSD, c.paperParameters = math.NaN(), math.NaN(), math.NaN()
		}
		// Several PR-GNNs are told apart by their settings.
		if c.id == "" && several(rows, ids, s.Level) {
			c.name += " (" + strings.TrimSpace(strings.ReplaceAll(r.setting, "model=", "")) + ")"
		}
		c.accuracyRow, c.parameters = r, math.NaN()
		if n, ok := count[c.id]; ok {
			c.parameters = n
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b contender) int {
		at := func(c contender) int {
			if i := slices.IndexFunc(contenders, func(x contender) bool { return x.id == c.id }); i >= 0 {
				return i
			}
			return len(contenders)
		}
		return at(a) - at(b)
	})
	return out, nil
}

// several tells whether more than one row is a PR-GNN.
func several(rows []accuracyRow, ids []string, level string) bool {
	n := 0
	for i, r := range rows {
		if r.level == level && ids[i] == "" {
			n++
		}
	}
	return n > 1
}

// parameterCounts are the numbers of parameters by model; PR-GNN's has no name. A
// model whose folds differ in it has none.
func parameterCounts(t *dag.Task) (map[string]float64, error) {
	count := map[string]float64{}
	add := func(model string, n float64) {
		if old, there := count[model]; there && old != n {
			n = math.NaN()
		}
		count[model] = n
	}
	for _, in := range t.All("models") {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		names, err := table.Strings("model")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		n, err := table.Ints("parameters")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		for i := range names {
			add(names[i], float64(n[i]))
		}
	}
	for _, in := range t.All("parameters") {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		length, err := table.Ints("length")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		trainable, err := table.Bools("trainable")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		sum := 0.0
		for i, n := range length {
			if trainable[i] {
				sum += float64(n)
			}
		}
		add("", sum)
	}
	return count, nil
}
