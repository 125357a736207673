package column

import (
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
)

func TestSettingsAreNamedForPeople(t *testing.T) {
	for want, setting := range map[string][]dag.Coord{
		"linear SVM": {{Axis: "model", Value: "linear-svm"}, {Axis: "stage", Value: "baselines"}},
		"train":      {{Axis: "stage", Value: "train"}},
		"train, TopK, BCE, λ 0.1, 0.5": {{Axis: "distance", Value: "bce"}, {Axis: "lambda", Value: "[0.1, 0.5]"},
			{Axis: "pool", Value: "topk"}, {Axis: "stage", Value: "train"}},
		"own": {{Axis: "model", Value: "own"}, {Axis: "stage", Value: "mine"}},
		"":    nil,
	} {
		need.Equal(t, ShownSetting(setting), want, setting)
	}
}
