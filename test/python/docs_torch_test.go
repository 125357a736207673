//go:build torch

package python_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// TestDocsTorch runs the PyTorch Geometric section of docs/python.md:
//
//	PRGNN_PYTHON=(a Python with torch) go test -tags torch ./test/python
//
// PyTorch is 3 GB: no part of the usual tests.
func TestDocsTorch(t *testing.T) {
	python := need.Python(t, "torch", "numpy")
	p := newPage(t)
	_, section, _ := strings.Cut(p.text, "\n## PyTorch Geometric\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := blocksOf(section)
	p.run(t, "with_torch.py", "import json\nimport numpy as np\n"+blocks["python"]+blocks["python torch"], python)
}

// TestOwnModelTorch trains examples/own-model/gnn.yaml; its Python has torch_geometric, too.
func TestOwnModelTorch(t *testing.T) {
	python := need.Value(exec.LookPath(need.Python(t, "torch", "torch_geometric")))(t)
	dir := t.TempDir()
	need.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "own-model"))))
	list := need.Value(exec.Command(python, "-m", "pip", "freeze").Output())(t)
	need.NoError(t, os.WriteFile(filepath.Join(dir, "packages.lock"), list, 0o666))
	program := filepath.Join(dir, "pipeline.exe")
	build := exec.Command("go", "build", "-o", program, "prgnn/cmd/pipeline")
	out, err := build.CombinedOutput()
	need.NoError(t, err, string(out))
	run := exec.Command(program, "run", "-q", "gnn.yaml", "--set", "python="+python, "--set", "cohort.asd=7", "--set",
		"cohort.hc=5", "--set", "series.draws=2", "--set", "train.epochs=1", "--set", "pyg.parameters=[epochs=2]")
	run.Dir = dir
	out, err = run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), " 0 failed, 0 skipped") {
		t.Errorf("%s, %v", out, err)
	}
}
