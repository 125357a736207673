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

	write(t, dir, "page.py", []byte(blocks["python"]))
	t.Logf("%s", output(t, dir, python, "page.py"))

	if torch := withTorch(python); torch != "" {
		_, section, _ := strings.Cut(string(text), "\n## PyTorch Geometric\n")
		section, _, _ = strings.Cut(section, "\n## ")
		part := blocksOf(section)
		write(t, dir, "with_torch.py", []byte("import json\nimport numpy as np\n"+part["python"]+part["python torch"]))
		t.Logf("%s", output(t, dir, torch, "with_torch.py"))
	} else {
		t.Log("torch is not installed (it is 3 GB): its part of the page was left out; PRGNN_BENCH_PYTHON names a Python that has it")
	}

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

// withTorch is a Python that has PyTorch: the one of the tests, or that of the benchmarks.
func withTorch(python string) string {
	candidates := []string{python, os.Getenv("PRGNN_BENCH_PYTHON")}
	if cache, err := os.UserCacheDir(); err == nil {
		candidates = append(candidates, filepath.Join(cache, "prgnn-bench", "bin", "python"))
	}
	for _, c := range candidates {
		if c != "" && exec.Command(c, "-c", "import torch, numpy").Run() == nil {
			return c
		}
	}
	return ""
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
