// Command level simulates cohorts without a difference between their groups, and reports how often p is at most 0.05,
// with the 95% range of a binomial share of 0.05: of tests with models retrained on permuted labels, and of tests
// fold by fold with the models as they are. Split, training and evaluation are the program's; matrices are drawn
// directly in place of scans.
//
//	go run ./bench/null/level -cohorts 400 -permutations 99 > level.md
//	go run ./bench/null/level -cohorts 400 -compare
//	go run ./bench/null/level -cohorts 40 -permutations 999 -controls
//	go run ./bench/null/level -cohorts 1000 -every
//	go run ./bench/null/level -cohorts 1000 -further
//	go run ./bench/null/level -cohorts 1000 -given
//	go run ./bench/null/level -cohorts 1000 -masks
//
// Of 400 cohorts, p of the AUC is at most 0.05 in 3.0 to 7.2%, of the accuracy, which takes few values, in 0 to 6.5%,
// fold by fold in at most 0.5%, t of compare in 3.2 to 6.0%, McNemar's test in 7.5 to 13.3%. With
// controls and groups that differ in motion alone, p of ridge regression is at most 0.05 in 38 of 100 cohorts. With
// -masks, p of fidelity is at most 0.05 in 3.8 to 4.6%, of an edge of qcfc in 4.2 to 5.4% of 1,000 cohorts.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
	_ "prgnn/stages"
)

// A design is a kind of cohort.
type design struct {
	n, graphs int
	share     float64 // of the first group
	extra     string  // sites, families, or a number to predict
	models    []string
}

func (d design) String() string {
	groups := "balanced"
	if d.share != 0.5 {
		groups = fmt.Sprintf("%.0f:%.0f", 100*d.share, 100-100*d.share)
	}
	if d.extra == "number" {
		groups = "a number"
	}
	return strings.TrimSuffix(fmt.Sprintf("%d participants, %s, %d graphs each, %s", d.n, groups, d.graphs, d.extra), ", ")
}

const regions, folds = 20, 5

func main() {
	cohorts := flag.Int("cohorts", 400, "cohorts of each design")
	permutations := flag.Int("permutations", 99, "label permutations")
	only := flag.String("only", "", "designs whose name matches")
	threads := flag.Int("threads", runtime.NumCPU(), "cohorts at a time")
	models := flag.String("models", "ridge,kernel-ridge,logistic,linear-svm", "of -given")
	report := func() { levels(*cohorts, *permutations, *threads, *only) }
	for _, other := range []struct {
		name, doc string
		report    func()
	}{
		{"compare", "test comparisons of two classifiers with the same expected accuracy instead",
			func() { comparisons(*cohorts, *threads) }},
		{"controls", "test residuals of edges, fitted to everybody or to one group, instead",
			func() { controls(*cohorts, *permutations, *threads) }},
		{"every", "every p that a report shows, in cohorts in which everything is independent, instead",
			func() { every(*cohorts, *permutations, *threads, nulls, nullCohort) }},
		{"given", "test confounder tests of age, in cohorts with and without its effects, instead",
			func() { given(*cohorts, *permutations, *threads, *only, strings.Split(*models, ",")) }},
		{"further", "as -every: p of biomarkers, multiverse and validate",
			func() { every(*cohorts, *permutations, *threads, furtherNulls, further) }},
		{"masks", "as -every: p of fidelity and qcfc",
			func() { every(*cohorts, *permutations, *threads, maskNulls, masks) }},
	} {
		flag.BoolFunc(other.name, other.doc, func(string) error { report = other.report; return nil })
	}
	flag.Parse()
	report()
}

