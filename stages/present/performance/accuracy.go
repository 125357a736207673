package performance

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// Results are what a page says of the classifiers' performance.
type Results struct {
	*section.Writer
	Headline []string                    // coordinates of the setting whose accuracy comes first
	Accuracy []Row                       // of all settings
	Labels   []string                    // the classes that they predict, in the order of their names
	First    *Row                        // the headline; nil when there is none
	Permuted []column.PermutationTestRow // of models retrained on permuted labels
	Unproven []string                    // settings whose accuracy is not above chance, of those that are judged
	similar  int                         // pairs of participants that may be one person each
	Admitted []string                    // coordinates of trainings with known leakage that was let pass
	Another  bool                        // the headline is of another classifier than the pipeline's own

	Regression []column.RegressionRow // of all models, where a number is predicted in place of groups
}

// A Row is one row of evaluate's summary.
type Row struct {
	column.AccuracyRow
	Setting string // coordinates: stage=train pool=topk
	Title   string // the classifier for people
	Leaks   bool   // its training has known leakage, which was let pass
	Own     bool   // the model that the pipeline is about, not one to compare with
	Within  string // what labels were permuted within, beside folds: " and sites"; "" for nothing else
}

// Within says within what a stage permuted labels beside folds, by its table: " and sites"; "" for nothing else.
func Within(in dag.Input) (string, error) {
	table, err := in.Table()
	if err != nil {
		return "", err
	}
	switch by := table.Meta["within"]; by {
	case "":
		return "", nil
	case "site":
		return " and sites", nil
	default:
		return " and values of " + section.PlainName(by), nil
	}
}

func readAccuracy(in dag.Input) ([]Row, error) {
	read, err := column.Read[column.AccuracyRow](in)
	if err != nil {
		return nil, err
	}
	within, err := Within(in)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(read))
	for i, r := range read {
		rows[i] = Row{AccuracyRow: r, Setting: column.CoordText(r.Coords), Title: r.Name, Within: within}
		if r.Name == "" {
			rows[i].Title = section.SettingName(r.Coords)
		}
	}
	return rows, nil
}

// Called is the classifier in a sentence.
func (r Row) Called() string {
	if r.Title == "" {
		return "The model"
	}
	return r.Title
}

// AreaOf says what the AUC is the area of, in a study of so many groups.
func (r Row) AreaOf(groups int) string {
	switch {
	case r.Positive == "n/a":
		return "each group against the rest, mean over groups and folds"
	case groups > 2:
		return r.Positive + " against all other groups, mean over the folds"
	}
	return "mean over the folds"
}

// IsMajority reports whether a row is of the majority classifier.
func (r Row) IsMajority() bool {
	return strings.HasPrefix(r.Title, column.Classifiers["majority"])
}

// Read reads the accuracies of all settings, PR-GNN first, then by accuracy, and
// finds the headline.
func (a *Results) Read() error {
	if err := a.readLeakage(); err != nil {
		return err
	}
	if !a.T.Has("evaluation") {
		return a.readRegression()
	}
	rows, err := readAccuracy(a.T.In("evaluation"))
	if err != nil {
		return err
	}
	if err := a.readLabels(); err != nil {
		return err
	}
	if err := a.cautions(a.T.In("evaluation")); err != nil {
		return err
	}
	if a.Permuted, err = section.Read[column.PermutationTestRow](a.T, "permutation"); err != nil {
		return err
	}
	for i, r := range rows {
		rows[i].Leaks = a.leaks(r)
	}
	a.markOwn(rows)
	at, err := headlineOf(rows, a.Headline)
	if err != nil {
		return err
	}
	if at >= 0 {
		if a.Another = !rows[at].Own; a.Another { // the page is about the headline; the others are to compare with
			for i, r := range rows {
				rows[i].Own = r.Setting == rows[at].Setting
			}
		}
		first := rows[at]
		a.First = &first
	}
	a.Accuracy = sorted(rows)
	return nil
}

// readLabels reads the classes that evaluate found in the predictions.
func (a *Results) readLabels() error {
	table, err := a.T.In("evaluation").Table()
	if err != nil || table.Meta["groups"] == "" {
		return err
	}
	if err := json.Unmarshal([]byte(table.Meta["groups"]), &a.Labels); err != nil {
		return fmt.Errorf("%s: groups: %w", a.T.In("evaluation").Name, err)
	}
	return nil
}

