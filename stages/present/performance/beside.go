package performance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/present/tables"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// leftOut adds the performance on participants of sites, or of other values of a column, that are not in the training
// set: over all of them, and for each.
func (a *Results) leftOut() {
	if a.Beyond == nil {
		return
	}
	rows := a.Beyond.Accuracy
	of := values{"Where": cmp.Or(wording.PlainName(a.LeftOut()), "group of participants"), "Folds": int(rows[0].Folds),
		"N": int(rows[0].Participants), "Majority": rows[0].Majority,
		"HasMajority": slices.ContainsFunc(rows, Row.IsMajority),
		"Tests":       a.describeTests(ClassifierTests(rows), "labels", "accuracy", rows[0].Within)}
	maps.Copy(of, a.BeyondFolds(rows[0]))
	columns := "classifier | accuracy* interval over-folds majority p auc auc-p"
	if !a.Pictures { // too wide for a text
		columns = "classifier | accuracy* interval majority p auc"
	}
	a.Table(section.Lay(a.Writer, "performance.left-out", of, rows, columns, classifierColumn))
	a.leftOutEach(of, lists.Map(rows, func(r Row) string { return r.Called() }))
}

// otherLabel adds the performance of models that predict another column, such as site.
func (a *Results) otherLabel() {
	if a.OtherLabel == nil {
		return
	}
	rows := a.OtherLabel.Accuracy
	of := values{"Label": cmp.Or(a.OtherLabel.Predicts, "another column"), "Classes": a.OtherLabel.Labels,
		"Folds": int(rows[0].Folds), "N": int(rows[0].Participants), "Majority": rows[0].Majority,
		"Tests": a.describeTests(ClassifierTests(rows), "labels", "accuracy", rows[0].Within)}
	a.Table(section.Lay(a.Writer, "performance.other-label", of, rows, "classifier | accuracy* interval majority p auc",
		classifierColumn))
}

// leftOutEach adds the accuracy of each classifier for each value that is left out.
func (a *Results) leftOutEach(of values, classifiers []string) {
	type left struct {
		Where    string
		N        int32
		accuracy map[string]float64 // by classifier
	}
	var rows []left
	for _, s := range section.Rows[finding.FoldScore](a.Writer, "left_out_scores") {
		if s.Level != "participant" {
			continue
		}
		i := slices.IndexFunc(rows, func(r left) bool { return r.Where == s.LeftOut })
		if i < 0 {
			i = len(rows)
			rows = append(rows, left{s.LeftOut, s.N, map[string]float64{}})
		}
		rows[i].accuracy[s.Name] = s.Accuracy
	}
	if len(rows) == 0 {
		return
	}
	var columns []section.Column[left]
	for _, name := range classifiers {
		columns = append(columns, section.Number(name, a.Text("column/accuracy-of", nil), func(r left) string {
			if x, ok := r.accuracy[name]; ok {
				return report.Share(x)
			}
			return "n/a"
		}))
	}
	a.Supplement(section.Lay(a.Writer, "performance.left-out-each", of, rows, "where | n", columns...))
}

// published adds the figures of others for the same data.
func (a *Results) published() {
	rows := section.Rows[tables.PublishedRow](a.Writer, "published")
	if len(rows) == 0 {
		return
	}
	var sources []string
	for _, r := range rows {
		text := fmt.Sprintf("%s: %s, %s", r.Source, r.File, r.Preprocessing)
		if r.Source != tables.ThisRun && !slices.Contains(sources, text) {
			sources = append(sources, text)
		}
	}
	of := values{"Sources": sources}
	a.Table(section.Lay(a.Writer, "performance.published", of, rows,
		"source classifier | n regions splits accuracy auc differs"))
}
