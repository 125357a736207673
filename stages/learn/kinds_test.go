package learn

import (
	"prgnn/stages/prepare"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, prepare.Kinds) }
