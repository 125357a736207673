package stages

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
)

// summaryOf is a summary of evaluate with these columns in front, a row a setting
// and level; the accuracies count up from 0.500.
func summaryOf(axes []string, settings ...[]string) *artifacts.Table {
	n := 2 * len(settings)
	var cols []artifacts.Column
	for i, axis := range axes {
		var v []string
		for _, s := range settings {
			v = append(v, s[i], s[i])
		}
		cols = append(cols, artifacts.Column{Name: axis, Values: v})
	}
	level, positive, folds, people := make([]string, n), make([]string, n), make([]int32, n), make([]int32, n)
	for i := range level {
		level[i], positive[i], folds[i], people[i] = levels[i%2], "ASD", 5, 118
	}
	cols = append(cols, artifacts.Column{Name: "level", Values: level}, artifacts.Column{Name: "folds", Values: folds}, artifacts.Column{Name: "participants", Values: people})
	for j, name := range []string{"accuracy", "sd", "ci_low", "ci_high", "majority", "balanced_accuracy", "auc", "sensitivity", "specificity"} {
		v := make([]float64, n)
		for i := range v {
			v[i] = []float64{0.5 + 0.001*float64(i/2) + 0.2*float64(i%2), 0.04, 0.4, 0.6, 0.636, 0.5, 0.5, 0.5, 0.5}[j]
		}
		cols = append(cols, artifacts.Column{Name: name, Values: v})
	}
	return artifacts.NewTable(append(cols, artifacts.Column{Name: "positive", Values: positive})...)
}

func paperVariations() *artifacts.Table {
	var settings [][]string
	for _, d := range []string{"bce", "mmd"} {
		for _, p := range []string{"sage", "topk"} {
			for _, l := range []string{"0-0", "0.1-0", "0.1-0.1", "0.1-0.5", "0.1-1"} {
				settings = append(settings, []string{d, l, p})
			}
		}
	}
	return summaryOf([]string{"distance", "lambda", "pool"}, settings...)
}

func comparisonInputs() map[string][]dag.Input {
	model := func(name string, n int64) dag.Input {
		return dag.InputOf(artifacts.NewTable(artifacts.Column{Name: "model", Values: []string{name}}, artifacts.Column{Name: "parameters", Values: []int64{n}}))
	}
	return map[string][]dag.Input{
		"comparison": {dag.InputOf(summaryOf([]string{"stage", "model"}, []string{"baselines", "ridge"}, []string{"baselines", "svm"}, []string{"train", ""}, []string{"baselines", "own|model"}))},
		"models":     {model("svm", 3486), model("ridge", 3487), model("ridge", 3487), model("svm", 3486)},
		"parameters": {dag.InputOf(artifacts.NewTable(artifacts.Column{Name: "name", Values: []string{"a", "b", "c"}},
			artifacts.Column{Name: "length", Values: []int64{2000, 122, 9}}, artifacts.Column{Name: "trainable", Values: []bool{true, true, false}}))},
	}
}

func bytesOf(t *testing.T, out dag.Outputs, port string) string { return string(encoded(t, out[port])) }

