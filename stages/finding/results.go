package finding

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
)

// Results are the measures of the classifiers of a page, or of its models of a number, and what the rules need beside
// them.
type Results struct {
	Plan        *Settings
	Headline    []dag.Coord                 // of the setting whose accuracy comes first, from the file
	Accuracy    []Row                       // of all settings
	Labels      []string                    // the classes that they predict, in the order of their names
	First       *Row                        // the headline; nil when there is none
	Another     bool                        // the headline is of another classifier than the pipeline's own
	Nested      *Row                        // per participant, with the setting chosen inside each fold; or nil
	Beyond      *Results                    // of the folds that leave out each value of a column, such as site; or nil
	OtherLabel  *Results                    // of models that predict another column, such as site; or nil
	Scores      []FoldScore                 // of each fold
	Permuted    []column.PermutationTestRow // of models retrained on permuted labels
	Pairs       []column.PairRow            // tests between classifiers
	Regression  []column.RegressionRow      // of all models, where a number is predicted in place of groups
	FirstNumber *column.RegressionRow       // the headline among them; nil when there is none
	Number      string                      // what that number is called
	Predicts    string                      // the column of the participants that holds the classes; "" where unknown
	Similar     int                         // pairs of participants that may be one person each
	Related     []column.Note               // relatives, or scans of one person, may be in training and test data
	Port        string                      // of the page, for results beside its own; "" for its own
	Admitted    [][]dag.Coord               // trainings with known leakage that was let pass
	Found       List                        // of the tables of results
	Within      string                      // the column within whose values a number was permuted; "" for folds alone

	sameNumbers map[string]string // of Regression: settings and the first of the same model with the same predictions
	retrained   []*RetrainedTest  // of Permuted; nil until they are asked for
	places      map[string]int    // of settings in Accuracy; nil until they are asked for
}

// A Row is one row of evaluate's summary.
type Row struct {
	column.AccuracyRow
	Title  string    // the classifier for people
	Leaks  bool      // its training has known leakage, which was let pass
	Own    bool      // the model that the pipeline is about, not one to compare with
	Within string    // the column within whose values labels were permuted, beside folds; "" for nothing else
	SameAs string    // an earlier setting of the same model with the same predictions; "" for none
	Fit    *GroupFit // why it has no p; nil for none
	Chosen bool      // the setting that was chosen inside each fold
}

// A FoldScore is a row of evaluate's scores, with what its fold leaves out (leave_out of split).
type FoldScore struct {
	column.FoldRow
	LeftOut string `column:"left_out,optional"`
}

// Called is the classifier in a sentence.
func (r Row) Called() string {
	if r.Chosen {
		return "The " + r.Title
	}
	return cmp.Or(r.Title, "The model")
}

// Is reports whether a setting is this one.
func (r Row) Is(setting []dag.Coord) bool { return slices.Equal(r.Coords, setting) }

// OverFolds are the numbers of folds of the measures that some test folds lack, since they have one class.
func (r Row) OverFolds() values {
	return values{"Lacks": r.LacksFolds(), "Folds": int(r.Folds), "AUCFolds": int(r.AUCFolds),
		"SensFolds": int(r.SensFolds), "SpecFolds": int(r.SpecFolds), "Positive": r.Positive,
		"Incomplete": int(r.Incomplete), "Beyond": ""}
}

// BeyondFolds are the numbers of values of a column that were left out, and of those that have an AUC, where some have
// participants of one class.
func (a *Results) BeyondFolds(r Row) values {
	of := r.OverFolds()
	of["Lacks"], of["Many"] = r.LacksFolds() && r.AUCFolds < r.Folds, len(a.Labels) > 2
	return of
}

// NameOf is the name of a setting in the accuracies of the page, by which all of it calls the setting; its own one
// where they lack it. Accuracies of one stage lack the stage, which tables of several have.
func (a *Results) NameOf(setting, own string) string {
	if len(a.Accuracy) == 0 {
		return own
	}
	if a.places == nil {
		a.places = map[string]int{}
		stages := a.StagesBehind("evaluation", "predictions")
		for at, r := range a.Accuracy {
			names := []string{column.CoordText(r.Coords)}
			for i := 0; len(stages) == 1 && StageOf(r.Coords) == "" && i <= len(r.Coords); i++ {
				names = append(names, column.CoordText(slices.Insert(slices.Clone(r.Coords), i,
					dag.Coord{Axis: "stage", Value: stages[0]})))
			}
			for _, name := range names {
				if _, known := a.places[name]; !known {
					a.places[name] = at
				}
			}
		}
	}
	if at, known := a.places[setting]; known {
		return a.Accuracy[at].Called()
	}
	return own
}

