package external

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
)

// studies are what the model files state, and what they state of the studies of their training; nil where one states
// nothing of these.
func studies(t *dag.Task) (files []*modelfile.Facts, all []*modelfile.Study, err error) {
	for _, in := range t.All("model") {
		b, err := in.Bytes()
		if err != nil {
			return nil, nil, err
		}
		f, err := modelfile.ReadFacts(b)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		files, all = append(files, f), append(all, f.Study)
	}
	if slices.Contains(all, nil) {
		all = nil
	}
	return files, all, nil
}

// residuals are the numbers of participants without the effects of covariates that were removed in training, by the
// fits in the model files: each residual plus the mean in training, as the mean over the models. Nil for models of the
// number itself.
func residuals(t *dag.Task, files []*modelfile.Facts, ids []string, number map[string]float64) ([]float64, error) {
	if files[0].Residual == nil {
		return nil, nil
	}
	in := t.In("participants")
	all := make([]float64, len(ids))
	var refused []string
	for m, f := range files {
		removed := strings.Join(f.Residual.Covariates, ", ")
		if f.Residual.Removal == nil {
			return nil, fmt.Errorf("%s: it predicts the residual of a number after the effects of %s were removed, and has no coefficients to remove them from the numbers of other participants; train and export it again with this version, or apply it by the kind predict-regression",
				t.All("model")[m].Name, removed)
		}
		covariates, err := modelfile.ReadCovariates(t, &f.Residual.Removal.Design, ids)
		if err != nil {
			return nil, fmt.Errorf("%s: the models predict a number without the effects of %s, which are removed from the numbers of the new participants, too: %w; add the column in the units of the training, or validate models of the number itself (kind regression without targets)",
				in.Name, removed, err)
		}
		for i, id := range ids {
			explained, z := 0.0, []float64(nil)
			if z, err = covariates.Row(id); err == nil {
				explained, err = f.Residual.Removal.Explained(z)
			}
			if err != nil {
				if text := fmt.Sprintf("%s (%v)", id, err); !slices.Contains(refused, text) {
					refused = append(refused, text)
				}
				continue
			}
			all[i] += (number[id] - explained + f.Residual.Mean) / float64(len(files))
		}
	}
	if refused != nil {
		return nil, modelfile.RefuseLacking(in, "number", files[0].Residual.Covariates, refused)
	}
	return all, nil
}

// besideTraining adds the cross-validated measures, the same in all files of a study, to those of a new cohort with the
// groups of the training; without one of them, chance is another.
func besideTraining(measures []column.ValidationRow, of []*modelfile.Study, positive string, absent []string) {
	for i := range measures {
		m := &measures[i]
		m.Training, m.TrainingLow, m.TrainingHigh = math.NaN(), math.NaN(), math.NaN()
		if of == nil || of[0].Positive != positive || absent != nil {
			continue
		}
		at := slices.IndexFunc(of[0].Performance, func(p modelfile.Measured) bool { return p.Measure == m.Measure })
		if at < 0 {
			continue
		}
		one := of[0].Performance[at]
		if slices.ContainsFunc(of, func(s *modelfile.Study) bool {
			return !slices.ContainsFunc(s.Performance, func(p modelfile.Measured) bool {
				return p.Measure == one.Measure && p.Value == one.Value
			})
		}) {
			continue // of several studies
		}
		if m.Training = one.Value; one.Low != nil && one.High != nil {
			m.TrainingLow, m.TrainingHigh = *one.Low, *one.High
		}
	}
}

// valuesOf are the variables of some participants that model files describe.
func valuesOf(t *dag.Task, ids []string) ([]modelfile.Values, error) {
	people, err := t.In("participants").Table()
	if err != nil {
		return nil, err
	}
	scans := modelfile.Scans{}
	for _, in := range t.All("cleaning") {
		q, err := in.Table()
		if err != nil {
			return nil, err
		}
		scans.Add(in.Coord("subject"), q)
	}
	for _, in := range t.All("quality") {
		q, err := in.Table()
		if err != nil {
			return nil, err
		}
		scans.AddVolumes(in.Coord("subject"), q)
	}
	return modelfile.ValuesOf(ids, people, scans)
}

// alone is how variables distinguish two groups without a model: numbers, and two categories.
func (v *validation) alone(t *dag.Task) (all []finding.Alone, err error) {
	if v.positive < 0 {
		return nil, nil
	}
	var ids [2][]string // of the other group, of the positive one
	for i, r := range v.rows {
		side := 0
		if v.label[i] == v.positive {
			side = 1
		}
		ids[side] = append(ids[side], r.ID)
	}
	others, err := valuesOf(t, ids[0])
	if err != nil {
		return nil, err
	}
	positives, err := valuesOf(t, ids[1])
	if err != nil {
		return nil, err
	}
	for i, p := range positives { // the same variables, in the same order
		above, below := p.Numbers, others[i].Numbers
		names := slices.Concat(p.Categories, others[i].Categories)
		slices.Sort(names)
		if names = slices.Compact(names); len(names) == 2 {
			code := func(of []string) []float64 {
				return lists.Map(of, func(c string) float64 { return float64(slices.Index(names, c)) })
			}
			above, below = code(p.Categories), code(others[i].Categories)
		}
		both := slices.Concat(above, below)
		if len(above) > 1 && len(below) > 1 && slices.Min(both) < slices.Max(both) {
			all = append(all, finding.AloneOf(p.Name, above, below))
		}
	}
	return all, nil
}

