package performance

import (
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/present/section"
)

// Everybody is called positive only where nobody is missed, and nobody only where nobody else is.
func TestCautionsOfOneAnswer(t *testing.T) {
	for _, c := range []struct {
		sensitivity, specificity float64
		want                     string
	}{
		{1, 0, "PR-GNN calls everybody PAT (sensitivity 1, specificity 0)"},
		{0.933, 0, "PR-GNN calls all other participants PAT (specificity 0)"},
		{0, 1, "PR-GNN calls nobody PAT (sensitivity 0, specificity 1)"},
		{0, 0.933, "PR-GNN detects none of the PAT participants (sensitivity 0)"},
		{0.9, 0.4, "PR-GNN calls more than half of the other participants PAT (specificity 0.400)"},
		{0.9, 0.5, ""},
	} {
		r := Row{Title: "PR-GNN", Own: true}
		r.Level, r.Positive, r.Sensitivity, r.Specificity = "participant", "PAT", c.sensitivity, c.specificity
		r.Low, r.High, r.Majority, r.Test = 0.7, 0.9, 0.6, fold.Retrained
		a := &Results{Writer: section.NewWriter(nil), Accuracy: []Row{r}}
		a.CautionAccuracy()
		need.Equal(t, strings.Join(a.Page.Cautions, "; "), c.want, "sensitivity", c.sensitivity, c.specificity)
	}
}

// One of several seeds as the headline is a choice among results; seeds of another setting are none.
func TestCautionOfSeeds(t *testing.T) {
	row := func(setting string, accuracy float64) Row {
		r := Row{Title: "PR-GNN", Setting: setting, Own: true}
		r.Level, r.Accuracy, r.Sensitivity, r.Specificity = "participant", accuracy, 1, 1
		return r
	}
	const want = "The headline is one of 3 seeds of the same training (accuracy 0.600 to 0.700, mean 0.650): a seed that was chosen by its result biases the accuracy upward; report all seeds"
	for _, c := range []struct {
		rows []Row
		want bool
	}{
		{[]Row{row("seed=1 stage=a", 0.6), row("seed=2 stage=a", 0.7), row("seed=3 stage=a", 0.65),
			row("seed=1 stage=b", 0.1)}, true},
		{[]Row{row("seed=1 pool=a", 0.6), row("seed=1 pool=b", 0.7)}, false},
		{[]Row{row("pool=a", 0.6), row("pool=b", 0.7)}, false},
	} {
		a := &Results{Writer: section.NewWriter(nil), Accuracy: c.rows, First: &c.rows[1]}
		a.CautionAccuracy()
		need.Equal(t, slices.Contains(a.Page.Cautions, want), c.want, a.Page.Cautions)
	}
}

// A fault that several settings share is one line, in which the other seeds of the first training are counted, and the
// others named.
func TestCautionsOfSettingsAreOne(t *testing.T) {
	row := func(title, setting string, sensitivity float64) Row {
		r := Row{Title: title, Setting: setting, Own: true}
		r.Level, r.Positive, r.Sensitivity, r.Specificity = "participant", "PAT", sensitivity, 1
		r.Low, r.High, r.Majority, r.Test = 0.7, 0.9, 0.6, fold.Retrained
		return r
	}
	a := &Results{Writer: section.NewWriter(nil), Accuracy: []Row{
		row("A1", "seed=1 stage=a", 0.1), row("A2", "seed=2 stage=a", 0.2),
		row("A3", "seed=3 stage=a", 0.9), row("A4", "seed=4 stage=a", 0.3), row("B1", "seed=1 stage=b", 0.4),
		row("C1", "pool=x", 0.45), row("C2", "pool=y", 0.46)}}
	a.CautionAccuracy()
	need.Equal(t, strings.Join(a.Page.Cautions, "\n"), `A1 detects fewer than half of the PAT participants (sensitivity 0.100); likewise 2 other seeds of the same training, B1, C1, C2
7 classifiers were compared: the accuracy of the best one is biased upward`)
}

// A classifier that predicts one class in every fold has a caution, also where the group differs from fold to fold.
func TestCautionOfOneGroup(t *testing.T) {
	for second, want := range map[float64]string{
		1:   "Brain Network Transformer predicts one class for all test participants of each fold: its accuracy is the share of that class (AUC 0.568)",
		0.9: "",
	} {
		scores := column.Table([]column.FoldRow{
			{Fold: 1, Repeat: 1, Level: "participant", Sensitivity: 0, Specificity: 1},
			{Fold: 2, Repeat: 1, Level: "participant", Sensitivity: second, Specificity: 0}})
		r := Row{Title: "Brain Network Transformer"}
		r.Level, r.AUC = "participant", 0.568
		a := &Results{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"scores": {dag.InputOf(scores)}})),
			Accuracy: []Row{r}}
		need.NoError(t, a.cautionOneGroup())
		need.Equal(t, strings.Join(a.Page.Cautions, "; "), want)
	}
}

