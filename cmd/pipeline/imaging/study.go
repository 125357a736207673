package imaging

import (
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/export"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/present/methods"
)

// A trainingStudy is what the files of a setting state of the study of their training.
type trainingStudy struct {
	people  *encoding.Table
	ids     []string
	scans   modelfile.Scans
	heldOut map[string]*tally // of each participant
	study   modelfile.Study
}

// A tally is the sum of the held-out probabilities of a participant.
type tally struct {
	group string
	sum   map[string]float64
	n     int
}

// studyOf reads it from the results of a run.
func studyOf(s *export.Setting, c *methods.Card) (*trainingStudy, error) {
	t := &trainingStudy{scans: modelfile.Scans{}, heldOut: map[string]*tally{}}
	if r := s.Pipeline.Roster; r != nil && r.Participants != nil {
		t.people = r.Participants
		var err error
		if t.ids, err = t.people.Strings("participant_id"); err != nil {
			return nil, err
		}
	}
	t.study.Positive, t.study.Performance = performance(c)
	if err := t.readScans(s); err != nil {
		return nil, err
	}
	if err := t.readCautions(s, c); err != nil {
		return nil, err
	}
	return t, t.readHeldOut(s)
}

// readCautions reads the findings of the report that overturn what the models of a setting show. Neither files nor card
// have ids of participants.
func (t *trainingStudy) readCautions(s *export.Setting, c *methods.Card) error {
	for _, table := range s.Judged {
		c.Judged = true
		rows, err := column.Rows[struct {
			Code    string `column:"code"`
			Weight  string `column:"weight"`
			Subject string `column:"subject"`
			Numbers string `column:"numbers"`
			Text    string `column:"text"`
		}](table)
		if err != nil {
			return err
		}
		for _, r := range rows {
			f, err := finding.Parse(r.Code, r.Weight, r.Subject, r.Numbers)
			if err != nil {
				return err
			}
			is, questions := f.OverturnsModels(s.Is, s.Behind)
			c.Questioned = c.Questioned || questions
			if questions && !slices.Contains(t.study.Questioned, r.Code) {
				t.study.Questioned = append(t.study.Questioned, r.Code)
			}
			one := methods.CardCaution{Code: r.Code, Text: r.Text}
			if slices.ContainsFunc(t.ids, func(id string) bool { return strings.Contains(r.Text, id) }) {
				one.Text = ""
			}
			if is && !slices.Contains(c.Cautions, one) {
				c.Cautions = append(c.Cautions, one)
			}
		}
	}
	return nil
}

// performance is that of the only row of an evaluation.
func performance(c *methods.Card) (positive string, all []modelfile.Measured) {
	add := func(name string, value, low, high float64) {
		if value-value != 0 {
			return
		}
		m := modelfile.Measured{Measure: name, Value: value}
		if low-low == 0 && high-high == 0 {
			m.Low, m.High = &low, &high
		}
		all = append(all, m)
	}
	switch {
	case len(c.Accuracy) == 1:
		r := c.Accuracy[0]
		positive = r.Positive
		add("accuracy", r.Accuracy, r.Low, r.High)
		add("balanced_accuracy", r.Balanced, r.BalancedLow, r.BalancedHigh)
		add("auc", r.AUC, r.AUCLow, r.AUCHigh)
		add("sensitivity", r.Sensitivity, r.SensLow, r.SensHigh)
		add("specificity", r.Specificity, r.SpecLow, r.SpecHigh)
		add("brier", r.Brier, r.BrierLow, r.BrierHigh)
	case len(c.Regression) == 1 && (c.Removed == nil || c.Scored):
		r := c.Regression[0]
		add("r", r.R, r.RLow, r.RHigh)
		add("r2", r.R2, r.R2Low, r.R2High)
		add("r2_training", r.R2Trained, math.NaN(), math.NaN())
		add("mae", r.MAE, r.MAELow, r.MAEHigh)
	}
	return positive, all
}

// readScans reads motion, repetition time and volumes of each participant, of what cleaned the series of the setting.
func (t *trainingStudy) readScans(s *export.Setting) error {
	for _, kind := range []string{"join", "denoise"} {
		tasks := s.MadeBy(kind)
		there, _ := s.Shown(tasks)
		for _, n := range there {
			ports := n.Instance().Ports().Out
			at := slices.IndexFunc(ports, portNamed("quality"))
			got, err := s.Read(n, ports[at])
			if err != nil {
				return err
			}
			t.scans.Add(column.ValueOn(n.Coords(), "subject"), got.Table)
		}
		if tasks != nil {
			return nil
		}
	}
	return nil
}

// readHeldOut reads the held-out predictions of a classifier's setting.
func (t *trainingStudy) readHeldOut(s *export.Setting) error {
	for _, m := range s.Models {
		ports := m.Of.Instance().Ports().Out
		at := slices.IndexFunc(ports, portNamed("predictions"))
		if at < 0 {
			continue
		}
		got, err := s.Read(m.Of, ports[at])
		if err != nil {
			return err
		}
		rows, err := column.Rows[fold.PredictionRow](got.Table)
		if err != nil {
			return nil // of a number
		}
		for i, r := range rows {
			if r.Set != "test" {
				continue
			}
			if t.heldOut[r.ID] == nil {
				t.heldOut[r.ID] = &tally{group: r.Group, sum: map[string]float64{}}
			}
			of := t.heldOut[r.ID]
			of.n++
			for _, c := range got.Table.Columns {
				if v, is := c.Values.([]float64); is && len(c.Name) > 2 && c.Name[:2] == "p_" {
					of.sum[c.Name[2:]] += v[i]
				}
			}
		}
	}
	return nil
}

// of is the study as the file of one model states it: of its own training participants.
func (t *trainingStudy) of(f *modelfile.Facts) (modelfile.Study, error) {
	study := t.study
	if t.people == nil {
		return study, nil
	}
	ids, _ := f.Training.Among(t.ids)
	values, err := modelfile.ValuesOf(ids, t.people, t.scans)
	if err != nil {
		return study, err
	}
	study.Cohort = modelfile.Describe(values)
	if len(f.Groups) != 2 {
		return study, nil
	}
	var all []modelfile.Heldout
	for _, id := range ids {
		if of := t.heldOut[id]; of != nil {
			all = append(all, modelfile.Heldout{Probability: of.sum[f.Groups[1]] / float64(of.n),
				Second: of.group == f.Groups[1]})
		}
	}
	study.Recalibration = modelfile.Recalibrated(all)
	return study, nil
}

func portNamed(name string) func(dag.Port) bool {
	return func(p dag.Port) bool { return p.Name == name }
}
