package present

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// participants tells who took part, and who did not and why.
func (r *reporter) participants() (report.Section, error) {
	s := report.Section{ID: "participants", Title: "Participants"}
	if r.t.Has("participants") {
		if err := r.groups(&s); err != nil {
			return s, err
		}
	}
	if err := r.excluded(&s); err != nil {
		return s, err
	}
	if !r.t.Has("notes") {
		return s, nil
	}
	notes, err := r.t.In("notes").Table()
	if err != nil {
		return s, err
	}
	texts, err := notes.Strings("note")
	if err != nil {
		return s, err
	}
	switch told := r.t.Has("excluded"); {
	case len(texts) > 0 && told:
		s.Blocks = append(s.Blocks, report.Block{Heading: "Notes on the data"}, report.Block{List: texts})
	case len(texts) > 0:
		s.Blocks = append(s.Blocks, report.Block{Heading: "Left out, and other notes on the data"}, report.Block{List: texts})
	case !told:
		s.Blocks = append(s.Blocks, report.Block{Heading: "Left out"}, report.Block{Text: "Nobody was left out, and nothing was lacking."})
	}
	return s, nil
}

// excluded tells of everybody who takes no part, and why: in short by reasons, and each.
func (r *reporter) excluded(s *report.Section) error {
	if !r.t.Has("excluded") {
		return nil
	}
	table, err := r.t.In("excluded").Table()
	if err != nil {
		return err
	}
	reasons, err := table.Strings("reason")
	if err != nil {
		return err
	}
	s.Blocks = append(s.Blocks, report.Block{Heading: "Left out"})
	if len(reasons) == 0 {
		s.Blocks = append(s.Blocks, report.Block{Text: "Nobody was left out."})
		return nil
	}
	all, err := shownTable(table, table.Rows())
	if err != nil {
		return err
	}
	all.Caption = "Everybody who was left out"
	count := map[string]int{}
	var order []string
	for _, why := range reasons {
		if count[why]++; count[why] == 1 {
			order = append(order, why)
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	s.Blocks = append(s.Blocks, report.Block{Text: fmt.Sprintf("%d participant%s of the data took no part.", len(reasons), column.Plural(len(reasons)))})
	if len(reasons) <= 12 {
		s.Blocks = append(s.Blocks, report.Block{Table: all})
		return nil
	}
	if most := 8; len(order) < len(reasons) {
		var list []string
		for _, why := range order[:min(len(order), most)] {
			list = append(list, fmt.Sprintf("%d: %s", count[why], why))
		}
		if rest := len(order) - most; rest > 0 {
			list = append(list, fmt.Sprintf("%d other reasons, below", rest))
		}
		s.Blocks = append(s.Blocks, report.Block{List: list})
	}
	s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Summary: fmt.Sprintf("All %d who were left out, each with the reason", len(reasons)), Blocks: []report.Block{{Table: all}}}})
	return nil
}

// groups tells of each group how many there are and what they are like.
func (r *reporter) groups(s *report.Section) error {
	in := r.t.In("participants")
	var err error
	if r.who, err = column.ReadPeople(in); err != nil {
		return err
	}
	table, err := in.Table()
	if err != nil {
		return err
	}
	r.page.Simulated = r.who.Simulated
	rows := map[string][]int{}
	for i, id := range r.who.Ids {
		g := r.who.Group[id]
		rows[g] = append(rows[g], i)
	}
	names := slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(len(rows[b])-len(rows[a]), strings.Compare(a, b))
	})
	t := &report.Table{Caption: "The groups", Keys: 1, Heads: []report.Head{{Text: "group"}, {Text: "n", Number: true}}}
	var parts []string
	for _, g := range names {
		t.Rows = append(t.Rows, []report.Cell{{Text: g}, {Text: fmt.Sprint(len(rows[g]))}})
		parts = append(parts, fmt.Sprintf("%d %s", len(rows[g]), g))
		if len(rows[g]) < 20 {
			r.told.caution("the group %s has only %d participant%s", g, len(rows[g]), column.Plural(len(rows[g])))
		}
	}
	for _, c := range table.Columns {
		if slices.Contains([]string{"participant_id", "group", "simulated"}, c.Name) {
			continue
		}
		if err := describeColumn(t, table, c, names, rows); err != nil {
			return err
		}
	}
	kind := "participant"
	if r.who.Simulated {
		kind = "simulated participant"
	}
	r.page.Subtitle = fmt.Sprintf("%d %s%s: %s", len(r.who.Ids), kind, column.Plural(len(r.who.Ids)), strings.Join(parts, ", "))
	all, err := shownTable(table, 2000)
	if err != nil {
		return err
	}
	all.Caption = "Every participant"
	s.Blocks = append(s.Blocks, report.Block{Table: t},
		report.Block{Details: &report.Details{Screen: true, Summary: fmt.Sprintf("All %d participants", len(r.who.Ids)), Blocks: []report.Block{{Table: all}}}})
	return nil
}

