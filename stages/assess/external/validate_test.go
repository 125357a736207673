package external

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/inference/confound"
	"prgnn/stages/learn"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/learn/split"
	"prgnn/stages/role"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, learn.Kinds, split.Kinds) }

// A cohort is one whose groups a model was not trained on.
type cohort struct {
	id    []string
	group []string
	in    map[string][]dag.Input
}

// unseen trains a model on the participants outside fold 2 of a study of n, and gives it the others under the same ids.
func unseen(t *testing.T, n int, kind string, params ...any) cohort {
	t.Helper()
	in := stagetest.NewCorrStudy(t, n).Inputs()
	for i := range n {
		quality := encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1, 2}})
		quality.Meta = map[string]string{"made": `{"denoise.fd":0.5}`}
		in["quality"] = append(in["quality"], dag.InputOf(quality, in["pearson"][i].Coords...))
	}
	out := stagetest.MustRun(t, stagetest.Fresh(kind, append([]any{"fold", 2}, params...)...), in)
	folds := need.Value(in["folds"][0].Table())(t)
	c := cohort{in: map[string][]dag.Input{"model": {dag.InputOf(out["file"])}}}
	groups := need.Value(folds.Strings("group"))(t)
	fold := need.Value(folds.Ints("fold"))(t)
	for i, id := range need.Value(folds.Strings("participant_id"))(t) {
		if fold[i] == 2 {
			c.id, c.group = append(c.id, id), append(c.group, groups[i])
		}
	}
	for i, m := range in["pearson"] {
		if slices.Contains(c.id, m.Coord("subject")) {
			c.in["matrices"] = append(c.in["matrices"], m)
			c.in["quality"] = append(c.in["quality"], in["quality"][i])
		}
	}
	c.in["participants"] = []dag.Input{c.participants()}
	return c
}

func (c cohort) participants() dag.Input {
	return dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: c.id},
		encoding.Column{Name: "group", Values: c.group}))
}

func measures(t *testing.T, out dag.Outputs) map[string]column.ValidationRow {
	t.Helper()
	all := map[string]column.ValidationRow{}
	for _, r := range need.Value(column.Rows[column.ValidationRow](out["measures"].(*encoding.Table)))(t) {
		all[r.Measure] = r
	}
	return all
}

// The measures are those of the predictions, by their definitions.
func TestValidateMeasures(t *testing.T) {
	c := unseen(t, 96, "baseline", "model", "logistic", "c", 0.05)
	for i := range c.group[:6] { // other shares than in training
		c.group[i] = "ASD"
	}
	c.in["participants"] = []dag.Input{c.participants()}
	out := stagetest.MustRun(t, &Validate{}, c.in)
	p := stagetest.FloatsOf(t, out["participants"], "p_ASD")
	of := 0.0
	got := measures(t, out)
	var count [2][2]float64 // group, predicted: ASD is 1
	pairs, above, brier := 0.0, 0.0, 0.0
	for i, a := range p {
		is, called := 0, 0
		if c.group[i] == "ASD" {
			is = 1
			of += 1 / float64(len(p))
			brier += (1 - a) * (1 - a) / float64(len(p))
			for j, b := range p {
				if c.group[j] == "HC" {
					pairs++
					if a > b {
						above++
					}
				}
			}
		} else {
			brier += a * a / float64(len(p))
		}
		if 1-a <= 0.5 { // the second group, HC, is predicted above the threshold
			called = 1
		}
		count[is][called]++
	}
	for name, want := range map[string]float64{
		"accuracy":     (count[0][0] + count[1][1]) / float64(len(p)),
		"sensitivity":  count[1][1] / (count[1][0] + count[1][1]),
		"specificity":  count[0][0] / (count[0][0] + count[0][1]),
		"auc":          above / pairs,
		"brier":        brier,
		"brier_scaled": 1 - brier/(of*(1-of)),
	} {
		if m := got[name]; math.Abs(m.Value-want) > 1e-12 {
			t.Errorf("%s %v, want %v", name, m.Value, want)
		}
	}
	for _, name := range []string{"accuracy", "sensitivity", "specificity", "auc", "brier", "in_the_large"} {
		if m := got[name]; !(m.Low <= m.Value && m.Value <= m.High && m.Low < m.High) {
			t.Errorf("%s %v: interval %v to %v", name, m.Value, m.Low, m.High)
		}
	}
	s := need.Value(column.Rows[column.ValidationSummaryRow](out["summary"].(*encoding.Table)))(t)[0]
	if s.Positive != "ASD" || s.Threshold != 0.5 || s.Models != 1 || int(s.Participants) != len(p) || s.Trained != 72 ||
		s.TrainingShare != 0.5 || s.ShiftInputs != 10 || !(s.ShiftMedian < s.ShiftHigh) || !s.Calibrated {
		t.Errorf("summary %+v", s)
	}
	bins := need.Value(column.Rows[column.ValidationBinRow](out["calibration"].(*encoding.Table)))(t)
	n := 0
	for _, b := range bins {
		n += int(b.N)
	}
	if len(bins) != 10 || n != len(p) {
		t.Errorf("%d bins of %d participants", len(bins), n)
	}
}

