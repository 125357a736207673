package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// An accuracyRow is one row of evaluate's summary.
type accuracyRow struct {
	column.AccuracyRow
	setting string // coordinates: stage=train pool=topk
	name    string // for people
	own     bool   // of the model that the pipeline is about, not of one to compare with
}

func readAccuracy(in dag.Input) ([]accuracyRow, error) {
	read, err := column.Read[column.AccuracyRow](in)
	if err != nil {
		return nil, err
	}
	rows := make([]accuracyRow, len(read))
	for i, r := range read {
		rows[i] = accuracyRow{AccuracyRow: r, setting: column.CoordText(r.Coords), name: r.Name}
		if r.Name == "" {
			rows[i].name = settingName(r.Coords)
		}
	}
	return rows, nil
}

// called is the classifier in a sentence.
func (r accuracyRow) called() string {
	if r.name == "" {
		return "The model"
	}
	return r.name
}

// majority reports whether a row is of the majority classifier.
func (r accuracyRow) majority() bool {
	return strings.HasPrefix(r.name, column.Classifiers["majority"])
}

// readAccuracy reads the accuracies of all settings, PR-GNN first, then by accuracy, and
// finds the headline.
func (a *author) readAccuracy() error {
	if !a.t.Has("evaluation") {
		return nil
	}
	rows, err := readAccuracy(a.t.In("evaluation"))
	if err != nil {
		return err
	}
	table, err := a.t.In("evaluation").Table()
	if err != nil {
		return err
	}
	for text := range strings.SplitSeq(table.Meta["caution"], "\n") {
		if text != "" {
			a.caution("%s", text)
		}
	}
	if a.permuted, err = read[column.PermutationTestRow](a.t, "permutation"); err != nil {
		return err
	}
	a.markOwn(rows)
	at, err := headlineOf(rows, a.headline)
	if err != nil {
		return err
	}
	if at >= 0 {
		first := rows[at]
		a.first = &first
	}
	accuracy := map[string]float64{}
	for _, r := range rows {
		if r.Level == "participant" {
			accuracy[r.setting] = r.Accuracy
		}
	}
	slices.SortStableFunc(rows, func(x, y accuracyRow) int {
		return column.CompareNamed(x.name, y.name, accuracy[x.setting], accuracy[y.setting])
	})
	a.accuracy = rows
	return nil
}

// markOwn marks the rows of the model that the pipeline is about: those of stages of the
// kind train, where the parameters are connected; otherwise those that no baseline's name
// begins; where nothing is left, all but the majority classifier.
func (a *author) markOwn(rows []accuracyRow) {
	found := false
	for i, r := range rows {
		for _, s := range a.run.stages {
			if s.kind == "train" && slices.Contains(strings.Fields(r.setting), "stage="+s.stage) {
				rows[i].own, found = true, true
			}
		}
	}
	if found {
		return
	}
	for i, r := range rows {
		rows[i].own = !baseline(r.name)
		found = found || rows[i].own
	}
	for i, r := range rows {
		rows[i].own = rows[i].own || !found && !r.majority()
	}
}

// baseline reports whether a name is that of a classifier to compare PR-GNN with.
func baseline(name string) bool {
	for model, word := range column.Classifiers {
		if model != column.PrGNN && strings.HasPrefix(name, word) {
			return true
		}
	}
	return false
}

// perParticipant are the accuracies over participants.
func (a *author) perParticipant() []accuracyRow {
	return slices.DeleteFunc(slices.Clone(a.accuracy), func(r accuracyRow) bool { return r.Level != "participant" })
}

// nested is the accuracy over participants with the setting chosen inside each fold; nil
// where it is not connected.
func (a *author) nested() (*accuracyRow, error) {
	if !a.t.Has("nested") {
		return nil, nil
	}
	rows, err := readAccuracy(a.t.In("nested"))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(r accuracyRow) bool { return r.Level == "participant" })
	if i < 0 {
		return nil, nil
	}
	rows[i].name = "setting chosen inside each fold"
	return &rows[i], nil
}

// A chanceTest is a permutation test of a measure.
type chanceTest struct {
	p     float64
	draws int32
	how   string
}

func (c chanceTest) String() string {
	p, draws, bound := strings.Cut(report.DrawnPText(c.p, c.draws), " (") // p ≤ 0.05 (19 draws)
	if draws = strings.TrimSuffix(draws, ")"); bound && !strings.Contains(c.how, "label shuffle") {
		return fmt.Sprintf("%s (%s: %s)", p, draws, c.how)
	}
	return fmt.Sprintf("%s (%s)", p, c.how)
}

