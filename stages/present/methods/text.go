package methods

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/version"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// methodsOfCohort tells who was scanned, or that nobody was.
func (a *Author) methodsOfCohort(m *Text) {
	n := ""
	if a.Who != nil {
		n = fmt.Sprint(len(a.Who.Ids))
	}
	switch c := cohortSettings(a.Run); {
	case c == nil:
	case c.Kind == "simulate" && c.Is("target", "score"):
		m.say("The data were simulated: nobody was scanned. The scans of %s participants have %s volumes at a repetition time of %s s on a grid of %s mm, with motion and noise; correlations among planted regions change with the score, with a strength of %s at a score of 100.",
			n, c.Value["volumes"], c.Value["tr"], c.Value["grid"], c.Value["strength"])
	case c.Kind == "simulate":
		m.say("The data were simulated: nobody was scanned. The scans of %s participants (%s ASD, %s HC) have %s volumes at a repetition time of %s s on a grid of %s mm, with motion and noise; correlations among planted regions differ between the groups with a strength of %s.",
			n, c.Value["asd"], c.Value["hc"], c.Value["volumes"], c.Value["tr"], c.Value["grid"], c.Value["strength"])
	case c.Kind == "bids":
		if n == "" {
			n = "The"
		}
		by := "in BIDS layout, which name no program"
		if a.About.MadeBy != "" {
			by = "of " + a.About.MadeBy
		}
		if strings.HasPrefix(a.About.MadeBy, "fMRIPrep") {
			by += " " + m.cite("esteban")
		}
		m.say("%s participants%s were taken from derivatives %s.", n, a.groupSizes(), by)
	case n != "":
		m.say("%s participants%s took part.", n, a.groupSizes())
	}
	switch a.About.Space {
	case "":
	case "native":
		m.say("The scans are in their own space.")
	default:
		m.say("The scans are in the space %s.", a.About.Space)
	}
	if p := a.Run.Of("parcellate"); p != nil {
		m.say("%s", methodsOfLabels(a.Labeled, p))
		if a.About.DK84 {
			m.sentences[len(m.sentences)-1] += fmt.Sprintf(" (Desikan–Killiany atlas with subcortical structures, 84 regions) %s", m.cite("desikan"))
		}
		m.sentences[len(m.sentences)-1] += fmt.Sprintf("; a region with less than %s of its label on this grid counts as missing.", p.Value["min_coverage"])
		if a.About.Aligned {
			m.say("In this space, the positions of regions were compared with those of the atlas after an affine alignment only.")
		}
		for _, from := range slices.Sorted(maps.Keys(a.About.Labels)) {
			whose := "The labels"
			if n := a.About.Labels[from]; len(a.About.Labels) > 1 {
				whose += " of " + words.Count(n, "participant")
			}
			m.say("%s are %s.", whose, from)
		}
	}
}

func cohortSettings(s *finding.Settings) *finding.StageSettings {
	for i := range s.Stages {
		if s.Stages[i].Stage == "cohort" {
			return &s.Stages[i]
		}
	}
	return nil
}

// valid says which voxels enter the mean of a region.
const valid = "finite and varying over time"

