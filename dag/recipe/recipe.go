// Package recipe reads the recipe of a task, makes the stage that it describes, and compares two.
package recipe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/internal/line"
	"prgnn/dag/param"
	"prgnn/dag/selector"
)

// A Recipe is the recipe of a task, taken apart: what it says, and nothing of
// where it was said. A task can be made from it again without its pipeline file,
// its cohort and its paths (see Make).
type Recipe struct {
	Kind       string
	Code       string // the digest of the kind's code identity
	Parameters []Fact // by name
	// Environment are the variables of the machine that the stage reads; one that
	// is not set has no value, which is not the empty text.
	Environment []Fact
	Values      []Fact // what a Precomputed stage gives: "format digest" of each
	Inputs      []Input
}

// A Fact is a name and the canonical text of its value.
type Fact struct{ Name, Value string }

// A Input is one input of a recipe, in the order of the ports.
type Input struct {
	Port   string
	Coords []dag.Coord // of a member of a gathering port
	Ref    artifacts.Ref
}

// Read reads what a run wrote. The size of an input is not in a recipe.
func Read(text string) (Recipe, error) {
	var r Recipe
	lines := strings.Split(text, "\n")
	if lines[0] != line.Format || lines[len(lines)-1] != "" {
		return r, fmt.Errorf("a recipe begins with %q and ends with a newline; this one begins with %.40q", line.Format, lines[0])
	}
	for i, text := range lines[1 : len(lines)-1] {
		f := line.Read(text)
		var err error
		switch {
		case i == 0 && f.What == "stage":
			r.Kind = f.Value
		case i == 1 && f.What == "code":
			r.Code = f.Value
		case i > 1 && f.What == "parameter" && len(r.Inputs) == 0:
			if f.Value == line.NotSet {
				err = fmt.Errorf("has no value")
			}
			r.Parameters = append(r.Parameters, Fact{f.Name, f.Value})
		case i > 1 && f.What == "environment" && len(r.Inputs) == 0:
			r.Environment = append(r.Environment, Fact{f.Name, strings.TrimPrefix(f.Value, line.NotSet)})
		case i > 1 && slices.Contains(line.Files, f.What) && len(r.Inputs) == 0: // they are part of no stage
		case i > 1 && f.What == "value" && len(r.Inputs) == 0:
			r.Values = append(r.Values, Fact{f.Name, f.Value})
		case i > 1 && f.What == "input":
			var in Input
			in, err = readInput(f)
			r.Inputs = append(r.Inputs, in)
		default:
			err = fmt.Errorf("does not belong there")
		}
		if err != nil {
			return r, fmt.Errorf("recipe, line %d %.60q: %w", i+2, text, err)
		}
	}
	return r, nil
}

// readInput reads "port[axis=value,…]" and "format digest".
func readInput(f line.Line) (Input, error) {
	var in Input
	format, digest, _ := strings.Cut(f.Value, " ")
	if f.Name == "" {
		return in, fmt.Errorf("needs a port, a format and a digest")
	}
	var err error
	if in.Ref.Digest, err = artifacts.ParseDigest(digest); err != nil {
		return in, err
	}
	if in.Ref.Format = format; in.Ref.Format == "-" {
		in.Ref.Format = ""
	}
	port, coords, gathers := strings.Cut(f.Name, "[")
	if in.Port = port; !gathers {
		return in, nil
	}
	coords, closed := strings.CutSuffix(coords, "]")
	if !closed {
		return in, fmt.Errorf("the bracket of its coordinates is not closed")
	}
	if coords == "" { // one task of a gathering port, without coordinates
		return in, nil
	}
	for _, part := range selector.Split(coords) {
		axis, value, ok := strings.Cut(part, "=")
		if strings.HasPrefix(value, `"`) {
			if value, err = strconv.Unquote(value); err != nil {
				return in, fmt.Errorf("the coordinate %s is not quoted", part)
			}
		}
		if !ok {
			return in, fmt.Errorf("the coordinate %q has no value", part)
		}
		in.Coords = append(in.Coords, dag.Coord{Axis: axis, Value: value})
	}
	return in, nil
}

// Make builds the stage that a recipe describes. It fails when the kind no longer has these parameters, or
// no longer accepts their values.
func (r *Recipe) Make(k *dag.Kind) (dag.Stage, error) {
	s := k.New()
	given := map[string]bool{}
	for _, f := range r.Parameters {
		if err := param.SetText(s, f.Name, f.Value); err != nil {
			return nil, fmt.Errorf("stage kind %s: %w", k.Name, err)
		}
		given[f.Name] = true
	}
	for _, p := range param.Of(s) {
		if !given[p.Name] {
			return nil, fmt.Errorf("stage kind %s has the parameter %q, which the recipe does not state", k.Name, p.Name)
		}
	}
	return s, nil
}
