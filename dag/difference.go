package dag

import (
	"strings"

	"prgnn/artifacts"
)

// unknownInput stands in a draft for the format of an input that is not known
// yet.
const unknownInput = "unknown"

// draft writes the recipe of a task as far as it is known: of an input that has
// yet to be made, only that it is there. What cannot be read leaves it empty.
func (r *runner) draft(i int32) string {
	n := r.nodes[i]
	ports := n.Work.Ports()
	refs := make([][]artifacts.Ref, len(n.Inputs))
	for b := range n.Inputs {
		for s := range n.Inputs[b].Sources {
			src := &n.Inputs[b].Sources[s]
			ref := artifacts.Ref{Format: unknownInput}
			if src.Node == nil || r.at[r.of[src.Node]].outputs.Load() != nil {
				if known, err := r.resolve(src); err == nil {
					ref = known
				}
			}
			refs[b] = append(refs[b], ref)
		}
	}
	return string(appendRecipe(nil, r.code[n.Stage.Kind], n, ports.In, refs))
}

// RecipeDifferences compares two recipes, in the order of the lines of the second;
// what is gone comes last.
func RecipeDifferences(old, now string) []Difference {
	type place struct{ what, name string }
	before := map[place]string{}
	var order []place
	for _, f := range facts(old) {
		at := place{f.what, f.name}
		before[at] = f.value
		order = append(order, at)
	}
	var ds []Difference
	for _, f := range facts(now) {
		at := place{f.what, f.name}
		was, there := before[at]
		delete(before, at)
		if !there || was != f.value {
			ds = append(ds, difference(f.what, f.name, was, f.value))
		}
	}
	for _, at := range order {
		if was, left := before[at]; left {
			ds = append(ds, difference(at.what, at.name, was, ""))
		}
	}
	return ds
}

func difference(what, name, old, now string) Difference {
	if what == "recipe" {
		what = "format"
	}
	return Difference{What: what, Name: name, Old: old, New: now}
}

// differences compares an old recipe of a task with its present one, as far as
// that is known, and adds what the run knows: where inputs come from, and which
// source files make the difference in code.
func (r *runner) differences(i int32, past *pastRun, old, now string) []Difference {
	var ds []Difference
	for _, d := range RecipeDifferences(old, now) {
		switch {
		case d.What == "input" && strings.HasPrefix(d.New, unknownInput+" "):
			continue
		case d.What == "input" && d.New != "":
			d.From = r.origin(i, d.Name)
		case d.What == "code" && d.New != "":
			ds = append(ds, r.codeDifferences(i, past, d)...)
			continue
		}
		ds = append(ds, d)
	}
	return ds
}

// origin tells where the input comes from that a recipe calls by a name.
func (r *runner) origin(i int32, name string) string {
	n := r.nodes[i]
	for _, b := range n.Inputs {
		for _, src := range b.Sources {
			if b.Port != name && string(appendCoords([]byte(b.Port), src.Coords)) != name {
				continue
			}
			if src.Node == nil {
				return src.File
			}
			return src.Node.ID + "." + src.Output
		}
	}
	return ""
}

// codeDifferences names the source files and modules in which two code
// identities differ, if the older one was recorded and both are lists of them.
func (r *runner) codeDifferences(i int32, past *pastRun, whole Difference) []Difference {
	kind := r.nodes[i].Stage.Kind
	old := past.Codes[kind.Name]
	if artifacts.DigestOf([]byte(old)).String() != whole.Old {
		return []Difference{whole}
	}
	was, now := codeParts(old), codeParts(kind.Code)
	if was == nil || now == nil {
		return []Difference{whole}
	}
	before := map[string]string{}
	for _, p := range was {
		before[p.name] = p.value
	}
	var ds []Difference
	for _, p := range now {
		if b := before[p.name]; b != p.value {
			ds = append(ds, Difference{What: "code", Name: p.name, Old: b, New: p.value})
		}
		delete(before, p.name)
	}
	for _, p := range was {
		if b, left := before[p.name]; left {
			ds = append(ds, Difference{What: "code", Name: p.name, Old: b})
		}
	}
	return ds
}

// codeParts takes a code identity apart: each line is a name and a digest or a
// version, parted by the last space. nil when it is something else.
func codeParts(code string) []fact {
	var parts []fact
	for line := range strings.Lines(code) {
		line = strings.TrimSuffix(line, "\n")
		at := strings.LastIndexByte(line, ' ')
		if at < 0 {
			return nil
		}
		parts = append(parts, fact{name: line[:at], value: line[at+1:]})
	}
	return parts
}
