package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"prgnn/stages/report"
)

// Where no page of a run can be made, the page of an earlier one gets another name, and a
// file that is no report keeps its own.
func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	var page bytes.Buffer
	if err := (&report.Page{Title: "earlier"}).HTML(&page); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"study.html": page.Bytes(), "mine.html": []byte("<p>mine</p>")} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
		setAside(filepath.Join(dir, name))
	}
	if b, err := os.ReadFile(filepath.Join(dir, "study.earlier.html")); err != nil || !bytes.Equal(b, page.Bytes()) {
		t.Errorf("the earlier page is not in its new place: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "study.html")); !os.IsNotExist(err) {
		t.Errorf("an earlier page is left beside the file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine.html")); err != nil {
		t.Error(err)
	}

	// The next page that is set aside takes that place, unless somebody has edited what is there.
	edited := bytes.Replace(page.Bytes(), []byte("earlier"), []byte("my own"), 1)
	for _, content := range [][]byte{edited, page.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, "study.html"), content, 0o666); err != nil {
			t.Fatal(err)
		}
		setAside(filepath.Join(dir, "study.html"))
	}
	for name, want := range map[string][]byte{"study.earlier.html": edited, "study.earlier-2.html": page.Bytes()} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(b, want) {
			t.Errorf("%s is not the page that was set aside: %v", name, err)
		}
	}
}
