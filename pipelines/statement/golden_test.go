package statement

import (
	"flag"
	"os"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

var update = flag.Bool("update", false, "write testdata anew, for a new version of the format only")

// A statement that was signed with version 1 is verified by today's program, for ever.
func TestGoldenStatement(t *testing.T) {
	const golden, key = "testdata/golden-1.intoto.json", "testdata/golden-1.pub.pem"
	if *update {
		envelope, _, public := signed(t)
		for name, b := range map[string][]byte{golden: envelope, key: public} {
			need.NoError(t, os.WriteFile(name, b, 0o666))
		}
	}
	envelope, err1 := os.ReadFile(golden)
	public, err2 := os.ReadFile(key)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	s := need.Value(Verify(envelope, public))(t)
	text, _ := example().Encode()
	if s.Lock() != artifacts.DigestOf(text) ||
		s.Outputs()["first[value=1.5]"].Of("value").Digest != (artifacts.Digest{8}) {
		t.Errorf("%+v", s)
	}
}
