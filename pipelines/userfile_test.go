package pipelines

import (
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// A directory as an input is its files, each under its path from there.
func TestDirectoryInput(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"m/b.py", "m/a/c.py", "m/.git/x", "m/__pycache__/b.pyc", "m/.hidden", "m/d.pyc"} {
		testdir.Write(t, filepath.Join(dir, file), "x")
	}
	load := func(inputs string) (*Pipeline, error) {
		testdir.Write(t, filepath.Join(dir, "p.yaml"), "stages: { s: { use: exec, in: { code: { file: m/ } }, "+
			"with: { command: [ls], inputs: ["+inputs+"], outputs: [out=text] } } }\n")
		return Load(filepath.Join(dir, "p.yaml"), nil)
	}
	p := need.Value(load(`"code*"`))(t)
	var got string
	for _, src := range p.Graph.Stages()[0].Tasks()[0].Inputs()[0].Sources {
		got += src.Coords[0].Axis + "=" + src.Coords[0].Value + " " + src.Name + " " + src.Format + "\n"
	}
	need.Equal(t, got, "file=a/c.py m/a/c.py py\nfile=b.py m/b.py py\n")
	_, err := load("code")
	need.Error(t, err, "a directory")
	need.NoError(t, os.Symlink("b.py", filepath.Join(dir, "m", "link.py")))
	_, err = load(`"code*"`)
	need.Error(t, err, "a link")
	need.NoError(t, os.Remove(filepath.Join(dir, "m", "link.py")))
	testdir.Write(t, filepath.Join(dir, "empty", ".x"), "")
	testdir.Write(t, filepath.Join(dir, "q.yaml"), "stages: { s: { use: exec, in: { code: { file: empty } }, "+
		"with: { command: [ls], inputs: [\"code*\"], outputs: [out=text] } } }\n")
	_, err = Load(filepath.Join(dir, "q.yaml"), nil)
	need.Error(t, err, "has no files")
}
