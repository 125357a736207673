package export

import (
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/lists"
)

// withNames puts the names of regions behind the columns that hold their numbers (roi,
// source, target, index …), and behind those of edges also where they lie.
func withNames(t, nodes *encoding.Table) (*encoding.Table, error) {
	out, already := &encoding.Table{Meta: t.Meta}, false
	for i := range t.Columns {
		c := t.Columns[i]
		out.Columns = append(out.Columns, c)
		edge := c.Name == "source" || c.Name == "target"
		if !edge && c.Name != "roi" && c.Name != "roi_2" && c.Name != "index" && c.Name != "node" {
			continue
		}
		number, err := t.Ints(c.Name)
		if err != nil {
			continue // texts: it has the names already
		}
		columns := []string{"name"}
		if edge {
			columns = append(columns, "x", "y", "z")
		}
		for _, from := range columns {
			of, ok := nodes.Column(from)
			name := c.Name + "_" + from
			if _, twice := t.Column(name); !ok || twice || from == "name" && c.Name == "index" && hasName(t) {
				already = already || ok
				continue
			}
			out.Columns = append(out.Columns, looked(name, number, of))
		}
	}
	switch {
	case len(out.Columns) > len(t.Columns):
	case already:
		return nil, exit.Wrongf("--names: the table has the names of its regions already (%s): leave it out", strings.Join(columnNames(t), ", "))
	default:
		return nil, exit.Wrongf("--names: no column holds region numbers (%s)", strings.Join(columnNames(t), ", "))
	}
	return out, nil
}

// hasName and withNames see the tables of all stages: by column, not as rows.
func hasName(t *encoding.Table) bool {
	_, ok := t.Column("name")
	return ok
}

func columnNames(t *encoding.Table) []string {
	return lists.Map(t.Columns, func(c encoding.Column) string { return c.Name })
}

// looked is a column of the node list for each of the numbers, from 1.
func looked(name string, number []int64, of *encoding.Column) encoding.Column {
	valid := make([]bool, len(number))
	texts, numbers := make([]string, len(number)), make([]float64, len(number))
	text, _ := of.Values.([]string)
	lengths, _ := of.Values.([]float64)
	for i, n := range number {
		at := int(n) - 1
		if at < 0 || at >= max(len(text), len(lengths)) || of.Valid != nil && !of.Valid[at] {
			continue
		}
		valid[i] = true
		if text != nil {
			texts[i] = text[at]
		} else {
			numbers[i] = lengths[at]
		}
	}
	if text != nil {
		return encoding.Column{Name: name, Values: texts, Valid: valid, Doc: "name of the region"}
	}
	return encoding.Column{Name: name, Values: numbers, Valid: valid, Unit: of.Unit, Doc: of.Doc}
}
