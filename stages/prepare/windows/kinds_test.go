package windows

import (
	"prgnn/stages/prepare"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, prepare.Kinds, extract.Kinds) }
