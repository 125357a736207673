//go:build unix

// Package s3test starts a real S3 server on loopback for a test.
package s3test

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

// A Server is a running versitygw. Its one bucket is called lab.
type Server struct {
	Process *os.Process
	Bucket  string            // the directory that holds the objects of lab, as plain files
	Env     map[string]string // makes a client talk to the server
}

// Start starts a server for the length of a test, and skips the test where there is none.
func Start(t *testing.T) *Server {
	t.Helper()
	binary := os.Getenv("PRGNN_S3_SERVER")
	if found, err := exec.LookPath("versitygw"); binary == "" && err == nil {
		binary = found
	}
	if binary == "" {
		need.Missing(t, "no S3 server: PRGNN_S3_SERVER names the program versitygw (go install github.com/versity/versitygw/cmd/versitygw@v1.8.0)")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "lab"), 0o777); err != nil {
		t.Fatal(err)
	}
	process, address := serve(t, binary, dir)
	return &Server{process, filepath.Join(dir, "lab"), map[string]string{
		"AWS_ENDPOINT_URL": "http://" + address, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_ACCESS_KEY_ID": "testkey12345", "AWS_SECRET_ACCESS_KEY": "testsecret12345", "AWS_SESSION_TOKEN": "",
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "none"),
	}}
}

// serve starts the server and returns when it answers. Another program may take the free port
// in between: then the server ends, and another port is tried.
func serve(t *testing.T, binary, dir string) (process *os.Process, address string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := free.Addr().String()
		free.Close()
		cmd := exec.Command(binary, "--port", address, "--quiet", "posix", dir)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=testkey12345", "ROOT_SECRET_KEY=testsecret12345")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
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
					return cmd.Process, address
				}
			}
		}
	}
	t.Fatalf("%s did not answer within a minute", binary)
	return nil, ""
}
