package page

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/need"
	"prgnn/pipelines"
	_ "prgnn/stages" // the kinds
	"prgnn/stages/report"
)

// Where no page of a run can be made, the page of an earlier one gets another name, and a
// file that is no report keeps its own.
func TestSetAside(t *testing.T) {
	dir, a := t.TempDir(), &console.Console{}
	var page bytes.Buffer
	need.NoError(t, (&report.Page{Title: "earlier"}).HTML(&page))
	for name, content := range map[string][]byte{"study.html": page.Bytes(), "mine.html": []byte("<p>mine</p>")} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o666))
		setAside(a, filepath.Join(dir, name))
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
		need.NoError(t, os.WriteFile(filepath.Join(dir, "study.html"), content, 0o666))
		setAside(a, filepath.Join(dir, "study.html"))
	}
	for name, want := range map[string][]byte{"study.earlier.html": edited, "study.earlier-2.html": page.Bytes()} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(b, want) {
			t.Errorf("%s is not the page that was set aside: %v", name, err)
		}
	}
}

// Ctrl-C ends the reading of a page's inputs. The page of an earlier run stays, and nothing is printed of the report.
func TestInterruptedPage(t *testing.T) {
	dir := t.TempDir()
	store := need.Value(disk.Open(filepath.Join(dir, "store")))(t)
	defer store.Close()
	file := filepath.Join(dir, "table.tsv")
	need.NoError(t, os.WriteFile(file, []byte("participant_id\n"), 0o666))
	ctx, end := context.WithCancel(t.Context())
	c, src := &results.Current{Store: store}, dag.Source{File: file, Format: "tsv"}
	in, ok, err := inputOf(ctx, c, src)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	r := need.Value(in.Reader())(t)
	defer r.Close()
	end()
	if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
		t.Errorf("reading ends with %v", err)
	}
	if _, _, err = inputOf(ctx, c, src); !errors.Is(err, context.Canceled) {
		t.Errorf("hashing ends with %v", err)
	}

	p := need.Value(pipelines.Load("biopoint.yaml", nil))(t)
	p.Dir = dir
	var page, out, said bytes.Buffer
	need.NoError(t, (&report.Page{Title: "earlier"}).HTML(&page))
	path := filepath.Join(dir, fileName(p))
	need.NoError(t, os.WriteFile(path, page.Bytes(), 0o666))
	a := console.New(nil, &out, &said)
	if err := Leave(ctx, a, p, store, &engine.Result{}, engine.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Leave ends with %v", err)
	}
	need.Equal(t, string(need.Value(os.ReadFile(path))(t)), page.String())
	need.Equal(t, said.String(), "")
}

// Pages of scans of an earlier run are removed as they were written; what somebody has edited or put there stays, and
// an
// empty directory goes.
func TestRemovePages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "study_quality")
	need.NoError(t, removePages(dir, nil))
	need.NoError(t, os.Mkdir(dir, 0o777))
	var page bytes.Buffer
	need.NoError(t, (&report.Page{Title: "sub-01", Turn: &report.Turn{At: 1, Of: 1}}).HTML(&page))
	files := map[string][]byte{"sub-01.html": page.Bytes(), "sub-02.html": page.Bytes(),
		"mine.html": []byte("<p>mine</p>"), "page.txt": page.Bytes(),
		"edited.html": bytes.Replace(page.Bytes(), []byte("<h1>"), []byte("<h1>my "), 1)}
	for name, content := range files {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o666))
	}
	need.NoError(t, removePages(dir, map[string]bool{"sub-01.html": true}))
	for name := range files {
		if _, err := os.Stat(filepath.Join(dir, name)); os.IsNotExist(err) != (name == "sub-02.html") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"mine.html", "page.txt", "edited.html"} {
		need.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	need.NoError(t, removePages(dir, nil))
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("an empty directory is left: %v", err)
	}
}
