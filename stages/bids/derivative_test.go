package bids

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/workdir"
)

func TestNameString(t *testing.T) {
	n, _ := Parse("sub-01_ses-2_task-rest_run-1_space-T1w_res-2_desc-preproc_bold.nii.gz")
	n = n.Only("sub", "ses", "task", "run", "space").With(Entity{"desc", "boot03"}, Entity{"stat", "mean"},
		Entity{"seg", ""}, Entity{"atlas", "DK"})
	n.Suffix, n.Extension = "timeseries", ".tsv"
	need.Equal(t, n.String(), "sub-01_ses-2_task-rest_run-1_space-T1w_atlas-DK_stat-mean_desc-boot03_timeseries.tsv")
	for in, want := range map[string]string{"ledoit-wolf": "ledoitwolf", "../x": "x", "é": ""} {
		need.Equal(t, Label(in), want, "Label(", in)
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func TestDerivative(t *testing.T) {
	above := t.TempDir()
	dir := filepath.Join(above, "new", "dataset")
	d, err := Create(dir)
	need.NoError(t, err)
	need.NoError(t, d.Put("sub-01/func/a.tsv", text("x")))
	for _, bad := range []string{"../a", "/a", "a/../../b", "", ".", "a//b"} {
		if err := d.Put(bad, text("x")); err == nil {
			t.Errorf("%q was written", bad)
		}
	}
	need.Error(t, d.Put("sub-01/func/A.tsv", text("x")), "two results", "a second file of one name")
	// A link that others put there leads nowhere.
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(d.root.Name(), "sub-02")); err == nil {
		if err := d.Put("sub-02/a.tsv", text("x")); err == nil {
			t.Error("a file was written through a link out of the dataset")
		}
		os.Remove(filepath.Join(d.root.Name(), "sub-02"))
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the dataset is there before it is finished")
	}
	need.NoError(t, d.PutJSON("x.json", map[string]string{"a": "<b>"}))
	need.NoError(t, d.Finish())
	d.Abort()
	if b, err := os.ReadFile(filepath.Join(dir, "sub-01", "func", "a.tsv")); err != nil || string(b) != "x" {
		t.Errorf("%q, %v", b, err)
	}
	if left, _ := filepath.Glob(filepath.Join(above, "new", ".pipeline-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("into a dataset that is there: %v", err)
	}
	empty := filepath.Join(above, "empty")
	os.Mkdir(empty, 0o777)
	if d, err = Create(empty); err != nil {
		t.Fatal(err)
	}
	d.Abort()
	if left, _ := filepath.Glob(filepath.Join(above, ".pipeline-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if d, err = Create(empty); err == nil {
		if err = d.Finish(); err != nil {
			t.Errorf("into an empty directory: %v", err)
		}
	}
}

// A dataset that several processes write: a participant's directory is replaced as a whole,
// other files one by one, and what others have written stays.
func TestJoin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dataset")
	put := func(names ...string) {
		t.Helper()
		d, err := Join(dir)
		if err != nil {
			t.Error(err)
			return
		}
		for _, name := range names {
			if err := d.Put(name, text(names[0])); err != nil {
				t.Error(err)
				return
			}
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(names[0]))); err == nil &&
			names[0] == "sub-01/new.tsv" {
			t.Error("a file is there before the dataset is finished")
		}
		if err := d.Finish(); err != nil {
			t.Error(err)
			return
		}
	}
	put("sub-01/old.tsv", "README", "logs/a.txt")
	put("sub-02/a.tsv", "logs/b.txt")
	put("sub-01/new.tsv", "README")
	for name, want := range map[string]string{
		"sub-01/new.tsv": "sub-01/new.tsv", "sub-01/old.tsv": "", "sub-02/a.tsv": "sub-02/a.tsv",
		"README": "sub-01/new.tsv", "logs/a.txt": "sub-01/old.tsv", "logs/b.txt": "sub-02/a.tsv",
	} {
		b, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if string(b) != want {
			t.Errorf("%s holds %q, want %q", name, b, want)
		}
	}
	done := make(chan bool)
	for range 4 {
		go func() {
			for range 25 {
				put("sub-03/a.tsv", "sub-03/b.tsv")
			}
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
	for _, name := range []string{"a.tsv", "b.tsv"} {
		if b, err := os.ReadFile(filepath.Join(dir, "sub-03", name)); string(b) != "sub-03/a.tsv" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".pipeline-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// What a killed export left goes when the next one begins, and by the sweep of whatever else writes there.
func TestKilledExport(t *testing.T) {
	dir := t.TempDir()
	host, err := os.Hostname()
	need.NoError(t, err)
	d, err := Create(filepath.Join(dir, "out"))
	need.NoError(t, err)
	defer d.Abort()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || !strings.HasPrefix(entries[0].Name(), workdir.Unfinished) {
		t.Fatalf("%v, %v", entries, err)
	}
	left := filepath.Join(dir, workdir.Unfinished+"killed")
	need.NoError(t, errors.Join(os.MkdirAll(filepath.Join(left, "work", "dataset"), 0o700),
		os.WriteFile(filepath.Join(left, "lock"), []byte(host), 0o600)))
	if n := workdir.Sweep(dir, workdir.Unfinished); n != 1 {
		t.Errorf("%d directories were removed, want 1", n)
	}
	if _, err := os.Stat(d.root.Name()); err != nil {
		t.Errorf("a living export lost its files: %v", err)
	}
}
