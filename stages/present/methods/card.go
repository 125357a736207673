package methods

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/markup"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// A Card describes the trained models of one setting to others: a page in Markdown, in the order of Mitchell et al.
// (2019, doi:10.1145/3287560.3287596), with the metadata that model hubs read.
type Card struct {
	Model, Atlas, Pipeline, Version string
	Groups                          []string
	Column                          string   // of the groups, where this is not group
	Target                          string   // what is predicted where there are no groups
	Removed                         []string // covariates whose effects were removed from it before training
	Deconfounded                    []string // covariates whose effects the model removes from its inputs
	FittedTo                        string   // the group that the fit of these effects is of; "": all
	Sites                           int      // that ComBat harmonized, by the fit in the files; 0: none
	SiteColumn                      string   // of the training participants
	Scored                          bool     // the evaluation is of the residual
	Port                            string   // of the inputs, "" for graphs
	Regions                         int      // of the inputs, with those that are left out; 0: unknown
	States                          int      // of connectivity, of which the inputs are features
	LeftOut                         []string // regions that the model does not use
	Named                           bool     // the regions' names are known
	Made                            string   // how the inputs were made
	Holds                           column.Data
	Threshold                       float64
	Calibrated                      bool
	Data                            bool     // the files have data of participants
	Described                       []string // variables of the training participants that all files describe
	Simulated                       bool     // the training participants are simulated
	Parameters                      map[string]string
	Files                           []CardFile
	Judged                          bool          // the run has the findings of its report
	Cautions                        []CardCaution // of the report, which overturn what the models show
	Questioned                      bool          // one of them questions the performance
	Settings                        int           // with an accuracy in this run
	Headline                        string        // the one that the file states, if it is not that of the card
	Stated                          bool          // the setting of the card is the one that the file states

	Accuracy   []column.AccuracyRow // or
	Regression []column.RegressionRow
}

// A CardFile is one model.
type CardFile struct {
	Name, Task, Key, Digest string
	Content                 string // digest of the arrays and model.json, as model.json states it
	Participants            int
	Counts                  map[string]int
}

// A CardCaution is a finding of the study's report. Its text is empty where this lists participants.
type CardCaution struct{ Code, Text string }

// A cardMeasure is a measure of the cross-validation, by the name that hubs use; texts are "" for none.
type cardMeasure struct {
	name, hub               string
	value                   float64
	shown, interval, chance string
}

// A cardEvaluation has the measures of one evaluation, and what their text uses.
type cardEvaluation struct {
	of       values
	measures []cardMeasure
}

func (e *cardEvaluation) add(name, hub string, value, low, high float64, format func(float64) string, chance string) {
	if math.IsNaN(value) {
		return
	}
	m := cardMeasure{name, hub, value, format(value), "", chance}
	if !math.IsNaN(low) {
		m.interval = report.Range(low, high, format)
	}
	e.measures = append(e.measures, m)
}

// evaluations are those of the models, equal ones once.
func (c *Card) evaluations() (all []cardEvaluation) {
	for _, r := range c.Accuracy {
		e := cardEvaluation{of: finding.Row{AccuracyRow: r}.OverFolds()}
		e.of["Participants"], e.of["Positive"] = int(r.Participants), cmp.Or(markup.Markdown(r.Positive), "n/a")
		balanced, auc := "", "0.500"
		switch { // folds without a group
		case r.Incomplete > 0:
			auc = ""
		case !r.LacksFolds() && len(c.Groups) > 1:
			balanced = report.Share(1 / float64(len(c.Groups)))
		}
		e.add("accuracy", "accuracy", r.Accuracy, r.Low, r.High, report.Share, report.Share(r.Majority))
		e.add("balanced accuracy", "balanced_accuracy", r.Balanced, r.BalancedLow, r.BalancedHigh, report.Share,
			balanced)
		e.add("AUC", "roc_auc", r.AUC, r.AUCLow, r.AUCHigh, report.Share, auc)
		e.add("sensitivity", "recall", r.Sensitivity, r.SensLow, r.SensHigh, report.Share, "")
		e.add("specificity", "specificity", r.Specificity, r.SpecLow, r.SpecHigh, report.Share, "")
		all = append(all, e)
	}
	for _, r := range c.Regression {
		e := cardEvaluation{of: values{"Folds": int(r.Folds), "Participants": int(r.Participants), "Positive": "n/a"}}
		e.add("r", "pearsonr", r.R, r.RLow, r.RHigh, report.Share, "")
		e.add("R²", "r2", r.R2, r.R2Low, r.R2High, report.Share, "")
		e.add("mean absolute error", "mae", r.MAE, r.MAELow, r.MAEHigh, report.Short, "")
		all = append(all, e)
	}
	return slices.CompactFunc(slices.DeleteFunc(all, func(e cardEvaluation) bool { return e.measures == nil }),
		func(a, b cardEvaluation) bool { return maps.Equal(a.of, b.of) && slices.Equal(a.measures, b.measures) })
}