// Table 1 has the paper's order and layout, and the printed numbers stand where
// the paper has them, in rows of their own.
func TestTableOne(t *testing.T) {
	p := someParticipants(4, "ASD", "HC")
	p.Columns = append(p.Columns, artifacts.Column{Name: "simulated", Values: []bool{true, true, true, true}})
	out := mustRun(t, fresh("tables"), map[string][]dag.Input{"variations": {dag.InputOf(paperVariations())}, "participants": {dag.InputOf(p)}})
	markdown := bytesOf(t, out, "markdown")
	for _, want := range []string{
		"| Loss | Pool | 0-0 | 0.1-0 | 0.1-0.1 | 0.1-0.5 | 0.1-1 |",
		"SIMULATED DATA: nobody was scanned",
		"| MMD | TopK | 0.515(0.040) | 0.516(0.040) | 0.517(0.040) | 0.518(0.040) | 0.519(0.040) |\n| MMD | SAGE | 0.510(0.040)",
		// Copied from the paper's source.
		"| MMD | TopK | 0.753(0.042) | 0.784(0.062) | 0.781(0.038) | 0.780(0.059) | 0.744(0.060) |",
		"| MMD | SAGE | 0.751(0.022) | 0.770(0.039) | 0.771(0.051) | 0.773(0.047) | 0.751(0.050) |",
		"| BCE | TopK | 0.750(0.046) | 0.779(0.053) | 0.797(0.051) | 0.789(0.066) | 0.762(0.044) |",
		"| BCE | SAGE | 0.755(0.041) | 0.767(0.033) | 0.773(0.047) | 0.764(0.050) | 0.755(0.041) |",
	} {
		if !strings.Contains(markdown, want) {
			t.Errorf("no %q in\n%s", want, markdown)
		}
	}
	latex := bytesOf(t, out, "latex")
	for _, want := range []string{`\multirow{2}{*}{MMD} & TopK & 0.515(0.040)`, ` & SAGE & 0.510(0.040)`, `$\lambda_1$-$\lambda_2$`, `\begin{tabular}{@{}l|l|ccccc@{}} \toprule`, `\emph{this run, SIMULATED DATA}`} {
		if !strings.Contains(latex, want) {
			t.Errorf("no %q in\n%s", want, latex)
		}
	}
	if tsv := bytesOf(t, out, "tsv"); !strings.Contains(tsv, "printed in the paper (75 ASD, 43 HC)\tBCE\tTopK\t0.750(0.046)") {
		t.Errorf("%s", tsv)
	}
	table := out["table1"].(*artifacts.Table)
	distance, _ := table.Strings("distance")
	l2, _ := table.Floats("lambda2")
	printed, _ := table.Floats("paper_accuracy")
	if table.Rows() != 20 || table.Meta["simulated"] != "true" || distance[12] != "bce" || l2[12] != 0.1 || printed[12] != 0.797 {
		t.Errorf("row 13 is %v %v %v", distance[12], l2[12], printed[12])
	}
}

// Table 2 has the paper's models first, and theirs are not mixed with ours.
func TestTableTwo(t *testing.T) {
	out := mustRun(t, fresh("tables"), comparisonInputs())
	markdown := bytesOf(t, out, "markdown")
	for _, want := range []string{
		"| Metric | SVM | PR-GNN | Ridge | own\\|model |",
		"| Acc | 0.501(0.040) | 0.502(0.040) | 0.500(0.040) | 0.503(0.040) |",
		"| #Par | 3,486 | 2,122 | 3,487 | – |",
		"| Acc | 0.686(0.111) | 0.797(0.051) | – | – |\n| #Par | 3k | 6k | – | – |",
	} {
		if !strings.Contains(markdown, want) {
			t.Errorf("no %q in\n%s", want, markdown)
		}
	}
	if strings.Contains(markdown, "SIMULATED") {
		t.Error("real data are called simulated")
	}
	if latex := bytesOf(t, out, "latex"); !strings.Contains(latex, `95 \% CI & 0.400--0.600`) || !strings.Contains(latex, `\#Par & 3,486`) {
		t.Errorf("%s", latex)
	}
	participant := mustRun(t, fresh("tables", "level", "participant"), comparisonInputs())
	if m := bytesOf(t, participant, "markdown"); !strings.Contains(m, "| Acc | 0.701(0.040) |") || !strings.Contains(m, "each participant counted once") {
		t.Errorf("%s", m)
	}
}

func TestTablesMistakes(t *testing.T) {
	for want, in := range map[string]map[string][]dag.Input{
		"nothing to write tables of": {},
		"there is no column lambda":  {"variations": {dag.InputOf(summaryOf([]string{"distance", "pool"}, []string{"bce", "topk"}))}},
		`lambda "0.1" is not two`:    {"variations": {dag.InputOf(summaryOf([]string{"distance", "lambda", "pool"}, []string{"bce", "0.1", "topk"}))}},
		"comes twice": {"variations": {dag.InputOf(summaryOf([]string{"distance", "lambda", "pool", "ratio"},
			[]string{"bce", "0-0", "topk", "0.5"}, []string{"bce", "0-0", "topk", "0.7"}))}},
	} {
		if _, err := runStage(t, fresh("tables"), in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestLambdas(t *testing.T) {
	for text, want := range map[string][2]float64{"0-0": {0, 0}, "0.1-0.5": {0.1, 0.5}, "1e-05-2": {1e-05, 2}} {
		a, b, err := lambdas(text)
		if got := fmt.Sprint([2]float64{a, b}, err); got != fmt.Sprint(want, error(nil)) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
