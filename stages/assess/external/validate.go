package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/learn"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/role"
)

var validateKind = dag.Kind{
	Name: "validate",
	Doc: "validates stored models on another cohort\n" +
		"Applies models as predict does, and compares the predictions with the groups of the participants: accuracy, AUC, sensitivity and specificity at the stored threshold, Brier score and calibration, with intervals. With several models the mean probability decides. Nothing is fitted to the new participants, except the shift and scale of each site, without labels, if harmonize is set. " +
		"Refused are regions, estimators and denoising other than in training, groups that the models do not have, models that predict another column, training participants by id, copies of training data under another id, and one scan under two ids.",
	New:        func() dag.Stage { return &Validate{Recalibrate: "logistic", NewSite: NewSite{Harmonize: "none"}} },
	MaxThreads: 8,
	Memory:     256 << 20,
}

var (
	_ role.PortUser  = (*Validate)(nil)
	_ role.DataUser  = (*Validate)(nil)
	_ role.InputUser = (*Validate)(nil)
	_ role.Reader    = (*Validate)(nil)

	_ role.ModelReader = (*Validate)(nil)
)

// Validate validates stored models.
type Validate struct {
	role.Informed
	Allow       []string `param:"allow" doc:"differences from the training to accept, as in predict, such as denoise.fd; participants: participants with the id of a training participant are different people; target: the models were trained to predict another column"`
	Recalibrate string   `param:"recalibrate" doc:"also measures calibration after recalibration (logistic) with the intercept and slope in the model files, which were fitted to held-out predictions in the training study, never to the new participants; none: does not" choices:"logistic|none"`
	Positive    string   `param:"positive" doc:"of two groups, the positive one, for sensitivity; by default as in evaluate"`
	DrawZero    bool     `param:"draw_zero" doc:"use draw 0, which is not resampled, beside the random draws; without draws it is used anyway"`
	NewSite
}

func (s *Validate) predict() *learn.Predict {
	allow := slices.DeleteFunc(slices.Clone(s.Allow), func(name string) bool {
		return name == "participants" || name == column.Target
	})
	return &learn.Predict{Informed: s.Informed, Allow: allow, DrawZero: s.DrawZero}
}

// UsesPorts are those of predict.
func (s *Validate) UsesPorts() []role.PortUse { return s.predict().UsesPorts() }

// RefusesInputs requires graphs or matrices.
func (s *Validate) RefusesInputs(has func(port string) bool) error {
	return cmp.Or(s.predict().RefusesInputs(has), s.refusesInputs(has))
}

// accepts are the names under which allow accepts what is no parameter.
func accepts(has func(port string) bool) []string {
	return slices.Concat([]string{"participants", column.Target}, modelfile.Differences(has))
}

// RefusesParameters refuses what predict does, and a positive group that the models do not have.
func (s *Validate) RefusesParameters(files [][]byte, has, may func(name string) bool) []error {
	errs := append(modelfile.RefusesKinds(files), modelfile.NotMade(files, s.Allow, may, accepts(has)...)...)
	for _, b := range files {
		if f, err := modelfile.ReadFacts(b); err == nil {
			if _, _, err := s.positiveOf(f.Groups); err != nil {
				return append(errs, err)
			}
		}
	}
	return errs
}

// RefusesModel is that of predict.
func (s *Validate) RefusesModel(file []byte, has func(port string) bool) error {
	return s.predict().RefusesModel(file, has)
}

// ReadsParticipants is the group that its parameter names.
func (s *Validate) ReadsParticipants() []role.Reading {
	return append(s.readings(), role.Reading{Parameter: "positive", Name: s.Positive, Group: true})
}

func (s *Validate) Ports() dag.Ports {
	in := described(s.predict().Ports().In, "group", "the participants with their groups")
	return dag.Ports{In: in, Out: []dag.Port{
		{Name: "participants", Type: column.Type[validatedPerson](), Doc: "one row per participant: group, and predicted group by the mean probability over graphs and models"},
		{Name: "predictions", Type: s.predict().Ports().Out[1].Type, Doc: "of every graph and model, as in predict"},
		{Name: "measures", Type: column.Type[column.ValidationRow](), Doc: "one row per measure, each with its 95% interval"},
		{Name: "calibration", Type: column.Type[column.ValidationBinRow](), Doc: "probabilities beside outcomes, in ten bins of equal size; no rows for models of decision values"},
		shiftPort,
		{Name: "summary", Type: column.Type[column.ValidationSummaryRow](), Doc: "one row: the model and the cohort"},
	}}
}

