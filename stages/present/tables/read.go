package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
)

// A VariationRow is one row of Table 1, a setting of PR-GNN, as the table table1 has it.
type VariationRow struct {
	Distance string  `column:"distance"`
	Pool     string  `column:"pool"`
	Lambda1  float64 `column:"lambda1,missing" doc:"weight of the distance losses"`
	Lambda2  float64 `column:"lambda2,missing" doc:"weight of the group-level consistency"`
	FoldMean float64 `column:"fold_mean,missing" doc:"of this run: accuracy, mean over the folds"`
	FoldSD   float64 `column:"fold_sd,missing" doc:"of this run: its SD over the folds"`
	Accuracy float64 `column:"accuracy,missing" doc:"of this run: pooled over the folds"`
	Low      float64 `column:"ci_low,missing" doc:"of this run: 95% confidence interval of accuracy, for the number of participants"`
	High     float64 `column:"ci_high,missing"`
	Paper    float64 `column:"paper_accuracy,missing" doc:"printed in the paper, on its participants"`
	PaperSD  float64 `column:"paper_sd,missing" doc:"printed in the paper"`

	evaluated column.AccuracyRow
}

// paperOne is Table 1 as printed: distance, pool, then λ1-λ2 of 0-0, 0.1-0, 0.1-0.1, 0.1-0.5, 0.1-1.
var paperOne = map[[2]string][5][2]float64{
	{"mmd", "topk"}: {{0.753, 0.042}, {0.784, 0.062}, {0.781, 0.038}, {0.780, 0.059}, {0.744, 0.060}},
	{"mmd", "sage"}: {{0.751, 0.022}, {0.770, 0.039}, {0.771, 0.051}, {0.773, 0.047}, {0.751, 0.050}},
	{"bce", "topk"}: {{0.750, 0.046}, {0.779, 0.053}, {0.797, 0.051}, {0.789, 0.066}, {0.762, 0.044}},
	{"bce", "sage"}: {{0.755, 0.041}, {0.767, 0.033}, {0.773, 0.047}, {0.764, 0.050}, {0.755, 0.041}},
}

var paperLambda = [5][2]float64{{0, 0}, {0.1, 0}, {0.1, 0.1}, {0.1, 0.5}, {0.1, 1}}

// A ClassifierRow is one row of Table 2 as the table table2 has it. The paper's numbers are 0 in the
// list of contenders, and then NaN, where nothing is printed.
type ClassifierRow struct {
	Model           string  `column:"model"`
	FoldMean        float64 `column:"fold_mean,missing" doc:"of this run: accuracy, mean over the folds"`
	FoldSD          float64 `column:"fold_sd,missing" doc:"of this run: its SD over the folds"`
	Accuracy        float64 `column:"accuracy,missing" doc:"of this run: pooled over the folds"`
	Low             float64 `column:"ci_low,missing" doc:"of this run: 95% confidence interval of accuracy, for the number of participants"`
	High            float64 `column:"ci_high,missing"`
	Parameters      float64 `column:"parameters,missing" doc:"trainable; of SVM and Random Forest the number of inputs, as in the paper"`
	Paper           float64 `column:"paper_accuracy,missing" doc:"printed in the paper, on its participants"`
	PaperSD         float64 `column:"paper_sd,missing" doc:"printed in the paper"`
	PaperParameters float64 `column:"paper_parameters,missing" doc:"printed in the paper, in thousands"`

	id        string // of the model
	evaluated column.AccuracyRow
}

// contenders are the models of Table 2 in the order of the paper, then ours,
// with what is printed.
var contenders = []ClassifierRow{
	{id: "svm", Model: "SVM", Paper: 0.686, PaperSD: 0.111, PaperParameters: 3000},
	{id: "forest", Model: "Random Forest", Paper: 0.723, PaperSD: 0.020, PaperParameters: 3000},
	{id: "mlp", Model: "MLP", Paper: 0.727, PaperSD: 0.047, PaperParameters: 137000},
	{id: "brainnetcnn", Model: "BrainNetCNN", Paper: 0.781, PaperSD: 0.044, PaperParameters: 1438000},
	{id: "li2019", Model: "Li et al. 2019", Paper: 0.753, PaperSD: 0.033, PaperParameters: 16000},
	{id: "", Model: "PR-GNN", Paper: 0.797, PaperSD: 0.051, PaperParameters: 6000},
	{id: "majority", Model: "Majority"},
	{id: "linear-svm", Model: "Linear SVM"},
	{id: "ridge", Model: "Ridge"},
	{id: "logistic", Model: "Logistic"},
	{id: "kernel-ridge", Model: "Kernel ridge"},
}

