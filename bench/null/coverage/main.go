// Command coverage simulates cohorts whose expected measures are known, and prints how often the 95% confidence
// intervals of evaluate and evaluate-regression hold them (docs/statistics.md):
//
//	go run ./bench/null/coverage -cohorts 400
//	go run ./bench/null/coverage -cohorts 400 -confounds
//	go run ./bench/null/coverage -cohorts 4000 -independent
//
// In the worst of 84 settings they cover 0.93, except R² and MAE of 40 participants (0.92 and 0.91).
//
// A cohort has 60 normal inputs, 12 of which carry an effect, and one graph a participant. The expected measure is the
// mean over the cohorts: of models that are trained on four fifths of as many participants.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"

	"prgnn/gnn/baseline"
	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

const inputs, carriers, folds = 60, 12, 5

var models = []struct {
	name  string
	train func(x baseline.Rows, label []int) (baseline.Classifier, error)
}{
	{"ridge", func(x baseline.Rows, l []int) (baseline.Classifier, error) { return baseline.FitRidge(x, l, 2, 30, 1) }},
	{"ridge, penalty 0.1", func(x baseline.Rows, l []int) (baseline.Classifier, error) {
		return baseline.FitRidge(x, l, 2, 0.1, 1)
	}},
	{"logistic", func(x baseline.Rows, l []int) (baseline.Classifier, error) {
		return baseline.FitLogistic(context.Background(), x, l, 2, 1, 1)
	}},
	{"linear SVM", func(x baseline.Rows, l []int) (baseline.Classifier, error) {
		return baseline.FitSVM(context.Background(), baseline.SVM{Kernel: "linear", C: 1, Tolerance: 1e-3}, x, l, 2, 1)
	}},
	{"SVM", func(x baseline.Rows, l []int) (baseline.Classifier, error) {
		return baseline.FitSVM(context.Background(), baseline.SVM{Kernel: "rbf", C: 1, Tolerance: 1e-3}, x, l, 2, 1)
	}},
}

func main() {
	cohorts := flag.Int("cohorts", 400, "number of cohorts in each row")
	retrained := flag.Bool("confounds", false, "the intervals of confounds instead")
	fixed := flag.Bool("independent", false, "the interval of the AUC of validate instead")
	flag.Parse()
	switch {
	case *retrained:
		confounds(*cohorts, runtime.NumCPU())
		return
	case *fixed:
		independent(*cohorts)
		return
	}
	fmt.Println("coverage (mean width) of 95% intervals")
	for _, n := range []int{40, 118} {
		for _, share := range []float64{0.5, 0.64} {
			for _, effect := range []float64{0, 0.35, 0.9} {
				for _, m := range models {
					classes(n, share, effect, *cohorts, m.name, m.train)
				}
			}
		}
		for _, effect := range []float64{0, 0.5, 1.2} {
			for _, penalty := range []float64{30, 0.1} {
				numbers(n, effect, penalty, *cohorts)
			}
		}
	}
}

// A measure of one cohort with its interval.
type measure struct{ value, low, high float64 }

// coverage is how many of the cohorts have the mean of a measure in its interval, and how wide that is.
func coverage(of []measure) string {
	mean, width, held := 0.0, 0.0, 0
	for _, m := range of {
		mean += m.value / float64(len(of))
		width += (m.high - m.low) / float64(len(of))
	}
	for _, m := range of {
		if m.low <= mean+1e-9 && mean-1e-9 <= m.high {
			held++
		}
	}
	return fmt.Sprintf("%.2f: %.3f (%.2f)", mean, float64(held)/float64(len(of)), width)
}

