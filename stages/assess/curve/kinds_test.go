package curve

import (
	"prgnn/stages/learn"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, learn.Kinds) }
