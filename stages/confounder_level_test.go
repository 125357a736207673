package stages

import (
	"fmt"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// The full confounder test holds its level where the edges hold the covariate alone, and finds what they hold beyond
// it: of the group, and of a number. bench/null/level -given has 1,000 cohorts.
func TestFullConfounderTest(t *testing.T) {
	const cohorts = 40
	for _, c := range []struct {
		number, holds bool
		least, most   int
	}{{false, false, 1, 16}, {true, false, 1, 16}, {false, true, 26, cohorts}, {true, true, 26, cohorts}} { // 8 ± 2.5
		small := 0
		for k := range cohorts {
			if p := fullTest(t, k, c.number, c.holds); p <= 0.2+1e-9 {
				small++
			}
		}
		if small < c.least || small > c.most {
			t.Errorf("%+v: p ≤ 0.2 in %d of %d cohorts", c, small, cohorts)
		}
	}
}

// fullTest is the p of the full test of age with ridge regression, in a cohort whose label depends on age.
func fullTest(t *testing.T, k int, number, holds bool) float64 {
	const n, folds = 30, 3
	r := random.New(7, "full", k, number, holds)
	ids, _ := stagetest.SomeParticipants(n, "A", "B").Strings("participant_id")
	groups, age, target := make([]string, n), make([]float64, n), make([]float64, n)
	var matrices []dag.Input
	for i := range n {
		age[i] = r.Normal()
		target[i] = age[i] + r.Normal()
		groups[i] = map[bool]string{true: "B", false: "A"}[target[i] > 0]
		m := make([]float64, 25)
		for a := range 5 {
			for b := range a {
				x := 0.2*r.Normal() + 0.1*age[i]
				if holds {
					x = 0.2*r.Normal() + 0.2*(target[i]-age[i])
				}
				m[5*a+b] = max(-0.9, min(0.9, x))
				m[5*b+a] = m[5*a+b]
			}
			m[6*a] = 1
		}
		matrices = append(matrices, dag.InputOf(encoding.NewArray(m, 1, 5, 5),
			dag.Coord{Axis: column.Subject, Value: ids[i]}))
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups}, encoding.Column{Name: "age", Values: age})
	split, kind := []any{"folds", folds, "permutations", 39, "seed", uint64(k)}, "baseline"
	if number {
		people.Columns[1] = encoding.Column{Name: column.Target, Values: target}
		split, kind = append(split, "label", column.Target), "regression"
	}
	in := map[string][]dag.Input{"participants": {dag.InputOf(people)}}
	divided := stagetest.MustRun(t, stagetest.Fresh("split", split...), in)
	in["folds"] = []dag.Input{dag.InputOf(divided["folds"])}
	in["permuted"] = []dag.Input{dag.InputOf(divided["permuted"])}
	given := stagetest.MustRun(t, stagetest.Fresh("permute-given", "covariate", "age", "seed", uint64(k)),
		in)["permuted"]
	tested := map[string][]dag.Input{"participants": in["participants"], "folds": in["folds"]}
	for f := 1; f <= folds; f++ {
		out := stagetest.MustRun(t, stagetest.Fresh(kind, "model", "ridge", "fold", f), map[string][]dag.Input{
			"pearson": matrices, "folds": in["folds"],
			"given": {dag.InputOf(given, dag.Coord{Axis: "covariate", Value: "age"})}})
		need.Equal(t, out["permuted"].(*encoding.Table).Rows(), 0)
		at := dag.Coord{Axis: "fold", Value: fmt.Sprint(f)}
		tested["predictions"] = append(tested["predictions"], dag.InputOf(out["predictions"], at))
		tested["given"] = append(tested["given"], dag.InputOf(out["given"], at))
	}
	out := stagetest.MustRun(t, stagetest.Fresh("confounds", "covariates", []any{"age"}, "chains", 99), tested)
	rows := need.Value(column.Rows[column.ConfounderRow](out["tests"].(*encoding.Table)))(t)
	at := slices.IndexFunc(rows, func(r column.ConfounderRow) bool { return r.Covariate == "age" })
	need.Equal(t, rows[at].FullDraws, int32(39))
	return rows[at].Full
}
