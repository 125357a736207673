package confound

import (
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
)

func fixture(t *testing.T, name string) []float64 {
	t.Helper()
	return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "confounds", name+".npy"))
}

const people, edges = 60, 21

// covariates are age, motion, sex and site, in the order of the oracle's columns.
func covariates(t *testing.T, name string) []Covariate {
	v := fixture(t, name)
	out := []Covariate{{Name: "age"}, {Name: "fd"}, {Name: "sex"}, {Name: "site"}}
	for i := range people {
		row := v[4*i:]
		out[0].Number, out[1].Number = append(out[0].Number, row[0]), append(out[1].Number, row[2])
		out[2].Text = append(out[2].Text, strconv.Itoa(int(row[1])))
		out[3].Text = append(out[3].Text, strconv.Itoa(int(row[3])))
	}
	return out
}

// residuals are those of each fold's test participants, with coefficients of the others that fit takes.
func residuals(t *testing.T, of []Covariate, x []float64, width int, o Options, fit func(i int) bool) (out,
	beta []float64) {
	folds := fixture(t, "fold")
	out = make([]float64, len(x))
	for k := range 4 {
		var who []int
		for i := range people {
			if int(folds[i]) != k && fit(i) {
				who = append(who, i)
			}
		}
		d := need.Value(NewDesign(of, who, o))(t)
		var rows [][]float64
		var y []float64
		for _, i := range who {
			z, _, err := d.Row(of, i)
			need.NoError(t, err)
			rows, y = append(rows, z), append(y, x[i*width:][:width]...)
		}
		b := NewSolver(rows).Solve(y, width, 1)
		beta = append(beta, b...)
		for i := range people {
			if int(folds[i]) != k {
				continue
			}
			z, _, err := d.Row(of, i)
			need.NoError(t, err)
			for e := range width {
				v := x[i*width+e] - b[e]
				for c, zc := range z {
					v -= zc * b[(c+1)*width+e]
				}
				out[i*width+e] = v
			}
		}
	}
	return out, beta
}

func close(t *testing.T, what string, got, want []float64, least float64) {
	t.Helper()
	need.Equal(t, len(got), len(want), what)
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= least) {
			t.Fatalf("%s[%d] is %v, want %v", what, i, v, want[i])
		}
	}
}

func everybody(int) bool { return true }

// The oracle is numpy's least squares, which agrees with julearn's ConfoundRemover.
func TestResidualsAreThoseOfTheOracle(t *testing.T) {
	of, x := covariates(t, "covariates"), fixture(t, "X")
	y := fixture(t, "y")
	got, beta := residuals(t, of, x, edges, Options{Degree: 1}, everybody)
	close(t, "residual", got, fixture(t, "X_residual"), 1e-10)
	close(t, "beta", beta, fixture(t, "beta"), 1e-10)
	got, _ = residuals(t, of, x, edges, Options{Degree: 1}, func(i int) bool { return y[i] < 0 })
	close(t, "residual of controls", got, fixture(t, "X_residual_controls"), 1e-10)
	got, _ = residuals(t, of, fixture(t, "target"), 1, Options{Degree: 1}, everybody)
	close(t, "target", got, fixture(t, "target_residual"), 1e-10)
	got, _ = residuals(t, covariates(t, "covariates_missing"), x, edges, Options{Degree: 1, Indicator: true}, everybody)
	close(t, "residual with an indicator", got, fixture(t, "X_residual_missing"), 1e-10)
	wrong := fixture(t, "X_residual_everybody")
	most := 0.0
	for i, v := range fixture(t, "X_residual") {
		most = max(most, math.Abs(v-wrong[i]))
	}
	if most < 0.4 {
		t.Errorf("coefficients of everybody move residuals by %v at most: the test above would not see them", most)
	}
}