// Markdown is the page.
func (c *Card) Markdown() (string, error) {
	var b strings.Builder
	var failed error
	text := func(code string, of values) string {
		s, err := wording.Text(code, wording.Values(of))
		failed = cmp.Or(failed, err)
		return wording.UpperFirst(s)
	}
	heading := func(code string) { fmt.Fprintf(&b, "\n## %s\n\n", text(code, nil)) }
	table := func(head string, rows [][]string) {
		columns := strings.Count(head, "|") + 1
		fmt.Fprintf(&b, "| %s |\n|%s\n", head, strings.Repeat(" --- |", columns))
		for _, r := range rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(lists.Map(r, func(s string) string {
				return strings.ReplaceAll(markup.Markdown(s), "|", `\|`)
			}), " | "))
		}
	}
	evaluations := c.evaluations()
	of := values{"Files": len(c.Files), "Groups": lists.Map(c.Groups, markup.Markdown),
		"Target": markup.Markdown(c.Target), "Regions": c.Regions, "Used": c.Regions - len(c.LeftOut),
		"Column": markup.Markdown(c.Column), "States": c.States,
		"LeftOut": lists.Map(c.LeftOut, markup.Markdown), "Port": c.Port,
		"Atlas": markup.Markdown(c.Atlas), "Named": c.Named, "Made": c.Made, "Data": c.Data,
		"Held":      values(finding.Values(c.Holds)),
		"Threshold": c.Threshold, "Removed": lists.Map(c.Removed, markup.Markdown),
		"Deconfounded": lists.Map(c.Deconfounded, markup.Markdown), "Scored": c.Scored,
		"FittedTo": markup.Markdown(c.FittedTo), "Measured": evaluations != nil, "Cautions": len(c.Cautions),
		"Unregressed": column.MadeValue[string](c.Made, "denoise.regress") == "none",
		"Sites":       c.Sites, "SiteColumn": markup.Markdown(c.SiteColumn), "Questioned": c.Questioned,
		"Settings": c.Settings, "Headline": markup.Markdown(c.Headline)}
	c.metadata(&b, evaluations)
	fmt.Fprintf(&b, "# %s\n\n%s\n",
		markup.Markdown(wording.UpperFirst(cmp.Or(column.Classifiers[c.Model], c.Model))), text("card.what", of))
	heading("card.use")
	fmt.Fprintln(&b, text("card.uses", of))
	heading("card.inputs")
	fmt.Fprintln(&b, text("card.matrices", of))
	if made := column.Made(c.Made); len(made) > 0 {
		b.WriteByte('\n')
		table("parameter | value", lists.Map(slices.Sorted(maps.Keys(made)), func(name string) []string {
			return []string{name, string(made[name])}
		}))
	}
	heading("card.data")
	fmt.Fprintf(&b, "%s\n\n", text("card.people", of))
	table("file | participants | groups", lists.Map(c.Files, func(f CardFile) []string {
		groups := lists.Map(slices.Sorted(maps.Keys(f.Counts)), func(g string) string {
			return words.CountOf(f.Counts[g], g, " ")
		})
		return []string{f.Name, fmt.Sprint(f.Participants), strings.Join(groups, ", ")}
	}))
	heading("card.training")
	fmt.Fprintf(&b, "%s\n\n", text("card.parameters", nil))
	table("parameter | value", lists.Map(slices.Sorted(maps.Keys(c.Parameters)), func(name string) []string {
		return []string{name, c.Parameters[name]}
	}))
	heading("card.performance")
	if c.Cautions != nil {
		fmt.Fprintf(&b, "%s\n\n", text("card.cautions", of))
		for _, caution := range c.Cautions {
			fmt.Fprintf(&b, "- %s\n", cmp.Or(markup.Markdown(caution.Text),
				text("card.caution", values{"Code": caution.Code})))
		}
		fmt.Fprintln(&b)
	}
	for i, e := range evaluations {
		if i > 0 {
			fmt.Fprintln(&b)
		}
		maps.Copy(of, e.of)
		fmt.Fprintf(&b, "%s\n\n", text("card.measured", of))
		if c.Settings > 1 && !c.Stated {
			fmt.Fprintf(&b, "%s\n\n", text("card.picked", of))
		}
		head := "measure | value | 95% interval"
		if c.Groups != nil {
			head += " | chance level"
		}
		table(head, lists.Map(e.measures, func(m cardMeasure) []string {
			return []string{m.name, m.shown, m.interval, m.chance}[:strings.Count(head, "|")+1]
		}))
	}
	if evaluations == nil {
		fmt.Fprintln(&b, text("card.unmeasured", of))
	}
	heading("card.limits")
	limits := []string{"card.elsewhere"}
	if c.Simulated {
		limits = []string{"card.simulated", "card.elsewhere"}
	}
	if !c.Judged {
		limits = append(limits, "card.unjudged")
	}
	if c.FittedTo != "" {
		limits = append(limits, "card.one-group")
	}
	if c.Sites > 0 {
		limits = append(limits, "card.harmonized")
	}
	if c.Removed != nil {
		limits = append(limits, "card.residual")
	}
	if len(c.Groups) == 2 {
		of["Second"] = markup.Markdown(c.Groups[1])
		limits = append(limits, "card.threshold")
	}
	if !c.Calibrated {
		limits = append(limits, "card.uncalibrated")
	}
	var unlisted []string
	for _, v := range [][2]string{{"tr", "repetition time"}, {"kept", "number of volumes"}} {
		if !slices.Contains(c.Described, v[0]) {
			unlisted = append(unlisted, v[1])
		}
	}
	if of["Unlisted"] = unlisted; unlisted != nil && c.Port != "states" {
		limits = append(limits, "card.unlisted")
	}
	for _, code := range limits {
		fmt.Fprintf(&b, "- %s\n", text(code, of))
	}
	heading("card.origin")
	fmt.Fprintf(&b, "%s\n\n", text("card.made-by", values{"Version": c.Version}))
	table("file | digest of the content | task | key | SHA-256 of the stored model", lists.Map(c.Files,
		func(f CardFile) []string { return []string{f.Name, f.Content, f.Task, f.Key, f.Digest} }))
	return b.String(), failed
}