// describeColumn adds what the groups have of a covariate: mean and spread of
// numbers, counts of up to six words. What identifies people is not added.
func describeColumn(t *report.Table, table *encoding.Table, c encoding.Column, names []string, rows map[string][]int) error {
	if words, ok := c.Values.([]string); ok {
		seen := map[string]bool{}
		for _, w := range words {
			seen[w] = true
		}
		if len(seen) > 6 {
			return nil
		}
		text, err := table.Strings(c.Name)
		if err != nil {
			return err
		}
		t.Heads = append(t.Heads, report.Head{Text: plainName(c.Name), Doc: c.Doc})
		for i, g := range names {
			count := map[string]int{}
			for _, at := range rows[g] {
				count[text[at]]++
			}
			var parts []string
			for _, w := range slices.Sorted(maps.Keys(count)) {
				parts = append(parts, fmt.Sprintf("%d %s", count[w], w))
			}
			t.Rows[i] = append(t.Rows[i], report.Cell{Text: strings.Join(parts, ", ")})
		}
		return nil
	}
	v, err := table.Floats(c.Name)
	if err != nil {
		return err
	}
	if identifies(v) {
		return nil
	}
	head := plainName(c.Name)
	if c.Unit != "" {
		head += " (" + unitName(c.Unit) + ")"
	}
	digits := spreadDigits(v)
	t.Heads = append(t.Heads, report.Head{Text: head, Doc: c.Doc, Number: true})
	for i, g := range names {
		var of []float64
		for _, at := range rows[g] {
			if !math.IsNaN(v[at]) {
				of = append(of, v[at])
			}
		}
		text := "n/a"
		if mean, sd := column.MeanSD(of); len(of) > 1 {
			text = fmt.Sprintf("%.*f ± %.*f (%.*f–%.*f)", digits, mean, digits, sd, digits, slices.Min(of), digits, slices.Max(of))
		} else if len(of) == 1 {
			text = fmt.Sprintf("%.*f", digits, of[0])
		}
		if missing := len(rows[g]) - len(of); missing > 0 && len(of) > 0 {
			text += fmt.Sprintf(", %d missing", missing)
		}
		t.Rows[i] = append(t.Rows[i], report.Cell{Text: text})
	}
	return nil
}

// identifies tells whether numbers look like an identifier: whole, and of twenty people or more no
// two alike. A mean of them would say nothing.
func identifies(v []float64) bool {
	seen := map[float64]bool{}
	for _, x := range v {
		if x != math.Trunc(x) || seen[x] {
			return false
		}
		seen[x] = true
	}
	return len(v) >= 20
}

// spreadDigits is how many places behind the point the values of a column are told
// with: two significant digits of their spread, so that all of a column are alike.
func spreadDigits(v []float64) int {
	_, sd := column.MeanSD(slices.DeleteFunc(slices.Clone(v), math.IsNaN))
	if !(sd > 0) || math.IsInf(sd, 0) {
		return 0
	}
	digits := 0
	for ; sd < 10 && digits < 6; digits++ {
		sd *= 10
	}
	return digits
}

// unitName writes a unit for people.
func unitName(unit string) string {
	if unit == "a" {
		return "years"
	}
	return unit
}