func TestCollinearColumnsLeaveTheResiduals(t *testing.T) {
	of, x := covariates(t, "covariates"), fixture(t, "X")
	months := Covariate{Name: "months"}
	for _, v := range of[0].Number {
		months.Number = append(months.Number, 12*v)
	}
	with := append(slices.Clone(of), months)
	got, _ := residuals(t, with, x, edges, Options{Degree: 1}, everybody)
	close(t, "residual", got, fixture(t, "X_residual"), 1e-10)
	d := need.Value(NewDesign(with, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, Options{Degree: 1}))(t)
	var rows [][]float64
	for i := range 12 {
		z, _, err := d.Row(with, i)
		need.NoError(t, err)
		rows = append(rows, z)
	}
	s := NewSolver(rows)
	need.Equal(t, len(s.Dropped), 1)
	need.Equal(t, d.Terms[s.Dropped[0]].String(), "months")
	// Minimum norm: two equal columns share their coefficient.
	b := NewSolver([][]float64{{1, 1}, {2, 2}, {4, 4}}).Solve([]float64{3, 5, 9}, 1, 1)
	close(t, "beta", b, []float64{1, 1, 1}, 1e-12)
}

func TestPowersAndSplines(t *testing.T) {
	c := Covariate{Name: "age"}
	var fit []int
	for i := range 40 {
		c.Number, fit = append(c.Number, float64(i)*float64(i)/40), append(fit, i)
	}
	for _, o := range []Options{{Degree: 2}, {Spline: true}} {
		d := need.Value(NewDesign([]Covariate{c}, fit, o))(t)
		var rows [][]float64
		var y []float64
		for _, i := range fit {
			z, _, err := d.Row([]Covariate{c}, i)
			need.NoError(t, err)
			rows = append(rows, z)
			y = append(y, 3+z[0]-2*z[0]*z[0])
		}
		b := NewSolver(rows).Solve(y, 1, 1)
		rest := 0.0
		for i, z := range rows {
			v := y[i] - b[0]
			for k, x := range z {
				v -= x * b[k+1]
			}
			rest = max(rest, math.Abs(v))
		}
		if o.Degree == 2 && rest > 1e-12 || o.Spline && (rest > 0.6 || rest < 1e-6) {
			t.Errorf("%+v leaves %v of a parabola", o, rest)
		}
		if o.Spline { // linear outside the outer knots
			far := Covariate{Name: "age", Number: []float64{60, 61, 62}}
			var z [3][]float64
			for i := range z {
				z[i], _, _ = d.Row([]Covariate{far}, i)
			}
			for k := range z[0] {
				if bend := z[2][k] - 2*z[1][k] + z[0][k]; math.Abs(bend) > 1e-12 {
					t.Errorf("column %d bends by %v beyond the last knot", k, bend)
				}
			}
			need.Equal(t, len(z[0]), 3)
		}
	}
	sex := Covariate{Name: "sex", Number: slices.Repeat([]float64{0, 1}, 20)}
	_, err := NewDesign([]Covariate{sex}, fit, Options{Spline: true})
	need.Error(t, err, "sex: it has too few different values for a spline")
}

func TestUnseenCategories(t *testing.T) {
	of := []Covariate{{Name: "site", Text: []string{"B", "A", "B", "A", "C", ""}}}
	d := need.Value(NewDesign(of, []int{0, 1, 2, 3}, Options{Degree: 1}))(t)
	_, _, err := d.Row(of, 4)
	var unseen *UnseenError
	if !errors.As(err, &unseen) || unseen.Level != "C" {
		t.Errorf("the category C gives %v", err)
	}
	_, _, err = d.Row(of, 5)
	need.Error(t, err, "site is missing")
	d = need.Value(NewDesign(of, []int{0, 1, 2, 3}, Options{Degree: 1, Reference: true}))(t)
	z, few, err := d.Row(of, 4)
	need.NoError(t, err)
	close(t, "row", z, []float64{0}, 0)
	need.Equal(t, few[0], "site=C")
}

