package present

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/claim"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/participants"
	"prgnn/stages/present/performance"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// abstract writes the top of the page: question, answer, the tiles, that of the answer first, data, and the results
// with all numbers.
func (a *author) abstract() {
	ofSections := a.Page.Tiles
	a.Page.Tiles = nil
	joint := a.ownResult()
	if joint {
		a.Page.Tiles = append(a.universesTile, a.Page.Tiles...)
	} else {
		a.Page.Tiles = append(a.Page.Tiles, a.universesTile...)
	}
	a.Page.Tiles = append(a.Page.Tiles, ofSections...)
	if text := a.validated(); text != "" {
		a.results(text)
	}
}

// results adds paragraphs below the tiles.
func (a *author) results(texts ...string) { a.Page.Results = append(a.Page.Results, texts...) }

// A topClaim is a claim of the top of the page.
type topClaim struct {
	claim.Claim
	code string         // of the sentence that refers to the cautions about it
	text func() *string // that makes the claim; nil: the answer
}

// claim notes what a text claims; nothing without models.
func (a *author) claim(text func() *string, code string, c claim.Claim) {
	if len(c.Models) > 0 || c.Edges != nil || c.Cohort {
		a.claims = append(a.claims, topClaim{c, code, text})
	}
}

// question puts the cautions first that concern a claim of the top of the page, and adds to each claim which these are.
func (a *author) question() {
	claims := lists.Map(a.claims, func(c topClaim) claim.Claim { return c.Claim })
	claims = append(claims, lists.Map(a.shown, func(c tileClaim) claim.Claim { return c.Claim })...)
	models := claim.Of(a.Results.Results, a.PerParticipant()...).Models
	headline := slices.DeleteFunc(a.PerParticipant(), func(r finding.Row) bool { return !r.Own })
	if a.First != nil {
		headline = []finding.Row{*a.First}
	}
	// Cautions about the headline are next, also where nothing is claimed of it.
	first := append(slices.Clip(claims), claim.Of(a.Results.Results, headline...))
	a.Findings = claim.Before(claim.Adjusted(a.Findings, models, claims...), first...)
	var answered []int
	add := func(to *string, separator, code string, c claim.Claim, at []int) {
		if at != nil {
			v := values{"N": len(at), "Places": at, "First": at[len(at)-1] == len(at), "Concerned": 0, "Universes": 0}
			if c.Joint {
				v["Concerned"], v["Universes"] = c.Concerned(a.Findings)
			}
			*to += separator + a.Text(code, v)
		}
	}
	for _, c := range a.claims {
		switch at := claim.Places(a.Findings, c.Claim); {
		case c.text == nil:
			add(&a.Page.Answer, " ", c.code, c.Claim, at)
			answered = at
		case !slices.Equal(at, answered): // else the answer refers to them
			add(c.text(), " ", c.code, c.Claim, at)
		}
	}
	for i, t := range a.Page.Tiles {
		for _, c := range a.shown {
			if c.label == t.Label {
				add(&a.Page.Tiles[i].Note, " · ", "tile.questioned", c.Claim, claim.Places(a.Findings, c.Claim))
			}
		}
	}
}

// lastResult is the last paragraph below the tiles.
func (a *author) lastResult() func() *string {
	at := len(a.Page.Results) - 1
	return func() *string { return &a.Page.Results[at] }
}

// A tileClaim is the claim of the tile with a label.
type tileClaim struct {
	label string
	claim.Claim
}

