package need

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// recorder is a test that notes how it ends.
type recorder struct {
	testing.TB
	ended string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.ended = "skipped: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.ended = "failed: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// end runs a test to its end and returns how it ended.
func end(test func(t testing.TB)) string {
	r, done := &recorder{ended: "passed"}, make(chan bool)
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return r.ended
}

func TestMissing(t *testing.T) {
	t.Setenv("PRGNN_SHARED", t.TempDir())
	t.Setenv("PRGNN_PYTHON", filepath.Join(t.TempDir(), "python"))
	for name, test := range map[string]func(t testing.TB){
		"test data":            func(t testing.TB) { Shared(t, "data") },
		"prgnn-no-such":        func(t testing.TB) { Program(t, "package", "", "prgnn-no-such") },
		"no Python with numpy": func(t testing.TB) { Python(t, "numpy") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PRGNN_REQUIRE", "")
			if got := end(test); !strings.HasPrefix(got, "skipped: "+name) {
				t.Errorf("a test without its needs %s", got)
			}
			t.Setenv("PRGNN_REQUIRE", "1")
			if got := end(test); !strings.HasPrefix(got, "failed: "+name) {
				t.Errorf("with PRGNN_REQUIRE, a test without its needs %s", got)
			}
		})
	}
}

func TestFound(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PRGNN_REQUIRE", "1")
	t.Setenv("PRGNN_SHARED", dir)
	if got := Shared(t); got != dir {
		t.Errorf("shared data in %s, want %s", got, dir)
	}
	// A relative path starts at the root of the module, whatever the package.
	t.Setenv("PRGNN_SHARED", "internal")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got := Shared(t, "need"); got != here {
		t.Errorf("shared data in %s, want %s", got, here)
	}
	if got := Program(t, "", "prgnn-no-such", "go"); filepath.Base(got) != "go" && filepath.Base(got) != "go.exe" {
		t.Errorf("go is %s", got)
	}
}
