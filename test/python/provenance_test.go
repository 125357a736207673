package python_test

import (
	"testing"

	"prgnn/internal/need"
)

// TestProvenanceIsValid has the communities' own validators judge what we write of the
// quick pipeline: prov for PROV-JSON, rocrate-validator for the crate.
func TestProvenanceIsValid(t *testing.T) {
	python := need.Python(t, "prov", "rocrate_validator")
	dir := t.TempDir()
	output(t, dir, program, "run", "-q", "quick.yaml")
	output(t, dir, program, "provenance", "-q", "quick.yaml", "--format", "prov", "-o", "prov.json")
	output(t, dir, program, "provenance", "-q", "quick.yaml", "-o", "crate")
	output(t, dir, program, "provenance", "-q", "quick.yaml", "-o", "licensed", "--license", "CC-BY-4.0")
	t.Logf("%s", output(t, dir, python, script(t, "check_prov.py"), "prov.json"))
	t.Logf("%s", output(t, dir, python, script(t, "check_crate.py"), "crate", "licensed"))
}
