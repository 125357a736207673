package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/present/performance"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// abstract writes the top of the page: question, data, result, and the tiles.
func (a *author) abstract() error {
	data, err := a.data()
	if err != nil {
		return err
	}
	a.Page.Abstract = data
	if a.Regression != nil {
		a.Page.Abstract = append(a.Page.Abstract, a.RegressionResult(a.number()))
		a.regressionTiles()
		return nil
	}
	row := a.First
	if row == nil {
		nested, err := a.Nested()
		if err != nil {
			return err
		}
		row = nested
	}
	own := 0
	for _, r := range a.PerParticipant() {
		if r.Own {
			own++
		}
	}
	switch {
	case row != nil:
		a.Page.Abstract = append(a.Page.Abstract, a.result(*row))
		a.tiles(*row)
	case own > 1:
		a.Page.Abstract = append(a.Page.Abstract, fmt.Sprintf("Result: %d settings, no headline. Name one before the results are seen (headline: [AXIS=VALUE, …]), or choose inside each fold (choose): never by test performance.", own))
		a.Page.Tiles = append(a.Page.Tiles, report.Tile{Value: fmt.Sprintf("%d settings", own), Label: "No headline",
			Note: "Performance of each setting below"})
	}
	return nil
}

// data says who was classified, and as what.
func (a *author) data() ([]string, error) {
	if a.Who == nil {
		return nil, nil
	}
	var groups, names []string
	of, classes := a.Predicted()
	for _, g := range classes {
		if names = append(names, g.Name); of != "" {
			groups = append(groups, fmt.Sprintf("%d %s", g.N, g.Name))
		}
	}
	kind := "participant"
	if a.Who.Simulated {
		kind = "simulated participant"
	}
	data := fmt.Sprintf("Data: %s", words.Count(len(a.Who.Ids), kind))
	if groups != nil && names[0] != "" { // a number has no groups
		data += ": " + strings.Join(groups, ", ")
	}
	n, unmet := len(a.Excluded), a.NotMeeting()
	switch in := fmt.Sprintf("; inclusion criteria not met by %s of %s in the table", report.Thousands(float64(unmet)),
		report.Thousands(float64(len(a.Who.Ids)+n))); {
	case n > 0 && unmet == n:
		data += fmt.Sprintf("%s (%s)", in, a.ExcludedList())
	case n > 0 && unmet > 0:
		data += fmt.Sprintf("%s; %d of the others excluded (%s)", in, n-unmet, a.ExcludedList())
	case n > 0:
		data += fmt.Sprintf("; %d of %d excluded (%s)", n, len(a.Who.Ids)+n, a.ExcludedList())
	}
	if a.Lacking > 0 {
		data += fmt.Sprintf("; results are missing for %d of the %d", a.Lacking, len(a.Who.Ids))
	}
	data += "."
	switch {
	case a.Regression != nil:
		return []string{fmt.Sprintf("Question: does functional connectivity predict %s in participants who were not in the training set?", a.number()), data}, nil
	case a.Accuracy == nil:
		return []string{data}, nil
	}
	unseen, err := a.unseen()
	if err != nil {
		return nil, err
	}
	question := "distinguish " + listOf(names)
	if of != "group" && of != "" {
		question = fmt.Sprintf("predict %s (%s)", section.PlainName(of), listOf(names))
		data += fmt.Sprintf(" On this page, the groups that models predict are the values of %s.", section.PlainName(of))
	}
	return []string{fmt.Sprintf("Question: does functional connectivity %s in %s?", question, unseen), data}, nil
}

// classes is the number of classes that the models predict.
func (a *author) classes() int {
	_, all := a.Predicted()
	return len(all)
}

// unseen are the participants that models are tested on.
func (a *author) unseen() (string, error) {
	values, err := a.HeldOut()
	if of, _ := a.ColumnOf(values); of != "" && of != "participant_id" {
		return fmt.Sprintf("participants whose %s was not in the training set", section.PlainName(of)), err
	}
	return "participants who were not in the training set", err
}

