package prepare

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// tangentFixture reads an array of connectivity/tangent/testdata (scipy, nilearn).
func tangentFixture(t *testing.T, name string) []float64 {
	t.Helper()
	return testdir.Floats(t, filepath.Join("..", "..", "connectivity", "tangent", "testdata", name+".npy"))
}

// tangentInputs are the 11 participants of the fixture, the last three of whom are tested in fold 1:
// matrices by the stage connectivity from their series.
func tangentInputs(t *testing.T, output string, standardize bool) map[string][]dag.Input {
	t.Helper()
	const volumes, regions = 60, 15
	series := tangentFixture(t, "series")
	in := map[string][]dag.Input{}
	var members []fold.Member
	for i := range 11 {
		out := stagetest.MustRun(t, stagetest.Fresh("connectivity", "pearson", "ledoit-wolf", "covariance", true,
			"standardize", standardize), map[string][]dag.Input{"series": {dag.InputOf(encoding.NewArray(
			series[i*volumes*regions:][:volumes*regions], 1, volumes, regions))}})
		id, of := fmt.Sprintf("sub-%02d", i+1), int32(2)
		if i >= 8 {
			of = 1
		}
		in["matrices"] = append(in["matrices"], dag.InputOf(out[output], dag.Coord{Axis: "subject", Value: id}))
		members = append(members, fold.Member{ID: id, Group: [2]string{"ASD", "HC"}[i%2], Repeat: 1, Fold: of})
	}
	in["folds"] = []dag.Input{dag.InputOf(column.Table(members))}
	return in
}

// projected are the tangent matrices of everybody about a reference.
func projected(t *testing.T, in map[string][]dag.Input, fitted artifacts.Value) []float64 {
	t.Helper()
	var all []float64
	for i := range in["matrices"] {
		out := stagetest.MustRun(t, stagetest.Fresh("project"), map[string][]dag.Input{
			"matrices": in["matrices"][i : i+1], "fitted": {dag.InputOf(fitted)}})
		all = append(all, out["matrices"].(*encoding.Array).Float64s()...)
	}
	return all
}

