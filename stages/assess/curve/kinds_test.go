package curve

import (
	"prgnn/stages/learn"
	"prgnn/stages/learn/split"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, learn.Kinds, split.Kinds) }
