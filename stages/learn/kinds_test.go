package learn

import (
	"prgnn/stages/learn/split"
	"prgnn/stages/prepare"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, split.Kinds, prepare.Kinds, extract.Kinds) }