// variations reads Table 1, in the order of the paper; settings that the paper
// does not have come after its own.
func (s *Tables) variations(t *dag.Task) ([]VariationRow, error) {
	if !t.Has("variations") {
		return nil, nil
	}
	in := t.In("variations")
	rows, err := column.Read[column.AccuracyRow](in)
	if err != nil {
		return nil, err
	}
	for _, axis := range []string{"distance", "pool", "lambda"} {
		if !slices.ContainsFunc(rows, func(r column.AccuracyRow) bool { return column.ValueOn(r.Coords, axis) != "" }) {
			return nil, fmt.Errorf("%s: there is no column %s: let the trainings fan out over it (matrix: { distance: [mmd, bce], pool: [topk, sage], lambda: [[0.1, 0.1]], fold: all })", in.Name, axis)
		}
	}
	var out []VariationRow
	for _, r := range rows {
		if r.Level != s.Level {
			continue
		}
		v := VariationRow{evaluated: r, Distance: column.ValueOn(r.Coords, "distance"),
			Pool:     column.ValueOn(r.Coords, "pool"),
			FoldMean: r.FoldMean, FoldSD: r.FoldSD, Accuracy: r.Accuracy, Low: r.Low, High: r.High, Paper: math.NaN(),
			PaperSD: math.NaN()}
		if v.Lambda1, v.Lambda2, err = column.Lambdas(column.ValueOn(r.Coords, "lambda")); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if at := slices.Index(paperLambda[:], [2]float64{v.Lambda1, v.Lambda2}); at >= 0 {
			if p, ok := paperOne[[2]string{v.Distance, v.Pool}]; ok {
				v.Paper, v.PaperSD = p[at][0], p[at][1]
			}
		}
		for _, other := range out {
			if other.Distance == v.Distance && other.Pool == v.Pool && other.Lambda1 == v.Lambda1 &&
				other.Lambda2 == v.Lambda2 {
				return nil, fmt.Errorf("%s: %s, %s, %s appears twice: the trainings differ in another axis, which Table 1 does not have", in.Name, v.Distance, v.Pool, column.ValueOn(r.Coords, "lambda"))
			}
		}
		out = append(out, v)
	}
	order := func(v VariationRow) []float64 {
		return []float64{float64(place(v.Distance, "mmd", "bce")), float64(place(v.Pool, "topk", "sage")),
			v.Lambda1, v.Lambda2}
	}
	slices.SortStableFunc(out, func(a, b VariationRow) int { return slices.Compare(order(a), order(b)) })
	return out, nil
}

// place is where a word stands among others, or after them.
func place(word string, words ...string) int {
	if i := slices.Index(words, word); i >= 0 {
		return i
	}
	return len(words)
}

// comparison reads Table 2, in the order of the paper; models that it does not
// have come after its own.
func (s *Tables) comparison(t *dag.Task) ([]ClassifierRow, error) {
	if !t.Has("comparison") {
		return nil, nil
	}
	rows, err := column.Read[column.AccuracyRow](t.In("comparison"))
	if err != nil {
		return nil, err
	}
	count, err := parameterCounts(t)
	if err != nil {
		return nil, err
	}
	models := 0 // of PR-GNN
	for _, r := range rows {
		if r.Level == s.Level && column.ValueOn(r.Coords, "model") == "" {
			models++
		}
	}
	var out []ClassifierRow
	for _, r := range rows {
		if r.Level != s.Level {
			continue
		}
		id := column.ValueOn(r.Coords, "model")
		c := ClassifierRow{id: id, Model: id}
		if at := slices.IndexFunc(contenders, func(c ClassifierRow) bool {
			return c.id == id || c.Model == id
		}); at >= 0 {
			c = contenders[at]
		}
		if c.Paper == 0 {
			c.Paper, c.PaperSD, c.PaperParameters = math.NaN(), math.NaN(), math.NaN()
		}
		if c.id == "" && models > 1 {
			c.Model += " (" + strings.TrimSpace(strings.ReplaceAll(column.CoordText(r.Coords), "model=", "")) + ")"
		}
		c.evaluated, c.FoldMean, c.FoldSD = r, r.FoldMean, r.FoldSD
		c.Accuracy, c.Low, c.High = r.Accuracy, r.Low, r.High
		c.Parameters = math.NaN()
		if n, ok := count[c.id]; ok {
			c.Parameters = n
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b ClassifierRow) int {
		at := func(c ClassifierRow) int {
			if i := slices.IndexFunc(contenders, func(x ClassifierRow) bool { return x.id == c.id }); i >= 0 {
				return i
			}
			return len(contenders)
		}
		return at(a) - at(b)
	})
	return out, nil
}

// A modelRow is the number of parameters of a baseline.
type modelRow struct {
	Model      string `column:"model"`
	Parameters int64  `column:"parameters"`
}

// A parameterRow is one array of parameters of a PR-GNN.
type parameterRow struct {
	Length    int64 `column:"length"`
	Trainable bool  `column:"trainable"`
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
		rows, err := column.Read[modelRow](in)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			add(r.Model, float64(r.Parameters))
		}
	}
	for _, in := range t.All("parameters") {
		rows, err := column.Read[parameterRow](in)
		if err != nil {
			return nil, err
		}
		sum := 0.0
		for _, r := range rows {
			if r.Trainable {
				sum += float64(r.Length)
			}
		}
		add("", sum)
	}
	return count, nil
}
