package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// withoutEffect are the parameters that change no prediction.
var withoutEffect = []string{"scores_of", "checkpoint"}

// retrained are the rows of the permutation test of a classifier.
func (a *author) retrained(r accuracyRow) (tests []column.PermutationTestRow) {
	for _, t := range a.permuted {
		if t.Name == r.name || t.Name == "" {
			tests = append(tests, t)
		}
	}
	return tests
}

// howRetrained says on what the models of a permutation test were trained, and how else they differ from the
// classifier that was evaluated.
func (a *author) howRetrained(r accuracyRow, t column.PermutationTestRow) string {
	how := "models retrained on " + words.Count(int(t.Permutations), "label shuffle")
	if other := a.otherSettings(r, t); other != "" {
		how += " with " + other
	}
	if otherResult(r, t) {
		how += "; " + plainName(t.Measure) + " " + report.Share(t.Observed) + " with the true labels"
	}
	return how
}

// otherResult reports whether the training with the true labels in a permutation test has another result than the
// classifier that was evaluated: it is another training.
func otherResult(r accuracyRow, t column.PermutationTestRow) bool {
	evaluated := map[string]float64{"accuracy": r.Accuracy, "auc": r.AUC}[t.Measure]
	return math.Abs(t.Observed-evaluated) > 1e-9
}

// cautionRetrained warns of a permutation test of another training than the one that was evaluated.
func (a *author) cautionRetrained() {
	for _, r := range a.perParticipant() {
		for _, t := range a.retrained(r) {
			if !r.own || t.Measure != "accuracy" {
				continue
			}
			observed, evaluated := report.Share(t.Observed), report.Share(r.Accuracy)
			if other := a.otherSettings(r, t); other != "" {
				a.caution("%s: the permutation test retrained with %s. It tests that training (accuracy %s), not the evaluated model (accuracy %s)", r.called(), other, observed, evaluated)
			} else if otherResult(r, t) {
				a.caution("%s: the permutation test is of another training (accuracy %s), not of the evaluated model (accuracy %s)", r.called(), observed, evaluated)
			}
		}
	}
}

// otherSettings are the parameters in which the trainings of a permutation test differ from that of a classifier:
// "epochs 4 instead of 20"; "" where they do not, or where the settings are not connected.
func (a *author) otherSettings(r accuracyRow, t column.PermutationTestRow) string {
	setting := column.CoordText(t.Coords)
	evaluated, permuted := a.trainings(r.setting, setting)
	if evaluated == nil || permuted == nil {
		return ""
	}
	var other []string
	for _, p := range evaluated.parameters {
		if slices.Contains(withoutEffect, p) {
			continue
		}
		was, is := evaluated.valuesIn(p, r.setting), permuted.valuesIn(p, setting)
		if !slices.ContainsFunc(is, func(v string) bool { return slices.Contains(was, v) }) {
			other = append(other, fmt.Sprintf("%s %s instead of %s", p, strings.Join(is, "; "), strings.Join(was, "; ")))
		}
	}
	return strings.Join(other, ", ")
}

// trainings are the stages that trained the models of a setting and of its permutation test. A setting names its stage
// where several stages were gathered; of two stages of kind train, the one with more tasks is permuted.
func (a *author) trainings(evaluated, permuted string) (e, p *stageSettings) {
	if a.run == nil {
		return nil, nil
	}
	var trains []*stageSettings
	for i := range a.run.stages {
		s := &a.run.stages[i]
		if slices.Contains(strings.Fields(evaluated), "stage="+s.stage) {
			e = s
		}
		if slices.Contains(strings.Fields(permuted), "stage="+s.stage) {
			p = s
		}
		if s.kind == "train" {
			trains = append(trains, s)
		}
	}
	if len(trains) == 2 && (e == nil || e.kind == "train") && (p == nil || p.kind == "train") {
		slices.SortStableFunc(trains, func(x, y *stageSettings) int { return int(x.tasks) - int(y.tasks) })
		if e == nil {
			e = trains[0]
		}
		if p == nil {
			p = trains[1]
		}
	}
	if e == nil || p == nil || e == p || e.kind != p.kind {
		return nil, nil
	}
	return e, p
}

// valuesIn are the values that a parameter has in a setting: one, unless the stage fans out over it and the setting
// does not name its value.
func (s *stageSettings) valuesIn(parameter, setting string) []string {
	values := strings.Split(s.value[parameter], "; ")
	for _, v := range values {
		if slices.Contains(coordsOf(setting), parameter+"="+v) {
			return []string{v}
		}
	}
	return values
}
