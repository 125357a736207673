package artifacts

import (
	"encoding/csv"
	"io"
)

// WriteCSV writes the table as text with a line of names first: sep is ',' for
// CSV, '\t' for the TSV of BIDS. Numbers are the shortest decimals that read back as
// the same number; a missing value is n/a.
func (t *Table) WriteCSV(w io.Writer, sep rune) error {
	if err := t.check(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.Comma = sep
	if err := out.Write(t.names()); err != nil {
		return err
	}
	row := make([]string, len(t.Columns))
	for i := range t.Rows() {
		for j := range t.Columns {
			row[j] = t.Columns[j].text(i)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
