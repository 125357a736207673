package column

import (
	"encoding/json"
)

// JSON is the JSON of a value that cannot fail.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("stages: " + err.Error())
	}
	return string(b)
}