// ownResult is that of models that were trained on the participants of the page. It reports whether the joint test of a
// multiverse is the answer.
func (a *author) ownResult() (isJoint bool) {
	asked := a.asked()
	a.Page.Abstract = a.data(asked)
	if a.Regression != nil {
		if a.FirstNumber != nil {
			a.numberAnswer(asked, *a.FirstNumber)
		} else {
			a.answers(asked, a.PredictNumber)
		}
		a.results(a.RegressionResult())
		a.regressionTiles()
		return false
	}
	row := a.First
	if row == nil {
		row = a.Nested
	}
	own, of := 0, values{"Settings": 0, "Repeated": false, "Majority": a.majorities() > 0}
	var settings []string // as headline selects them
	for _, r := range a.PerParticipant() {
		switch {
		case r.IsMajority():
		case !r.Own && !a.Another: // a headline among classifiers, which are settings, too
		case r.SameAs != "":
			own, of["Repeated"] = own+1, true
		default:
			own, of["Settings"] = own+1, of["Settings"].(int)+1
			settings = append(settings, headlineOf(r.Coords))
		}
	}
	switch {
	case row != nil:
		joint, numbers, above := a.joint(asked)
		of["Beside"] = joint != ""
		own, result := a.result(*row, asked, of)
		var text func() *string                            // the answer
		if a.Page.Answer = own; own != "" && joint != "" { // many analyses answer before one of them
			if above {
				a.claim(nil, "abstract.questioned", claim.OfUniverses(a.Results.Results))
			}
			isJoint, a.Page.Answer, a.Page.Abstract = true, joint, append(a.Page.Abstract, own)
			at := len(a.Page.Abstract) - 1
			text = func() *string { return &a.Page.Abstract[at] }
		}
		a.results(append(numbers, result)...)
		others, _, _ := a.OthersAbove()
		switch state, _ := a.Chance(*row, "accuracy"); {
		case state != finding.Above: // the result has the others
			a.claim(a.lastResult(), "abstract.questioned-besides", claim.Of(a.Results.Results, others...))
			if of, _ := a.Chance(*row, "auc"); state == finding.NotAbove && of == finding.Above && own != "" {
				a.claim(text, "abstract.questioned-auc", claim.Of(a.Results.Results, *row))
			}
		case own != "":
			a.claim(text, "abstract.questioned", claim.Of(a.Results.Results, *row))
		}
		if a.Nested != nil && a.First != nil {
			nested := values(finding.Values(*a.Nested))
			nested["Tests"] = a.tests(*a.Nested, "accuracy")
			a.results(a.Text("abstract.nested", nested))
		}
		a.beyond()
		a.tiles(*row)
	case own > 1:
		var numbers []string
		var above bool
		a.Page.Answer, numbers, above = a.joint(asked)
		if above {
			a.claim(nil, "abstract.questioned", claim.OfUniverses(a.Results.Results))
		}
		if a.Page.Answer == "" {
			a.answers(asked, a.Distinguish)
			a.Page.Abstract = append(a.Page.Abstract, a.Text("abstract.no-headline",
				values{"N": own, "Settings": settings[:min(len(settings), 4)]}))
			a.tile(a.Text("tile.settings", values{"N": own}), "tile.no-headline", nil, nil)
		}
		isJoint = numbers != nil
		a.results(numbers...)
		a.beyond()
	case a.Accuracy == nil: // a multiverse without evaluate
		if joint, numbers, above := a.joint(asked); joint != "" {
			isJoint, a.Page.Answer = true, joint
			if a.stated != "" {
				numbers = append(numbers, a.stated)
			}
			a.results(numbers...)
			if above {
				a.claim(nil, "abstract.questioned", claim.OfUniverses(a.Results.Results))
			}
		}
	}
	return isJoint
}

// headlineOf is the value of headline that selects a setting: [stage=mymodel].
func headlineOf(coords []dag.Coord) string {
	return "[" + strings.Join(lists.Map(coords, func(c dag.Coord) string {
		if text := c.Axis + "=" + c.Value; !strings.ContainsAny(text, `,[]{}:#"'`) {
			return text
		}
		return strconv.Quote(c.Axis + "=" + c.Value)
	}), ", ") + "]"
}

// states are the codes of finding.State in the catalog.
var states = [...]string{"", "not above", "undecidable", "dependent", "not above majority", "untested", "unattributed"}

