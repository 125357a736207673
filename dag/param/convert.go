package param

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/words"
)

// convert turns a decoded YAML value into the parameter's Go value, or says
// what is wrong with it; the error reads on after "parameter NAME".
func (f *field) convert(value any) (reflect.Value, error) {
	if m, ok := value.(map[string]any); ok && f.keys != nil {
		return f.mapping(m)
	}
	if f.typ.Kind() != reflect.Slice {
		return f.scalar(f.typ, value)
	}
	list := reflect.ValueOf(value)
	if value == nil || list.Kind() != reflect.Slice {
		return reflect.Value{}, fmt.Errorf("must be a %s such as [%s], not %s", f.typeName(), f.example(), describe(value))
	}
	if list.Len() == 0 {
		// the recipes of [] and of no list are the same, so a stage must not tell them apart
		return reflect.Zero(f.typ), nil
	}
	out := reflect.MakeSlice(f.typ, list.Len(), list.Len())
	var wrong []error
	for i := range list.Len() {
		x, err := f.scalar(f.typ.Elem(), list.Index(i).Interface())
		if err != nil {
			wrong = append(wrong, fmt.Errorf("element %d %w", i+1, err))
			continue
		}
		out.Index(i).Set(x)
	}
	return out, errors.Join(wrong...)
}

// mapping makes a JSON object of a mapping of texts.
func (f *field) mapping(m map[string]any) (reflect.Value, error) {
	var wrong []error
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(f.keys, key) {
			wrong = append(wrong, fmt.Errorf("has no key %q%s", key, words.OrAll(key, f.keys)))
		} else if _, ok := m[key].(string); !ok {
			wrong = append(wrong, fmt.Errorf("key %q must be text, not %s%s", key, describe(m[key]), quoteHint(m[key])))
		}
	}
	text, err := json.Marshal(m) // sorts the keys
	return reflect.ValueOf(string(text)), errors.Join(append(wrong, err)...)
}

func (f *field) example() string {
	switch f.typ.Elem().Kind() {
	case reflect.Int:
		return "1, 2"
	case reflect.Float64:
		return "0.1, 0.5"
	}
	return "a, b"
}

func (f *field) scalar(t reflect.Type, value any) (reflect.Value, error) {
	out := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		b, ok := value.(bool)
		if !ok {
			return out, fmt.Errorf("must be true or false, not %s", describe(value))
		}
		out.SetBool(b)
		return out, nil
	case reflect.String:
		s, ok := value.(string)
		if !ok {
			return out, fmt.Errorf("must be text, not %s%s", describe(value), quoteHint(value))
		}
		out.SetString(s)
		return out, f.checkChoice(s)
	case reflect.Float64:
		x, ok := number(value)
		if !ok {
			return out, fmt.Errorf("must be a number, not %s", describe(value))
		}
		out.SetFloat(x)
		return out, f.checkNumber(x, describe(value))
	}
	return out, f.integer(out, value)
}

// integer sets out, of kind int, int64 or uint64. A number with a point or an
// exponent is taken when it is whole (1e3).
func (f *field) integer(out reflect.Value, value any) error {
	v := reflect.ValueOf(value)
	switch {
	case value == nil:
	case v.CanInt():
		i := v.Int()
		if out.CanInt() && !out.OverflowInt(i) {
			out.SetInt(i)
			return f.checkNumber(float64(i), describe(value))
		}
		if out.CanUint() && i >= 0 {
			out.SetUint(uint64(i))
			return f.checkNumber(float64(i), describe(value))
		}
		return f.outside(out, value)
	case v.CanUint():
		u := v.Uint()
		if out.CanUint() {
			out.SetUint(u)
			return f.checkNumber(float64(u), describe(value))
		}
		if u <= math.MaxInt64 && !out.OverflowInt(int64(u)) {
			out.SetInt(int64(u))
			return f.checkNumber(float64(u), describe(value))
		}
		return f.outside(out, value)
	case v.CanFloat():
		x := v.Float()
		if x == math.Trunc(x) && math.Abs(x) <= 1<<53 { // beyond, a float64 does not name one integer
			return f.integer(out, int64(x))
		}
		if x == math.Trunc(x) {
			return f.outside(out, value)
		}
	}
	return fmt.Errorf("must be an integer, not %s", describe(value))
}

// outside is the error of an integer beyond its type, or written with a point or an exponent and not exact.
func (f *field) outside(out reflect.Value, value any) error {
	least, most := int64(math.MinInt64), uint64(math.MaxInt64)
	if out.CanUint() {
		least, most = 0, math.MaxUint64
	}
	lo := cmp.Or(f.tag.Get("min"), strconv.FormatInt(least, 10))
	hi := cmp.Or(f.tag.Get("max"), strconv.FormatUint(most, 10))
	written := ""
	if x, ok := value.(float64); ok && math.Abs(x) > 1<<53 && x >= float64(least) && x < float64(most) {
		written = ", written with all digits"
	}
	return fmt.Errorf("must be an integer from %s to %s%s, not %s", lo, hi, written, describe(value))
}

// number takes any integer or finite float.
func number(value any) (float64, bool) {
	v := reflect.ValueOf(value)
	switch {
	case value == nil:
		return 0, false
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		x := v.Float()
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	return 0, false
}

// check checks a value that the parameter has.
func (f *field) check(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
	case reflect.String:
		return f.checkChoice(v.String())
	case reflect.Slice:
		var wrong []error
		for i := range v.Len() {
			if err := f.check(v.Index(i)); err != nil {
				wrong = append(wrong, fmt.Errorf("element %d %w", i+1, err))
			}
		}
		return errors.Join(wrong...)
	default:
		x, ok := number(v.Interface())
		if !ok {
			return fmt.Errorf("must be a number, not %s", describe(v.Interface()))
		}
		if x < f.least || x > f.most {
			return f.checkNumber(x, describe(v.Interface()))
		}
	}
	return nil
}

func (f *field) checkNumber(x float64, given string) error {
	below, above := x < f.least, x > f.most
	if !below && !above {
		return nil
	}
	lo, hi := f.tag.Get("min"), f.tag.Get("max")
	switch {
	case lo != "" && hi != "":
		unit := ""
		if f.tag.Get("unit") == "s" && above {
			unit = fmt.Sprintf(" (in s: %g ms are %g)", x, x/1000)
		}
		return fmt.Errorf("must be between %s and %s, not %s%s", lo, hi, given, unit)
	case below:
		return fmt.Errorf("must be at least %s, not %s", lo, given)
	}
	return fmt.Errorf("must be at most %s, not %s", hi, given)
}

func (f *field) checkChoice(s string) error {
	if f.choices == nil {
		return nil
	}
	for _, c := range f.choices {
		if s == c {
			return nil
		}
	}
	return fmt.Errorf("must be one of %s, not %q%s", strings.Join(f.choices, ", "), s, words.DidYouMean(s, f.choices))
}

// describe shows a decoded value the way a person wrote it.
func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "nothing"
	case string:
		return fmt.Sprintf("the text %q", v)
	case bool, int, int64, uint64, int32, uint32:
		return fmt.Sprint(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Slice:
		return "a list"
	case reflect.Map:
		return "a mapping"
	default:
		return fmt.Sprint(value)
	}
}

// quoteHint states how to write what YAML took for nothing, a number or a truth value as a text.
func quoteHint(value any) string {
	switch value.(type) {
	case nil:
		return ` (for the text null, write it in double quotes: "null", with --set as 'NAME="null"')`
	case bool, int, int64, uint64, float64:
		return fmt.Sprintf(" (for text, write %q)", fmt.Sprint(value))
	}
	return ""
}
