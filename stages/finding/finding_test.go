package finding

import (
	"math"
	"testing"

	"prgnn/internal/need"
)

// The same finding is listed once: values are compared, not how they print.
func TestAdd(t *testing.T) {
	of := func(numbers any, who ...string) Finding {
		return Finding{"a", Limits, Subject{Participants: who}, numbers}
	}
	type numbers struct{ N, P any }
	for _, c := range []struct {
		first, second Finding
		same          bool
	}{
		{of(nil), of(nil), true},
		{of(map[string]any{"P": math.NaN(), "N": 1}), of(map[string]any{"N": 1, "P": math.NaN()}), true},
		{of(numbers{1, math.NaN()}), of(&numbers{1, math.NaN()}), true},
		{of(map[string]any{"N": 1}), of(map[string]any{"N": 2}), false},
		{of(map[string]any{"N": 1}), of(map[string]any{"N": "1"}), false},
		{of(map[string]any{"N": []string{"a b"}}), of(map[string]any{"N": []string{"a", "b"}}), false},
		{of(nil, "a b"), of(nil, "a", "b"), false},
	} {
		var all List
		all.Add(c.first, c.second)
		need.Equal(t, len(all) == 1, c.same, c.first, c.second)
	}
}
