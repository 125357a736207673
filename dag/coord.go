package dag

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag/selector"
)

// A Coord is one coordinate of a task: subject=sub-003, fold=2.
type Coord struct{ Axis, Value string }

// StageOf is the stage in the name of a task.
func StageOf(task string) string {
	stage, _, _ := strings.Cut(task, "[")
	return stage
}

// TaskID is the name of a task; the value of the bare axis stands alone.
func TaskID(stage string, coords []Coord, bare string) string {
	if len(coords) == 0 {
		return stage
	}
	b := append([]byte(stage), '[')
	n := len(b)
	for _, c := range coords {
		if c.Axis == bare {
			b = selector.AppendValue(b, c.Value, true)
		}
	}
	for _, c := range coords {
		if c.Axis == bare {
			continue
		}
		if len(b) > n {
			b = append(b, ',')
		}
		b = append(append(b, c.Axis...), '=')
		b = selector.AppendValue(b, c.Value, false)
	}
	return string(append(b, ']'))
}

// CompareCoords orders coordinates: "2" before "10", and numbers before words.
func CompareCoords(a, b []Coord) int {
	return slices.CompareFunc(a, b, func(x, y Coord) int {
		return cmp.Or(strings.Compare(x.Axis, y.Axis), CompareValues(x.Value, y.Value))
	})
}

// CompareValues orders two values of one axis as CompareCoords does.
func CompareValues(a, b string) int {
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	switch {
	case errA == nil && errB == nil:
		// Different texts may be one number ("1", "1.0", "NaN"); the order must
		// still be total.
		return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return strings.Compare(a, b)
}