// notCompared adds what of the participants and scans could not be compared with the training.
func notCompared(t *dag.Task, ids []string, of []*modelfile.Study, a *finding.Applied) error {
	var trained []modelfile.Variable
	if of != nil {
		trained = of[0].Cohort
	}
	values, err := valuesOf(t, ids)
	if err == nil {
		a.NewLacks, a.TrainingLacks = modelfile.NotCompared(trained, values)
	}
	return err
}

// shift compares the participants with those of the training: the mean over the models, which share most of these.
func shift(t *dag.Task, ids []string, of []*modelfile.Study) (rows []column.ValidationShiftRow, err error) {
	if of == nil {
		return nil, nil
	}
	values, err := valuesOf(t, ids)
	if err != nil {
		return nil, err
	}
	for _, first := range of[0].Cohort {
		var trained []modelfile.Variable
		for _, s := range of {
			for _, v := range s.Cohort {
				if v.Name == first.Name {
					trained = append(trained, v)
				}
			}
		}
		at := modelfile.Find(values, first.Name)
		if len(trained) != len(of) || at < 0 || len(values[at].Numbers)+len(values[at].Categories) == 0 {
			continue
		}
		if first.Shares == nil {
			rows = append(rows, shiftOfNumber(trained, values[at].Numbers))
		} else {
			rows = append(rows, shiftOfShares(trained, values[at].Categories)...)
		}
	}
	return rows, nil
}

func shiftOfNumber(trained []modelfile.Variable, x []float64) column.ValidationShiftRow {
	r := column.ValidationShiftRow{Name: trained[0].Name, Low: trained[0].Low, High: trained[0].High,
		N: int32(len(x))}
	each := 1 / float64(len(trained))
	variance := 0.0
	for _, v := range trained {
		r.Training += float64(each * v.Mean)
		variance += float64(each * float64(v.SD*v.SD))
		r.Low, r.High = min(r.Low, v.Low), max(r.High, v.High)
	}
	for _, v := range x {
		if v < r.Low || v > r.High {
			r.Outside += 1 / float64(len(x))
		}
	}
	r.New, r.NewSD = exact.MeanSD(x)
	r.TrainingSD = math.Sqrt(variance)
	r.Difference = standardized(r.New-r.Training, variance, float64(r.NewSD*r.NewSD),
		math.Abs(r.New)+math.Abs(r.Training))
	return r
}

// standardized is a difference of means over the root of the mean variance. NaN where both variances are 0, or as small
// as rounding makes those of equal values of this scale: a repetition time that all scans of a study have.
func standardized(difference, training, own, scale float64) float64 {
	sd := math.Sqrt((training + own) / 2)
	if sd <= 1e-12*scale {
		return math.NaN()
	}
	return difference / sd
}

func shiftOfShares(trained []modelfile.Variable, of []string) (rows []column.ValidationShiftRow) {
	none := math.NaN()
	names := slices.Clone(of)
	for _, v := range trained {
		for c := range v.Shares {
			names = append(names, c)
		}
	}
	slices.Sort(names)
	for _, c := range slices.Compact(names) {
		r := column.ValidationShiftRow{Name: trained[0].Name, Category: c, TrainingSD: none, NewSD: none, Low: none,
			High: none, Outside: none, N: int32(len(of))}
		for _, v := range trained {
			r.Training += v.Shares[c]
		}
		for _, own := range of {
			if own == c {
				r.New++
			}
		}
		r.Training /= float64(len(trained)) // of a category that everybody has, exactly 1
		r.New /= float64(len(of))
		r.Difference = standardized(r.New-r.Training, float64(r.Training*(1-r.Training)), float64(r.New*(1-r.New)), 1)
		rows = append(rows, r)
	}
	return rows
}

// recalibrated are the probabilities of the second group by the recalibrations of the files, participant by participant
// in the order of ids: each model's mean over the draws, recalibrated, and the mean over the models. Nil without.
func recalibrated(ids []string, predictions []fold.Case, model []int32, of []*modelfile.Study) []float64 {
	if of == nil || slices.ContainsFunc(of, func(s *modelfile.Study) bool { return s.Recalibration == nil }) {
		return nil
	}
	type key struct {
		id    string
		model int32
	}
	sum, n := map[key]float64{}, map[key]float64{}
	for i, p := range predictions {
		k := key{p.Id, model[i]}
		sum[k] += p.Probability[1]
		n[k]++
	}
	return lists.Map(ids, func(id string) (p float64) {
		for m := range of {
			k := key{id, int32(m + 1)}
			p += of[m].Recalibration.Apply(sum[k]/n[k]) / float64(len(of))
		}
		return p
	})
}
