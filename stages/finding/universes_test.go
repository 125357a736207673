package finding

import (
	"math"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

func TestMultiverse(t *testing.T) {
	off := (&Results{}).Multiverse([]column.JointRow{{Statistic: "median", P: 0.01, Test: true, NullMedian: -0.1,
		Universes: 8, Permutations: 999}, {Statistic: "share", Value: 1}})
	need.Equal(t, off[0].Code, "multiverse.null-not-zero")
	need.Equal(t, off[0].Numbers.(Universe).Kept, false)
	// Labels permuted within sites keep what the sites say of the groups: the median is above 0.
	kept := (&Results{Accuracy: []Row{{Within: "site"}}}).Multiverse([]column.JointRow{{Statistic: "median", P: 0.01,
		Test: true, NullMedian: 0.33, Universes: 8, Permutations: 999},
		{Statistic: "share", Value: 1}})[0].Numbers.(Universe)
	need.Equal(t, kept.Kept, true)
	need.Equal(t, kept.Within, "site")
	for _, c := range []struct {
		p, share               float64
		permutations, repeated int32
		want                   string
	}{
		{0.01, 0.8, 999, 0, ""},
		{0.045, 0.5, 199, 0, ""},
		{0.045, 0.4, 199, 0, "multiverse.few-universes limits"},
		{0.05, 0.4, 199, 0, "multiverse.not-significant limits"},
		{0.06, 0.1, 199, 0, "multiverse.not-significant limits"},
		{0.06, 0, 199, 0, ""},
		{0.01, 1, 99, 2, "multiverse.few-permutations limits, multiverse.repeated notes"},
	} {
		rows := []column.JointRow{{Statistic: "median", P: c.p, Test: true}, {Statistic: "share", P: 0.5,
			Value: c.share},
			{Statistic: "best", P: 0.2}}
		for i := range rows {
			rows[i].Universes, rows[i].Repeated, rows[i].Permutations = 8, c.repeated, c.permutations
		}
		got := lists.Map((&Results{}).Multiverse(rows),
			func(f Finding) string { return f.Code + " " + f.Weight.String() })
		need.Equal(t, strings.Join(got, ", "), c.want, c)
	}
}

// A share by weight has the number of universes beside it.
func TestMultiverseOfWeights(t *testing.T) {
	rows := []column.JointRow{{Statistic: "share", Value: 0.4, P: 0.01, Test: true, Universes: 5, Significant: 3,
		By: "model", Permutations: 199}}
	u := (&Results{}).Multiverse(rows)[0].Numbers.(Universe)
	need.Equal(t, u, Universe{Statistic: "share", P: 0.01, Share: 0.4, Universes: 5, Permutations: 199, Significant: 3,
		By: "model"})
}

// The joint test that the file sets is the answer, and no other statistic.
func TestJoint(t *testing.T) {
	for _, c := range []struct {
		p, median float64
		related   bool
		want      State
	}{
		{0.005, 0.1, false, Above}, {0.045, 0.1, false, Above},
		{0.05, 0.1, false, NotAbove}, {0.06, 0.1, false, NotAbove},
		{0.005, 0.1, true, Dependent}, {0.005, -0.01, false, NotAboveMajority},
	} {
		rows := []column.JointRow{{Statistic: "best", P: 1 - c.p},
			{Statistic: "median", P: c.p, Value: c.median, Test: true}}
		need.Equal(t, (&Results{Related: related(c.related)}).Joint(rows), c.want)
	}
	need.Equal(t, (&Results{}).Joint(nil), Untested)
}

// Where no p can be below 0.05 there is no joint test, and the findings state only why.
func TestNoJointTest(t *testing.T) {
	for _, c := range []struct {
		least float64
		want  string
	}{{1. / 21, ""}, {1. / 20, "multiverse.untested"}, {1. / 16, "multiverse.untested"}, {1, "multiverse.untested"},
		{math.NaN(), ""}} {
		rows := []column.JointRow{{Statistic: "median", P: 0.04, Value: 0.1, Test: true, Least: c.least},
			{Statistic: "share", Value: 0.6, Least: c.least}}
		for i := range rows {
			rows[i].Universes, rows[i].Permutations = 8, 199
		}
		got := lists.Map((&Results{}).Multiverse(rows), func(f Finding) string { return f.Code })
		need.Equal(t, strings.Join(got, ", "), c.want, c)
		need.Equal(t, (&Results{}).Joint(rows) == Untested, c.want != "", c)
		need.Equal(t, (&Results{}).NotJoint(rows) != nil, c.want != "", c)
	}
	need.Equal(t, (&Results{}).NotJoint(nil) == nil, true)
}

// Permuted labels that predict the group within a column are a finding of one setting, which limits what its AUC shows.
func TestNullAboveChance(t *testing.T) {
	of := Subject{Classifier: "ridge", Setting: []dag.Coord{{Axis: "model", Value: "ridge"}}}
	for _, c := range []struct {
		auc    float64
		within string
		want   int
	}{{0.8, "site", 1}, {0.55, "site", 1}, {0.54, "site", 0}, {0.2, "site", 0}, {0.8, "", 0}, {math.NaN(), "site", 0}} {
		need.Equal(t, len(NullAboveChance(of, c.auc, c.within, 0.7, true)), c.want, c)
	}
	need.Equal(t, NullAboveChance(of, 0.8, "site", 0.7, true)[0].Weight, Limits) // the p is of such labels
}
