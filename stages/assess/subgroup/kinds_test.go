package subgroup

import "prgnn/stages/stagetest"

func init() { stagetest.Use(Kinds) }