// What a file states of the study of its training stands beside the new cohort: performance, participants, and the
// recalibration, which makes probabilities of decision values.
func TestValidateBesideTraining(t *testing.T) {
	c := unseen(t, 96, "baseline", "model", "ridge")
	file := need.Value(c.in["model"][0].Bytes())(t)
	low, high := 0.2, 0.3
	study := modelfile.Study{Positive: "ASD", Performance: []modelfile.Measured{{Measure: "auc", Value: 0.25, Low: &low,
		High: &high}, {Measure: "accuracy", Value: 0.5}}, Questioned: []string{"groups.noted"},
		Recalibration: &modelfile.Recalibration{Intercept: 0.5, Slope: 2, Participants: 72},
		Cohort: []modelfile.Variable{{Name: "age", N: 72, Mean: 10, SD: 1, Low: 8, Median: 10, High: 12},
			{Name: "sex", N: 72, Shares: map[string]float64{"F": 0.5, "M": 0.5}},
			{Name: "tr", N: 72, Mean: 2, Low: 2, Median: 2, High: 2},
			{Name: "site", N: 72, Shares: map[string]float64{"NYU": 1}}}}
	c.in["model"] = []dag.Input{dag.InputOf(artifacts.Bytes{Kind: "npz", Data: need.Value(modelfile.WithOrigin(file,
		modelfile.Origin{}, study))(t)})}
	ages, sexes := make([]float64, len(c.id)), make([]string, len(c.id))
	sites := slices.Repeat([]string{"UM"}, len(c.id))
	motion, families := make([]float64, len(c.id)), make([]string, len(c.id))
	group := need.Value(need.Value(c.participants().Table())(t).Strings("group"))(t)
	for i := range c.id {
		motion[i], families[i] = 0.1+float64(i)/1e4, fmt.Sprint("F", i/2)
		if group[i] == "ASD" {
			motion[i] += 0.1
		}
		ages[i], sexes[i] = 10, []string{"F", "M", "X"}[i%3]
	}
	ages[0], ages[1], ages[2] = 20, 30, math.NaN()
	people := need.Value(c.participants().Table())(t)
	c.in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(append(slices.Clone(people.Columns),
		encoding.Column{Name: "age", Values: ages}, encoding.Column{Name: "Gender", Values: sexes},
		encoding.Column{Name: "site", Values: sites}, encoding.Column{Name: "mean_fd", Values: motion},
		encoding.Column{Name: "Family_ID", Values: families})...))}
	for _, id := range c.id { // the repetition time is another one in all scans
		c.in["cleaning"] = append(c.in["cleaning"], dag.InputOf(encoding.NewTable(encoding.Column{Name: "tr",
			Values: []float64{0.72}}, encoding.Column{Name: "t_eff", Values: []float64{80}}),
			dag.Coord{Axis: "subject", Value: id}))
	}
	out := stagetest.MustRun(t, stagetest.Fresh("validate"), c.in)
	got := measures(t, out)
	if m := got["auc"]; m.Training != 0.25 || m.TrainingLow != 0.2 || m.TrainingHigh != 0.3 ||
		!math.IsNaN(got["sensitivity"].Training) || !math.IsNaN(got["accuracy"].TrainingLow) {
		t.Errorf("AUC in training %+v", m)
	}
	rows := need.Value(column.Rows[column.ValidationShiftRow](out["shift"].(*encoding.Table)))(t)
	n := float64(len(c.id))
	for i, r := range rows[5:] { // no participant of one site is of the other, and nobody varies
		if r.Training+r.New != 1 || !math.IsNaN(r.Difference) {
			t.Errorf("site %d: %+v", i, r)
		}
	}
	if len(rows) != 7 || rows[4].Name != "tr" || rows[4].Outside < 0.999 || rows[4].NewSD != 0 ||
		!math.IsNaN(rows[4].Difference) || rows[0].Name != "age" || math.Abs(rows[0].Outside-2/(n-1)) > 1e-12 ||
		math.Abs(rows[0].New-(10*(n-3)+50)/(n-1)) > 1e-12 || rows[3].Category != "X" || rows[3].Training != 0 {
		t.Errorf("shift %+v", rows)
	}
	after := stagetest.FloatsOf(t, out["participants"], "recalibrated")
	before := stagetest.FloatsOf(t, out["participants"], "p_HC")
	for i, p := range before {
		if want := 1 - 1/(1+math.Exp(-0.5-2*math.Log(p/(1-p)))); math.Abs(after[i]-want) > 0.02 {
			t.Errorf("recalibrated %v, want %v", after[i], want) // one model, the mean over two draws
		}
	}
	if b := got["brier_recalibrated"]; !(b.Value > 0 && b.Low < b.Value) || got["brier"].N != 0 {
		t.Errorf("Brier scores %+v, %+v", b, got["brier"])
	}
	codes := stagetest.Codes(t, out["participants"].(*encoding.Table))
	for _, code := range []string{"validation.unlike-training", "validation.category", "validation.outside",
		"applied.questioned", "validation.related", "validation.covariate"} {
		if !strings.Contains(codes, code) {
			t.Errorf("findings %s, want %s", codes, code)
		}
	}
	plain := stagetest.MustRun(t, stagetest.Fresh("validate", "recalibrate", "none"), c.in)
	if m := measures(t, plain); m["brier_recalibrated"].N != 0 {
		t.Errorf("with none: %+v", m)
	}
}

