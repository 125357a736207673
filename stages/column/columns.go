package column

import (
	"encoding/json"
	"fmt"
)

// JSON is the JSON of a value that cannot fail.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("stages: " + err.Error())
	}
	return string(b)
}

// MetaOf is the value of a key in the metadata of a table, which is JSON; the zero value where there is none.
func MetaOf[T any](meta map[string]string, key string) (v T, err error) {
	if text := meta[key]; text != "" {
		if err = json.Unmarshal([]byte(text), &v); err != nil {
			err = fmt.Errorf("its metadata %s: %w", key, err)
		}
	}
	return v, err
}