// A baseline is known by its name where the parameters of the stages are not connected.
func TestOwnModel(t *testing.T) {
	row := func(name string) Row { return Row{Title: name} }
	for _, c := range []struct{ names, own []string }{
		{[]string{"PR-GNN", "majority classifier", "linear SVM, repeat 1", "", "SAGE, λ 0.1-0.1"}, []string{"PR-GNN", "", "SAGE, λ 0.1-0.1"}},
		{[]string{"majority classifier", "linear SVM"}, []string{"linear SVM"}},
	} {
		rows := lists.Map(c.names, row)
		(&Results{Writer: section.NewWriter(nil)}).markOwn(rows)
		var own []string
		for _, r := range rows {
			if r.Own {
				own = append(own, r.Title)
			}
		}
		if !slices.Equal(own, c.own) {
			t.Errorf("%q, want %q", own, c.own)
		}
	}
}

// A classifier to compare with that is not above chance does not make the regions of the model unproven.
func TestUnprovenIsTheModel(t *testing.T) {
	low := Row{AccuracyRow: column.AccuracyRow{Level: "participant", Test: fold.PerFold, P: 0.4, AUCP: 0.4,
		Permutations: 999},
		Setting: "stage=meanmlp"}
	own := low
	own.Setting, own.Own, own.P, own.AUCP = "stage=train", true, 0.01, 0.01
	for _, p := range []float64{0.01, 0.4} {
		own.P = p
		a := &Results{Writer: section.NewWriter(nil), Accuracy: []Row{own, low}}
		a.CautionAccuracy()
		if got := a.IsUnproven("", nil); got != (p > 0.05) {
			t.Errorf("p = %g: unproven %t", p, got)
		}
	}
}

// A better classifier on the same folds is named, where there is a headline of the model.
func TestBetterClassifier(t *testing.T) {
	row := func(title string, accuracy float64, own bool) Row {
		return Row{AccuracyRow: column.AccuracyRow{Level: "participant", Accuracy: accuracy, Low: 0.7, High: 0.9,
			Majority: 0.6, Sensitivity: 0.9, Specificity: 0.9, Test: fold.PerFold, P: 0.01, AUCP: 0.01,
			Permutations: 999},
			Title: title, Own: own}
	}
	for accuracy, want := range map[float64]string{
		0.8:  "PR-GNN is not the best classifier here: ridge regression has an accuracy of 0.900 on the same folds, against 0.800; report both; ",
		0.9:  "",
		0.95: "",
	} {
		rows := []Row{row("PR-GNN", accuracy, true), row("majority classifier", 0.99, false), row("linear SVM", 0.7, false),
			row("ridge regression", 0.9, false)}
		a := &Results{Writer: section.NewWriter(nil), Accuracy: rows, First: &rows[0]}
		a.CautionAccuracy()
		want += "3 classifiers were compared: the accuracy of the best one is biased upward"
		need.Equal(t, strings.Join(a.Page.Cautions, "; "), want)
	}
}

// An accuracy that is near perfect is a sign of the label in the data, of whichever classifier; of few participants it
// may be chance.
func TestCautionOfNearPerfectAccuracy(t *testing.T) {
	for _, c := range []struct {
		accuracy float64
		n        int32
		want     bool
	}{{1, 20, true}, {0.98, 50, true}, {0.97, 50, false}, {1, 19, false}} {
		r := Row{Title: "linear SVM"}
		r.Level, r.Accuracy, r.Participants = "participant", c.accuracy, c.n
		a := &Results{Writer: section.NewWriter(nil), Accuracy: []Row{r}}
		a.CautionAccuracy()
		text := strings.Join(a.Page.Cautions, "; ")
		need.Equal(t, strings.HasPrefix(text, "Linear SVM: accuracy is "), c.want, text)
	}
}

// The table of the folds names the classifier that it is of.
func TestFoldsNameTheirClassifier(t *testing.T) {
	scores := column.Table([]column.FoldRow{{Fold: 1, Repeat: 1, Level: "participant", Accuracy: 0.5}})
	r := Row{Title: "PR-GNN"}
	a := &Results{Writer: section.NewWriter(dag.NewTask(map[string][]dag.Input{"scores": {dag.InputOf(scores)}})),
		First: &r}
	need.NoError(t, a.folds())
	var captions []string
	for _, b := range a.Section.Blocks {
		if b.Table != nil {
			captions = append(captions, b.Table.Caption)
		}
	}
	need.Equal(t, strings.Join(captions, "; "), "Performance in each fold; Accuracy of PR-GNN in each fold, per participant")
}

// Draws are told of where a participant has several graphs, so that the levels differ.
func TestByDraws(t *testing.T) {
	rows := []Row{{AccuracyRow: column.AccuracyRow{Level: "graph", Accuracy: 0.7}},
		{AccuracyRow: column.AccuracyRow{Level: "participant", Accuracy: 0.7}}}
	a := &Results{Accuracy: rows}
	need.Equal(t, a.byDraws("draws"), "")
	rows[0].Accuracy = 0.6
	need.Equal(t, a.byDraws("draws"), "draws")
}
