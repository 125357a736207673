package present

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// methodsOfCohort tells who was scanned, or that nobody was.
func (a *author) methodsOfCohort(m *methodsText) {
	n := ""
	if a.who != nil {
		n = fmt.Sprint(len(a.who.Ids))
	}
	switch c := cohortSettings(a.run); {
	case c == nil:
	case c.kind == "simulate":
		m.say("The data were simulated: nobody was scanned. The scans of %s participants (%s ASD, %s HC) have %s volumes at a repetition time of %s s on a grid of %s mm, with motion and noise; correlations among planted regions differ between the groups with a strength of %s.",
			n, c.value["asd"], c.value["hc"], c.value["volumes"], c.value["tr"], c.value["grid"], c.value["strength"])
	case c.kind == "bids":
		if n == "" {
			n = "The"
		}
		by := "in BIDS layout, which name no program"
		if a.about.MadeBy != "" {
			by = "of " + a.about.MadeBy
		}
		if strings.HasPrefix(a.about.MadeBy, "fMRIPrep") {
			by += " " + m.cite("esteban")
		}
		m.say("%s participants were taken from derivatives %s.", n, by)
	case n != "":
		m.say("%s participants took part.", n)
	}
	switch a.about.Space {
	case "":
	case "native":
		m.say("The scans are in their own space.")
	default:
		m.say("The scans are in the space %s.", a.about.Space)
	}
	if p := a.run.of("parcellate"); p != nil {
		m.say("%s", methodsOfLabels(a.labeled, p))
		if a.about.DK84 {
			m.sentences[len(m.sentences)-1] += fmt.Sprintf(" (Desikan–Killiany atlas with subcortical structures, 84 regions) %s", m.cite("desikan"))
		}
		m.sentences[len(m.sentences)-1] += fmt.Sprintf("; a region with less than %s of its label on this grid counts as missing.", p.value["min_coverage"])
		for _, from := range slices.Sorted(maps.Keys(a.about.Labels)) {
			whose := "The labels"
			if n := a.about.Labels[from]; len(a.about.Labels) > 1 {
				whose += " of " + words.Count(n, "participant")
			}
			if from == "as given" {
				from = "of an image given to the pipeline"
			}
			m.say("%s are %s.", whose, from)
		}
	}
}

func cohortSettings(s *pipelineSettings) *stageSettings {
	for i := range s.stages {
		if s.stages[i].stage == "cohort" {
			return &s.stages[i]
		}
	}
	return nil
}

// valid says which voxels enter the mean of a region.
const valid = "finite and varying over time"

// methodsOfGraphs tells of the way from voxels to graphs.
func (a *author) methodsOfGraphs(m *methodsText) {
	if b := a.run.of("bootstrap"); b != nil {
		if b.is("draws", "0") {
			m.say("The series of a region is the mean over its valid %ss (%s).", a.element(), valid)
		} else {
			how := "without replacement"
			if b.is("replacement", "true") {
				how = "with replacement"
			}
			m.say("The series of a region is the mean over a random sample of %s of its valid %ss (%s), drawn %s; %s draws were made of each scan, and each draw gives one graph %s.", share(b.number("fraction")), a.element(), valid, how, b.value["draws"], m.cite("li2020"))
		}
		if least := b.value["min_valid"]; least != "" && least != "0" {
			m.say("A region with less than %s of its %ss valid has no series.", least, a.element())
		}
	}
	if d := a.run.of("denoise"); d != nil {
		a.methodsOfCleaning(m, d)
	}
	if c := a.run.of("connectivity"); c != nil {
		m.say("Correlation was estimated as %s, and partial correlation from the inverse of %s%s.", estimator(m, c.value["pearson"], c, "Pearson's coefficient"), estimator(m, c.value["partial"], c, "the empirical covariance"),
			map[bool]string{true: " of the standardized series"}[c.is("standardize", "true")])
		if z := c.value["fisher_z"]; z != "none" && z != "" {
			m.say("Fisher's z transform was applied (%s).", z)
		}
	}
	if c := a.run.of("combat"); c != nil {
		text := "Effects of %s on these matrices were removed by ComBat %s%s, fitted in each fold to the training participants"
		shrunk := " with empirical Bayes"
		if c.is("empirical_bayes", "false") {
			shrunk = " without shrinkage"
		}
		if c.is("mean_only", "true") {
			shrunk += " (shifts only)"
		}
		m.say(text+".", c.value["site"], m.cite("johnson"), shrunk)
		if kept := strings.Trim(c.value["preserve"], "[]"); kept != "" {
			m.say("The effects of %s were preserved.", kept)
		}
	}
	if c := a.run.of("tangent"); c != nil {
		reference := map[string]string{"geometric": "geometric mean", "controls": "geometric mean (group " + c.value["controls"] + ")",
			"euclidean": "arithmetic mean", "logeuclidean": "log-Euclidean mean"}[c.value["reference"]]
		m.say("Covariance matrices were mapped to the tangent space %s at the %s of the training participants of each fold.",
			m.cite("varoquaux"), reference)
	}
	a.methodsOfSilence(m)
	if g := a.run.of("graph"); g != nil {
		if g.is("rule", "largest") {
			of := "of all pairs of regions"
			if g.is("of", "positive") {
				of = "of the positive ones"
			}
			m.say("Edges are the largest positive partial correlations, %s %s.", percentText(g.value["density"]), of)
		} else {
			m.say("Edges are the partial correlations whose magnitude is at or above the %s percentile of all entries, as in the authors' program.", g.value["percentile"])
		}
		switch g.value["repair"] {
		case "largest":
			m.say("An isolated region was reconnected by its largest edge.")
		case "absolute":
			m.say("An isolated region was reconnected by its edge of largest magnitude.")
		}
		switch g.value["features"] {
		case "pearson":
			m.say("The features of a region are its correlations with all regions.")
		case "degree-profile":
			m.say("The features of a region are its local degree profile.")
		case "identity":
			m.say("The feature of a region is its identity.")
		}
	}
}