// beyond adds the results of folds that leave out each value of a column, such as site, beside those of the same
// classifiers in the folds of the page, and of models that predict another column.
func (a *author) beyond() {
	if a.Beyond != nil {
		a.beside("abstract.left-out", a.Beyond, values{"Where": cmp.Or(wording.PlainName(a.LeftOut()), "group")})
	}
	if a.OtherLabel != nil {
		a.beside("abstract.other-label", a.OtherLabel, values{"Where": cmp.Or(wording.PlainName(a.OtherLabel.Predicts), "another column")})
	}
}

// beside adds the results of other folds.
func (a *author) beside(code string, other *finding.Results, of values) {
	var models []values
	var above []finding.Row
	related, corrected := false, other.Corrected()
	for _, r := range other.Accuracy {
		if r.IsMajority() {
			continue
		}
		state, lost := other.ChanceAmong(r, corrected)
		related = related || r.Test != "" && other.IsRelated(r)
		v := values(finding.Values(r))
		maps.Copy(v, other.BeyondFolds(r))
		maps.Copy(v, values{"Where": of["Where"], "Name": r.Called(), "State": states[state],
			"Includes": r.Low <= r.Majority, "Lost": lost, "Compared": other.Tested(),
			"Inside": math.NaN(), "InsideAUC": math.NaN()})
		if inside := a.Inside(r); other == a.Beyond && inside != nil {
			v["Inside"], v["InsideAUC"] = inside.Accuracy, inside.AUC
		}
		models = append(models, v)
		if state == finding.Above && other == a.Beyond {
			above = append(above, a.LeavingOut(r))
		}
	}
	if models == nil {
		return
	}
	first := other.Accuracy[0]
	maps.Copy(of, values{"Models": models, "Folds": int(first.Folds), "Majority": first.Majority, "Related": related})
	a.results(a.Text(code, of))
	a.claim(a.lastResult(), "abstract.questioned-besides", claim.Of(other, above...))
}

// values are what entries of the catalog use.
type values = wording.Values

// asked is what the models predict, of whom: what the question and the answer have in common.
func (a *author) asked() values {
	v := values{"Column": "", "Classes": []string(nil), "Number": "", "HeldOut": ""}
	if a.Regression != nil {
		v["Number"] = a.Number
		if heldOut := a.NumberHeldOut(); heldOut != "participant_id" {
			v["HeldOut"] = heldOut
		}
		return v
	}
	of, classes := a.Predicted()
	var names []string
	for _, g := range classes {
		names = append(names, g.Name)
	}
	slices.SortFunc(names, dag.CompareValues)
	if v["Classes"] = names; of != "group" {
		v["Column"] = of
	}
	if heldOut, _ := a.ColumnOf(a.HeldOut()); heldOut != "participant_id" {
		v["HeldOut"] = heldOut
	}
	return v
}

// data describes who was classified, and as what.
func (a *author) data(asked values) []string {
	if a.Who == nil {
		return nil
	}
	of, classes := a.Predicted()
	classes = slices.Clone(classes) // in the order of the question
	slices.SortFunc(classes, func(x, y participants.Counted) int { return dag.CompareValues(x.Name, y.Name) })
	var groups []string
	for _, g := range classes {
		if of != "" && classes[0].Name != "" { // a number has no groups
			groups = append(groups, words.CountOf(g.N, g.Name, " "))
		}
	}
	v := values{"Numbers": a.Number, "Low": math.NaN(), "High": math.NaN(), "Mean": math.NaN(), "SD": math.NaN()}
	if known := column.Known(slices.Collect(maps.Values(a.Who.Numbers))); a.Number != "" && len(known) > 0 {
		slices.Sort(known) // sums have one order
		v["Mean"], v["SD"] = column.MeanSD(known)
		v["Low"], v["High"] = slices.Min(known), slices.Max(known)
	}
	maps.Copy(v, values{"N": len(a.Who.Ids), "Simulated": a.Who.Simulated, "Groups": groups,
		"Excluded": len(a.Excluded), "NotMet": a.NotMeeting(), "Table": a.InTable(), "Refused": a.Refused,
		"Others": len(a.Excluded) - a.NotMeeting(), "Reasons": "", "Lacking": a.Lacking})
	maps.Copy(v, asked)
	v["Tested"] = 0
	for _, s := range section.Rows[column.ValidationSummaryRow](a.Writer, "validation_summary") {
		if v["Tested"] = int(s.Participants); int(s.Participants) == len(a.Who.Ids) {
			v["Tested"] = 0
		}
	}
	if len(a.Excluded) > 0 {
		v["Reasons"] = a.ExcludedList()
	}
	if a.Regression == nil && a.Accuracy == nil {
		v["Column"] = ""
		return []string{a.Text("abstract.data", v)}
	}
	a.Page.Question = a.Text("abstract.question", v)
	return []string{a.Text("abstract.data", v)}
}

