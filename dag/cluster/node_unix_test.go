//go:build unix

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// An awaited is a context that ends when something waits for it.
type awaited struct {
	context.Context
	end context.CancelFunc
}

func (a awaited) Done() <-chan struct{} {
	a.end()
	return a.Context.Done()
}

// A command that the cluster's signal ends is no fault of its task, even if this process gets the signal later.
func TestSignalOfTheClusterIsAwaited(t *testing.T) {
	for command, waits := range map[string]bool{"exit 3": false, "kill -TERM $$": true} {
		ctx, cancel := context.WithCancel(t.Context())
		awaitSignal(awaited{ctx, cancel}, fmt.Errorf("the command ended with %w", exec.Command("sh", "-c", command).Run()))
		need.Equal(t, ctx.Err() != nil, waits, command)
		cancel()
	}
}

// Of a command that says very much, the beginning and the end are kept.
func TestCallsAreBounded(t *testing.T) {
	const loud = "echo first >&2; yes noise | head -c 3000000 >&2; echo last >&2; exit "
	_, err := call(context.Background(), "sh", "-c", loud+"1")
	need.Error(t, err, "sh: exit status 1: first\nnoise\n")
	need.Error(t, err, fmt.Sprintf("… %d bytes left out …\n", 3000011-mostSaid))
	if text := err.Error(); len(text) > mostSaid+200 || !strings.HasSuffix(text, "noise\nlast") {
		t.Errorf("%d bytes, which end with %q", len(text), text[len(text)-20:])
	}
	out, err := call(context.Background(), "sh", "-c", "yes | head -c 200000")
	need.NoError(t, err)
	need.Equal(t, out, strings.Repeat("y\n", 100000))
	_, err = call(context.Background(), "sh", "-c", "yes | head -c 70000000")
	need.Error(t, err, "sh: an answer of more than 64 MiB")
}

// What sbatch prints is the number of a job, or an error.
func TestJobNumbers(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for said, want := range map[string]string{"7;cluster": "7", "-1": "", "0": "", "x": ""} {
		need.NoError(t, os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/sh\necho '"+said+"'\n"), 0o755))
		id, err := commands{}.submit(context.Background(), nil, "")
		need.Equal(t, id, want, said)
		if want == "" {
			need.Error(t, err, "is not a job id")
		}
	}
}