func labels(t *testing.T) (text []string) {
	for _, v := range fixture(t, "y") {
		text = append(text, map[bool]string{true: "patient", false: "control"}[v > 0])
	}
	return text
}

// The oracle's matrices are those of mlconfound; its logistic one is statsmodels' maximum.
func TestLogLikelihoodsAreThoseOfMlconfound(t *testing.T) {
	fd := Covariate{Name: "fd", Number: covariates(t, "covariates")[1].Number}
	target := Covariate{Name: "target", Number: fixture(t, "target")}
	close(t, "L", need.Value(LogLikelihood(fd, target))(t), fixture(t, "loglik_fd_given_target"), 1e-9)
	close(t, "L", need.Value(LogLikelihood(target, fd))(t), fixture(t, "loglik_target_given_fd"), 1e-9)
	label := Covariate{Name: "label", Text: labels(t)}
	close(t, "L", need.Value(LogLikelihood(label, fd))(t), fixture(t, "loglik_label_given_fd"), 1e-7)
	// Categories under a category: shares.
	l := need.Value(LogLikelihood(Covariate{Text: []string{"a", "b", "a", "a"}}, Covariate{Text: []string{"x",
		"x", "y", "y"}}))(t)
	close(t, "L", l[:4], []float64{math.Log(0.5), math.Log(0.5), 0, 0}, 1e-12)
	_, err := LogLikelihood(fd, fd)
	need.Error(t, err, "determines")
}

// mlconfound 0.21.3 gives 0.3215 and 0.342 (2,000 draws); its quantiles are those of the manifest.
func TestConfounderTestsAgreeWithMlconfound(t *testing.T) {
	fd := Covariate{Name: "fd", Number: covariates(t, "covariates")[1].Number}
	target := Covariate{Name: "target", Number: fixture(t, "target")}
	prediction := [][]float64{fixture(t, "prediction")}
	for _, c := range []struct {
		x, condition Covariate
		p, top       float64
	}{{fd, target, 0.3215, 0.0632}, {target, fd, 0.342, 0.0648}} {
		l := need.Value(LogLikelihood(c.x, c.condition))(t)
		got := Conditional(c.x, l, prediction, Chains{N: 1999, Threads: 2, Seed: 1}, c.x.Name)[0]
		if math.Abs(got.P-c.p) > 0.04 || math.Abs(got.Top-c.top) > 0.01 {
			t.Errorf("%s given %s: %+v, want p %v and a quantile of %v", c.x.Name, c.condition.Name, got, c.p, c.top)
		}
	}
}