// many reports whether the models predict more than two classes.
func (a *author) many() bool {
	_, all := a.Predicted()
	return len(all) > 2
}

// tests are the tests of a measure in words; of too few label permutations they give the least p where the sentence
// on the
// state of the accuracy does not.
func (a *author) tests(r finding.Row, measure string) []string {
	state, _ := a.Chance(r, "accuracy")
	return lists.Map(a.Tests(r, measure), func(t finding.Test) string {
		if t.Shuffled && t.Powerless() && state != finding.Undecidable {
			return a.Text("chance.test-bounded", t)
		}
		return a.Text("chance.test", t)
	})
}

// answers is the answer where there is no headline: which models or settings are above chance, and which are not.
func (a *author) answers(asked values, of func() (above, not []string, few *finding.Uncorrectable)) {
	if a.Who == nil && asked["Number"] == "" {
		return
	}
	v := maps.Clone(asked)
	var few *finding.Uncorrectable
	v["Above"], v["Not"], few = of()
	if v["Few"] = few != nil; few != nil {
		maps.Copy(v, finding.Values(*few))
	}
	a.claim(nil, "abstract.questioned", claim.Named(a.Results.Results, v["Above"].([]string)))
	a.Page.Answer = a.Text("abstract.answers", v)
}

// numberAnswer is the answer where a model of a number is the headline.
func (a *author) numberAnswer(asked values, r column.RegressionRow) {
	state, test := a.ChanceOfR(r)
	v := maps.Clone(asked)
	_, among := a.CorrectedR()
	maps.Copy(v, values{"Name": r.Name, "R": r.R, "State": states[state], "Test": test, "Fit": a.FitBehind(r),
		"Measure": "r", "Among": among, "Similar": a.Similar, "RWithin": r.RWithin, "Site": a.Within})
	above, not, _ := a.PredictNumber()
	v["Above"], v["Not"] = above, not
	a.Page.Answer = a.Text("abstract.answer-number", v)
	if state == finding.Above {
		a.claim(nil, "abstract.questioned", claim.Named(a.Results.Results, append([]string{r.Name}, above...)))
	} else {
		a.claim(nil, "abstract.questioned-besides", claim.Named(a.Results.Results, above))
	}
}

// joint is the answer of a multiverse, its joint test or why there is none, and a paragraph with its numbers; ""
// without a multiverse. above: it claims that models are better than chance.
func (a *author) joint(asked values) (answer string, numbers []string, above bool) {
	tests := section.Rows[column.JointRow](a.Writer, "universe_tests")
	state := a.Joint(tests)
	if len(tests) == 0 || state == finding.Untested && a.NotJoint(tests) == nil || a.Who == nil {
		return "", nil, false
	}
	v := a.universes(tests)
	maps.Copy(v, asked)
	v["Against"] = ""
	classes, _ := asked["Classes"].([]string)
	if s := a.Run.Shown("multiverse", "universe_tests"); s != nil && len(classes) > 2 &&
		tests[0].Effect == "auc" { // the effect is of one group; an accuracy is of all
		v["Against"] = s.Value("positive")
	}
	v["Above"], v["Dependent"] = state == finding.Above, state == finding.Dependent
	return a.Text("abstract.joint", v), []string{a.Text("abstract.joint-numbers", v)}, state == finding.Above
}

