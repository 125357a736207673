package performance

import (
	"fmt"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/present/section"
	"prgnn/stages/present/tables"
	"prgnn/stages/report"
)

// LeftOut is the column whose values a second division of the participants leaves out in turn; "" without one.
func (a *Results) LeftOut() string {
	for _, s := range a.Run.Stages {
		if where := s.Value["leave_out"]; s.Kind == "split" && where != "" && a.T.Has("left_out") {
			return where
		}
	}
	return ""
}

// leftOut adds the performance on participants of sites, or of other values of a column, that are not in the training
// set: over all of them, and for each.
func (a *Results) leftOut() error {
	if !a.T.Has("left_out") {
		return nil
	}
	all, err := readAccuracy(a.T.In("left_out"))
	if err != nil {
		return err
	}
	rows := sorted(perParticipant(all))
	if len(rows) == 0 {
		return fmt.Errorf("%s: no row of the level participant", a.T.In("left_out").Name)
	}
	where := "group of participants"
	if name := a.LeftOut(); name != "" {
		where = section.PlainName(name)
	}
	t := section.TableOf(fmt.Sprintf("Performance with each %s left out in turn", where), 1, rows,
		classifierColumn,
		accuracyColumn,
		intervalColumn,
		foldsColumn,
		permutedColumn(rows),
		areaColumn)
	t.Note = fmt.Sprintf("%s, %s.",
		words.Count(int(rows[0].Folds), where), words.Count(int(rows[0].Participants), "participant"))
	a.Table(t, fmt.Sprintf("gives the performance on each %s of models that were trained on the others.", where))
	return a.leftOutEach(where, lists.Map(rows, func(r Row) string { return r.Called() }))
}

// leftOutEach adds the accuracy of each classifier for each value that is left out.
func (a *Results) leftOutEach(where string, classifiers []string) error {
	scores, err := section.Read[foldScore](a.T, "left_out_scores")
	if err != nil {
		return err
	}
	type left struct {
		name     string
		n        int32
		accuracy map[string]float64 // by classifier
	}
	var rows []left
	for _, s := range scores {
		if s.Level != "participant" {
			continue
		}
		i := slices.IndexFunc(rows, func(r left) bool { return r.name == s.LeftOut })
		if i < 0 {
			i = len(rows)
			rows = append(rows, left{s.LeftOut, s.N, map[string]float64{}})
		}
		rows[i].accuracy[s.Name] = s.Accuracy
	}
	if len(rows) == 0 {
		return nil
	}
	columns := []section.Column[left]{
		section.Text(where, "whose participants are tested", func(r left) string { return r.name }),
		section.Number("n", "participants", func(r left) string { return fmt.Sprint(r.n) }),
	}
	for _, name := range classifiers {
		columns = append(columns, section.Number(name, "accuracy", func(r left) string {
			if x, ok := r.accuracy[name]; ok {
				return report.Share(x)
			}
			return "n/a"
		}))
	}
	a.Supplement(section.TableOf(fmt.Sprintf("Accuracy for each %s that is left out", where), 1, rows, columns...))
	return nil
}

// published adds the figures of others for the same data.
func (a *Results) published() error {
	rows, err := section.Read[tables.PublishedRow](a.T, "published")
	if err != nil || len(rows) == 0 {
		return err
	}
	type row = tables.PublishedRow
	slices.SortStableFunc(rows, func(x, y row) int {
		if x.Source != y.Source {
			return 0 // as the table has them: this run first
		}
		return column.CompareNamed(x.Model, y.Model, x.Accuracy, y.Accuracy)
	})
	plusMinus := func(mean, sd float64) string {
		if math.IsNaN(sd) {
			return report.Share(mean)
		}
		return section.PlusMinus(mean, sd)
	}
	t := section.TableOf("Published results, and those of this run", 2, rows,
		section.Text("source", "", func(r row) string { return r.Source }),
		section.Text("classifier", "", func(r row) string { return r.Model }),
		section.Number("n", "participants", func(r row) string { return fmt.Sprint(r.Participants) }),
		section.Number("regions", "", func(r row) string { return fmt.Sprint(r.Regions) }),
		section.Text("splits", "", func(r row) string { return r.Splits }),
		section.Number("accuracy", "mean ± SD over the splits", func(r row) string { return plusMinus(r.Accuracy, r.AccuracySD) }),
		section.Number("AUC", "mean over the splits, ± SD where it is known", func(r row) string { return plusMinus(r.AUC, r.AUCSD) }),
		section.Text("differs in", "from this run; preprocessing is not compared", func(r row) string { return r.Differs }))
	var sources []string
	for _, r := range rows {
		text := fmt.Sprintf("%s: %s, %s", r.Source, r.File, r.Preprocessing)
		if r.Source != tables.ThisRun && !slices.Contains(sources, text) {
			sources = append(sources, text)
		}
	}
	t.Note = "A row that differs from this run is no comparison of models."
	for _, s := range sources {
		t.Note += " " + s + "."
	}
	a.Table(t, "puts published results beside those of this run.")
	return nil
}
