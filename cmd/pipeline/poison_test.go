//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"prgnn/internal/remotetest"
)

// A shared cache that somebody has changed: in a directory, and on a real S3 server.
func TestPoisonedRemote(t *testing.T) {
	story := func(t *testing.T, address, dir string, env map[string]string) {
		testscript.Run(t, testscript.Params{
			Dir:                 "testdata/poison",
			RequireExplicitExec: true,
			Setup: func(e *testscript.Env) error {
				for name, value := range env {
					e.Setenv(name, value)
				}
				e.Setenv("PIPELINE_REMOTE", address)
				e.Setenv("REMOTE_DIR", dir)
				return nil
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "poison": poison},
		})
	}
	t.Run("file", func(t *testing.T) {
		dir := t.TempDir()
		story(t, "file://"+filepath.ToSlash(dir), dir, nil)
	})
	t.Run("s3", func(t *testing.T) {
		s := remotetest.S3(t)
		story(t, "s3://lab/results", filepath.Join(s.Bucket, "results"), s.Env)
	})
}

// poison HONEST OTHER makes the remote say that the work with the one parameter gave what
// the work with the other gave, in a sealed record, and in a signed one if there is any.
func poison(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: poison HONEST OTHER")
	}
	dir := ts.Getenv("REMOTE_DIR")
	record := func(value string) (path string, text []byte) {
		all, _ := filepath.Glob(filepath.Join(dir, "actions", "*", "*"))
		for _, path := range all {
			text, err := os.ReadFile(path)
			ts.Check(err)
			if strings.Contains(string(text), "value = \""+value+"\"\n") {
				return path, text
			}
		}
		ts.Fatalf("no record of %s in %s", value, dir)
		return "", nil
	}
	path, honest := record(args[0])
	otherPath, other := record(args[1])
	output := regexp.MustCompile(`(?m)^output .*$`)
	honest = output.ReplaceAll(honest, output.Find(other))
	body := honest[:bytes.LastIndex(honest, []byte("sha256 "))]
	ts.Check(os.Chmod(path, 0o644))
	ts.Check(os.WriteFile(path, fmt.Appendf(body, "sha256 %x\n", sha256.Sum256(body)), 0o644))
	signed := func(action string) []string {
		key := filepath.Base(action)
		found, _ := filepath.Glob(filepath.Join(dir, "signed", key[:2], key+".*"))
		return found
	}
	for _, envelope := range signed(path) {
		id := filepath.Ext(envelope)
		for _, replayed := range signed(otherPath) {
			if filepath.Ext(replayed) == id {
				b, err := os.ReadFile(replayed)
				ts.Check(err)
				ts.Check(os.Chmod(envelope, 0o644))
				ts.Check(os.WriteFile(envelope, b, 0o644))
			}
		}
	}
}
