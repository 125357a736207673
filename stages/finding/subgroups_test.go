package finding

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
)

func TestSubgroups(t *testing.T) {
	test := func(name, of, measure string, holm float64) column.SubgroupTestRow {
		return column.SubgroupTestRow{Name: name, Column: of, Measure: measure, Holm: holm, Permutations: 99}
	}
	for _, c := range []struct {
		groups []column.SubgroupRow
		tests  []column.SubgroupTestRow
		want   string
	}{
		{nil, []column.SubgroupTestRow{test("a", "sex", "auc", 0.051), test("a", "age", "auc", math.NaN())}, ""},
		{nil, []column.SubgroupTestRow{test("a", "sex", "auc", 0.049), test("b", "sex", "auc", 0.01),
			test("a", "sex", "accuracy", 0.02)}, "subgroups.differ subgroups.differ"},
		{nil, []column.SubgroupTestRow{{Column: "sex", Holm: 1, Related: true, P: math.NaN()}}, "subgroups.related"},
		{nil, slices.Repeat([]column.SubgroupTestRow{test("a", "sex", "auc", 1)}, 5), "subgroups.powerless"},
		{nil, slices.Repeat([]column.SubgroupTestRow{test("a", "sex", "auc", 1)}, 4), ""},
		{nil, slices.Repeat([]column.SubgroupTestRow{test("a", "sex", "mae", 1)}, 5), "subgroups.powerless"},
		{[]column.SubgroupRow{{Column: "site", Group: "1", Suppressed: "<10"}, {Name: "b", Column: "site", Group: "1",
			Suppressed: "<10"}, {Column: "sex", Group: "F"}}, nil, "subgroups.suppressed"},
	} {
		noted := Subgroups(c.groups, c.tests, []column.Note{{Doubt: column.DoubtIndependence}}, "site")
		need.Equal(t, slices.Contains(strings.Fields(codes(noted)), "subgroups.related"), false)
		got := Subgroups(c.groups, c.tests, nil, "site")
		need.Equal(t, codes(got), c.want)
		switch c.want {
		case "subgroups.suppressed":
			need.Equal(t, got[0].Values()["N"].(int), 1)
		case "subgroups.powerless":
			need.Equal(t, got[0].Values()["Number"].(bool), c.tests[0].Measure == "mae")
		case "subgroups.differ subgroups.differ":
			need.Equal(t, len(got[0].Values()["Also"].([]string)), 1)
		}
	}
}

// One finding has the classifiers that differ in the same direction between the same groups: its numbers are of the
// first.
func TestSubgroupsDifferInOneDirection(t *testing.T) {
	test := func(name, high, low string, difference float64) column.SubgroupTestRow {
		return column.SubgroupTestRow{Name: name, Column: "sex", Measure: "auc", High: high, Low: low,
			Difference: difference, Holm: 0.01, Permutations: 999}
	}
	got := Subgroups(nil, []column.SubgroupTestRow{test("a", "F", "M", 0.2), test("b", "M", "F", 0.3),
		test("c", "F", "M", 0.4), test("d", "F", "M", -0.1), test("e", "F", "U", 0.1)}, nil, "site")
	need.Equal(t, got[0].Values()["Within"], any("site"))
	sites := []column.SubgroupTestRow{test("a", "F", "M", 0.2)}
	sites[0].Column = "site" // compared within classes alone
	need.Equal(t, Subgroups(nil, sites, nil, "site")[0].Values()["Within"], any(""))
	// An interval that includes 0 beside a significant p needs a word; one of a reversed difference has its own.
	for _, c := range []struct {
		difference, low float64
		want            bool
	}{{0.2, -0.03, true}, {0.2, 0.01, false}, {-0.1, -0.3, false}} {
		one := test("a", "F", "M", c.difference)
		one.DiffLow, one.DiffHigh = c.low, 0.4
		need.Equal(t, Subgroups(nil, []column.SubgroupTestRow{one}, nil, "")[0].Values()["Includes"], any(c.want))
	}
	var names []string
	for _, f := range got {
		of := f.Values()
		names = append(names, strings.Join(append([]string{of["Classifier"].(string)}, of["Also"].([]string)...), " "))
	}
	need.Equal(t, strings.Join(names, "; "), "a c; b; d; e")
}

// Subgroups of another positive group than the evaluation have a caution.
func TestOtherPositive(t *testing.T) {
	for _, c := range []struct {
		evaluated, own string
		found          int
	}{{"HC", "ASD", 1}, {"ASD", "ASD", 0}, {"n/a", "ASD", 0}, {"HC", "", 0}} {
		need.Equal(t, len(OtherPositive(c.evaluated, c.own)), c.found)
	}
}
