package bids

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"prgnn/internal/regular"
)

// SameTime is how far two repetition times of one scan may be apart, s: the tolerance of the BIDS validator
// (REPETITION_TIME_MISMATCH).
const SameTime = 0.001

// TimesDiffer reports whether two repetition times of one scan, s, contradict each other.
func TimesDiffer(a, b float64) bool { return !(math.Abs(a-b) <= SameTime) }

// TimeOr is the parameter tr of a stage, s, or else the repetition time that a table gives. A parameter stands in where
// the table gives none, or one that is not believed; one that contradicts it is refused.
func TimeOr(parameter float64, table string, tr float64) (float64, error) {
	if parameter == 0 {
		return tr, nil
	}
	if IsTime(tr) && TimesDiffer(parameter, tr) {
		return 0, fmt.Errorf("%s: the repetition time of the scan is %g s (column tr), but the parameter tr is %g s: remove tr (tr: 0) if that of the scan is right, else correct it where the scan is read", table, tr, parameter)
	}
	return parameter, nil
}

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

// ScanTimes are the fields of the JSON file of a scan that give the time between two volumes.
var ScanTimes = []string{"RepetitionTime", "VolumeTiming"}

// TimeFields are those of a scan or of series, in their order.
var TimeFields = append(slices.Clone(ScanTimes), "SamplingFrequency")

// Time is the repetition time of a JSON file, s: its RepetitionTime, the interval of its VolumeTiming, or what follows
// from the SamplingFrequency (Hz) that series of regions have; 0 where it has none. One that is not believed is an
// error, and so are volumes at unequal intervals (an *UnequalError), also beside a RepetitionTime, which BIDS excludes,
// and onsets of another number of volumes than the scan has; 0 volumes are an unknown number.
func Time(b []byte, volumes int) (float64, error) {
	var scan struct {
		RepetitionTime *float64
		VolumeTiming   []float64
	}
	if err := Decode(b, &scan); err != nil {
		return 0, err
	}
	tr := scan.RepetitionTime
	if scan.VolumeTiming != nil {
		step, err := interval(scan.VolumeTiming)
		switch {
		case err != nil:
			return 0, err
		case volumes > 0 && len(scan.VolumeTiming) != volumes:
			return 0, &UnequalError{fmt.Sprintf("a VolumeTiming of %d onsets for %d volumes: list the onset of each volume, or, if they are at equal intervals, remove it and give the RepetitionTime",
				len(scan.VolumeTiming), volumes)}
		case tr == nil:
			return step, nil
		case TimesDiffer(*tr, step):
			return 0, fmt.Errorf("a RepetitionTime of %g s, and a VolumeTiming with %g s between volumes: they exclude each other in BIDS; remove the wrong one",
				*tr, step)
		}
	}
	if tr != nil {
		if !IsTime(*tr) {
			return 0, fmt.Errorf("a RepetitionTime of %v; %s; correct it, or set the parameter tr", *tr, must(*tr, "s"))
		}
		return *tr, nil
	}
	var series struct{ SamplingFrequency *float64 }
	if err := Decode(b, &series); err != nil || series.SamplingFrequency == nil {
		return 0, err
	}
	f := *series.SamplingFrequency
	if !IsTime(1 / f) {
		return 0, fmt.Errorf("a SamplingFrequency of %v; %s; correct it, or set the parameter tr", f, must(f, "Hz"))
	}
	return 1 / f, nil
}

// must is what a number that is no time, or no frequency, is required to be.
func must(x float64, unit string) string {
	if x > 0 {
		return "the unit must be " + unit
	}
	return "it must be above 0 " + unit
}

// An UnequalError is why volumes by their VolumeTiming have no repetition time, which no parameter replaces.
type UnequalError struct{ text string }

func (e *UnequalError) Error() string { return e.text }

func unequal(format string, values ...any) error {
	return &UnequalError{fmt.Sprintf(format, values...) + ": a scan without one repetition time is not analyzed as " +
		"one with it; correct the field, or, if the volumes are at equal intervals, remove it and give the RepetitionTime"}
}

// equalSteps is how far intervals of volumes at equal intervals may be from their mean, relative: DICOM files round
// times to 2.5 ms.
const equalSteps = 0.01

// interval is the time between two volumes by their onsets, s.
func interval(onsets []float64) (float64, error) {
	n := len(onsets)
	if n < 2 {
		return 0, unequal("a VolumeTiming of %d onsets, fewer than 2", n)
	}
	step, least, most := (onsets[n-1]-onsets[0])/float64(n-1), math.Inf(1), math.Inf(-1)
	for i, t := range onsets[1:] {
		least, most = min(least, t-onsets[i]), max(most, t-onsets[i])
	}
	if tolerance := max(SameTime, float64(equalSteps*step)); !(step-least <= tolerance && most-step <= tolerance) {
		return 0, unequal("a VolumeTiming with %.4g to %.4g s between volumes", least, most)
	}
	if !IsTime(step) {
		return 0, unequal("a VolumeTiming with %g s between volumes; %s", step, must(step, "s"))
	}
	return math.Round(step*1e6) / 1e6, nil
}

