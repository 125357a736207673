// Package param reads and sets the parameters of a stage: the exported fields of its struct.
package param

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Param describes one parameter of a stage: an exported field of its struct.
//
//	type Bootstrap struct {
//		Draws    int     `param:"draws" doc:"number of bootstrap draws" min:"0"`
//		Fraction float64 `param:"fraction" doc:"share of a ROI's voxels in a draw" min:"0" max:"1"`
//		Seed     uint64  `param:"seed" doc:"of the random draws"`
//		Subject  string  `param:"subject" doc:"the participant, filled in by each: subject"`
//	}
//
// A field is a bool, int, int64, uint64, float64 or string, or a slice of int, float64
// or string. The tags choices:"a|b" (separated by |), min, max, unit and doc are checked
// and shown; of a list, each element is checked. A text with the tag keys:"a|b" may also
// be a mapping of texts under these keys, which it holds as a JSON object; under the key dir
// stands a place. The tag of:"a b" lists the values of the parameter model with which this one
// has an effect, and the tag zero states what 0 stands for; both are part of the doc that is
// shown. Embedded structs are groups of
// parameters that several kinds share: their fields count as fields of the stage. The tag
// place is for cohort kinds: see Place.
//
// Every stage parameter named "seed" gets the pipeline's seed when the file does
// not set it. An axis of the fan-out (subject, or a matrix axis) fills the
// parameter of the same name, where there is one.
type Param struct {
	Name     string
	Type     string // "integer", "number", "true or false", "text", "list of numbers" …
	Default  any
	Doc      string
	Of       []string // the models that it is of; nil for all
	Zero     string   // what 0 stands for; "" for itself
	Unit     string
	Choices  []string
	Keys     []string // of a text that may be a mapping
	Min, Max string
	Place    Place
}

// A Place tells whether the text of a parameter says where data lie on this machine (the tag
// place). No result depends on a place, and no lock, bundle or report names one.
type Place string

const (
	PlaceNever  Place = ""       // no path
	PlaceAlways Place = "always" // a file or directory
	PlaceMaybe  Place = "maybe"  // a path, or something else: the name of a column, a word
)

// Has reports whether a stage has a parameter.
func Has(s any, name string) bool {
	return slices.ContainsFunc(Of(s), func(p Param) bool { return p.Name == name })
}

// Of lists the parameters of a stage, or of any other pointer to a struct
// that is tagged like one (a cohort kind), in the order of its fields. Default is
// the value that the stage has now.
func Of(s any) []Param {
	fields, v := fieldsOf(s)
	ps := make([]Param, len(fields.inOrder))
	for i := range fields.inOrder {
		f := &fields.inOrder[i]
		ps[i] = Param{
			Name: f.name, Type: f.typeName(), Default: v.FieldByIndex(f.index).Interface(),
			Doc: f.doc(), Of: f.models(), Zero: f.tag.Get("zero"), Unit: f.tag.Get("unit"),
			Choices: slices.Clone(f.choices),
			Keys:    slices.Clone(f.keys),
			Min:     f.tag.Get("min"), Max: f.tag.Get("max"),
			Place: Place(f.tag.Get("place")),
		}
	}
	return ps
}

func (f *field) models() []string {
	if of := f.tag.Get("of"); of != "" {
		return strings.Fields(of)
	}
	return nil
}

// doc is the tag doc, after the models that the parameter is of and before what 0 stands for.
func (f *field) doc() string {
	doc := f.tag.Get("doc")
	if of := f.models(); of != nil {
		doc = strings.Join(of, ", ") + ": " + doc
	}
	if zero := f.tag.Get("zero"); zero != "" {
		doc += "; 0: " + zero
	}
	return doc
}

// Set sets one parameter from a decoded YAML value (bool, int, float64,
// string, []any), and says what is wrong with the value: type, choice, range.
// After an error the stage is as it was.
func Set(s any, name string, value any) error {
	fields, v := fieldsOf(s)
	f, ok := fields.byName[name]
	if !ok {
		return fmt.Errorf("unknown parameter %q", name)
	}
	set, err := f.convert(value)
	if err != nil {
		return fmt.Errorf("parameter %q %w", name, err)
	}
	v.FieldByIndex(f.index).Set(set)
	return nil
}

