package bids

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/regular"
)

// SameTime is how far two repetition times of one scan may be apart, s: the tolerance of the BIDS validator
// (REPETITION_TIME_MISMATCH).
const SameTime = 0.001

// ShortestTime and LongestTime bound the repetition times that are believed, s: others have another unit. Encoding of
// the whole brain in one shot takes 0.1 s (Assländer et al. 2013, NeuroImage 73:59).
const ShortestTime, LongestTime = 0.02, 60

// IsTime reports whether a repetition time, s, is believed.
func IsTime(tr float64) bool { return tr >= ShortestTime && tr <= LongestTime }

// CheckTime refuses a parameter tr that is not believed; 0 is none.
func CheckTime(tr float64) []error {
	if tr == 0 || IsTime(tr) {
		return nil
	}
	return []error{fmt.Errorf("tr: %g s is no repetition time of a scan (%g to %d s): give it in s", tr, ShortestTime, LongestTime)}
}

// Sidecars finds the JSON files of a dataset. Its top directory is read once: there lie
// as many directories as there are participants.
type Sidecars struct {
	Root string
	top  []string
	read bool
}

// Of is the JSON file nearest to a file that gives one of the fields: of the file's own
// name, or of fewer entities in its directory or one above (the inheritance principle).
// "" when there is none.
func (s *Sidecars) Of(file File, fields ...string) string {
	for d := filepath.Dir(file.Path); ; d = filepath.Dir(d) {
		best, path := -1, ""
		for _, name := range s.list(d) {
			if n, ok := applies(name, file.Name); ok && n > best {
				if p := filepath.Join(d, name); gives(p, fields) {
					best, path = n, p
				}
			}
		}
		if path != "" || filepath.Clean(d) == filepath.Clean(s.Root) || d == filepath.Dir(d) {
			return path
		}
	}
}

// list are the names of the JSON files of a directory.
func (s *Sidecars) list(dir string) []string {
	top := filepath.Clean(dir) == filepath.Clean(s.Root)
	if top && s.read {
		return s.top
	}
	entries, _ := os.ReadDir(dir) // what cannot be read has none
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".json" {
			names = append(names, e.Name())
		}
	}
	if top {
		s.top, s.read = names, true
	}
	return names
}

// applies reports whether a sidecar of this name is about the image: same suffix, and
// no entity that the image has not. n is the number of its entities.
func applies(file string, image Name) (n int, ok bool) {
	stem, isJSON := strings.CutSuffix(file, ".json")
	if !isJSON {
		return 0, false
	}
	parts := strings.Split(stem, "_")
	if parts[len(parts)-1] != image.Suffix {
		return 0, false
	}
	for _, p := range parts[:len(parts)-1] {
		key, value, _ := strings.Cut(p, "-")
		if image.Get(key) != value {
			return 0, false
		}
	}
	return len(parts), true
}

// LongestJSON bounds a JSON file, bytes; a sidecar has some thousands.
const LongestJSON = 16 << 20

// ReadJSON reads a JSON file of a dataset.
func ReadJSON(path string) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, LongestJSON+1))
	if err == nil && len(b) > LongestJSON {
		err = fmt.Errorf("%s: more than the limit of %d MiB for a JSON file", path, LongestJSON>>20)
	}
	return b, err
}

// Decode reads JSON; a value of another type than into has is an error that names its field.
func Decode(b []byte, into any) error {
	err := json.Unmarshal(b, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		want := wrong.Type.Kind().String()
		if want == "float64" {
			want = "number"
		}
		return fmt.Errorf("%s is a %s, but must be a %s", wrong.Field, wrong.Value, want)
	}
	return err
}

// Broken says why a JSON file that is there cannot be read, with the place and the remedy; nil where it can be.
func Broken(path string) error {
	b, err := ReadJSON(path)
	if err == nil {
		err = json.Unmarshal(b, new(json.RawMessage))
	}
	const remedy = "correct the file, or remove it"
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		before := b[:max(syntax.Offset-1, 0)]
		return fmt.Errorf("%s:%d:%d: no JSON: %w: %s", path, 1+bytes.Count(before, []byte("\n")),
			len(before)-bytes.LastIndexByte(before, '\n'), err, remedy)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s", err, remedy)
	}
	return nil
}

// gives reports whether a JSON file has a value for one of the fields; null is none. A broken one may have it.
func gives(path string, fields []string) bool {
	b, err := ReadJSON(path)
	if err != nil || !json.Valid(b) {
		return Broken(path) != nil
	}
	var has map[string]json.RawMessage
	return json.Unmarshal(b, &has) == nil && slices.ContainsFunc(fields, func(f string) bool {
		return has[f] != nil &&
			string(has[f]) != "null"
	})
}

// Beside is the JSON file of a file's own name that gives one of the fields, "" when
// there is none.
func Beside(path string, fields ...string) string {
	stem := strings.TrimSuffix(path, ".gz")
	if p := strings.TrimSuffix(stem, filepath.Ext(stem)) + ".json"; gives(p, fields) {
		return p
	}
	return ""
}