// readLeakage finds the trainings whose known leakage the checks let pass, and the participants who may be one person.
func (a *Results) readLeakage() error {
	for _, in := range a.T.All("leakage") {
		table, err := in.Table()
		if err != nil {
			return err
		}
		if text := table.Meta[column.AdmittedLeaks]; text != "" {
			var of []string
			if err := json.Unmarshal([]byte(text), &of); err != nil {
				return fmt.Errorf("%s: %w", in.Name, err)
			}
			a.Admitted = append(a.Admitted, of...)
		}
		if text := table.Meta[column.SimilarScans]; text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("%s: %w", in.Name, err)
			}
			a.similar = max(a.similar, n)
		}
	}
	return nil
}

// Doubt qualifies a result where two participants may be one person, so that nobody quotes it without, and a sentence
// says why; "" where there is no doubt.
func (a *Results) Doubt() (text, why string) {
	if a.similar == 0 {
		return "", ""
	}
	return "too high if one person has two ids; ", fmt.Sprintf(
		" Connectivity as similar as that of two scans of one person: %s of participants.", words.Count(a.similar, "pair"))
}

// leaks reports whether a training of a setting has known leakage: its coordinates are the setting's, and its fold.
func (a *Results) leaks(r Row) bool {
	return slices.ContainsFunc(a.Admitted, func(of string) bool {
		return column.HasCoords(coordsOf(of), coordsOf(r.Setting))
	})
}

// sorted puts PR-GNN first, then settings by their accuracy over participants.
func sorted(rows []Row) []Row {
	accuracy := map[string]float64{}
	for _, r := range perParticipant(rows) {
		accuracy[r.Setting] = r.Accuracy
	}
	slices.SortStableFunc(rows, func(x, y Row) int {
		return column.CompareNamed(x.Title, y.Title, accuracy[x.Setting], accuracy[y.Setting])
	})
	return rows
}

// cautions repeats those of a table.
func (a *Results) cautions(in dag.Input) error {
	table, err := in.Table()
	if err != nil {
		return err
	}
	for text := range strings.SplitSeq(table.Meta["caution"], "\n") {
		if text != "" {
			a.Weighed(weightOf(text), "%s", text)
		}
	}
	return nil
}

// weightOf is the weight of a caution that a table of evaluate has.
func weightOf(text string) section.Weight {
	switch {
	case strings.Contains(text, "leakage"):
		return section.Overturns
	case strings.Contains(text, fold.OrderLost):
		return section.Notes
	}
	return section.Limits
}

// markOwn marks the rows of the model that the pipeline is about: those of stages of the
// kind train, where the parameters are connected; otherwise those that no baseline's name
// begins; where nothing is left, all but the majority classifier.
func (a *Results) markOwn(rows []Row) {
	found := false
	for i, r := range rows {
		for _, s := range a.Run.Stages {
			if s.Kind == "train" && slices.Contains(strings.Fields(r.Setting), "stage="+s.Stage) {
				rows[i].Own, found = true, true
			}
		}
	}
	if found {
		return
	}
	for i, r := range rows {
		rows[i].Own = !baseline(r.Title)
		found = found || rows[i].Own
	}
	for i, r := range rows {
		rows[i].Own = rows[i].Own || !found && !r.IsMajority()
	}
}

// baseline reports whether a name is that of a classifier to compare PR-GNN with.
func baseline(name string) bool { return ModelOf(name) != column.PrGNN }

// ModelOf is the model of column.Classifiers that a classifier's name begins with; PR-GNN, whose settings are named
// without it, for any other.
func ModelOf(name string) string {
	for model, word := range column.Classifiers {
		if strings.HasPrefix(name, word) {
			return model
		}
	}
	return column.PrGNN
}

// PerParticipant are the accuracies over participants.
func (a *Results) PerParticipant() []Row { return perParticipant(a.Accuracy) }

func perParticipant(rows []Row) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Level != "participant" })
}

// Nested is the accuracy over participants with the setting chosen inside each fold; nil
// where it is not connected.
func (a *Results) Nested() (*Row, error) {
	if !a.T.Has("nested") {
		return nil, nil
	}
	rows, err := readAccuracy(a.T.In("nested"))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Level == "participant" })
	if i < 0 {
		return nil, nil
	}
	rows[i].Title = "setting chosen inside each fold"
	return &rows[i], nil
}

// A chanceTest is a permutation test of a measure.
type chanceTest struct {
	p         float64
	least     float64 // smallest p that it can give
	draws     int32
	how       string
	retrained bool // its models
	shuffled  bool // by the kind permutation
}

