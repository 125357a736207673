package assess

import (
	"context"
	"errors"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/role"
)

var evaluateKind = dag.Kind{
	Name: "evaluate",
	Doc: "accuracy, AUC, sensitivity and specificity of classifiers, per fold and over folds\n" +
		"For test participants only. At graph level each graph (of a random draw or a session) counts; at participant level the mean probability over a participant's graphs decides. Accuracy is pooled over folds; fold_mean and fold_sd are its mean and SD over folds, as in the paper's tables. Balanced accuracy, AUC, sensitivity and specificity are means over folds: scores of different folds are not compared. The 95% confidence intervals are of the expected measure of models trained on as many participants as the models of each fold, with the variance corrected for overlapping training sets (Nadeau and Bengio 2003). The coordinates of the gathered trainings (pool, lambda …), except fold and repeat, identify settings and become columns; name is the display name of the classifier. p is from a permutation test, of the first repeat. The column test states which: retrained, with permuted connected, the models of all folds are retrained on each of split's label permutations; per fold, for other models, the labels of the test participants are permuted in each fold with the model as it is (all arrangements, if they are at most permutations), and of K folds p is K/k times the k-th smallest, k being a majority: valid although folds depend on each other, and conservative. The kind permutation retrains any model.",
	New: func() dag.Stage { return &Evaluate{Within: "site", Permutations: 9999} },
}

var (
	_ role.Reader    = (*Evaluate)(nil)
	_ role.PortUser  = (*Evaluate)(nil)
	_ role.InputUser = (*Evaluate)(nil)
	_ role.Assumer   = (*Evaluate)(nil)
)

// Evaluate scores predictions.
type Evaluate struct {
	Positive     string `param:"positive" doc:"positive group, for sensitivity and AUC; by default, of two groups, the one other than the control group (HC, TD, CON, control …; docs/statistics.md lists the names). If both or neither are named so, it is the first in Unicode order (capitals before small letters, accented letters last), and a caution states that"`
	Within       string `param:"within" doc:"without labels: test labels are permuted within the values of this column of the participants, if it exists: participants of different sites are not exchangeable"`
	Permutations int    `param:"permutations" doc:"of models that are not retrained: number of permutations of the test labels of each fold, for p; if all arrangements of the labels are not more, each is made once. Where participants are kept together, the permutations are those of labels" min:"99" max:"10000000"`
	Seed         uint64 `param:"seed" doc:"of the permutations"`
	Partial      bool   `param:"partial" doc:"accept an incomplete cross-validation: all results are then for the participants of the given folds, and a caution states this. Otherwise it is refused"`
}

// ReadsParticipants are the columns and the group that its parameters name.
func (s *Evaluate) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "within", Name: s.Within, Categories: true, Permutes: true},
		{Parameter: "positive", Name: s.Positive, Group: true}}
}

// UsesPorts are the predictions, which have to be of all folds unless partial is set, permuted labels, and the checks.
func (s *Evaluate) UsesPorts() []role.PortUse { return evaluated(s.Partial) }

func evaluated(partial bool) []role.PortUse {
	as := role.AllFolds
	if partial {
		as = role.SomeFolds
	}
	return fold.AfterChecks(role.PortUse{Port: "predictions", As: as},
		role.PortUse{Port: "permuted", As: role.PermutedLabels}, role.PortUse{Port: "labels", As: role.PermutedLabels})
}

// untrained are models whose test labels are permuted one by one, as fold.ReadTests decides.
func untrained(has func(port string) bool) []string {
	if has("folds") || has("labels") {
		return nil
	}
	return []string{"models that are not retrained"}
}

// RefusesInputs requires the folds of label permutations.
func (*Evaluate) RefusesInputs(has func(port string) bool) error { return fold.RefusesInputs(has) }

// AssumesIndependent is for intervals, and for tests without folds: with folds, families are exchanged as wholes, or
// there is no p.
func (*Evaluate) AssumesIndependent(has func(port string) bool) (intervals bool, of []string) {
	return true, untrained(has)
}

func (*Evaluate) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{fold.PredictionsPort("predictions of the trainings to compare"),
			{Name: "folds", Type: fold.Folds(), Optional: true,
				Doc: "split's folds: scores names what each fold leaves out (leave_out of split)"},
			{Name: "permuted", Type: column.Type[fold.PermutedRow](), Gather: true, Optional: true,
				Doc: "permuted of the stages baseline among the predictions: their models retrained on permuted labels, for p"},
			labelsPort, sitesPort("labels are"), fitsPort, fold.LeakagePort()},
		Out: []dag.Port{
			{Name: "scores", Type: column.Type[column.FoldRow](),
				Doc: "one row for each setting, repeat, fold and level"},
			{Name: "summary", Type: column.Needs[column.AccuracyRow](),
				Doc: "one row for each setting and level; ci is the 95% confidence interval of accuracy"},
		},
	}
}

