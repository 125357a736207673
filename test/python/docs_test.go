package python_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestDocsPython carries out docs/python.md: its commands, then its Python as one
// script, then R and Octave where they are installed.
func TestDocsPython(t *testing.T) {
	python := os.Getenv("PRGNN_PYTHON")
	if python == "" || runtime.GOOS == "windows" {
		t.Skip("needs Python with pyarrow, pandas, polars and duckdb: go run ./test makes one, or PRGNN_PYTHON names one")
	}
	text, err := os.ReadFile("../../docs/python.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := blocksOf(string(text))
	dir := t.TempDir()
	output(t, dir, "go", "build", "-o", filepath.Join(dir, "bin", "pipeline"), "prgnn/cmd/pipeline")
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	write(t, dir, "export.sh", []byte("set -e\n"+blocks["sh"]))
	output(t, dir, "sh", "export.sh")

	script := blocks["python"]
	if exec.Command(python, "-c", "import torch").Run() == nil {
		script += blocks["python torch"]
	} else {
		t.Log("torch is not installed: its part of the page was left out")
	}
	write(t, dir, "page.py", []byte(script))
	t.Logf("%s", output(t, dir, python, "page.py"))

	if exec.Command("Rscript", "-e", "library(arrow)").Run() == nil {
		write(t, dir, "page.R", []byte(blocks["r"]))
		t.Logf("%s", output(t, dir, "Rscript", "page.R"))
	} else {
		t.Log("R with arrow is not installed: its part of the page was left out")
	}
	if octave, err := exec.LookPath("octave-cli"); err == nil {
		write(t, dir, "page.m", []byte(blocks["matlab"]))
		t.Logf("%s", output(t, dir, octave, "--no-gui", "--norc", "page.m"))
	} else {
		t.Log("Octave is not installed: its part of the page was left out")
	}
}

// blocksOf joins the code blocks of a page, by what stands after their ```.
func blocksOf(page string) map[string]string {
	blocks := map[string]string{}
	in := ""
	for line := range strings.Lines(page) {
		mark, is := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case is && in == "":
			in = mark
		case is:
			in = ""
		case in != "":
			blocks[in] += line
		}
	}
	return blocks
}

// TestMain gives all tests one store: the pipeline that they look at runs once.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "prgnn-store-")
	if err != nil {
		panic(err)
	}
	os.Setenv("PIPELINE_STORE", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
