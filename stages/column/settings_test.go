package column

import (
	"testing"

	"prgnn/internal/need"
)

func TestSettingsAreNamedForPeople(t *testing.T) {
	for setting, want := range map[string]string{
		"model=linear-svm stage=baselines": "linear SVM",
		"stage=train":                      "train",
		"distance=bce lambda=[0.1, 0.5] pool=topk stage=train": "train, TopK, BCE, λ 0.1, 0.5",
		"model=own stage=mine":                                 "own",
		"":                                                     "",
	} {
		need.Equal(t, ShownSetting(setting), want, setting)
	}
}
