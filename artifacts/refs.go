package artifacts

import (
	"slices"
	"strings"
)

// Refs are the outputs of a task, in the order of their names. A list, since most tasks have one to four outputs, and a
// map of one takes seven times the memory.
type Refs []NamedRef

// A NamedRef is one output.
type NamedRef struct {
	Name string
	Ref
}

// Get is the output of a name; false for none.
func (r Refs) Get(name string) (Ref, bool) {
	for i := range r {
		if r[i].Name == name {
			return r[i].Ref, true
		}
	}
	return Ref{}, false
}

// Of is the output of a name, or the zero Ref.
func (r Refs) Of(name string) Ref {
	ref, _ := r.Get(name)
	return ref
}

// Set adds an output, or replaces the one of that name.
func (r *Refs) Set(name string, ref Ref) {
	at, found := slices.BinarySearchFunc(*r, name, func(n NamedRef, name string) int {
		return strings.Compare(n.Name, name)
	})
	if found {
		(*r)[at].Ref = ref
		return
	}
	*r = slices.Insert(*r, at, NamedRef{name, ref})
}

// List are the outputs without their names.
func (r Refs) List() []Ref {
	list := make([]Ref, len(r))
	for i := range r {
		list[i] = r[i].Ref
	}
	return list
}
