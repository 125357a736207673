package present

import (
	"prgnn/stages/assess"
	"prgnn/stages/learn"
	"prgnn/stages/prepare"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, learn.Kinds, assess.Kinds, prepare.Kinds) }
