package prepare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/inference/confound"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var deconfoundKind = dag.Kind{
	Name: "deconfound",
	Doc: "fits what covariates explain of each edge, on training participants only\n" +
		"Least squares of each edge on an intercept and the covariates, such as age, sex and motion (as julearn's ConfoundRemover); the kind residualize subtracts what the coefficients give for a participant. Only the training participants of the fold are used, with draw 0: fan out over the folds (matrix: { fold: all }), and all later stages too. Connect fitted to the stage leakage, which checks this. An accuracy at chance on the residuals does not show that the difference was the covariates: what they share with the groups is removed too.",
	New: func() dag.Stage {
		return &Deconfound{Fold: 1, Repeat: 1, Degree: 1, Missing: "refuse", Few: "refuse", Mean: "removed",
			Transform: "fisher", What: "edges"}
	},
	MaxThreads: 8,
	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Base: 64 << 20, Each: 150e3}.For,
}

var (
	_ role.Fitter    = (*Deconfound)(nil)
	_ role.PortUser  = (*Deconfound)(nil)
	_ role.InputUser = (*Deconfound)(nil)
)

// Deconfound learns what covariates explain.
type Deconfound struct {
	Fold       int      `param:"fold" doc:"the test fold; the coefficients are fitted to the other folds" min:"1"`
	Repeat     int      `param:"repeat" doc:"the assignment to folds" min:"1"`
	Covariates []string `param:"covariates" doc:"columns of the participants to remove, such as [age, sex, mean_fd]: numbers linearly, z-scored by the participants of the fit; texts as categories, of which the first in sorted order is the reference. mean_fd comes from cleaning where it is connected and the table has no such column. Never the predicted label, nor what stands for it (AUC or rank correlation from 0.95)"`
	Categories []string `param:"categories" doc:"covariates whose numbers are categories; site always is one"`
	What       string   `param:"what" doc:"remove the covariates from edges, from the number to predict (target), or from both; never from a class label" choices:"edges|target|both"`
	Controls   string   `param:"controls" doc:"fit to the training participants of this group alone, which keeps what a disease does to the effect of age, say. Models of these data have no valid p, and the error of the fit remains in the data of the other participants (docs/confounds.md)"`
	Degree     int      `param:"degree" doc:"numbers: highest power of the z-scores; 2: a parabola" min:"1" max:"3"`
	Spline     bool     `param:"spline" doc:"numbers: restricted cubic splines in place of powers, with knots at the 5, 35, 65 and 95% quantiles of the fit"`
	Missing    string   `param:"missing" doc:"a participant without a covariate: refuse; indicator, the mean of the fit (or the reference category) with a column that marks missing values; or skip, leave the participant out of the fit and the data as they are" choices:"refuse|indicator|skip"`
	Few        string   `param:"few" doc:"a category that nobody of the fit has: refuse the participant, or use the reference category" choices:"refuse|reference"`
	Mean       string   `param:"mean" doc:"of each edge over the fit: removed, residuals are about 0 (julearn); kept, it is added again, for graphs and thresholds" choices:"removed|kept"`
	Transform  string   `param:"transform" doc:"of the matrices: fisher, z = atanh r (|r| at most 0.9999999), inverted afterwards; none, if they are z already; tangent, matrices of the stage project, with their diagonal" choices:"fisher|none|tangent"`
}

// UsesPorts are the inputs that take one setting of each participant.
func (*Deconfound) UsesPorts() []role.PortUse { return role.OneSettingOf("matrices", "cleaning") }

func (*Deconfound) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Optional: true, Doc: "each participant's matrices; not needed with what: target"},
			{Name: "folds", Type: fold.Folds(), Doc: "the assignment to folds"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Doc: "their covariates"},
			{Name: "cleaning", Type: dag.Arrow("mean_fd"), Gather: true, Optional: true, Doc: "denoise's quality for the same: mean_fd as a covariate"},
		},
		Out: []dag.Port{
			{Name: "fitted", Type: column.Type[fold.CoefficientRow](), Doc: "the coefficients of each edge, with the participants of the fit in the metadata"},
			{Name: "design", Type: column.Type[designRow](), Doc: "the columns of each participant, by the numbers of the fit"},
			{Name: "terms", Type: column.Type[termRow](), Doc: "one row per column of the model"},
			{Name: "targets", Type: column.Type[fold.TargetRow](), Doc: "the number to predict of each participant without what the covariates explain, for regression; no rows with what: edges"},
		},
	}
}

