package wiring

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
	"prgnn/stages/role"
)

// pages are the kinds that show the results of other stages. In a file that extends one with connect: usual, they take
// the results of the stages that it adds, too, where no other stage could be meant.
var pages = []string{"summary", "report"}

// shows are the kinds without which results are in no page.
var shows = append([]string{"evaluate", "evaluate-regression"}, pages...)

// Unshown are notes about the stages whose results the pages of the file could show, and which no stage reads. An input
// that the file leaves open on purpose (null), or a page with connect: required, takes nothing.
func Unshown(root *tree.Node, removed Removed) (notes []string) {
	all := root.Get("stages")
	if all == nil || all.Kind != tree.Mapping {
		return nil
	}
	read := lists.SetOf(references(all.Keys), Stage)
	for _, s := range all.Keys {
		if read[s.Name] {
			continue
		}
		var outputs, lines, taken []string
		for _, to := range all.Keys {
			kind, known := dag.Lookup(Kind(to.Value))
			if !known || !slices.Contains(shows, kind.Name) {
				continue
			}
			var ports []string
			for _, p := range portsOf(kind, to.Value).In {
				usual := role.UsualOf(kind.Name, p.Name)
				at := slices.IndexFunc(usual.From, func(from string) bool {
					return strings.HasPrefix(from, Kind(s.Value)+".")
				})
				if _, open := removed["stages."+to.Name+".in."+p.Name]; at < 0 || open {
					continue
				}
				_, output, _ := strings.Cut(usual.From[at], ".")
				refs := []string{quoted(s.Name + member(s.Value, p.Gather) + "." + output)}
				if before := to.Value.Get("in").Get(p.Name); before != nil && usual.All {
					had := lists.Map(before.Each(), func(r *tree.Node) string { return quoted(r.Text) })
					refs = append(had, refs...)
				} else if before != nil && !slices.Contains(taken, Stage(before)) {
					taken = append(taken, Stage(before))
				}
				text := refs[0]
				if len(refs) > 1 {
					text = "[" + strings.Join(refs, ", ") + "]"
				}
				ports = append(ports, p.Name+": "+text)
				outputs = lists.Add(outputs, output)
			}
			if ports != nil {
				lines = append(lines, fmt.Sprintf("%s: { in: { %s } }", to.Name, strings.Join(ports, ", ")))
			}
		}
		if lines == nil {
			continue
		}
		place := ""
		if taken != nil {
			place = " in place of those of " + words.Some(taken, 3)
		}
		notes = append(notes, fmt.Sprintf("stage %s: no stage reads its results (%s); to show them%s: %s", s.Name,
			strings.Join(outputs, ", "), place, strings.Join(lines, "; ")))
	}
	return notes
}

// agree gives the pages of one evaluation one headline: where only one of them has the parameter headline, or the
// results of nested cross-validation, the others take it from there. A multiverse of the same predictions takes the
// headline.
func (w *wirer) agree(stages []tree.Key) {
	stages = slices.DeleteFunc(slices.Clone(stages), func(k tree.Key) bool {
		return Kind(k.Value) != "multiverse" && !slices.Contains(pages, Kind(k.Value))
	})
	same := func(from, to *tree.Node) bool {
		if Kind(from) == "multiverse" {
			return false
		}
		if Kind(to) != "multiverse" {
			return sameInput(from, to, "evaluation") && sameInput(from, to, "regression")
		}
		evaluation := from.Get("in").Get("evaluation")
		if evaluation == nil || evaluation.Kind != tree.Scalar {
			return false
		}
		name, _, _ := strings.Cut(evaluation.Text, ".")
		of := w.stages[name]
		return of != nil && sameInput(of, to, "predictions")
	}
	for _, to := range stages {
		for _, of := range [][2]string{{"with", "headline"}, {"in", "nested"}} {
			block, name := to.Value.Get(of[0]), of[1]
			before, how := block.Get(name), to.Value.Get("connect")
			_, open := w.removed[w.path(to, name)]
			if Kind(to.Value) == "multiverse" && name == "nested" {
				continue
			}
			if before != nil && !before.Usual || of[0] == "in" && (open || how != nil) ||
				block != nil && block.Kind != tree.Mapping && block.Kind != tree.Empty {
				continue
			}
			var given *tree.Node
			for _, from := range stages {
				value := from.Value.Get(of[0]).Get(name)
				if value != nil && !value.Usual && !value.Bad && value.Kind != tree.Empty &&
					same(from.Value, to.Value) {
					given = value
				}
			}
			switch {
			case given == nil && before != nil:
				block.Keys = slices.DeleteFunc(block.Keys, func(k tree.Key) bool { return k.Name == name })
			case given == nil || before != nil && SameValue(before, given):
				continue
			default:
				if block == nil || block.Kind == tree.Empty {
					block = &tree.Node{Pos: to.Pos, Kind: tree.Mapping}
					to.Value.Put(of[0], block)
				}
				given = given.Copy()
				given.Usual = true
				block.Put(name, given)
			}
			w.added = true
		}
	}
}

// sameInput reports whether two stages have one reference at a port, or none.
func sameInput(a, b *tree.Node, port string) bool {
	x, y := a.Get("in").Get(port), b.Get("in").Get(port)
	return x == nil && y == nil || x != nil && y != nil && SameValue(x, y)
}

// quoted writes a reference as YAML has it in brackets.
func quoted(ref string) string {
	if strings.Contains(ref, "[") {
		return `"` + ref + `"`
	}
	return ref
}

// member selects all members of a stage that fans out, or for an input of one, the first: [model=ridge,fold=1].
func member(stage *tree.Node, gather bool) string {
	matrix := stage.Get("matrix")
	if gather && (isGiven(matrix) || isGiven(stage.Get("each"))) {
		return "[*]"
	}
	if matrix == nil || matrix.Kind != tree.Mapping || len(matrix.Keys) == 0 {
		return ""
	}
	return "[" + strings.Join(lists.Map(matrix.Keys, func(axis tree.Key) string {
		return axis.Name + "=" + slices.Concat(axis.Value.Items, []*tree.Node{axis.Value})[0].Text
	}), ",") + "]"
}