// The models of all folds show that training participants stand under other ids, also with other numbers, and that new
// participants are new; a single model shows nothing.
func TestValidateTrainingParticipantsProcessedAgain(t *testing.T) {
	const n, nodes = 40, 14
	people := stagetest.SomeParticipants(n, "ASD", "HC")
	folds := stagetest.MustRun(t, stagetest.Fresh("split", "folds", 5, "repeats", 1, "stratify", true, "seed", 1),
		map[string][]dag.Input{"participants": {dag.InputOf(people)}})["folds"]
	quality := encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0}})
	quality.Meta = map[string]string{"made": `{"denoise.fd":0.5}`}
	made := func(stream string, noise float64, port, prefix string) map[string][]dag.Input {
		in := map[string][]dag.Input{}
		for i := range n {
			r, other := random.New(3, stream, i), random.New(4, stream, i)
			m := make([]float64, nodes*nodes)
			for a := range nodes {
				m[a*nodes+a] = 1
				for b := range a {
					x := 0.2*r.Normal() + noise*other.Normal()
					m[a*nodes+b], m[b*nodes+a] = x, x
				}
			}
			at := dag.Coord{Axis: "subject", Value: fmt.Sprintf("%s%03d", prefix, i+1)}
			in[port] = append(in[port], dag.InputOf(encoding.NewArray(m, 1, nodes, nodes), at))
			in["quality"] = append(in["quality"], dag.InputOf(quality, at))
		}
		return in
	}
	training := made("training", 0, "pearson", "sub-")
	training["folds"] = []dag.Input{dag.InputOf(folds)}
	var models []dag.Input
	for k := range 5 {
		models = append(models, dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("baseline", "model", "ridge", "fold",
			k+1), training)["file"]))
	}
	for _, c := range []struct {
		stream string
		models int
		found  bool
	}{{"training", 5, true}, {"training", 2, false}, {"new", 5, false}} {
		in := made(c.stream, 0.1, "matrices", "sub-X")
		in["model"] = models[:c.models]
		ids := lists.Map(in["matrices"], func(m dag.Input) string { return m.Coord("subject") })
		in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(
			encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "group", Values: need.Value(people.Strings("group"))(t)}))}
		out := stagetest.MustRun(t, stagetest.Fresh("validate"), in)
		found := need.Value(finding.Of(out["participants"].(*encoding.Table).Meta))(t)
		has := slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == "validation.held-out" })
		s := need.Value(column.Rows[column.ValidationSummaryRow](out["summary"].(*encoding.Table)))(t)[0]
		if has != c.found || math.IsNaN(s.HeldOutT) != (c.models < 3) || math.Abs(s.HeldOutT) > 3 != c.found {
			t.Errorf("%s, %d models: found %v, t %v, p %v", c.stream, c.models, has, s.HeldOutT, s.HeldOutP)
		}
	}
}

// A model of decision values has neither Brier score nor calibration.
func TestValidateDecisionValues(t *testing.T) {
	c := unseen(t, 40, "baseline", "model", "ridge")
	out := stagetest.MustRun(t, &Validate{Positive: "HC"}, c.in)
	got := measures(t, out)
	_, brier := got["brier"]
	_, slope := got["slope"]
	if brier || slope || got["auc"].N != 12 && got["auc"].N != 10 {
		t.Errorf("measures %+v", got)
	}
	if codes := stagetest.Codes(t, out["participants"].(*encoding.Table)); !strings.Contains(codes, "validation.decision-values") {
		t.Errorf("findings %s", codes)
	}
}