// TestFold is the fold that is tested, and its repeat.
func (s *Deconfound) TestFold() (repeat, fold int) { return s.Repeat, s.Fold }

// Validate refuses covariates that are none.
func (s *Deconfound) Validate() (wrong []error) {
	for i, name := range s.Covariates {
		switch {
		case name == targetColumn || name == "group":
			wrong = append(wrong, removesLabel(name))
		case name == "participant_id":
			wrong = append(wrong, removesNames(name))
		case slices.Contains(s.Covariates[:i], name):
			wrong = append(wrong, fmt.Errorf("covariates: %s is listed twice: remove one of them", name))
		}
	}
	if s.What == "target" && s.Controls != "" {
		wrong = append(wrong, errors.New("controls: a number is predicted, and there are no groups: leave it out"))
	}
	for _, name := range s.Categories {
		if !slices.Contains(s.Covariates, name) {
			wrong = append(wrong, fmt.Errorf("categories: %s is not among the covariates", name))
		}
	}
	if s.Spline && s.Degree > 1 {
		wrong = append(wrong, errors.New("spline and degree are both set: a spline takes the place of powers"))
	}
	return wrong
}

func removesLabel(name string) error {
	return fmt.Errorf("covariates: %s is the label to predict: removing it would remove what is to be learned, and its value would enter the data of test participants: list other covariates", name)
}

func removesNames(name string) error {
	return fmt.Errorf("covariates: %s identifies participants or families, and has no effect that could be estimated: remove it", name)
}

// ReadsParticipants are the names that its parameters have.
func (s *Deconfound) ReadsParticipants() (read []role.Reading) {
	for _, name := range s.Covariates {
		read = append(read, role.Reading{Parameter: "covariates", Name: name, Needed: name != column.MeanFD,
			Motion: name == column.MeanFD, Removes: true,
			Categories: name == "site" || slices.Contains(s.Categories, name)})
	}
	return append(read, role.Reading{Parameter: "controls", Name: s.Controls, Group: true, Fits: true})
}

func (s *Deconfound) options() confound.Options {
	return confound.Options{Degree: s.Degree, Spline: s.Spline, Indicator: s.Missing == "indicator",
		Reference: s.Few == "reference"}
}

// A covariateTable has the covariates of all participants.
type covariateTable struct {
	ids    []string
	at     map[string]int
	values []confound.Covariate
}

// missing are the covariates that participant i lacks.
func (c *covariateTable) missing(i int) (names []string) {
	for _, v := range c.values {
		if v.Missing(i) {
			names = append(names, v.Name)
		}
	}
	return names
}

// read reads the covariates. Where there is no motion, mean_fd is left out if without is true.
func (s *Deconfound) read(people *encoding.Table, motion map[string]float64, without bool) (*covariateTable, error) {
	ids, err := people.Strings("participant_id")
	if err != nil {
		return nil, err
	}
	c := &covariateTable{ids: ids, at: lists.Places(ids)}
	names := s.Covariates
	if _, ok := people.Column(column.MeanFD); !ok && without {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == column.MeanFD })
	}
	all, err := column.Covariates(people, names, s.Categories, motion)
	for _, of := range all {
		c.values = append(c.values, confound.Covariate{Name: of.Name, Number: of.Number, Text: of.Text})
	}
	return c, err
}

// RefusesInputs requires matrices, unless the target alone is fitted.
func (s *Deconfound) RefusesInputs(has func(port string) bool) error {
	if s.What != "target" && !has("matrices") {
		return errors.New("matrices are not connected: connect each participant's matrices, or set what: target")
	}
	return nil
}

