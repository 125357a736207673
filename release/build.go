package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A platform is one that the program is built for.
type platform struct {
	os, arch string
	level    string // of the processor: what Go's compiler may assume
	wheel    string // platform tag of the wheel (packaging.python.org, platform compatibility tags)
}

func (p platform) String() string { return p.os + "/" + p.arch }

// A static binary needs no C library, so that one wheel serves glibc and musl; the
// oldest tags that pip knows for both.
var platforms = []platform{
	{"linux", "amd64", "GOAMD64=v1", "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "GOARM64=v8.0", "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "GOAMD64=v1", "macosx_12_0_x86_64"}, // Go 1.26 needs macOS 12
	{"darwin", "arm64", "GOARM64=v8.0", "macosx_12_0_arm64"},
	{"windows", "amd64", "GOAMD64=v1", "win_amd64"},
	{"windows", "arm64", "GOARM64=v8.0", "win_arm64"},
}

// program is the file's name in archives and wheels.
func (p platform) program() string {
	if p.os == "windows" {
		return "pipeline.exe"
	}
	return "pipeline"
}

// build makes the binary. Nothing of this machine enters it: no path (-trimpath), no symbol
// table, no C, and no setting of go but those here.
func build(dir string, p platform) (binary, error) {
	b := binary{p, filepath.Join(dir, p.os+"-"+p.arch, p.program())}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", b.path, "./cmd/pipeline")
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "GOAMD") && !strings.HasPrefix(name, "GOARM") &&
			name != "GOFLAGS" && name != "GOEXPERIMENT" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+p.os, "GOARCH="+p.arch, p.level)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return b, fmt.Errorf("%s: go build: %w", p, err)
	}
	return b, nil
}

// sourceOf is the commit that the directory holds.
func sourceOf(changed bool) (source, error) {
	status, err := git("status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return source{}, err
	}
	if status != "" && !changed {
		return source{}, fmt.Errorf("files differ from the commit; commit them, or add -changed:\n%s", status)
	}
	at, err := git("log", "-1", "--format=%H %ct")
	if err != nil {
		return source{}, err
	}
	commit, seconds, _ := strings.Cut(at, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	return source{commit, time.Unix(n, 0).UTC()}, err
}

// inClone goes into a new clone of the commit: no file that git does not track enters the release, such as the page
// of a run in this directory. back returns from it.
func inClone(work string) (back func() error, err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(work, "source")
	if _, err := git("clone", "--quiet", ".", dir); err != nil {
		return nil, err
	}
	return func() error { return os.Chdir(here) }, os.Chdir(dir)
}

func git(args ...string) (string, error) {
	var errs bytes.Buffer
	cmd := exec.Command("git", args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, errs.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}