// Whoever was in training, or is none of the groups, is refused with the remedy.
func TestValidateRefuses(t *testing.T) {
	c := unseen(t, 40, "baseline", "model", "ridge")
	study := stagetest.NewCorrStudy(t, 40).Inputs()
	taught := func(id string) dag.Input { // the scan of a training participant
		for _, m := range study["pearson"] {
			if !slices.Contains(c.id, m.Coord("subject")) {
				m.Coords = []dag.Coord{{Axis: "subject", Value: id}}
				return m
			}
		}
		panic("all are new")
	}
	saved := func(in dag.Input, as func(float64) float64) dag.Input { // with fewer digits
		a := need.Value(in.Array())(t)
		v := slices.Clone(a.Float64s())
		for i, x := range v {
			v[i] = as(x)
		}
		return dag.InputOf(encoding.NewArray(v, a.Shape...), in.Coords...)
	}
	own := func(id string) dag.Input {
		is := func(m dag.Input) bool { return m.Coord("subject") == id }
		return study["pearson"][slices.IndexFunc(study["pearson"], is)]
	}
	single := func(x float64) float64 { return float64(float32(x)) }
	decimals := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
	trained := ""
	for _, m := range study["pearson"] {
		if !slices.Contains(c.id, m.Coord("subject")) {
			trained = m.Coord("subject")
		}
	}
	with := func(change func(c *cohort)) map[string][]dag.Input {
		d := cohort{slices.Clone(c.id), slices.Clone(c.group), map[string][]dag.Input{}}
		for port, in := range c.in {
			d.in[port] = slices.Clone(in)
		}
		change(&d)
		d.in["participants"] = []dag.Input{d.participants()}
		return d.in
	}
	first := func(id string, in ...dag.Input) func(*cohort) {
		return func(d *cohort) {
			if d.in["matrices"][0].Coords = []dag.Coord{{Axis: "subject", Value: id}}; in != nil {
				d.in["matrices"][0] = in[0]
			}
			d.in["quality"][0].Coords = []dag.Coord{{Axis: "subject", Value: id}}
			d.id[0] = id
		}
	}
	for i, of := range []struct {
		s    Validate
		in   map[string][]dag.Input
		text string
	}{
		{Validate{}, with(first(strings.ToUpper(trained))), "1 participant of the new cohort has the id of a training participant: SUB-"},
		{Validate{}, with(first("new-1", taught("new-1"))), "the data of 1 participant are those of a training participant of another id, number by number or after rounding: new-1 (number 1 of "},
		{Validate{}, with(first("new-1", saved(taught("new-1"), single))), "a value in memory, rounded)"},
		{Validate{}, with(first("new-1", saved(taught("new-1"), decimals))), "a value in memory, rounded)"},
		{Validate{Allow: []string{"participants"}}, with(first("new-1", taught("new-1"))), "the data of 1 participant"},
		{Validate{Allow: []string{"participants"}}, with(first(trained, own(trained))),
			"1 participant of the new cohort has the id and the data of a training participant: sub-"},
		{Validate{}, with(func(d *cohort) {
			d.in["matrices"][1].Reader, d.in["matrices"][1].Ref = d.in["matrices"][0].Reader, d.in["matrices"][0].Ref
		}), c.id[0] + " and " + c.id[1] + " have the same features"},
		{Validate{}, with(func(d *cohort) { d.group[0] = "TD" }), "the models have the groups ASD, HC, and " + c.id[0] + " (TD) is in another"},
		{Validate{}, with(func(d *cohort) { d.id[0] = "else" }), "no group of " + c.id[0]},
		{Validate{}, with(func(d *cohort) {
			for i := range d.group {
				d.group[i] = "HC"
			}
		}), "all participants are in the group HC"},
		{Validate{Positive: "TD"}, with(func(*cohort) {}), `positive: there is no group "TD"`},
		{Validate{Allow: []string{"densty"}}, with(func(*cohort) {}), "allow:"},
	} {
		s := of.s
		_, err := stagetest.RunStage(t, &s, of.in)
		need.Error(t, err, of.text, fmt.Sprint("case ", i))
	}
	// Other people of equal ids are accepted by name, and remain a finding.
	out := stagetest.MustRun(t, &Validate{Allow: []string{"participants"}}, with(first(trained)))
	if codes := stagetest.Codes(t, out["participants"].(*encoding.Table)); !strings.Contains(codes,
		"applied.equal-id") {
		t.Errorf("findings %s", codes)
	}
}

