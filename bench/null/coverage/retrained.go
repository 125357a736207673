package main

import (
	"context"
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
	_ "prgnn/stages"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// confounds prints the coverage of the intervals of the kind confounds, which retrains on resamples of the
// participants: AUCs from 0.5 to nearly 1.
func confounds(cohorts, threads int) {
	for _, d := range []struct {
		n     int
		share float64
	}{{40, 0.5}, {40, 0.64}, {118, 0.5}} {
		for _, effect := range []float64{0, 0.35, 0.9, 1.2, 1.5, 2.2} {
			each := make([]map[string]measure, cohorts)
			dense.Each(threads, cohorts, func(c int) { each[c] = confounded(d.n, d.share, effect, c) })
			fmt.Printf("n %d, share %.2f, effect %.2f:", d.n, d.share, effect)
			for _, name := range []string{"edges", "covariates", "edges and covariates", "deconfounded edges",
				"increment"} {
				all := lists.Map(each, func(of map[string]measure) measure { return of[name] })
				fmt.Printf("  %s %s", name, coverage(all))
			}
			fmt.Println()
		}
	}
}

// confounded are the measures of one cohort with 11 regions, 12 of whose 55 edges differ between the groups, as does
// the covariate.
func confounded(n int, share, effect float64, cohort int) map[string]measure {
	const regions = 11
	r := random.New(1, "coverage", "confounds", fmt.Sprint(n, share, effect, cohort))
	label := make([]int, n)
	for i := range label {
		if i >= int(math.Round(share*float64(n))) {
			label[i] = 1
		}
	}
	of := divide(label, r)
	var ids, group []string
	var age []float64
	var number, repeat []int32
	var matrices []dag.Input
	for i, l := range label {
		ids, group = append(ids, fmt.Sprintf("sub-%03d", i+1)), append(group, []string{"HC", "PAT"}[l])
		number, repeat = append(number, int32(of[i]+1)), append(repeat, 1)
		age = append(age, r.Normal()+float64(1.3*effect)*float64(l))
		m, edge := make([]float64, regions*regions), 0
		for a := range regions {
			for b := range a {
				x := r.Normal()
				if edge < carriers {
					x += effect * (float64(l) - 0.5)
				}
				m[a*regions+b], m[b*regions+a] = x, x
				edge++
			}
		}
		matrices = append(matrices, dag.InputOf(encoding.NewArray(m, 1, regions, regions),
			dag.Coord{Axis: "subject", Value: ids[i]}))
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: group}, encoding.Column{Name: "age", Values: age})
	k, _ := dag.Lookup("confounds")
	s := k.New()
	for name, value := range map[string]any{"covariates": []any{"age"}, "transform": "none", "permutations": 99,
		"resamples": 100, "seed": cohort} {
		need(param.Set(s, name, value))
	}
	out, err := s.Run(context.Background(), dag.NewTask(map[string][]dag.Input{"participants": {dag.InputOf(people)},
		"matrices": matrices, "folds": {dag.InputOf(encoding.NewTable(
			encoding.Column{Name: "participant_id", Values: ids}, encoding.Column{Name: "group", Values: group},
			encoding.Column{Name: "repeat", Values: repeat}, encoding.Column{Name: "fold", Values: number}))}}))
	need(err)
	rows, err := column.Rows[column.ConfoundModelRow](out["models"].(*encoding.Table))
	need(err)
	all := map[string]measure{}
	for _, r := range rows {
		all[r.Features] = measure{r.Score, r.Low, r.High}
	}
	summary, err := column.Rows[column.ConfoundSummaryRow](out["summary"].(*encoding.Table))
	need(err)
	all["increment"] = measure{summary[0].Increment, summary[0].Low, summary[0].High}
	return all
}

// independent prints the coverage of the interval of the AUC of validate: of one model, in new participants.
func independent(cohorts int) {
	for _, n := range [][2]int{{10, 10}, {20, 20}, {20, 80}, {60, 60}, {200, 200}} {
		for _, apart := range []float64{0, 0.8, 1.8, 2.3, 2.8, 3.3, 4} {
			expected := (1 + math.Erf(apart/2)) / 2 // of normal scores that many SD apart
			held, width := 0.0, 0.0
			for c := range cohorts {
				r := random.New(1, "coverage", "independent", fmt.Sprint(n, apart, c))
				var scores [2][]float64
				for k := range scores {
					for range n[k] {
						scores[k] = append(scores[k], r.Normal()+float64(apart*float64(1-k)))
					}
				}
				auc, se := inference.DeLong(scores[0], scores[1])
				low, high := inference.LogitInterval(auc, se, n[0], n[1])
				if low <= expected && expected <= high {
					held++
				}
				width += high - low
			}
			fmt.Printf("%d and %d participants, AUC %.3f: %.3f (%.3f)\n", n[0], n[1], expected, held/float64(cohorts),
				width/float64(cohorts))
		}
	}
}