// result is the headline in plain words, and with its numbers; settings counts those that it is one of. Beside a
// joint test it does not repeat who was classified.
func (a *author) result(r finding.Row, asked, settings values) (answer, result string) {
	state, test := a.Chance(r, "accuracy")
	above, before, tested := a.OthersAbove()
	v := values(finding.Values(r))
	maps.Copy(v, r.OverFolds())
	maps.Copy(v, values{"Similar": a.Similar, "Related": a.IsRelated(r), "Tests": a.tests(r, "accuracy"),
		"AUCTests": a.tests(r, "auc"),
		"Chosen":   r.Chosen, "Candidates": a.Candidates(),
		"Many": a.many(), "Unrecognized": a.Unrecognized(r),
		"State": states[state], "Below": r.Accuracy <= r.Majority, "AUCAbove": false,
		"Test":    test,
		"Measure": "accuracy", "Before": before, "Corrected": 0,
		"Above": lists.Map(above, func(r finding.Row) string {
			_, t := a.Chance(r, "accuracy")
			return a.Text("abstract.above", values{"Name": r.Called(), "Accuracy": r.Accuracy, "First": t.First,
				"Retrained": t.Retrained})
		})})
	if of, t := a.Chance(r, "auc"); of == finding.Above {
		v["AUCAbove"], v["AUCTestP"], v["AUCDraws"], v["AUCLeast"] = true, t.P, t.Draws, t.Least
	}
	if v["Compared"] = tested; tested.Settings > 1 {
		v["Corrected"] = tested.Settings
	}
	var cannot []string
	type kind struct { // once for all classifiers of which the same is true
		shuffled, retrained bool
		draws               int32
		best                float64
	}
	for _, of := range lists.By(a.Uncorrectables(), func(u finding.Uncorrectable) kind {
		return kind{u.Shuffled, u.Retrained, u.Draws, u.Best}
	}) {
		w := values(finding.Values(of.All[0]))
		if w["Names"] = []string(nil); len(of.All) != of.All[0].Among { // else those of all
			w["Names"] = lists.Map(of.All, func(u finding.Uncorrectable) string {
				return wording.InSentence(u.Row.Called())
			})
		}
		cannot = append(cannot, a.Text("abstract.cannot", w))
	}
	v["Uncorrectable"], v["Beside"] = cannot, settings["Beside"]
	result = a.Text("abstract.result", v)
	if maps.Copy(v, asked); len(v["Classes"].([]string)) < 2 && v["Column"] == "" {
		return "", result // the classes are not known
	}
	if v["Name"] = r.Called(); a.First != nil && settings["Settings"].(int) > 1 {
		settings["Name"] = v["Name"]
		v["Name"] = a.Text("abstract.headline", settings)
	}
	return a.Text("abstract.answer", v), result
}

// tile adds a tile, whose label and note the catalog has.
func (a *author) tile(value, code string, of any, bar *report.Bar) {
	a.Page.Tiles = append(a.Page.Tiles, report.Tile{Value: value, Label: a.Text(code, of),
		Note: a.Text(code+".note", of),
		Bar:  bar})
}

// tileP is the p of a tile, NaN without a test that holds.
func tileP(state finding.State, t finding.Test) values {
	if state >= finding.Untested || state == finding.Dependent {
		return values{"TileP": math.NaN(), "Draws": int32(0), "Least": math.NaN()}
	}
	return values{"TileP": t.P, "Draws": t.Draws, "Least": t.Least}
}