func (a *author) methodsOfCleaning(m *methodsText, d *stageSettings) {
	var parts []string
	switch d.value["detrend"] {
	case "-1":
	case "0":
		parts = append(parts, "the mean was removed")
	default:
		parts = append(parts, fmt.Sprintf("a polynomial trend of degree %s was removed", d.value["detrend"]))
	}
	parts = append(parts, methodsOfNuisance(m, a.scans, d)...)
	if fd := d.number("fd"); fd > 0 {
		parts = append(parts, fmt.Sprintf("volumes with a framewise displacement above %s mm were censored %s", report.Short(fd), m.cite("power")))
	}
	if f := d.value["filter"]; f != "none" && f != "" {
		band := d.value["high_pass"] + "–" + d.value["low_pass"] + " Hz"
		switch {
		case d.number("low_pass") == 0:
			band = "frequencies above " + d.value["high_pass"] + " Hz"
		case d.number("high_pass") == 0:
			band = "frequencies below " + d.value["low_pass"] + " Hz"
		}
		parts = append(parts, fmt.Sprintf("a %s filter kept %s", strings.Replace(f, "butterworth", "Butterworth", 1), band))
	}
	switch d.value["standardize"] {
	case "zscore":
		parts = append(parts, "each series was standardized")
	case "psc":
		parts = append(parts, "each series was scaled to percent signal change")
	}
	if parts != nil {
		m.say("Cleaning of the series: %s.", strings.Join(parts, "; "))
	}
}

func estimator(m *methodsText, name string, c *stageSettings, empirical string) string {
	switch name {
	case "empirical":
		return empirical
	case "ledoit-wolf":
		return "the Ledoit–Wolf shrinkage covariance " + m.cite("ledoit")
	case "oas":
		return "the oracle-approximating shrinkage covariance " + m.cite("chen")
	case "ridge":
		return "the covariance with a ridge of " + c.value["rho"]
	case "glasso":
		return fmt.Sprintf("the graphical lasso (α = %s) %s", c.value["alpha"], m.cite("friedman"))
	case "glasso-cv":
		return "the graphical lasso, α chosen by cross-validation " + m.cite("friedman")
	}
	return name
}

func share(x float64) string {
	switch {
	case x > 0.333 && x < 0.334:
		return "one third"
	case x == 0.5:
		return "one half"
	}
	return report.Short(x)
}

func percentText(value string) string {
	s := stageSettings{value: map[string]string{"x": value}}
	if x := s.number("x"); x > 0 {
		return report.Short(100*x) + " %"
	}
	return value
}

// hasModels reports whether something of the page comes from trained models: after a
// failed leakage check nothing does, and the methods tell of no training and no accuracy.
func (a *author) hasModels() bool {
	return a.t.Has("evaluation") || a.t.Has("predictions") || a.t.Has("training") || a.t.Has("ranking")
}

// methodsOfTraining tells of the model.
func (a *author) methodsOfTraining(m *methodsText) {
	t := a.run.of("train")
	if t == nil || !a.hasModels() {
		return
	}
	if t.is("variant", "authors-code") {
		m.say("The model is the one of the authors' released program, which differs from their paper %s; its epoch is chosen on the test set, which is leakage.", m.cite("li2020"))
	} else {
		m.say("The model is PR-GNN %s: graph attention convolutions %s of widths %s that take edge weights into account, each followed by a pooling layer that keeps the %s of the regions with the highest scores, then a multilayer perceptron (hidden widths %s).",
			m.cite("li2020"), m.cite("velickovic"), t.value["widths"], percentText(t.value["ratio"]), t.value["hidden"])
	}
	// A work is cited where its method was used.
	cited := func(words, key string) string { return words + " " + m.cite(key) }
	var pools, distances []string
	for _, p := range strings.Split(t.value["pool"], "; ") {
		switch p {
		case "topk":
			p = cited("TopK pooling", "gao")
		case "sage":
			p = cited("self-attention pooling", "lee")
		}
		pools = append(pools, p)
	}
	for _, d := range strings.Split(t.value["distance"], "; ") {
		switch d {
		case "bce":
			d = "binary cross-entropy"
		case "mmd":
			d = cited("maximum mean discrepancy", "gretton")
		}
		distances = append(distances, d)
	}
	m.say("Scores come from %s; the distance loss is %s; the loss is cross-entropy + λ1 · distance losses + λ2 · consistency within a group, with (λ1, λ2) = (%s).",
		strings.Join(pools, " or "), strings.Join(distances, " or "),
		strings.ReplaceAll(t.value["lambda"], "; ", ") or ("))
	halve := ""
	if n := t.number("halve"); n > 0 {
		halve = fmt.Sprintf(", halved every %s epochs", t.value["halve"])
	}
	m.say("Adam %s ran for %s epochs with batches of %s graphs and a learning rate of %s%s; weights are those of the %s.", m.cite("kingma"), t.value["epochs"], t.value["batch"], t.value["learning_rate"], halve,
		map[bool]string{true: "last epoch", false: "epoch that does best on the test set, which is leakage"}[t.is("select", "last")])
}

