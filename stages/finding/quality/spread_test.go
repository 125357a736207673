package quality

import (
	"fmt"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
)

// Matrices of one group, or of the higher values of a number, whose correlations spread more widely are a finding;
// where their means differ, too, it limits a result. What sites alone have, and matrices that are alike, give none.
func TestSpreadsDiffer(t *testing.T) {
	r := random.New(5, "spread")
	second := func(by float64) func(i int) float64 { return func(i int) float64 { return by * float64(i%2) } }
	atSite := func(own float64) func(i int) float64 {
		return func(i int) float64 { return 0.1*float64(i/2%2) + own*float64(i%2) }
	}
	for _, c := range []struct {
		name         string
		spread, mean func(i int) float64 // of the participant, added
		site, number bool
		want         string
	}{
		{"alike", nil, nil, false, false, ""},
		{"one group", second(0.1), nil, false, false, "overturns 1.00 [{A 0.2} {B 0.3}]"},
		{"and its mean", second(0.1), second(0.2), false, false, "limits 1.00 [{A 0.2} {B 0.3}]"},
		{"a site", atSite(0), nil, true, false, ""},
		{"a group at sites", atSite(0.02), nil, true, false, "overturns 1.00 [{A 0.25} {B 0.27}]"},
		{"number, alike", nil, nil, false, true, ""},
		{"a fifth", func(i int) float64 { return 0.1 * float64(i/32) }, nil, false, true,
			"overturns 1.00 [{ 0.2} { 0.3}]"},
		{"number, some", func(i int) float64 { return 0.0003 * float64(i) }, nil, false, true,
			"limits 0.89 [{ 0.2} { 0.208}]"},
	} {
		people := &column.People{Group: map[string]string{}}
		if c.number {
			people.Target, people.Numbers = "score", map[string]float64{}
		}
		site := map[string]string{}
		var forms []Form
		for i := range 40 {
			id := fmt.Sprintf("sub-%02d", i)
			people.Ids = append(people.Ids, id)
			if c.number {
				people.Numbers[id] = float64(i)
			} else {
				people.Group[id] = []string{"A", "B"}[i%2]
			}
			of := column.Spectrum{Mean: 0.2 + 0.01*r.Normal(), Spread: 0.2 + 0.001*r.Normal()}
			if c.name == "number, some" {
				of.Spread += 0.005 * r.Normal()
			}
			if c.spread != nil {
				of.Spread += c.spread(i)
			}
			if c.mean != nil {
				of.Mean += c.mean(i)
			}
			if c.site {
				site[id] = []string{"a", "b"}[i/2%2]
			}
			forms = append(forms, Form{id, column.MatrixForm{Port: "pearson", Spectrum: of}},
				Form{id, column.MatrixForm{Port: "partial"}})
		}
		got := ""
		for _, f := range SpreadsDiffer(forms, people, site) {
			v := f.Values()
			got = fmt.Sprintf("%s %.2f [", f.Weight, v["AUC"])
			for i, g := range v["Groups"].([]GroupMean) {
				if i > 0 {
					got += " "
				}
				got += fmt.Sprintf("{%s %.3g}", g.Name, g.Mean)
			}
			got += "]"
		}
		need.Equal(t, got, c.want, c.name)
	}
}

// Matrices of one group whose values are rounded, or set to 0, are a finding, unless few values are.
func TestValuesRepeat(t *testing.T) {
	for share, want := range map[float64]string{0.9: "matrices.values-repeat", 0.03: "matrices.values-repeat", 0.01: "", 0: ""} {
		people := &column.People{Group: map[string]string{}}
		var forms []Form
		for i := range 40 {
			id := fmt.Sprintf("sub-%02d", i)
			people.Ids = append(people.Ids, id)
			people.Group[id] = []string{"A", "B"}[i%2]
			forms = append(forms, Form{id, column.MatrixForm{Port: "pearson", Repeated: share * float64(i%2)}})
		}
		found := SpreadsDiffer(forms, people, nil)
		need.Equal(t, codesIn(found), want, share)
		if want != "" {
			need.Equal(t, found[0].Values()["Groups"].([]GroupMean)[1].Mean, share)
		}
	}
}