func (s *Deconfound) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	d, err := fold.Params{Fold: s.Fold, Repeat: s.Repeat}.Divide(t.In("folds"))
	if err != nil {
		return nil, err
	}
	if s.Controls != "" && !slices.Contains(d.Groups, s.Controls) {
		return nil, fmt.Errorf("controls: there is no group %q%s; available: %s", s.Controls, words.DidYouMean(s.Controls, d.Groups), words.Some(d.Groups, 8))
	}
	in := t.In("participants")
	people, err := in.Table()
	if err != nil {
		return nil, err
	}
	members, err := t.In("folds").Table()
	if err != nil {
		return nil, err
	}
	if refused, _ := s.LeaksLabel(people, members); refused != nil {
		return nil, errors.Join(refused...)
	}
	motion, err := column.MotionOf(t, "cleaning")
	if err != nil {
		return nil, err
	}
	covariates, err := s.read(people, motion, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	target, err := s.target(t)
	if err != nil {
		return nil, err
	}
	var fit []int
	var values [][]float64
	var lacking []string
	take := func(id string) (bool, error) {
		i, ok := covariates.at[id]
		if !ok {
			return false, fmt.Errorf("%s is not among the participants of %s", id, in.Name)
		}
		if names := covariates.missing(i); names != nil && s.Missing != "indicator" {
			lacking = append(lacking, fmt.Sprintf("%s (%s)", id, strings.Join(names, ", ")))
			return false, nil
		}
		fit = append(fit, i)
		return true, nil
	}
	nodes := 0
	if s.What == "target" {
		for _, id := range covariates.ids {
			if side, ok := d.Side[id]; err == nil && ok && side == 0 {
				_, err = take(id)
			}
		}
	} else {
		nodes, err = trainedOn(t, d, func(r fold.Row, m connectivity.Matrix) error {
			if s.Controls != "" && d.Groups[r.Label] != s.Controls {
				return nil
			}
			taken, err := take(r.Id)
			if err != nil || !taken {
				return err
			}
			v, err := region.Entries(m, s.Transform, "deconfound")
			values = append(values, v)
			return err
		})
	}
	switch {
	case err != nil:
		return nil, err
	case lacking != nil && s.Missing == "refuse":
		return nil, fmt.Errorf("%s: no value of covariates to remove: %s: fill them in, exclude the participants, or set missing: indicator or skip", in.Name, words.Some(lacking, 8))
	case len(fit) == 0:
		return nil, fmt.Errorf("%s: no training participant of fold %d can be used for the fit: check controls and the covariates", d.Name, s.Fold)
	}
	f := &deconfoundFit{EdgeFitFacts: fold.EdgeFitFacts{Fold: s.Fold, Repeat: s.Repeat, Covariates: s.Covariates,
		Controls: s.Controls, EdgeFacts: confound.EdgeFacts{Transform: s.Transform, Mean: s.Mean, Nodes: nodes}},
		covariates: covariates, fit: fit}
	if err := f.learn(values, target, s, t.Threads); err != nil {
		return nil, err
	}
	return f.outputs(s.Missing == "skip"), nil
}

// target is the number to predict of each participant of the folds; nil where it is not fitted.
func (s *Deconfound) target(t *dag.Task) (map[string]float64, error) {
	if s.What == "edges" {
		return nil, nil
	}
	members, err := column.Read[fold.LabeledMember](t.In("folds"))
	if err != nil {
		return nil, err
	}
	target := map[string]float64{}
	for _, m := range members {
		if math.IsNaN(m.Target) {
			return nil, fmt.Errorf("what: %s: %s predicts groups, and covariates are never removed from a class label: use folds of split with label: target, or what: edges", s.What, t.In("folds").Name)
		}
		target[m.ID] = m.Target
	}
	return target, nil
}

// A deconfoundFit is the coefficients of the edges.
type deconfoundFit struct {
	fold.EdgeFitFacts
	covariates *covariateTable
	fit        []int // participants
	design     *confound.Design
	dropped    []int
	beta       []float64 // column × edge
	fitted     []bool    // of the edges
	target     map[string]float64
	slopes     []float64 // of the target, the intercept first
}

// leastRows is how many participants a column of the model needs in the fit.
const leastRows = 3