func (c chanceTest) String() string {
	p, draws, bound := strings.Cut(report.DrawnPText(c.p, c.draws), " (") // p ≤ 0.05 (19 randomizations)
	if draws = strings.TrimSuffix(draws, ")"); bound && !c.shuffled {
		return fmt.Sprintf("%s (%s: %s)", p, draws, c.how)
	}
	return fmt.Sprintf("%s (%s)", p, c.how)
}

// drawnLeast is the smallest p of so many permutations, if all differ.
func drawnLeast(permutations int32) float64 { return 1 / float64(permutations+1) }

// Powerless says why the test cannot show anything, whatever the classifier does; "" if it can.
func (c chanceTest) Powerless() string {
	switch {
	case c.least < 0.05:
		return ""
	case c.shuffled:
		return report.TooFewDraws(c.draws, "label shuffle")
	case c.retrained:
		return fewDiffer("labels", c.least)
	}
	return fewInFolds(c.least)
}

// fewDiffer says that the permutations of what was tested cannot give a p below least.
func fewDiffer(what string, least float64) string {
	return fmt.Sprintf("p cannot be below %s, since only %s of the %s within folds %s", report.Probability(least),
		words.Count(int(math.Round(1/least)), "permutation"), what,
		map[bool]string{true: "differs", false: "differ"}[least > 0.6])
}

// fewInFolds says that the folds are too small to be tested one by one.
func fewInFolds(least float64) string {
	return fmt.Sprintf("p of a test fold by fold, with models not retrained, cannot be below %s, since few permutations of the labels of a fold differ; a test with retrained models can (docs/statistics.md)", report.Probability(least))
}

// The tests of evaluate, by its column test, in words.
var evaluateTests = map[string]string{
	fold.Retrained: "models retrained on permuted labels%s",
	fold.PerFold:   "fold by fold%s, models not retrained",
}

// permutationTests are those of a measure, accuracy or auc: that of evaluate, then by models that the kind permutation
// retrained. A table whose p has no test is of a version that pooled the folds, which is no valid p.
func (a *Results) permutationTests(r Row, measure string) (tests []chanceTest) {
	p := map[string]float64{"accuracy": r.P, "auc": r.AUCP}[measure]
	if how := evaluateTests[r.Test]; how != "" && !math.IsNaN(p) {
		how = fmt.Sprintf(how, strings.Replace(r.Within, " and ", " within ", 1))
		if r.TestFolds > 0 {
			of := map[string]string{"accuracy": "accuracy " + report.Share(r.TestAccuracy),
				"auc": "AUC " + report.Share(r.TestAUC)}
			how += "; first repeat: " + of[measure]
		}
		tests = append(tests, chanceTest{p, r.Least, r.Permutations, how, r.Test == fold.Retrained, false})
	}
	for _, t := range a.Retrained(r) {
		if m := t.Measured(measure); m != nil {
			of := chanceTest{m.P, drawnLeast(m.Permutations), m.Permutations, t.howRetrained(*m), true, true}
			tests = append(tests, of)
		}
	}
	return tests
}

// ChanceTests are permutationTests in words; of too few label shuffles they say so where Undecidable does not.
func (a *Results) ChanceTests(r Row, measure string) (texts []string) {
	for _, t := range a.permutationTests(r, measure) {
		text := t.String()
		if t.shuffled && t.Powerless() != "" && a.Undecidable(r) == "" {
			text = strings.TrimSuffix(text, ")") + fmt.Sprintf("; p cannot be below %s)", words.DrawnLeast(int(t.draws)))
		}
		texts = append(texts, text)
	}
	return texts
}

// decisive is the test that a measure is judged by: the last that can go below 0.05; ok is false without any, and for a
// classifier that a permutation test may be of, and cannot be attributed to.
func (a *Results) decisive(r Row, measure string) (t chanceTest, ok bool) {
	if a.Unattributed(r.Setting, r.Title) {
		return t, false
	}
	tests := a.permutationTests(r, measure)
	for i, t := range slices.Backward(tests) {
		if i == 0 || t.least < 0.05 {
			return t, true
		}
	}
	return t, false
}

// notRetrained reports whether an accuracy is judged by a p without retrained models; the majority classifier is not.
func (a *Results) notRetrained(r Row) bool {
	t, ok := a.decisive(r, "accuracy")
	return ok && !t.retrained && !r.IsMajority()
}

