package performance

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// withoutEffect are the parameters that change no prediction.
var withoutEffect = []string{"scores_of", "checkpoint"}

// Retrained are the rows of the permutation test of a classifier.
func (a *Results) Retrained(r Row) (tests []column.PermutationTestRow) {
	for _, t := range a.Permuted {
		if t.Name == r.Title || t.Name == "" {
			tests = append(tests, t)
		}
	}
	return tests
}

// howRetrained says on what the models of a permutation test were trained, and how else they differ from the
// classifier that was evaluated.
func (a *Results) howRetrained(r Row, t column.PermutationTestRow) string {
	how := "models retrained on " + words.Count(int(t.Permutations), "label shuffle")
	if other := a.OtherSettings(r, t); other != "" {
		how += " with " + other
	}
	if otherResult(r, t) {
		how += "; " + section.PlainName(t.Measure) + " " + report.Share(t.Observed) + " with the true labels"
	}
	return how
}

// otherResult reports whether the training with the true labels in a permutation test has another result than the
// classifier that was evaluated: it is another training.
func otherResult(r Row, t column.PermutationTestRow) bool {
	evaluated := map[string]float64{"accuracy": r.Accuracy, "auc": r.AUC}[t.Measure]
	return math.Abs(t.Observed-evaluated) > 1e-9
}

// cautionRetrained warns of a permutation test of another training than the one that was evaluated.
func (a *Results) cautionRetrained() {
	for _, r := range a.PerParticipant() {
		for _, t := range a.Retrained(r) {
			if !r.Own || t.Measure != "accuracy" {
				continue
			}
			observed, evaluated := report.Share(t.Observed), report.Share(r.Accuracy)
			if other := a.OtherSettings(r, t); other != "" {
				a.Caution("%s: the permutation test retrained with %s. It tests that training (accuracy %s), not the evaluated model (accuracy %s)", r.Called(), other, observed, evaluated)
			} else if otherResult(r, t) {
				a.Caution("%s: the permutation test is of another training (accuracy %s), not of the evaluated model (accuracy %s)", r.Called(), observed, evaluated)
			}
		}
	}
}

// OtherSettings are the parameters in which the trainings of a permutation test differ from that of a classifier:
// "epochs 4 instead of 20"; "" where they do not, or where the settings are not connected.
func (a *Results) OtherSettings(r Row, t column.PermutationTestRow) string {
	setting := column.CoordText(t.Coords)
	evaluated, permuted := a.trainings(r.Setting, setting)
	if evaluated == nil || permuted == nil {
		return ""
	}
	var other []string
	for _, p := range evaluated.Parameters {
		if slices.Contains(withoutEffect, p) {
			continue
		}
		was, is := valuesIn(evaluated, p, r.Setting), valuesIn(permuted, p, setting)
		if !slices.ContainsFunc(is, func(v string) bool { return slices.Contains(was, v) }) {
			other = append(other, fmt.Sprintf("%s %s instead of %s", p, strings.Join(is, "; "), strings.Join(was, "; ")))
		}
	}
	return strings.Join(other, ", ")
}

// trainings are the stages that trained the models of a setting and of its permutation test. A setting names its stage
// where several stages were gathered; of two stages of kind train, the one with more tasks is permuted.
func (a *Results) trainings(evaluated, permuted string) (e, p *section.StageSettings) {
	if a.Run == nil {
		return nil, nil
	}
	var trains []*section.StageSettings
	for i := range a.Run.Stages {
		s := &a.Run.Stages[i]
		if slices.Contains(strings.Fields(evaluated), "stage="+s.Stage) {
			e = s
		}
		if slices.Contains(strings.Fields(permuted), "stage="+s.Stage) {
			p = s
		}
		if s.Kind == "train" {
			trains = append(trains, s)
		}
	}
	if len(trains) == 2 && (e == nil || e.Kind == "train") && (p == nil || p.Kind == "train") {
		slices.SortStableFunc(trains, func(x, y *section.StageSettings) int { return int(x.Tasks) - int(y.Tasks) })
		if e == nil {
			e = trains[0]
		}
		if p == nil {
			p = trains[1]
		}
	}
	if e == nil || p == nil || e == p || e.Kind != p.Kind {
		return nil, nil
	}
	return e, p
}

// valuesIn are the values that a parameter has in a setting: one, unless the stage fans out over it and the setting
// does not name its value.
func valuesIn(s *section.StageSettings, parameter, setting string) []string {
	values := strings.Split(s.Value[parameter], "; ")
	for _, v := range values {
		if slices.Contains(coordsOf(setting), parameter+"="+v) {
			return []string{v}
		}
	}
	return values
}
