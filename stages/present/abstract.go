package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/report"
)

// abstract writes the top of the page: question, data, result, and the tiles.
func (a *author) abstract() error {
	a.page.Abstract = a.data()
	row := a.first
	if row == nil {
		nested, err := a.nested()
		if err != nil {
			return err
		}
		row = nested
	}
	own := 0
	for _, r := range a.perParticipant() {
		if r.own {
			own++
		}
	}
	switch {
	case row != nil:
		a.page.Abstract = append(a.page.Abstract, a.result(*row))
		a.tiles(*row)
	case own > 1:
		a.page.Abstract = append(a.page.Abstract, fmt.Sprintf("Result: %d settings, no headline. Name one before the results are seen (headline: [pool=topk, …]), or choose inside each fold (choose): never by test performance.", own))
		a.page.Tiles = append(a.page.Tiles, report.Tile{Value: fmt.Sprintf("%d settings", own), Label: "No headline",
			Note: "Performance of each setting below"})
	}
	return nil
}

// data says who was classified.
func (a *author) data() []string {
	if a.who == nil {
		return nil
	}
	var groups []string
	for _, g := range a.groups() {
		groups = append(groups, fmt.Sprintf("%d %s", g.n, g.name))
	}
	kind := "participant"
	if a.who.Simulated {
		kind = "simulated participant"
	}
	data := fmt.Sprintf("Data: %s: %s", words.Count(len(a.who.Ids), kind), strings.Join(groups, ", "))
	if n := len(a.left); n > 0 {
		data += fmt.Sprintf("; %d of %d excluded (%s)", n, len(a.who.Ids)+n, a.listOfLeft())
	}
	if a.lacking > 0 {
		data += fmt.Sprintf("; results are missing for %d of the %d", a.lacking, len(a.who.Ids))
	}
	data += "."
	if a.accuracy == nil {
		return []string{data}
	}
	return []string{fmt.Sprintf("Question: does functional connectivity distinguish %s in participants who were not in the training set?", a.groupNames()), data}
}

// groupNames are the groups in a sentence: "ASD and HC".
func (a *author) groupNames() string {
	var names []string
	for _, g := range a.groups() {
		names = append(names, g.name)
	}
	slices.Sort(names)
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// result is the headline in a sentence.
func (a *author) result(r accuracyRow) string {
	of := ""
	if r.name != "" {
		of = " (" + r.name + ")"
	}
	text := fmt.Sprintf("Result: accuracy per participant%s %s (pooled over %s), 95 %% CI %s; majority-class rate %s",
		of, report.Share(r.Accuracy), words.Count(int(r.Folds), "fold"), report.Range(r.Low, r.High),
		report.Share(r.Majority))
	if p := a.chanceTests(r, "accuracy"); p != nil {
		text += "; " + strings.Join(p, "; ")
	}
	if !math.IsNaN(r.AUC) {
		text += ". AUC " + report.Share(r.AUC) + " (mean over the folds)"
		if p := a.chanceTests(r, "auc"); p != nil {
			text += "; " + strings.Join(p, "; ")
		}
	}
	text += "."
	if above, _ := a.aboveChance(r); !above {
		text += " The accuracy is not above chance" + a.othersAbove() + "."
	}
	return text
}

// othersAbove names the classifiers for comparison that are above chance; "" without any.
func (a *author) othersAbove() string {
	var names []string
	for _, r := range a.perParticipant() {
		if above, _ := a.aboveChance(r); above && !r.own && !r.majority() {
			names = append(names, fmt.Sprintf("%s (%s)", r.called(), report.Share(r.Accuracy)))
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "; that of " + names[0] + " is"
	}
	return "; those of " + words.Some(names, 6) + " are"
}

// tiles show the headline in a few numbers.
func (a *author) tiles(r accuracyRow) {
	label := "Accuracy, per participant"
	if r.name != "" {
		label += " (" + r.name + ")"
	}
	a.page.Tiles = append(a.page.Tiles, report.Tile{Value: report.Share(r.Accuracy), Label: label,
		Note: fmt.Sprintf("95 %% CI %s · over folds %s · majority-class rate %s", report.Range(r.Low, r.High), plusMinus(r.FoldMean, r.FoldSD), report.Share(r.Majority)),
		Bar:  &report.Bar{Share: r.Accuracy, Mark: r.Majority}})
	if !math.IsNaN(r.AUC) {
		a.page.Tiles = append(a.page.Tiles, report.Tile{Value: report.Share(r.AUC), Label: "Area under the ROC curve",
			Note: "mean over the folds · chance level 0.5", Bar: &report.Bar{Share: r.AUC, Mark: 0.5}})
	}
	if !math.IsNaN(r.Sensitivity) {
		a.page.Tiles = append(a.page.Tiles,
			report.Tile{Value: report.Share(r.Sensitivity) + " / " + report.Share(r.Specificity),
				Label: "Sensitivity / specificity", Note: "for " + r.Positive + " · mean over the folds"})
	}
}