// Shown is the accuracy of a classifier in a list of those above chance.
func (a *Results) Shown(r Row) string {
	if t, ok := a.decisive(r, "accuracy"); ok && !t.shuffled && r.TestFolds > 0 {
		how := map[bool]string{true: ", fold by fold"}[!t.retrained]
		return fmt.Sprintf("%s (%s, tested in the first repeat%s: %s)", r.Called(), report.Share(r.Accuracy), how,
			report.Share(r.TestAccuracy))
	}
	if a.notRetrained(r) {
		return fmt.Sprintf("%s (%s, tested fold by fold)", r.Called(), report.Share(r.Accuracy))
	}
	return fmt.Sprintf("%s (%s)", r.Called(), report.Share(r.Accuracy))
}

// AboveChance reports whether an accuracy is above chance, and why it is not: by the p of the kind permutation, or else
// by that of evaluate. It is not where neither tests it, or a test with retrained models cannot be attributed to it.
func (a *Results) AboveChance(r Row) (above bool, why string) {
	if a.Unattributed(r.Setting, r.Title) {
		return false, "a permutation test cannot be attributed to it"
	}
	t, ok := a.decisive(r, "accuracy")
	if !ok {
		return false, untested
	}
	return t.p < 0.05, t.String()
}

// untested says that there is no test against chance, and what would test it.
const untested = "not tested against chance: connect permuted of split to baseline, and to evaluate as labels (docs/statistics.md)"

// Undecidable says why no test can show that an accuracy is above chance; "" where one can.
func (a *Results) Undecidable(r Row) string {
	if a.Unattributed(r.Setting, r.Title) {
		return ""
	}
	if t, ok := a.decisive(r, "accuracy"); ok {
		return t.Powerless()
	}
	return untested
}

// cautionOneGroup warns of classifiers that name the same group to all test participants of a fold, in every fold.
func (a *Results) cautionOneGroup() error {
	scores, err := section.Read[foldScore](a.T, "scores")
	if err != nil {
		return err
	}
	said := settingCautions{}
	for _, r := range a.PerParticipant() {
		folds, one := 0, 0
		for _, s := range scores {
			if s.Level != "participant" || column.CoordText(s.Coords) != r.Setting {
				continue
			}
			folds++
			if min(s.Sensitivity, s.Specificity) == 0 && max(s.Sensitivity, s.Specificity) == 1 {
				one++
			}
		}
		if folds > 0 && one == folds && !r.IsMajority() {
			weight := section.Notes
			if r.Own {
				weight = section.Limits
			}
			said.add(weight, r, "%s predicts one class for all test participants of each fold: its accuracy is the share of that class (AUC %s)", section.UpperFirst(r.Called()), report.Share(r.AUC))
		}
	}
	said.say(a)
	return nil
}

// Corrected are the p that accuracies per participant are judged by, of each setting, corrected by Holm for all
// classifiers that were tested; the majority classifier is none.
func (a *Results) Corrected() map[string]float64 {
	var settings []string
	var p []float64
	for _, r := range a.PerParticipant() {
		if t, ok := a.decisive(r, "accuracy"); ok && !r.IsMajority() {
			settings, p = append(settings, r.Setting), append(p, t.p)
		}
	}
	of := map[string]float64{}
	for i, p := range inference.Holm(p) {
		of[settings[i]] = p
	}
	return of
}

// Uncorrectable says of which classifiers a permutation test has too few permutations for Holm's correction: they
// would not be below 0.05 if no permutation did as well; "" for none.
func (a *Results) Uncorrectable() (text string) {
	var tests []chanceTest
	var names []string
	for _, r := range a.PerParticipant() {
		if t, ok := a.decisive(r, "accuracy"); ok && !r.IsMajority() {
			tests, names = append(tests, t), append(names, section.InSentence(r.Called()))
		}
	}
	said := map[string]bool{}
	for i, t := range tests {
		p := lists.Map(tests, func(t chanceTest) float64 { return t.p })
		p[i] = t.least
		least := inference.Holm(p)[i]
		if t.least >= 0.05 || least < 0.05 {
			continue
		}
		which := fmt.Sprintf("The %s of %s", words.Count(int(t.draws), "label shuffle"), names[i])
		remedy := fmt.Sprintf(": use at least %d", 20*len(tests))
		switch {
		case !t.retrained:
			which, remedy = "The test fold by fold", ": retrain the models (docs/statistics.md)"
		case !t.shuffled:
			which, remedy = "The label permutations of "+names[i], ""
		}
		line := fmt.Sprintf(" %s cannot give p < 0.05 after Holm's correction for %d classifiers (at best %s)%s.",
			which, len(tests), report.Probability(least), remedy)
		if !said[line] {
			text += line
		}
		said[line] = true
	}
	return text
}