// metadata writes what hubs read: YAML, whose texts are quoted as in JSON. Hubs show metrics without the page's
// cautions, so a questioned performance is not among them, nor a comparison with other numbers than the models predict.
func (c *Card) metadata(b *strings.Builder, evaluations []cardEvaluation) {
	task := "tabular-classification"
	switch {
	case c.Groups == nil:
		task = "tabular-regression"
	case c.Port == "":
		task = "graph-ml"
	}
	fmt.Fprintf(b, "---\nlibrary_name: prgnn\npipeline_tag: %s\ntags: [fmri, functional-connectivity, %s]\n", task,
		column.JSON(c.Model))
	if c.Questioned || c.Removed != nil && !c.Scored {
		evaluations = nil
	}
	if evaluations != nil {
		fmt.Fprintf(b, "model-index:\n- name: %s\n  results:\n", column.JSON(c.Model))
	}
	for _, e := range evaluations {
		fmt.Fprintf(b, "  - task: { type: %s }\n    dataset: { type: %s, name: %s }\n    metrics:\n", task,
			column.JSON(c.Pipeline), column.JSON(c.Pipeline))
		for _, m := range e.measures {
			fmt.Fprintf(b, "    - { type: %s, value: %s }\n", m.hub, strconv.FormatFloat(m.value, 'f', -1, 64))
		}
	}
	b.WriteString("---\n\n")
}