// described are ports of predict with the participants, who need this column.
func described(ports []dag.Port, column, doc string) []dag.Port {
	return append(slices.DeleteFunc(ports, func(p dag.Port) bool { return p.Name == "participants" }),
		dag.Port{Name: "participants", Type: dag.Arrow("participant_id", column),
			Doc: doc + ", and for models of residualize's matrices the covariates whose effects the model file removes"})
}

var shiftPort = dag.Port{Name: "shift", Type: column.Type[column.ValidationShiftRow](),
	Doc: "one row per variable or category: the participants compared with the training participants; no rows if a model file does not describe its training participants"}

// A validatedPerson is a participant with the group that models predict. The columns of predict follow.
type validatedPerson struct {
	ID           string  `column:"participant_id"`
	Group        string  `column:"group"`
	Predicted    string  `column:"predicted"`
	Correct      bool    `column:"correct"`
	Graphs       int32   `column:"graphs" doc:"draws"`
	Models       int32   `column:"models"`
	Trained      int32   `column:"trained" doc:"as in predict"`
	Same         string  `column:"same_data" doc:"as in predict"`
	Probability  float64 `column:"probability" doc:"of the positive group; with more than two groups, of the predicted one"`
	Recalibrated float64 `column:"recalibrated,missing" doc:"the same, by the recalibration of the model files; missing where one has none"`
}

// A predicted is what validate takes from a row of predict.
type predicted struct {
	ID          string  `column:"participant_id"`
	Graphs      int32   `column:"graphs"`
	Models      int32   `column:"models"`
	Trained     int32   `column:"trained"`
	Same        string  `column:"same_data"`
	Predicted   string  `column:"predicted"`
	Probability float64 `column:"probability"`
}

func (s *Validate) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	predict := s.predict()
	if err := s.into(predict, t, "group"); err != nil {
		return nil, err
	}
	out, err := predict.Run(ctx, t)
	if err != nil {
		return nil, err
	}
	table := out["participants"].(*encoding.Table)
	rows, err := column.Rows[predicted](table)
	if err != nil {
		return nil, err
	}
	applied, err := finding.ReadApplied(table)
	if err != nil {
		return nil, err
	}
	groups := applied.Groups
	people, err := t.In("participants").Table()
	if err != nil {
		return nil, err
	}
	_, group, err := column.ByParticipant(people, "group")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("participants").Name, err)
	}
	v := &validation{Validate: s, applied: applied, groups: groups}
	if err := errors.Join(v.overlap(), v.compares(people, "group"), refusesLabel(t, applied, "group"),
		v.read(rows, table, group), twice(t)); err != nil {
		return nil, err
	}
	if v.positive, v.assumed, err = s.positiveOf(groups); err != nil {
		return nil, err
	}
	if err := v.predictGroups(); err != nil {
		return nil, err
	}
	_, of, err := studies(t)
	if err != nil {
		return nil, err
	}
	if err := v.recalibrate(of, out["predictions"].(*encoding.Table)); err != nil {
		return nil, err
	}
	measures, bins, summary := v.measure()
	summary.HeldOutT, summary.HeldOutP, err = v.trained(out["predictions"].(*encoding.Table))
	if err != nil {
		return nil, err
	}
	_, absent := finding.Represented(summary)
	besideTraining(measures, of, summary.Positive, absent)
	who := lists.Map(v.rows, func(r validatedPerson) string { return r.ID })
	shifted, err := shift(t, who, of)
	if err != nil {
		return nil, err
	}
	v.applied.Related = related(people, who)
	if err := notCompared(t, who, of, &v.applied); err != nil {
		return nil, err
	}
	if v.applied.Alone, err = v.alone(t); err != nil {
		return nil, err
	}
	meta := v.applied.Meta()
	found := finding.Written(append(v.applied.Findings(), finding.Validation(summary, measures, shifted)...))
	if found != "" {
		meta[finding.Meta] = found
	}
	probabilities := slices.DeleteFunc(slices.Clone(table.Columns), func(c encoding.Column) bool {
		return !strings.HasPrefix(c.Name, "p_")
	})
	return dag.Outputs{
		"participants": column.WithMeta(encoding.NewTable(append(column.Columns(v.rows), probabilities...)...), meta),
		"predictions":  out["predictions"],
		"measures":     column.Table(measures),
		"calibration":  column.Table(bins),
		"shift":        column.Table(shifted),
		"summary":      column.Table([]column.ValidationSummaryRow{summary}),
	}, nil
}

