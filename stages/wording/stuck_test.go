package wording

import (
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/finding"
)

// Each training that learned nothing stands beside its own limit, where the limits differ.
func TestStuck(t *testing.T) {
	of := func(second float64) string {
		l := finding.Learned([]finding.Training{{Accuracy: 0.6, Majority: 0.55},
			{Accuracy: 0.6, Majority: second}}, nil)
		return need.Value(Text("training.stuck", l.Findings()[0].Values()))(t)
	}
	need.Equal(t, of(0.55), "2 of 2 models barely fitted their training graphs (training accuracy below 0.640, less than 20% "+
		"of the way from the majority-class rate to 1): the model (0.600), the model (0.600). The predictions and regions of "+
		"such a model depend little on training")
	need.Equal(t, of(0.6), "2 of 2 models barely fitted their training graphs (training accuracy less than 20% of the way "+
		"from the majority-class rate to 1, a limit that differs between training sets): the model (0.600, limit 0.640), the "+
		"model (0.600, limit 0.680). The predictions and regions of such a model depend little on training")
}
