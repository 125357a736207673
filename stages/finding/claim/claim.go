// Package claim is what the top of a page concludes, and which findings question it.
package claim

import (
	"cmp"
	"maps"
	"slices"

	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// A Claim is what a sentence or a tile at the top of a page concludes: that models predict better than chance, or that
// edges are significant.
type Claim struct {
	Models []Model
	Edges  *column.EdgeSummaryRow // nil: not of edges
	Cohort bool                   // of models on another cohort: every finding of the page concerns it
	Joint  bool                   // Models are those of the universes, and last what all of them have in common
}

// A Model is a model of a claim.
type Model struct {
	finding.Subject
	Removed []string                // covariates whose effects were removed from its data
	Within  string                  // the column within whose values its test permutes labels; "" for none
	leaks   bool                    // its training may have the known leakage of a finding
	behind  func(stage string) bool // a stage made what it takes
}

// Of is the claim that classifiers are above chance.
func Of(a *finding.Results, rows ...finding.Row) (c Claim) {
	for _, r := range rows {
		port := cmp.Or(a.Port, "evaluation")
		if r.Chosen {
			port = "nested"
		}
		leaks := r.Leaks || len(a.Admitted) == 0
		m := modelOf(a, r.Subject(), a.StageBehind(r.Coords, port), leaks)
		m.Within = r.Within
		c.Models = append(c.Models, m)
	}
	return c
}

// ofNumber is the claim that models of a number predict it.
func ofNumber(a *finding.Results, rows ...column.RegressionRow) (c Claim) {
	for _, r := range rows {
		m := modelOf(a, finding.Subject{Classifier: r.Name, Setting: r.Coords},
			a.StageBehind(r.Coords, "regression"), true)
		if of := a.ResidualOf(r.Coords); of != nil {
			m.Removed = slices.Concat(m.Removed, of.Covariates)
		}
		c.Models = append(c.Models, m)
	}
	return c
}

// Named is the claim that models with these names are above chance.
func Named(a *finding.Results, names []string) Claim {
	if a.Regression != nil {
		return ofNumber(a, slices.DeleteFunc(slices.Clone(a.Regression), func(r column.RegressionRow) bool {
			return !slices.Contains(names, r.Name)
		})...)
	}
	return Of(a, slices.DeleteFunc(a.PerParticipant(), func(r finding.Row) bool {
		return !slices.Contains(names, r.Called())
	})...)
}

// OfUniverses is the claim of the joint test of a multiverse.
func OfUniverses(a *finding.Results) Claim {
	c := Of(a, slices.DeleteFunc(a.PerParticipant(), func(r finding.Row) bool { return !r.Own })...)
	c.Models = append(c.Models, modelOf(a, finding.Subject{}, a.Plan.Shown("multiverse", "universe_tests"), true))
	c.Joint = true
	return c
}

// Concerned counts the universes of a joint test that findings question; all where these concern the test.
func (c Claim) Concerned(l finding.List) (concerned, universes int) {
	universes = len(c.Models) - 1
	for i, m := range c.Models {
		if !slices.ContainsFunc(l, func(f finding.Finding) bool { return f.Questions() && concernsModel(f, m) }) {
			continue
		}
		if i == universes {
			return universes, universes
		}
		concerned++
	}
	return concerned, universes
}

func modelOf(a *finding.Results, of finding.Subject, stage *finding.StageSettings, leaks bool) Model {
	m := Model{of, nil, "", leaks, func(string) bool { return true }}
	if stage != nil {
		behind := before(a.Plan, stage)
		m.Removed, m.behind = removed(a.Plan, stage), func(name string) bool { return behind[name] }
	}
	return m
}

// before are the stages whose results a stage's predictions depend on, and the stage.
func before(s *finding.Settings, of *finding.StageSettings) map[string]bool {
	seen := map[string]bool{of.Stage: true}
	for todo := []*finding.StageSettings{of}; len(todo) > 0; todo = todo[1:] {
		for port := range todo[0].Inputs {
			for _, from := range s.Sources(todo[0], port) {
				if !todo[0].Aside(port) && from.Kind != "leakage" && !seen[from.Stage] {
					seen[from.Stage], todo = true, append(todo, from)
				}
			}
		}
	}
	return seen
}

// removed are the covariates whose effects were removed from everything that one of a stage's inputs has.
func removed(s *finding.Settings, of *finding.StageSettings) (covariates []string) {
	known := map[*finding.StageSettings][]string{}
	var find func(of *finding.StageSettings) []string
	find = func(of *finding.StageSettings) []string {
		all, seen := known[of]
		if seen {
			return all
		}
		known[of] = nil
		if of.Kind == "residualize" {
			for _, fit := range s.Sources(of, "fitted") {
				all = append(all, fit.List("covariates")...)
			}
		}
		for _, port := range slices.Sorted(maps.Keys(of.Inputs)) {
			var common []string
			for i, from := range s.Sources(of, port) {
				own := find(from)
				if common = slices.DeleteFunc(common, func(c string) bool { return !slices.Contains(own, c) }); i == 0 {
					common = slices.Clone(own)
				}
			}
			if !of.Aside(port) {
				all = append(all, common...)
			}
		}
		known[of] = all
		return all
	}
	return find(of)
}

// Concerns reports whether a finding questions a claim.
func Concerns(f finding.Finding, c Claim) bool {
	return f.Questions() && (c.Cohort || c.Edges != nil && concernsEdges(f, *c.Edges) ||
		slices.ContainsFunc(c.Models, func(m Model) bool { return concernsModel(f, m) }))
}

func concernsModel(f finding.Finding, m Model) bool {
	numbers := finding.Values(f.Numbers)
	name, _ := numbers["Name"].(string)
	switch {
	case !f.OfModels(m.behind):
		return false
	case f.Subject.Classifier != "" || f.Subject.Setting != nil:
		return slices.Equal(f.Subject.Setting, m.Setting) && f.Subject.Classifier == m.Classifier
	case f.Code == "fit.one-group":
		models, known := numbers["Models"].([]string)
		return !known || slices.Contains(models, m.Classifier)
	case f.Code == "training.leakage":
		return m.leaks
	case f.Kind() == "covariate" && (numbers["Beyond"] == true ||
		name != "" && (name == m.Within || slices.Contains(m.Removed, name))):
		return false
	}
	return f.Subject.Only.Has(m.Setting)
}

func concernsEdges(f finding.Finding, r column.EdgeSummaryRow) bool {
	numbers := finding.Values(f.Numbers)
	name, _ := numbers["Name"].(string)
	switch kind := f.Kind(); {
	case f.Subject.Classifier != "" || f.Subject.Setting != nil, f.Code == "fit.one-group", kind == "training",
		kind == "applied", kind == "validation", f.Code == "leakage.unchecked-program":
		return false
	case kind == "noted" && f.Subject.Results == "":
		return !slices.Contains([]any{column.DoubtRelated, column.DoubtMatched}, numbers["Doubt"])
	case kind == "reliability", f.Subject.Results == finding.EdgeChanges:
		return len(r.Sessions) > 0
	case kind == "covariate":
		adjusted := name != "" && (name == r.Within || slices.Contains(r.Covariates, name))
		return (r.Test == "group" || r.Test == column.Target) && !adjusted
	}
	return true
}

// Adjusted adds to the findings about covariates that predict the group the models from whose data their effects were
// removed, and whether the tests of all claimed models permute labels within their values. Where findings about
// covariates concern no claim, but for these reasons, they limit a result and do not overturn it.
func Adjusted(l finding.List, models []Model, claims ...Claim) finding.List {
	l = slices.Clone(l)
	for i, f := range l {
		numbers, removed := finding.Values(f.Numbers), []string(nil)
		is := func(column string) bool { return column != "" && any(column) == numbers["Name"] }
		for _, m := range models {
			if slices.ContainsFunc(m.Removed, is) {
				removed = append(removed, m.Classifier)
			}
		}
		var claimed []Model
		for _, c := range claims {
			claimed = append(claimed, c.Models...)
		}
		permuted := claimed != nil && !slices.ContainsFunc(claimed, func(m Model) bool { return !is(m.Within) })
		if f.Code == "covariate.predicts-group" && (permuted || removed != nil) {
			numbers["Permuted"], numbers["Removed"], l[i].Numbers = permuted, removed, numbers
		} else if numbers["Beyond"] != true {
			continue
		}
		if (len(claims) > 0 || numbers["Beyond"] == true) &&
			!slices.ContainsFunc(claims, func(c Claim) bool { return Concerns(f, c) }) {
			l[i].Weight = max(f.Weight, finding.Limits)
		}
	}
	var sorted finding.List
	sorted.Add(l...)
	return sorted
}

// Before are the findings with those first that concern a claim: of the first claim before those of the others, and of
// these the ones that concern more claims. A finding on models of no claim stands behind those on the models of the
// claims.
func Before(l finding.List, claims ...Claim) finding.List {
	type place struct{ first, claims int }
	of := func(f finding.Finding) (p place) {
		p.first = len(claims)
		for i, c := range slices.Backward(claims) {
			if Concerns(f, c) {
				p.first = i
				p.claims++
			}
		}
		return p
	}
	l = slices.Clone(l)
	slices.SortStableFunc(l, func(x, y finding.Finding) int {
		a, b := of(x), of(y)
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(b.claims, a.claims))
	})
	if len(claims) == 0 {
		return l
	}
	last := -1
	claimed := func(f finding.Finding) bool {
		return slices.ContainsFunc(claims, func(c Claim) bool { return c.isOf(f) })
	}
	for i, f := range l {
		if f.Weight < finding.Notes && claimed(f) {
			last = i
		}
	}
	var own, others finding.List
	for _, f := range l[:last+1] {
		if f.Subject.Setting != nil && !claimed(f) && of(f).claims == 0 {
			others = append(others, f)
		} else {
			own = append(own, f)
		}
	}
	return slices.Concat(own, others, l[last+1:])
}

// isOf reports whether a finding is on models of a claim: on their settings, or on covariates whose effects were
// removed from their data.
func (c Claim) isOf(f finding.Finding) bool {
	removed, _ := finding.Values(f.Numbers)["Removed"].([]string)
	return slices.ContainsFunc(c.Models, func(m Model) bool {
		return f.Subject.Setting != nil && slices.Equal(f.Subject.Setting, m.Setting) ||
			slices.Contains(removed, m.Classifier)
	})
}

// Places are those of the cautions of a page that concern a claim, from 1.
func Places(l finding.List, c Claim) (at []int) {
	for i, g := range l.Grouped() {
		if slices.ContainsFunc(g.Findings, func(f finding.Finding) bool { return Concerns(f, c) }) {
			at = append(at, i+1)
		}
	}
	return at
}
