package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// The viewer that is kept was built from the sources that are kept: whoever edits them,
// or the lock file, has to build it again.
func TestViewerIsBuiltFromItsSources(t *testing.T) {
	b := need.Value(os.ReadFile("web/built.json"))(t)
	built := map[string]string{}
	need.NoError(t, json.Unmarshal(b, &built))
	digest := func(b []byte) string {
		d := sha256.Sum256(b)
		return hex.EncodeToString(d[:])
	}
	sources := need.Value(filepath.Glob("web/*"))(t)
	for _, path := range sources {
		name := filepath.Base(path)
		if name == "built.json" || name == "node_modules" {
			continue
		}
		b := need.Value(os.ReadFile(path))(t)
		if built[name] != digest(b) {
			t.Errorf("web/%s is not the one that the viewer was built from: make web", name)
		}
		delete(built, name)
	}
	code := need.Value(viewerCode())(t)
	if built["viewer.js"] != digest([]byte(code)) {
		t.Error("viewer.js.gz is not what web/built.json says: make web")
	}
	delete(built, "viewer.js")
	for name := range built {
		t.Errorf("web/%s, which the viewer was built from, is not there", name)
	}
	for _, notice := range []string{"Copyright (c) 2021, Niivue", "Redistributions in binary form must reproduce", "gl-matrix"} {
		if !strings.Contains(code[:20000], notice) {
			t.Errorf("the viewer goes without the notice %q", notice)
		}
	}
}
