//go:build unix

package remote

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// server starts a real S3 server on loopback, for the length of a test.
func server(t *testing.T) (process *os.Process) {
	t.Helper()
	binary := os.Getenv("PRGNN_S3_SERVER")
	if found, err := exec.LookPath("versitygw"); binary == "" && err == nil {
		binary = found
	}
	if binary == "" {
		need.Missing(t, "no S3 server: PRGNN_S3_SERVER names the program versitygw (go install github.com/versity/versitygw/cmd/versitygw@v1.8.0)")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "lab"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "--port", address, "--quiet", "posix", dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=testkey12345", "ROOT_SECRET_KEY=testsecret12345")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGCONT)
		cmd.Process.Kill()
		cmd.Wait()
	})
	for range 200 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": "http://" + address, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_ACCESS_KEY_ID": "testkey12345", "AWS_SECRET_ACCESS_KEY": "testsecret12345", "AWS_SESSION_TOKEN": "",
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "none"),
	} {
		t.Setenv(name, value)
	}
	return cmd.Process
}

func open(t *testing.T, address string) artifacts.Remote {
	t.Helper()
	r, err := Open(address)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestS3(t *testing.T) {
	server(t)
	every(t, open(t, "s3://lab/some/prefix"))
	every(t, open(t, "s3://lab"))
}

func store(t *testing.T) *artifacts.Store {
	t.Helper()
	s, err := artifacts.Open(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestS3RefusesPlainly(t *testing.T) {
	server(t)
	for _, c := range []struct{ name, address, key, says string }{
		{"no such bucket", "s3://nobodys/prefix", "testsecret12345", "there is no bucket of that name"},
		{"wrong secret", "s3://lab/prefix", "wrong-but-secret", "AWS_SECRET_ACCESS_KEY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("AWS_SECRET_ACCESS_KEY", c.key)
			err := store(t).Attach(context.Background(), open(t, c.address))
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), c.key) {
				t.Errorf("%v", err)
			}
		})
	}
}

func record(t *testing.T, s *artifacts.Store, recipe string) artifacts.Key {
	t.Helper()
	ref, err := s.Put(artifacts.Text(recipe))
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Record(artifacts.Action{Recipe: recipe, Outputs: map[string]artifacts.Ref{"out": ref}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A server that stops answering in the middle, not one that refuses: questions get
// no answer at all. The work goes on, and arrives when it is back.
func TestS3ThatHangs(t *testing.T) {
	process := server(t)
	one := store(t)
	if err := one.Attach(context.Background(), open(t, "s3://lab/p")); err != nil {
		t.Fatal(err)
	}
	first := record(t, one, "before")
	one.Share(context.Background(), func(int) {})
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		record(t, one, strings.Repeat("x", i))
		if _, err := one.Lookup(artifacts.KeyOf("nobody's")); !errors.Is(err, artifacts.ErrMiss) {
			t.Fatal(err)
		}
	}
	if r := one.Remote(); r.Down == nil {
		t.Errorf("it is not known to be away: %+v", r)
	}
	process.Signal(syscall.SIGCONT)
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := artifacts.Open(one.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := again.Attach(context.Background(), open(t, "s3://lab/p")); err != nil {
		t.Fatal(err)
	}
	again.Share(context.Background(), func(int) {})
	two := store(t)
	if err := two.Attach(context.Background(), open(t, "s3://lab/p")); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if _, err := two.Lookup(artifacts.KeyOf(strings.Repeat("x", i))); err != nil {
			t.Fatalf("result %d did not arrive: %v", i, err)
		}
	}
	if a, err := two.Lookup(first); err != nil || !two.Has(a.Outputs["out"]) {
		t.Errorf("what was shared before is gone: %v", err)
	}
}
