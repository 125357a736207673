package strength

import (
	"os/exec"
	"testing"
)

// TestCode fails when the code was edited and `go generate` forgotten: results of the old
// code would pass for those of the new.
func TestCode(t *testing.T) {
	if out, err := exec.Command("go", "run", "prgnn/dag/codeid", "-check", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
