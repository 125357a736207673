// Package echo has the kind that returns its parameter, for examples, tests and benchmarks: a program has it only where
// it imports the package.
package echo

import (
	_ "embed"

	_ "prgnn" // the sources of the kind
	"prgnn/dag"
	"prgnn/stages/role"
)

//go:embed codes.txt
var codesText string

func init() { dag.Register(role.Coded(dag.Codes(codesText), Kinds)...) }
