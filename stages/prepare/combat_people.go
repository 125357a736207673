package prepare

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/region/sitefit"
)

const targetColumn = column.Target // column is also the name of a variable here

// A combatBook knows the site and the covariates of everybody.
type combatBook struct{ sitefit.Book }

func (s *Combat) book() *combatBook {
	return &combatBook{sitefit.Book{Facts: sitefit.Facts{Fold: s.Fold, Repeat: s.Repeat, Column: s.Site,
		Reference: s.Reference, Minimum: s.Minimum, Few: s.Few, Transform: s.Transform, Bayes: s.Bayes,
		MeanOnly: s.MeanOnly, Tolerance: s.Tolerance}}}
}

// read reads the participants, and refuses to preserve what is to be predicted.
func (s *Combat) read(in, folds dag.Input) (*combatBook, error) {
	b := s.book()
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	if err := b.Read(table, in.Name, s.Preserve); err != nil {
		return nil, err
	}
	members, err := folds.Table()
	if err != nil {
		return nil, err
	}
	if refused, _ := s.LeaksLabel(table, members); refused != nil {
		return nil, errors.Join(refused...)
	}
	return b, nil
}

func leaksLabel(column string) error {
	return fmt.Errorf("preserve: %s is the label to predict, which would leak into the matrices of test participants: preserve other covariates", column)
}

// choose finds the sites to learn of, and the terms of the covariates, from those who
// are trained on.
func (b *combatBook) choose(s *Combat, who []string) error {
	count := map[string]int{}
	for _, id := range who {
		if b.Site[id] == "" {
			return fmt.Errorf("%s: %s of %s is unknown: fill it in, or exclude the participant", b.Name, b.Column, id)
		}
		count[b.Site[id]]++
	}
	var few []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if n := count[name]; n < s.Minimum {
			few = append(few, fmt.Sprintf("%s (%d)", name, n))
			continue
		}
		b.Sites = append(b.Sites, name)
	}
	switch {
	case few != nil && s.Few == "refuse":
		return fmt.Errorf("fewer than %d training participants for %s %s: correct the names if they are misspelled, exclude these sites (exclude, select), keep their matrices unharmonized (few: keep), or set minimum", s.Minimum, b.Column, strings.Join(few, ", "))
	case len(b.Sites) < 2:
		return fmt.Errorf("only one %s has enough training participants, %s: nothing to harmonize", b.Column, strings.Join(b.Sites, ""))
	case s.Reference != "" && !slices.Contains(b.Sites, s.Reference):
		return fmt.Errorf("reference: there is no %s %q with training participants%s; available: %s", b.Column, s.Reference,
			words.DidYouMean(s.Reference, b.Sites), strings.Join(b.Sites, ", "))
	}
	for _, column := range s.Preserve {
		if b.Text[column] == nil {
			var known []float64
			for _, id := range who {
				if v, there := b.Number[column][id]; there && !math.IsNaN(v) {
					known = append(known, v)
				}
			}
			term := sitefit.Term{Column: column}
			if len(known) > 1 {
				term.Mean, term.SD = exact.MeanSD(known)
			}
			b.Terms = append(b.Terms, term)
			continue
		}
		seen := map[string]bool{}
		for _, id := range who {
			v := b.Text[column][id]
			if v == "" {
				return fmt.Errorf("%s: %s of %s is unknown, but is to be preserved: fill it in, exclude the participant, or do not preserve it", b.Name, column, id)
			}
			seen[v] = true
		}
		levels := slices.Sorted(maps.Keys(seen))
		if b.Levels == nil {
			b.Levels = map[string][]string{}
		}
		b.Levels[column] = levels
		for _, level := range levels[min(1, len(levels)):] {
			b.Terms = append(b.Terms, sitefit.Term{Column: column, Level: level})
		}
	}
	return nil
}
