package tables

import (
	"context"
	"errors"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/report"
	"prgnn/stages/role"
)

var tablesKind = dag.Kind{
	Name: "tables",
	Doc: "Tables 1 and 2 of the paper for your data: accuracy of PR-GNN's variants and of other classifiers, with numbers of parameters\n" +
		"As tables of numbers, and as texts in the paper's layout. What is printed in the paper (Li et al., MICCAI 2020, on its own 118 participants) stands in columns and rows of its own. " +
		"Accuracies are mean (sd) over the folds, at graph level, as the paper's; beside them the accuracy pooled over the folds, with its 95% confidence interval for the number of participants.",
	New: func() dag.Stage { return &Tables{Level: "graph"} },
}

// Tables writes the paper's tables.
type Tables struct {
	Level string `param:"level" doc:"what is counted: each draw separately, as in the paper, or each participant once, by the mean probability over the draws" choices:"graph|participant"`
}

func (*Tables) Ports() dag.Ports {
	accuracy := column.Needs[column.AccuracyRow]()
	return dag.Ports{
		In: []dag.Port{
			{Name: "variations", Type: accuracy, Optional: true, Doc: "evaluate's summary of trainings that fan out over distance, pool and lambda: Table 1"},
			{Name: "comparison", Type: accuracy, Optional: true, Doc: "evaluate's summary of PR-GNN and of baselines that fan out over model: Table 2"},
			{Name: "models", Type: dag.Arrow("model", "parameters"), Gather: true, Optional: true, Doc: "what the baselines were"},
			{Name: "parameters", Type: dag.Arrow("name", "length", "trainable"), Gather: true, Optional: true, Doc: "the parameters of the PR-GNNs of the comparison"},
			{Name: "participants", Type: dag.Arrow("participant_id", "group"), Optional: true, Doc: "the participants; also states whether they are simulated"},
		},
		Out: []dag.Port{
			{Name: "markdown", Type: dag.Format("md"), Doc: "both tables in the paper's layout"},
			{Name: "table1", Type: column.Type[VariationRow](),
				Doc: "one row a variation; what is printed in the paper, on other participants, is in paper_accuracy and paper_sd"},
			{Name: "table2", Type: column.Type[ClassifierRow](),
				Doc: "one row a model; what is printed in the paper, on other participants, is in the columns that begin with paper_"},
			{Name: "tsv", Type: dag.Format("tsv"), Doc: "both tables in the paper's layout; the first column states whose numbers a row has"},
			{Name: "latex", Type: dag.Format("tex"), Doc: "both tables in the paper's layout (packages booktabs, graphicx and multirow)"},
		},
	}
}

var _ role.InputUser = (*Tables)(nil)

// RefusesInputs requires one of the two evaluations.
func (*Tables) RefusesInputs(has func(port string) bool) error {
	if !has("variations") && !has("comparison") {
		return errors.New("neither variations nor comparison is connected: there is nothing to write tables of")
	}
	return nil
}

func (s *Tables) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	if err := s.RefusesInputs(t.Has); err != nil {
		return nil, err
	}
	who := tableSource{}
	if t.Has("participants") {
		p, err := column.ReadPeople(t.In("participants"))
		if err != nil {
			return nil, err
		}
		who.simulated = p.Simulated
	}
	one, err := s.variations(t)
	if err != nil {
		return nil, err
	}
	two, err := s.comparison(t)
	if err != nil {
		return nil, err
	}
	var pages []report.Printed
	if len(one) > 0 {
		pages = append(pages, layoutOne(one, who, s.Level))
	}
	if len(two) > 0 {
		pages = append(pages, layoutTwo(two, who, s.Level))
	}
	return dag.Outputs{
		"markdown": tableText("md", pages, report.Printed.Markdown), "tsv": tableText("tsv", pages, report.Printed.TSV),
		"latex":  tableText("tex", pages, report.Printed.LaTeX),
		"table1": who.mark(column.Table(one)), "table2": who.mark(column.Table(two)),
	}, nil
}

// A tableSource is whose numbers a table has.
type tableSource struct{ simulated bool }

func (w tableSource) String() string {
	if w.simulated {
		return "this run, SIMULATED DATA"
	}
	return "this run"
}

func (w tableSource) mark(t *encoding.Table) *encoding.Table {
	if w.simulated {
		t.Meta = map[string]string{"simulated": "true"}
	}
	return t
}

// paperSource is the source of the paper's numbers.
const paperSource = "printed in the paper (75 ASD, 43 HC)"