// nearPerfect is an accuracy per participant that is rather a sign of the label in the data than of brains.
const nearPerfect = 0.98

// CautionAccuracy warns of accuracies that show nothing.
func (a *Results) CautionAccuracy() {
	compared, said := 0, settingCautions{}
	shown := slices.Concat(a.StagesBehind("ranking", "scores"), a.StagesBehind("fidelity", "model"))
	rows := a.PerParticipant()
	slices.SortStableFunc(rows, func(x, y Row) int { return a.behind(x) - a.behind(y) })
	for _, r := range rows {
		if !r.IsMajority() {
			compared++
		}
		if r.Accuracy >= nearPerfect && r.Participants >= 20 {
			said.add(section.Overturns, r, "%s: accuracy is %s of %d participants. Look for the label in the data or the processing: regions that one class lacks, a different scanner or scan length, a step that used the labels", section.UpperFirst(r.Called()), report.Share(r.Accuracy), r.Participants)
		}
		above, why := a.AboveChance(r)
		if !above && (r.Own || slices.Contains(shown, stageOf(r.Setting))) {
			a.Unproven = append(a.Unproven, r.Setting)
		}
		if above && r.Low <= r.Majority && !r.IsMajority() {
			said.add(section.Limits, r, "%s: the 95 %% CI of the accuracy (%s) includes the majority-class rate (%s): the permutation test rejects chance, but how much the accuracy exceeds that rate is uncertain", r.Called(), report.Range(r.Low, r.High), report.Share(r.Majority))
		}
		if !r.Own {
			continue
		}
		if r.TestFolds > 0 {
			said.add(section.Limits, r, "%s: p is of the first repeat (accuracy %s, AUC %s) and no test of the accuracy (%s) and AUC (%s) over all repeats", r.Called(), report.Share(r.TestAccuracy),
				report.Share(r.TestAUC), report.Share(r.Accuracy), report.Share(r.AUC))
		}
		switch {
		case r.High < r.Majority:
			said.add(section.Overturns, r, "%s: accuracy is below the majority-class rate (%s)", r.Called(), report.Share(r.Majority))
		case !above && a.Unattributed(r.Setting, r.Title): // cautionRetrained says so
		case !above && a.Undecidable(r) == untested:
			said.add(section.Overturns, r, "%s: accuracy was %s", r.Called(), untested)
		case !above && a.Undecidable(r) != "":
			said.add(section.Overturns, r, "%s: accuracy cannot be shown to be above chance: %s", r.Called(), a.Undecidable(r))
		case !above:
			said.add(section.Overturns, r, "%s: accuracy is not above chance: %s", r.Called(), why)
		}
		accuracy, tested := a.decisive(r, "accuracy")
		if auc, ok := a.decisive(r, "auc"); tested && ok && (accuracy.p < 0.05) != (auc.p < 0.05) {
			said.add(section.Limits, r, "%s: the tests of accuracy and AUC disagree: accuracy %v, AUC %v", r.Called(), accuracy, auc)
		}
		switch {
		case r.Sensitivity == 0 && r.Specificity == 1:
			said.add(section.Overturns, r, "%s calls nobody %s (sensitivity 0, specificity 1)", r.Called(), r.Positive)
		case r.Sensitivity == 0:
			said.add(section.Limits, r, "%s detects none of the %s participants (sensitivity 0)", r.Called(), r.Positive)
		case r.Sensitivity < 0.5:
			said.add(section.Limits, r, "%s detects fewer than half of the %s participants (sensitivity %s)", r.Called(), r.Positive, report.Share(r.Sensitivity))
		}
		switch {
		case r.Specificity == 0 && r.Sensitivity == 1:
			said.add(section.Overturns, r, "%s calls everybody %s (sensitivity 1, specificity 0)", r.Called(), r.Positive)
		case r.Specificity == 0:
			said.add(section.Limits, r, "%s calls all other participants %s (specificity 0)", r.Called(), r.Positive)
		case r.Specificity < 0.5:
			said.add(section.Limits, r, "%s calls more than half of the other participants %s (specificity %s)", r.Called(), r.Positive, report.Share(r.Specificity))
		}
	}
	said.say(a)
	own, best := a.First, a.bestOther()
	if own != nil && own.Level == "participant" && best != nil && best.Accuracy > own.Accuracy {
		a.Caution("%s is not the best classifier here: %s has an accuracy of %s on the same folds, against %s; report both",
			own.Called(), best.Title, report.Share(best.Accuracy), report.Share(own.Accuracy))
	}
	a.cautionSeeds()
	if compared > 1 {
		a.Weighed(section.Notes, "%d classifiers were compared: the accuracy of the best one is biased upward", compared)
	}
}

