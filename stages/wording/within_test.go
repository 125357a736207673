package wording

import (
	"math"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// A test within sites stands beside r within sites: r over all participants is not what it compares.
func TestTestWithinSites(t *testing.T) {
	for _, c := range []struct {
		within   string
		rWithin  float64
		has, not string
	}{
		{"site", 0.12, "within sites r = 0.120", ""},
		{"", 0.12, "", "r = 0.120"},
		{"site", math.NaN(), "", "sites r ="},
	} {
		test := Values{"Within": c.within, "Retrained": true, "First": math.NaN()}
		of := Values{"Classifier": "ridge", "R": 0.838, "RWithin": c.rWithin, "Site": c.within, "P": 0.2, "Draws": 999,
			"Among": 1, "Number": "age", "Scored": false, "Name": "ridge", "State": "not above", "Test": test,
			"Column": "", "HeldOut": "", "Above": []string(nil), "Not": []string(nil)}
		for name, v := range test {
			of[name] = v
		}
		for _, code := range []string{"regression.not-above-chance", "abstract.answer-number"} {
			text := need.Value(Text(code, of))(t)
			need.Equal(t, strings.Contains(text, c.has), true, text)
			need.Equal(t, c.not != "" && strings.Contains(text, c.not), false, text)
		}
	}
}
