package column

import (
	"fmt"
	"testing"

	"prgnn/internal/need"
)

func TestLambdas(t *testing.T) {
	for text, want := range map[string][2]float64{"0-0": {0, 0}, "0.1-0.5": {0.1, 0.5}, "1e-05-2": {1e-05, 2}} {
		a, b, err := Lambdas(text)
		need.Equal(t, fmt.Sprint([2]float64{a, b}, err), fmt.Sprint(want, error(nil)), text)
	}
}