// Where the null hypothesis is true, p ≤ 0.05 in 5% of cohorts; where the prediction reads the motion, in most.
// Of 2,000 cohorts (PRGNN_COHORTS=2000 and -v) 1.2 to 4.3% have p ≤ 0.05 without an effect.
func TestLevelAndPowerOfConfounderTests(t *testing.T) {
	cohorts := 60
	if all := os.Getenv("PRGNN_COHORTS"); all != "" {
		cohorts = need.Value(strconv.Atoi(all))(t)
	}
	for _, c := range []struct {
		name     string
		class    bool
		reads    float64 // of the motion in the prediction
		most, at float64 // share of cohorts with p ≤ 0.05, and the least
	}{
		{"a number, no confound", false, 0, 0.1, 0},
		{"two groups, no confound", true, 0, 0.1, 0},
		{"a number, the prediction reads motion", false, 0.6, 1, 0.7},
		{"two groups, the prediction reads motion", true, 0.6, 1, 0.4},
	} {
		found := [2]int{}
		for cohort := range cohorts {
			s := random.New(3, c.name, cohort)
			const n = 60
			var y, motion, predicted []float64
			var group []string
			for range n {
				v := s.Normal()
				m := 0.5*v + s.Normal()
				g := 0.0
				if v > 0 {
					g = 1
				}
				if c.class {
					v = g
				}
				// partial: the prediction is made of y, and of motion where it reads it
				y, motion, predicted = append(y, v), append(motion, m), append(predicted, v+c.reads*m+s.Normal())
				group = append(group, strconv.Itoa(int(g)))
			}
			target := Covariate{Number: y}
			if c.class {
				target = Covariate{Text: group}
			}
			of := Covariate{Number: motion}
			l := need.Value(LogLikelihood(of, target))(t)
			if Conditional(of, l, [][]float64{predicted}, Chains{N: 99, Threads: 1, Seed: 1}, cohort)[0].P <= 0.05 {
				found[0]++
			}
			// full: the prediction is made of motion alone
			for i, m := range motion {
				predicted[i] = m + s.Normal() + 1.2*c.reads*y[i]
			}
			l = need.Value(LogLikelihood(target, of))(t)
			if Conditional(target, l, [][]float64{predicted}, Chains{N: 99, Threads: 1, Seed: 1}, cohort)[0].P <= 0.05 {
				found[1]++
			}
		}
		for k, name := range []string{"partial", "full"} {
			share := float64(found[k]) / float64(cohorts)
			t.Logf("%s, %s: %.3f", c.name, name, share)
			if share > c.most || share < c.at {
				t.Errorf("%s, %s test: p ≤ 0.05 in a share of %v", c.name, name, share)
			}
		}
	}
}

// study is the oracle's cohort.
func study(t *testing.T) (*Study, Sample) {
	x := fixture(t, "X")
	s := &Study{N: people, Gram: make([]float64, people*people), Covariates: covariates(t, "covariates"),
		Y:       fixture(t, "y"),
		Options: Options{Degree: 1}, Penalty: 1, Threads: 1}
	sample := Sample{}
	folds := fixture(t, "fold")
	for i := range people {
		for j := range people {
			s.Gram[i*people+j] = dense.Inner(x[i*edges:][:edges], x[j*edges:][:edges])
		}
		sample.Of, sample.Fold = append(sample.Of, i), append(sample.Fold, int(folds[i]))
	}
	return s, sample
}

// The scores of participants with copies are those of a sample that has them several times.
func TestCopiesAreParticipants(t *testing.T) {
	s, sample := study(t)
	var several Sample
	r := random.New(1, "copies")
	var first []int // of each member, its place among several
	for k, i := range sample.Of {
		n := 1 + r.IntN(3)
		sample.Copies, first = append(sample.Copies, n), append(first, len(several.Of))
		for range n {
			several.Of, several.Fold = append(several.Of, i), append(several.Fold, sample.Fold[k])
		}
	}
	for _, features := range Features() {
		for k := range 4 {
			d, all := need.Value(s.Divide(sample, k))(t), need.Value(s.Divide(several, k))(t)
			at := map[int]float64{}
			for r, v := range all.Scores(features) {
				at[all.Test()[r]] = v
			}
			want := lists.Map(d.Test(), func(k int) float64 { return at[first[k]] })
			close(t, features, d.Scores(features), want, 1e-9)
		}
	}
}

