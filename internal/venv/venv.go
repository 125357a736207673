// Package venv makes virtual environments of Python in the user's cache directory.
package venv

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Make makes a virtual environment with the packages of a requirements file, unless it is
// there, and returns its interpreter. A file "ready" is written last, so that one
// that was not finished is made again.
func Make(python string, requirements []byte) (string, error) {
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