// positiveOf finds the positive group of two; −1 for more.
func (s *Validate) positiveOf(groups []string) (at int, assumed bool, err error) {
	at, assumed, err = fold.PositiveGroup(s.Positive, groups)
	if err == nil && at >= 0 && len(groups) > 2 {
		err = words.Refuse("%s: the models have the groups %s, and only a validation of two groups has a positive one: leave out positive",
			words.Setting{Parameter: "positive"}, strings.Join(groups, ", "))
	}
	return at, assumed, err
}

// recalibrate adds the recalibrated probability of the positive group.
func (v *validation) recalibrate(of []*modelfile.Study, predictions *encoding.Table) error {
	for i := range v.rows {
		v.rows[i].Recalibrated = math.NaN()
	}
	if v.positive < 0 || v.Recalibrate != "logistic" {
		return nil
	}
	cases, numbers, err := v.twoGroups(predictions)
	if err != nil {
		return err
	}
	who := lists.Map(v.rows, func(r validatedPerson) string { return r.ID })
	for i, p := range recalibrated(who, cases, numbers, of) {
		if v.positive == 0 {
			p = 1 - p
		}
		v.rows[i].Recalibrated = p
	}
	return nil
}

// A validation is on its way.
type validation struct {
	*Validate
	applied     finding.Applied
	groups      []string
	positive    int // −1: more than two groups
	assumed     bool
	threshold   float64 // of the positive group
	rows        []validatedPerson
	label       []int       // of each row
	probability [][]float64 // of each row and group
}

// overlap refuses training participants.
func (v *validation) overlap() error {
	var all []error
	if ids := slices.Concat(v.applied.Known, v.applied.Equal); len(ids) > 0 && !slices.Contains(v.Allow,
		"participants") {
		slices.Sort(ids)
		all = append(all, words.Refuse("%s of the new cohort %s the id of a training participant: %s; exclude them under cohort, or, if these are other people, %s",
			words.Count(len(ids), "participant"), map[bool]string{true: "has", false: "have"}[len(ids) == 1],
			words.Some(ids, 10), words.Setting{Parameter: "allow", Values: []string{"participants"}, Lead: "set"}))
	}
	if own := v.applied.Own; all == nil && len(own) > 0 { // allowed by id
		all = append(all, words.Refuse("%s of the new cohort %s the id and the data of a training participant: %s; exclude them under cohort, since %s is for other people",
			words.Count(len(own), "participant"), map[bool]string{true: "has", false: "have"}[len(own) == 1],
			words.Some(own, 10), words.Setting{Parameter: "allow", Values: []string{"participants"}}))
	}
	if len(v.applied.Same) > 0 {
		pairs := lists.Map(v.applied.Same, func(p finding.Pair) string { return p.New + " (" + p.Trained + ")" })
		all = append(all, fmt.Errorf("the data of %s are those of a training participant of another id, number by number or after rounding: %s; exclude them under cohort",
			words.Count(len(pairs), "participant"), words.Some(pairs, 10)))
	}
	return errors.Join(all...)
}

// compares refuses models that were trained to predict another column than that of the participants.
func (v *validation) compares(people *encoding.Table, label string) error {
	a := &v.applied
	a.Compared = column.NameOf(people, label)
	if a.Column == "" || modelfile.SameVariable(a.Column, a.Compared) {
		return nil
	}
	if a.Other = true; slices.Contains(v.Allow, column.Target) {
		return nil
	}
	kind := map[string]string{"group": "groups", column.Target: "numbers"}[label]
	return words.Refuse("the models predict the column %s of the training study, but the %s of the participants are those of the column %s: set %s: %s under cohort, or, if the columns have the same meaning, %s",
		a.Column, kind, a.Compared, label, a.Column,
		words.Setting{Parameter: "allow", Values: []string{column.Target}, Lead: "set"})
}

// related are the columns of relatives among these participants.
func related(people *encoding.Table, ids []string) []string {
	tested := lists.Set(ids)
	return column.Kin(column.KeepRows(people, "participant_id", tested))
}

