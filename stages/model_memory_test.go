package stages

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/peak"
	"prgnn/stages/learn"
)

// A model of a megabyte that unpacks to a gigabyte is refused.
func TestModelMemory(t *testing.T) {
	peak.Below(t, 60, func(t *testing.T) {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		need.Value(w.Create("model.json"))(t).Write([]byte("{}"))
		f := need.Value(w.Create("weight.npy"))(t)
		zeros := make([]byte, 1<<20)
		for range 512 {
			f.Write(zeros)
		}
		w.Close()
		if _, err := learn.ReadModel(b.Bytes()); err == nil || !strings.Contains(err.Error(), "for a model") {
			t.Error(err)
		}
	})
}
