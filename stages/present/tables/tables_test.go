package tables

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/stagetest"
)

func bytesOf(t *testing.T, out dag.Outputs, port string) string {
	return string(stagetest.Encoded(t, out[port]))
}

// Table 1 has the paper's order and layout, and the printed numbers stand where
// the paper has them, in rows of their own.
func TestTableOne(t *testing.T) {
	p := stagetest.SomeParticipants(4, "ASD", "HC")
	p.Columns = append(p.Columns, encoding.Column{Name: "simulated", Values: []bool{true, true, true, true}})
	out := stagetest.MustRun(t, stagetest.Fresh("tables"),
		map[string][]dag.Input{"variations": {dag.InputOf(stagetest.PaperVariations())},
			"participants": {dag.InputOf(p)}})
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
	table := out["table1"].(*encoding.Table)
	distance, _ := table.Strings("distance")
	l2, _ := table.Floats("lambda2")
	printed, _ := table.Floats("paper_accuracy")
	if table.Rows() != 20 || table.Meta["simulated"] != "true" || distance[12] != "bce" || l2[12] != 0.1 ||
		printed[12] != 0.797 {
		t.Errorf("row 13 is %v %v %v", distance[12], l2[12], printed[12])
	}
}

// Table 2 has the paper's models first, and theirs are not mixed with ours.
func TestTableTwo(t *testing.T) {
	out := stagetest.MustRun(t, stagetest.Fresh("tables"), stagetest.ComparisonInputs())
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
	if latex := bytesOf(t, out, "latex"); !strings.Contains(latex, `95\% CI & 0.400--0.600`) || !strings.Contains(latex, `\#Par & 3,486`) {
		t.Errorf("%s", latex)
	}
	participant := stagetest.MustRun(t, stagetest.Fresh("tables", "level", "participant"), stagetest.ComparisonInputs())
	if m := bytesOf(t, participant, "markdown"); !strings.Contains(m, "| Acc | 0.701(0.040) |") || !strings.Contains(m, "each participant counted once") {
		t.Errorf("%s", m)
	}
}

func TestTablesMistakes(t *testing.T) {
	for want, in := range map[string]map[string][]dag.Input{
		"nothing to write tables of": {},
		"there is no column lambda":  {"variations": {dag.InputOf(stagetest.SummaryOf([]string{"distance", "pool"}, []string{"bce", "topk"}))}},
		`lambda "0.1" is not two`: {"variations": {dag.InputOf(stagetest.SummaryOf([]string{"distance", "lambda",
			"pool"}, []string{"bce", "0.1", "topk"}))}},
		"appears twice": {"variations": {dag.InputOf(stagetest.SummaryOf(
			[]string{"distance", "lambda", "pool", "ratio"},
			[]string{"bce", "0-0", "topk", "0.5"}, []string{"bce", "0-0", "topk", "0.7"}))}},
	} {
		if _, err := stagetest.RunStage(t, stagetest.Fresh("tables"), in); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
