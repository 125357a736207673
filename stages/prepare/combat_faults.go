package prepare

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity/combat"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// Faults are those of the participants, before anything runs: why the stage cannot fit its fold, or harmonize not apply
// the fit. planned are the folds of the first repeat. once has what the folds have in common: the table of the people.
func (s *Combat) Faults(people, planned *encoding.Table, once func(name string, value func() any) any) (
	faults []column.Fault) {
	if planned == nil || s.Repeat != 1 {
		return nil
	}
	read := once(strings.Join(append([]string{s.Site}, s.Preserve...), "\x00"), func() any {
		b := s.book()
		if b.Read(people, "", s.Preserve) != nil {
			return nil
		}
		return *b
	})
	of, ok := read.(combatBook)
	if !ok {
		return nil
	}
	b := &of // each fold adds its own sites
	b.Facts = s.book().Facts
	members, err := column.Rows[fold.LabeledMember](planned)
	if err != nil {
		return nil
	}
	var trained, tested []string
	all, count, here := map[string][]string{}, map[string]int{}, map[string]bool{} // by site
	for _, m := range members {
		site := b.Site[m.ID]
		all[site] = append(all[site], m.ID)
		if int(m.Fold) == s.Fold {
			tested, here[site] = append(tested, m.ID), true
		} else if m.Fold > 0 {
			trained = append(trained, m.ID)
			count[site]++
		}
	}
	enough := slices.DeleteFunc(slices.Sorted(maps.Keys(count)), func(site string) bool {
		return site == "" || count[site] < s.Minimum
	})
	few := column.Fault{Column: s.Site, Why: "fewer than " + words.Count(s.Minimum, "training participant")}
	left := column.Fault{Column: s.Site, Why: "no training participants in the fold that tests it, so its effect is unknown",
		Remedy: "set few: keep in the stage combat to leave its matrices unharmonized", Tested: true}
	for _, site := range slices.Sorted(maps.Keys(all)) {
		switch n := count[site]; {
		case site == "" || n >= s.Minimum || s.Few == "keep":
		case n == 0 && len(all[site]) >= s.Minimum && here[site]:
			left.Values = append(left.Values, site)
		default:
			f := few
			f.Values, f.IDs = []string{site}, all[site]
			f.Remedy = "if the name is misspelled" + words.DidYouMean(site, enough) +
				", correct it; else keep its matrices unharmonized (few: keep), or set minimum"
			if len(f.IDs) > s.Minimum {
				f.Remedy = "spread the sites over the folds (stratify_by: [" + s.Site + "] in the stage of the folds), keep its matrices unharmonized (few: keep), or set minimum"
				f.IDs = nil
			}
			faults = append(faults, f)
		}
	}
	if left.Values != nil {
		faults = append(faults, left)
	}
	for _, name := range append([]string{s.Site}, s.Preserve...) {
		faults = append(faults, b.lacking(name, trained, false)...)
		faults = append(faults, b.lacking(name, tested, true)...)
		faults = append(faults, b.unseen(name, trained, tested)...)
	}
	if faults == nil {
		faults = b.inseparable(s, trained)
	}
	return faults
}

// Spared are the sites with fewer training participants than the minimum, whose matrices few: keep leaves unharmonized.
func (s *Combat) Spared(people, planned *encoding.Table) (by string, sites []string) {
	b := s.book()
	if s.Few != "keep" || planned == nil || b.Read(people, "", s.Preserve) != nil {
		return s.Site, nil
	}
	members, err := column.Rows[fold.LabeledMember](planned)
	if err != nil {
		return s.Site, nil
	}
	count := map[string]int{}
	for _, m := range members {
		n := 0
		if m.Fold > 0 && int(m.Fold) != s.Fold {
			n = 1
		}
		count[b.Site[m.ID]] += n
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if name != "" && count[name] < s.Minimum {
			sites = append(sites, name)
		}
	}
	return s.Site, sites
}

// unknown reports whether a participant has no value in a column.
func (b *combatBook) unknown(name, id string) bool {
	if name == b.Column {
		return b.Site[id] == ""
	}
	if text := b.Text[name]; text != nil {
		return text[id] == ""
	}
	x, ok := b.Number[name][id]
	return !ok || x != x
}

// lacking is the fault of those of whom a column has no value.
func (b *combatBook) lacking(name string, who []string, tested bool) []column.Fault {
	ids := slices.DeleteFunc(slices.Clone(who), func(id string) bool { return !b.unknown(name, id) })
	if len(ids) == 0 {
		return nil
	}
	return []column.Fault{{Column: name, Why: "no value", IDs: ids, Tested: tested,
		Remedy: map[bool]string{true: ", or do not preserve it"}[name != b.Column]}}
}

// unseen are the faults of categories that nobody has who is trained on.
func (b *combatBook) unseen(name string, trained, tested []string) (faults []column.Fault) {
	if b.Text[name] == nil {
		return nil
	}
	known, of := lists.SetOf(trained, func(id string) string { return b.Text[name][id] }), map[string][]string{}
	for _, id := range tested {
		if v := b.Text[name][id]; v != "" && !known[v] {
			of[v] = append(of[v], id)
		}
	}
	delete(known, "")
	for _, v := range slices.Sorted(maps.Keys(of)) {
		faults = append(faults, column.Fault{Column: name, Values: []string{v}, IDs: of[v], Tested: true,
			Why: "no training participant has it in the fold that tests it",
			Remedy: "if it is misspelled" + words.OrAll(v, slices.Sorted(maps.Keys(known))) +
				", correct it; else do not preserve the column"})
	}
	return faults
}

// inseparable is the fault of sites of which one alone is left, of a reference that is none of them, and of a covariate
// whose effect cannot be told from theirs.
func (b *combatBook) inseparable(s *Combat, trained []string) []column.Fault {
	if err := b.choose(s, trained); err != nil {
		return []column.Fault{{Why: err.Error()}}
	}
	sample := combat.Sample{Sites: len(b.Sites)}
	for _, id := range trained {
		site, ok := slices.BinarySearch(b.Sites, b.Site[id])
		x, err := b.Row(id)
		if err != nil {
			return nil // it is told as a fault of its own
		}
		if ok && x != nil {
			sample.Site, sample.Covariates = append(sample.Site, site), append(sample.Covariates, x)
		}
	}
	var which *combat.CovariateError
	if errors.As(combat.Separable(sample), &which) {
		term := b.Terms[which.Covariate].String()
		return []column.Fault{{Why: "preserve: " + term + " " + errors.Unwrap(which).Error()}}
	}
	return nil
}

// Lacks are the participants without a site or a value to preserve, and what they lack.
func (s *Combat) Lacks(people *encoding.Table) map[string]string {
	b := s.book()
	ids, err := people.Strings("participant_id")
	if err != nil || b.Read(people, "", s.Preserve) != nil {
		return nil
	}
	why := map[string]string{}
	for _, id := range ids {
		for _, name := range append([]string{s.Site}, s.Preserve...) {
			if why[id] == "" && b.unknown(name, id) {
				why[id] = "no value of " + name
			}
		}
	}
	return why
}
