package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
	"prgnn/stages/learn"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/role"
)

var predictRegressionKind = dag.Kind{
	Name: "predict-regression",
	Doc: "applies trained models of a number to participants\n" +
		"Like predict, for models of train-regression and regression. The prediction is the mean over the models, in the units of the target. Regions, estimators and denoising that differ from training are refused.",
	New:        func() dag.Stage { return &PredictRegression{} },
	MaxThreads: 8,
	Memory:     256 << 20,
}

var validateRegressionKind = dag.Kind{
	Name: "validate-regression",
	Doc: "validates stored models of a number on another cohort\n" +
		"Applies models as predict-regression does, and compares the predictions with the numbers of the participants: r, R² about the mean of the new cohort and about that of the training, mean absolute error, mean error, and the regression of the numbers on the predictions, with intervals. Nothing is fitted to the new participants, except the shift and scale of each site, without labels, if harmonize is set. Models of deconfound's targets predict residuals: the effects of the covariates are removed from the numbers of the participants with the coefficients in the model files. It refuses what validate refuses.",
	New:        func() dag.Stage { return &ValidateRegression{NewSite: NewSite{Harmonize: "none"}} },
	MaxThreads: 8,
	Memory:     256 << 20,
}

var (
	_ role.PortUser  = (*PredictRegression)(nil)
	_ role.DataUser  = (*PredictRegression)(nil)
	_ role.InputUser = (*PredictRegression)(nil)
	_ role.PortUser  = (*ValidateRegression)(nil)
	_ role.DataUser  = (*ValidateRegression)(nil)
	_ role.InputUser = (*ValidateRegression)(nil)
	_ role.Reader    = (*ValidateRegression)(nil)

	_ role.ModelReader = (*PredictRegression)(nil)
	_ role.ModelReader = (*ValidateRegression)(nil)
)

// PredictRegression applies trained models of a number.
type PredictRegression struct{ learn.Predict }

// RefusesModel refuses what Predict does, and models of groups.
func (s *PredictRegression) RefusesModel(file []byte, has func(port string) bool) error {
	return s.Predict.RefusesNumber(file, has)
}

// A predictedNumber is a participant with the number that models predict.
type predictedNumber struct {
	ID        string  `column:"participant_id"`
	Graphs    int32   `column:"graphs" doc:"draws"`
	Models    int32   `column:"models"`
	Trained   int32   `column:"trained" doc:"as in predict"`
	Same      string  `column:"same_data" doc:"as in predict"`
	Predicted float64 `column:"predicted" doc:"in the units of the target, mean over graphs and models"`
}

// A numberOfGraph is what one model predicts from one graph.
type numberOfGraph struct {
	ID        string  `column:"participant_id"`
	Draw      int32   `column:"draw"`
	Model     int32   `column:"model" doc:"from 1, in the order of the models"`
	Predicted float64 `column:"predicted" doc:"in the units of the target"`
}

// Ports are those of predict, with numbers.
func (s *PredictRegression) Ports() dag.Ports {
	ports := s.Predict.Ports()
	ports.Out[0].Type, ports.Out[1].Type = column.Type[predictedNumber](), column.Type[numberOfGraph]()
	ports.Out[0].Doc = "one row per participant: predicted number; trained should be 0 and same_data empty, as in predict"
	return ports
}

// Run applies the models.
func (s *PredictRegression) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	out, err := s.Apply(ctx, t, true)
	if err != nil {
		return nil, err
	}
	people := out["participants"].(*encoding.Table)
	rows, err := column.Rows[predicted](people)
	if err != nil {
		return nil, err
	}
	each, err := column.Rows[struct {
		ID     string  `column:"participant_id"`
		Draw   int32   `column:"draw"`
		Model  int32   `column:"model"`
		Number float64 `column:"probability"`
	}](out["predictions"].(*encoding.Table))
	if err != nil {
		return nil, err
	}
	all, graphs := make([]predictedNumber, len(rows)), make([]numberOfGraph, len(each))
	for i, r := range rows {
		all[i] = predictedNumber{r.ID, r.Graphs, r.Models, r.Trained, r.Same, r.Probability}
	}
	for i, r := range each {
		graphs[i] = numberOfGraph{r.ID, r.Draw, r.Model, r.Number}
	}
	out["participants"] = column.WithMeta(column.Table(all), people.Meta)
	out["predictions"] = column.Table(graphs)
	return out, nil
}

