package main

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// A reach is all that one kind reaches.
type reach struct {
	*declarations
	seen    map[*decl]bool
	todo    []*decl
	pkgs    map[string]bool  // of others, that are mentioned or imported by such
	modules map[string]bool  // "gonum.org/v1/gonum v0.17.0"
	parts   map[string]bool  // of interfaces
	holders map[*holder]bool // types with methods
	dynamic map[*decl]bool   // methods that may be called through an interface
	inits   map[*decl]bool
	all     bool            // every method may be called, by its name in a text
	names   bool            // names of types may be printed
	effects map[string]bool // imports of packages of others that act on others as soon as they are linked in
	asked   map[*decl]bool  // registries of packages of others
	wrong   []error
}

// walk follows everything from one declaration.
func (ds *declarations) walk(start *decl) *reach {
	r := &reach{
		declarations: ds, seen: map[*decl]bool{}, pkgs: map[string]bool{}, modules: map[string]bool{},
		parts: map[string]bool{}, holders: map[*holder]bool{}, dynamic: map[*decl]bool{}, inits: map[*decl]bool{},
		effects: map[string]bool{}, asked: map[*decl]bool{},
	}
	r.parts["Error"] = true // error is an interface of the language, which nobody writes down
	r.imported("runtime")
	for _, p := range ds.engine {
		r.parts[p] = true
	}
	r.add(start)
	for {
		for len(r.todo) > 0 {
			d := r.todo[len(r.todo)-1]
			r.todo = r.todo[:len(r.todo)-1]
			r.from(d)
		}
		r.linked(start.pkg)
		r.methods()
		r.initializers()
		if len(r.todo) == 0 {
			return r
		}
	}
}

func (r *reach) add(d *decl) {
	if d != nil && !r.seen[d] {
		r.seen[d] = true
		r.todo = append(r.todo, d)
	}
}

// from takes in what one declaration says.
func (r *reach) from(d *decl) {
	for _, v := range d.versions {
		for _, p := range v.pieces {
			r.add(p.to)
		}
		for _, path := range v.outside {
			r.imported(path)
		}
		for _, d := range v.asks {
			r.asked[d] = true
		}
		for _, p := range v.parts {
			r.parts[p] = true
		}
		for _, h := range v.holders {
			r.holders[h] = true
		}
		r.wrong = append(r.wrong, v.wrong...)
		r.all = r.all || v.allTypes
		r.names = r.names || v.typeName
	}
	if d.pkg != nil {
		r.enter(d.pkg)
	}
}

// methods adds those that can be called through an interface: of every type that
// is reached and has all methods of a part of an interface that is reached.
func (r *reach) methods() {
	for h := range r.holders {
		if r.all {
			for _, d := range h.methods {
				r.dispatched(d)
			}
			continue
		}
		for p := range r.parts {
			if h.has(p) {
				for name := range strings.FieldsSeq(p) {
					r.dispatched(h.methods[name])
				}
			}
		}
	}
}

func (r *reach) dispatched(d *decl) {
	if d != nil {
		r.dynamic[d] = true
		r.add(d)
	}
}

// imported takes in a package of somebody else's: the versions of the modules that
// it is made from, and the interfaces that its code may call through.
func (r *reach) imported(path string) {
	if path == "text/template" || path == "html/template" {
		r.all = true
	}
	if r.pkgs[path] {
		return
	}
	r.pkgs[path] = true
	q := r.program.all[path]
	if q == nil { // imported for another platform only
		if m := r.moduleOf(path); m != "" {
			r.modules[m] = true
		} else if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			r.wrong = append(r.wrong, errors.New("package "+path+", which another platform uses, is of no module that go list names"))
		}
		return
	}
	for _, dep := range append(q.Deps, path) {
		d := r.program.all[dep]
		if d == nil {
			continue
		}
		for _, p := range d.parts {
			r.parts[p] = true
		}
		if d.Module != nil && !d.ours() {
			r.modules[d.Module.String()] = true
		}
	}
}

// moduleOf is the module that a package would belong to.
func (p *program) moduleOf(path string) string {
	best, name := "", ""
	for _, q := range p.all {
		if m := q.Module; m != nil && !q.ours() && strings.HasPrefix(path+"/", m.Path+"/") && len(m.Path) > len(best) {
			best, name = m.Path, m.String()
		}
	}
	return name
}

// enter takes in what runs by itself as soon as a package is linked in.
func (r *reach) enter(q *pkg) {
	if r.pkgs[q.ImportPath] {
		return
	}
	r.pkgs[q.ImportPath] = true
	r.wrong = append(r.wrong, q.wrong...)
	for _, name := range q.blank() {
		if b := r.program.all[name]; b != nil && b.ours() {
			r.enter(b)
		} else {
			r.imported(name)
			r.effect(name)
		}
	}
	for _, d := range r.declarations.inits[q] {
		r.inits[d] = true
		r.add(d)
	}
}

// blank are the packages that a package imports for their effects alone.
func (q *pkg) blank() (names []string) {
	for _, f := range q.files {
		for _, spec := range f.Imports {
			if spec.Name != nil && spec.Name.Name == "_" {
				names = append(names, strings.Trim(spec.Path.Value, "`\""))
			}
		}
	}
	return names
}

// effect takes in a package of others that acts on others as soon as it is linked in. Packages embed and unsafe stand
// for what the compiler does.
func (r *reach) effect(name string) {
	if q := r.program.all[name]; name != "embed" && name != "unsafe" && (q == nil || !q.ours()) {
		r.imported(name)
		r.effects[name] = true
	}
}

// linked takes in the packages of others with such effects that the kind's package has linked in: those that a package
// of ours imports for them, and those that add to a registry that is asked.
func (r *reach) linked(root *pkg) {
	for _, path := range append(slices.Clip(root.Deps), root.ImportPath) {
		q := r.program.all[path]
		if q == nil {
			continue
		}
		if q.ours() {
			for _, name := range q.blank() {
				r.effect(name)
			}
		}
		for _, adds := range q.adds {
			if d := r.registries[adds]; d != nil && r.asked[d] {
				r.effect(path)
			}
		}
	}
}

// initializers adds what may write a variable that is reached when the program
// starts, wherever it stands.
func (r *reach) initializers() {
	for _, d := range r.starts {
		if r.seen[d] {
			continue
		}
		for v := range r.written(d) {
			if r.seen[v] || r.asked[v] {
				r.inits[d] = true
				r.add(d)
				break
			}
		}
	}
}

// written are the variables that a declaration may write, itself or in what it
// mentions and the methods of types in it.
func (ds *declarations) written(start *decl) map[*decl]bool {
	if w, known := ds.writtenBy[start]; known {
		return w
	}
	w := map[*decl]bool{}
	seen := map[*decl]bool{start: true}
	for todo := []*decl{start}; len(todo) > 0; {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		add := func(d *decl) {
			if d != nil && !seen[d] {
				seen[d] = true
				todo = append(todo, d)
			}
		}
		for _, v := range d.versions {
			for _, x := range v.writes {
				w[x] = true
			}
			for _, p := range v.pieces {
				add(p.to)
			}
			for _, h := range v.holders {
				for _, m := range h.methods {
					add(m)
				}
			}
		}
	}
	delete(w, start)
	ds.writtenBy[start] = w
	return w
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