// methodsOfGraphs tells of the way from voxels to graphs.
func (a *Author) methodsOfGraphs(m *Text) {
	if b := a.Run.Of("bootstrap"); b != nil {
		if b.Is("draws", "0") {
			m.say("The series of a region is the mean over its valid %ss (%s).", a.Element(), valid)
		} else {
			how := "without replacement"
			if b.Is("replacement", "true") {
				how = "with replacement"
			}
			m.say("The series of a region is the mean over a random sample of %s of its valid %ss (%s), drawn %s; %s draws were made of each scan, and each draw gives one %s %s.", share(b.Number("fraction")), a.Element(), valid, how, b.Value["draws"], a.unit(), m.cite("li2020"))
		}
		if least := b.Value["min_valid"]; least != "" && least != "0" {
			m.say("A region with less than %s of its %ss valid has no series.", least, a.Element())
		}
	}
	if d := a.Run.Of("denoise"); d != nil {
		a.methodsOfCleaning(m, d)
	}
	for i, c := range a.kinds("connectivity") {
		if a.Run.KindOf(c, "series") == "join" {
			switch n := a.Joined(); {
			case n > 0 && n == len(a.Scans):
				m.say("The denoised series of the runs of a participant were put one after the other.")
			case n > 0:
				m.say("The denoised series of the runs of a participant were put one after the other (%d of %s).", n,
					words.Count(len(a.Scans), "participant"))
			}
		}
		a.methodsOfMatrices(m, c, i > 0)
	}
	a.methodsOfSessions(m)
	for _, c := range a.kinds("combat") {
		shrunk := " with empirical Bayes"
		if c.Is("empirical_bayes", "false") {
			shrunk = " without shrinkage"
		}
		if c.Is("mean_only", "true") {
			shrunk += " (shifts only)"
		}
		kept := ""
		if names := listed(c, "preserve"); names != "" {
			kept = "; the effects of " + names + " were preserved"
		}
		if at := c.Value["reference"]; at != "" {
			shrunk += ", relative to " + at
		}
		if c.Is("few", "keep") {
			kept += fmt.Sprintf("; matrices of each %s with fewer than %s training participants in a fold, or none, were left as they were",
				c.Value["site"], c.Value["minimum"])
		}
		m.say("%s.", sentence(a.only(c), fmt.Sprintf("effects of %s on the %s were removed by ComBat %s%s, fitted in each fold to the training participants%s",
			c.Value["site"], a.matrices(c), m.cite("johnson"), shrunk, kept)))
	}
	for _, c := range a.kinds("tangent") {
		reference := map[string]string{"geometric": "geometric mean", "controls": "geometric mean (group " + c.Value["controls"] + ")",
			"euclidean": "arithmetic mean", "logeuclidean": "log-Euclidean mean"}[c.Value["reference"]]
		m.say("%s.", sentence(a.only(c), fmt.Sprintf("covariance matrices were mapped to the tangent space %s at the %s of the training participants of each fold",
			m.cite("varoquaux"), reference)))
	}
	a.methodsOfWindows(m)
	a.methodsOfSilence(m)
	a.methodsOfEdges(m)
}

// methodsOfEdges tells of the graphs; of several sorts, each is told with its models.
func (a *Author) methodsOfEdges(m *Text) {
	var texts []string
	takers := map[string][]*finding.StageSettings{}
	for _, g := range a.kinds("graph") {
		text := graphText(g)
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		of, _ := a.takers(g)
		takers[text] = append(takers[text], of...)
	}
	for _, text := range texts {
		before := ""
		if of := takers[text]; len(texts) > 1 && of != nil {
			before = "For " + a.models(of...) + ", "
		}
		m.say("%s", sentence(before, text))
	}
}

// methodsOfMatrices tells how correlations were estimated; another estimate than the first is told with its models.
func (a *Author) methodsOfMatrices(m *Text, c *finding.StageSettings, another bool) {
	of := map[bool]string{true: " of the standardized series"}[c.Is("standardize", "true")]
	before := ""
	if another {
		before = a.only(c)
	}
	correlation := estimator(m, c.Value["pearson"], c, "Pearson's coefficient")
	text := fmt.Sprintf("correlation was estimated as %s%s", correlation, of)
	// Where others of its matrices are taken and these are not, no result depends on partial correlations.
	if a.unit() == "graph" && (a.takes(c, "partial") || !a.takes(c, "pearson") && !a.takes(c, "covariance")) {
		text = fmt.Sprintf("correlation was estimated as %s, and partial correlation from the inverse of %s%s", correlation, estimator(m, c.Value["partial"], c, "the empirical covariance"), of)
	}
	m.say("%s.", sentence(before, text))
	if z := c.Value["fisher_z"]; z != "none" && z != "" {
		m.say("Fisher's z transform was applied (%s).", z)
	}
}

