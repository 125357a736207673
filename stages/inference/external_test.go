package inference

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

// The measures are those of statsmodels, scikit-learn and confidenceinterval (oracle.py beside the data).
func TestExternalMeasures(t *testing.T) {
	dir := need.Shared(t, "fixtures", "questions", "external")
	read := func(name string) []float64 {
		f := need.Value(os.Open(filepath.Join(dir, name)))(t)
		defer f.Close()
		return need.Value(encoding.ReadArray(f))(t).Float64s()
	}
	var manifest struct{ Values map[string]json.RawMessage }
	need.NoError(t, json.Unmarshal(need.Value(os.ReadFile(filepath.Join(dir, "manifest.json")))(t), &manifest))
	equal := func(name string, got ...float64) {
		var want []float64
		need.NoError(t, json.Unmarshal(manifest.Values[name], &want), name)
		for i, v := range got {
			if math.Abs(v-want[i]) > 1e-9*math.Abs(want[i]) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	}
	lp, y := read("score_new.npy"), read("y_new.npy")
	outcome, p := make([]bool, len(y)), make([]float64, len(y))
	var positive, negative []float64
	for i := range y {
		outcome[i], p[i] = y[i] == 1, expit(lp[i])
		if outcome[i] {
			positive = append(positive, lp[i])
		} else {
			negative = append(negative, lp[i])
		}
	}
	r := Recalibrate(lp, outcome)
	equal("Cox: intercept, slope, SE", r.Intercept, r.Slope, r.InterceptSE, r.SlopeSE)
	equal("calibration in the large: log odds, SE; mean observed - mean predicted", r.Large, r.LargeSE)
	equal("likelihood ratio test of intercept 0 and slope 1: chi2, p", r.ChiSquare, r.P)
	auc, se := DeLong(positive, negative)
	low, high := LogitInterval(auc, se, len(positive), len(negative))
	equal("AUC, SE, DeLong interval, logit interval", auc, se, auc-normal975*se, auc+normal975*se, low, high)
	b := ScoreBrier(p, outcome)
	equal("Brier; scaled 1 - B/B0 with B0 of the training prevalence, of the new cohort's", b.Score)
	equal("CORP decomposition (Dimitriadis 2021): miscalibration, discrimination, uncertainty", b.Miscalibration,
		b.Discrimination, b.Uncertainty)
	bin := read("bin.npy")
	for k, of := range BinProbabilities(p, outcome, 10) {
		n, mean, share := 0.0, 0.0, 0.0
		for i := range bin {
			if bin[i] == float64(k) {
				n, mean, share = n+1, mean+p[i], share+y[i]
			}
		}
		if float64(of.N) != n || math.Abs(of.Mean-mean/n) > 1e-12 || math.Abs(of.Share-share/n) > 1e-12 {
			t.Errorf("bin %d: %+v, want %v, %v, %v", k, of, n, mean/n, share/n)
		}
	}
}

// Scores that separate the outcomes have no slope, and an AUC of 1 an interval all the same.
func TestExternalSeparated(t *testing.T) {
	r := Recalibrate([]float64{-2, -1, 1, 2000}, []bool{false, false, true, true})
	if !r.Separated || !math.IsNaN(r.Slope) || !math.IsNaN(r.P) || math.IsNaN(r.Large) {
		t.Errorf("%+v", r)
	}
	// Log odds that are the same for all have no slope either, and separate nothing.
	r = Recalibrate([]float64{0.5, 0.5 + 1e-15, 0.5, 0.5}, []bool{false, true, false, true})
	if r.Separated || !math.IsNaN(r.Slope) || !math.IsNaN(r.P) || math.Abs(r.Large+0.5) > 1e-12 {
		t.Errorf("%+v", r)
	}
	for n := 2; n < 60; n++ { // 1/n, n times, is not always 1
		above, below := make([]float64, n), make([]float64, n)
		for i := range above {
			above[i], below[i] = float64(i+1), -float64(i)
		}
		auc, se := DeLong(above, below)
		low, high := LogitInterval(auc, se, n, n)
		if auc != 1 || se != 0 || !(low > 0 && low < 1 && high == 1) {
			t.Errorf("%d of each: AUC %v, SE %v, interval %v to %v", n, auc, se, low, high)
		}
	}
	// One pair of 900 in the wrong order: a standard error of 0.001 does not hold its level.
	low, high := LogitInterval(899./900, 0.0011, 30, 30)
	wantLow, wantHigh := newcombe(899./900, 30, 30)
	near(t, "AUC near 1", low, high, wantLow, wantHigh, 1e-15)
	for _, v := range isotonic([]float64{1, 1, 2}, []float64{1, 0, 0}) {
		need.Equal(t, v, 1.0/3)
	}
}

// The comparison of numbers is that of scipy 1.16: pearsonr with its interval, t intervals of means, linregress.
func TestCompareNumbers(t *testing.T) {
	x := []float64{21.5, 30.25, 18, 44.5, 39, 25.75, 33.5, 28}
	y := []float64{20, 35, 22, 41, 45, 19, 30, 27}
	c := CompareNumbers(x, y, 32)
	want := NumberComparison{R: 0.8822876252196548, RLow: 0.46953756739704827, RHigh: 0.978563771304382,
		R2: 0.7775897725136304, R2Training: 0.7890513552068473,
		MAE: 3.875, MAELow: 2.210439365824727, MAEHigh: 5.539560634175273,
		Error: 0.1875, ErrorLow: -3.6513585456838373, ErrorHigh: 4.026358545683838,
		Slope: 0.9773343330065171, SlopeHalf: 0.5208704514373269,
		Intercept: 0.49388661399158096, InterceptHalf: 16.23482572278511}
	got, of := reflect.ValueOf(c), reflect.ValueOf(want)
	for i := range got.NumField() {
		if a, b := got.Field(i).Float(), of.Field(i).Float(); math.Abs(a-b) > 1e-9*math.Abs(b) {
			t.Errorf("%s is %v, want %v", got.Type().Field(i).Name, a, b)
		}
	}
	flat := CompareNumbers([]float64{3, 3, 3, 3}, []float64{1, 2, 3, 5}, 2)
	if !math.IsNaN(flat.R) || !math.IsNaN(flat.Slope) || flat.MAE != 1.25 || flat.Error != 0.25 {
		t.Errorf("of constant predictions %+v", flat)
	}
}
