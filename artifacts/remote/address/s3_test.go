//go:build unix

package address

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/internal/need"
	"prgnn/internal/remotetest"
)

// server starts a real S3 server on loopback, for the length of a test.
func server(t *testing.T) *os.Process {
	t.Helper()
	s := remotetest.S3(t)
	for name, value := range s.Env {
		t.Setenv(name, value)
	}
	return s.Process
}

func TestS3(t *testing.T) {
	server(t)
	every(t, open(t, "s3://lab/some/prefix"))
	every(t, open(t, "s3://lab"))
}

func TestS3RefusesPlainly(t *testing.T) {
	server(t)
	for _, c := range []struct{ name, address, key, says string }{
		{"no such bucket", "s3://nobodys/prefix", "testsecret12345", "no such bucket"},
		{"wrong secret", "s3://lab/prefix", "wrong-but-secret", "AWS_SECRET_ACCESS_KEY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("AWS_SECRET_ACCESS_KEY", c.key)
			err := store(t).Remote.Attach(context.Background(), open(t, c.address))
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), c.key) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestS3ThatHangs(t *testing.T) { hangs(t, server(t), "s3://lab/p") }

// hangs: a server that stops answering in the middle, not one that refuses: questions get
// no answer at all. The work goes on, and arrives when it is back.
func hangs(t *testing.T, process *os.Process, address string) {
	t.Helper()
	one := store(t)
	need.NoError(t, one.Remote.Attach(context.Background(), open(t, address)))
	first := record(t, one, "before")
	one.Remote.Share(context.Background(), func(int) {})
	need.NoError(t, process.Signal(syscall.SIGSTOP))
	for i := range 50 {
		record(t, one, strings.Repeat("x", i))
		if _, err := one.Lookup(artifacts.KeyOf("nobody's")); !errors.Is(err, artifacts.ErrMiss) {
			t.Fatal(err)
		}
	}
	if r := one.Remote.Report(); r.Down == nil {
		t.Errorf("it is not known to be away: %+v", r)
	}
	process.Signal(syscall.SIGCONT)
	need.NoError(t, one.Close())
	again := need.Value(disk.Open(one.Dir()))(t)
	defer again.Close()
	need.NoError(t, again.Remote.Attach(context.Background(), open(t, address)))
	again.Remote.Share(context.Background(), func(int) {})
	two := store(t)
	need.NoError(t, two.Remote.Attach(context.Background(), open(t, address)))
	for i := range 50 {
		if _, err := two.Lookup(artifacts.KeyOf(strings.Repeat("x", i))); err != nil {
			t.Fatalf("result %d did not arrive: %v", i, err)
		}
	}
	if a, err := two.Lookup(first); err != nil || !two.Has(a.Outputs.Of("out")) {
		t.Errorf("what was shared before is gone: %v", err)
	}
}
