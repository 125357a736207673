package present

import (
	"prgnn/stages/assess"
	"prgnn/stages/figure"
	"prgnn/stages/learn"
	"prgnn/stages/learn/split"
	"prgnn/stages/prepare"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/present/tables"
	"prgnn/stages/stagetest"
)

func init() {
	stagetest.Use(Kinds, tables.Kinds, figure.Kinds, learn.Kinds, split.Kinds,
		assess.Kinds, prepare.Kinds, extract.Kinds)
}
