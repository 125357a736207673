package finding

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// A model that does not state how its matrices were made limits what its application shows, and one without a digest
// may have been altered.
func TestAppliedUnknown(t *testing.T) {
	need.Equal(t, codes(Applied{Models: 2, Unknown: 1}.Findings()), "applied.unknown")
	need.Equal(t, codes(Applied{Models: 2, Unnamed: 2}.Findings()), "applied.unnamed")
	named := Applied{Models: 2, Unnamed: 2, Named: true, Unlisted: 2}.Findings()
	need.Equal(t, codes(named)+" "+named[0].Weight.String(), "applied.unnamed applied.not-compared overturns")
	need.Equal(t, codes(Applied{Models: 2, Undigested: 1}.Findings()), "applied.undigested")
	other := Applied{Models: 2, Column: "iq", Compared: "score", Other: true}.Findings()
	need.Equal(t, codes(other)+" "+other[0].Weight.String(), "applied.other-column overturns")
	need.Equal(t, codes(Applied{Models: 2, Compared: "iq"}.Findings()), "applied.column-unknown")
	need.Equal(t, codes(Applied{Models: 2, Column: "age", Compared: "Age_at_scan"}.Findings()), "")
	need.Equal(t, codes(Applied{Models: 2, Removed: []string{"age"}}.Findings()), "applied.residual")
	controls := Applied{Models: 2, Participants: 1, Aside: 2, Known: []string{"a", "b", "c"}}
	need.Equal(t, Values(controls.Findings()[0].Numbers)["Of"], any(3))
	harmonized := Applied{Models: 2, NewSites: &column.NewSites{Sites: []string{"c"}}}
	need.Equal(t, codes(harmonized.Findings()), "applied.harmonized")
	need.Equal(t, codes(Applied{Models: 2, NotFitted: []string{"residualize"}}.Findings()), "applied.not-fitted")
	made := Applied{Models: 2, Made: []string{"denoise.detrend is 2, not 1"}}.Findings()
	need.Equal(t, codes(made)+" "+made[0].Weight.String(), "applied.made limits")
	fitted := Applied{Models: 2, Deconfounded: []string{"age"}, FittedTo: "HC"}.Findings()
	need.Equal(t, codes(fitted), "applied.one-group applied.deconfounded")
	need.Equal(t, questions(fitted), 1)
	related := Applied{Models: 2, Related: []string{"fam: 4 of 4 participants share 2 values"}}.Findings()
	need.Equal(t, codes(related), "validation.related")
	need.Equal(t, questions(related), 1)
	// log odds 0.754, of age, and half its interval 1.96·0.08/0.2176 = 0.721 of one test, 0.880 of three
	far, near := Alone{"mean_fd", 0.8, 0.07, 22, 22}, Alone{"age", 0.68, 0.08, 22, 22}
	need.Equal(t, codes(Applied{Models: 2, Alone: []Alone{near}}.Findings()), "validation.covariate")
	need.Equal(t, codes(Applied{Models: 2, NewLacks: []string{"tr"}}.Findings()), "validation.not-compared")
	need.Equal(t, codes(Applied{Models: 2, TrainingLacks: []string{"tr", "kept"}}.Findings()), "validation.not-compared")
	alone := Applied{Models: 2, Alone: []Alone{far, near, {"sex", 0.5, 0.1, 22, 22}}}.Findings()
	need.Equal(t, codes(alone), "validation.covariate")
	need.Equal(t, alone[0].Values()["Name"], any("mean_fd"))
	low := AloneOf("age", []float64{1, 2, 3, 4}, []float64{5, 6, 3, 7}) // 1½ of 16 pairs: reversed
	need.Equal(t, low.AUC, 1-1.5/16)
	var questioned Applied
	questioned.Question(nil)
	need.Equal(t, codes(questioned.Findings()), "")
	questioned.Question([]string{"a", "b"})
	questioned.Question([]string{"b"})
	need.Equal(t, codes(questioned.Findings()), "applied.questioned")
	need.Equal(t, questions(questioned.Findings()), 0) // the new cohort is none of it
	need.Equal(t, strings.Join(questioned.Questioned, " "), "a b")
}

func TestAppliedFindings(t *testing.T) {
	for _, c := range []struct {
		trained  []string // of the model
		listed   bool
		id, same string
		known    bool
		equal    bool
		zeros    []string
		want     string
	}{
		{[]string{"sub-1", "sub-2"}, true, "sub-3", "", false, false, nil, ""},
		{[]string{"sub-1", "sub-2"}, true, "sub-1", "", true, false, nil, "applied.trained"},
		{[]string{"sub-1", "sub-2"}, true, "sub-1", "", false, true, nil, "applied.equal-id"},
		{[]string{"sub-1", "sub-2"}, true, "sub-1", "", true, true, nil, "applied.trained"},
		{[]string{"sub-1", "sub-2"}, true, "sub-3", "sub-1", false, false, nil, "applied.same-data"},
		{[]string{"sub-1", "sub-2"}, false, "sub-3", "", false, false, nil, "applied.not-compared"},
		{[]string{"sub-1", "sub-2"}, true, "sub-2", "sub-1", true, false, []string{"sub-2"},
			"applied.trained applied.same-data applied.zeros"},
	} {
		var a Applied
		a.AddModel(c.trained, c.listed)
		a.AddModel([]string{"sub-2"}, true)
		a.Participants, a.Zeros = 1, c.zeros
		a.AddParticipant(c.id, c.known, c.equal, c.same)
		need.Equal(t, codes(a.Findings()), c.want, c)
		table := encoding.NewTable()
		table.Meta = a.Meta()
		read := need.Value(ReadApplied(table))(t)
		need.Equal(t, [4]int{read.Models, read.Least, read.Most, read.Trained}, [4]int{2, 1, 2, 2})
		need.Equal(t, codes(read.Findings()), c.want, c)
		need.Equal(t, codes(need.Value(Of(table.Meta))(t)), c.want, c)
	}
}

// Equal means are a caution where ids and data do not show the training participants already.
func TestAppliedSameMeans(t *testing.T) {
	a := Applied{Participants: 9, Trained: 9, Shift: &Shift{Inputs: 276}, SameMeans: true}
	need.Equal(t, codes(a.Findings()), "applied.same-means")
	a.Known = []string{"sub-1"}
	need.Equal(t, codes(a.Findings()), "applied.trained")
}
