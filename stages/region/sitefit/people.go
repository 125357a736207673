package sitefit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/stages/column"
)

// A Book knows the site and the covariates of everybody.
type Book struct {
	Facts
	Name   string // of the table
	Site   map[string]string
	Number map[string]map[string]float64 // column → participant
	Text   map[string]map[string]string
}

// Read reads the column of the sites, and covariates.
func (b *Book) Read(table *encoding.Table, name string, covariates []string) error {
	ids, err := table.Strings("participant_id")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b.Name, b.Number, b.Text = name, map[string]map[string]float64{}, map[string]map[string]string{}
	for _, name := range append([]string{b.Column}, covariates...) {
		if _, ok := table.Column(name); !ok {
			_, err := table.Strings(name)
			return fmt.Errorf("%s: %w", b.Name, err)
		}
		c, err := column.ReadCovariate(table, name)
		if err != nil {
			return fmt.Errorf("%s: %w", b.Name, err)
		}
		if name == b.Column { // a number is a name too
			if c.Text == nil {
				if c.Text, err = table.Strings(name); err != nil {
					return fmt.Errorf("%s: %w", b.Name, err)
				}
			}
			b.Site = map[string]string{}
			for i, id := range ids {
				if b.Site[id] = c.Text[i]; c.Number != nil && math.IsNaN(c.Number[i]) {
					b.Site[id] = ""
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
			b.Number[name] = number
		} else {
			b.Text[name] = text
		}
	}
	return nil
}

// Row is what the model knows of a participant; nil without covariates.
func (b *Book) Row(id string) ([]float64, error) {
	var x []float64
	for _, term := range b.Terms {
		if term.Level == "" {
			v, ok := b.Number[term.Column][id]
			if !ok || math.IsNaN(v) {
				return nil, fmt.Errorf("%s: %s of %s is unknown, but is to be preserved: fill it in, exclude the participant, or do not preserve it", b.Name, term.Column, id)
			}
			x = append(x, v)
			continue
		}
		v := b.Text[term.Column][id]
		if !slices.Contains(b.Levels[term.Column], v) {
			levels := strings.Join(b.Levels[term.Column], ", ")
			code, coded := b.Number[term.Column][id]
			switch coded = coded && !math.IsNaN(code); {
			case coded:
				return nil, fmt.Errorf("%s: %s of %s is the code %g, but the values in training are %s: write these values into the column instead of codes, or do not preserve it", b.Name, term.Column, id, code, levels)
			case v == "":
				return nil, fmt.Errorf("%s: %s of %s is unknown, but is to be preserved: fill it in (%s), exclude the participant, or do not preserve it", b.Name, term.Column, id, levels)
			}
			return nil, fmt.Errorf("%s: %s of %s is %s, which no training participant has (%s): correct it if it is misspelled, exclude the participant, or do not preserve it", b.Name, term.Column, id, v, levels)
		}
		x = append(x, map[bool]float64{true: 1}[v == term.Level])
	}
	return x, nil
}
