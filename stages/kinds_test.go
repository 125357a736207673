package stages

import (
	"prgnn/dag"
	"prgnn/stages/stagetest"
)

func init() {
	for _, k := range Kinds() {
		stagetest.Use([]dag.Kind{*k})
	}
}
