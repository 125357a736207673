package estimator

import (
	"prgnn/stages/learn"
	"prgnn/stages/prepare"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, learn.Kinds, prepare.Kinds) }