// SamplingApart states RepetitionTime and SamplingFrequency of a JSON file that contradict each other, by more than
// rounding of the frequency (0.33 Hz for 3 s); "" where they do not.
func SamplingApart(b []byte) *Sampling {
	var scan struct{ RepetitionTime, SamplingFrequency *float64 }
	if err := Decode(b, &scan); err != nil || scan.RepetitionTime == nil || scan.SamplingFrequency == nil {
		return nil
	}
	tr, f := *scan.RepetitionTime, *scan.SamplingFrequency
	if volumes := float64(tr * f); volumes > 0.98 && volumes < 1.02 {
		return nil
	}
	return &Sampling{tr, f}
}

// A Sampling is the repetition time, s, and the sampling frequency, Hz, of a sidecar.
type Sampling struct{ Time, Frequency float64 }

// Believed is a repetition time, s; 0 where it is not believed.
func Believed(tr float64) float64 {
	if !IsTime(tr) {
		return 0
	}
	return tr
}

// HeaderTime checks the repetition time that the header of a file gives, s; 0 is none.
func HeaderTime(file string, tr float64) (float64, error) {
	if tr != 0 && !IsTime(tr) {
		return 0, fmt.Errorf("%s: the header gives a repetition time of %g s, possibly in ms; set the parameter tr, in s", file, tr)
	}
	return tr, nil
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
// "" when there is none. A directory that cannot be listed may hold it, which is an error.
func (s *Sidecars) Of(file File, fields ...string) (string, error) {
	for d := filepath.Dir(file.Path); ; d = filepath.Dir(d) {
		best, path := -1, ""
		names, err := s.list(d)
		if err != nil {
			return "", err
		}
		for _, name := range names {
			if n, ok := applies(name, file.Name); ok && n > best {
				if p := filepath.Join(d, name); gives(p, fields) {
					best, path = n, p
				}
			}
		}
		if path != "" || filepath.Clean(d) == filepath.Clean(s.Root) || d == filepath.Dir(d) {
			return path, nil
		}
	}
}

// fields are those that the JSON files of a file give together: of several with one field that of the nearest.
func (s *Sidecars) fields(file File) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for d := filepath.Dir(file.Path); ; d = filepath.Dir(d) {
		names, err := s.list(d)
		if err != nil {
			return nil
		}
		near := map[string]int{}
		for _, name := range names {
			if n, ok := applies(name, file.Name); ok {
				near[name] = n
			}
		}
		for _, name := range slices.SortedFunc(maps.Keys(near), func(a, b string) int { return near[b] - near[a] }) {
			var own map[string]json.RawMessage
			if b, err := ReadJSON(filepath.Join(d, name)); err == nil && Decode(b, &own) == nil && own != nil {
				maps.Copy(own, all)
				all = own
			}
		}
		if filepath.Clean(d) == filepath.Clean(s.Root) || d == filepath.Dir(d) {
			return all
		}
	}
}

// list are the names of the JSON files of a directory.
func (s *Sidecars) list(dir string) ([]string, error) {
	top := filepath.Clean(dir) == filepath.Clean(s.Root)
	if top && s.read {
		return s.top, nil
	}
	entries, err := os.ReadDir(dir)
	if Unlisted(err) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".json" {
			names = append(names, e.Name())
		}
	}
	if top {
		s.top, s.read = names, true
	}
	return names, nil
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
	return bytes.TrimPrefix(b, []byte(byteOrderMark)), err
}

// Decode reads JSON into a struct, a map or a list of these. Keys are exact, as those of BIDS are: encoding/json alone
// would take repetitiontime for RepetitionTime. A key that an object has twice is an error, and so is a value of
// another type than into has, by its field.
func Decode(b []byte, into any) error {
	b = bytes.TrimPrefix(b, []byte(byteOrderMark))
	if err := repeated(b); err != nil {
		return err
	}
	return decode(b, reflect.ValueOf(into).Elem(), "")
}

const byteOrderMark = "\ufeff" // which some editors put in front

// repeated refuses an object that has a key twice. What is no JSON is left to others.
func repeated(b []byte) error {
	type object struct {
		keys map[string]bool // nil of a list
		next bool            // a key comes next
	}
	var open []object
	value := func() { // has gone by
		if n := len(open); n > 0 && open[n-1].keys != nil {
			open[n-1].next = true
		}
	}
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		switch key, text := token.(string); {
		case token == json.Delim('{'):
			open = append(open, object{map[string]bool{}, true})
		case token == json.Delim('['):
			open = append(open, object{})
		case token == json.Delim('}'), token == json.Delim(']'):
			open = open[:len(open)-1]
			value()
		case text && len(open) > 0 && open[len(open)-1].next:
			in := &open[len(open)-1]
			if in.keys[key] {
				return fmt.Errorf("%s the key %q appears twice", position(b, d.InputOffset()), key)
			}
			in.keys[key], in.next = true, false
		default:
			value()
		}
	}
}

