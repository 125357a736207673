package nifti

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedFile finds a file of the data that are kept outside of the project, and
// skips the test where they are not there.
func sharedFile(t testing.TB, path ...string) string {
	t.Helper()
	root := os.Getenv("PRGNN_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	p := filepath.Join(append([]string{root}, path...)...)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("%s is not there; set PRGNN_SHARED to the directory with the test data", p)
	}
	return p
}
