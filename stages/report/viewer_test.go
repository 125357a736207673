package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The viewer that is kept was built from the sources that are kept: whoever edits them,
// or the lock file, has to build it again.
func TestViewerIsBuiltFromItsSources(t *testing.T) {
	b, err := os.ReadFile("web/built.json")
	if err != nil {
		t.Fatal(err)
	}
	built := map[string]string{}
	if err := json.Unmarshal(b, &built); err != nil {
		t.Fatal(err)
	}
	digest := func(b []byte) string {
		d := sha256.Sum256(b)
		return hex.EncodeToString(d[:])
	}
	sources, err := filepath.Glob("web/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range sources {
		name := filepath.Base(path)
		if name == "built.json" || name == "node_modules" {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if built[name] != digest(b) {
			t.Errorf("web/%s is not the one that the viewer was built from: make web", name)
		}
		delete(built, name)
	}
	code, err := viewerCode()
	if err != nil {
		t.Fatal(err)
	}
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
