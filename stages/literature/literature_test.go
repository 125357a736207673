package literature

import "testing"

// Words with capitals behind their first letter keep them in every style.
func TestKeepCapitals(t *testing.T) {
	if got := keepCapitals("fMRIPrep: a pipeline (CompCor) for Graph U-Nets"); got != "{fMRIPrep:} a pipeline {(CompCor)} for Graph {U-Nets}" {
		t.Errorf("capitals: %q", got)
	}
}
