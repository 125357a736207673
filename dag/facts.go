package dag

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"prgnn/artifacts"
)

// A Recipe is the recipe of a task, taken apart: what it says, and nothing of
// where it was said. A task can be made from it again without its pipeline file,
// its cohort and its paths (see Kind.Make).
type Recipe struct {
	Kind       string
	Code       string // the digest of the kind's code identity
	Parameters []Fact // by name
	// Environment are the variables of the machine that the stage reads; one that
	// is not set has no value, which is not the empty text.
	Environment []Fact
	Values      []Fact // what a Foreteller gives: "format digest" of each
	Inputs      []RecipeInput
}

// A Fact is a name and the canonical text of its value.
type Fact struct{ Name, Value string }

// A RecipeInput is one input of a recipe, in the order of the ports.
type RecipeInput struct {
	Port   string
	Coords []Coord // of a member of a gathering port
	Ref    artifacts.Ref
}

// ReadRecipe reads what a run wrote. The size of an input is not in a recipe.
func ReadRecipe(text string) (Recipe, error) {
	var r Recipe
	lines := strings.Split(text, "\n")
	if lines[0] != recipeFormat || lines[len(lines)-1] != "" {
		return r, fmt.Errorf("a recipe begins with %q and ends with a line end, and this one begins with %.40q", recipeFormat, lines[0])
	}
	for i, line := range lines[1 : len(lines)-1] {
		what, rest, _ := strings.Cut(line, " ")
		var err error
		switch {
		case i == 0 && what == "stage":
			r.Kind = rest
		case i == 1 && what == "code":
			r.Code = rest
		case i > 1 && what == "parameter" && len(r.Inputs) == 0:
			f := Fact{}
			var ok bool
			if f.Name, f.Value, ok = strings.Cut(rest, " = "); !ok {
				err = fmt.Errorf("has no value")
			}
			r.Parameters = append(r.Parameters, f)
		case i > 1 && what == "environment" && len(r.Inputs) == 0:
			name, value, _ := strings.Cut(rest, " = ")
			r.Environment = append(r.Environment, Fact{name, value})
		case i > 1 && what == "value" && len(r.Inputs) == 0:
			name, value, _ := strings.Cut(rest, " ")
			r.Values = append(r.Values, Fact{name, value})
		case i > 1 && what == "input":
			var in RecipeInput
			in, err = readInput(rest)
			r.Inputs = append(r.Inputs, in)
		default:
			err = fmt.Errorf("does not belong there")
		}
		if err != nil {
			return r, fmt.Errorf("recipe, line %d %.60q: %w", i+2, line, err)
		}
	}
	return r, nil
}

// readInput reads "port[axis=value,…] format digest".
func readInput(text string) (RecipeInput, error) {
	var in RecipeInput
	at := strings.LastIndexByte(text, ' ')
	before := strings.LastIndexByte(text[:max(at, 0)], ' ')
	if before < 0 {
		return in, fmt.Errorf("has not a port, a format and a digest")
	}
	var err error
	if in.Ref.Digest, err = artifacts.ParseDigest(text[at+1:]); err != nil {
		return in, err
	}
	if in.Ref.Format = text[before+1 : at]; in.Ref.Format == "-" {
		in.Ref.Format = ""
	}
	port, coords, gathers := strings.Cut(text[:before], "[")
	if in.Port = port; !gathers {
		return in, nil
	}
	coords, closed := strings.CutSuffix(coords, "]")
	if !closed {
		return in, fmt.Errorf("the bracket of its coordinates is not closed")
	}
	for _, part := range splitCoords(coords) {
		axis, value, ok := strings.Cut(part, "=")
		if strings.HasPrefix(value, `"`) {
			if value, err = strconv.Unquote(value); err != nil {
				return in, fmt.Errorf("the coordinate %s is no quoted text", part)
			}
		}
		if !ok {
			return in, fmt.Errorf("the coordinate %q has no value", part)
		}
		in.Coords = append(in.Coords, Coord{axis, value})
	}
	return in, nil
}

// Make builds the stage that a recipe describes. It fails when the kind has not
// those parameters any more, or takes other values.
func (k *Kind) Make(r Recipe) (Stage, error) {
	s := k.New()
	fields, v := fieldsOf(s)
	given := map[string]bool{}
	for _, f := range r.Parameters {
		field, ok := fields.byName[f.Name]
		if !ok {
			return nil, fmt.Errorf("stage kind %s has no parameter %q", k.Name, f.Name)
		}
		x, err := parseValue(field.typ, f.Value)
		if err != nil {
			return nil, fmt.Errorf("stage kind %s, parameter %q: %w", k.Name, f.Name, err)
		}
		v.FieldByIndex(field.index).Set(x)
		given[f.Name] = true
	}
	for _, f := range fields.sorted {
		if !given[f.name] {
			return nil, fmt.Errorf("stage kind %s has the parameter %q, of which the recipe says nothing", k.Name, f.name)
		}
	}
	return s, nil
}

// parseValue reads what appendValue wrote.
func parseValue(t reflect.Type, text string) (reflect.Value, error) {
	out := reflect.New(t).Elem()
	var err error
	switch t.Kind() {
	case reflect.Bool:
		var x bool
		x, err = strconv.ParseBool(text)
		out.SetBool(x)
	case reflect.Int, reflect.Int64:
		var x int64
		x, err = strconv.ParseInt(text, 10, 64)
		out.SetInt(x)
	case reflect.Uint64:
		var x uint64
		x, err = strconv.ParseUint(text, 10, 64)
		out.SetUint(x)
	case reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		out.SetFloat(x)
	case reflect.String:
		var x string
		x, err = strconv.Unquote(text)
		out.SetString(x)
	default:
		return parseList(t, text)
	}
	if err != nil {
		return out, fmt.Errorf("%.40q is no %s", text, t)
	}
	return out, nil
}

func parseList(t reflect.Type, text string) (reflect.Value, error) {
	out := reflect.Zero(t) // an empty list is no list: their recipes are the same
	rest, opened := strings.CutPrefix(text, "[")
	rest, closed := strings.CutSuffix(rest, "]")
	if !opened || !closed {
		return out, fmt.Errorf("%.40q is no list", text)
	}
	for rest != "" {
		word, after, _ := strings.Cut(rest, ", ")
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			word, after = quoted, strings.TrimPrefix(rest[len(quoted):], ", ")
		}
		x, err := parseValue(t.Elem(), word)
		if err != nil {
			return out, err
		}
		out, rest = reflect.Append(out, x), after
	}
	return out, nil
}

// Recipe writes the recipe of the task for inputs that are known: ref tells each.
func (n *Node) Recipe(ref func(*Source) (artifacts.Ref, error)) (string, error) {
	code, err := n.Stage.Kind.CodeDigest()
	if err != nil {
		return "", err
	}
	refs := make([][]artifacts.Ref, len(n.Inputs))
	for b := range n.Inputs {
		for s := range n.Inputs[b].Sources {
			r, err := ref(&n.Inputs[b].Sources[s])
			if err != nil {
				return "", err
			}
			refs[b] = append(refs[b], r)
		}
	}
	return string(appendRecipe(nil, code, n, n.Work.Ports().In, refs)), nil
}
