package column

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

// Spellings of one name agree, and names that mean something else do not.
func TestSpelling(t *testing.T) {
	for _, same := range []string{"1 01 1.0 001 +1", "SITE_1 site01 Site-1 SITE_001", "Sankt_Gallen sankt-gallen", "v1.2 V1-2"} {
		all := strings.Fields(same)
		for _, s := range all {
			need.Equal(t, Spelling(s), Spelling(all[0]), s)
		}
	}
	for _, other := range []string{"APOE+ APOE-", "<60 >60", "1.1 11", "-1 1", "10 1", "v1.05 v15", "12345678901234567 12345678901234568"} {
		all := strings.Fields(other)
		need.Equal(t, Spelling(all[0]) == Spelling(all[1]), false, other)
	}
}

// Codes of one site in two spellings are told.
func TestSitesInTwoSpellings(t *testing.T) {
	for values, want := range map[string]string{
		"1 01 1 01 2 2":       "column site: 01 and 1 have names that are alike: if they are one, write them alike in the table",
		"NYU nyu NYU nyu 1 1": "column site: NYU and nyu differ only in case: if they are one, write them alike in the table",
		"1 2 1 2 10 10":       "",
	} {
		v := strings.Fields(values)
		t.Run(values, func(t *testing.T) {
			table := encoding.NewTable(encoding.Column{Name: "site", Values: v},
				encoding.Column{Name: "group", Values: []string{"a", "a", "b", "b", "a", "b"}})
			need.Equal(t, strings.Join(DoubtSites(table, "site"), "\n"), want)
		})
	}
}
