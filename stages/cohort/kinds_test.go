package cohort

import (
	"prgnn/stages/prepare"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(prepare.Kinds, extract.Kinds) }
