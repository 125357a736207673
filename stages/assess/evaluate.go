package assess

import (
	"context"
	"fmt"
	"strings"

	"prgnn/dag"
	"prgnn/internal/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

var evaluateKind = dag.Kind{
	Name: "evaluate",
	Doc: "accuracy, AUC, sensitivity and specificity of classifiers, per fold and over the folds\n" +
		"On the test side only. At graph level each draw counts; at participant level the mean probability over the draws decides. Accuracy is pooled over the folds and has a 95 % confidence interval; fold_mean and fold_sd are its mean and SD over the folds, as in the paper's tables. Balanced accuracy, AUC, sensitivity and specificity are means over the folds: scores of different folds are not compared. The coordinates of the gathered trainings (pool, lambda …), other than fold and repeat, tell settings apart and become columns; name is the classifier in words. p tells whether the predictions have anything to do with the groups: it permutes the groups of the tested participants within each fold and leaves the models as they are; the stage permutation trains anew.",
	New: func() dag.Stage { return &Evaluate{Permutations: 9999} },
}

// Evaluate scores predictions.
type Evaluate struct {
	Positive     string `param:"positive" doc:"the group whose detection sensitivity counts; by default the first in sorted order that is not named as a control group (HC, TD, CON, control …), of two groups"`
	Permutations int    `param:"permutations" doc:"of the groups of the tested, for p" min:"99" max:"10000000"`
	Seed         uint64 `param:"seed" doc:"of the permutations"`
	Partial      bool   `param:"partial" doc:"accept trainings on some of the folds only: everything is of the participants that these test, and a caution says so. Without it such a cross-validation is refused"`
}

// TestsEverybody reports whether the gathered predictions have to be of all folds.
func (s *Evaluate) TestsEverybody() (port string, all bool) { return "predictions", !s.Partial }

// Ports are the stage's inputs and outputs.
func (*Evaluate) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "predictions", Gather: true, Doc: "of the trainings to compare",
			Type: dag.Arrow("participant_id", "group", "draw", "fold", "repeat", "set", "label", "predicted")},
			{Name: "folds", Type: dag.Arrow("participant_id", "repeat", "fold"), Optional: true,
				Doc: "split's folds: scores names what each fold leaves out (leave_out of split)"},
			fold.LeakagePort()},
		Out: []dag.Port{
			{Name: "scores", Type: column.Type[column.FoldRow](),
				Doc: "one row for each setting, repeat, fold and level"},
			{Name: "summary", Type: dag.Arrow("name", "level", "folds", "participants", "accuracy", "ci_low", "ci_high",
				"fold_mean", "fold_sd", "majority",
				"balanced_accuracy", "auc", "sensitivity", "specificity", "positive", "p", "auc_p"),
				Doc: "one row for each setting and level; ci is Wilson's 95 % interval of accuracy, for the number of participants"},
		},
	}
}

// Run evaluates.
func (s *Evaluate) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	if err := s.complete(all); err != nil {
		return nil, err
	}
	positive, err := fold.PositiveGroup(s.Positive, all.Groups)
	if err != nil {
		return nil, err
	}
	summary := s.summaryTable(all.Axes, all.Settings, all.Groups, positive)
	if all.Cautions != nil {
		summary.Meta["caution"] = strings.Join(all.Cautions, "\n")
	}
	scores := scoresTable(all.Axes, all.Settings, positive)
	if t.Has("folds") {
		if err := fold.NameLeftOut(scores, t.In("folds"), all.Settings); err != nil {
			return nil, err
		}
	}
	return dag.Outputs{"scores": scores, "summary": summary}, nil
}

// complete refuses a cross-validation that tests only some of its participants, or with partial adds a caution;
// likewise settings that were tested on different participants.
func (s *Evaluate) complete(all *fold.Settings) error {
	var parts []string
	for _, fs := range all.Settings {
		if text := fold.PartText(fs); text != "" {
			parts = append(parts, text)
		}
	}
	if parts != nil && !s.Partial {
		return fmt.Errorf("%s: train on every fold (matrix: { fold: [1..N] }), or ask for a part by partial: true", strings.Join(parts, "; "))
	}
	if parts != nil {
		all.Cautions = append(all.Cautions, "Not a complete cross-validation (partial: true): "+strings.Join(parts, "; "))
	}
	if text := fold.ApartText(all.Settings); text != "" {
		all.Cautions = append(all.Cautions, text)
	}
	return nil
}

// participantAccuracy is the accuracy of one fold, each participant counted once.
func participantAccuracy(f fold.Tested) float64 { return fold.Score(f.Participants, -1).Accuracy }

// test finds whether the predictions of one setting have to do with the groups.
func (s *Evaluate) test(folds []fold.Tested, level string, groups int) inference.PredictionTest {
	person := map[string]int{}
	var group, first []int
	var tested []inference.TestedFold
	for at, f := range folds {
		t := inference.TestedFold{}
		for _, c := range f.Participants {
			if _, ok := person[c.Id]; !ok {
				person[c.Id] = len(group)
				group, first = append(group, c.Label), append(first, at)
			}
			named := make([]float64, groups)
			if level == "participant" {
				named[c.Predicted] = 1
			}
			t.Person, t.Named, t.Score = append(t.Person, person[c.Id]), append(t.Named, named),
				append(t.Score, c.Probability)
		}
		if level == "graph" {
			at := map[string]int{}
			for i, c := range f.Participants {
				at[c.Id] = i
			}
			for _, c := range f.Graphs {
				t.Named[at[c.Id]][c.Predicted]++
			}
		}
		tested = append(tested, t)
	}
	return inference.TestPredictions(tested, group, groups, first, s.Permutations,
		random.New(s.Seed, "evaluate", level))
}