// position is the line and the column of an offset, "3:12:".
func position(b []byte, offset int64) string {
	before := b[:max(offset-1, 0)]
	return fmt.Sprintf("%d:%d:", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// decode reads the value of a field, "" for the whole file.
func decode(b []byte, v reflect.Value, field string) error {
	t, null := v.Type(), string(bytes.TrimSpace(b)) == "null"
	_, own := v.Addr().Interface().(json.Unmarshaler)
	switch {
	case null || own || t.Kind() != reflect.Struct && t.Kind() != reflect.Pointer && !ofStructs(t):
		err := json.Unmarshal(b, v.Addr().Interface())
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && field != "" {
			want := wrong.Type.Kind().String()
			if number, large := strings.CutPrefix(wrong.Value, "number "); large && want == "float64" {
				return fmt.Errorf("%s is %.40s, beyond the largest number of double precision, 1.8e308", field, number)
			}
			return fmt.Errorf("%s is %s, but must be %s", field, ofJSON(wrong.Value), ofJSON(want))
		}
		return err
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		return decode(b, v.Elem(), field)
	case t.Kind() == reflect.Slice:
		var all []json.RawMessage
		if err := decode(b, reflect.ValueOf(&all).Elem(), field); err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(t, len(all), len(all)))
		for i, one := range all {
			if err := decode(one, v.Index(i), field); err != nil {
				return err
			}
		}
		return nil
	}
	var all map[string]json.RawMessage
	if err := decode(b, reflect.ValueOf(&all).Elem(), field); err != nil {
		return err
	}
	within := func(name string) string { return strings.TrimPrefix(field+"."+name, ".") }
	if t.Kind() == reflect.Map {
		v.Set(reflect.MakeMap(t))
		for _, name := range slices.Sorted(maps.Keys(all)) {
			one := reflect.New(t.Elem()).Elem()
			if err := decode(all[name], one, within(name)); err != nil {
				return err
			}
			v.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), one)
		}
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		one, there := all[cmp.Or(name, f.Name)]
		var err error
		switch {
		case f.Anonymous && name == "":
			err = decode(b, v.Field(i), field)
		case there && f.IsExported():
			err = decode(one, v.Field(i), within(cmp.Or(name, f.Name)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ofStructs reports whether a type is a list or a map, by text, of structs.
func ofStructs(t reflect.Type) bool {
	list := t.Kind() == reflect.Slice || t.Kind() == reflect.Map && t.Key().Kind() == reflect.String
	return list && (t.Elem().Kind() == reflect.Struct || t.Elem().Kind() == reflect.Pointer || ofStructs(t.Elem()))
}

// Broken says why a JSON file that is there cannot be read, with the place and the remedy; nil where it can be.
func Broken(path string) error {
	b, err := ReadJSON(path)
	if err == nil {
		err = json.Unmarshal(b, new(json.RawMessage))
	}
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return fmt.Errorf("%s: UTF-16 text: save it as UTF-8", path)
	}
	const remedy = "correct the file, or remove it"
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%s no JSON: %w: %s", path, position(b, syntax.Offset), err, remedy)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s", err, remedy)
	case err == nil && repeated(b) != nil:
		return fmt.Errorf("%s:%w: remove one of them", path, repeated(b))
	case err == nil && !bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")):
		return fmt.Errorf("%s: not a JSON object {\"key\": value}: %s", path, remedy)
	}
	return nil
}

// gives reports whether a JSON file has a value for one of the fields; null is none. A broken one may have it.
func gives(path string, fields []string) bool {
	b, err := ReadJSON(path)
	var has map[string]json.RawMessage
	if err != nil || json.Unmarshal(b, &has) != nil || has == nil {
		return Broken(path) != nil
	}
	return len(fields) == 0 || slices.ContainsFunc(fields, func(f string) bool {
		return has[f] != nil &&
			string(has[f]) != "null"
	})
}

// Beside is the JSON file of a file's own name that gives one of the fields, or any where
// none is asked for; "" when there is none.
func Beside(path string, fields ...string) string {
	stem := strings.TrimSuffix(path, ".gz")
	if p := strings.TrimSuffix(stem, filepath.Ext(stem)) + ".json"; gives(p, fields) {
		return p
	}
	return ""
}

// ofJSON is a type of Go or of JSON as people call it.
func ofJSON(kind string) string {
	switch kind {
	case "float64":
		kind = "number"
	case "array", "slice":
		kind = "list"
	case "bool":
		kind = "Boolean"
	case "object", "struct", "map":
		return "an object"
	}
	return "a " + kind
}
