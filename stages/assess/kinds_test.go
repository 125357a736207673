package assess

import (
	"prgnn/stages/learn"
	"prgnn/stages/learn/split"
	"prgnn/stages/prepare"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/stagetest"
)

func init() { stagetest.Use(Kinds, learn.Kinds, split.Kinds, prepare.Kinds, extract.Kinds) }

// trainer is a small training of 5 folds that is quick.
func trainer(fold int) *learn.Train {
	return stagetest.Fresh("train", "fold", fold, "precision", "float32", "seed", 3,
		"epochs", 40, "batch", 8, "learning_rate", 0.01).(*learn.Train)
}