// Scikit-learn's Ridge gives the oracle's scores; those of deconfounded edges are of ridge regression on its residuals.
func TestScoresAreThoseOfTheOracle(t *testing.T) {
	s, sample := study(t)
	got := map[string][]float64{}
	for _, features := range Features() {
		got[features] = make([]float64, people)
		for k := range 4 {
			d := need.Value(s.Divide(sample, k))(t)
			for r, v := range d.Scores(features) {
				got[features][d.Test()[r]] = v
			}
			if features == Both { // the permutation that moves nobody
				identity := lists.UpTo(people)
				d.Permuted([][]int{identity}, func(_ int, scores []float64) {
					close(t, "permuted", scores, d.Scores(Both), 1e-9)
				})
			}
		}
	}
	close(t, "edges", got[Edges], fixture(t, "score_edges"), 1e-9)
	close(t, "covariates", got[Covariates], fixture(t, "score_confounds"), 1e-9)
	close(t, "both", got[Both], fixture(t, "score_both"), 1e-9)
	want := []float64{0.6651785714285714, 0.6696428571428572, 0.7053571428571429} // of the manifest
	for i, features := range []string{Edges, Covariates, Both} {
		sum := 0.0
		for k := range 4 {
			var scores []float64
			var positive []bool
			for j, f := range sample.Fold {
				if f == k {
					scores, positive = append(scores, got[features][j]), append(positive, s.Y[j] > 0)
				}
			}
			sum += AUC(scores, positive)
		}
		close(t, features, []float64{sum / 4}, want[i:i+1], 1e-12)
	}

	// The slow definition: residuals by the coefficients of the fold, then the same regression on their Gram matrix.
	x := fixture(t, "X")
	for k := range 4 {
		d := need.Value(s.Divide(sample, k))(t)
		var y []float64
		var rows [][]float64
		for _, i := range d.train {
			rows, y = append(rows, d.z[i]), append(y, x[i*edges:][:edges]...)
		}
		b := NewSolver(rows).Solve(y, edges, 1)
		rest := slices.Clone(x)
		for i, z := range d.z {
			for e := range edges {
				rest[i*edges+e] -= b[e]
				for c, v := range z {
					rest[i*edges+e] -= v * b[(c+1)*edges+e]
				}
			}
		}
		slow := *s
		slow.Gram = make([]float64, people*people)
		for i := range people {
			for j := range people {
				slow.Gram[i*people+j] = dense.Inner(rest[i*edges:][:edges], rest[j*edges:][:edges])
			}
		}
		e := need.Value(slow.Divide(sample, k))(t)
		close(t, "deconfounded", d.Scores(Deconfounded), e.Scores(Edges), 1e-9)
	}
}

func TestMatchesAreThoseOfTheOracle(t *testing.T) {
	fd := covariates(t, "covariates")[1]
	patient := lists.Map(fixture(t, "y"), func(v float64) bool { return v > 0 })
	pairs := Match(patient, []Covariate{fd})
	var flat []float64
	side := [2][]float64{}
	for _, p := range pairs {
		flat = append(flat, float64(p[0]), float64(p[1]))
		side[0], side[1] = append(side[0], fd.Number[p[0]]), append(side[1], fd.Number[p[1]])
	}
	close(t, "pairs", flat, fixture(t, "matched_pairs"), 0)
	var all [2][]float64
	for i, is := range patient {
		k := map[bool]int{true: 0, false: 1}[is]
		all[k] = append(all[k], fd.Number[i])
	}
	close(t, "difference", []float64{Difference(all[0], all[1]), Difference(side[0], side[1])},
		[]float64{1.0802718250898597, 0.06232816225520414}, 1e-12)
	// Same sex, and age within the caliper.
	of := covariates(t, "covariates")
	_, sd := moments(of[0].Number)
	for _, p := range Match(patient, []Covariate{fd, of[2], of[0]}) {
		if of[2].Text[p[0]] != of[2].Text[p[1]] ||
			math.Abs(of[0].Number[p[0]]-of[0].Number[p[1]]) > 0.2*sd {
			t.Errorf("%v is a pair", p)
		}
	}
}

// By the definition: of all pairs of one who is marked and one who is not, the share in which the former has more.
func TestAUC(t *testing.T) {
	score, marked := []float64{3, 1, 2, 2, 5, 0}, []bool{true, false, true, false, false, true}
	sum, pairs := 0.0, 0.0
	for i := range score {
		for j := range score {
			if marked[i] && !marked[j] {
				pairs++
				if score[i] > score[j] {
					sum++
				} else if score[i] == score[j] {
					sum += 0.5
				}
			}
		}
	}
	need.Equal(t, AUC(score, marked), sum/pairs)
}
