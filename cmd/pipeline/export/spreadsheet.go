package export

import (
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
)

// spreadsheetSafe is a table whose texts and names no spreadsheet takes for a formula: those
// that begin like one get an apostrophe in front (OWASP, "CSV Injection"). Numbers stay.
func spreadsheetSafe(t *encoding.Table) (*encoding.Table, error) {
	safe, err := t.Decoded() // its columns are its own
	if err != nil {
		return nil, err
	}
	for i := range safe.Columns {
		c := &safe.Columns[i]
		c.Name = noFormula(c.Name)
		if texts, ok := c.Values.([]string); ok {
			texts = slices.Clone(texts)
			for j := range texts {
				texts[j] = noFormula(texts[j])
			}
			c.Values = texts
		}
	}
	return safe, nil
}

func noFormula(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0]) {
		return "'" + text
	}
	return text
}
