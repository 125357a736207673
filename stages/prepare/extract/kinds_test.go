package extract

import (
	"prgnn/stages/learn"
	"prgnn/stages/prepare"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, prepare.Kinds, learn.Kinds) }
