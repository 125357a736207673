// Subgroups simulates groups of tested participants whose true measures are known: how often the intervals of the kind
// subgroups contain them, and how often its p is at most 0.05 where the groups do not differ.
//
//	go run ./bench/null/subgroups [-apart] [STUDIES]
//
// With -apart, three groups have other sizes, means and scales, and do not differ in r, mean error or AUC.
//
// Of 2,000 studies with 12 participants of a group, 95% intervals of a measure cover at least 0.933, those of a
// difference 0.919.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"strconv"
	"text/tabwriter"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/numeric/random"
	"prgnn/stages/assess/subgroup"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/stagetest"
)

// folds have models whose log odds have this mean less that of the middle one.
var shifts = []float64{-0.4, -0.2, 0, 0.2, 0.4}

// positives are the shares of the positive class in the two groups.
var positives = [2]float64{0.4, 0.6}

// draw is a participant of a group: the log odds are normal, d apart.
func draw(s *random.Stream, group, fold int, d float64) (positive bool, lp float64) {
	positive = s.Float64() < positives[group]
	lp = s.Normal() + shifts[fold] - d/2
	if positive {
		lp += d
	}
	return positive, lp
}

// A truth is what the intervals should contain, by measure.
type truth map[string]float64

// trueOf are the measures of a group, by a million participants.
func trueOf(group int, d float64) truth {
	const n = 1 << 20
	s := random.New(1, "truth", group, d)
	var right, sens, spec, positive, brier, large float64
	lps, outcome := make([]float64, n), make([]bool, n)
	for i := range n {
		is, lp := draw(s, group, i%len(shifts), d)
		p := 1 / (1 + math.Exp(-lp))
		lps[i], outcome[i] = lp, is
		switch {
		case is:
			positive++
			brier += (1 - p) * (1 - p) / n
			large += (1 - p) / n
			if lp > 0 {
				sens, right = sens+1, right+1
			}
		default:
			brier += p * p / n
			large -= p / n
			if lp <= 0 {
				spec, right = spec+1, right+1
			}
		}
	}
	r := inference.Recalibrate(lps, outcome)
	return truth{"accuracy": right / n, "auc": 0.5 * math.Erfc(-d/2), "sensitivity": sens / positive,
		"specificity": spec / (n - positive), "brier": brier, "in the large": large, "intercept": r.Intercept,
		"slope": r.Slope}
}

// study runs the kind on groups of so many participants.
func study(seed, size int, d float64) ([]column.SubgroupRow, []column.SubgroupTestRow) {
	s := random.New(uint64(seed), "study", size, d)
	var ids, groups []string
	rows := make([][][3]any, len(shifts))
	for g, name := range []string{"A", "B"} {
		for i := range size {
			id := fmt.Sprint(name, i)
			is, lp := draw(s, g, i%len(shifts), d)
			ids, groups = append(ids, id), append(groups, name)
			rows[i%len(shifts)] = append(rows[i%len(shifts)], [3]any{id, map[bool]int{true: 1}[is],
				1 / (1 + math.Exp(-lp))})
		}
	}
	in := map[string][]dag.Input{"participants": {dag.InputOf(encoding.NewTable(
		encoding.Column{Name: "participant_id", Values: ids}, encoding.Column{Name: "sex", Values: groups}))}}
	for f, of := range rows {
		table := stagetest.OneFold(int32(f+1), [2]string{"HC", "PAT"}, of...)
		in["predictions"] = append(in["predictions"], dag.InputOf(table,
			dag.Coord{Axis: "model", Value: "logistic"}, dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}))
	}
	grouping := subgroup.Grouping{Within: "site", Complementary: true, Permutations: 199, Seed: uint64(seed)}
	return run(&subgroup.Subgroups{Grouping: grouping}, in)
}

// run reads both tables of a kind; those of a number have some of the columns.
func run(s dag.Stage, in map[string][]dag.Input) ([]column.SubgroupRow, []column.SubgroupTestRow) {
	out, err := s.Run(context.Background(), dag.NewTask(in))
	if err != nil {
		log.Fatal(err)
	}
	var r []column.SubgroupRow
	if _, of := s.(*subgroup.Subgroups); of {
		if r, err = column.Rows[column.SubgroupRow](out["groups"].(*encoding.Table)); err != nil {
			log.Fatal(err)
		}
	}
	t, err := column.Rows[column.SubgroupTestRow](out["tests"].(*encoding.Table))
	if err != nil {
		log.Fatal(err)
	}
	return r, t
}

