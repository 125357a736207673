package main

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts/storetest"
	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// small has what a run hands out (a text), results in the middle and at the end, a fan-out
// and what gathers it.
const small = `stages:
  first: { use: exec, with: { command: [sh, -c, "echo banana > $0; echo more > $1", "{text}", "{more}"], outputs: [text=text, more=text] } }
  second: { use: exec, in: { text: first.text }, with: { command: [cp, "{text}", "{copy}"], inputs: [text], outputs: [copy=text] } }
  numbers: { use: echo, matrix: { value: [1..3] } }
`

// Whichever blob or record of a store rots, one run mends it: with the exit code 0,
// the same results, a text that is printed, exports that work, and a store without fault.
func TestWhateverRotsIsMended(t *testing.T) {
	t.Parallel()
	c := newRot(t)
	c.run("run", "small.yaml")
	want := c.exports()
	files := c.files("store")
	if len(files) < 12 {
		t.Fatal(files)
	}
	for _, path := range files {
		path.Flip(t)
		if out := c.run("run", "small.yaml", "--summary"); !strings.Contains(out, "banana\n") {
			t.Errorf("%s: %s", path, out)
		}
		c.run("verify")
		if got := c.exports(); !maps.Equal(got, want) {
			t.Errorf("%s: exported %q, not %q", path, got, want)
		}
	}
}

// The same in a remote, for a store that begins empty, also where a file is cut short or gone: one run has the same
// results, an export that meets the damage says so, and after one more run it works; what was met is replaced in
// the remote.
func TestWhateverRotsInARemoteIsMended(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*testing.T, storetest.Object){
		"flipped": func(t *testing.T, o storetest.Object) { o.Flip(t) },
		"cut":     func(t *testing.T, o storetest.Object) { o.Write(t, o.Read(t)[:1]) },
		"gone":    func(t *testing.T, o storetest.Object) { o.Remove(t) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newRot(t)
			remote := filepath.Join(c.dir, "remote")
			c.run("run", "small.yaml", "--remote", "file://"+remote)
			want := c.exports()
			for _, path := range c.files("remote") {
				spoil(t, path)
				need.NoError(t, os.RemoveAll(filepath.Join(c.dir, "store")))
				out := c.run("run", "small.yaml", "--summary", "--remote", "file://"+remote)
				if !strings.Contains(out, "banana\n") {
					t.Errorf("%s: %s", path, out)
				}
				c.run("verify")
				c.tryExports("--remote", "file://"+remote)
				c.run("run", "small.yaml", "--remote", "file://"+remote)
				if got := c.exports("--remote", "file://"+remote); !maps.Equal(got, want) {
					t.Errorf("%s: exported %q, not %q", path, got, want)
				}
				c.run("verify", "--store", remote)
			}
		})
	}
}

// reported leaves a page beside itself.
const reported = `cohort: { simulate: { asd: 3, hc: 3 } }
stages:
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  report: { use: report, in: { participants: cohort.participants, settings: pipeline.settings, tables: [folds] } }
`

// Whichever blob of a remote rots, one run of a new store leaves the page, and has all that a lock names.
func TestReportFromARottenRemote(t *testing.T) {
	t.Parallel()
	c := newRot(t)
	need.NoError(t, os.WriteFile(filepath.Join(c.dir, "small.yaml"), []byte(reported), 0o666))
	page, remote := filepath.Join(c.dir, "small.html"), filepath.Join(c.dir, "remote")
	c.run("run", "small.yaml", "--remote", "file://"+remote)
	want := need.Value(os.ReadFile(page))(t)
	for _, path := range c.files("remote") {
		if path.Kind != "blobs" {
			continue
		}
		path.Flip(t)
		need.NoError(t, errors.Join(os.Remove(page), os.RemoveAll(filepath.Join(c.dir, "store"))))
		c.run("run", "small.yaml", "--remote", "file://"+remote)
		if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the page has %d bytes, not %d: %v", path, len(got), len(want), err)
		}
		c.run("lock", "small.yaml", "--remote", "file://"+remote)
	}
}