// Stored regressions give the numbers of their stage on new participants, and are measured on them.
func TestValidateRegression(t *testing.T) {
	in := stagetest.Numbered(t, stagetest.Ramp(36))
	for _, model := range []string{"ridge", "forest"} {
		out := stagetest.MustRun(t, stagetest.Fresh("regression", "model", model, "fold", 2, "trees", 9), in)
		want := map[string]float64{} // of a participant's draws
		count := map[string]float64{}
		for _, r := range stagetest.PredictedNumbers(t, out) {
			if r.Set == "test" {
				want[r.ID] += r.Predicted
				count[r.ID]++
			}
		}
		new := map[string][]dag.Input{"model": {dag.InputOf(out["file"])}, "participants": in["folds"]}
		for _, m := range in["pearson"] {
			if count[m.Coord("subject")] > 0 {
				new["matrices"] = append(new["matrices"], m)
			}
		}
		got := stagetest.MustRun(t, &ValidateRegression{}, new)
		rows := need.Value(column.Rows[validatedNumber](got["participants"].(*encoding.Table)))(t)
		error := 0.0
		for _, r := range rows {
			if p := want[r.ID] / count[r.ID]; math.Abs(r.Predicted-p) > 1e-9*math.Abs(p) || r.Trained != 0 {
				t.Errorf("%s: %s is %v, want %v; trained %d", model, r.ID, r.Predicted, p, r.Trained)
			}
			error += math.Abs(r.Predicted-r.Target) / float64(len(rows))
		}
		if m := measures(t, got); len(rows) == 0 || math.Abs(m["mae"].Value-error) > 1e-9 ||
			!(m["r"].Low < m["r"].Value) || !(m["r2_training"].Value > -10) || int(m["slope"].N) != len(rows) {
			t.Errorf("%s: measures %+v, error %v", model, m, error)
		}
		// Age and sex are compared as for classifiers.
		study := modelfile.Study{Cohort: []modelfile.Variable{{Name: "sex", N: 24, Shares: map[string]float64{"F": 0.25,
			"M": 0.75}}}}
		people := need.Value(in["folds"][0].Table())(t)
		sexes := slices.Repeat([]string{"F", "M"}, people.Rows()/2)
		shifted := maps.Clone(new)
		shifted["model"] = []dag.Input{dag.InputOf(artifacts.Bytes{Kind: "npz", Data: need.Value(modelfile.WithOrigin(
			out["file"].(artifacts.Bytes).Data, modelfile.Origin{}, study))(t)})}
		shifted["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(append(slices.Clone(people.Columns),
			encoding.Column{Name: "sex", Values: sexes})...))}
		shift := need.Value(column.Rows[column.ValidationShiftRow](stagetest.MustRun(t, &ValidateRegression{},
			shifted)["shift"].(*encoding.Table)))(t)
		if len(shift) != 2 || shift[0].Category != "F" || shift[0].Training != 0.25 || int(shift[1].N) != len(rows) {
			t.Errorf("%s: shift %+v", model, shift)
		}
		// Training participants are refused, and so are models of groups and of numbers in the other kind.
		new["matrices"] = in["pearson"]
		_, err := stagetest.RunStage(t, &ValidateRegression{}, new)
		need.Error(t, err, "participants of the new cohort have the id of a training participant")
		_, err = stagetest.RunStage(t, &Validate{}, new)
		need.Error(t, err, "it predicts a number, but models of groups are expected here")
	}
	c := unseen(t, 40, "baseline", "model", "ridge")
	_, err := stagetest.RunStage(t, &PredictRegression{}, c.in)
	need.Error(t, err, "it predicts groups, but models of a number are expected here")
}

