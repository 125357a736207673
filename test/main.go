// Command test runs all tests: go run ./test [go test's flags and packages].
//
// It is go test ./... with a Python beside it: where there is a python3, the tests that
// open our files as users do get a virtual environment with what requirements.txt
// pins, made once and kept in the user's cache directory. Without a python3 they are
// skipped. It ends with the list of what was skipped, and why. With -python it prints that Python and runs no test;
// with -skipped FILE it runs the tests that an earlier run, whose output FILE is, skipped.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"prgnn/internal/venv"
)

//go:embed requirements.txt
var requirements []byte

// longest are the packages that take longest: they are begun first, so that none of them runs alone at the end.
var longest = []string{"./examples", "./cmd/pipeline", "./test/python", "./numeric/exact",
	"./dag/cluster", "./dag/codeid", "./artifacts/disk", "./stages/command", "./stages"}

// forTests are the modules and packages that only tests, and a package for a lab's own stages, reach: without
// optimization they compile in less time. What the program itself reaches is not compiled again.
var forTests = []string{"github.com/apache/arrow/go/arrow/...", "github.com/chewxy/...", "github.com/gogo/protobuf/...",
	"github.com/google/go-containerregistry/...", "github.com/santhosh-tekuri/jsonschema/...", "google.golang.org/protobuf/internal/filedesc",
	"google.golang.org/protobuf/internal/impl", "google.golang.org/protobuf/reflect/...",
	"google.golang.org/protobuf/types/...", "gorgonia.org/..."}

func main() {
	args := os.Args[1:]
	// The compilers and the tests, which end soon, may leave more garbage: a tenth of the processor time.
	if os.Getenv("GOGC") == "" {
		os.Setenv("GOGC", "400")
	}
	if len(args) == 0 {
		args = append(slices.Clone(longest), "./...")
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
	if slices.Equal(args, []string{"-python"}) {
		fmt.Println(python)
		return
	}
	// The Python package is tested on all versions where nothing may be skipped, or on request.
	if all := os.Getenv("PRGNN_PYTHONS") == "all"; err == nil && (all || os.Getenv("PRGNN_REQUIRE") != "") {
		others, lacking, err := otherPythons(python)
		if err != nil {
			fmt.Fprintf(os.Stderr, "test: %v\n", err)
			os.Exit(1)
		}
		if len(lacking) > 0 {
			fmt.Fprintf(os.Stderr, "test: not on this machine: Python %s\n", strings.Join(lacking, ", "))
		}
		os.Setenv("PRGNN_PYTHONS", strings.Join(others, string(os.PathListSeparator)))
	}
	if len(args) == 2 && args[0] == "-skipped" {
		output, err := os.ReadFile(args[1])
		if err != nil {
			fmt.Fprintf(os.Stderr, "test: %v\n", err)
			os.Exit(1)
		}
		if args = skippedIn(string(output)); args == nil {
			fmt.Println("no test was skipped")
			return
		}
	}
	if !test(args) {
		os.Exit(1)
	}
}

// test runs go test, and ends with the tests that were skipped. Under PRGNN_REQUIRE there
// must be none.
func test(args []string) (ok bool) {
	// Vet is make lint's. One package more than there are processors runs at once, since some only wait. The limit
	// of ten minutes a package is too short for cmd/pipeline on a machine that does other work.
	// -count=1: to keep a result, go would look at each file that a test has read, and an environment of Python has
	// 37,000, which tests read 60 times: minutes, and gigabytes of memory.
	all := []string{"test", "-json", "-count=1", "-vet=off", fmt.Sprint("-p=", runtime.NumCPU()+1), "-timeout=30m"}
	for _, module := range forTests {
		all = append(all, "-gcflags="+module+"=-N -l -dwarf=false")
	}
	cmd := exec.Command("go", append(all, args...)...)
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

// environment is the Python of the tests: $PRGNN_PYTHON or python3, with what requirements.txt pins.
func environment() (string, error) {
	return venv.Make(context.Background(), cmp.Or(os.Getenv("PRGNN_PYTHON"), "python3"), requirements, os.Stderr)
}