func mostApart(a, b []float64) float64 {
	most := 0.0
	for i := range max(len(a), len(b)) {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// From series to tangent matrices, against the oracle and nilearn; the correlation by Ledoit-Wolf is
// the covariance of z-scored series.
func TestTangentAgainstTheOracle(t *testing.T) {
	for _, c := range []struct {
		output      string
		standardize bool
		zscore      bool
	}{{"pearson", true, true}, {"covariance", true, true}, {"covariance", false, false}} {
		in := tangentInputs(t, c.output, c.standardize)
		fitted := stagetest.MustRun(t, stagetest.Fresh("tangent", "zscore", c.zscore, "tolerance", 1e-13), in)["fitted"]
		if d := mostApart(projected(t, in, fitted), tangentFixture(t, "tangent")); !(d < 1e-12) {
			t.Errorf("%+v: %g apart from the oracle", c, d)
		}
	}
	in := tangentInputs(t, "covariance", false)
	out := stagetest.MustRun(t, stagetest.Fresh("tangent", "stop", "nilearn", "zscore", false), in)
	all, want := projected(t, in, out["fitted"]), tangentFixture(t, "nilearn_vector")
	at := 0
	for m := 0; m < len(all); m += 15 * 15 {
		for i := range 15 {
			for j := range i + 1 {
				v := all[m+i*15+j]
				if i == j {
					v /= math.Sqrt2
				}
				if math.Abs(v-want[at]) > 1e-12 {
					t.Fatalf("value %d: %v, nilearn %v", at, v, want[at])
				}
				at++
			}
		}
	}
	steps := stagetest.FloatsOf(t, out["steps"], "norm")
	if last := steps[len(steps)-1]; last/(15*15) >= 1e-7 {
		t.Errorf("nilearn stops at a norm of %g", last)
	}
}

// A test participant moves nothing that is fitted, a training participant does.
func TestTangentDoesNotSeeTheTested(t *testing.T) {
	for _, reference := range []string{"geometric", "controls", "euclidean", "logeuclidean"} {
		s := stagetest.Fresh("tangent", "reference", reference)
		if reference == "controls" {
			s = stagetest.Fresh("tangent", "reference", reference, "controls", "HC")
		}
		fit := func(changed int) []byte {
			in := tangentInputs(t, "pearson", true)
			if changed >= 0 {
				a, _ := in["matrices"][changed].Array()
				v := slices.Clone(a.Float64s())
				v[1], v[15] = v[1]+0.01, v[15]+0.01
				in["matrices"][changed] = dag.InputOf(encoding.NewArray(v, 1, 15, 15),
					in["matrices"][changed].Coords...)
			}
			return stagetest.Encoded(t, stagetest.MustRun(t, s, in)["fitted"])
		}
		before := fit(-1)
		// 10 is tested; 1 is a control (HC) and trained on; 0 is no control.
		for changed, same := range map[int]bool{10: true, 1: false, 0: reference == "controls"} {
			if bytes.Equal(before, fit(changed)) != same {
				t.Errorf("%s: participant %d is changed, and the fit is the same: %v", reference, changed, !same)
			}
		}
	}
}

func TestTangentRefuses(t *testing.T) {
	in := tangentInputs(t, "pearson", true)
	fitted := stagetest.MustRun(t, stagetest.Fresh("tangent"), in)["fitted"]
	change := func(i int, values func(v []float64)) func(map[string][]dag.Input) {
		return func(in map[string][]dag.Input) {
			a, _ := in["matrices"][i].Array()
			v := slices.Clone(a.Float64s())
			values(v)
			in["matrices"][i] = dag.InputOf(encoding.NewArray(v, 1, 15, 15), in["matrices"][i].Coords...)
		}
	}
	ones := func(v []float64) {
		for i := range v {
			v[i] = 1
		}
	}
	for _, c := range []struct {
		name   string
		stage  dag.Stage
		change func(map[string][]dag.Input)
		want   string
	}{
		{"a singular matrix", stagetest.Fresh("tangent"), change(3, ones), "sub-04: the matrix is not positive definite: its eigenvalues go from"},
		{"no variance", stagetest.Fresh("tangent"), change(3, func(v []float64) { v[16] = -1 }), "the variance of node 2 is -1: these are not covariance matrices"},
		{"NaN", stagetest.Fresh("tangent"), change(3, func(v []float64) { v[1] = math.NaN() }), "the connectivity of nodes 1 and 2 is NaN"},
		{"not symmetric", stagetest.Fresh("tangent"), change(3, func(v []float64) { v[1]++ }), "a symmetric matrix is needed"},
		{"no such group", stagetest.Fresh("tangent", "reference", "controls", "controls", "TD"),
			func(map[string][]dag.Input) {}, `controls: there is no group "TD"`},
		{"of everybody", stagetest.Fresh("tangent", "fold", 2), func(in map[string][]dag.Input) {
			members, _ := in["folds"][0].Table()
			f, _ := members.Column("fold")
			for i := range f.Values.([]int32) {
				f.Values.([]int32)[i] = 3
			}
			in["folds"] = []dag.Input{dag.InputOf(members)}
		}, "no test participants in fold 2 of repeat 1"},
	} {
		in := tangentInputs(t, "pearson", true)
		c.change(in)
		if _, err := stagetest.RunStage(t, c.stage, in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
	change(3, ones)(in)
	_, err := stagetest.RunStage(t, stagetest.Fresh("project"), map[string][]dag.Input{
		"matrices": in["matrices"][3:4], "fitted": {dag.InputOf(fitted)}})
	need.Error(t, err, "draw 0: the matrix is not positive definite", "a singular matrix is projected")
	if errs := stagetest.Fresh("tangent", "controls", "HC").(dag.Validator).Validate(); len(errs) != 1 {
		t.Errorf("a group of controls without reference: controls: %v", errs)
	}
}

// A region that some participants lack is excluded for all: their tangent matrices are those of participants who all
// lack it, and zero in that region.
func TestTangentLeavesOut(t *testing.T) {
	const n, region = 15, 4
	lacked := func(all bool) map[string][]dag.Input {
		in := tangentInputs(t, "pearson", true)
		for i, m := range in["matrices"] {
			if all || i%2 == 0 {
				v := slices.Clone(need.Value(m.Array())(t).Float64s())
				for j := range n {
					v[region*n+j], v[j*n+region] = 0, 0
				}
				in["matrices"][i] = dag.InputOf(encoding.NewArray(v, 1, n, n), m.Coords...)
			}
		}
		return in
	}
	some, all := lacked(false), lacked(true)
	tangents := func(regions string, in map[string][]dag.Input) []float64 {
		return projected(t, in, stagetest.MustRun(t, stagetest.Fresh("tangent", "regions", regions), in)["fitted"])
	}
	got, want := tangents("shared", some), tangents("all", all)
	if d := mostApart(got, want); d > 1e-9 {
		t.Errorf("%g apart", d)
	}
	if d := mostApart(tangents("all", some), want); d < 0.01 {
		t.Errorf("regions: all: %g apart: this test cannot fail", d)
	}
	for i, v := range got {
		if (i/n%n == region || i%n == region) && v != 0 {
			t.Fatalf("entry %d is %g", i, v)
		}
	}
}
