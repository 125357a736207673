package prepare

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// combatFacts are what a fit has besides its numbers; they stand in its metadata.
type combatFacts struct {
	Fold      int                 `json:"fold"`
	Repeat    int                 `json:"repeat"`
	Column    string              `json:"site"` // of the participants
	Sites     []string            `json:"sites"`
	Reference string              `json:"reference,omitempty"`
	Minimum   int                 `json:"minimum"`
	Few       string              `json:"few"`
	Transform string              `json:"transform"`
	Nodes     int                 `json:"nodes"`
	Terms     []combatTerm        `json:"preserved,omitempty"`
	Levels    map[string][]string `json:"levels,omitempty"` // of the categories, the first of which is what slopes start from
}

// A combatTerm is one covariate of the model: a number, or whether a category is this one.
type combatTerm struct {
	Column string `json:"column"`
	Level  string `json:"level,omitempty"`
}

func (t combatTerm) String() string {
	if t.Level == "" {
		return t.Column
	}
	return t.Column + " " + t.Level
}

const targetColumn = column.Target // column is also the name of a variable here

// A combatBook knows the site and the covariates of everybody.
type combatBook struct {
	combatFacts
	name   string // of the table
	site   map[string]string
	number map[string]map[string]float64 // column → participant
	text   map[string]map[string]string
}

func (s *Combat) book() *combatBook {
	return &combatBook{combatFacts: combatFacts{Fold: s.Fold, Repeat: s.Repeat, Column: s.Site, Reference: s.Reference,
		Minimum: s.Minimum, Few: s.Few, Transform: s.Transform}}
}

// read reads the participants, and refuses to preserve what is to be predicted.
func (s *Combat) read(in, folds dag.Input) (*combatBook, error) {
	b := s.book()
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	if err := b.readPeople(table, in.Name, s.Preserve); err != nil {
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

// readPeople reads the column of the sites, and covariates.
func (b *combatBook) readPeople(table *encoding.Table, name string, covariates []string) error {
	ids, err := table.Strings("participant_id")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b.name, b.number, b.text = name, map[string]map[string]float64{}, map[string]map[string]string{}
	for _, name := range append([]string{b.Column}, covariates...) {
		if _, ok := table.Column(name); !ok {
			_, err := table.Strings(name)
			return fmt.Errorf("%s: %w", b.name, err)
		}
		c, err := column.ReadCovariate(table, name)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		if name == b.Column { // a number is a name too
			if c.Text == nil {
				if c.Text, err = table.Strings(name); err != nil {
					return fmt.Errorf("%s: %w", b.name, err)
				}
			}
			b.site = map[string]string{}
			for i, id := range ids {
				if b.site[id] = c.Text[i]; c.Number != nil && math.IsNaN(c.Number[i]) {
					b.site[id] = ""
				}
			}
			continue
		}
		number, text := map[string]float64{}, map[string]string{}
		for i, id := range ids {
			if c.Text == nil {
				number[id] = c.Number[i]
			} else {
				text[id] = c.Text[i]
			}
		}
		if c.Text == nil {
			b.number[name] = number
		} else {
			b.text[name] = text
		}
	}
	return nil
}

// choose finds the sites to learn of, and the terms of the covariates, from those who
// are trained on.
func (b *combatBook) choose(s *Combat, who []string) error {
	count := map[string]int{}
	for _, id := range who {
		if b.site[id] == "" {
			return fmt.Errorf("%s: %s of %s is unknown: fill it in, or exclude the participant", b.name, b.Column, id)
		}
		count[b.site[id]]++
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
		if b.text[column] == nil {
			b.Terms = append(b.Terms, combatTerm{Column: column})
			continue
		}
		seen := map[string]bool{}
		for _, id := range who {
			v := b.text[column][id]
			if v == "" {
				return fmt.Errorf("%s: %s of %s is unknown, but is to be preserved: fill it in, exclude the participant, or do not preserve it", b.name, column, id)
			}
			seen[v] = true
		}
		levels := slices.Sorted(maps.Keys(seen))
		if b.Levels == nil {
			b.Levels = map[string][]string{}
		}
		b.Levels[column] = levels
		for _, level := range levels[min(1, len(levels)):] {
			b.Terms = append(b.Terms, combatTerm{column, level})
		}
	}
	return nil
}

// row is what the model knows of a participant; nil without covariates.
func (b *combatBook) row(id string) ([]float64, error) {
	var x []float64
	for _, term := range b.Terms {
		if term.Level == "" {
			v, ok := b.number[term.Column][id]
			if !ok || math.IsNaN(v) {
				return nil, fmt.Errorf("%s: %s of %s is unknown, but is to be preserved: fill it in, exclude the participant, or do not preserve it", b.name, term.Column, id)
			}
			x = append(x, v)
			continue
		}
		v := b.text[term.Column][id]
		if !slices.Contains(b.Levels[term.Column], v) {
			if v == "" {
				v = "not known"
			}
			return nil, fmt.Errorf("%s: %s of %s is %s, which no training participant has (%s): correct it if it is misspelled, exclude the participant, or do not preserve it", b.name, term.Column, id, v, strings.Join(b.Levels[term.Column], ", "))
		}
		x = append(x, map[bool]float64{true: 1}[v == term.Level])
	}
	return x, nil
}