// learn fits the design, and the edges to it. An edge that some lack is fitted to the others.
func (f *deconfoundFit) learn(values [][]float64, target map[string]float64, s *Deconfound, threads int) error {
	design, rows, err := s.designOf(f.covariates, f.fit)
	if err != nil {
		return err
	}
	solver := confound.NewSolver(rows)
	f.design, f.Terms, f.dropped, f.Means = design, design.Terms, solver.Dropped, solver.Means()
	if f.target = target; target != nil {
		y := lists.Map(f.fit, func(i int) float64 { return target[f.covariates.ids[i]] })
		f.slopes = solver.Solve(y, 1, threads)
	}
	if values == nil {
		return nil
	}
	edges := len(values[0])
	f.beta, f.fitted = make([]float64, solver.Columns*edges), make([]bool, edges)
	masks, order := map[string][]int{}, []string{} // edges that the same participants have
	mask := make([]byte, len(values))
	for e := range edges {
		for i, v := range values {
			mask[i] = map[bool]byte{true: 1}[!math.IsNaN(v[e])]
		}
		if masks[string(mask)] == nil {
			order = append(order, string(mask))
		}
		masks[string(mask)] = append(masks[string(mask)], e)
	}
	for _, of := range order {
		var some [][]float64
		var y []float64
		which := masks[of]
		for i := range values {
			if of[i] == 1 {
				some = append(some, rows[i])
				for _, e := range which {
					y = append(y, values[i][e])
				}
			}
		}
		if len(some) < leastRows*solver.Columns {
			continue
		}
		b := solver
		if len(some) < len(rows) {
			b = confound.NewSolver(some)
		}
		beta := b.Solve(y, len(which), threads)
		for k, e := range which {
			f.fitted[e] = true
			for c := range solver.Columns {
				f.beta[c*edges+e] = beta[c*len(which)+k]
			}
		}
	}
	if !slices.Contains(f.fitted, true) {
		return fmt.Errorf("no edge is there in %d participants of the fit: are these connectivity matrices?",
			leastRows*solver.Columns)
	}
	return nil
}

// designOf fits the design to some participants, and has their rows.
func (s *Deconfound) designOf(c *covariateTable, fit []int) (*confound.Design, [][]float64, error) {
	if len(s.Covariates) == 0 {
		return nil, nil, errors.New("covariates: there are none to remove: list columns of the participants, such as [age, sex, mean_fd]")
	}
	design, err := confound.NewDesign(c.values, fit, s.options())
	if err != nil {
		return nil, nil, fmt.Errorf("covariates: %w", err)
	}
	if columns := 1 + len(design.Terms); len(fit) < leastRows*columns {
		return nil, nil, fmt.Errorf("covariates: the model has %d columns and %d participants in the fit, but needs %d for each column: list fewer covariates, merge rare categories, or use fewer folds", columns, len(fit), leastRows)
	}
	var rows [][]float64
	for _, i := range fit {
		z, _, err := design.Row(c.values, i)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.ids[i], err)
		}
		rows = append(rows, z)
	}
	return design, rows, nil
}

// A designRow is one participant. The values of the terms stand behind it.
type designRow struct {
	ID  string `column:"participant_id"`
	Use string `column:"use" doc:"fit: among those fitted to; applied: not; skipped: data stay as they are (missing: skip); refused"`
	Why string `column:"why" doc:"refused: the reason"`
}

// A termRow is one column of the model.
type termRow struct {
	Term         string  `column:"term"`
	Covariate    string  `column:"covariate" doc:"empty for the intercept"`
	Participants int32   `column:"participants" doc:"in the fit"`
	Mean         float64 `column:"mean" doc:"of the column over the fit; numbers are z-scored"`
	Dropped      bool    `column:"dropped" doc:"true if the columns before it give this one"`
	Warning      string  `column:"warning" doc:"what the row warns of, for programs: a JSON list of findings; empty if none"`
}

