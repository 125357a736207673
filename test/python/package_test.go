package python_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"prgnn/internal/need"
)

// TestPackage runs the tests of the Python package, its notebook, mypy --strict and ruff.
func TestPackage(t *testing.T) {
	t.Parallel()
	python := need.Python(t, "ipykernel", "matplotlib", "mypy", "nbclient", "nilearn", "pandas", "polars",
		"pyarrow", "pytest", "ruff", "sklearn", "xarray")
	for _, check := range [][]string{
		{"ruff", "check", "--no-cache", "."},
		{"ruff", "format", "--check", "--no-cache", "src", "tests"},
		{"mypy", "--cache-dir", cacheOfMypy(t)},
		{"pytest", "-q", "--tb=short"},
	} {
		t.Run(strings.Join(check[:2], " "), func(t *testing.T) {
			t.Parallel()
			run(t, python, check...)
		})
	}
}

// cacheOfMypy is kept beside the virtual environment of the tests: mypy reads the stubs of the libraries in eight
// seconds, and judges files by their contents.
func cacheOfMypy(t *testing.T) string {
	t.Helper()
	return filepath.Join(need.Value(os.UserCacheDir())(t), "prgnn", "mypy")
}

// TestOtherPythons runs the tests of the package on other versions of Python.
func TestOtherPythons(t *testing.T) {
	t.Parallel()
	others, given := os.LookupEnv("PRGNN_PYTHONS")
	if !given {
		need.Missing(t, "on request: PRGNN_PYTHONS=all go run ./test ./test/python")
	}
	for _, python := range filepath.SplitList(others) {
		version, err := exec.Command(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2], end='')").Output()
		need.NoError(t, err, python)
		t.Run(string(version), func(t *testing.T) {
			t.Parallel()
			run(t, python, "pytest", "-q", "--tb=short", "--ignore=tests/test_notebook.py",
				"--ignore=tests/test_sklearn.py")
		})
	}
}

// run runs a Python module in the directory of the package. A test that pytest skips is an error.
func run(t *testing.T, python string, module ...string) {
	cmd := exec.Command(python, append([]string{"-m"}, module...)...)
	cmd.Dir = filepath.Join("..", "..", "python")
	if module[0] == "pytest" {
		cmd.Env = append(os.Environ(), "PIPELINE_STORE="+store(t))
	}
	out, err := cmd.CombinedOutput()
	if err != nil || module[0] == "pytest" && regexp.MustCompile(`\d+ skipped`).Match(out) {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	t.Logf("%s", out)
}

// store is a store of the test's own with the results of quick.yaml: a copy of that of all tests.
func store(t *testing.T) string {
	need.NoError(t, quick())
	dir := filepath.Join(t.TempDir(), "store")
	need.NoError(t, os.CopyFS(dir, os.DirFS(os.Getenv("PIPELINE_STORE"))))
	return dir
}

// quick runs quick.yaml where no other test has done so.
var quick = sync.OnceValue(func() error {
	run := exec.Command(program, "run", "-q", "quick.yaml")
	run.Dir = filepath.Dir(os.Getenv("PIPELINE_STORE"))
	out, err := run.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %w\n%s", run, err, out)
	}
	return nil
})
