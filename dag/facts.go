package dag

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag/content"
	"prgnn/dag/param"
	"prgnn/dag/recipe"
	"prgnn/dag/selector"
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
		return r, fmt.Errorf("a recipe begins with %q and ends with a newline; this one begins with %.40q", recipeFormat, lines[0])
	}
	for i, line := range lines[1 : len(lines)-1] {
		f := recipe.ReadLine(line)
		var err error
		switch {
		case i == 0 && f.What == "stage":
			r.Kind = f.Value
		case i == 1 && f.What == "code":
			r.Code = f.Value
		case i > 1 && f.What == "parameter" && len(r.Inputs) == 0:
			if f.Value == recipe.NotSet {
				err = fmt.Errorf("has no value")
			}
			r.Parameters = append(r.Parameters, Fact{f.Name, f.Value})
		case i > 1 && f.What == "environment" && len(r.Inputs) == 0:
			r.Environment = append(r.Environment, Fact{f.Name, strings.TrimPrefix(f.Value, recipe.NotSet)})
		case i > 1 && slices.Contains(contents, f.What) && len(r.Inputs) == 0: // they are part of no stage
		case i > 1 && f.What == "value" && len(r.Inputs) == 0:
			r.Values = append(r.Values, Fact{f.Name, f.Value})
		case i > 1 && f.What == "input":
			var in RecipeInput
			in, err = readInput(f)
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

// readInput reads "port[axis=value,…]" and "format digest".
func readInput(f recipe.Line) (RecipeInput, error) {
	var in RecipeInput
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
		in.Coords = append(in.Coords, Coord{axis, value})
	}
	return in, nil
}

// Make builds the stage that a recipe describes. It fails when the kind no longer has these parameters, or
// no longer accepts their values.
func (k *Kind) Make(r Recipe) (Stage, error) {
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

// Recipe writes the recipe of the task for known inputs: ref returns each one.
func (n *Node) Recipe(ref func(*Source) (artifacts.Ref, error)) (string, error) {
	code, err := n.stage.kind.CodeDigest()
	if err != nil {
		return "", err
	}
	refs := make([][]artifacts.Ref, len(n.inputs))
	for b := range n.inputs {
		for s := range n.inputs[b].Sources {
			r, err := ref(&n.inputs[b].Sources[s])
			if err != nil {
				return "", err
			}
			refs[b] = append(refs[b], r)
		}
	}
	outside, err := codeDigests(&planned, content.HashFile, n)
	if err != nil {
		return "", err
	}
	return string(appendRecipe(nil, code, outside, n, n.instance.Ports().In, refs)), nil
}
