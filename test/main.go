// Command test runs all tests: go run ./test [go test's flags and packages].
//
// It is go test ./... with a Python beside it: where there is a python3, the tests that
// open our files as users do get a virtual environment with what requirements.txt
// pins, made once and kept in the user's cache directory. Without a python3 they are
// skipped. It ends with the list of what was skipped, and why.
package main

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
)

//go:embed requirements.txt
var requirements []byte

func main() {
	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"./..."}
	}
	python, err := environment()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		fmt.Fprintln(os.Stderr, "test: no python3 here: the tests that open our files in Python are skipped")
	case err != nil:
		fmt.Fprintf(os.Stderr, "test: the virtual environment for Python could not be made: %v\n", err)
		os.Exit(1)
	default:
		os.Setenv("PRGNN_PYTHON", python)
		// The environment's programs, such as the BIDS validator, after those of the system.
		os.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+filepath.Dir(python))
	}
	if !test(args) {
		os.Exit(1)
	}
}

// test runs go test, and ends with the tests that were skipped. Under PRGNN_REQUIRE there
// must be none.
func test(args []string) (ok bool) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	stream, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "test: %v: %v\n", cmd, err)
		return false
	}
	skipped, err := report(os.Stdout, stream, slices.Contains(args, "-v"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "test: %v: %v\n", cmd, err)
		return false
	}
	ok = cmd.Wait() == nil
	if len(skipped) == 0 {
		fmt.Println("no test was skipped")
		return ok
	}
	fmt.Printf("skipped: %d\n", len(skipped))
	for _, s := range skipped {
		fmt.Println("  " + s)
	}
	return ok && os.Getenv("PRGNN_REQUIRE") == ""
}

// environment makes the virtual environment, unless it is there, and returns its
// interpreter. A file "ready" is written last, so that one that was not finished
// is made again.
func environment() (string, error) {
	python := os.Getenv("PRGNN_PYTHON")
	if python == "" {
		python = "python3"
	}
	version, err := exec.Command(python, "-c", "import sys; print(sys.executable, sys.version)").Output()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "prgnn", fmt.Sprintf("python-%x", sha256.Sum256(append(version, requirements...)))[:len("python-")+12])
	inside, ready := filepath.Join(dir, "bin", "python"), filepath.Join(dir, "ready")
	if runtime.GOOS == "windows" {
		inside = filepath.Join(dir, "Scripts", "python.exe")
	}
	if _, err := os.Stat(ready); err == nil {
		return inside, nil
	}
	fmt.Fprintf(os.Stderr, "test: making a virtual environment in %s\n", dir)
	if err := run(python, "-m", "venv", "--clear", dir); err != nil {
		return "", err
	}
	list := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(list, requirements, 0o666); err != nil {
		return "", err
	}
	if err := run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", list); err != nil {
		return "", err
	}
	return inside, os.WriteFile(ready, nil, 0o666)
}

func run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%v: %w", cmd, err)
	}
	return nil
}
