package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/venv"
)

// oldest are the oldest libraries that the Python package takes.
//
//go:embed oldest.txt
var oldest []byte

// otherPythons makes an environment for each other version of Python that the package takes and
// this machine has, and returns their interpreters: of 3.10 with the oldest libraries, of the others
// with those of requirements.txt. Each is 500 MB.
func otherPythons(mine string) (inside, lacking []string, err error) {
	for _, version := range []string{"3.10", "3.11", "3.12", "3.13", "3.14"} {
		python := interpreter(version)
		switch {
		case version == versionOf(mine):
			continue
		case python == "":
			lacking = append(lacking, version)
			continue
		}
		list := packagesOnly(requirements)
		if version == "3.10" {
			list = oldest
		}
		made, err := venv.Make(context.Background(), python, list, os.Stderr)
		if err != nil {
			return nil, nil, fmt.Errorf("of Python %s: %w", version, err)
		}
		inside = append(inside, made)
	}
	return inside, lacking, nil
}

// interpreter is a Python of a version, on the path or of pyenv; "" when there is none.
func interpreter(version string) string {
	candidates := []string{"python" + version}
	if home, err := os.UserHomeDir(); err == nil {
		installed, _ := filepath.Glob(filepath.Join(home, ".pyenv", "versions", version+".*", "bin", "python"))
		candidates = append(candidates, installed...)
	}
	for _, python := range candidates {
		if versionOf(python) == version {
			return python
		}
	}
	return ""
}

// versionOf is such as 3.11; "" when it is no Python that runs.
func versionOf(python string) string {
	out, _ := exec.Command(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2], end='')").Output()
	return string(out)
}

// packagesOnly are the lines of a requirements file that the tests of the package need.
func packagesOnly(requirements []byte) []byte {
	var some strings.Builder
	for line := range strings.Lines(string(requirements)) {
		name, _, _ := strings.Cut(line, "==")
		if slices.Contains([]string{"ipykernel", "numpy", "pandas", "polars", "polars-runtime-32", "pyarrow", "pytest",
			"xarray"}, name) {
			some.WriteString(line)
		}
	}
	return []byte(some.String())
}
