package methods

import (
	"strings"
	"testing"

	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/participants"
)

// The methods tell the strategy that was used, not the word auto.
func TestMethodsOfNuisance(t *testing.T) {
	d := &finding.StageSettings{Value: map[string]string{"regress": "auto"}}
	row := column.CleaningRow{Strategy: "acompcor", TEff: 90, NonSteady: 2, Volumes: 148, Kept: 146}
	two := []participants.CleanedScan{{CleaningRow: row}, {CleaningRow: row}}
	two[1].Kept = 120
	got := strings.Join(methodsOfNuisance(&Text{}, two, d, false), "; ")
	const want = "12 motion parameters, components of aCompCor of white matter and of CSF, and fMRIPrep's cosines (high-pass filter at 1/128 Hz) were regressed out [1, 2]; " +
		"non-steady-state volumes were removed; 133 (120–146) volumes were kept; 90 degrees of freedom were left"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	row = column.CleaningRow{Strategy: "none", Why: column.AskedForNone, TEff: 147}
	if got := strings.Join(methodsOfNuisance(&Text{}, []participants.CleanedScan{{CleaningRow: row}}, d, false),
		"; "); !strings.HasPrefix(got, "no nuisance regression (regress: none) was done") {
		t.Errorf("%s", got)
	}
	for why, want := range map[string]string{
		column.SeriesGiven: "the time series were used as given; how they were cleaned and how many degrees of freedom that cost is not known to this program",
		column.SeriesGiven + column.AsSidecarSays + "36P": "the time series were used as given; according to the sidecar, cleaned with 36P; how many degrees of freedom that cost is not known to this program",
		column.CleanedScan: "no nuisance regression (scan already denoised) was done",
	} {
		row.Why = why
		got := strings.Join(methodsOfNuisance(&Text{}, []participants.CleanedScan{{CleaningRow: row}}, d, false), "; ")
		if want += "; at most 147 degrees of freedom were left"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// The methods tell the lengths of the blocks that were used.
func TestMethodsOfBlocks(t *testing.T) {
	two := []participants.CleanedScan{{CleaningRow: column.CleaningRow{Block: 4}},
		{CleaningRow: column.CleaningRow{Block: 6}}}
	for block, want := range map[string]string{
		"0": "10 random draws were made of the volumes of each scan by a circular block bootstrap [1] with blocks of 5 (4–6) volumes, the optimal length for the series [2, 3], the mean over the regions",
		"9": "circular block bootstrap [1] with blocks of 9 volumes, the same volumes for all regions",
	} {
		m := &Text{}
		methodsOfBlocks(m, two, &finding.StageSettings{Value: map[string]string{"draws": "10", "block": block}})
		if got := strings.Join(m.sentences, " "); !strings.Contains(got, want) {
			t.Errorf("block %s: %s", block, got)
		}
	}
	m := &Text{}
	methodsOfBlocks(m, two, &finding.StageSettings{Value: map[string]string{"draws": "0", "block": "0"}})
	if m.sentences != nil {
		t.Errorf("no draws: %q", m.sentences)
	}
}