// twice refuses one scan under several ids, which would count as several people.
func twice(t *dag.Task) error {
	pairs, err := fold.Duplicates(slices.Concat(t.All("matrices"), t.All("features"), t.All("series")))
	if len(pairs) > 0 {
		err = errors.New(fold.DuplicateText(pairs))
	}
	return err
}

// read joins predictions and groups.
func (v *validation) read(rows []predicted, table *encoding.Table, group map[string]string) error {
	var unknown, others []string
	seen := map[string]bool{}
	for _, r := range rows {
		of, there := group[r.ID]
		label := slices.Index(v.groups, of)
		switch {
		case !there || of == "":
			unknown = append(unknown, r.ID)
		case label < 0:
			others = append(others, fmt.Sprintf("%s (%s)", r.ID, of))
		}
		seen[of] = true
		v.label = append(v.label, label)
		v.rows = append(v.rows, validatedPerson{ID: r.ID, Group: of, Predicted: r.Predicted, Graphs: r.Graphs,
			Models: r.Models, Trained: r.Trained, Same: r.Same, Probability: r.Probability})
	}
	v.probability = make([][]float64, len(rows))
	for _, g := range v.groups {
		p, err := table.Floats("p_" + g)
		if err != nil {
			return err
		}
		for i, x := range p {
			v.probability[i] = append(v.probability[i], x)
		}
	}
	var all []error
	if unknown != nil {
		all = append(all, fmt.Errorf("no group of %s", words.Some(unknown, 10)))
	}
	if others != nil {
		all = append(all, fmt.Errorf("the models have the groups %s, and %s %s in another: name the groups as in training, or exclude the participants",
			strings.Join(v.groups, ", "), words.Some(others, 10), map[bool]string{true: "is",
				false: "are"}[len(others) == 1]))
	}
	if all == nil && len(seen) < 2 {
		all = append(all, fmt.Errorf("all participants are in the group %s: a validation needs participants of another group, too", v.rows[0].Group))
	}
	return errors.Join(all...)
}

// predictGroups predicts one of two groups by the stored threshold.
func (v *validation) predictGroups() error {
	v.threshold = math.NaN()
	if v.positive >= 0 {
		if len(v.applied.Thresholds) != 1 {
			return fmt.Errorf("the models have the thresholds %v: connect models of one threshold", v.applied.Thresholds)
		}
		stored := v.applied.Thresholds[0] // of the second group
		v.threshold = stored
		if v.positive == 0 {
			v.threshold = 1 - stored
		}
		for i := range v.rows {
			second := 0
			if v.probability[i][1] > stored {
				second = 1
			}
			v.rows[i].Predicted, v.rows[i].Probability = v.groups[second], v.probability[i][v.positive]
		}
	}
	for i := range v.rows {
		v.rows[i].Correct = v.rows[i].Predicted == v.rows[i].Group
	}
	return nil
}

