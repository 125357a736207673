package extract

import (
	"prgnn/stages/learn"
	"prgnn/stages/learn/split"
	"prgnn/stages/prepare"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, prepare.Kinds, learn.Kinds, split.Kinds) }
