// Package venv makes virtual environments of Python in the user's cache directory, one for each list of
// packages and interpreter.
package venv

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// making has one goroutine of a process make an environment while others wait for it.
var making sync.Mutex

// Make makes a virtual environment with the packages of a requirements file, unless it is there, and
// returns its interpreter. options are further words for pip, to whose messages log listens. An
// environment is made under another name and renamed when it is whole, so one that was not finished is
// never used, and of several processes that make it at once the first one's is kept.
func Make(ctx context.Context, python string, requirements []byte, log io.Writer, options ...string) (string, error) {
	version, err := exec.CommandContext(ctx, python, "-c", "import sys; print(sys.executable, sys.version)").Output()
	if err != nil {
		return "", fmt.Errorf("%s does not start: %w", python, err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, part := range [][]byte{version, requirements, []byte(strings.Join(options, "\n"))} {
		fmt.Fprintln(hash, len(part))
		hash.Write(part)
	}
	dir := filepath.Join(cache, "prgnn", fmt.Sprintf("python-%.12x", hash.Sum(nil)))

	making.Lock()
	defer making.Unlock()
	if _, err := os.Stat(interpreter(dir)); err == nil {
		return interpreter(dir), nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", err
	}
	sweep(dir + unfinishedName + "*")
	unfinished, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+unfinishedName)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(unfinished)
	list := filepath.Join(unfinished, "requirements.txt")
	pip := append([]string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "-r", list}, options...)
	err = errors.Join(
		run(ctx, log, python, "-m", "venv", unfinished),
		os.WriteFile(list, requirements, 0o666))
	if err == nil {
		err = run(ctx, log, interpreter(unfinished), pip...)
	}
	if err == nil {
		err = scriptsTo(unfinished, dir)
	}
	if err != nil {
		return "", err
	}
	if err := os.Rename(unfinished, dir); err != nil {
		if _, there := os.Stat(interpreter(dir)); there != nil { // another process was not quicker
			return "", err
		}
	}
	return interpreter(dir), nil
}

func interpreter(dir string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, "Scripts", "python.exe")
	}
	return filepath.Join(dir, "bin", "python")
}

const unfinishedName = "-unfinished-"

// sweep removes what killed processes left a day ago.
func sweep(pattern string) {
	left, _ := filepath.Glob(pattern)
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(path)
		}
	}
}

// scriptsTo has the scripts of an environment call the interpreter at the place that it is renamed to.
func scriptsTo(from, to string) error {
	scripts, err := filepath.Glob(filepath.Join(filepath.Dir(interpreter(from)), "*"))
	for _, path := range scripts {
		info, e := os.Lstat(path)
		if e != nil || !info.Mode().IsRegular() {
			continue
		}
		text, e := os.ReadFile(path)
		if e == nil && bytes.HasPrefix(text, []byte("#!")) {
			e = os.WriteFile(path, bytes.ReplaceAll(text, []byte(from), []byte(to)), info.Mode())
		}
		err = errors.Join(err, e)
	}
	return err
}

func run(ctx context.Context, log io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(append([]string{filepath.Base(name)}, args[:2]...), " "), err)
	}
	return nil
}
