package disk

import (
	"os"
	"strings"
	"testing"

	"prgnn/artifacts/whole"
	"prgnn/internal/need"
)

func TestProbe(t *testing.T) {
	s := newStore(t)
	a, err := s.Health.Probe()
	if err != nil || !a.Rename || !a.Lock || a.Problems() != nil {
		t.Errorf("%+v, %v, %v", a, err, a.Problems())
	}
	// It leaves nothing behind.
	dir, err := s.session.Begin()
	need.NoError(t, err)
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 { // the lease
		t.Errorf("%d files are left", len(entries))
	}
	if text := (whole.Abilities{}).Problems().Error(); !strings.Contains(text, "a rename") ||
		!strings.Contains(text, "locks") {
		t.Error(text)
	}
}
