package python_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestProvenanceIsValid has the communities' own validators judge what we write of the
// quick pipeline: prov for PROV-JSON, rocrate-validator for the crate.
func TestProvenanceIsValid(t *testing.T) {
	python := os.Getenv("PRGNN_PYTHON")
	if python == "" || exec.Command(python, "-c", "import prov, rocrate_validator").Run() != nil {
		t.Skip("needs Python with prov and roc-validator: go run ./test makes one, or PRGNN_PYTHON names one")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "pipeline")
	output(t, dir, "go", "build", "-o", program, "prgnn/cmd/pipeline")
	output(t, dir, program, "run", "-q", "quick.yaml")
	output(t, dir, program, "provenance", "-q", "quick.yaml", "--format", "prov", "-o", "prov.json")
	output(t, dir, program, "provenance", "-q", "quick.yaml", "-o", "crate")
	output(t, dir, program, "provenance", "-q", "quick.yaml", "-o", "licensed", "--license", "CC-BY-4.0")
	t.Logf("%s", output(t, dir, python, script(t, "check_prov.py"), "prov.json"))
	t.Logf("%s", output(t, dir, python, script(t, "check_crate.py"), "crate"))
	t.Logf("%s", output(t, dir, python, script(t, "check_crate.py"), "licensed"))
}