// Models of a residual are compared with the residuals of new participants, by the fit in the model file.
func TestValidateRegressionOfResiduals(t *testing.T) {
	in := stagetest.Numbered(t, stagetest.Ramp(36))
	members := need.Value(column.Read[fold.NumberMember](in["folds"][0]))(t)
	removal := confound.Removal{Design: confound.Design{Terms: []confound.Term{{Covariate: "age"}},
		Parts: []confound.Part{{Covariate: "age", Mean: 10, SD: 2}}, Options: confound.Options{Degree: 1}},
		Coefficients: []float64{50, 3}}
	var rows []fold.TargetRow
	var ids, fit []string
	var number, age []float64
	mean := 0.0
	for i, m := range members {
		age, ids, number = append(age, float64(7+i%5)), append(ids, m.ID), append(number, m.Target)
		explained := 50 + 3*(age[i]-10)/2
		rows = append(rows, fold.TargetRow{ID: m.ID, Target: m.Target, Explained: explained,
			Residual: m.Target - explained})
		if m.Fold != 2 {
			fit, mean = append(fit, m.ID), mean+m.Target
		}
	}
	mean /= float64(len(fit))
	targets := func(removal any) map[string][]dag.Input {
		table := column.WithMeta(column.Table(rows), map[string]string{"participants": column.JSON(fit),
			"deconfound":     `{"fold":2,"repeat":1,"covariates":["age"]}`,
			fold.RemovalMeta: column.JSON(removal)})
		of := maps.Clone(in)
		of["targets"] = []dag.Input{dag.InputOf(table)}
		return of
	}
	ridge := stagetest.Fresh("regression", "model", "ridge", "fold", 2)
	out := stagetest.MustRun(t, ridge, targets(removal))
	person := func(name string, values any) dag.Input {
		return dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "target", Values: number}, encoding.Column{Name: name, Values: values}))
	}
	new := map[string][]dag.Input{"model": {dag.InputOf(out["file"])}, "participants": {person("age", age)}}
	for _, m := range in["pearson"] {
		if !slices.Contains(fit, m.Coord("subject")) {
			new["matrices"] = append(new["matrices"], m)
		}
	}
	got := stagetest.MustRun(t, &ValidateRegression{}, new)
	people := got["participants"].(*encoding.Table)
	who, residual := need.Value(people.Strings("participant_id"))(t), stagetest.FloatsOf(t, people, "residual")
	predicted, mae := stagetest.FloatsOf(t, people, "predicted"), 0.0
	for i, id := range who {
		at := slices.Index(ids, id)
		if want := number[at] - rows[at].Explained + mean; math.Abs(residual[i]-want) > 1e-9 {
			t.Errorf("%s: residual %v, want %v", id, residual[i], want)
		}
		mae += math.Abs(predicted[i]-residual[i]) / float64(len(who))
	}
	if m := measures(t, got)["mae"].Value; math.Abs(m-mae) > 1e-9 {
		t.Errorf("mean absolute error %v, want %v", m, mae)
	}
	if codes := stagetest.Codes(t, people); !strings.Contains(codes, "applied.residual") {
		t.Errorf("findings %s", codes)
	}
	for _, c := range []struct {
		people dag.Input
		fit    any
		want   string
	}{
		{person("sex", age), removal, "without the effects of age, which are removed from the numbers of the new participants"},
		{person("age", slices.Repeat([]string{"old"}, len(ids))), removal, "(age has text values, but numbers in the fit)"},
		{person("age", slices.Repeat([]float64{math.NaN()}, len(ids))), removal, "(age is missing)"},
		{person("age", age), nil, "has no coefficients to remove them from the numbers of other participants"},
	} {
		new["model"] = []dag.Input{dag.InputOf(stagetest.MustRun(t, ridge, targets(c.fit))["file"])}
		new["participants"] = []dag.Input{c.people}
		_, err := stagetest.RunStage(t, &ValidateRegression{}, new)
		need.Error(t, err, c.want)
	}
	plain := stagetest.MustRun(t, ridge, in)
	new["model"] = append(new["model"], dag.InputOf(plain["file"]))
	_, err := stagetest.RunStage(t, &ValidateRegression{}, new)
	need.Error(t, err, "from which the effects of different covariates were removed (none; age)")
}

// PR-GNN of a number gives the numbers of its training.
func TestPredictRegressionFromGraphs(t *testing.T) {
	in := stagetest.PlantedInputs(t, 16, 2, 9, 1)
	ids := need.Value(need.Value(in["folds"][0].Table())(t).Strings("participant_id"))(t)
	folds, number := make([]int32, len(ids)), stagetest.Ramp(len(ids))
	repeats := make([]int32, len(ids))
	for i := range ids {
		folds[i], repeats[i] = int32(1+i%2), 1
	}
	in["folds"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "target", Values: number}, encoding.Column{Name: "repeat", Values: repeats},
		encoding.Column{Name: "fold", Values: folds}))}
	out := stagetest.MustRun(t, stagetest.Fresh("train-regression", "fold", 2, "epochs", 2), in)
	got := stagetest.MustRun(t, &PredictRegression{}, map[string][]dag.Input{"model": {dag.InputOf(out["model"])},
		"edges": in["edges"], "features": in["features"]})
	want := stagetest.FloatsOf(t, out["predictions"], "predicted")
	if p := stagetest.FloatsOf(t, got["predictions"], "predicted"); !slices.Equal(p, want) {
		t.Errorf("predictions %v, want %v", p, want)
	}
}

