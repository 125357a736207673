package command

import (
	_ "embed"

	_ "prgnn" // the sources of the kinds
	"prgnn/dag"
	"prgnn/stages/role"
)

//go:embed codes.txt
var codesText string

func init() { dag.Register(role.Coded(dag.Codes(codesText), Kinds)...) }