// Take gives s the values in which to differs from from, two stages of its type, but for the parameters that are set.
func Take(s, from, to any, set func(name string) bool) {
	fields, v := fieldsOf(s)
	_, a := fieldsOf(from)
	_, b := fieldsOf(to)
	for _, f := range fields.inOrder {
		was, is := a.FieldByIndex(f.index), b.FieldByIndex(f.index)
		if !set(f.name) && !reflect.DeepEqual(was.Interface(), is.Interface()) {
			v.FieldByIndex(f.index).Set(is)
		}
	}
}

// Copy is a stage of its own with the parameters of s, and whatever else s holds.
func Copy[S any](s S) S {
	fields, from := fieldsOf(s)
	to := reflect.New(from.Type())
	to.Elem().Set(from)
	for _, f := range fields.inOrder {
		if v := to.Elem().FieldByIndex(f.index); v.Kind() == reflect.Slice && !v.IsNil() {
			v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
		}
	}
	return to.Interface().(S)
}

// Onto is a copy of base with the parameters of s, a stage of its type.
func Onto[S any](base, s S) S {
	base = Copy(base)
	fields, to := fieldsOf(base)
	_, from := fieldsOf(Copy(s))
	for _, f := range fields.inOrder {
		to.FieldByIndex(f.index).Set(from.FieldByIndex(f.index))
	}
	return base
}

// Hidden lists the fields of s that are no parameters and in which it differs from two new stages of its type. Where
// these differ from each other, as functions do, no difference shows.
func Hidden(s, first, second any) (names []string) {
	fields, v := fieldsOf(s)
	_, a := fieldsOf(first)
	_, b := fieldsOf(second)
	for _, f := range fields.hidden {
		value := func(v reflect.Value) any {
			at := v.FieldByIndex(f.index)
			return reflect.NewAt(at.Type(), at.Addr().UnsafePointer()).Elem().Interface()
		}
		if !reflect.DeepEqual(value(v), value(a)) && reflect.DeepEqual(value(a), value(b)) {
			names = append(names, f.name)
		}
	}
	return names
}

// A Value is the value of a parameter as its canonical text, which enters the recipe.
type Value struct{ Name, Text string }

func (v Value) String() string { return v.Name + " = " + v.Text }

// Values are those of all parameters, in the order of their names.
func Values(s any) []Value {
	fields, v := fieldsOf(s)
	all := make([]Value, 0, len(fields.sorted))
	for _, f := range fields.sorted {
		all = append(all, Value{f.name, string(appendValue(nil, v.FieldByIndex(f.index)))})
	}
	return all
}

// A field is one parameter as its struct declares it.
type field struct {
	name    string
	index   []int // for reflect's FieldByIndex: more than one in a group
	typ     reflect.Type
	tag     reflect.StructTag
	choices []string
	keys    []string

	least, most float64 // the tags min and max
}

type fieldTable struct {
	wrong   error
	inOrder []field
	sorted  []*field // by name
	byName  map[string]*field
	hidden  []field // not exported: no parameters
}

// fieldTables remembers the table of each stage type: recipes of a hundred
// thousand tasks are written from a few of them.
var fieldTables sync.Map // reflect.Type → *fieldTable

// fieldsOf finds the parameters of s. A stage whose declaration breaks the rules that Param states is a bug of its
// author, and panics; dag.Register and Build have checked it.
func fieldsOf(s any) (*fieldTable, reflect.Value) {
	t, v, err := table(s)
	if err != nil {
		panic("param: " + err.Error())
	}
	return t, v
}

// Declared lists the mistakes in the declaration of a stage's type: the rules that Param states.
func Declared(s any) error {
	_, _, err := table(s)
	return err
}

// Check lists the parameters of s with values that their tags do not allow, but for those of from, a stage of its type.
// Both have types without mistakes (Declared).
func Check(s, from any) error {
	fields, v := fieldsOf(s)
	_, was := fieldsOf(from)
	var wrong []error
	for i := range fields.inOrder {
		f := &fields.inOrder[i]
		err := f.check(v.FieldByIndex(f.index))
		if err != nil && !reflect.DeepEqual(v.FieldByIndex(f.index).Interface(),
			was.FieldByIndex(f.index).Interface()) {
			wrong = append(wrong, fmt.Errorf("parameter %q %w", f.name, err))
		}
	}
	return errors.Join(wrong...)
}