// IsMajority reports whether a row is of the majority classifier.
func (r Row) IsMajority() bool { return r.Classifier == "majority" }

// Subject is the row in a finding.
func (r Row) Subject() Subject { return Subject{Classifier: r.Called(), Setting: r.Coords} }

// Read reads the measures of all settings and finds the headline, which is the first of them; then PR-GNN, and the
// others by accuracy.
func (a *Results) Read(t *dag.Task) (err error) {
	if err := a.readLeakage(t); err != nil {
		return err
	}
	notes, err := column.ReadPort[column.Note](t, "notes")
	if err != nil {
		return err
	}
	a.Related = slices.DeleteFunc(notes, func(n column.Note) bool { return n.Doubt != column.DoubtRelated })
	if a.Permuted, err = column.ReadPort[column.PermutationTestRow](t, "permutation"); err != nil {
		return err
	}
	if a.Pairs, err = column.ReadPort[column.PairRow](t, "comparison"); err != nil {
		return err
	}
	a.Permuted = slices.DeleteFunc(a.Permuted, func(r column.PermutationTestRow) bool {
		return a.Plan.groupFit(a.StageBehind(r.Coords, "permutation"), r.Coords) != nil
	})
	if !t.Has("evaluation") {
		return a.readRegression(t)
	}
	rows, err := a.ReadAccuracy(t, "evaluation")
	if err != nil {
		return err
	}
	if err := a.readMeta(t.In("evaluation")); err != nil {
		return err
	}
	if a.Scores, err = column.ReadPort[FoldScore](t, "scores"); err != nil {
		return err
	}
	for i, r := range rows {
		rows[i].Leaks = slices.ContainsFunc(a.Admitted, func(of []dag.Coord) bool { return column.Holds(of, r.Coords) })
	}
	a.markOwn(rows)
	if of := a.StagesBehind("evaluation", "predictions"); of != nil && !slices.ContainsFunc(of,
		func(name string) bool { return a.Plan.Stage(name).Kind != "choose" }) {
		for i := range rows {
			rows[i].markChosen()
		}
	}
	settings := PerParticipant(rows)
	if a.Headline == nil {
		if a.Headline, err = headlineOfUniverses(t, settings); err != nil {
			return err
		}
	}
	at, err := headlineOf(lists.Map(settings, func(r Row) []dag.Coord { return r.Coords }),
		func(i int) bool { return settings[i].Own }, a.Headline)
	if err != nil {
		return err
	}
	if at >= 0 {
		first := settings[at]
		if a.Another = !first.Own; a.Another { // the page is about the headline; the others are to compare with
			for i, r := range rows {
				rows[i].Own = r.Is(first.Coords)
			}
			first.Own = true
		}
		a.First = &first
	}
	if a.Accuracy = Sorted(rows); a.First != nil {
		slices.SortStableFunc(a.Accuracy, func(x, y Row) int { return a.behindFirst(x) - a.behindFirst(y) })
	}
	if t.Has("nested") {
		rows, err := a.ReadAccuracy(t, "nested")
		if err != nil {
			return err
		}
		if rows = PerParticipant(rows); len(rows) > 0 {
			rows[0].markChosen()
			a.Nested = &rows[0]
		}
	}
	if a.Beyond, err = a.beside(t, "left_out"); err != nil {
		return err
	}
	if a.OtherLabel, err = a.beside(t, "other_label"); err != nil || a.OtherLabel == nil {
		return err
	}
	if err := a.OtherLabel.readMeta(t.In("other_label")); err != nil {
		return err
	}
	a.OtherLabel.Predicts = a.OtherLabel.labelBehind()
	return nil
}

// behindFirst is 0 for the headline and 1 for other settings.
func (a *Results) behindFirst(r Row) int {
	if r.Is(a.First.Coords) {
		return 0
	}
	return 1
}

// markChosen makes a row that of the setting chosen inside each fold, whatever the models are.
func (r *Row) markChosen() {
	r.Title, r.Own, r.Chosen = "setting chosen inside each fold", true, true
}

// beside reads the measures of other folds at a port, such as those that leave out each value of a column in turn, and
// their scores where there is a port for them; nil without.
func (a *Results) beside(t *dag.Task, port string) (*Results, error) {
	if !t.Has(port) {
		return nil, nil
	}
	rows, err := a.ReadAccuracy(t, port)
	if err != nil {
		return nil, err
	}
	if rows = Sorted(PerParticipant(rows)); len(rows) == 0 {
		return nil, fmt.Errorf("%s: no row of the level participant", t.In(port).Name)
	}
	a.markOwn(rows)
	scores, err := column.ReadPort[FoldScore](t, port+"_scores")
	return &Results{Plan: a.Plan, Labels: a.Labels, Accuracy: rows, Scores: scores, Related: a.Related,
		Similar: a.Similar, Port: port}, err
}

