//go:build torch

package python_test

import (
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
