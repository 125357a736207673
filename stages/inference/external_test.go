package inference

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
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
	auc, se := DeLong([]float64{1, 2}, []float64{-1, 0})
	low, high := LogitInterval(auc, se, 2, 2)
	if auc != 1 || se != 0 || !(low > 0 && low < 1 && high == 1) {
		t.Errorf("AUC %v, SE %v, interval %v to %v", auc, se, low, high)
	}
	for _, v := range isotonic([]float64{1, 1, 2}, []float64{1, 0, 0}) {
		need.Equal(t, v, 1.0/3)
	}
}
