package methods

import (
	"strings"
	"testing"

	"prgnn/stages/column"
	"prgnn/stages/present/participants"
	"prgnn/stages/present/section"
)

// The methods tell the strategy that was used, not the word auto.
func TestMethodsOfNuisance(t *testing.T) {
	d := &section.StageSettings{Value: map[string]string{"regress": "auto"}}
	row := column.CleaningRow{Strategy: "acompcor", TEff: 90, NonSteady: 2}
	two := []participants.CleanedScan{{CleaningRow: row}, {CleaningRow: row}}
	got := strings.Join(methodsOfNuisance(&Text{}, two, d), "; ")
	const want = "12 motion parameters, components of aCompCor of white matter and of CSF, and fMRIPrep's cosines (high-pass filter at 1/128 Hz) were regressed out [1, 2]; " +
		"non-steady-state volumes were removed; 90 degrees of freedom were left"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	row = column.CleaningRow{Strategy: "none", Why: column.AskedForNone, TEff: 147}
	if got := strings.Join(methodsOfNuisance(&Text{}, []participants.CleanedScan{{CleaningRow: row}}, d),
		"; "); !strings.HasPrefix(got, "no nuisance regression (regress: none) was done") {
		t.Errorf("%s", got)
	}
}
