package bids

import (
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// What others put into a dataset stays: beside a participant's files, and where a file would be written, which is
// refused with its name before any other file is.
func TestJoinKeepsFilesOfOthers(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write := func(name, content string) {
		t.Helper()
		need.NoError(t, os.MkdirAll(filepath.Dir(path(name)), 0o777))
		need.NoError(t, os.WriteFile(path(name), []byte(content), 0o666))
	}
	is := func(name, want string) {
		t.Helper()
		b, _ := os.ReadFile(path(name))
		need.Equal(t, string(b), want, name)
	}
	join := func(content string, names ...string) error {
		t.Helper()
		d, err := Join(dir)
		need.NoError(t, err)
		defer d.Abort()
		for _, name := range names {
			need.NoError(t, d.Put(name, text(content)))
		}
		return d.Finish()
	}
	write("sub-01/anat/T1w.nii.gz", "T1")
	write("sub-02/func/note.txt", "note")
	need.NoError(t, join("1", "README", "sub-01/func/a.tsv", "sub-01/func/b.tsv", "sub-02/func/a.tsv"))
	need.NoError(t, join("2", "README", "sub-01/func/b.tsv", "sub-02/func/a.tsv"))
	is("README", "2")
	is("sub-01/anat/T1w.nii.gz", "T1")
	is("sub-01/func/a.tsv", "") // of the earlier call, and not of this one
	is("sub-01/func/b.tsv", "2")
	is("sub-02/func/a.tsv", "2")
	is("sub-02/func/note.txt", "note")
	need.NoError(t, os.MkdirAll(path("sub-02/anat"), 0o777))
	need.NoError(t, os.RemoveAll(path("sub-02/func/note.txt")))
	need.NoError(t, join("3", "sub-02/func/a.tsv"))
	if _, err := os.Stat(path("sub-02/anat")); err != nil {
		t.Errorf("an empty directory of another: %v", err)
	}

	for _, c := range []struct{ name, content, put, named string }{
		{"dataset_description.json", "mine", "dataset_description.json", "dataset_description.json"},
		{"README", "2 and a note", "README", "README"},                       // changed
		{"sub-02/func/a.tsv", "2", "sub-02/func/a.tsv", "sub-02/func/a.tsv"}, // as an earlier call wrote it
		{"sub-03", "a file", "sub-03/func/a.tsv", "sub-03"},
		{"logs", "a file", "logs/CITATION.md", "logs"},
	} {
		if c.name == "logs" {
			need.NoError(t, os.RemoveAll(path("logs")))
		}
		write(c.name, c.content)
		err := join("4", "sub-01/func/b.tsv", c.put)
		if c.content == "2" {
			need.NoError(t, err)
			is("sub-02/func/a.tsv", "4")
			continue
		}
		need.Error(t, err, "belong: "+c.named, c.name)
		is(c.name, c.content)
	}
	is("sub-01/func/b.tsv", "4")
	outside := filepath.Join(t.TempDir(), "func")
	need.NoError(t, os.MkdirAll(outside, 0o777))
	need.NoError(t, os.RemoveAll(path("logs")))
	need.NoError(t, os.MkdirAll(path("sub-04"), 0o777))
	if os.Symlink(outside, path("sub-04/func")) == nil {
		need.Error(t, join("1", "sub-04/func/a.tsv"), "belong: sub-04/func\n", "a link")
		need.NoError(t, os.Symlink(filepath.Join(outside, "none"), path("sub-01/func/c.tsv")))
		need.Error(t, join("1", "sub-01/func/c.tsv"), "belong: sub-01/func/c.tsv\n", "a link to nothing")
	}
}
