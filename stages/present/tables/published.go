package tables

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

var publishedKind = dag.Kind{
	Name: "published",
	Doc: "accuracies of your run beside published ones\n" +
		"Each published row lists in what it differs from your run: data set, splits, participants, regions. The data set is that of the figures if each participant's number is one of it. A row with differences is no comparison of models. The figures are means and standard deviations over the splits, computed from the result files that the authors' programs publish; figures printed in papers alone are not among them.",
	New: func() dag.Stage { return &Published{Study: "abide"} },
}

// Published puts published figures beside those of a run.
type Published struct {
	Study string `param:"study" doc:"the data set of the published figures" choices:"abide"`
}

// Ports are the stage's inputs and outputs.
func (*Published) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "evaluation", Type: column.Needs[column.AccuracyRow](),
				Doc: "evaluate's summary"},
			{Name: "nodes", Type: dag.Arrow("name"), Doc: "the regions of the run"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Optional: true,
				Doc: "who took part; without them the data set counts as a different one"},
		},
		Out: []dag.Port{{Name: "table", Type: column.Type[PublishedRow](), Doc: "the rows of the run, per participant, then the published ones"}},
	}
}

// A PublishedRow is one model of one source (published).
type PublishedRow struct {
	Source        string   `column:"source" doc:"this run, or the program and the revision that published the figures"`
	File          string   `column:"file" doc:"the result files that have the figures"`
	Model         string   `column:"model"`
	Participants  int32    `column:"participants"`
	Regions       int32    `column:"regions"`
	Preprocessing string   `column:"preprocessing" doc:"as the source states; empty for this run, which the methods describe"`
	Splits        string   `column:"splits"`
	Accuracy      float64  `column:"accuracy,missing" doc:"mean over the splits"`
	AccuracySD    float64  `column:"accuracy_sd,missing" doc:"SD over the splits (n−1)"`
	AUC           float64  `column:"auc,missing" doc:"mean over the splits"`
	AUCSD         float64  `column:"auc_sd,missing"`
	Differs       []string `column:"differs" doc:"from this run; preprocessing is not compared"`
}

// ThisRun is the source of the run's own rows.
const ThisRun = "this run"

// A publication is a benchmark with one protocol. Its figures were computed from the result files of its program.
type publication struct {
	source, file         string
	participants         int32
	regions              int32
	preprocessing, split string
	figures              []publishedFigure
}

// A publishedFigure is mean and SD over the splits of the accuracy and of the AUC.
type publishedFigure struct {
	model                            string
	accuracy, accuracySD, auc, aucSD float64
}

// publications of ABIDE I. The SD of meanMLP's program is over 50 runs, which share five test sets.
var publications = []publication{
	{"RethinkingBCA 9e04c81", "plot_figures/*_overall.txt", 1009, 200, "CC200, C-PAC filt_noglobal",
		"10 random splits 70/10/20, by site", []publishedFigure{
			{"Brain Network Transformer", 0.667, 0.032, 0.735, 0.035},
			{"BrainGNN", 0.574, 0.061, 0.627, 0.053},
			{"BrainNetCNN", 0.661, 0.037, 0.724, 0.029},
			{"NeuroGraph", 0.662, 0.036, 0.737, 0.041},
			{"MLP on nodes", 0.670, 0.035, 0.737, 0.044},
			{"logistic regression", 0.674, 0.031, 0.735, 0.033},
			{"SVM", 0.653, 0.034, 0.711, 0.034},
		}},
	{"meanMLP ec138ec", "general_results.csv", 863, 200, "Schaefer 200", "5 folds, each 10 times", []publishedFigure{
		{"meanMLP", 0.685, 0.027, 0.745, 0.023},
		{"Brain Network Transformer", 0.638, 0.054, 0.707, 0.032},
		{"BolT", 0.660, 0.039, 0.728, 0.029},
		{"logistic regression", 0.665, 0.026, 0.722, 0.019},
		{"BrainNetCNN", 0.630, 0.043, 0.678, 0.047},
	}},
}

// isABIDE reports whether all participants have numbers of ABIDE I: SUB_ID 50002 to 51607 in its phenotypic table,
// whose leading zeros differ between copies.
func isABIDE(ids []string) bool {
	for _, id := range ids {
		n, err := strconv.Atoi(strings.TrimPrefix(id, "sub-"))
		if err != nil || n < 50002 || n > 51607 {
			return false
		}
	}
	return len(ids) > 0
}

// Run reads the figures of the run, and lists how the others differ.
func (s *Published) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	nodes, err := t.In("nodes").Table()
	if err != nil {
		return nil, err
	}
	evaluated, err := column.Read[column.AccuracyRow](t.In("evaluation"))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(evaluated, func(x, y column.AccuracyRow) int {
		return cmp.Or(column.CompareClassifiers(x.Classifier, y.Classifier), cmp.Compare(y.FoldMean, x.FoldMean))
	})
	var rows []PublishedRow
	var run PublishedRow
	for _, r := range evaluated {
		if r.Level == "participant" {
			run = PublishedRow{Source: ThisRun, Model: r.Name, Participants: r.Participants,
				Regions: int32(nodes.Rows()), Splits: words.Count(int(r.Folds), "fold"), Accuracy: r.FoldMean,
				AccuracySD: r.FoldSD, AUC: r.AUC, AUCSD: math.NaN()}
			rows = append(rows, run)
		}
	}
	if rows == nil {
		return nil, fmt.Errorf("%s: no row of the level participant", t.In("evaluation").Name)
	}
	people, err := column.ReadPort[struct {
		ID string `column:"participant_id"`
	}](t, "participants")
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(people))
	for i, p := range people {
		ids[i] = p.ID
	}
	for _, p := range publications {
		differs := []string{"splits"}
		if !isABIDE(ids) {
			differs = []string{"data set", "splits"}
		}
		if p.participants != run.Participants {
			differs = append(differs, "participants")
		}
		if p.regions != run.Regions {
			differs = append(differs, "regions")
		}
		for _, f := range p.figures {
			rows = append(rows, PublishedRow{p.source, p.file, f.model, p.participants, p.regions,
				p.preprocessing, p.split, f.accuracy, f.accuracySD, f.auc, f.aucSD, differs})
		}
	}
	return dag.Outputs{"table": column.Table(rows)}, nil
}
