package split

import "prgnn/stages/stagetest"

func init() { stagetest.Use(Kinds) }