// labelBehind is the column that the models at its port predict; "" where their folds are not of one split.
func (a *Results) labelBehind() string {
	var labels []string
	for _, name := range a.StagesBehind(a.Port, "folds") {
		if s := a.Plan.Stage(name); s.Kind == "split" {
			labels = append(labels, cmp.Or(s.Value("label"), "group"))
		}
	}
	if len(labels) != 1 {
		return ""
	}
	return labels[0]
}

// LeftOut is the column whose values a second division of the participants leaves out in turn; "" without one.
func (a *Results) LeftOut() string {
	for _, s := range a.Plan.Stages {
		if where := s.Value("leave_out"); s.Kind == "split" && where != "" && a.Beyond != nil {
			return where
		}
	}
	return ""
}

// NumberHeldOut is the column whose values the folds of all models of a number leave out in turn; "" for none.
func (a *Results) NumberHeldOut() (of string) {
	for i, r := range a.Regression {
		own := ""
		if s := a.StageBehind(r.Coords, "regression"); s != nil {
			for _, from := range a.Plan.Sources(s, "folds") {
				own = from.Value("leave_out")
			}
		}
		if own == "" || i > 0 && own != of {
			return ""
		}
		of = own
	}
	return of
}

// Inside is the result of the same classifier, with the same inputs, in the folds of the page, for one of Beyond; nil
// where there is none.
func (a *Results) Inside(r Row) *Row {
	p := a.StageBehind(r.Coords, "left_out")
	for _, of := range a.PerParticipant() {
		e := a.StageBehind(of.Coords, "evaluation")
		same := modelOf(of) == modelOf(r)
		if same && e != nil && p != nil {
			_, same = a.otherInputs(e, p)
			same = same && e.Kind == p.Kind
		}
		if same {
			return &of
		}
	}
	return nil
}

// ReadAccuracy reads evaluate's summary at a port. Models of data that were fitted to one group have no test there.
func (a *Results) ReadAccuracy(t *dag.Task, port string) ([]Row, error) {
	in := t.In(port)
	read, err := column.Read[column.AccuracyRow](in)
	if err != nil {
		return nil, err
	}
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	same, err := column.MetaOf[map[string]string](table.Meta, column.SamePredictions)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	rows := make([]Row, len(read))
	for i, r := range read {
		rows[i] = Row{AccuracyRow: r, Title: cmp.Or(r.Name, column.ShownSetting(r.Coords)),
			Within: table.Meta["within"], SameAs: same[column.CoordText(r.Coords)]}
		if rows[i].Fit = a.Plan.groupFit(a.StageBehind(r.Coords, port), r.Coords); rows[i].Fit != nil {
			rows[i].Test, rows[i].Permutations, rows[i].TestFolds = "", 0, 0
			rows[i].P, rows[i].BalancedP, rows[i].AUCP = math.NaN(), math.NaN(), math.NaN()
		}
	}
	return rows, nil
}