func table(s any) (*fieldTable, reflect.Value, error) {
	v := reflect.ValueOf(s)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil, v, fmt.Errorf("stage %T is nil, or not a pointer to a struct", s)
	}
	v = v.Elem()
	if t, ok := fieldTables.Load(v.Type()); ok {
		t := t.(*fieldTable)
		return t, v, t.wrong
	}
	t := &fieldTable{byName: map[string]*field{}}
	wrong := t.collect(v.Type(), nil)
	for i := range t.inOrder {
		f := &t.inOrder[i]
		if t.byName[f.name] != nil {
			wrong = append(wrong, fmt.Errorf("stage %T has two parameters %q", s, f.name))
		}
		t.byName[f.name] = f
		t.sorted = append(t.sorted, f)
	}
	slices.SortFunc(t.sorted, func(a, b *field) int { return strings.Compare(a.name, b.name) })
	t.wrong = errors.Join(wrong...)
	fieldTables.Store(v.Type(), t)
	return t, v, t.wrong
}

func (t *fieldTable) collect(typ reflect.Type, at []int) (wrong []error) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	for i := range typ.NumField() {
		sf := typ.Field(i)
		index := append(slices.Clone(at), i)
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct && sf.Tag.Get("param") == "" {
			wrong = append(wrong, t.collect(sf.Type, index)...)
			continue
		}
		if !sf.IsExported() {
			t.hidden = append(t.hidden, field{name: sf.Name, index: index})
			continue
		}
		f := field{name: sf.Tag.Get("param"), index: index, typ: sf.Type, tag: sf.Tag,
			least: math.Inf(-1), most: math.Inf(1)}
		if f.name == "" {
			// An exported field that is no parameter could change the result
			// without changing the key.
			bad("field %s of %s has no param tag", sf.Name, typ)
			continue
		}
		if f.typeName() == "" {
			hint := ""
			if sf.Type == reflect.TypeFor[time.Duration]() {
				hint = `; for a time, use float64 and the tag unit:"s"`
			}
			bad("parameter %q of %s has the type %s: a parameter is a bool, int, int64, uint64, float64 or string, "+
				"or a slice of int, float64 or string%s", f.name, typ, sf.Type, hint)
			continue
		}
		if c := sf.Tag.Get("choices"); c != "" {
			f.choices = strings.Split(c, "|")
		}
		if k := sf.Tag.Get("keys"); k != "" {
			f.keys = strings.Split(k, "|")
		}
		for bound, to := range map[string]*float64{"min": &f.least, "max": &f.most} {
			if b := sf.Tag.Get(bound); b != "" {
				x, err := strconv.ParseFloat(b, 64)
				if err != nil {
					bad("parameter %q of %s: %s %q is not a number", f.name, typ, bound, b)
					continue
				}
				*to = x
			}
		}
		t.inOrder = append(t.inOrder, f)
	}
	return wrong
}

// typeName says for a person what a parameter takes; "" when its Go type is
// none that a parameter may have.
func (f *field) typeName() string {
	switch f.typ {
	case reflect.TypeFor[bool]():
		return "true or false"
	case reflect.TypeFor[int](), reflect.TypeFor[int64](), reflect.TypeFor[uint64]():
		return "integer"
	case reflect.TypeFor[float64]():
		return "number"
	case reflect.TypeFor[string]():
		return "text"
	case reflect.TypeFor[[]int]():
		return "list of integers"
	case reflect.TypeFor[[]float64]():
		return "list of numbers"
	case reflect.TypeFor[[]string]():
		return "list of texts"
	}
	return ""
}

// appendValue writes the canonical text of a parameter's value. Text is quoted
// in ASCII, so that no newer table of printable characters can change a key; −0
// is written as 0, and no list as an empty one.
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10)
	case reflect.Float64:
		x := v.Float()
		if x == 0 {
			x = math.Abs(x)
		}
		return strconv.AppendFloat(b, x, 'g', -1, 64)
	case reflect.String:
		return strconv.AppendQuoteToASCII(b, v.String())
	}
	b = append(b, '[') // a slice: fieldsOf lets nothing else through
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendValue(b, v.Index(i))
	}
	return append(b, ']')
}
