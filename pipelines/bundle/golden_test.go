package bundle

import (
	"flag"
	"os"
	"testing"
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
	repeated(t, o.Lock, r)
}