func need(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// divide spreads the participants of each group, in random order, over the folds.
func divide(group []int, r *random.Stream) []int {
	of := make([]int, len(group))
	for g := range 2 {
		var at []int
		for i, l := range group {
			if l == g {
				at = append(at, i)
			}
		}
		r.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
		first := r.IntN(folds)
		for k, i := range at {
			of[i] = (first + k) % folds
		}
	}
	return of
}

func gather(x [][]float64, keep func(i int) bool) (rows baseline.Rows, at []int) {
	rows.D = inputs
	for i, row := range x {
		if keep(i) {
			rows.N++
			rows.X, at = append(rows.X, row...), append(at, i)
		}
	}
	return rows, at
}

func classes(n int, share, effect float64, cohorts int, name string,
	train func(baseline.Rows, []int) (baseline.Classifier, error)) {
	var accuracy, balanced, area, sensitivity, specificity, brier []measure
	for c := range cohorts {
		r := random.New(1, "coverage", name, fmt.Sprint(n, share, effect, c))
		label, x := make([]int, n), make([][]float64, n)
		for i := range n {
			if i >= int(math.Round(share*float64(n))) {
				label[i] = 1
			}
			for k := range inputs {
				v := r.Normal()
				if k < carriers {
					v += effect * (0.5 - float64(label[i]))
				}
				x[i] = append(x[i], v)
			}
		}
		of := divide(label, r)
		var tested []fold.Tested
		for f := range folds {
			rows, at := gather(x, func(i int) bool { return of[i] != f })
			l := lists.At(label, at)
			model, err := train(rows, l)
			need(err)
			rows, at = gather(x, func(i int) bool { return of[i] == f })
			p := model.Probability(rows, 1)
			t := fold.Tested{Repeat: 1, Fold: int64(f + 1)}
			for k, i := range at {
				one := fold.Case{Id: fmt.Sprint(i), Label: label[i], Probability: p[2*k:][:2]}
				if one.Probability[1] > one.Probability[0] {
					one.Predicted = 1
				}
				t.Graphs = append(t.Graphs, one)
			}
			t.Participants = t.Graphs
			tested = append(tested, t)
		}
		var each [4][]float64
		for _, f := range tested {
			s := fold.Score(f.Participants, 0)
			for k, v := range []float64{s.Balanced, s.Auc, s.Sensitivity, s.Specificity} {
				each[k] = append(each[k], v)
			}
		}
		row := column.AccuracyRow{Level: "participant", Accuracy: fold.Accuracy(tested, "participant")}
		for k, to := range []*float64{&row.Balanced, &row.AUC, &row.Sensitivity, &row.Specificity} {
			*to, _ = column.MeanSD(each[k])
		}
		fold.Intervals(&row, tested, 2, 0)
		accuracy = append(accuracy, measure{row.Accuracy, row.Low, row.High})
		balanced = append(balanced, measure{row.Balanced, row.BalancedLow, row.BalancedHigh})
		area = append(area, measure{row.AUC, row.AUCLow, row.AUCHigh})
		sensitivity = append(sensitivity, measure{row.Sensitivity, row.SensLow, row.SensHigh})
		specificity = append(specificity, measure{row.Specificity, row.SpecLow, row.SpecHigh})
		brier = append(brier, measure{row.Brier, row.BrierLow, row.BrierHigh})
	}
	fmt.Printf("n %d, share %.2f, effect %.2f, %s: accuracy %s  balanced %s  AUC %s  sens. %s  spec. %s  Brier %s\n", n,
		share, effect, name, coverage(accuracy), coverage(balanced), coverage(area), coverage(sensitivity),
		coverage(specificity), coverage(brier))
}

func numbers(n int, effect, penalty float64, cohorts int) {
	var r, r2, mae []measure
	for c := range cohorts {
		s := random.New(1, "coverage", "numbers", fmt.Sprint(n, effect, penalty, c))
		y, x := make([]float64, n), make([][]float64, n)
		for i := range n {
			y[i] = s.Normal()
			for k := range inputs {
				v := s.Normal()
				if k < carriers {
					y[i] += effect / math.Sqrt(carriers) * 1.5 * v
				}
				x[i] = append(x[i], v)
			}
		}
		order := lists.UpTo(n)
		slices.SortFunc(order, func(i, j int) int {
			if y[i] < y[j] {
				return -1
			}
			return 1
		})
		of := make([]int, n)
		for i := 0; i < n; i += folds {
			next := []int{0, 1, 2, 3, 4}
			s.Shuffle(folds, func(i, j int) { next[i], next[j] = next[j], next[i] })
			for k, at := range order[i:min(i+folds, n)] {
				of[at] = next[k]
			}
		}
		var tested []inference.NumberFold
		var v inference.Validation
		for f := range folds {
			rows, at := gather(x, func(i int) bool { return of[i] != f })
			target := lists.At(y, at)
			model, err := baseline.RidgeTo(rows, target, penalty, 1)
			need(err)
			rows, at = gather(x, func(i int) bool { return of[i] == f })
			t := inference.NumberFold{Predicted: model.Decide(rows, 1)}
			for _, i := range at {
				t.Target, t.Person = append(t.Target, y[i]), append(t.Person, i)
			}
			tested = append(tested, t)
			v.Test, v.Train = append(v.Test, float64(len(at))), append(v.Train, float64(n-len(at)))
		}
		test := inference.TestNumbers(tested, v)
		r = append(r, measure{test.R, test.Low.R, test.High.R})
		r2 = append(r2, measure{test.R2, test.Low.R2, test.High.R2})
		mae = append(mae, measure{test.MAE, test.Low.MAE, test.High.MAE})
	}
	fmt.Printf("n %d, effect %.2f, ridge, penalty %v: r %s  R² %s  MAE %s\n", n, effect, penalty, coverage(r),
		coverage(r2), coverage(mae))
}