// ValidateRegression validates stored models of a number.
type ValidateRegression struct {
	role.Informed
	Allow    []string `param:"allow" doc:"as in validate"`
	DrawZero bool     `param:"draw_zero" doc:"use draw 0, which is not resampled, beside the random draws; without draws it is used anyway"`
	NewSite
}

func (s *ValidateRegression) predict() *PredictRegression {
	return &PredictRegression{*(&Validate{Informed: s.Informed, Allow: s.Allow, DrawZero: s.DrawZero}).predict()}
}

// UsesPorts are those of predict.
func (s *ValidateRegression) UsesPorts() []role.PortUse { return s.predict().UsesPorts() }

// RefusesInputs requires graphs or matrices.
func (s *ValidateRegression) RefusesInputs(has func(port string) bool) error {
	return cmp.Or(s.predict().RefusesInputs(has), s.refusesInputs(has))
}

// ReadsParticipants is the column that its parameter names.
func (s *ValidateRegression) ReadsParticipants() []role.Reading { return s.readings() }

// RefusesParameters refuses what predict-regression does.
func (s *ValidateRegression) RefusesParameters(files [][]byte, has, may func(name string) bool) []error {
	return append(modelfile.RefusesKinds(files), modelfile.NotMade(files, s.Allow, may, accepts(has)...)...)
}

// RefusesModel is that of predict-regression.
func (s *ValidateRegression) RefusesModel(file []byte, has func(port string) bool) error {
	return s.predict().RefusesModel(file, has)
}

// A validatedNumber is a participant with the number that models predict.
type validatedNumber struct {
	ID        string  `column:"participant_id"`
	Target    float64 `column:"target" doc:"the number of the participant"`
	Predicted float64 `column:"predicted" doc:"mean over graphs and models"`
	Graphs    int32   `column:"graphs" doc:"draws"`
	Models    int32   `column:"models"`
	Trained   int32   `column:"trained" doc:"as in predict"`
	Same      string  `column:"same_data" doc:"as in predict"`
}

// Ports are the stage's inputs and outputs.
func (s *ValidateRegression) Ports() dag.Ports {
	in := described(s.predict().Ports().In, "target", "the participants with their numbers")
	return dag.Ports{In: in, Out: []dag.Port{
		{Name: "participants", Type: column.Type[validatedNumber](), Doc: "one row per participant: number, and predicted number; for models of deconfound's targets, the column residual has what the predictions are compared with"},
		{Name: "predictions", Type: column.Type[numberOfGraph](), Doc: "of every graph and model"},
		{Name: "measures", Type: column.Type[column.ValidationRow](), Doc: "one row per measure: r, r2 (about the mean of the new cohort), r2_training (about that of the training), mae, mean_error (predicted − observed), intercept and slope of the numbers on the predictions"},
		shiftPort,
		{Name: "summary", Type: column.Type[column.ValidationSummaryRow](), Doc: "one row: the models and the cohort"},
	}}
}

