package python_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/venv"
)

// packageDir holds the Python package and its tests.
const packageDir = "../../python"

// TestPackage runs the tests of the Python package, its notebook, mypy --strict and ruff.
func TestPackage(t *testing.T) {
	python := need.Python(t, "ipykernel", "matplotlib", "mypy", "nbclient", "pandas", "polars", "pyarrow", "pytest", "ruff", "xarray")
	withProgram(t)
	for _, check := range [][]string{
		{"ruff", "check", "--no-cache", "."},
		{"ruff", "format", "--check", "--no-cache", "src", "tests"},
		{"mypy", "--cache-dir", t.TempDir()},
		{"pytest", "-q", "--tb=short"},
	} {
		t.Run(strings.Join(check[:2], " "), func(t *testing.T) { inPackage(t, python, check...) })
	}
}

// TestPackageOnEachPython runs the tests of the package on the other versions of Python of this
// machine: on 3.10 with the oldest libraries that it takes, else with those of requirements.txt.
// Each environment is 500 MB.
func TestPackageOnEachPython(t *testing.T) {
	python := need.Python(t, "pytest")
	if !need.Required() && os.Getenv("PRGNN_PYTHONS") == "" {
		t.Skip("on request: PRGNN_PYTHONS=all, or interpreters with : between them")
	}
	withProgram(t)
	mine := versionOf(python)
	var lacking []string
	for _, version := range []string{"3.10", "3.11", "3.12", "3.13", "3.14"} {
		other := interpreter(t, version)
		switch {
		case version == mine: // TestPackage
		case other == "":
			lacking = append(lacking, version)
		default:
			t.Run(version, func(t *testing.T) {
				inside, err := venv.Make(other, packagesFor(t, version))
				if err != nil {
					t.Fatal(err)
				}
				inPackage(t, inside, "pytest", "-q", "--tb=short", "--ignore=tests/test_notebook.py")
			})
		}
	}
	t.Logf("not on this machine: %v", lacking)
}

// withProgram builds the program, for the tests to call.
func withProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "pipeline.exe")
	output(t, "", "go", "build", "-o", program, "prgnn/cmd/pipeline")
	t.Setenv("PRGNN_PIPELINE", program)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
}

// inPackage runs a Python module in the directory of the package. A test that pytest skips is an error.
func inPackage(t *testing.T, python string, module ...string) {
	cmd := exec.Command(python, append([]string{"-m"}, module...)...)
	cmd.Dir = packageDir
	out, err := cmd.CombinedOutput()
	if err != nil || module[0] == "pytest" && regexp.MustCompile(`\d+ skipped`).Match(out) {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	t.Logf("%s", out)
}

// interpreter is a Python of a version: one of PRGNN_PYTHONS, or of the path, or of pyenv; "" when there is none.
func interpreter(t *testing.T, version string) string {
	var candidates []string
	if given := os.Getenv("PRGNN_PYTHONS"); given != "" && given != "all" {
		candidates = filepath.SplitList(given)
	} else {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		candidates, _ = filepath.Glob(filepath.Join(home, ".pyenv", "versions", version+".*", "bin", "python"))
		candidates = append(candidates, "python"+version)
	}
	i := slices.IndexFunc(candidates, func(python string) bool { return versionOf(python) == version })
	if i < 0 {
		return ""
	}
	return candidates[i]
}

// versionOf is such as 3.11; "" when it is no Python that runs.
func versionOf(python string) string {
	out, _ := exec.Command(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2], end='')").Output()
	return string(out)
}

// packagesFor is a requirements file of what the tests of the package need.
func packagesFor(t *testing.T, version string) []byte {
	if version == "3.10" {
		oldest, err := os.ReadFile("oldest.txt")
		if err != nil {
			t.Fatal(err)
		}
		return oldest
	}
	all, err := os.ReadFile("../requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	var some strings.Builder
	for line := range strings.Lines(string(all)) {
		name, _, _ := strings.Cut(line, "==")
		if slices.Contains([]string{"ipykernel", "numpy", "pandas", "polars", "polars-runtime-32", "pyarrow", "pytest", "xarray"}, name) {
			some.WriteString(line)
		}
	}
	return []byte(some.String())
}
