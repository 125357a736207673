package main

import (
	"go/types"
	"slices"
	"strings"
)

// A holder is a type that has methods, declared or embedded.
type holder struct {
	methods map[string]*decl // by name; nil of one that is not ours
	matches map[string]bool  // by part: it has all methods of it
}

// holds notes a type.
func (r *reader) holds(t types.Type) {
	if t == nil || types.IsInterface(t) {
		return
	}
	if h := r.match.holder(r.declarations, t); h != nil {
		r.v.holders = append(r.v.holders, h)
	}
}

// A matcher knows the methods of types.
type matcher struct {
	holders map[types.Type]*holder
}

func newMatcher() *matcher { return &matcher{map[types.Type]*holder{}} }

// holder is the type's; nil when it has no methods of ours. Those of its pointer
// are meant too: a variable of it can be pointed to.
func (m *matcher) holder(ds *declarations, t types.Type) *holder {
	if h, known := m.holders[t]; known {
		return h
	}
	h := &holder{methods: map[string]*decl{}, matches: map[string]bool{}}
	ours := false
	set := types.NewMethodSet(types.NewPointer(t))
	for i := range set.Len() {
		f := set.At(i).Obj()
		p := ds.at[f.Pos()]
		h.methods[f.Name()] = p.to
		ours = ours || p.to != nil
	}
	if !ours {
		h = nil
	}
	m.holders[t] = h
	return h
}

// has reports whether the type has all methods of a part.
func (h *holder) has(part string) bool {
	is, known := h.matches[part]
	if !known {
		is = true
		for name := range strings.FieldsSeq(part) {
			if _, ok := h.methods[name]; !ok {
				is = false
				break
			}
		}
		h.matches[part] = is
	}
	return is
}

func joinSorted(names []string) string {
	slices.Sort(names)
	return strings.Join(names, " ")
}
