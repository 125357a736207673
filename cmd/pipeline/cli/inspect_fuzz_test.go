package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/need"
)

// FuzzInspect: of any file there is a description, or one error.
func FuzzInspect(f *testing.F) {
	for _, dir := range []string{"../../../nifti/testdata", "../../../artifacts/disk/testdata/store-1/blobs", "../../../stages/mat5/testdata"} {
		filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() && info.Size() < 1<<16 {
				if b, err := os.ReadFile(path); err == nil {
					f.Add(b)
				}
			}
			return nil
		})
	}
	f.Add([]byte("<GIFTI"))
	f.Add([]byte("\x93NUMPY\x01\x00"))
	path := filepath.Join(f.TempDir(), "file")
	f.Fuzz(func(t *testing.T, b []byte) {
		need.NoError(t, os.WriteFile(path, b, 0o666))
		var out, diag bytes.Buffer
		switch code := run([]string{"inspect", path, "--stats"}, &out, &diag); {
		case code == exit.Fine && out.Len() == 0, code == exit.Fine && diag.Len() > 0:
			t.Errorf("no description, or an error too: %q", diag.String())
		case code != exit.Fine && strings.Count(diag.String(), "error:") != 1:
			t.Errorf("exit code %d: %q", code, diag.String())
		}
	})
}
