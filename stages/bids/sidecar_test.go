package bids

import (
	"encoding/json"
	"errors"
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
	need.NoError(t, os.WriteFile(path, []byte("\xff\xfe{\x00}\x00"), 0o666))
	need.Error(t, Broken(path), path+": UTF-16 text: save it as UTF-8")
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

// Onsets of volumes at equal intervals give the repetition time; others give none, whatever RepetitionTime stands
// beside them (BIDS excludes both in one file), and neither does a list that is none of onsets.
func TestVolumeTiming(t *testing.T) {
	for _, c := range []struct {
		text, wrong string
		tr          float64
		unequal     bool
		volumes     int
	}{
		{text: `{"VolumeTiming": [0, 2, 4, 6]}`, tr: 2, volumes: 4},
		{text: `{"VolumeTiming": [0, 2, 4, 6]}`, wrong: "a VolumeTiming of 4 onsets for 80 volumes: ", unequal: true, volumes: 80},
		{text: `{"VolumeTiming": [0, 2, 4], "RepetitionTime": 2}`, wrong: "3 onsets for 2 volumes", unequal: true, volumes: 2},
		{text: `{"RepetitionTime": 2}`, tr: 2, volumes: 80},
		{text: `{"VolumeTiming": [0, 2, 4, 6]}`, tr: 2},
		{text: `{"VolumeTiming": [0.5, 1.22, 1.9425, 2.66]}`, tr: 0.72}, // rounded to 2.5 ms
		{text: `{"VolumeTiming": [0, 2, 4], "RepetitionTime": 2}`, tr: 2},
		{text: `{"VolumeTiming": [0, 2, 4], "SamplingFrequency": 3}`, tr: 2},
		{text: `{"VolumeTiming": null, "RepetitionTime": 3}`, tr: 3},
		{text: `{"VolumeTiming": [0, 2, 4, 11, 13, 15]}`, wrong: "2 to 7 s between volumes", unequal: true},
		{text: `{"VolumeTiming": [0, 2, 4, 11, 13, 15], "RepetitionTime": 3}`, wrong: "2 to 7 s", unequal: true},
		{text: `{"VolumeTiming": [0, 2, 2, 4]}`, wrong: "0 to 2 s", unequal: true},
		{text: `{"VolumeTiming": [6, 4, 2, 0]}`, wrong: "with -2 s between volumes", unequal: true},
		{text: `{"VolumeTiming": [0, 2000, 4000]}`, wrong: "2000 s between volumes; the unit must be s", unequal: true},
		{text: `{"VolumeTiming": [0]}`, wrong: "1 onsets, fewer than 2", unequal: true},
		{text: `{"VolumeTiming": []}`, wrong: "0 onsets, fewer than 2", unequal: true},
		{text: `{"VolumeTiming": [0, 10, 20], "RepetitionTime": 2}`, wrong: "they exclude each other in BIDS"},
		{text: `{"VolumeTiming": "0, 2"}`, wrong: "VolumeTiming is a string, but must be a list"},
		{text: `{"RepetitionTime": [2]}`, wrong: "RepetitionTime is a list, but must be a number"},
		{text: `{"RepetitionTime": {"s": 2}}`, wrong: "RepetitionTime is an object, but must be a number"},
		{text: `{"RepetitionTime": true}`, wrong: "RepetitionTime is a Boolean, but must be a number"},
		{text: `{"RepetitionTime": -2}`, wrong: "a RepetitionTime of -2; it must be above 0 s; correct it"},
		{text: `{"RepetitionTime": 2000}`, wrong: "a RepetitionTime of 2000; the unit must be s; correct it"},
		{text: `{"SamplingFrequency": 0}`, wrong: "a SamplingFrequency of 0; it must be above 0 Hz; correct it"},
		{text: `{"VolumeTiming": [0, "2"]}`, wrong: "VolumeTiming is a string, but must be a number"},
	} {
		tr, err := Time([]byte(c.text), c.volumes)
		need.Equal(t, tr, c.tr, c.text)
		need.Equal(t, errors.As(err, new(*UnequalError)), c.unequal, c.text)
		if c.wrong == "" {
			need.NoError(t, err)
		} else {
			need.Error(t, err, c.wrong)
		}
	}
}