func orItself(words map[string]string, key string) string {
	if w := words[key]; w != "" {
		return w
	}
	return key
}

// methodsOfEvaluation tells how the result was measured.
func (a *author) methodsOfEvaluation(m *methodsText) {
	if s := a.run.of("split"); s != nil {
		if where := s.value["leave_out"]; where != "" {
			m.say("Each value of %s was left out in turn (leave-one-%[1]s-out cross-validation).", where)
		} else {
			strata := ""
			if s.is("stratify", "true") {
				strata = ", stratified by group"
			}
			times := ""
			if s.number("repeats") > 1 {
				times = fmt.Sprintf(", repeated %s times", s.value["repeats"])
			}
			m.say("Cross-validation divided the participants into %s folds%s%s (seed %s); all graphs of a participant are on one side of every split.", s.value["folds"], strata, times, s.value["seed"])
		}
	}
	if e := a.run.of("evaluate"); e != nil && a.t.Has("evaluation") {
		a.methodsOfBaselines(m)
		m.say("Accuracy, balanced accuracy, sensitivity, specificity and the area under the ROC curve (AUC) are given per graph and per participant (mean probability over the draws). Accuracy is the share of correct predictions, pooled over the folds, with Wilson's 95 %% confidence interval for the number of participants %s; its mean and standard deviation over the folds stand beside it. The other measures are means over the folds.", m.cite("wilson"))
		m.say("p values of accuracy and AUC come from %s permutations of the groups of the test participants within folds, with the models not retrained %s.", report.Thousands(e.number("permutations")), m.cite("phipson"))
	}
	if c := a.run.of("compare"); c != nil && a.t.Has("comparison") {
		m.say("Classifiers were compared over the same participants by McNemar's exact test and by the corrected resampled t-test %s, with Holm's correction for the number of pairs.", m.cite("nadeau"))
	}
	if p := a.run.of("permutation"); p != nil && a.t.Has("permutation") {
		m.say("A permutation test retrained the models on permuted labels %s.", m.cite("phipson"))
		for _, r := range a.perParticipant() {
			for _, t := range a.retrained(r) {
				if other := a.otherSettings(r, t); other != "" && r.own && t.Measure == "accuracy" {
					m.say("For this test %s was trained with %s.", the(r.called()), other)
				}
			}
		}
	}
	if b := a.run.of("biomarkers"); b != nil && a.t.Has("ranking") {
		by := "the score that pooling layer %s gave them, averaged over the test graphs of each participant and then over participants %s"
		if b.is("reading", "contrast") {
			by = "the difference between the groups' mean scores in pooling layer %s, over the standard deviation within the groups, in the test participants of each model %s"
		}
		m.say("Regions are ranked by "+by+".", b.value["layer"], m.cite("li2020"))
		m.say("Differences between the groups in the scores of regions were tested by permutation, with the false discovery rate %s.", m.cite("benjamini"))
	}
	m.say("All computations were done with PR-GNN Pipeline %s.", m.cite("prgnn"))
}

// methodsOfBaselines names the classifiers that the model is compared with.
func (a *author) methodsOfBaselines(m *methodsText) {
	works := map[string]string{"svm": "cortes", "linear-svm": "cortes", "forest": "breiman",
		"kernel-ridge": "he2020", "brainnetcnn": "kawahara", "li2019": "li2019", "meanmlp": "popov", "bnt": "kan"}
	var names []string
	for _, s := range a.run.stages {
		models := s.kind
		switch s.kind {
		case "baseline":
			models = s.value["model"]
		case "meanmlp", "bnt":
		default:
			continue
		}
		for _, model := range strings.Split(models, "; ") {
			name := orItself(column.Classifiers, model)
			if key := works[model]; key != "" {
				name += " " + m.cite(key)
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if names != nil {
		m.say("For comparison, these classifiers were trained on the same folds: %s.", strings.Join(names, ", "))
	}
}
