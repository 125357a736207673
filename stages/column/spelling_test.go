package column_test

import (
	"fmt"
	"strings"
	"testing"

	. "prgnn/stages/column"
	"prgnn/stages/wording"

	"go.yaml.in/yaml/v3"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

// Spellings of one name agree, and names that mean something else do not.
func TestSpelling(t *testing.T) {
	for _, same := range []string{"1 01 1.0 001 +1", "SITE_1 site01 Site-1 SITE_001", "Sankt_Gallen sankt-gallen", "v1.2 V1-2",
		"Z\u00fcrich Zu\u0308rich z\u00dcRICH Z\u200bu\u0308\ufeffrich", "-0 0 0.0 +0 -0.0 00", "1e2 100 100. 1E+02",
		"1000000000000000 1000000000000000.0", "S\uff11 S1 S\u034f1 S1\ufe0f S\u00ad01", "A\u20131 A-1 A\u22121", "Stra\u00dfe STRASSE",
		"\ufb01eld Field", "\u03c3\u03c2 \u03a3\u03a3", "S\u00a01 S1 S\u30001", "-1 \u22121 -01.0"} {
		all := strings.FieldsFunc(same, func(r rune) bool { return r == ' ' })
		for _, s := range all {
			need.Equal(t, Spelling(s), Spelling(all[0]), s)
		}
	}
	for _, other := range []string{"APOE+ APOE-", "<60 >60", "1.1 11", "-1 1", "10 1", "v1.05 v15",
		"12345678901234567 12345678901234568", "1+ 1", "1e2 1e3", "0.1 0.10000000000000001",
		"Zurich Z\u00fcrich", "e1 1"} {
		all := strings.Fields(other)
		need.Equal(t, Spelling(all[0]) == Spelling(all[1]), false, other)
	}
}

// A note shows how two names differ that look the same, as YAML between quotation marks reads it.
func TestShown(t *testing.T) {
	for name, want := range map[string]string{"Z\u00fcrich": "Z\u00fcrich", "Zu\u0308rich": `Zu\u0308rich`,
		"S\u200b1": `S\u200b1`, "S\u00a01": `S\u00a01`, "S\uff11": `S\uff11`, "A\u20131": `A\u20131`,
		"\u0e01\u0e34": "\u0e01\u0e34",
		"a  b":         "a  b", "\U000e0100x": `\U000e0100x`, "\u212a1": `\u212a1`} {
		need.Equal(t, Shown(name), want, name)
		var read string
		need.NoError(t, yaml.Unmarshal([]byte(`"`+Shown(name)+`"`), &read))
		need.Equal(t, read, name, "read again")
	}
}

// Codes of one site in two spellings are told.
func TestSitesInTwoSpellings(t *testing.T) {
	for values, want := range map[string]string{
		"1 01 1 01 2 2":       "column site: 01 and 1 have similar names: if they are one, write them alike in the table",
		"NYU nyu NYU nyu 1 1": "column site: NYU and nyu differ only in case: if they are one, write them alike in the table",
		"Z\u00fcrich Z\u00fcrich Zu\u0308rich Zu\u0308rich X X": `column site: Zu\u0308rich and Z` + "\u00fcrich have similar names: if they are one, write them alike in the table",
		"1 2 1 2 10 10": "",
	} {
		v := strings.Fields(values)
		t.Run(values, func(t *testing.T) {
			table := encoding.NewTable(encoding.Column{Name: "site", Values: v},
				encoding.Column{Name: "group", Values: []string{"a", "a", "b", "b", "a", "b"}})
			need.Equal(t, strings.Join(wording.NoteTexts(DoubtSites(table, "site")), "\n"), want)
		})
	}
}

// Words of yes and no, of sex and of sides that are written in several ways are found; one way each, letters that may
// mean something else and numbers beside other texts are not.
func TestSynonyms(t *testing.T) {
	for values, want := range map[string]string{
		"0 1 FALSE TRUE": "[[1 TRUE] [0 FALSE]]", "yes no y n": "[[y yes] [n no]]",
		"M F male Female": "[[M male] [F Female]]", "M male unknown": "[[M male]]", "L left R": "[[L left]]",
		"1.0 Yes 0": "[[1.0 Yes]]", "M Female": "[]", "yes no": "[]", "Yes YES": "[]", "T F M": "[]", "1 2 TRUE": "[]",
		"M F no": "[]", "T F FALSE": "[[F FALSE]]", "1 y": "[]", "n/a true": "[]", "": "[]",
	} {
		need.Equal(t, fmt.Sprint(Synonyms(strings.Fields(values))), want, values)
	}
}

// Words of two things beside numbers for them are found, and a column has one note about all.
func TestCodesBesideWords(t *testing.T) {
	for values, want := range map[string]string{
		"1 2 M F 1":            "column sex: one category is written in several ways: F, M beside 1, 2; write it in one way, because each spelling is a separate category",
		"male female 1 2 male": "column sex: one category is written in several ways: female, male beside 1, 2; write it in one way, because each spelling is a separate category",
		"0 1 M F":              "column sex: one category is written in several ways: F, M beside 0, 1; write",
		"M F f 1":              "column sex: one category is written in several ways: F and f differ only in case; F, M, f beside 1; write",
		"M male m F":           "column sex: one category is written in several ways: M and m differ only in case; M (1 row) and m (1 row) and male (1 row); write",
		"F f M n/a":            "column sex: F and f differ only in case: if they are one, write them alike in the table",
		"1 TRUE 0":             "column sex: one category is written in several ways: 1 (1 row) and TRUE (1 row); write",
		"L R 1 2 n/a":          "column sex: one category is written in several ways: L, R beside 1, 2; write",
		"M F":                  "", "M 2": "", "1 2 3": "", "M F 3": "", "A B 1 2": "",
	} {
		notes := wording.NoteTexts(DoubtTwins("sex", strings.Fields(values)))
		if want == "" {
			need.Equal(t, len(notes), 0, values)
			continue
		}
		need.Equal(t, len(notes), 1, values)
		if !strings.HasPrefix(notes[0], want) {
			t.Errorf("%s: %s, want %s", values, notes[0], want)
		}
	}
}
