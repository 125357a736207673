package dag

import (
	"cmp"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag/recipe"
)

// unknownInput stands in a draft for the format of an input that is not known
// yet.
const unknownInput = "unknown"

// draft writes the recipe of a task as far as it is known: of an input that has
// yet to be made, only that it is there. What cannot be read leaves it empty.
func (r *runner) draft(i int32) string {
	n := r.nodes[i]
	ports := n.instance.Ports()
	refs := make([][]artifacts.Ref, len(n.inputs))
	for b := range n.inputs {
		for s := range n.inputs[b].Sources {
			src := &n.inputs[b].Sources[s]
			ref, ok := r.made(src)
			if !ok {
				ref = artifacts.Ref{Format: unknownInput}
			}
			refs[b] = append(refs[b], ref)
		}
	}
	outside, err := codeDigests(&r.files, r.store.HashFile, n)
	if err != nil {
		return ""
	}
	return string(appendRecipe(nil, r.code[n.stage.kind], outside, n, ports.In, refs))
}

// made is what a source gives, where that has been made.
func (r *runner) made(src *Source) (artifacts.Ref, bool) {
	if src.Node != nil && r.at[r.of[src.Node]].outputs.Load() == nil {
		return artifacts.Ref{}, false
	}
	ref, err := r.resolve(src)
	return ref, err == nil
}

// RecipeDifferences compares two recipes, in the order of the lines of the second; what is gone comes last.
func RecipeDifferences(old, now string) (all []Difference) {
	for _, c := range recipe.Compare(old, now) {
		all = append(all, difference(c.What, c.Name, c.Old, c.New))
	}
	return all
}

func difference(what, name, old, now string) Difference {
	switch what {
	case "recipe":
		what = "format"
	case "program", "file", "directory": // digests say nothing to a person
		if old != "" && now != "" {
			old, now = "", ""
		}
	case "environment": // hashes tell nobody anything, and recipes of earlier versions hold values
		old, now = setOrNot(old), setOrNot(now)
		if old == now {
			old, now = "", ""
		}
	}
	return Difference{What: what, Name: name, Old: old, New: now}
}

// setOrNot says of a variable's value whether there is one; "" is a variable that the command
// did not see.
func setOrNot(value string) string {
	if value == "" || value == recipe.NotSet {
		return value
	}
	return "set"
}

// differences compares an old recipe of a task with its present one, as far as
// that is known, and adds what the run knows: where inputs come from, and which
// declarations make the difference in code.
func (r *runner) differences(i int32, past *pastRun, old, now string) []Difference {
	var ds []Difference
	for _, d := range RecipeDifferences(old, now) {
		switch {
		case d.What == "input" && strings.HasPrefix(d.New, unknownInput+" "):
			continue
		case d.What == "input" && d.New != "":
			d.From = r.origin(i, d.Name, d.New)
		case slices.Contains(contents, d.What):
			d.From = r.outsidePlace(i, d)
		case d.What == "code" && d.New != "":
			kind := r.nodes[i].stage.kind
			ds = append(ds, past.codeDifferences(d, kind)...)
			continue
		}
		ds = append(ds, d)
	}
	return ds
}

// origin is the path of the file, or the task and output, behind an input of a recipe.
func (r *runner) origin(i int32, name, value string) string {
	switch src := r.source(i, name, value); {
	case src == nil:
		return ""
	case src.Node != nil:
		return src.Node.id + "." + src.Output
	default:
		return src.File
	}
}

// source finds an input by its name in the recipe. Of several with that name, it is the one
// with the value (format and digest).
func (r *runner) source(i int32, name, value string) *Source {
	var from *Source
	for _, b := range r.nodes[i].inputs {
		for s := range b.Sources {
			src := &b.Sources[s]
			if b.Port != name && string(appendCoords([]byte(b.Port), src.Coords)) != name {
				continue
			}
			if ref, ok := r.made(src); ok && strings.HasSuffix(value, ref.Digest.String()) {
				return src
			}
			from = cmp.Or(from, src)
		}
	}
	return from
}
