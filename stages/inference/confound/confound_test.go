package confound

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
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
