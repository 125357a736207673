// Package stages joins the topics: a program that imports it has all their stage kinds (dag.Register), cohort kinds
// (cohort.Register) and pipelines (builtin.Register).
package stages

//go:generate go run prgnn/dag/codeid .

import (
	"embed"

	_ "prgnn"                   // the sources of the kinds
	_ "prgnn/artifacts/parquet" // a user's table, as an input of a stage, may be Parquet
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/stages/assess"
	"prgnn/stages/assess/confounds"
	"prgnn/stages/assess/curve"
	"prgnn/stages/assess/edges"
	"prgnn/stages/assess/external"
	"prgnn/stages/assess/leakage"
	"prgnn/stages/assess/subgroup"
	"prgnn/stages/builtin"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/simulate"
	_ "prgnn/stages/command"      // registers its kinds
	_ "prgnn/stages/command/echo" // registers its kind
	"prgnn/stages/estimator"
	"prgnn/stages/figure"
	"prgnn/stages/learn"
	"prgnn/stages/learn/choose"
	"prgnn/stages/learn/split"
	"prgnn/stages/prepare"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/prepare/windows"
	"prgnn/stages/present"
	"prgnn/stages/present/tables"
	"prgnn/stages/role"
	"prgnn/stages/wording"
)

//go:embed codes.txt
var codesText string

// codes are the code identities of the stage kinds, by name.
var codes = dag.Codes(codesText)

//go:embed usual.txt
var usualText string

//go:embed pipelines
var files embed.FS

func init() {
	builtin.Register(files, "pipelines")
	engine.RegisterWarnings(wording.Warnings)
	dag.Register(role.Coded(codes, simulate.Kinds, extract.Kinds, prepare.Kinds, windows.Kinds, learn.Kinds,
		choose.Kinds, split.Kinds, estimator.Kinds, assess.Kinds, confounds.Kinds, edges.Kinds, external.Kinds,
		leakage.Kinds, subgroup.Kinds, curve.Kinds, figure.Kinds, present.Kinds, tables.Kinds)...)
	role.Usually(usualText)
	cohort.Register(cohort.Sources...)
	cohort.Register(simulate.Source)
}
