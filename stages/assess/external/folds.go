package external

import (
	"errors"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

// Fewer models do not show which one is apart, and fewer participants have no reliable t.
const fewestModels, fewestCompared = 3, 10

// twoGroups are the predictions of models of two groups, and of which model each is.
func (v *validation) twoGroups(predictions *encoding.Table) (cases []fold.Case, model []int32, err error) {
	ids, err1 := predictions.Strings("participant_id")
	numbers, err2 := predictions.Ints("model")
	first, err3 := predictions.Floats("p_" + v.groups[0])
	second, err4 := predictions.Floats("p_" + v.groups[1])
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, nil, err
	}
	for i, id := range ids {
		cases = append(cases, fold.Case{Id: id, Probability: []float64{first[i], second[i]}})
	}
	return cases, lists.Map(numbers, func(m int64) int32 { return int32(m) }), nil
}

// trained is a test of whether the models of the folds of one training classify the participants as those of that
// training: each of them was in the test fold of one model or a few, which are less certain of the correct group than
// the others. It is NaN of models of several settings, which differ in their certainty anyway. It needs nothing of the
// training participants, whose data may have been processed again. With ridge regression in 458 cohorts of ABIDE, t of
// new participants has an SD of 1.0 to 1.3, and that of the training participants is 3.8 or more without their first 20
// volumes, and 0.9 to 16 after global signal regression.
func (v *validation) trained(predictions *encoding.Table) (t, p float64, err error) {
	if v.positive < 0 || v.applied.Models < fewestModels || len(v.applied.Differing) > 0 {
		return math.NaN(), math.NaN(), nil
	}
	cases, model, err := v.twoGroups(predictions)
	if err != nil {
		return t, p, err
	}
	type key struct {
		id    string
		model int32
	}
	sum, n := map[key]float64{}, map[key]float64{}
	for i, c := range cases {
		k := key{c.Id, model[i]}
		p := max(min(c.Probability[1], 1-1e-15), 1e-15)
		sum[k] += exact.Log(p) - exact.Log(1-p)
		n[k]++
	}
	var logits [][]float64
	var sign []float64
	for i, r := range v.rows {
		logits = append(logits, make([]float64, v.applied.Models))
		for m := range logits[i] {
			k := key{r.ID, int32(m + 1)}
			logits[i][m] = sum[k] / n[k]
		}
		sign = append(sign, float64(2*v.label[i]-1))
	}
	if t, p = heldOut(logits, sign); t > 0 {
		return t, p / 2, nil
	}
	return t, 1 - float64(p/2), nil // or NaN
}

// heldOut is Student's t, and its two-sided p, of how much further the least of the values of a participant, one of
// each model times the sign of the participant, lies below their median than the largest lies above it. Models have the
// same mean.
func heldOut(values [][]float64, sign []float64) (t, p float64) {
	if len(values) < fewestCompared {
		return math.NaN(), math.NaN()
	}
	means := make([]float64, len(values[0]))
	for m := range means {
		means[m] = exact.Mean(lists.Map(values, func(own []float64) float64 { return own[m] }))
	}
	apart := make([]float64, len(values))
	for i, own := range values {
		of := make([]float64, len(own))
		for m, x := range own {
			of[m] = float64(sign[i] * (x - means[m]))
		}
		apart[i] = 2*inference.Median(of) - slices.Min(of) - slices.Max(of)
	}
	mean, sd := column.MeanSD(apart)
	t = mean / sd * math.Sqrt(float64(len(apart)))
	return t, inference.StudentP(t, len(apart)-1)
}