// readMeta reads the classes that evaluate found in the predictions, and its findings.
func (a *Results) readMeta(in dag.Input) error {
	table, err := in.Table()
	if err != nil {
		return err
	}
	if a.Found, err = Of(table.Meta); err == nil {
		a.Labels, err = column.MetaOf[[]string](table.Meta, "groups")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	return nil
}

// RegionsLeftOut are the regions that every model excluded for all participants, by their names, and how many there are
// with them; none where models differ.
func (a *Results) RegionsLeftOut() (regions []string, all int) {
	at := slices.IndexFunc(a.Found, func(f Finding) bool { return f.Code == "regions.left-out" })
	if at < 0 {
		return nil, 0
	}
	of, ok := a.Found[at].Numbers.(values)
	names, listed := of["Regions"].([]any)
	n, number := of["All"].(float64)
	if every, _ := of["Every"].(bool); !ok || !listed || !number || !every {
		return nil, 0
	}
	return lists.Map(names, func(name any) string { return fmt.Sprint(name) }), int(n)
}

// readLeakage finds the trainings whose known leakage the checks let pass, and the participants who may be one person.
func (a *Results) readLeakage(t *dag.Task) error {
	for _, in := range t.All("leakage") {
		table, err := in.Table()
		if err != nil {
			return err
		}
		admitted, err := column.MetaOf[[][]dag.Coord](table.Meta, column.AdmittedLeaks)
		similar, wrong := column.MetaOf[int](table.Meta, column.SimilarScans)
		if err = cmp.Or(err, wrong); err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
		a.Admitted, a.Similar = append(a.Admitted, admitted...), max(a.Similar, similar)
	}
	return nil
}

// readRegression reads the measures of all models of a number: the headline first, the others in the order of their
// names, and the mean last. An order by r would put the one in front that happened to fit the test participants.
func (a *Results) readRegression(t *dag.Task) error {
	if !t.Has("regression") {
		return nil
	}
	rows, err := column.Read[column.RegressionRow](t.In("regression"))
	if err != nil {
		return err
	}
	for i, r := range rows {
		rows[i].Name = cmp.Or(r.Name, column.ShownSetting(r.Coords), "the model")
		if a.FitBehind(r) != nil {
			rows[i].Test, rows[i].Permutations, rows[i].TestFolds = "", 0, 0
			rows[i].P, rows[i].MAEP = math.NaN(), math.NaN()
		}
	}
	at, err := headlineOf(lists.Map(rows, func(r column.RegressionRow) []dag.Coord { return r.Coords }),
		func(i int) bool { return cmp.Or(rows[i].Classifier, column.PrGNN) == column.PrGNN },
		a.Headline)
	if err != nil {
		return err
	}
	if at >= 0 {
		first := rows[at]
		a.FirstNumber = &first
	}
	place := func(r column.RegressionRow) int {
		switch {
		case a.IsFirstNumber(r):
			return 0
		case IsMean(r):
			return 2
		}
		return 1
	}
	slices.SortStableFunc(rows, func(x, y column.RegressionRow) int { return place(x) - place(y) })
	a.Regression = rows
	table, err := t.In("regression").Table()
	if err != nil {
		return err
	}
	a.Within = table.Meta["within"]
	if a.sameNumbers, err = column.MetaOf[map[string]string](table.Meta, column.SamePredictions); err != nil {
		return fmt.Errorf("%s: %w", t.In("regression").Name, err)
	}
	return a.readMeta(t.In("regression"))
}

// IsFirstNumber reports whether a model of a number is the headline.
func (a *Results) IsFirstNumber(r column.RegressionRow) bool {
	return a.FirstNumber != nil && RKey(r) == RKey(*a.FirstNumber)
}

// FitBehind is why a model of a number has no p; nil for none.
func (a *Results) FitBehind(r column.RegressionRow) *GroupFit {
	return a.Plan.groupFit(a.StageBehind(r.Coords, "regression"), r.Coords)
}

// SameNumbers is an earlier model of the page with the same predictions as this one of the same model; nil for none.
func (a *Results) SameNumbers(r column.RegressionRow) *column.RegressionRow {
	first, ok := a.sameNumbers[column.CoordText(r.Coords)]
	at := slices.IndexFunc(a.Regression,
		func(o column.RegressionRow) bool { return column.CoordText(o.Coords) == first })
	if !ok || at < 0 {
		return nil
	}
	return &a.Regression[at]
}

// IsMean reports whether a row is of the mean of the training participants.
func IsMean(r column.RegressionRow) bool { return r.Classifier == "mean" }

// Sorted puts PR-GNN first, then settings by their accuracy over participants.
func Sorted(rows []Row) []Row {
	accuracy := map[string]float64{}
	for _, r := range PerParticipant(rows) {
		accuracy[column.CoordText(r.Coords)] = r.Accuracy
	}
	of := func(r Row) float64 { return accuracy[column.CoordText(r.Coords)] }
	slices.SortStableFunc(rows, func(x, y Row) int {
		return cmp.Or(column.CompareClassifiers(x.Classifier, y.Classifier), cmp.Compare(of(y), of(x)))
	})
	return rows
}

// PerParticipant are the accuracies over participants.
func (a *Results) PerParticipant() []Row { return PerParticipant(a.Accuracy) }

// PerParticipant are the rows over participants.
func PerParticipant(rows []Row) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Level != "participant" })
}

// markOwn marks the rows of the model that the pipeline is about: those of stages of the kind train, where the
// parameters are connected; otherwise PR-GNN's and those of programs that state no kind; where nothing is left, all but
// the majority classifier.
func (a *Results) markOwn(rows []Row) {
	found := false
	for i, r := range rows {
		if s := a.Plan.Stage(StageOf(r.Coords)); s != nil && s.Kind == "train" {
			rows[i].Own, found = true, true
		}
	}
	if found {
		return
	}
	for i, r := range rows {
		rows[i].Own = modelOf(r) == column.PrGNN
		found = found || rows[i].Own
	}
	for i, r := range rows {
		rows[i].Own = rows[i].Own || !found && !r.IsMajority()
	}
}

// modelOf is the classifier of a row; PR-GNN for a program that states none.
func modelOf(r Row) string { return cmp.Or(r.Classifier, column.PrGNN) }
