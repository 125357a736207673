package encoding

import (
	"encoding/csv"
	"io"

	"prgnn/internal/words"
)

// WriteCSV writes the table as text with a line of names first: sep is ',' for
// CSV, '\t' for the TSV of BIDS. Numbers are the shortest decimals that read back as
// the same number, whole ones below 10^15 without an exponent. Where a value is
// missing, CSV has nothing, which R, pandas and spreadsheets read as missing, and TSV
// has n/a, as BIDS wants it. The control characters of texts, but for tabs and ends of lines, are
// written out (\u001b): shown on a terminal, they would act on it.
func (t *Table) WriteCSV(w io.Writer, sep rune) error {
	if err := t.Check(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.Comma = sep
	names := t.names()
	for j := range names {
		names[j] = words.Plain(names[j])
	}
	if err := out.Write(names); err != nil {
		return err
	}
	none := ""
	if sep == '\t' {
		none = missing
	}
	row := make([]string, len(t.Columns))
	for i := range t.Rows() {
		for j := range t.Columns {
			if row[j] = none; t.Columns[j].Has(i) {
				row[j] = words.Plain(t.Columns[j].Text(i))
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