// Models of one column are no models of another, be it of groups or of numbers.
func TestValidateAnotherColumn(t *testing.T) {
	named := func(in dag.Input, meta map[string]string) []dag.Input {
		return []dag.Input{dag.InputOf(column.WithMeta(need.Value(in.Table())(t), meta), in.Coords...)}
	}
	c := unseen(t, 40, "baseline", "model", "ridge")
	people := c.in["participants"][0]
	need.Equal(t, need.Value(modelfile.ReadFacts(need.Value(c.in["model"][0].Bytes())(t)))(t).Training.Column, "group")
	in := stagetest.Numbered(t, stagetest.Ramp(36))
	folds := in["folds"][0]
	in["folds"] = named(folds, map[string]string{column.Predicts: "IQ"})
	out := stagetest.MustRun(t, stagetest.Fresh("regression", "model", "ridge", "fold", 2), in)
	new := map[string][]dag.Input{"model": {dag.InputOf(out["file"])}}
	of := need.Value(folds.Table())(t)
	fold := need.Value(of.Ints("fold"))(t)
	for i, id := range need.Value(of.Strings("participant_id"))(t) {
		for _, m := range in["pearson"] {
			if fold[i] == 2 && m.Coord("subject") == id {
				new["matrices"] = append(new["matrices"], m)
			}
		}
	}
	for _, is := range []struct {
		stage  func(allow ...string) dag.Stage
		in     map[string][]dag.Input
		people dag.Input
		meta   map[string]string
		want   string
	}{
		{func(allow ...string) dag.Stage { return &Validate{Allow: allow} }, c.in, people, nil, ""},
		{func(allow ...string) dag.Stage { return &Validate{Allow: allow} }, c.in, people,
			map[string]string{"group": "sex"},
			"the models predict the column group of the training study, but the groups of the participants are those of the " +
				"column sex"},
		{func(allow ...string) dag.Stage { return &ValidateRegression{Allow: allow} }, new, folds,
			map[string]string{"target": "iq"}, ""},
		{func(allow ...string) dag.Stage { return &ValidateRegression{Allow: allow} }, new, folds,
			map[string]string{"target": "score"},
			"but the numbers of the participants are those of the column score: set target: IQ under cohort, or, if the " +
				"columns have the same meaning, set allow: [target]"},
	} {
		is.in["participants"] = named(is.people, is.meta)
		out, err := stagetest.RunStage(t, is.stage(), is.in)
		if is.want != "" {
			need.Error(t, err, is.want)
			out = stagetest.MustRun(t, is.stage("target"), is.in)
		} else {
			need.NoError(t, err)
		}
		found := strings.Contains(stagetest.Codes(t, out["participants"].(*encoding.Table)), "applied.other-column")
		need.Equal(t, found, is.want != "", is.want)
		// The page reads what was applied.
		applied := need.Value(finding.ReadApplied(out["participants"].(*encoding.Table)))(t)
		need.Equal(t, applied.Other, is.want != "", is.want)
	}
}

// Models are applied to matrices of the kind that they were trained on, as the plan states of the connected outputs:
// the arrays and the quality of connectivity are alike for all.
func TestValidateComparesWhatMatricesHold(t *testing.T) {
	const pearson, partial = "measure=pearson series=denoised", "measure=partial series=denoised"
	for _, c := range []struct{ trained, new, want string }{
		{pearson, pearson, ""},
		{partial, partial, ""},
		{partial, pearson, "the inputs are Pearson correlations, not partial correlations (measure)"},
		{pearson, partial, "the inputs are partial correlations, not Pearson correlations (measure)"},
		{pearson, "measure=covariance series=denoised", "the inputs are covariances, not Pearson correlations (measure)"},
		{pearson, "measure=pearson series=raw", "from series that were not denoised, not from denoised series (denoised)"},
		{"measure=pearson series=raw", pearson, "from denoised series, not from series that were not denoised (denoised)"},
		{pearson, "", "the inputs are values of unknown kind"},
	} {
		in := unseen(t, 40, "baseline", "model", "ridge", "holds", []any{"pearson " + c.trained}).in
		_, err := stagetest.RunStage(t, stagetest.Fresh("validate", "holds", []any{"matrices " + c.new}), in)
		if c.want == "" {
			need.NoError(t, err, c)
			continue
		}
		need.Error(t, err, c.want)
		need.Error(t, err, "to accept a difference, list it under allow")
		for _, allow := range []string{"measure", "denoised"} {
			if !strings.Contains(c.want, "("+allow+")") {
				continue
			}
			out, err := stagetest.RunStage(t, stagetest.Fresh("validate", "holds", []any{"matrices " + c.new}, "allow",
				[]any{allow}), in)
			need.NoError(t, err, c, allow)
			made := need.Value(finding.ReadApplied(out["participants"].(*encoding.Table)))(t).Made
			need.Equal(t, len(made) == 1 && strings.Contains(made[0], c.want), true, made)
		}
	}
}

