package column

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
)

// A CovariateColumn is a covariate as it is read.
type CovariateColumn struct {
	Name   string
	Number []float64
	Text   []string // of a category, "" where it is not known; nil for numbers
}

func ReadCovariate(t *encoding.Table, name string) (CovariateColumn, error) {
	c := CovariateColumn{Name: name}
	column, _ := t.Column(name)
	var err error
	switch column.Values.(type) {
	case []string, []bool:
		var text []string
		if text, err = t.Strings(name); err != nil {
			return c, err
		}
		c.Text = slices.Clone(text)
		for i, v := range c.Text {
			if v = strings.TrimSpace(v); strings.EqualFold(v, "n/a") || strings.EqualFold(v, "nan") {
				v = ""
			}
			c.Text[i] = v
		}
	default:
		c.Number, err = t.Floats(name)
	}
	return c, err
}

// Identifies tells whether the values are names rather than properties: texts of which
// more than half differ, or whole numbers of which all do.
func (c CovariateColumn) Identifies() bool {
	if c.Text != nil {
		_, names := Numbered(c.Text)
		return 2*len(names) > len(c.Text)
	}
	for _, v := range c.Number {
		if v != math.Trunc(v) { // a NaN too
			return false
		}
	}
	return len(slices.Compact(slices.Sorted(slices.Values(c.Number)))) == len(c.Number) && len(c.Number) > 2
}

// Describe summarizes the values of one group: mean (sd), or the count of each category.
func (c CovariateColumn) Describe(group []int, g int) string {
	if c.Text == nil {
		var v []float64
		for i, x := range c.Number {
			if group[i] == g && !math.IsNaN(x) {
				v = append(v, x)
			}
		}
		if len(v) == 0 {
			return "n/a"
		}
		mean, sd := MeanSD(v)
		return fmt.Sprintf("%.3g (%.2g)", mean, sd)
	}
	_, names := Numbered(c.Text)
	const most = 6
	var parts []string
	for k, name := range names {
		n := 0
		for i, x := range c.Text {
			if group[i] == g && x == name {
				n++
			}
		}
		switch {
		case name == "":
		case k >= most:
			return strings.Join(parts, ", ") + " …"
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	return strings.Join(parts, ", ")
}
