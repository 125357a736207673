package bids

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// Keys are exact at every depth, and each once; values have the type of their field.
func TestDecode(t *testing.T) {
	type about struct {
		RepetitionTime *float64
		Name           string `json:"name"`
		GeneratedBy    []struct{ Name, Version string }
		Columns        map[string]struct{ Mask string }
		Raw            json.RawMessage
	}
	for text, want := range map[string]string{
		`{"RepetitionTime": 3.5, "repetitiontime": 0.8}`:                                                   `{"RepetitionTime":3.5,"name":"","GeneratedBy":null,"Columns":null,"Raw":null}`,
		`{"repetitionTime": 0.8, "Name": "x", "NAME": "y"}`:                                                `{"RepetitionTime":null,"name":"","GeneratedBy":null,"Columns":null,"Raw":null}`,
		"\ufeff" + `{"name": "x", "RepetitionTime": null, "GeneratedBy": [{"name": "a", "Version": "1"}]}`: `{"RepetitionTime":null,"name":"x","GeneratedBy":[{"Name":"","Version":"1"}],"Columns":null,"Raw":null}`,
		`{"Columns": {"a_00": {"Mask": "CSF", "mask": "WM"}}, "Raw": {"a": [1, {"b": 2}]}}`:                `{"RepetitionTime":null,"name":"","GeneratedBy":null,"Columns":{"a_00":{"Mask":"CSF"}},"Raw":{"a":[1,{"b":2}]}}`,
	} {
		var got about
		need.NoError(t, Decode([]byte(text), &got), text)
		b, err := json.Marshal(got)
		need.NoError(t, err)
		need.Equal(t, string(b), want, text)
	}
	for text, want := range map[string]string{
		"{\"name\": \"x\",\n  \"name\": \"x\"}":           `2:8: the key "name" appears twice`,
		`{"Columns": {"a": {}, "b": [{"c": 1, "c": 2}]}}`: `the key "c" appears twice`,
		`{"RepetitionTime": "2"}`:                         "RepetitionTime is a string, but must be a number",
		`{"RepetitionTime": 1e999}`:                       "RepetitionTime is 1e999, beyond the largest number",
		`{"GeneratedBy": [{"Name": 3}]}`:                  "GeneratedBy.Name is a number, but must be a string",
		`{"name": `:                                       "unexpected end of JSON input",
		`[]`:                                              "cannot unmarshal array",
	} {
		need.Error(t, Decode([]byte(text), new(about)), want, text)
	}
	path := filepath.Join(t.TempDir(), "x.json")
	need.NoError(t, os.WriteFile(path, []byte(`{"TaskName": "rest", "TaskName": "rest"}`), 0o666))
	need.Error(t, Broken(path), path+`:1:31: the key "TaskName" appears twice: remove one of them`)
	for _, text := range []string{"[1]", "null", "\ufeff 3", `"RepetitionTime"`} {
		need.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		need.Error(t, Broken(path), path+`: not a JSON object {"key": value}: correct the file, or remove it`, text)
		need.Equal(t, gives(path, []string{"RepetitionTime"}), true, text)
	}
	need.NoError(t, os.WriteFile(path, []byte("\ufeff\n {}"), 0o666))
	need.NoError(t, Broken(path))
	need.Equal(t, gives(path, []string{"RepetitionTime"}), false)
}

// A repetition time of 2 ms is one of 2 s in another unit.
func TestCheckTime(t *testing.T) {
	for tr, believed := range map[float64]bool{0: true, 0.002: false, 0.0199: false, 0.02: true, 0.1: true, 60: true,
		60.1: false, -1: false} {
		if errs := CheckTime(tr); (errs == nil) != believed {
			t.Errorf("%g s: %v", tr, errs)
		}
	}
}
