package methods

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/markup"
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

// A measure of the cross-validation, by the name that hubs use.
type cardMeasure struct {
	name, hub        string
	value, low, high float64
}

func (c *Card) measures() (all []cardMeasure) {
	none := math.NaN()
	for _, r := range c.Accuracy {
		all = append(all, cardMeasure{"accuracy", "accuracy", r.Accuracy, r.Low, r.High},
			cardMeasure{"balanced accuracy", "balanced_accuracy", r.Balanced, r.BalancedLow, r.BalancedHigh},
			cardMeasure{"AUC", "roc_auc", r.AUC, r.AUCLow, r.AUCHigh},
			cardMeasure{"sensitivity", "recall", r.Sensitivity, r.SensLow, r.SensHigh},
			cardMeasure{"specificity", "specificity", r.Specificity, r.SpecLow, r.SpecHigh},
			cardMeasure{"majority-class rate", "", r.Majority, none, none})
	}
	for _, r := range c.Regression {
		all = append(all, cardMeasure{"r", "pearsonr", r.R, r.RLow, r.RHigh},
			cardMeasure{"R²", "r2", r.R2, r.R2Low, r.R2High}, cardMeasure{"mean absolute error", "mae", r.MAE, r.MAELow, r.MAEHigh})
	}
	return slices.DeleteFunc(all, func(m cardMeasure) bool { return math.IsNaN(m.value) })
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
	of := values{"Files": len(c.Files), "Groups": lists.Map(c.Groups, markup.Markdown),
		"Target": markup.Markdown(c.Target), "Regions": c.Regions, "Used": c.Regions - len(c.LeftOut),
		"Column": markup.Markdown(c.Column), "States": c.States,
		"LeftOut": lists.Map(c.LeftOut, markup.Markdown), "Port": c.Port,
		"Atlas": markup.Markdown(c.Atlas), "Named": c.Named, "Made": c.Made, "Data": c.Data,
		"Held":      values(finding.Values(c.Holds)),
		"Threshold": c.Threshold, "Removed": lists.Map(c.Removed, markup.Markdown),
		"Deconfounded": lists.Map(c.Deconfounded, markup.Markdown), "Scored": c.Scored,
		"FittedTo": markup.Markdown(c.FittedTo), "Measured": len(c.measures()) > 0, "Cautions": len(c.Cautions),
		"Unregressed": column.MadeValue[string](c.Made, "denoise.regress") == "none",
		"Sites":       c.Sites, "SiteColumn": markup.Markdown(c.SiteColumn)}
	c.metadata(&b)
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
			return fmt.Sprintf("%d %s", f.Counts[g], g)
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
	if all := c.measures(); all != nil {
		of["Positive"] = ""
		for _, r := range c.Accuracy {
			of["Folds"], of["Participants"], of["Positive"] = r.Folds, r.Participants, markup.Markdown(r.Positive)
		}
		for _, r := range c.Regression {
			of["Folds"], of["Participants"] = r.Folds, r.Participants
		}
		fmt.Fprintf(&b, "%s\n\n", text("card.measured", of))
		table("measure | value | 95 % interval", lists.Map(all, func(m cardMeasure) []string {
			interval := ""
			if !math.IsNaN(m.low) {
				interval = report.Range(m.low, m.high, report.Share)
			}
			return []string{m.name, report.Share(m.value), interval}
		}))
	} else {
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

// metadata writes what hubs read: YAML, whose texts are quoted as in JSON.
func (c *Card) metadata(b *strings.Builder) {
	task := "tabular-classification"
	switch {
	case c.Groups == nil:
		task = "tabular-regression"
	case c.Port == "":
		task = "graph-ml"
	}
	fmt.Fprintf(b, "---\nlibrary_name: prgnn\npipeline_tag: %s\ntags: [fmri, functional-connectivity, %s]\n", task,
		column.JSON(c.Model))
	if all := c.measures(); all != nil {
		fmt.Fprintf(b, "model-index:\n- name: %s\n  results:\n  - task: { type: %s }\n    dataset: { type: %s, name: %s }\n"+
			"    metrics:\n", column.JSON(c.Model), task, column.JSON(c.Pipeline), column.JSON(c.Pipeline))
		for _, m := range all {
			if m.hub != "" {
				fmt.Fprintf(b, "    - { type: %s, value: %.6f }\n", m.hub, m.value)
			}
		}
	}
	b.WriteString("---\n\n")
}