// levels reports how often p is at most 0.05 without a difference between the groups.
func levels(cohorts, permutations, threads int, only string) {
	all := []string{"ridge", "kernel-ridge", "svm", "linear-svm", "logistic"}
	var designs []design
	for _, n := range []int{40, 118} {
		for _, share := range []float64{0.5, 0.64} {
			designs = append(designs, design{n, 1, share, "", all}, design{n, 1, share, "sites", all},
				design{n, 1, share, "families", all})
		}
		designs = append(designs, design{n, 1, 0.5, "number", []string{"ridge", "kernel-ridge"}})
	}
	designs = append(designs, design{40, 10, 0.5, "", []string{"ridge", "svm", "linear-svm"}},
		design{40, 10, 0.64, "", []string{"ridge", "svm", "linear-svm"}}, design{118, 10, 0.64, "", []string{"ridge"}})
	introduce("of each kind", cohorts, permutations)
	fmt.Println("| cohort | model | accuracy | AUC | per fold: accuracy | AUC |\n| --- | --- | --- | --- | --- | --- |")
	for _, d := range designs {
		if only != "" && !regexp.MustCompile(only).MatchString(d.String()) {
			continue
		}
		claims := each(cohorts, threads, func(seed uint64) map[string][4]int { return d.cohort(seed, permutations) })
		for _, model := range d.models {
			var sum [4]int
			for _, c := range claims {
				for k, v := range c[model] {
					sum[k] += v
				}
			}
			share := func(k int) string { return fmt.Sprintf("%.3f", float64(sum[k])/float64(cohorts)) }
			fmt.Printf("| %s | %s | %s | %s | %s | %s |\n", d, model, share(0), share(1), share(2), share(3))
		}
	}
}

// introduce states how exactly shares of so many cohorts are known.
func introduce(of string, cohorts, permutations int) {
	low, high := binomial(cohorts, 0.05)
	fmt.Printf("%d cohorts %s, %d permutations; 95 of 100 shares of a test at its level lie in %.3f–%.3f\n\n", cohorts, of,
		permutations, low, high)
}

// each makes cohorts at the same time, each by its seed.
func each[T any](cohorts, threads int, cohort func(seed uint64) T) []T {
	out := make([]T, cohorts)
	dense.Each(threads, cohorts, func(c int) { out[c] = cohort(uint64(c + 1)) })
	return out
}

// binomial are the 2.5 and 97.5% points of a share p of n.
func binomial(n int, p float64) (low, high float64) {
	sum, term := 0.0, math.Pow(1-p, float64(n))
	low = -1
	for k := range n + 1 {
		sum += term
		if low < 0 && sum >= 0.025 {
			low = float64(k) / float64(n)
		}
		if sum >= 0.975 {
			return low, float64(k) / float64(n)
		}
		term *= float64(n-k) / float64(k+1) * p / (1 - p)
	}
	return low, 1
}

// cohort draws one, trains and tests all models, and counts p ≤ 0.05: of accuracy (r) and AUC (mean absolute error),
// retrained, then per fold.
func (d design) cohort(seed uint64, permutations int) map[string][4]int {
	r := random.New(seed, "level", d.String())
	shift := make([][]float64, 4) // of the sites
	for s := range shift {
		shift[s] = normals(r)
	}
	var ids, groups, sites, families []string
	var numbers, last []float64
	var matrices []dag.Input
	for i := range d.n {
		group, site := "A", i%len(shift)
		if float64(i) >= d.share*float64(d.n) {
			group = "B"
		}
		if i%3 == 0 { // so that the sites differ in their share of the groups
			site = len(shift) * i / d.n
		}
		ids, groups = append(ids, fmt.Sprintf("sub-%03d", i+1)), append(groups, group)
		sites, families = append(sites, fmt.Sprint("site", site)), append(families, fmt.Sprint("family", i/2))
		numbers = append(numbers, r.Normal())
		base := normals(r)
		for j := range base {
			switch {
			case d.extra == "sites":
				base[j] += shift[site][j]
			case d.extra == "families" && i%2 == 1:
				base[j] = 0.8*last[j] + 0.6*base[j]
			}
		}
		last = base
		matrices = append(matrices, d.matrices(base, r, ids[i]))
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups})
	if d.extra == "number" {
		people.Columns[1] = encoding.Column{Name: "target", Values: numbers}
	}
	for name, values := range map[string][]string{"sites": sites, "families": families} {
		if name == d.extra {
			column := map[string]string{"sites": "site", "families": "family"}[name]
			people.Columns = append(people.Columns, encoding.Column{Name: column, Values: values})
		}
	}
	return d.test(seed, permutations, people, matrices)
}

