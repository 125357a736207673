package bundle

import (
	"flag"
	"os"
	"testing"

	"prgnn/internal/need"
)

var update = flag.Bool("update", false, "write testdata anew, for a new version of the format only")

// A bundle of version 1 is opened by today's program, for ever, and gives the results
// that it brings (whose keys may be others by then: the code of a kind may change).
func TestGoldenBundle(t *testing.T) {
	const golden = "testdata/golden-1.tar"
	if *update {
		need.NoError(t, os.WriteFile(golden, packed(t, nil), 0o666))
	}
	b := need.Value(os.ReadFile(golden))(t)
	o := need.Value(open(t, b))(t)
	r := need.Value(o.Graph())(t)
	repeated(t, o.Lock, r)
}
