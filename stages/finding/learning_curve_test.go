package finding

import (
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
)

func TestLearningCurves(t *testing.T) {
	for _, c := range []struct {
		flat, before bool
		want         string
	}{{false, false, ""}, {true, false, "learning.flat"}, {true, true, "learning.fitted-before learning.flat"}} {
		rows := []column.LearningRow{{Name: "a", Flat: c.flat, Before: c.before}}
		need.Equal(t, codes(LearningCurves(rows)), c.want)
	}
}
