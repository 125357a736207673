package bundle

import (
	"context"
	"flag"
	"os"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
)

var update = flag.Bool("update", false, "write testdata anew, for a new version of the format only")

// A bundle of version 1 is opened by today's program, for ever, and gives the results
// that it brings (whose keys may be others by then: the code of a kind may change).
func TestGoldenBundle(t *testing.T) {
	const golden = "testdata/golden-1.tar"
	if *update {
		if err := os.WriteFile(golden, packed(t, nil), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	o, err := open(t, b)
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.Graph()
	if err != nil {
		t.Fatal(err)
	}
	s, err := artifacts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := dag.Run(context.Background(), r.Graph, s, dag.Options{})
	if err != nil || got.Ran != 4 {
		t.Fatal(got, err)
	}
	for id, task := range o.Lock.Tasks() {
		if got.Outputs[id]["value"].Digest != task.Outputs["value"].Digest {
			t.Errorf("%s: %v, want %v", id, got.Outputs[id], task.Outputs)
		}
	}
}