// outputs are the tables of a fit; skip: participants without a covariate keep their data.
func (f *deconfoundFit) outputs(skip bool) dag.Outputs {
	ids := lists.Map(f.fit, func(i int) string { return f.covariates.ids[i] })
	meta := map[string]string{"participants": column.JSON(ids), "deconfound": column.JSON(f.EdgeFitFacts)}
	unfitted := lists.Count(f.fitted, func(is bool) bool { return !is })
	var targets []fold.TargetRow
	var design []designRow
	columns := make([][]float64, len(f.Terms))
	few, skipped := map[string]int{}, 0
	removal := confound.Removal{Design: *f.design, Coefficients: f.slopes}
	for i, id := range f.covariates.ids {
		z, unseen, err := f.design.Row(f.covariates.values, i)
		r := designRow{ID: id, Use: "applied"}
		switch {
		case slices.Contains(f.fit, i):
			r.Use = "fit"
		case err != nil && skip && f.covariates.missing(i) != nil:
			r.Use, r.Why = "skipped", err.Error()
			skipped++
		case err != nil:
			r.Use, r.Why = "refused", err.Error()
		}
		for _, level := range unseen {
			few[level]++
		}
		if y, ok := f.target[id]; ok {
			one := fold.TargetRow{ID: id, Target: y, Explained: math.NaN(), Residual: math.NaN(), Why: r.Why}
			if err == nil {
				if one.Explained, err = removal.Explained(z); err == nil {
					one.Residual = y - one.Explained
				}
			}
			targets = append(targets, one)
		}
		for k := range columns {
			v := math.NaN()
			if err == nil {
				v = z[k]
			}
			columns[k] = append(columns[k], v)
		}
		design = append(design, r)
	}
	designs := column.Columns(design)
	for k, term := range f.Terms {
		designs = append(designs, encoding.Column{Name: "z_" + term.String(), Values: columns[k],
			Valid: lists.Map(columns[k], func(v float64) bool { return v == v }), Doc: "value of the column"})
	}
	ofTargets := meta
	if f.target != nil {
		ofTargets = maps.Clone(meta)
		ofTargets[fold.RemovalMeta] = column.JSON(removal)
	}
	return dag.Outputs{
		"fitted": fold.EdgeFitTable(f.EdgeFitFacts, confound.EdgeFit{EdgeFacts: f.EdgeFacts, Fitted: f.fitted,
			Coefficients: f.beta}, f.design, ids),
		"design":  column.WithMeta(encoding.NewTable(designs...), meta),
		"targets": column.WithMeta(column.Table(targets), ofTargets),
		"terms":   f.terms(unfitted, skipped, few),
	}
}

// terms has a row a column, the intercept first.
func (f *deconfoundFit) terms(unfitted, skipped int, few map[string]int) *encoding.Table {
	var all finding.List
	if skipped > 0 {
		all.Add(finding.Warning("deconfound.skipped", map[string]any{"N": skipped}))
	}
	for _, level := range slices.Sorted(maps.Keys(few)) {
		all.Add(finding.Warning("deconfound.reference", map[string]any{"Level": level, "N": few[level]}))
	}
	all.Add(f.rare()...)
	if unfitted > 0 {
		all.Add(finding.Warning("deconfound.unfitted", map[string]any{"N": unfitted, "Of": len(f.fitted)}))
	}
	n := int32(len(f.fit))
	rows := []termRow{{Term: "intercept", Participants: n, Mean: 1}}
	if all != nil {
		rows[0].Warning = finding.Written(all)
	}
	for k, term := range f.Terms {
		r := termRow{Term: term.String(), Covariate: term.Covariate, Participants: n, Mean: f.Means[k],
			Dropped: slices.Contains(f.dropped, k)}
		if r.Dropped {
			r.Warning = finding.Written(finding.List{finding.Warning("deconfound.dropped",
				map[string]any{"Term": r.Term})})
		}
		rows = append(rows, r)
	}
	return column.Table(rows)
}

// rare warns of categories, and values of a number with two, that one or two participants of the fit have: least
// squares
// with a column for one participant leaves 0 of them, and of two what has the opposite sign in the other.
func (f *deconfoundFit) rare() (all finding.List) {
	for _, c := range f.covariates.values {
		n := map[string]int{}
		for _, i := range f.fit {
			switch {
			case c.Missing(i):
				n[c.Name+" "+confound.Missing]++
			case c.Text != nil:
				n[c.Name+"="+c.Text[i]]++
			default:
				n[fmt.Sprint(c.Name, "=", c.Number[i])]++
			}
		}
		values := len(n)
		if n[c.Name+" "+confound.Missing] > 0 {
			values--
		}
		for _, level := range slices.Sorted(maps.Keys(n)) {
			isMissing := level == c.Name+" "+confound.Missing
			if !isMissing && (values < 2 || c.Text == nil && values > 2) {
				continue
			}
			switch n[level] {
			case 1:
				all.Add(finding.Warning("deconfound.single", map[string]any{"Level": level}))
			case 2:
				all.Add(finding.Warning("deconfound.pair", map[string]any{"Level": level}))
			}
		}
	}
	return all
}