// More than two groups have no positive one, and no threshold.
func TestPositiveOfThreeGroups(t *testing.T) {
	two, three := []string{"AD", "HC"}, []string{"AD", "HC", "MCI"}
	_, _, err := (&Validate{Positive: "AD"}).positiveOf(three)
	need.Error(t, err, "positive: the models have the groups AD, HC, MCI, and only a validation of two groups has a positive one: "+
		"leave out positive")
	for _, c := range []struct {
		positive string
		groups   []string
		at       int
	}{{"", three, -1}, {"AD", two, 0}, {"", two, 0}} {
		at, _, err := (&Validate{Positive: c.positive}).positiveOf(c.groups)
		need.NoError(t, err)
		need.Equal(t, at, c.at, c)
	}
}

// Measures in training are beside those of a new cohort with all of its groups only.
func TestBesideTrainingOfOtherGroups(t *testing.T) {
	study := []*modelfile.Study{{Performance: []modelfile.Measured{{Measure: "accuracy", Value: 0.8}}}}
	for _, absent := range [][]string{nil, {"MCI"}} {
		rows := []column.ValidationRow{{Measure: "accuracy", Value: 0.92}}
		besideTraining(rows, study, "", absent)
		need.Equal(t, rows[0].Training == 0.8, absent == nil)
		need.Equal(t, math.IsNaN(rows[0].Training), absent != nil)
	}
}

// Models of one kind with different settings and inputs are described by all of them; models of several kinds are
// refused, before a run, too.
func TestValidateEnsemble(t *testing.T) {
	c := unseen(t, 96, "baseline", "model", "ridge", "penalty", 1.0)
	file := func(model, penalty, name string, params ...any) dag.Input {
		of := unseen(t, 96, "baseline", append([]any{"model", model}, params...)...)
		origin := modelfile.Origin{Parameters: map[string]string{"model": `"` + model + `"`, "penalty": penalty,
			"fold": name}}
		b := need.Value(modelfile.WithOrigin(need.Value(of.in["model"][0].Bytes())(t), origin, modelfile.Study{}))(t)
		in := dag.InputOf(artifacts.Bytes{Kind: "npz", Data: b})
		in.Name = name
		return in
	}
	one, other := file("ridge", "1", "1"), file("ridge", "100", "2", "penalty", 100.0, "transform", "none")
	mixed := file("logistic", "1", "3")
	c.in["model"] = []dag.Input{one, other}
	out := stagetest.MustRun(t, &Validate{}, c.in)
	got := need.Value(finding.ReadApplied(out["participants"].(*encoding.Table)))(t)
	need.Equal(t, fmt.Sprint(got.Parameters, got.Differing), `map[model:"ridge"] map[penalty:[1 100]]`)
	need.Equal(t, fmt.Sprint(got.Takes), "[{1 fisher  false} {1 pearson  false}]")
	c.in["model"] = append(c.in["model"], file("ridge", "100", "4", "penalty", 100.0))
	row := need.Value(column.One[column.ValidationSummaryRow](dag.InputOf(stagetest.MustRun(t, &Validate{},
		c.in)["summary"])))(t)
	need.Equal(t, math.IsNaN(row.HeldOutT), true)
	c.in["model"] = []dag.Input{one, mixed, other}
	const refused = "these models are of several kinds, logistic (%s), ridge (%s), and their mean is not tested; list models of one kind"
	_, err := stagetest.RunStage(t, &Validate{}, c.in)
	need.Error(t, err, fmt.Sprintf(refused, "3", "1, 2"))
	files := lists.Map(c.in["model"], func(in dag.Input) []byte { return need.Value(in.Bytes())(t) })
	no := func(string) bool { return false }
	for _, s := range []role.ModelReader{&Validate{}, &ValidateRegression{}, &learn.Predict{}, &PredictRegression{}} {
		need.Error(t, errors.Join(s.RefusesParameters(files, no, no)...),
			"model: "+fmt.Sprintf(refused, "file 2", "file 1, file 3"))
		need.Equal(t, len(s.RefusesParameters(files[:1], no, no)), 0)
	}
}