// tiles show the headline in a few numbers.
func (a *author) tiles(r finding.Row) {
	v := values(finding.Values(r))
	maps.Copy(v, r.OverFolds())
	v["Many"], v["Similar"] = a.many(), a.Similar
	maps.Copy(v, tileP(a.Chance(r, "accuracy")))
	a.tile(report.Share(r.Accuracy), "tile.accuracy", v, &report.Bar{Share: r.Accuracy, Mark: r.Majority, Low: r.Low,
		High: r.High})
	if !math.IsNaN(r.AUC) {
		a.tile(report.Share(r.AUC), "tile.auc", v, &report.Bar{Share: r.AUC, Mark: 0.5, Low: r.AUCLow, High: r.AUCHigh})
	}
	if !math.IsNaN(r.Sensitivity) {
		a.tile(report.Share(r.Sensitivity)+" / "+report.Share(r.Specificity), "tile.sensitivity", v, nil)
	}
}

// regressionTiles show the headline among the models of a number in a few numbers; without one, r of at most four.
func (a *author) regressionTiles() {
	for _, r := range a.Regression {
		if len(a.Page.Tiles) < 4 && !math.IsNaN(r.R) && (a.FirstNumber == nil || a.IsFirstNumber(r)) {
			residual := a.ResidualOf(r.Coords)
			v := tileP(a.TestOfR(r))
			maps.Copy(v, values{"Name": r.Name, "Number": a.Number, "Residual": residual != nil,
				"Headline": a.FirstNumber != nil, "Scored": residual != nil && residual.Scored,
				"Low": r.RLow, "High": r.RHigh, "R2": r.R2,
				"RWithin": r.RWithin, "Site": a.Within, "MAE": a.Error(r.MAE),
				"RFolds": performance.OfFolds(r), "Folds": int(r.Folds)})
			a.tile(report.Share(r.R), "tile.r", v, report.Correlation(r.R, r.RLow, r.RHigh))
		}
	}
	if r := a.FirstNumber; r != nil && !math.IsNaN(r.R) {
		v := values{"R2": r.R2, "Low": r.R2Low, "High": r.R2High, "Mean": ""}
		a.tile(report.Share(r.R2), "tile.r2", v, nil)
		v["Interval"] = report.Range(r.MAELow, r.MAEHigh, a.Error)
		if at := slices.IndexFunc(a.Regression, finding.IsMean); at >= 0 {
			v["Mean"] = a.Error(a.Regression[at].MAE)
		}
		a.tile(a.Error(r.MAE), "tile.mae", v, nil)
	}
}

// classification is the section of classifiers.
func (a *author) classification() {
	a.Results.Describe()
	of, classes := a.Predicted()
	names := lists.Map(classes, func(g participants.Counted) string { return g.Name })
	slices.Sort(names)
	heldOut, _ := a.ColumnOf(a.HeldOut())
	for _, where := range []string{heldOut, a.LeftOut()} {
		if where != "" && where != "participant_id" && of != "" {
			a.Find(quality.OppositeRatios(where, names, a.leftOutValues(where, of, names))...)
		}
	}
}

// leftOutValues are the values of a column with their participants of each class; nil where the table lacks one.
func (a *author) leftOutValues(where, of string, classes []string) (all []quality.LeftOutValue) {
	if a.Who == nil || a.People == nil {
		return nil
	}
	_, value, err := column.ByParticipant(a.People, where)
	_, class, err2 := column.ByParticipant(a.People, of)
	if err != nil || err2 != nil {
		return nil
	}
	for _, id := range a.Who.Ids {
		k := slices.Index(classes, class[id])
		if value[id] == "" || k < 0 {
			continue
		}
		at := slices.IndexFunc(all, func(v quality.LeftOutValue) bool { return v.Value == value[id] })
		if at < 0 {
			at, all = len(all), append(all, quality.LeftOutValue{Value: value[id], Counts: make([]int, len(classes))})
		}
		all[at].Counts[k]++
	}
	slices.SortFunc(all, func(x, y quality.LeftOutValue) int { return dag.CompareValues(x.Value, y.Value) })
	return all
}
