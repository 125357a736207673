package column

import (
	"encoding/json"
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
)

// OneFloat reads a number from a table of one row.
func OneFloat(in dag.Input, column string) (float64, error) {
	t, err := in.Table()
	if err != nil {
		return 0, err
	}
	v, err := t.Floats(column)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", in.Name, err)
	}
	if len(v) != 1 {
		return 0, fmt.Errorf("%s: has %d rows, want one", in.Name, len(v))
	}
	return v[0], nil
}

// JSON is the JSON of a value that cannot fail.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("stages: " + err.Error())
	}
	return string(b)
}

// Optional marks what is no number as missing.
func Optional(name, doc string, v []float64) encoding.Column {
	valid, all := make([]bool, len(v)), true
	for i, x := range v {
		valid[i] = !math.IsNaN(x)
		all = all && valid[i]
	}
	if all {
		valid = nil
	}
	return encoding.Column{Name: name, Doc: doc, Values: v, Valid: valid}
}