// permutationTests are those of a measure, accuracy or auc: by permuted test labels, then by models retrained on
// permuted labels.
func (a *author) permutationTests(r accuracyRow, measure string) (tests []chanceTest) {
	p := map[string]float64{"accuracy": r.P, "auc": r.AUCP}[measure]
	if !math.IsNaN(p) {
		tests = append(tests, chanceTest{p, r.Permutations, "test labels permuted, models not retrained"})
	}
	for _, t := range a.retrained(r) {
		if t.Measure == measure {
			tests = append(tests, chanceTest{t.P, t.Permutations, a.howRetrained(r, t)})
		}
	}
	return tests
}

// chanceTests are permutationTests in words.
func (a *author) chanceTests(r accuracyRow, measure string) (texts []string) {
	for _, t := range a.permutationTests(r, measure) {
		texts = append(texts, t.String())
	}
	return texts
}

// decisive is the test that a measure is judged by: the last that can go below 0.05; ok is false without any.
func (a *author) decisive(r accuracyRow, measure string) (t chanceTest, ok bool) {
	tests := a.permutationTests(r, measure)
	for i, t := range slices.Backward(tests) {
		if i == 0 || report.TooFewDraws(t.draws, "") == "" {
			return t, true
		}
	}
	return t, false
}

// aboveChance reports whether an accuracy is above chance, and why it is not: by the p of models retrained
// on permuted labels, or else of permuted test labels; without either by the 95 % CI and the majority-class rate.
func (a *author) aboveChance(r accuracyRow) (above bool, why string) {
	t, ok := a.decisive(r, "accuracy")
	if !ok {
		return r.Low > r.Majority, fmt.Sprintf("its 95 %% CI, %s, includes the majority-class rate, %s", report.Range(r.Low, r.High), report.Share(r.Majority))
	}
	return t.p < 0.05, t.String()
}

// cautionAccuracy warns of accuracies that show nothing.
func (a *author) cautionAccuracy() {
	compared := 0
	for _, r := range a.perParticipant() {
		if !r.majority() {
			compared++
		}
		if !r.own {
			continue
		}
		above, why := a.aboveChance(r)
		if !above {
			a.unproven = append(a.unproven, r.setting)
		}
		switch {
		case r.High < r.Majority:
			a.caution("%s: accuracy is below the majority-class rate (%s)", r.called(), report.Share(r.Majority))
		case !above:
			a.caution("%s: accuracy is not above chance: %s", r.called(), why)
		case r.Low <= r.Majority:
			a.caution("%s: the 95 %% CI of the accuracy (%s) includes the majority-class rate (%s): not shown to be better than naming the largest group", r.called(), report.Range(r.Low, r.High), report.Share(r.Majority))
		}
		accuracy, tested := a.decisive(r, "accuracy")
		if auc, ok := a.decisive(r, "auc"); tested && ok && (accuracy.p < 0.05) != (auc.p < 0.05) {
			a.caution("%s: the tests of accuracy and AUC disagree: accuracy %v, AUC %v", r.called(), accuracy, auc)
		}
		switch {
		case r.Sensitivity == 0 && r.Specificity == 1:
			a.caution("%s calls nobody %s (sensitivity 0, specificity 1)", r.called(), r.Positive)
		case r.Sensitivity == 0:
			a.caution("%s detects none of the %s participants (sensitivity 0)", r.called(), r.Positive)
		case r.Sensitivity < 0.5:
			a.caution("%s detects fewer than half of the %s participants (sensitivity %s)", r.called(), r.Positive, report.Share(r.Sensitivity))
		}
		switch {
		case r.Specificity == 0 && r.Sensitivity == 1:
			a.caution("%s calls everybody %s (sensitivity 1, specificity 0)", r.called(), r.Positive)
		case r.Specificity == 0:
			a.caution("%s calls every other participant %s (specificity 0)", r.called(), r.Positive)
		case r.Specificity < 0.5:
			a.caution("%s calls more than half of the other participants %s (specificity %s)", r.called(), r.Positive, report.Share(r.Specificity))
		}
	}
	if compared > 1 {
		a.caution("%d classifiers were compared: the accuracy of the best one is biased upward", compared)
	}
}
