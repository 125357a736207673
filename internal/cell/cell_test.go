package cell

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhole(t *testing.T) {
	for text, want := range map[string]string{"1.0": "1", "01.00": "01", "12,0": "12", "1000.0": "1000", "0.0": "0",
		"1": "", "1.000": "", "1,000": "", "1.5": "", "a1.0": "", "-1.0": "", "1e5": "", "": ""} {
		if got, ok := Whole(text); ok != (want != "") || ok && got != want || !ok && got != text {
			t.Errorf("%s: %s %v", text, got, ok)
		}
	}
	for text, want := range map[string]bool{"1.000": true, "2,000": true, "1000.0": false, "1.234": false, "1": false} {
		if Grouped(text) != want {
			t.Error(text)
		}
	}
	for text, want := range map[string]bool{"1E+05": true, "1.2e5": true, "1e5": true, "1E5F": false, "E5": false,
		"12": false} {
		if Scientific(text) != want {
			t.Error(text)
		}
	}
}

func TestMissing(t *testing.T) {
	for text, want := range map[string]Doubt{"-": Mark, "--": Mark, " . ": Mark, "?": Mark, "—": Mark, "#REF!": Mark,
		"unknown": Word, "Missing": Word, "N.A.": Word, "none": Zero, "None": Zero, "0": Value, "-9": Value, "+": Value,
		"HC": Value, "A-": Value} {
		if got := DoubtOf(text); got != want || Missing(text) {
			t.Errorf("%s: %v %v", text, got, Missing(text))
		}
	}
	for _, text := range []string{"", " ", "n/a", "NA", "NaN", "null", "#N/A", "<NA>", " n/a "} {
		if !Missing(text) {
			t.Error(text)
		}
	}
}

func TestNumbered(t *testing.T) {
	for _, c := range []struct {
		lines string
		want  string
	}{
		{"4 rh_precuneus|2  rh insula|1\tx", "[4 2 1] [rh_precuneus rh insula x] true"},
		{"name|4 a|2 b", "[4 2] [a b] true"},
		{"4 a|4 b", "[] [] false"}, // Brodmann areas
		{"4 a|b", "[] [] false"},
		{"4|2", "[] [] false"},
		{"17Networks_LH 1|2 b", "[] [] false"},
		{"name", "[] [] false"},
	} {
		numbers, names, ok := Numbered(strings.Split(c.lines, "|"))
		if got := fmt.Sprint(numbers, names, ok); got != c.want {
			t.Errorf("%s: %s, want %s", c.lines, got, c.want)
		}
	}
}