// apart are the shares of p up to 0.05, 0.2 and 0.5 where groups differ in size, mean and scale alone.
func apart(studies int) {
	at := []float64{0.05, 0.2, 0.5}
	shares := map[string][]float64{"r": make([]float64, 3), "mean_error": make([]float64, 3), "auc": make([]float64, 3)}
	for k := range studies {
		s := random.New(uint64(k), "apart")
		var ids, groups []string
		numbers, classes := make([][]fold.NumberRow, len(shifts)), make([][][3]any, len(shifts))
		for g, n := range []int{60, 30, 15} {
			for i := range n {
				id, f, mean, sd := fmt.Sprint(g, "-", i), i%len(shifts), 2*float64(g), 1+float64(g)
				ids, groups = append(ids, id), append(groups, string(rune('a'+g)))
				x, e := s.Normal(), s.Normal()
				numbers[f] = append(numbers[f], fold.NumberRow{ID: id, Fold: int32(f + 1), Repeat: 1, Set: "test",
					Target: mean + sd*x, Predicted: mean + sd*(x+math.Sqrt(3)*e)/2})
				score, is := mean-2+s.Normal(), s.Float64() < 0.2+0.3*float64(g)
				if is {
					score++
				}
				classes[f] = append(classes[f], [3]any{id, map[bool]int{true: 1}[is], 1 / (1 + math.Exp(-score))})
			}
		}
		people := dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "sex", Values: groups}))
		regression := map[string][]dag.Input{"participants": {people}}
		classifier := map[string][]dag.Input{"participants": {people}}
		for f := range shifts {
			where := []dag.Coord{{Axis: "model", Value: "ridge"}, {Axis: "fold", Value: fmt.Sprint(f + 1)}}
			table := column.Table(numbers[f])
			table.Meta = map[string]string{"model": "ridge"}
			regression["predictions"] = append(regression["predictions"], dag.InputOf(table, where...))
			classifier["predictions"] = append(classifier["predictions"], dag.InputOf(
				stagetest.OneFold(int32(f+1), [2]string{"HC", "PAT"}, classes[f]...), where...))
		}
		grouping := subgroup.Grouping{Within: "site", Complementary: true, Permutations: 199, Seed: uint64(k)}
		_, tests := run(&subgroup.Subgroups{Grouping: grouping}, classifier)
		_, more := run(&subgroup.SubgroupsRegression{Grouping: grouping}, regression)
		for _, r := range append(tests, more...) {
			for i, share := range shares[r.Measure] {
				if r.P <= at[i] {
					shares[r.Measure][i] = share + 1/float64(studies)
				}
			}
		}
	}
	for measure, of := range shares {
		fmt.Printf("%s: p up to %g: %.3f\n", measure, at, of)
	}
}

func main() {
	alike := flag.Bool("apart", false, "groups of other sizes, means and scales")
	flag.Parse()
	studies := 1000
	if flag.NArg() > 0 {
		var err error
		if studies, err = strconv.Atoi(flag.Arg(0)); err != nil {
			log.Fatal(err)
		}
	}
	if *alike {
		apart(studies)
		return
	}
	names := []string{"accuracy", "auc", "sensitivity", "specificity", "brier", "in the large", "intercept", "slope"}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "size\td\tmeasure\tcoverage\tof\tdifference\tp <= 0.05")
	for _, size := range []int{12, 25, 60} {
		for _, d := range []float64{0, 1, 2} {
			of := [2]truth{trueOf(0, d), trueOf(1, d)}
			inside, all := map[string]float64{}, map[string]float64{}
			between, pairs := map[string]float64{}, map[string]float64{}
			small, tested := map[string]float64{}, map[string]float64{}
			for k := range studies {
				rows, tests := study(k, size, d)
				for g, r := range rows {
					for i, v := range [][3]float64{{r.Accuracy, r.Low, r.High}, {r.AUC, r.AUCLow, r.AUCHigh},
						{r.Sensitivity, r.SensLow, r.SensHigh}, {r.Specificity, r.SpecLow, r.SpecHigh},
						{r.Brier, r.BrierLow, r.BrierHigh}, {r.Large, r.LargeLow, r.LargeHigh},
						{r.Intercept, r.InterLow, r.InterHigh}, {r.Slope, r.SlopeLow, r.SlopeHigh}} {
						if math.IsNaN(v[0]) {
							continue
						}
						all[names[i]]++
						if v[1] <= of[g][names[i]] && of[g][names[i]] <= v[2] {
							inside[names[i]]++
						}
					}
				}
				for _, r := range tests {
					want := of[0][r.Measure] - of[1][r.Measure]
					if r.High == "B" {
						want = -want
					}
					pairs[r.Measure]++
					if r.DiffLow <= want && want <= r.DiffHigh {
						between[r.Measure]++
					}
					if !math.IsNaN(r.P) {
						tested[r.Measure]++
						if r.P <= 0.05 {
							small[r.Measure]++
						}
					}
				}
			}
			for _, name := range names {
				fmt.Fprintf(w, "%d\t%g\t%s\t%.3f\t%.0f\t%.3f\t%.3f\n", size, d, name, inside[name]/all[name], all[name],
					between[name]/pairs[name], small[name]/tested[name])
			}
		}
	}
	w.Flush()
}
