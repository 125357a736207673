package present

import (
	"prgnn/stages/assess"
	"prgnn/stages/figure"
	"prgnn/stages/learn"
	"prgnn/stages/prepare"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, figure.Kinds, learn.Kinds, assess.Kinds, prepare.Kinds) }
