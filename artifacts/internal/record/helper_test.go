package record

import (
	"bytes"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

func encoded(t testing.TB, v artifacts.Value) []byte {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, v.Encode(&b))
	return b.Bytes()
}
