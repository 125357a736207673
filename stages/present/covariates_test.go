package present

import (
	"fmt"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/stages/report"
)

// Ages that all differ are described; what the table of groups lacks, it says why.
func TestDescribeColumn(t *testing.T) {
	const n = 24
	age, id, group := make([]float64, n), make([]float64, n), make([]float64, n)
	site, name := make([]string, n), make([]string, n)
	rows := make([][]int, 2)
	for i := range n {
		rows[i%2] = append(rows[i%2], i)
		age[i], id[i], group[i] = float64(20+i), float64(50000+3*i), float64(1+i%2)
		site[i], name[i] = fmt.Sprint("site", i%8), fmt.Sprint("name", i)
	}
	table := encoding.NewTable(encoding.Column{Name: "age", Values: age}, encoding.Column{Name: "SUB_ID", Values: id},
		encoding.Column{Name: "DX", Values: group}, encoding.Column{Name: "site", Values: site},
		encoding.Column{Name: "who", Values: name})
	shown := &report.Table{Rows: make([][]report.Cell, 2)}
	for i, want := range []string{"", "an identifier", "one number per group", "8 different texts",
		"a text that differs in all participants"} {
		if _, why, err := describeColumn(shown, table, table.Columns[i], rows); err != nil || why != want {
			t.Errorf("%s: %q, %v, want %q", table.Columns[i].Name, why, err, want)
		}
	}
	if len(shown.Heads) != 1 || shown.Rows[0][0].Text != "31.0 ± 7.2 (20.0–42.0)" {
		t.Errorf("described %+v %+v", shown.Heads, shown.Rows)
	}
}
