package modelfile

import (
	"fmt"
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// A file describes no fewer than ten people, and no number of it is that of one person.
func TestDescribe(t *testing.T) {
	var ids, sex, gender []string
	var age []float64
	for i := range 24 {
		ids, age = append(ids, fmt.Sprint(i)), append(age, float64(i*i))
		sex, gender = append(sex, []string{"F", "M"}[i%2]), append(gender, []string{"F", "M"}[min(1, i/15)])
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "age", Values: age}, encoding.Column{Name: "sex", Values: sex},
		encoding.Column{Name: "gender", Values: gender}, encoding.Column{Name: "iq", Values: age},
		encoding.Column{Name: "site", Values: sex})
	scans := Scans{column.MeanFD: {"1": 0.1, "2": 0.2}}
	for _, id := range ids {
		scans.Add(id, encoding.NewTable(encoding.Column{Name: "tr", Values: []float64{0.72}}))
	}
	of := Describe(need.Value(ValuesOf(ids, people, scans))(t))
	need.Equal(t, len(of), 4) // gender: 9 M
	need.Equal(t, fmt.Sprint(of[2].Name, of[2].Shares), "sitemap[F:0.5 M:0.5]")
	need.Equal(t, fmt.Sprint(of[3].Name, of[3].Low, of[3].High), "tr0.72 0.72")
	need.Equal(t, of[0].Low, (0.0+1+4+9+16)/5)
	need.Equal(t, of[1].Shares["F"], 0.5)
	for _, x := range []float64{of[0].Low, of[0].Median, of[0].High, of[0].Mean, of[0].SD} {
		if r := math.Sqrt(x); r == math.Round(r) {
			t.Errorf("%v is the age of a participant", x)
		}
	}
	need.Equal(t, len(Describe(need.Value(ValuesOf(ids[:9], people, scans))(t))), 0)
}

// A missing category is none, with or without its mark in the file.
func TestValuesOfMissing(t *testing.T) {
	ids := []string{"1", "2", "3", "4"}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "sex", Values: []string{"F", "n/a", "", "M"}, Valid: []bool{true, true, true, false}})
	need.Equal(t, fmt.Sprint(need.Value(ValuesOf(ids, people, nil))(t)[0].Categories), "[F]")
}

// What one of two cohorts has no values of is not compared; volumes of matrices stand for those of the cleaning.
func TestNotCompared(t *testing.T) {
	ids := []string{"1", "2"}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "Age", Values: []float64{20, 30}})
	scans := Scans{}
	scans.Add("1", encoding.NewTable(encoding.Column{Name: "kept", Values: []float64{90}}))
	for _, id := range ids {
		scans.AddVolumes(id, encoding.NewTable(encoding.Column{Name: "volumes", Values: []int32{120, 119}}))
	}
	scans.AddVolumes("3", encoding.NewTable(encoding.Column{Name: "volumes", Values: []int32{0}})) // not known
	need.Equal(t, fmt.Sprint(scans), "map[kept:map[1:90 2:120]]")
	values := need.Value(ValuesOf(ids, people, scans))(t)
	for _, c := range []struct {
		trained []string
		want    string
	}{
		{[]string{"age", "kept", "tr"}, "[tr] []"},
		{[]string{"age", "sex", "kept"}, "[sex] [tr]"},
		{nil, "[] [tr kept]"},
	} {
		var trained []Variable
		for _, name := range c.trained {
			trained = append(trained, Variable{Name: name})
		}
		own, others := NotCompared(trained, values)
		need.Equal(t, fmt.Sprint(own, others), c.want)
	}
}

// The recalibration is the logistic regression of the outcomes on the log odds.
func TestRecalibrated(t *testing.T) {
	var all []Heldout
	for i := range 200 {
		p := (float64(i) + 0.5) / 200
		all = append(all, Heldout{p, i%3 == 0 || i > 120})
	}
	r := Recalibrated(all)
	if r == nil || r.Participants != 200 {
		t.Fatalf("%+v", r)
	}
	observed, mean := 0.0, 0.0
	for _, h := range all {
		mean += r.Apply(h.Probability) / 200
		if h.Second {
			observed += 1.0 / 200
		}
	}
	if math.Abs(observed-mean) > 1e-9 {
		t.Errorf("mean %v, observed %v", mean, observed)
	}
	if r := Recalibrated(all[:24]); r != nil {
		t.Errorf("of 8 in one group: %+v", r)
	}
}
