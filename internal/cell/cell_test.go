package cell

import "testing"

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