// A bundle or a crate that needs a file which a remote has lost ends as damage does, and after one more run it is
// written.
func TestBundleFromARottenRemote(t *testing.T) {
	t.Parallel()
	c := newRot(t)
	remote := "file://" + filepath.Join(c.dir, "remote")
	c.run("run", "small.yaml", "--remote", remote)
	refused := map[string]int{}
	for _, path := range c.files("remote") {
		if path.Kind != "blobs" {
			continue
		}
		lost := path.Read(t)
		for _, command := range []string{"bundle", "provenance"} {
			need.NoError(t, os.RemoveAll(filepath.Join(c.dir, "store")))
			c.run("run", "small.yaml", "--remote", remote)
			path.Remove(t)
			for _, here := range storetest.Copies(t, filepath.Join(c.dir, "store"), path.Name) {
				here.Remove(t)
			}
			to := filepath.Join(t.TempDir(), "out")
			out, err := c.try(command, "small.yaml", "-o", to, "--remote", remote)
			var ended *exec.ExitError
			if errors.As(err, &ended) {
				refused[command]++
				if ended.ExitCode() != exit.Damaged || !strings.Contains(out, "missing or damaged") {
					t.Errorf("%s without %s: %v\n%s", command, path, err, out)
				}
				c.run("run", "small.yaml", "--remote", remote)
				c.run(command, "small.yaml", "-o", filepath.Join(t.TempDir(), "out"), "--remote", remote)
			}
			if err := os.WriteFile(path.Path, lost, 0o444); err != nil && !errors.Is(err, fs.ErrPermission) {
				t.Fatal(err)
			}
		}
	}
	if refused["bundle"] == 0 || refused["provenance"] == 0 {
		t.Errorf("no file that is needed was lost: %v", refused)
	}
}

type rot struct {
	t            *testing.T
	dir, program string
}

func newRot(t *testing.T) *rot {
	need.Program(t, "dash", "sh")
	program := need.Value(os.Executable())(t)
	c := &rot{t, testdir.Memory(t), filepath.Join(t.TempDir(), "pipeline")}
	if err := os.Symlink(program, c.program); err != nil {
		need.Missing(t, "symbolic links: %v", err)
	}
	need.NoError(t, os.WriteFile(filepath.Join(c.dir, "small.yaml"), []byte(small), 0o666))
	return c
}

func (c *rot) try(args ...string) (string, error) {
	cmd := exec.Command(c.program, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "PIPELINE_STORE="+filepath.Join(c.dir, "store"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (c *rot) run(args ...string) string {
	c.t.Helper()
	out, err := c.try(args...)
	if err != nil {
		c.t.Errorf("%v: %v\n%s", args, err, out)
	}
	return out
}

// exports exports every stage, and gives the bytes of the files.
func (c *rot) exports(flags ...string) map[string]string {
	c.t.Helper()
	dir := c.t.TempDir()
	for _, args := range exporting(dir, flags) {
		c.run(args...)
	}
	got := contents(c.t, dir)
	if len(got) < 6 {
		c.t.Errorf("only %d files are exported", len(got))
	}
	return got
}

// tryExports exports everything; what is damaged may be refused, with the remedy.
func (c *rot) tryExports(flags ...string) {
	c.t.Helper()
	for _, args := range exporting(c.t.TempDir(), flags) {
		out, err := c.try(args...)
		if err != nil && !strings.Contains(out, "` makes a damaged result of FILE again") &&
			!strings.Contains(out, "missing or damaged") {
			c.t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// exporting are the commands that export the results of each stage below a directory.
func exporting(dir string, flags []string) (commands [][]string) {
	for _, stage := range []string{"first", "second", "numbers"} {
		commands = append(commands, append([]string{"export", "small.yaml", stage, "--format", "all", "-o",
			filepath.Join(dir, stage) + string(filepath.Separator)}, flags...))
	}
	return commands
}

// files lists the blobs and the records of actions.
func (c *rot) files(store string) []storetest.Object {
	return storetest.Objects(c.t, filepath.Join(c.dir, store))
}