// test divides the participants, trains all models on each fold, and tests their predictions.
func (d design) test(seed uint64, permutations int, people *encoding.Table, matrices []dag.Input) map[string][4]int {
	set := []any{"seed", seed, "permutations", permutations}
	trainer, evaluator, first, second := "baseline", "evaluate", "p", "auc_p"
	if d.extra == "number" {
		set, trainer, evaluator = append(set, "label", "target"), "regression", "evaluate-regression"
		second = "mae_p"
	}
	if d.extra == "families" {
		set = append(set, "keep_together", []any{"family"})
	}
	participants := []dag.Input{dag.InputOf(people)}
	split := run("split", inputs{"participants": participants}, set...)
	divided, permuted := split.one("folds"), split.one("permuted")
	out := map[string][4]int{}
	for _, model := range d.models {
		in := inputs{"folds": divided, "labels": permuted}
		for f := 1; f <= folds; f++ {
			of := run(trainer, inputs{"pearson": matrices, "folds": divided, "permuted": permuted},
				"model", model, "fold", f)
			in.add(of, fold(f), "predictions", "permuted")
		}
		var claims [4]int
		for k, without := range []bool{false, true} {
			if without {
				delete(in, "permuted")
			}
			evaluated := run(evaluator, in)
			for m, column := range []string{first, second} {
				if evaluated.last("summary", column) <= 0.05+1e-9 { // of participants; NaN is no claim
					claims[2*k+m]++
				}
			}
		}
		out[model] = claims
	}
	return out
}

// matrices are those of one participant: of draw 0, or ten random draws more.
func (d design) matrices(base []float64, r *random.Stream, id string) dag.Input {
	draws := d.graphs
	if draws > 1 {
		draws++
	}
	var all []float64
	for range draws {
		noise, m := normals(r), make([]float64, regions*regions)
		for i := range regions {
			m[i*regions+i] = 1
			for j := range i {
				v := math.Tanh(0.3*base[i*regions+j] + 0.15*noise[i*regions+j])
				m[i*regions+j], m[j*regions+i] = v, v
			}
		}
		all = append(all, m...)
	}
	return dag.InputOf(encoding.NewArray(all, draws, regions, regions), dag.Coord{Axis: "subject", Value: id})
}

func normals(r *random.Stream) []float64 {
	v := make([]float64, regions*regions)
	r.Normals(v)
	return v
}

// made is what a stage gave.
type made dag.Outputs

// input is an output as an input of others.
func (m made) input(name string, coords ...dag.Coord) dag.Input {
	return dag.InputOf(m[name], coords...)
}

// one is an output as the only input of a port.
func (m made) one(name string) []dag.Input { return []dag.Input{m.input(name)} }

func (m made) floats(table, column string) []float64 {
	return must(m[table].(*encoding.Table).Floats(column))
}

func (m made) texts(table, column string) []string {
	return must(m[table].(*encoding.Table).Strings(column))
}

// last is the number in the last row of a table.
func (m made) last(table, column string) float64 {
	v := m.floats(table, column)
	return v[len(v)-1]
}

// inputs are those of a stage, by port.
type inputs map[string][]dag.Input

// add appends outputs of a stage to the ports of their names.
func (in inputs) add(m made, coords []dag.Coord, names ...string) {
	for _, name := range names {
		in[name] = append(in[name], m.input(name, coords...))
	}
}

func fold(f int) []dag.Coord { return []dag.Coord{{Axis: "fold", Value: fmt.Sprint(f)}} }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// cohortOf is the table of participants with more columns.
func cohortOf(ids, groups []string, more ...encoding.Column) []dag.Input {
	return []dag.Input{dag.InputOf(encoding.NewTable(append([]encoding.Column{{Name: "participant_id", Values: ids},
		{Name: "group", Values: groups}}, more...)...))}
}

// run runs a stage at its defaults but for some parameters: name, value, …
func run(kind string, in inputs, parameters ...any) made {
	k, ok := dag.Lookup(kind)
	if !ok {
		panic("no kind " + kind)
	}
	s := k.New()
	for i := 0; i < len(parameters); i += 2 {
		if err := param.Set(s, parameters[i].(string), parameters[i+1]); err != nil {
			panic(err)
		}
	}
	out, err := s.Run(context.Background(), dag.NewTask(in))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", kind, err))
	}
	return made(out)
}