// behind is 0 for the headline, 1 for other settings of the model that the page is about, 2 for classifiers to compare
// with.
func (a *Results) behind(r Row) int {
	switch {
	case a.First != nil && r.Setting == a.First.Setting:
		return 0
	case r.Own:
		return 1
	}
	return 2
}

// cautionSeeds warns where the headline is one of several seeds of the same training.
func (a *Results) cautionSeeds() {
	if a.First == nil {
		return
	}
	if !slices.ContainsFunc(coordsOf(a.First.Setting), isSeed) {
		return
	}
	var accuracy []float64
	for _, r := range a.PerParticipant() {
		if slices.Equal(withoutSeed(r), withoutSeed(*a.First)) {
			accuracy = append(accuracy, r.Accuracy)
		}
	}
	if len(accuracy) > 1 {
		mean, _ := column.MeanSD(accuracy)
		a.Caution("The headline is one of %d seeds of the same training (accuracy %s to %s, mean %s): a seed that was chosen by its result biases the accuracy upward; report all seeds", len(accuracy),
			report.Share(slices.Min(accuracy)), report.Share(slices.Max(accuracy)), report.Share(mean))
	}
}

// withoutSeed are the coordinates of a setting but for its seed.
func withoutSeed(r Row) []string { return slices.DeleteFunc(coordsOf(r.Setting), isSeed) }

// settingCautions are cautions about settings; several with the same fault have one line.
type settingCautions struct {
	all []settingCaution
	at  map[string]int // fault → its place
}

type settingCaution struct {
	weight section.Weight
	first  Row
	text   string
	also   []string // other settings with this fault
	seeds  int      // other seeds of the first training
}

func (c *settingCautions) add(weight section.Weight, r Row, format string, args ...any) {
	if c.at == nil {
		c.at = map[string]int{}
	}
	i, there := c.at[format]
	if !there {
		c.at[format] = len(c.all)
		c.all = append(c.all, settingCaution{weight: weight, first: r, text: fmt.Sprintf(format, args...)})
		return
	}
	s := &c.all[i]
	seeded := slices.ContainsFunc(coordsOf(r.Setting), isSeed)
	if seeded && slices.Equal(withoutSeed(r), withoutSeed(s.first)) {
		s.seeds++
		return
	}
	s.also = append(s.also, section.InSentence(r.Called()))
}

func (c *settingCautions) say(a *Results) {
	for _, s := range c.all {
		var also []string
		if s.seeds > 0 {
			also = append(also, words.Count(s.seeds, "other seed")+" of the same training")
		}
		if also = append(also, s.also...); also != nil {
			s.text += "; likewise " + words.Some(also, 6)
		}
		a.Weighed(s.weight, "%s", s.text)
	}
}

// isSeed reports whether a coordinate, AXIS=VALUE, is a seed.
func isSeed(coord string) bool {
	axis, _, _ := strings.Cut(coord, "=")
	return strings.Contains(strings.ToLower(axis), "seed")
}

// bestOther is the most accurate classifier to compare with, over participants; nil where there is none.
func (a *Results) bestOther() (best *Row) {
	rows := a.PerParticipant()
	for i, r := range rows {
		if !r.Own && !r.IsMajority() && (best == nil || r.Accuracy > best.Accuracy) {
			best = &rows[i]
		}
	}
	return best
}

// IsUnproven reports whether the accuracy of a setting is not above chance. of are the stages that the setting may be
// of, where they are known and the setting names none.
func (a *Results) IsUnproven(setting string, of []string) bool {
	if stage := stageOf(setting); stage != "" {
		of = []string{stage}
	}
	return slices.ContainsFunc(a.Unproven, func(s string) bool {
		stage := stageOf(s)
		return sameSetting(s, setting) && (of == nil || stage == "" || slices.Contains(of, stage))
	})
}
