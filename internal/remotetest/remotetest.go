//go:build unix

// Package remotetest starts the servers on which tests share results, on loopback.
package remotetest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"prgnn/internal/need"
)

// A Server is a running server.
type Server struct {
	Process *os.Process
	Address string            // host:port
	Bucket  string            // of S3: the directory that holds the objects of the bucket lab, as plain files
	Env     map[string]string // makes a client talk to the server
}

// S3 starts versitygw for the length of a test, and skips the test where there is none. Its one
// bucket is called lab.
func S3(t *testing.T) *Server {
	t.Helper()
	binary := program(t, "PRGNN_S3_SERVER", "versitygw",
		"go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
	dir := t.TempDir()
	need.NoError(t, os.Mkdir(filepath.Join(dir, "lab"), 0o777))
	s := serve(t, func(address string) *exec.Cmd {
		cmd := exec.Command(binary, "--port", address, "--quiet", "posix", dir)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=testkey12345", "ROOT_SECRET_KEY=testsecret12345")
		return cmd
	})
	s.Bucket = filepath.Join(dir, "lab")
	s.Env = map[string]string{
		"AWS_ENDPOINT_URL": "http://" + s.Address, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_ACCESS_KEY_ID": "testkey12345", "AWS_SECRET_ACCESS_KEY": "testsecret12345", "AWS_SESSION_TOKEN": "",
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "none"),
	}
	return s
}

// program is where a server is: named by a variable, or found by its name.
func program(t *testing.T, variable, name, how string) string {
	t.Helper()
	if binary := os.Getenv(variable); binary != "" {
		return binary
	}
	binary, err := exec.LookPath(name)
	if err != nil {
		need.Missing(t, "no server: %s names the program %s (%s)", variable, name, how)
	}
	return binary
}

// serve starts a server and returns when it answers. Another program may take the free port
// in between: then the server ends, and another port is tried.
func serve(t *testing.T, command func(address string) *exec.Cmd) *Server {
	t.Helper()
	var name string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		free := need.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
		address := free.Addr().String()
		free.Close()
		cmd := command(address)
		name = cmd.Path
		need.NoError(t, cmd.Start())
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		t.Cleanup(func() {
			cmd.Process.Signal(syscall.SIGCONT)
			cmd.Process.Kill()
			<-ended
		})
		for running := true; running && time.Now().Before(deadline); {
			select {
			case <-ended:
				running = false
			case <-time.After(25 * time.Millisecond):
				if c, err := net.Dial("tcp", address); err == nil {
					c.Close()
					return &Server{Process: cmd.Process, Address: address}
				}
			}
		}
	}
	t.Fatalf("%s did not answer within a minute", name)
	return nil
}
