package methods

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
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
		a := New(section.NewWriter(nil), nil)
		a.Scans = c.scans
		if got := a.lengths(); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// What is joined is called so: no scan has the volumes of all runs.
func TestMethodsOfJoinedRuns(t *testing.T) {
	a := New(section.NewWriter(nil), nil)
	a.Scans = []participants.CleanedScan{{CleaningRow: column.CleaningRow{Volumes: 148, TR: 2, Trend: 1}},
		{CleaningRow: column.CleaningRow{Volumes: 74, TR: 2}}}
	stage := func(name, kind string, in map[string][]string) finding.StageSettings {
		return finding.StageSettings{Stage: name, Kind: kind, Value: map[string]string{"detrend": "-1"}, Inputs: in}
	}
	a.Run.Stages = []finding.StageSettings{stage("clean", "denoise", nil), stage("joined", "join", nil),
		stage("connectivity", "connectivity", map[string][]string{"series": {"joined.series"}}),
		stage("report", "report", map[string][]string{"cleaning": {"joined.quality"}})}
	need.Equal(t, strings.Join(a.lengths(), ""), "The scans and joined series have 74 to 148 volumes (median 111) at a repetition time of 2 s.", "lengths")
	m := &Text{}
	a.methodsOfGraphs(m)
	for _, want := range []string{"degrees of freedom were left in the joined series",
		"The denoised series of the runs of a participant were put one after the other (1 of 2 participants)."} {
		if text := strings.Join(m.sentences, " "); !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
	a.Scans[1].Trend = 1
	need.Equal(t, strings.Join(a.lengths(), ""), "The joined series have 74 to 148 volumes (median 111) at a repetition time of 2 s.", "all joined")
	// Where everybody has one run, nothing was joined.
	a.Scans[0].Trend, a.Scans[1].Trend = 0, 0
	need.Equal(t, strings.Join(a.lengths(), ""), "The scans have 74 to 148 volumes (median 111) at a repetition time of 2 s.", "one run each")
	m = &Text{}
	a.methodsOfGraphs(m)
	if text := strings.Join(m.sentences, " "); strings.Contains(text, "one after the other") || strings.Contains(text, "joined") {
		t.Errorf("nothing was joined: %s", text)
	}
}

// A filter with one edge is no band.
func TestMethodsOfFilter(t *testing.T) {
	for _, c := range [][4]string{
		{"0.01", "0.08", "a Butterworth filter kept 0.01–0.08 Hz", "-1"},
		{"0.01", "0", "a linear trend was removed; a Butterworth filter kept frequencies above 0.01 Hz", "1"},
		{"0", "0.08", "linear and quadratic trends were removed; a Butterworth filter kept frequencies below 0.08 Hz", "2"},
	} {
		m := &Text{}
		a := New(section.NewWriter(nil), nil)
		a.methodsOfCleaning(m, &finding.StageSettings{Value: map[string]string{"detrend": c[3],
			"filter": "butterworth", "high_pass": c[0], "low_pass": c[1]}})
		if want := "Denoising: " + c[2] + "."; len(m.sentences) != 1 || m.sentences[0] != want {
			t.Errorf("%s–%s: %q, want %q", c[0], c[1], m.sentences, want)
		}
	}
}

// Censored volumes that a Butterworth filter runs over are part of the method.
func TestMethodsOfBridge(t *testing.T) {
	for bridge, want := range map[string]string{
		"":        "; a Butterworth filter kept 0.01–0.08 Hz.",
		"linear":  "; a Butterworth filter kept 0.01–0.08 Hz; while it ran, straight lines stood in for censored volumes.",
		"nilearn": "; a Butterworth filter kept 0.01–0.08 Hz; while it ran, cubic splines stood in for censored volumes.",
	} {
		m, a := &Text{}, New(section.NewWriter(nil), nil)
		a.Scans = make([]participants.CleanedScan, 2)
		a.Scans[1].Bridge = bridge
		a.methodsOfCleaning(m, &finding.StageSettings{Value: map[string]string{"detrend": "-1",
			"filter": "butterworth", "high_pass": "0.01", "low_pass": "0.08"}})
		if text := strings.Join(m.sentences, " "); !strings.HasSuffix(text, want) {
			t.Errorf("%q, want %q", m.sentences, want)
		}
	}
}

// Excluded participants as a paper tells of them: one reason is not counted twice.
func TestMethodsOfReasons(t *testing.T) {
	for want, counted := range map[string][]string{
		"no value for the inclusion criterion age > 0": {"2: inclusion criterion not met: age > 0 (no value)"},
		"inclusion criterion age > 8 not met, n = 3; no value of IQ, n = 1": {"3: inclusion criterion not met: age > 8",
			"1: no value of IQ"},
	} {
		if got := reasons(counted); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
