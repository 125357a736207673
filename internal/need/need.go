// Package need finds what a test needs from outside the project: data, programs, Python
// modules. Where something is missing the test is skipped. With PRGNN_REQUIRE=1, which
// .ci/run sets, it fails. NoError and Value end a test whose preparation fails.
package need

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// packageDir is the directory in which go test starts the tests of a package.
var packageDir, _ = os.Getwd()

// Missing skips the test, or fails it where PRGNN_REQUIRE is set. The message names what is
// missing and how to get it. t must be the innermost running test: a parent cannot be
// stopped from its subtest.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if Required() {
		t.Fatalf(format+" (PRGNN_REQUIRE is set)", args...)
	}
	t.Skipf(format, args...)
}

// A Test is one of testing, or of rapid.
type Test interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// NoError ends the test on an error. about names the case.
func NoError(t Test, err error, about ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(caseOf(about) + err.Error())
	}
}

// Value is the result of a call without an error; on an error it ends the test:
//
//	store := need.Value(disk.Open(dir))(t)
func Value[T any](v T, err error) func(Test) T {
	return func(t Test) T {
		t.Helper()
		NoError(t, err)
		return v
	}
}

// Error checks that an error has a text. about names the case.
func Error(t Test, err error, text string, about ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%serror: %v, want %q", caseOf(about), err, text)
	}
}

// Equal compares what a test got with what it wants. about names the case.
func Equal[T comparable](t Test, got, want T, about ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%sgot %s, want %s", caseOf(about), shown(got), shown(want))
	}
}

func caseOf(about []any) string {
	if len(about) == 0 {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintln(about...), "\n") + ": "
}

func shown(v any) string {
	if text, ok := v.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(v)
}

// Required reports whether a test must fail where something is missing.
func Required() bool { return os.Getenv("PRGNN_REQUIRE") != "" }

// Shared returns the absolute path of a file or directory of the test data. They are kept
// outside the project, in $PRGNN_SHARED (default ../shared); a relative path starts at the
// root of the module.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("PRGNN_SHARED")
	if root == "" {
		root = filepath.Join("..", "shared")
	}
	if !filepath.IsAbs(root) {
		root = filepath.Join(moduleRoot(t), root)
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		Missing(t, "test data: %v; PRGNN_SHARED names their directory", err)
	}
	return path
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	for dir := packageDir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("no go.mod above %s", packageDir)
		}
	}
}

// Program returns the path of the first of these programs that is installed; each is a name
// on the path, or a file. Empty names are passed over. debian is the package that has it.
func Program(t testing.TB, debian string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, "%s is not installed (Debian: apt-get install %s)", names[len(names)-1], debian)
	return ""
}

// Python returns a Python that has these modules: the one that PRGNN_PYTHON names, or else
// python3.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	python := os.Getenv("PRGNN_PYTHON")
	if python == "" {
		python = "python3"
	}
	script := "import sys, importlib.util as u; sys.exit(sum(u.find_spec(m) is None for m in sys.argv[1:]))"
	if err := exec.Command(python, append([]string{"-c", script}, modules...)...).Run(); err != nil {
		Missing(t, "no Python with %s; go run ./test makes one, or PRGNN_PYTHON names one", strings.Join(modules, ", "))
	}
	return python
}
