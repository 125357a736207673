package literature

import (
	"testing"

	"prgnn/internal/need"
)

// Words with capitals behind their first letter keep them in every style.
func TestKeepCapitals(t *testing.T) {
	need.Equal(t, keepCapitals("fMRIPrep: a pipeline (CompCor) for Graph U-Nets"),
		"{fMRIPrep:} a pipeline {(CompCor)} for Graph {U-Nets}", "capitals")
}