// listOf are names in a sentence: "ASD and HC".
func listOf(names []string) string {
	slices.Sort(names)
	if len(names) > 6 {
		return words.Some(names, 6)
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// result is the headline in a sentence.
func (a *author) result(r performance.Row) string {
	of := ""
	if r.Title != "" {
		of = " (" + r.Title + ")"
	}
	doubt, why := a.Doubt()
	text := fmt.Sprintf("Result: accuracy per participant%s %s (%spooled over %s), 95 %% CI %s; majority-class rate %s",
		of, report.Share(r.Accuracy), doubt, words.Count(int(r.Folds), "fold"), report.Range(r.Low, r.High),
		report.Share(r.Majority))
	if p := a.ChanceTests(r, "accuracy"); p != nil {
		text += "; " + strings.Join(p, "; ")
	}
	if !math.IsNaN(r.AUC) {
		text += ". AUC " + report.Share(r.AUC) + " (" + r.AreaOf(a.classes()) + ")"
		if p := a.ChanceTests(r, "auc"); p != nil {
			text += "; " + strings.Join(p, "; ")
		}
	}
	text += "." + why
	if above, why := a.AboveChance(r); !above {
		is := "is not above chance."
		if no := a.Undecidable(r); strings.HasPrefix(no, "not tested") {
			is = "was " + no + "."
		} else if no != "" {
			is = "cannot be shown to be above chance: " + no + "."
		} else if a.Unattributed(r.Setting, r.Title) {
			is = "is not called above chance: " + why + " (see Cautions)."
		}
		text += " The accuracy " + is + a.othersAbove()
	}
	return text
}

// othersAbove names the classifiers for comparison that are above chance after Holm's correction for all that were
// tested; "" where none is before it.
func (a *author) othersAbove() string {
	var names []string
	before, tested := false, 0
	corrected := a.Corrected()
	for _, r := range a.PerParticipant() {
		above, _ := a.AboveChance(r)
		p, ok := corrected[r.Setting]
		if ok {
			tested++
		}
		if !above || r.Own || r.IsMajority() {
			continue
		}
		if before = true; !ok || p < 0.05 {
			names = append(names, a.Shown(r))
		}
	}
	by := ""
	if tested > 1 {
		by = fmt.Sprintf("p corrected by Holm for %d classifiers", tested)
	}
	doubt, _ := a.Doubt()
	if by = strings.TrimSuffix(doubt+by, "; "); by != "" {
		by = " (" + by + ")"
	}
	switch {
	case names != nil:
		return " Above chance" + by + ": " + words.Some(names, 6) + "." + a.Uncorrectable()
	case before:
		return " No other classifier is shown to be above chance" + by + "." + a.Uncorrectable()
	}
	return ""
}

// tiles show the headline in a few numbers.
func (a *author) tiles(r performance.Row) {
	label := "Accuracy, per participant"
	if r.Title != "" {
		label += " (" + r.Title + ")"
	}
	a.Page.Tiles = append(a.Page.Tiles, report.Tile{Value: report.Share(r.Accuracy), Label: label,
		Note: fmt.Sprintf("95 %% CI %s · over folds %s · majority-class rate %s",
			report.Range(r.Low, r.High), section.PlusMinus(r.FoldMean, r.FoldSD), report.Share(r.Majority)),
		Bar: &report.Bar{Share: r.Accuracy, Mark: r.Majority}})
	if !math.IsNaN(r.AUC) {
		a.Page.Tiles = append(a.Page.Tiles, report.Tile{Value: report.Share(r.AUC), Label: "Area under the ROC curve",
			Note: r.AreaOf(a.classes()) + " · chance level 0.5", Bar: &report.Bar{Share: r.AUC, Mark: 0.5}})
	}
	if !math.IsNaN(r.Sensitivity) {
		a.Page.Tiles = append(a.Page.Tiles,
			report.Tile{Value: report.Share(r.Sensitivity) + " / " + report.Share(r.Specificity),
				Label: "Sensitivity / specificity", Note: "for " + r.Positive + " · mean over the folds"})
	}
}

// regressionTiles show r of the models, at most four.
func (a *author) regressionTiles() {
	for _, r := range a.Regression {
		if len(a.Page.Tiles) == 4 || math.IsNaN(r.R) {
			continue
		}
		a.Page.Tiles = append(a.Page.Tiles, report.Tile{Value: report.Share(r.R), Label: "r, " + r.Name,
			Note: fmt.Sprintf("95 %% CI %s · R² %s · MAE %s", performance.Interval(r.RLow, r.RHigh, report.Share),
				report.Share(r.R2), a.Error(r.MAE))})
	}
}
