package methods

import (
	"math"
	"slices"
	"testing"

	"prgnn/stages/column"
	"prgnn/stages/present/participants"
	"prgnn/stages/present/section"
)

// Methods of real data tell the length of the scans and the repetition time as far as they are known.
func TestMethodsTellLengths(t *testing.T) {
	scan := func(volumes int32, tr float64) participants.CleanedScan {
		return participants.CleanedScan{CleaningRow: column.CleaningRow{Volumes: volumes, TR: tr}}
	}
	for _, c := range []struct {
		scans []participants.CleanedScan
		want  []string
	}{
		{nil, nil},
		{[]participants.CleanedScan{scan(176, 2), scan(176, 2)}, []string{"All scans have 176 volumes at a repetition time of 2 s."}},
		{[]participants.CleanedScan{scan(176, 2), scan(150, 2.5), scan(200, math.NaN())},
			[]string{"The scans have 150 to 200 volumes (median 176) at repetition times of 2 to 2.5 s (unknown for 1 scan)."}},
		{[]participants.CleanedScan{scan(176, math.NaN())}, []string{"All scans have 176 volumes."}},
	} {
		if got := lengths(c.scans); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A filter with one edge is no band.
func TestMethodsOfFilter(t *testing.T) {
	for _, c := range [][3]string{
		{"0.01", "0.08", "a Butterworth filter kept 0.01–0.08 Hz"},
		{"0.01", "0", "a Butterworth filter kept frequencies above 0.01 Hz"},
		{"0", "0.08", "a Butterworth filter kept frequencies below 0.08 Hz"},
	} {
		m := &Text{}
		a := New(section.NewWriter(nil), nil)
		a.methodsOfCleaning(m, &section.StageSettings{Value: map[string]string{"detrend": "-1",
			"filter": "butterworth", "high_pass": c[0], "low_pass": c[1]}})
		if want := "Denoising: " + c[2] + "."; len(m.sentences) != 1 || m.sentences[0] != want {
			t.Errorf("%s–%s: %q, want %q", c[0], c[1], m.sentences, want)
		}
	}
}