func (s *Evaluate) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	positive, assumed, err := fold.PositiveGroup(s.Positive, all.Groups)
	if err != nil {
		return nil, err
	}
	if assumed {
		all.Found.Add(finding.Finding{Code: "sensitivity.positive-assumed", Weight: finding.Limits,
			Numbers: map[string]any{"Positive": all.Groups[positive], "Other": all.Groups[1-positive]}})
	}
	scores := scoresTable(all.Axes, all.Settings, positive)
	for _, port := range []string{"participants", "folds"} {
		if t.Has(port) {
			if err := all.CheckGroups(t.In(port)); err != nil {
				return nil, err
			}
		}
	}
	if t.Has("folds") {
		if err := fold.NameLeftOut(scores, t.In("folds"), all.Settings); err != nil {
			return nil, err
		}
	}
	if err := complete(t, all, s.Partial); err != nil {
		return nil, err
	}
	sites, err := readSites(t, s.Within, all, s.Permutations)
	if err != nil {
		return nil, err
	}
	all.Found.Add(fold.Saturated(all.Settings, positive)...)
	all.Found.Add(all.Unrecognized()...)
	tests, err := fold.ReadTests(t, all.Settings, sites, s.Permutations, s.Seed)
	if err != nil {
		return nil, err
	}
	kept, err := sites.Kept(tests, all.Settings, positive)
	if err != nil {
		return nil, err
	}
	all.Found.Add(kept...)
	plan, err := finding.ReadSettings(t)
	if err != nil {
		return nil, err
	}
	summary, err := s.summaryTable(all.Axes, all.Settings, all.Groups, positive, tests, sites, plan)
	if err != nil {
		return nil, err
	}
	if sites.By != "" {
		summary.Meta["within"] = sites.By
	}
	if same := all.SameSettings(); same != "" {
		summary.Meta[column.SamePredictions] = same
	}
	if all.Found != nil {
		summary.Meta[finding.Meta] = finding.Written(all.Found)
	}
	return dag.Outputs{"scores": scores, "summary": summary}, nil
}

// labelsPort takes the label permutations.
var labelsPort = dag.Port{Name: "labels", Type: fold.PermutedSets(), Optional: true,
	Doc: "split's permuted, with folds of the same stage, for models that were not retrained: participants whose labels these permutations exchange are exchangeable, so that sites and stratify_by are kept. Where participants are kept together, these permutations are used themselves"}

// fitsPort takes the connections of the stages: a model whose data were fitted to one group has no p.
var fitsPort = dag.Port{Name: "settings", Type: column.Needs[finding.Parameter](), Optional: true,
	Doc: "pipeline.settings: a model of data that were fitted to one group has no p, because label permutations do not repeat this fit; connected where there is such a fit, even if the file does not list it"}

// sitesPort takes the participants, within whose sites something is permuted.
func sitesPort(what string) dag.Port {
	return dag.Port{Name: "participants", Type: dag.Arrow("participant_id"), Optional: true,
		Doc: "the participants, with their sites: " + what + " then permuted within sites"}
}

// readSites reads the sites of the participants, where they are connected, and adds a caution of too few permutations
// within them.
func readSites(t *dag.Task, within string, all *fold.Settings, permutations int) (sites fold.Sites, err error) {
	if t.Has("participants") {
		if sites, err = fold.ReadSites(t.In("participants"), within); err != nil {
			return sites, err
		}
	}
	if sites.AreLabels(all) {
		return fold.Sites{}, nil
	}
	few, err := sites.Few(all.Settings, permutations)
	all.Found.Add(few...)
	return sites, err
}

// complete refuses a cross-validation that tests only some of its participants, and folds that are tested in part, or
// with partial adds cautions: a classifier that leaves out whom it is not sure of looks better than it is. Settings
// that were tested on different participants have a caution.
func complete(t *dag.Task, all *fold.Settings, partial bool) (err error) {
	var parts, lacks []string
	for _, fs := range all.Settings {
		if text := fold.PartText(fs); text != "" {
			parts = append(parts, text)
		}
	}
	if t.Has("folds") {
		if lacks, err = fold.LacksTexts(t.In("folds"), all.Settings); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		texts         []string
		code, refused string
	}{
		{parts, "folds.incomplete", ": train on every fold (matrix: { fold: all }), or accept some folds by partial: true"},
		{lacks, "folds.in-part", ", or accept the others by partial: true"},
	} {
		switch {
		case c.texts != nil && partial:
			all.Found.Add(finding.Finding{Code: c.code, Weight: finding.Limits,
				Numbers: map[string]any{"Parts": c.texts}})
		case c.texts != nil:
			return errors.New(strings.Join(c.texts, "; ") + c.refused)
		}
	}
	all.Found.Add(fold.TestedApart(all.Settings)...)
	return nil
}

// participantAccuracy is the accuracy of one fold, each participant counted once.
func participantAccuracy(f fold.Tested) float64 { return fold.Score(f.Participants, -1).Accuracy }
