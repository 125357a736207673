package prepare

import (
	"prgnn/stages/learn"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, extract.Kinds, learn.Kinds) }