// graphText tells of the edges and features of a stage of the kind graph.
func graphText(g *finding.StageSettings) string {
	var parts []string
	switch {
	case g.Is("rule", "largest"):
		of := "of all pairs of regions"
		if g.Is("of", "positive") {
			of = "of the positive ones"
		}
		parts = append(parts, fmt.Sprintf("edges are the largest positive partial correlations, %s %s.", percentText(g.Value["density"]), of))
	case g.Is("percentile", "0"):
		parts = append(parts, "all pairs of regions are edges, with their partial correlations.")
	default:
		parts = append(parts, fmt.Sprintf("edges are the partial correlations whose magnitude is at or above the %s percentile of all entries, as in the authors' program.", g.Value["percentile"]))
	}
	if g.Is("rule", "largest") {
		switch g.Value["repair"] {
		case "largest":
			parts = append(parts, "An isolated region was reconnected by its largest edge.")
		case "absolute":
			parts = append(parts, "An isolated region was reconnected by its edge of largest magnitude.")
		}
	}
	switch g.Value["features"] {
	case "pearson":
		parts = append(parts, "The features of a region are its correlations with all regions.")
	case "degree-profile":
		parts = append(parts, "The features of a region are its local degree profile.")
	case "identity":
		parts = append(parts, "The feature of a region is its identity.")
	}
	return strings.Join(parts, " ")
}

func (a *Author) methodsOfCleaning(m *Text, d *finding.StageSettings) {
	var parts []string
	switch d.Value["detrend"] {
	case "-1":
	case "0":
		parts = append(parts, "the mean was removed")
	case "1":
		parts = append(parts, "a linear trend was removed")
	case "2":
		parts = append(parts, "linear and quadratic trends were removed")
	default:
		parts = append(parts, fmt.Sprintf("a polynomial trend of degree %s was removed", d.Value["detrend"]))
	}
	parts = append(parts, methodsOfNuisance(m, a.Scans, d, a.Joined() > 0)...)
	if fd := d.Number("fd"); fd > 0 {
		parts = append(parts, fmt.Sprintf("volumes with a framewise displacement above %s mm were censored %s", report.Short(fd), m.cite("power")))
	}
	if f := d.Value["filter"]; f != "none" && f != "" {
		band := d.Value["high_pass"] + "–" + d.Value["low_pass"] + " Hz"
		switch {
		case d.Number("low_pass") == 0:
			band = "frequencies above " + d.Value["high_pass"] + " Hz"
		case d.Number("high_pass") == 0:
			band = "frequencies below " + d.Value["low_pass"] + " Hz"
		}
		parts = append(parts, fmt.Sprintf("a %s filter kept %s", strings.Replace(f, "butterworth", "Butterworth", 1), band))
		for _, s := range a.Scans {
			if by := bridges[s.Bridge]; by != "" {
				parts = append(parts, "while it ran, "+by+" stood in for censored volumes")
				break
			}
		}
	}
	switch d.Value["standardize"] {
	case "zscore":
		parts = append(parts, "each series was standardized")
	case "psc":
		parts = append(parts, "each series was scaled to percent signal change")
	}
	if parts != nil {
		m.say("Denoising: %s.", strings.Join(parts, "; "))
	}
	methodsOfBlocks(m, a.Scans, d)
}

// bridges are what stands in for censored volumes.
var bridges = map[string]string{"linear": "straight lines", "nilearn": "cubic splines"}

