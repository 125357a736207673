package layer

import (
	"cmp"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
)

// A merger puts the values of an extending file over those of the extended one.
type merger struct {
	bad     *tree.Mistakes
	base    string             // the extended file, in messages
	removed map[string]dag.Pos // the paths that were removed → where
}

// merge puts the values of an extending file, over, over those of the extended one, base, whose name is for messages.
// What null removes is added to removed.
func merge(base, over *tree.Node, name string, removed wiring.Removed, bad *tree.Mistakes) {
	m := merger{bad, name, removed}
	m.merge(base, over, nil)
}

// merge changes base key by key. A mapping is merged, any other value replaced, null removes.
// A cohort or a stage of another kind is replaced as a whole: parameters and ports belong to
// their kind. Keys that over names stand in its order, new ones too; all others stay where they are.
func (m *merger) merge(base, over *tree.Node, path []string) {
	index := lists.PlacesOf(base.Keys, func(k tree.Key) string { return k.Name })
	first, last := len(base.Keys), -1 // those of base that keep their place: the first and the latest
	gone := make([]bool, len(base.Keys))
	behind := map[int][]tree.Key{} // what follows a key of base; -1: what comes before the first
	for _, k := range over.Keys {
		at, known := index[k.Name]
		full := append(slices.Clip(path), k.Name)
		null := k.Value.Kind == tree.Empty && !k.Value.Bad
		switch {
		case !known && null && k.Value.Text != "" && !(len(full) == 4 && full[0] == "stages" && full[2] == "in"):
			// (an input that is left open, else: package wiring knows the inputs)
			m.bad.Add(k.Pos, "null removes a key, but %s has no %s%s", m.base, strings.Join(full, "."), words.OrAll(k.Name, base.Names()))
			continue
		case !known:
			behind[last] = append(behind[last], k)
			continue
		case null && k.Value.Text == "":
			m.bad.Add(k.Pos, "%s has no value: delete the line to keep the value of %s, or write null to remove it", strings.Join(full, "."), m.base)
		case null:
			gone[at] = true
			m.removed[strings.Join(full, ".")] = k.Pos
			continue
		default:
			m.put(&base.Keys[at], k, full)
		}
		if at < last {
			gone[at] = true
			behind[last] = append(behind[last], base.Keys[at])
		}
		last = max(last, at)
		first = min(first, last)
	}
	keys := make([]tree.Key, 0, len(base.Keys)+len(over.Keys))
	for i, k := range base.Keys {
		if i == first {
			keys = append(keys, behind[-1]...)
		}
		if !gone[i] {
			keys = append(keys, k)
		}
		keys = append(keys, behind[i]...)
	}
	if first == len(base.Keys) {
		keys = append(keys, behind[-1]...)
	}
	base.Keys = keys
}

// put changes the value of one key.
func (m *merger) put(base *tree.Key, over tree.Key, path []string) {
	b, o := base.Value, over.Value
	o.Above = cmp.Or(o.Above, b.Above)
	switch {
	case b.Kind != tree.Mapping || o.Kind != tree.Mapping:
		*base = over
	case otherKind(b, o, path):
		o.Keys = slices.DeleteFunc(o.Keys, func(k tree.Key) bool {
			return k.Value.Kind == tree.Empty && b.Get(k.Name) != nil
		})
		*base = over
	case len(o.Keys) > 0:
		m.merge(b, o, path)
		b.Above, base.Pos = o.Above, over.Pos
	}
}

// otherKind reports whether a cohort or a stage gets another kind.
func otherKind(base, over *tree.Node, path []string) bool {
	switch {
	case len(path) == 1 && path[0] == "cohort":
		kinds := slices.DeleteFunc(CohortKinds(over), func(k tree.Key) bool {
			return k.Value.Kind == tree.Empty && (base.Get(k.Name) != nil || k.Value.Text != "") // null is no kind
		})
		return slices.ContainsFunc(kinds, func(k tree.Key) bool { return base.Get(k.Name) == nil })
	case len(path) == 2 && path[0] == "stages":
		b, o := base.Get("use"), over.Get("use")
		return b != nil && o != nil && o.Kind == tree.Scalar && b.Text != o.Text
	}
	return false
}
