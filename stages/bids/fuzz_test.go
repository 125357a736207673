package bids

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// Whatever a JSON file of a dataset holds, and whatever a sidecar is called: a field is given where
// encoding/json reads a value for it, and a sidecar applies where all that it names is in the image's name.
func FuzzSidecar(f *testing.F) {
	for _, name := range []string{"sub-01_task-rest_bold.json", "task-rest_bold.json", "sub-02_bold.json", "sub-01_desc-preproc_bold.json", ".json", "_bold.json"} {
		for _, text := range []string{`{"RepetitionTime": 2}`, `{"RepetitionTime": null}`, `{"TaskName": "rest", "SamplingFrequency": 0.5}`, `[]`, `{`, "", "\ufeff{}",
			`{"GeneratedBy": [{"Name": "fMRIPrep", "Version": "25.2.0"}], "DatasetLinks": {"raw": "../raw", "net": "https://x.org/a"}, "SourceDatasets": [{"URL": "file:///data"}]}`} {
			f.Add([]byte(text), name)
		}
	}
	f.Fuzz(func(t *testing.T, stored []byte, name string) {
		text := bytes.TrimPrefix(stored, []byte(byteOrderMark))
		var read map[string]any
		given := json.Unmarshal(text, &read) == nil &&
			(read["RepetitionTime"] != nil || read["VolumeTiming"] != nil || read["SamplingFrequency"] != nil) ||
			read == nil // a broken one may
		fields := TimeFields
		dir := t.TempDir()
		image := filepath.Join(dir, "sub-01", "func", "sub-01_task-rest_bold.nii.gz")
		testdir.Write(t, image, "")
		parsed, _ := Parse(filepath.Base(image))
		file := File{Name: parsed, Path: image}

		testdir.Write(t, filepath.Join(dir, "dataset_description.json"), string(stored))
		if by := GeneratedBy(dir); strings.TrimSpace(by) != by {
			t.Errorf("it was made by %q", by)
		}
		for _, place := range Sources(dir) {
			if place == "" {
				t.Error("a source in no place")
			}
		}

		own := filepath.Join(dir, "sub-01", "func", "sub-01_task-rest_bold.json")
		testdir.Write(t, own, string(stored))
		want := ""
		if given {
			want = own
		}
		need.Equal(t, Beside(image, fields...), want, "beside")
		need.Equal(t, need.Value((&Sidecars{Root: dir}).Of(file, fields...))(t), want, "of the image's name")

		// At the top, under another name, with one for all images.
		all, other := filepath.Join(dir, "bold.json"), filepath.Join(dir, name)
		if name != filepath.Base(name) || strings.ContainsRune(name, 0) || len(name) > 200 ||
			strings.EqualFold(name, "bold.json") {
			return
		}
		if os.Remove(own) != nil || os.WriteFile(other, stored, 0o644) != nil {
			return
		}
		testdir.Write(t, all, `{"RepetitionTime": 3}`)
		want = all
		if given && isOf(name) {
			want = other
		}
		need.Equal(t, need.Value((&Sidecars{Root: dir}).Of(file, fields...))(t), want, name)
		if b, err := ReadJSON(other); err != nil || !bytes.Equal(b, text) {
			t.Errorf("read %q, %v", b, err)
		}
	})
}

// isOf reports whether a name says nothing but what the image's says, and is more than a suffix.
func isOf(name string) bool {
	said, ok := strings.CutSuffix(name, "_bold.json")
	for part := range strings.SplitSeq(said, "_") {
		key, value, _ := strings.Cut(part, "-")
		ok = ok && value == map[string]string{"sub": "01", "task": "rest"}[key]
	}
	return ok
}
