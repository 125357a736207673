//go:build rarrow

package python_test

import (
	"testing"

	"prgnn/internal/need"
)

// TestDocsR runs the R of docs/python.md, in an R that has arrow:
//
//	go test -tags rarrow ./test/python
//
// Debian has no package of arrow for R: no part of the usual tests.
func TestDocsR(t *testing.T) {
	rscript := need.Program(t, "r-base-core", "Rscript")
	p := newPage(t)
	p.run(t, "page.R", blocksOf(p.text)["r"], rscript)
}