// Run validates.
func (s *ValidateRegression) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	predict := s.predict()
	if err := s.into(&predict.Predict, t, column.Target); err != nil {
		return nil, err
	}
	out, err := predict.Run(ctx, t)
	if err != nil {
		return nil, err
	}
	table := out["participants"].(*encoding.Table)
	rows, err := column.Rows[predictedNumber](table)
	if err != nil {
		return nil, err
	}
	applied, err := finding.ReadApplied(table)
	if err != nil {
		return nil, err
	}
	cohort, err := t.In("participants").Table()
	if err != nil {
		return nil, err
	}
	people, err := column.Rows[struct {
		ID     string  `column:"participant_id"`
		Target float64 `column:"target,missing"`
	}](cohort)
	if err != nil {
		return nil, err
	}
	number := map[string]float64{}
	for _, p := range people {
		number[p.ID] = p.Target
	}
	all := make([]validatedNumber, len(rows))
	x, y := make([]float64, len(rows)), make([]float64, len(rows))
	var unknown []string
	for i, r := range rows {
		of, known := number[r.ID]
		if !known || of-of != 0 {
			unknown = append(unknown, r.ID)
		}
		all[i] = validatedNumber{r.ID, of, r.Predicted, r.Graphs, r.Models, r.Trained, r.Same}
		x[i], y[i] = r.Predicted, of
	}
	v := &validation{Validate: &Validate{Allow: s.Allow}, applied: applied}
	errs := errors.Join(v.overlap(), v.compares(cohort, column.Target), refusesLabel(t, applied, column.Target),
		twice(t))
	switch {
	case unknown != nil:
		errs = errors.Join(errs, fmt.Errorf("no number for %s; exclude them", words.Some(unknown, 10)))
	case len(rows) < 4:
		errs = errors.Join(errs, fmt.Errorf("%s, but a validation needs 4 or more", words.Count(len(rows), "participant")))
	case slices.Min(y) == slices.Max(y):
		errs = errors.Join(errs, fmt.Errorf("all participants have the number %v, but a validation needs different numbers", y[0]))
	}
	if errs != nil {
		return nil, errs
	}
	summary := column.ValidationSummaryRow{Threshold: math.NaN(), HeldOutT: math.NaN(), HeldOutP: math.NaN(),
		Calibrated: true, Models: int32(applied.Models),
		Participants: int32(len(rows)), Trained: int32(applied.Trained), TrainingShare: math.NaN(),
		ShiftMedian: math.NaN(), ShiftHigh: math.NaN()}
	if of := applied.Shift; of != nil {
		summary.ShiftInputs, summary.ShiftMedian, summary.ShiftHigh = int32(of.Inputs), of.Median, of.High
	}
	files, of, err := studies(t)
	if err != nil {
		return nil, err
	}
	ids := lists.Map(all, func(r validatedNumber) string { return r.ID })
	residual, err := residuals(t, files, ids, number)
	if err != nil {
		return nil, err
	}
	columns := column.Columns(all)
	if residual != nil {
		y = residual
		columns = append(columns, encoding.Column{Name: "residual", Values: residual,
			Doc: "target without the effects of the covariates that were removed in training, plus the mean in training: what the models predict"})
	}
	measures := measureNumbers(x, y, applied.Mean)
	besideTraining(measures, of, "", nil)
	shifted, err := shift(t, ids, of)
	if err != nil {
		return nil, err
	}
	v.applied.Related = related(cohort, ids)
	if err := notCompared(t, ids, of, &v.applied); err != nil {
		return nil, err
	}
	found := finding.Written(append(v.applied.Findings(), finding.Validation(summary, measures, shifted)...))
	meta := v.applied.Meta()
	if found != "" {
		meta[finding.Meta] = found
	}
	return dag.Outputs{
		"participants": column.WithMeta(encoding.NewTable(columns...), meta),
		"predictions":  out["predictions"],
		"measures":     column.Table(measures),
		"shift":        column.Table(shifted),
		"summary":      column.Table([]column.ValidationSummaryRow{summary}),
	}, nil
}

// measureNumbers compares predictions x with numbers y; trained is the mean of the number in training. Of constant
// predictions, there is neither r nor slope.
func measureNumbers(x, y []float64, trained float64) (all []column.ValidationRow) {
	n, none := len(x), math.NaN()
	add := func(name string, value, low, high float64) {
		all = append(all, column.ValidationRow{Measure: name, Value: value, Low: low, High: high, N: int32(n)})
	}
	e := inference.CompareNumbers(x, y, trained)
	add("r", e.R, e.RLow, e.RHigh)
	add("r2", e.R2, none, none)
	add("r2_training", e.R2Training, none, none)
	add("mae", e.MAE, e.MAELow, e.MAEHigh)
	add("mean_error", e.Error, e.ErrorLow, e.ErrorHigh)
	add("intercept", e.Intercept, e.Intercept-e.InterceptHalf, e.Intercept+e.InterceptHalf)
	add("slope", e.Slope, e.Slope-e.SlopeHalf, e.Slope+e.SlopeHalf)
	return all
}