func estimator(m *Text, name string, c *finding.StageSettings, empirical string) string {
	switch name {
	case "empirical":
		return empirical
	case "ledoit-wolf":
		return "the Ledoit–Wolf shrinkage covariance " + m.cite("ledoit")
	case "oas":
		return "the oracle-approximating shrinkage covariance " + m.cite("chen")
	case "ridge":
		return "the covariance with a ridge of " + c.Value["rho"]
	case "glasso":
		return fmt.Sprintf("the graphical lasso (α = %s) %s", c.Value["alpha"], m.cite("friedman"))
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
	s := finding.StageSettings{Value: map[string]string{"x": value}}
	if x := s.Number("x"); x > 0 {
		return report.Short(100*x) + " %"
	}
	return value
}

// hasModels reports whether something of the page comes from trained models: after a
// failed leakage check nothing does, and the methods tell of no training and no accuracy.
func (a *Author) hasModels() bool {
	return a.T.Has("evaluation") || a.T.Has("regression") || a.T.Has("predictions") ||
		a.T.Has("training") || a.T.Has("ranking")
}

// methodsOfTraining tells of the model.
func (a *Author) methodsOfTraining(m *Text) {
	t := a.Run.Of("train")
	predicts, groups := "cross-entropy", "a group"
	if t == nil && a.Run.Of("train-regression") != nil {
		t = a.Run.Of("train-regression")
		predicts = "mean squared error of the z-scored " + a.target()
		if groups = "each of " + t.Value["groups"] + " quantile groups of it"; t.Is("groups", "1") {
			groups = "a batch"
		}
	}
	if t == nil || !a.hasModels() {
		return
	}
	the := "The model"
	if a.Another {
		the = "Another model, for comparison,"
		m.say("The headline is the accuracy of %s.", section.InSentence(a.First.Called()))
	}
	if t.Is("variant", "authors-code") {
		m.say(the+" is the one of the authors' released program, which differs from their paper %s; its epoch is chosen on the test set, which is leakage.", m.cite("li2020"))
	} else {
		m.say(the+" is PR-GNN %s: graph attention convolutions %s of widths %s that take edge weights into account, each followed by a pooling layer that keeps the %s of the regions with the highest scores, then a multilayer perceptron (hidden widths %s).",
			m.cite("li2020"), m.cite("velickovic"), t.Value["widths"], percentText(t.Value["ratio"]), t.Value["hidden"])
	}
	if t.Is("variant", "paper") {
		m.say("Where the paper leaves a choice open, or its formulas cannot hold: %s.", strings.Join(readings(t), "; "))
	}
	// A work is cited where its method was used.
	cited := func(words, key string) string { return words + " " + m.cite(key) }
	var pools, distances []string
	for _, p := range strings.Split(t.Value["pool"], "; ") {
		switch p {
		case "topk":
			p = cited("TopK pooling", "gao")
		case "sage":
			p = cited("self-attention pooling", "lee")
		}
		pools = append(pools, p)
	}
	for _, d := range strings.Split(t.Value["distance"], "; ") {
		switch d {
		case "bce":
			d = "binary cross-entropy"
		case "mmd":
			d = cited("maximum mean discrepancy", "gretton")
		}
		distances = append(distances, d)
	}
	m.say("Scores come from %s; the distance loss is %s; the loss is %s + λ1 · distance losses + λ2 · consistency within %s, with (λ1, λ2) = (%s).",
		strings.Join(pools, " or "), strings.Join(distances, " or "), predicts, groups,
		strings.ReplaceAll(t.Value["lambda"], "; ", ") or ("))
	halve := ""
	if n := t.Number("halve"); n > 0 {
		halve = fmt.Sprintf(", halved every %s epochs", t.Value["halve"])
	}
	against := ""
	if t.Number("dropout") > 0 {
		against += ", dropout of " + t.Value["dropout"] + " in the multilayer perceptron"
	}
	if t.Number("weight_decay") > 0 {
		against += ", weight decay of " + t.Value["weight_decay"]
	}
	if t.Is("standardize", "training") {
		against += "; each feature was standardized by the mean and standard deviation of the training graphs"
	}
	m.say("Adam %s ran for %s epochs with batches of %s graphs and a learning rate of %s%s%s; weights are those of the %s.", m.cite("kingma"), t.Value["epochs"], t.Value["batch"], t.Value["learning_rate"], halve, against,
		map[bool]string{true: "last epoch", false: "epoch that does best on the test set, which is leakage"}[t.Is("select", "last")])
}

// readings are choices where the paper is open, or prints what cannot be meant, that are in force in a training.
func readings(t *finding.StageSettings) (all []string) {
	if !t.Is("self_weight", "0") {
		all = append(all, fmt.Sprintf("the edge of a region to itself has weight %s", t.Value["self_weight"]))
	}
	if t.Is("gate", "true") {
		all = append(all, "kept features are multiplied by their score")
	}
	kernels := map[string]string{"gauss": "exp(−d²/σ)", "outside": "exp(−d²)/σ", "rbf2": "exp(−d²/2σ²)"}
	if kernel := kernels[t.Value["kernel"]]; kernel != "" && strings.Contains(t.Value["distance"], "mmd") {
		all = append(all, "the kernel of the maximum mean discrepancy is "+kernel)
	}
	if t.Is("glc", "squared") {
		all = append(all, "the consistency loss has squared distances")
	}
	return append(all, "no activation follows a convolution")
}

// methodsOfEvaluation tells how the result was measured.
func (a *Author) methodsOfEvaluation(m *Text) error {
	if s := a.Run.Of("split"); s != nil {
		if where := s.Value["leave_out"]; where != "" {
			m.say("Each value of %s was left out in turn (leave-one-%[1]s-out cross-validation).", where)
		} else {
			strata := ""
			if s.Is("stratify", "true") {
				by := section.PlainName(cmp.Or(s.Value["label"], "group"))
				if s.Is("label", column.Target) {
					by = a.target()
				}
				if within := listed(s, "stratify_by"); within != "" {
					by += " within " + within
				}
				strata = ", stratified by " + by
			}
			if kept := together(s); kept != "" {
				strata += ", with all who share " + kept + " in one fold"
			}
			times := ""
			if s.Number("repeats") > 1 {
				times = fmt.Sprintf(", repeated %s times", s.Value["repeats"])
			}
			m.say("Cross-validation divided the participants into %s folds%s%s (seed %s); all %s of a participant are on one side of every split.", s.Value["folds"], strata, times, s.Value["seed"],
				map[string]string{"graph": "graphs", "matrix": "matrices"}[a.unit()])
		}
	}
	if where := a.LeftOut(); where != "" {
		m.say("In a second cross-validation, each %s was left out in turn (leave-one-%[1]s-out).", section.PlainName(where))
	}
	for _, s := range a.kinds("split") {
		of, first := cmp.Or(s.Value["label"], "group"), cmp.Or(a.Run.Of("split").Value["label"], "group")
		if by, _ := a.takers(s); by != nil && of != first {
			m.say("The %s of a participant was predicted by %s, in folds that are stratified by %[1]s.", section.PlainName(of), a.models(by...))
		}
	}
	if c := a.Run.Of("choose"); c != nil {
		m.say("In nested cross-validation, the setting was chosen in each of these folds by inner folds of its training participants, without its test participants: the one with the %s per participant, on average over the inner folds.",
			map[string]string{"loss": "lowest cross-entropy", "accuracy": "highest accuracy", "auc": "largest AUC"}[c.Value["by"]])
	}
	if e := a.Run.Of("evaluate"); e != nil && a.T.Has("evaluation") {
		a.methodsOfBaselines(m)
		a.methodsOfMeasures(m, e)
	}
	if e := a.Run.Of("evaluate-regression"); e != nil && a.T.Has("regression") {
		a.methodsOfRegression(m, e)
	}
	if c := a.Run.Of("compare"); c != nil && a.T.Has("comparison") {
		m.say("Classifiers were compared over the same participants by the corrected resampled t-test, which is of classifiers trained on as many participants %s, and the trained models by McNemar's exact test, with Holm's correction for the number of pairs.", m.cite("nadeau"))
	}
	a.methodsOfPermutations(m)
	if a.T.Has("ranking") {
		a.methodsOfRankings(m)
		if err := a.methodsOfReferences(m); err != nil {
			return err
		}
	}
	if err := a.methodsOfChecks(m); err != nil {
		return err
	}
	m.say("All computations were done with PR-GNN Pipeline %s %s.", version.Number, m.cite("prgnn"))
	return nil
}

// methodsOfPermutations tell which models were retrained on permuted labels, on how many, and how these were permuted.
func (a *Author) methodsOfPermutations(m *Text) {
	label := "the labels"
	if a.Regression != nil {
		label = a.target()
	}
	var how []string
	retrained := map[string][]string{}
	tests := a.RetrainedTests()
	for _, t := range tests {
		text := fmt.Sprintf("%s of %s%s", words.Count(int(t.Rows[0].Permutations), "permutation"), label,
			a.permutedWithin(t))
		if retrained[text] == nil {
			how = append(how, text)
		}
		retrained[text] = append(retrained[text], cmp.Or(t.Name(), "the model"))
	}
	for _, text := range how {
		m.say("A permutation test retrained %s on %s %s; folds and trainings were repeated for every permutation.",
			join(retrained[text]), text, m.cite("phipson"))
	}
	for _, t := range tests {
		of := map[string]any{"Name": cmp.Or(t.Name(), "the model"), "Other": t.Other, "Reason": t.Reason,
			"Design": t.Design}
		if t.Other != nil {
			m.say("%s", a.Text("methods.other-training", of))
		}
		if t.Reason != "" {
			m.say("%s", a.Text("methods.unattributed", of))
		}
	}
}

// within says within what, beside folds, the stage at a port permuted labels of the test participants.
func (a *Author) within(port string) string {
	if !a.T.Has(port) {
		return ""
	}
	table, err := a.T.In(port).Table()
	if err != nil { // known to be readable
		return ""
	}
	return a.Text("chance.and", map[string]any{"Within": table.Meta["within"]})
}

// permutedWithin says within what the labels of a permutation test were permuted; "" where it is not known.
func (a *Author) permutedWithin(t *finding.RetrainedTest) string {
	if t.Stage == nil || !a.T.Has("participants") {
		return ""
	}
	from := a.Run.Sources(t.Stage, "folds")
	if from == nil || from[0].Kind != "split" {
		return ""
	}
	return a.exchanged(from[0], " over all participants")
}

// exchanged says within what the label permutations of a split were made, over all if there is nothing such, and who
// exchanged labels as a whole.
func (a *Author) exchanged(split *finding.StageSettings, over string) string {
	table, err := a.T.In("participants").Table()
	if err != nil {
		return ""
	}
	by := split.Value["within"]
	values, err := table.Strings(by)
	if _, names := column.Numbered(values); err == nil && len(names) > 1 {
		over = withinValues(by)
	}
	if kept := together(split); kept != "" { // see exchangeUnits
		over += " (those who share " + kept + " exchanged their labels as a whole with as many others, and with each other)"
	}
	return over
}

// withinValues says that labels were permuted within the values of a column; "" without one.
func withinValues(by string) string {
	switch by {
	case "":
		return ""
	case "site":
		return " within sites"
	}
	return " within the values of " + by
}

// together are the columns any of which relatives share, whom a split keeps together; "" without any.
func together(s *finding.StageSettings) string {
	return strings.ReplaceAll(listed(s, "keep_together"), " and ", " or ")
}

// listed are the names that a parameter lists: "age, sex and IQ"; "" without any.
func listed(s *finding.StageSettings, parameter string) string {
	names := strings.Trim(s.Value[parameter], "[]")
	if names == "" {
		return ""
	}
	return join(strings.Split(names, ", "))
}

// target is what the number that is predicted is called.
func (a *Author) target() string {
	if a.Who == nil {
		return "the target"
	}
	return cmp.Or(a.Who.Target, "the target")
}

// methodsOfRegression tells how a number was predicted, and how that was measured.
func (a *Author) methodsOfRegression(m *Text, e *finding.StageSettings) {
	works := map[string]string{"ridge": "hoerl", "kernel-ridge": "he2020", "svr": "smola", "rbf-svr": "smola",
		"forest": "breiman"}
	if names := a.namesOf(m, works, "regression"); names != nil {
		m.say("These models were trained on the same folds to predict %s: %s. In each fold %[1]s was standardized by the mean and standard deviation of the training participants.",
			a.target(), strings.Join(names, ", "))
		if a.Run.Of("tangent") == nil {
			fisher := ""
			if r := a.Run.Of("regression"); r.Is("transform", "fisher") {
				fisher = ", as Fisher's z"
			} else if r.Is("transform", "own") && strings.Contains("; "+r.Value["model"]+"; ", "; ridge; ") {
				fisher = ", in ridge regression as Fisher's z"
			}
			m.say("The inputs of these models are the correlations of all pairs of regions%s.", fisher)
		}
	}
	drawn := ""
	if b := a.Run.Of("bootstrap"); b != nil && !b.Is("draws", "0") {
		drawn = " (mean prediction over the draws)"
	}
	m.say("Pearson's correlation r of predicted and observed %s, R² and the mean absolute error (MAE) are given per participant%s as means over the folds; R² is 1 − Σ(y−ŷ)²/Σ(y−ȳ)² with the mean ȳ of the test participants of a fold. Intervals of 95 %% are of the expected value for models trained on as many participants as in each fold: of r on Fisher's scale, of R² and MAE on logarithmic scales, the variance being corrected for overlapping training sets %s.",
		a.target(), drawn, m.cite("nadeau"))
	of := lists.Map(a.Regression, func(r column.RegressionRow) chanceOf {
		return chanceOf{r.Name, r.Test, r.Permutations, r.Test != "" && r.TestFolds > 0}
	})
	a.methodsOfChance(m, []string{"r", "MAE"}, "targets", of)
}

// methodsOfBaselines names the classifiers that the model is compared with.
func (a *Author) methodsOfBaselines(m *Text) {
	names := a.namesOf(m, works, "baseline", "meanmlp", "bnt", "braingnn")
	if names != nil {
		before := "For comparison, these classifiers"
		if a.Another { // the headline is among them
			before = "These classifiers"
		}
		m.say("%s were trained on the same folds: %s.", before, strings.Join(names, ", "))
	}
	a.methodsOfNetworks(m)
	a.inputsOfBaselines(m)
	a.inputsOfWindows(m)
}

// unit is what a draw of a scan gives: a graph, or a matrix in a study whose models take no graphs.
func (a *Author) unit() string {
	if a.Run.Of("graph") == nil && (a.Run.Of("regression") != nil || a.Run.Of("baseline") != nil) {
		return "matrix"
	}
	return "graph"
}

// settingsOf are the settings of a model that a reader needs to fit it again; "" for models that are described
// elsewhere.
func settingsOf(model string, s *finding.StageSettings) string {
	switch model {
	case "ridge":
		return "penalty " + s.Value["penalty"]
	case "kernel-ridge":
		if n := len(strings.Fields(s.Value["penalties"])); n > 1 {
			return fmt.Sprintf("penalty: of %d values, the best in %s inner folds", n, s.Value["inner"])
		}
		return "penalty " + strings.Trim(s.Value["penalties"], "[]")
	case "svm", "linear-svm", "logistic":
		return "C = " + s.Value["c"]
	case "svr", "rbf-svr":
		return fmt.Sprintf("C = %s, ε = %s", s.Value["c"], s.Value["epsilon"])
	case "forest":
		tried := s.Value["tried"] + " inputs"
		if tried == "0 inputs" {
			tried = map[bool]string{true: "a third of the inputs", false: "the square root of the number of inputs"}[s.Kind == "regression"]
		}
		return fmt.Sprintf("%s trees, %s tried at each split", s.Value["trees"], tried)
	case "mlp":
		return fmt.Sprintf("hidden widths %s, %s epochs, batches of %s, learning rate %s",
			strings.Trim(s.Value["hidden"], "[]"), orDefault(s.Value["epochs"], "100"),
			orDefault(s.Value["batch"], "100"), orDefault(s.Value["learning_rate"], "0.001"))
	}
	return ""
}

// orDefault is a setting, or for 0 the default of the model.
func orDefault(value, standard string) string {
	if value == "0" {
		return standard
	}
	return value
}

// namesOf are the models of stages of some kinds, with the works that describe them.
func (a *Author) namesOf(m *Text, works map[string]string, kinds ...string) (names []string) {
	for _, s := range a.Run.Stages {
		if !slices.Contains(kinds, s.Kind) || !a.sameFolds(&s) {
			continue
		}
		for _, model := range strings.Split(cmp.Or(s.Value["model"], s.Kind), "; ") {
			name := section.OrItself(column.Classifiers, model)
			if fitted := settingsOf(model, &s); fitted != "" {
				name += " (" + fitted + ")"
			}
			if key := works[model]; key != "" {
				name += " " + m.cite(key)
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
