package fold

import (
	"fmt"
	"maps"
	"slices"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

// Untested are the participants that a setting trains on but never tests in the same repeat, sorted.
func Untested(folds []Tested) []string {
	tested := map[place]bool{}
	for _, f := range folds {
		for _, p := range f.Participants {
			tested[place{p.Id, int32(f.Repeat), 0}] = true
		}
	}
	left := map[string]bool{}
	for _, f := range folds {
		for _, id := range f.trained {
			if !tested[place{id, int32(f.Repeat), 0}] {
				left[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(left))
}

// LacksTexts say which settings have no test row for participants of folds that they test, as these are planned.
func LacksTexts(planned dag.Input, settings [][]Tested) (texts []string, err error) {
	rows, err := column.Read[leftOutRow](planned)
	if err != nil {
		return nil, err
	}
	for _, folds := range settings {
		has, tests := map[place]bool{}, map[place]bool{} // the latter without a participant
		for _, f := range folds {
			tests[place{"", int32(f.Repeat), int32(f.Fold)}] = true
			for _, p := range f.Participants {
				has[place{p.Id, int32(f.Repeat), int32(f.Fold)}] = true
			}
		}
		var lacks []string
		seen := map[string]bool{}
		for _, r := range rows {
			if tests[place{"", r.Repeat, r.Fold}] && !has[place{r.ID, r.Repeat, r.Fold}] && !seen[r.ID] {
				lacks, seen[r.ID] = append(lacks, r.ID), true
			}
		}
		if lacks != nil {
			texts = append(texts, fmt.Sprintf("%s has no test row for %s of its folds (%s): write one for each", folds[0].Name,
				words.Count(len(lacks), "participant"), words.Some(lacks, 5)))
		}
	}
	return texts, nil
}

// CheckGroups refuses predictions whose tested participants are in other groups than in a table of them, where its
// column group has the groups that are predicted.
func (all *Settings) CheckGroups(in dag.Input) error {
	table, err := in.Table()
	if err != nil {
		return err
	}
	_, group, err := column.ByParticipant(table, "group")
	if err != nil {
		return nil // a number is predicted, or another label
	}
	if !slices.Equal(slices.Compact(slices.Sorted(maps.Values(group))), slices.Sorted(slices.Values(all.Groups))) {
		return nil
	}
	for _, folds := range all.Settings {
		var other []string
		tested := Distinct(folds)
		for _, id := range slices.Sorted(maps.Keys(tested)) {
			if own := all.Groups[tested[id]]; group[id] != "" && group[id] != own {
				other = append(other, fmt.Sprintf("%s (%s, there %s)", id, own, group[id]))
			}
		}
		if other != nil {
			return fmt.Errorf("the predictions have other groups than %s: %s: write group and label as they are there, "+
				"and check the order of the rows", in.Name, words.Some(other, 5))
		}
	}
	return nil
}

// PartText says that a setting tests some of its participants only, and in which folds; "" where it tests everybody.
func PartText(folds []Tested) string {
	left := Untested(folds)
	if left == nil {
		return ""
	}
	var numbers []string
	for _, f := range folds {
		if n := fmt.Sprint(f.Fold); !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	tested := Distinct(folds)
	seen := len(tested)
	for _, id := range left { // in another repeat it may have been tested
		if _, ok := tested[id]; !ok {
			seen++
		}
	}
	return fmt.Sprintf("%s was tested on %d of %s (fold %s)", folds[0].Name, len(tested), words.Count(seen, "participant"), words.Some(numbers, 8))
}

// TestedApart is a finding where settings were tested on different participants.
func TestedApart(settings [][]Tested) (all finding.List) {
	first := Distinct(settings[0])
	if !slices.ContainsFunc(settings, func(fs []Tested) bool { return !maps.Equal(Distinct(fs), first) }) {
		return nil
	}
	var parts []string
	for _, fs := range settings {
		parts = append(parts, fmt.Sprintf("%s: %d", fs[0].Name, len(Distinct(fs))))
	}
	all.Add(finding.Finding{Code: "classifiers.tested-apart", Weight: finding.Limits, Numbers: map[string]any{"Tested": parts}})
	return all
}
