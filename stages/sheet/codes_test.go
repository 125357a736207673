package sheet

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestCodes(t *testing.T) {
	for values, want := range map[string]string{
		"12 -9999 8 -9999":    "-9999",
		"12 -9999.0 8 -99":    "-99 -9999.0",
		"-1.2 0.4 -9999 0.3":  "-9999", // of a z score
		"-120 40 -99 3":       "",      // a negative number among others
		"12 9999 8 999.0":     "999.0 9999",
		"250 999 300":         "", // 999 may be one of them
		"12 99 8":             "",
		"0 1 -999":            "-999",
		"0 0 999":             "999",
		"0 0 0 99":            "",
		"12 +999 8 9.99e2":    "+999 9.99e2",
		"12 -9.999e3 8 -99.0": "-9.999e3 -99.0",
		"12 +9 8 1e3":         "",
		"999 999":             "",
		"12 n.a. -9999":       "-9999",
		"left -9999 right -9": "-9999",
		"1 2 -9":              "",
		"40 30 -9 -99":        "-99", // the candidates are judged by the others alone
		"40 30 -88 -99":       "-99",
		"0 1 888 999":         "999",
		"88 99 999":           "",
		"":                    "",
	} {
		got := slices.Sorted(maps.Keys(Codes(strings.Fields(values))))
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", values, got, want)
		}
	}
}

// Negative values in a column that is otherwise positive are doubted, and values that scores have are not.
func TestDoubtful(t *testing.T) {
	for text, want := range map[string]string{
		"30 41 22 -8888 35 -8888":                 "-8888",
		"30 41 22 -9998 35 -77":                   "-9998 -77",
		"30 41 22 -9 35 28":                       "-9",
		"0 4 2 -9 10 12":                          "-9", // one digit repeated
		"0 4 2 -3 10 12":                          "",   // a change score
		"0 4 2 -13 10 12":                         "-13",
		"1 -1 1 -1":                               "",
		"0.3 -0.2 1.5 -2 0.1":                     "",
		"-3 -2 -1 -4 9 9 9 9 9 9":                 "",
		"30 41 -9999 22":                          "", // known as a code
		"a b -9":                                  "",
		"0 4 2 -13 10 12 99":                      "-13",
		"30 41 22 35 60 19 28 44 51 -7 -8 -9 -77": "-77 -9 -8 -7",
	} {
		if got := strings.Join(Doubtful(strings.Fields(text)), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Codes far above all other values are judged together: none hides another one.
func TestFarCodes(t *testing.T) {
	for text, want := range map[string]string{
		"1 2 1 2 1 9":                  "9",
		"1 2 1 2 1 9 99":               "9 99",
		"1 2 1 2 1 9 -9":               "9",
		"1 2 1 2 1 2 1 2 1 9 99 88 77": "9 77 88 99",
		"30 41 22 50 19 99 -88":        "99",
		"20 90 99 40":                  "",
		"7 8 9 7 8":                    "",
		"1 9 9 9":                      "", // most values are the code
	} {
		if got := strings.Join(FarCodes(strings.Fields(text), false), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
