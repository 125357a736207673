package choose

import "prgnn/stages/stagetest"

func init() { stagetest.Use(Kinds) }