// measure computes the measures.
func (v *validation) measure() (all []column.ValidationRow, bins []column.ValidationBinRow,
	summary column.ValidationSummaryRow) {
	n, none := len(v.rows), math.NaN()
	add := func(name string, value, low, high float64, of int) {
		all = append(all, column.ValidationRow{Measure: name, Value: value, Low: low, High: high, N: int32(of)})
	}
	share := func(name string, of func(validatedPerson) bool, right func(validatedPerson) bool) float64 {
		total, count := 0, 0
		for _, r := range v.rows {
			if of(r) {
				total++
				if right(r) {
					count++
				}
			}
		}
		if total == 0 {
			add(name, none, none, none, 0)
			return none
		}
		p := float64(count) / float64(total)
		low, high := inference.Wilson(p, float64(total))
		add(name, p, low, high, total)
		return p
	}
	correct := func(r validatedPerson) bool { return r.Correct }
	share("accuracy", func(validatedPerson) bool { return true }, correct)
	a := v.applied
	summary = column.ValidationSummaryRow{Groups: v.groups, Counts: make([]int32, len(v.groups)), Assumed: v.assumed,
		Threshold: v.threshold, Calibrated: a.Calibrated, Models: int32(a.Models), Participants: int32(n),
		Trained: int32(a.Trained), TrainingShare: none, ShiftMedian: none, ShiftHigh: none}
	var cases []fold.Case
	for i, l := range v.label {
		summary.Counts[l]++
		cases = append(cases, fold.Case{Label: l, Predicted: slices.Index(v.groups, v.rows[i].Predicted)})
	}
	summary.Assigned = fold.Assigned(len(v.groups), cases)
	if s := a.Shift; s != nil {
		summary.ShiftInputs, summary.ShiftMedian, summary.ShiftHigh = int32(s.Inputs), s.Median, s.High
	}
	if v.positive < 0 {
		return all, nil, summary
	}
	positive := v.groups[v.positive]
	summary.Positive = positive
	is := func(r validatedPerson) bool { return r.Group == positive }
	called := func(r validatedPerson) bool { return r.Predicted == positive }
	not := func(f func(validatedPerson) bool) func(validatedPerson) bool {
		return func(r validatedPerson) bool { return !f(r) }
	}
	sensitivity := share("sensitivity", is, correct)
	specificity := share("specificity", not(is), correct)
	add("balanced_accuracy", (sensitivity+specificity)/2, none, none, n)
	share("ppv", called, correct)
	share("npv", not(called), correct)
	var above, below, lp, p []float64
	var outcome []bool
	for i, r := range v.rows {
		x := exact.Log(v.probability[i][v.positive]) - exact.Log(v.probability[i][1-v.positive])
		lp, p, outcome = append(lp, x), append(p, v.probability[i][v.positive]), append(outcome, is(r))
		if is(r) {
			above = append(above, x)
		} else {
			below = append(below, x)
		}
	}
	if len(above) > 1 && len(below) > 1 {
		auc, se := inference.DeLong(above, below)
		low, high := inference.LogitInterval(auc, se, len(above), len(below))
		add("auc", auc, low, high, n)
	} else {
		add("auc", none, none, none, n)
	}
	if a.Counts[positive] > 0 {
		total := 0
		for _, k := range a.Counts {
			total += k
		}
		summary.TrainingShare = float64(a.Counts[positive]) / float64(total)
	}
	if r := v.rows[0].Recalibrated; r-r == 0 {
		var after, log []float64
		for _, r := range v.rows {
			after = append(after, r.Recalibrated)
			log = append(log, exact.Log(r.Recalibrated)-exact.Log(1-r.Recalibrated))
		}
		b := inference.ScoreBrier(after, outcome)
		add("brier_recalibrated", b.Score, b.Low, b.High, n)
		renamed := func(name string, value, low, high float64, of int) {
			add(name+"_recalibrated", value, low, high, of)
		}
		v.calibrate(renamed, &summary, log, outcome, min(len(above), len(below)))
	}
	if !a.Calibrated {
		return all, nil, summary
	}
	b := inference.ScoreBrier(p, outcome)
	add("brier", b.Score, b.Low, b.High, n)
	if q := float64(len(above)) / float64(n); q > 0 && q < 1 { // Steyerberg et al. 2010
		add("brier_scaled", 1-b.Score/float64(q*(1-q)), none, none, n)
	}
	add("miscalibration", b.Miscalibration, none, none, n)
	add("discrimination", b.Discrimination, none, none, n)
	v.calibrate(add, &summary, lp, outcome, min(len(above), len(below)))
	for k, of := range inference.BinProbabilities(p, outcome, 10) {
		bins = append(bins, column.ValidationBinRow{Bin: int32(k + 1), N: int32(of.N), Mean: of.Mean, Share: of.Share,
			Low: of.Low, High: of.High})
	}
	return all, bins, summary
}

// leastForSlope is how many participants of each group a calibration slope needs.
const leastForSlope = 10

// calibrate adds calibration in the large and, where there are enough participants, intercept and slope.
func (v *validation) calibrate(add func(name string, value, low, high float64, of int),
	summary *column.ValidationSummaryRow, lp []float64, outcome []bool, fewest int) {
	const z = 1.959963984540054
	interval := func(name string, value, se float64) {
		half := float64(z * se)
		add(name, value, value-half, value+half, len(lp))
	}
	r := inference.Recalibrate(lp, outcome)
	interval("in_the_large", r.Large, r.LargeSE)
	if fewest < leastForSlope {
		r.Intercept, r.Slope, r.P = math.NaN(), math.NaN(), math.NaN()
	} else {
		summary.Separated = r.Separated
	}
	interval("intercept", r.Intercept, r.InterceptSE)
	interval("slope", r.Slope, r.SlopeSE)
	add("calibration_p", r.P, math.NaN(), math.NaN(), len(lp))
}
