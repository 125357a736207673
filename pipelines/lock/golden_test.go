package lock

import (
	"flag"
	"os"
	"testing"

	"prgnn/internal/need"
	_ "prgnn/stages" // the kinds
)

var update = flag.Bool("update", false, "write testdata anew, for a new version of the format only")

// A lock of version 1 is read by today's program, for ever, and written in the same
// bytes: locks lie in the repositories of papers.
func TestGoldenLock(t *testing.T) {
	const golden = "testdata/golden-1.lock"
	if *update {
		_, _, l := made(t)
		l.Program.Version, l.Program.Revision, l.Program.Go, l.Program.Platform = "v1.0.0", "abc",
			"go1.26", "linux/amd64"
		need.NoError(t, os.WriteFile(golden, []byte(encoded(t, l)), 0o666))
	}
	text := need.Value(os.ReadFile(golden))(t)
	l := need.Value(Parse(text))(t)
	if l.Pipeline != "two" || l.Text != twoStages || len(l.Tasks()) != 4 || len(l.Inputs()) != 1 ||
		l.Program.Revision != "abc" || l.Tasks()["second"].Outputs.Of("value").Size != 137 {
		t.Errorf("%+v", l)
	}
	if encoded(t, l) != string(text) {
		t.Error("today it would be written in other bytes")
	}
}
