package console

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// What a killed process had not finished is gone after the next file of that directory.
func TestKilledWhileWriting(t *testing.T) {
	if path := os.Getenv("PRGNN_TEST_WRITES"); path != "" { // the process that is killed
		t.Fatal(new(Console).WriteFile(path, func(w io.Writer) error {
			os.Stdout.WriteString("writing\n")
			select {}
		}))
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWhileWriting$")
	child.Env = append(os.Environ(), "PRGNN_TEST_WRITES="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "writing\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Fatalf("the killed process left %v, %v", left, err)
	}
	if err := new(Console).WriteBytes(path, []byte("whole")); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "page.html" {
		t.Errorf("beside the page lies %v, %v", left, err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "whole" {
		t.Errorf("%q, %v", b, err)
	}
}

// A pipe or a device is written into, and stays what it is.
func TestWriteIntoPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no /dev/fd")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", w.Fd())
	if err := new(Console).WriteBytes(path, []byte("whole")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if b, err := io.ReadAll(r); err != nil || string(b) != "whole" {
		t.Errorf("%q, %v", b, err)
	}
	if err := new(Console).WriteBytes(t.TempDir(), nil); err == nil {
		t.Error("a directory was written into")
	}
}
