package subgroup

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// mostCodes is how many whole numbers are categories, as 1 and 2 of a sex.
const mostCodes = 5

// missing is the group of participants without a value.
const missing = "missing"

// A division is the groups of a column, in order.
type division struct {
	names    []string
	from, to []float64 // of a band; NaN for a category
	group    []int     // of each participant
}

// edge reads COLUMN=NUMBER.
func edge(text string) (name string, at float64, err error) {
	name, value, ok := strings.Cut(text, "=")
	if at, err = strconv.ParseFloat(strings.TrimSpace(value), 64); !ok || err != nil || at-at != 0 {
		return "", 0, fmt.Errorf("edges: %q is not COLUMN=NUMBER, such as age=12", text)
	}
	return strings.TrimSpace(name), at, nil
}

// divide divides participants, rows at of the table, by the values of a column.
func (s *Grouping) divide(c column.CovariateColumn, at []int) (division, error) {
	if c.Text != nil {
		texts := lists.At(c.Text, at)
		return named(texts), nil
	}
	values := lists.At(c.Number, at)
	var edges []float64
	for _, text := range s.Edges {
		if name, at, err := edge(text); err != nil {
			return division{}, err
		} else if name == c.Name {
			edges = append(edges, at)
		}
	}
	slices.Sort(edges)
	if known := column.Known(values); edges != nil && len(known) > 0 {
		low, high := slices.Min(known), slices.Max(known)
		if !slices.ContainsFunc(edges, func(e float64) bool { return low < e && e <= high }) {
			return division{}, fmt.Errorf("edges: %s is %g to %g, and no edge divides it (%s): write edges in the unit "+
				"of the column", c.Name, low, high, strings.Join(s.Edges, ", "))
		}
	}
	return banded(values, slices.Compact(edges)), nil
}

// named are the groups of a category, in order of their names.
func named(texts []string) (d division) {
	d.names = slices.Compact(slices.Sorted(slices.Values(texts)))
	if d.names = slices.DeleteFunc(d.names, func(name string) bool { return name == "" }); len(d.names) > 0 {
		d.from = slices.Repeat([]float64{math.NaN()}, len(d.names))
		d.to = slices.Clone(d.from)
	}
	for _, text := range texts {
		g := slices.Index(d.names, text)
		if g < 0 {
			g = len(d.names)
		}
		d.group = append(d.group, g)
	}
	return d.withMissing()
}

// banded are the bands of a number between edges, or its thirds: a third ends at a quantile, which belongs to it. Bands
// without participants are left out.
func banded(values, edges []float64) (d division) {
	known := column.Known(values)
	slices.Sort(known)
	var names []string
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	band := func(v float64) int { // the number of edges up to v
		return len(edges) - len(slices.DeleteFunc(slices.Clone(edges), func(e float64) bool { return e <= v }))
	}
	if edges != nil {
		names = []string{"under " + number(edges[0])}
		for i, e := range edges[1:] {
			names = append(names, number(edges[i])+" to under "+number(e))
		}
		names = append(names, number(edges[len(edges)-1])+" and over")
	} else if len(known) > 0 {
		first, second := inference.Quantile(known, 1./3), inference.Quantile(known, 2./3)
		names = []string{"lowest third", "middle third", "highest third"}
		band = func(v float64) int {
			switch {
			case v <= first:
				return 0
			case v <= second:
				return 1
			}
			return 2
		}
	}
	at := slices.Repeat([]int{-1}, len(names)) // the place of a band among those that have participants
	for _, v := range known {
		b := band(v)
		if at[b] < 0 {
			at[b] = len(d.names)
			d.names, d.from, d.to = append(d.names, names[b]), append(d.from, v), append(d.to, v)
		}
		d.to[at[b]] = v
	}
	for _, v := range values {
		g := len(d.names)
		if !math.IsNaN(v) {
			g = at[band(v)]
		}
		d.group = append(d.group, g)
	}
	return d.withMissing()
}

// withMissing adds the group of participants without a value, where there are any.
func (d division) withMissing() division {
	if slices.Contains(d.group, len(d.names)) {
		d.names, d.from, d.to = append(d.names, missing), append(d.from, math.NaN()), append(d.to, math.NaN())
	}
	return d
}

// suppressed states which groups are not shown.
func (d division) suppressed(complementary bool) []string {
	sizes := make([]int, len(d.names))
	for _, g := range d.group {
		sizes[g]++
	}
	return suppress(d.names, sizes, complementary)
}

// suppress states which groups of these sizes are not shown: those of fewer than 10 participants, and with
// complementary the next smallest where they are one. Participants without a value are no group whose measures anybody
// would want: alone they hide no other group, and beside one small group they keep it from being found by subtraction.
func suppress(names []string, sizes []int, complementary bool) []string {
	why := make([]string, len(sizes))
	small, next := 0, -1
	for g, n := range sizes {
		switch {
		case n < leastShown:
			why[g] = "<10"
			if small++; names[g] == missing {
				complementary = false
			}
		case next < 0 || n < sizes[next]:
			next = g
		}
	}
	if complementary && small == 1 && next >= 0 {
		why[next] = "complementary"
	}
	return why
}
