package sheet

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
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

// Ages in years and months, weeks or days are two clusters a unit apart. Children and old people, children in months
// alone, one who is far older and babies beside their mothers are not.
func TestInTwoUnits(t *testing.T) {
	years := []float64{8, 9, 10.5, 11, 12, 13, 14, 15, 16, 17.5}
	mix := func(unit float64) (v []float64) {
		for i, x := range years {
			if i%2 == 1 {
				x *= unit
			}
			v = append(v, x)
		}
		return append(v, math.NaN())
	}
	var months []float64
	for x := 8.0; x < 215; x += 7 {
		months = append(months, x)
	}
	for _, c := range []struct {
		ages []float64
		want string
	}{
		{mix(12), "[{5 8 16 years} {5 108 210 months}]"},
		{mix(52), "[{5 8 16 years} {5 468 910 weeks}]"},
		{mix(365), "[{5 8 16 years} {5 3285 6387.5 days}]"},
		{years, "[]"},
		{months, "[]"},
		{append([]float64{66, 70, 75, 80, 81, 82}, years...), "[]"},
		{append([]float64{130}, years...), "[]"},
		{[]float64{0.5, 0.6, 0.7, 25, 30, 33}, "[]"},
		{nil, "[]"},
	} {
		if got := fmt.Sprint(InTwoUnits(c.ages)); got != c.want {
			t.Errorf("%v: %q, want %q", c.ages, got, c.want)
		}
	}
}

// A number far from all others is outlying, whatever the unit; skewed numbers and columns of two clusters have none.
func TestOutlying(t *testing.T) {
	iq := []float64{72, 85, 91, 95, 99, 102, 104, 108, 111, 115, 122, 130, 140}
	ages := []float64{8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 17, 18, 20, 22, 25, 30, 41, 55}
	fd := []float64{0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.12, 0.14, 0.17, 0.2, 0.26, 0.35, 0.5, 0.7}
	for _, c := range []struct {
		numbers []float64
		more    []float64
		ages    bool
		want    int
	}{
		{iq, nil, false, 0}, {iq, []float64{420}, false, 1}, {iq, []float64{420, 415}, false, 2},
		{iq, []float64{-300}, false, 1}, {iq, []float64{math.NaN()}, false, 0}, {iq[:8], []float64{420}, false, 0},
		{fd, nil, false, 0}, {fd, []float64{12}, false, 1},
		{ages, nil, true, 0}, {ages, []float64{127}, true, 1}, {ages, []float64{127, 205}, true, 2},
		{ages, []float64{450}, true, 1}, {ages, []float64{-3}, true, 1}, {ages, []float64{1998}, true, 1},
		{ages, []float64{150, 180}, true, 2},
		{[]float64{96, 110, 121, 130, 140, 155, 160, 170, 180, 200}, nil, true, 0},
		{[]float64{-2, -1, -0.5, -0.4, -0.1, 0, 0.2, 0.5, 1, 2}, nil, true, 0},
		{[]float64{1, 1, 1, 1, 1, 1, 2, 2, 2, 2}, nil, false, 0},
		{[]float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 5}, nil, false, 0},
		{[]float64{1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 9}, nil, false, 0}, // codes of categories, and of a missing one
		{[]float64{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 9}, nil, false, 0},
	} {
		all := append(slices.Clone(c.numbers), c.more...)
		places := Outlying(all, c.ages)
		need.Equal(t, len(places), c.want, c)
		for _, i := range places {
			need.Equal(t, i >= len(c.numbers), true)
		}
	}
}
