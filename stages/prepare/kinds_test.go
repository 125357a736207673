package prepare

import (
	"prgnn/stages/learn"
	"prgnn/stages/learn/split"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, extract.Kinds, learn.Kinds, split.Kinds) }
