package layer

import (
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
	"prgnn/stages/role"
)

// leaveOut takes stages out of a file (--set stages.NAME=null). References to them are
// disconnected. A stage goes too when it loses an input that it needs, or the reference that it compares with, and so
// does one that repeats work on permuted labels, when all its readers have gone; leakage checks do not count as
// readers. It returns all names, in the order of the file.
func leaveOut(root *tree.Node, named []string) (names []string) {
	all := root.Get("stages")
	gone := lists.Set(named)
	readers := map[string][]string{}
	for _, k := range all.Keys {
		if in := k.Value.Get("in"); in != nil && !isCheck(k.Value) {
			for _, port := range in.Keys {
				for _, ref := range port.Value.Each() {
					readers[wiring.Stage(ref)] = append(readers[wiring.Stage(ref)], k.Name)
				}
			}
		}
	}
	idle := func(k tree.Key) bool {
		return k.Value.Under("matrix", "permutation") != nil && len(readers[k.Name]) > 0 &&
			!slices.ContainsFunc(readers[k.Name], func(reader string) bool { return !gone[reader] })
	}
	for more := true; more; {
		more = false
		for _, k := range all.Keys {
			if !gone[k.Name] && (lostInput(k.Value, gone) || lostReference(k.Value, gone) || idle(k)) {
				gone[k.Name], more = true, true
			}
		}
	}
	all.Keys = slices.DeleteFunc(all.Keys, func(k tree.Key) bool {
		if gone[k.Name] {
			names = append(names, k.Name)
		}
		return gone[k.Name]
	})
	return names
}

// keep leaves only the stages of these names in a file, those that they need, and the checks that are left: those that
// compare what these stages make. Decisions of stages that are gone go too.
func keep(root *tree.Node, names []string) (gone []string) {
	all := root.Get("stages")
	needed := map[string]bool{}
	var need func(name string)
	need = func(name string) {
		stage := all.Get(name)
		if stage == nil || needed[name] {
			return
		}
		needed[name] = true
		if in := stage.Get("in"); in != nil {
			for _, port := range in.Keys {
				for _, ref := range port.Value.Each() {
					need(wiring.Stage(ref))
				}
			}
		}
	}
	for _, name := range names {
		need(name)
	}
	var others []string
	for _, k := range all.Keys {
		if !needed[k.Name] && !isCheck(k.Value) {
			others = append(others, k.Name)
		}
	}
	decisions := wiring.Decisions(root, &tree.Mistakes{})
	gone = leaveOut(root, others)
	if decided := root.Get("decisions"); decided != nil {
		decided.Keys = slices.DeleteFunc(decided.Keys, func(k tree.Key) bool {
			at := slices.IndexFunc(decisions, func(d wiring.Decision) bool { return d.Name == k.Name })
			return at >= 0 && !slices.ContainsFunc(decisions[at].Options, func(o wiring.Option) bool {
				return slices.ContainsFunc(o.Sets, func(s wiring.Setting) bool { return all.Get(s.Stage) != nil })
			})
		})
	}
	return gone
}

// lostInput disconnects a stage from stages that are gone, and reports whether it needed one of them.
func lostInput(stage *tree.Node, gone map[string]bool) (lost bool) {
	in := stage.Get("in")
	if in == nil {
		return false
	}
	var optional []string
	has := func(port string) bool { return in.Get(port) != nil }
	refuses := func() bool { return false } // the inputs that are left
	if kind, ok := dag.Lookup(wiring.Kind(stage)); ok {
		if user, ok := kind.New().(role.InputUser); ok {
			refuses = func() bool { return user.RefusesInputs(has) != nil }
		}
		for _, p := range kind.New().Ports().In {
			if p.Optional {
				optional = append(optional, p.Name)
			}
		}
	}
	before := refuses()
	in.Keys = slices.DeleteFunc(in.Keys, func(port tree.Key) bool {
		from := port.Value
		if from.Kind == tree.List {
			many := len(from.Items)
			from.Items = slices.DeleteFunc(from.Items, func(ref *tree.Node) bool { return gone[wiring.Stage(ref)] })
			if len(from.Items) > 0 || many == 0 {
				return false
			}
		} else if !gone[wiring.Stage(from)] {
			return false
		}
		lost = lost || !slices.Contains(optional, port.Name)
		return true
	})
	return lost || !before && refuses()
}

// lostReference reports whether the setting that a stage compares with was one of a stage that is gone.
func lostReference(stage *tree.Node, gone map[string]bool) bool {
	reference := stage.Under("with", "reference")
	kind, known := dag.Lookup(wiring.Kind(stage))
	if reference == nil || !known {
		return false
	}
	_, compares := kind.New().(role.Referrer)
	return compares && slices.ContainsFunc(reference.Each(), func(coord *tree.Node) bool {
		axis, value, _ := strings.Cut(coord.Text, "=")
		return strings.TrimSpace(axis) == "stage" && gone[strings.TrimSpace(value)]
	})
}

// isCheck reports whether other stages wait for a stage (role.Check).
func isCheck(stage *tree.Node) bool {
	kind, ok := dag.Lookup(wiring.Kind(stage))
	if !ok {
		return false
	}
	_, ok = kind.New().(role.Check)
	return ok
}
