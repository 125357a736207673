package main

import (
	"crypto/sha256"
	"go/ast"
	"go/types"
	"path"
	"path/filepath"
	"strings"
)

// A unit is one declaration, or one file that counts as a whole.
type unit struct {
	name   string // "prgnn/gnn.Model.Forward"
	file   string // "prgnn/gnn/model.go"
	digest [sha256.Size]byte
}

// walk follows everything from one declaration.
func (p *program) walk(start *decl, decls map[types.Object]*decl, allMethods bool) *reach {
	r := &reach{
		program: p, decls: decls, allMethods: allMethods,
		seen: map[ast.Node]bool{}, pkgs: map[*pkg]bool{}, modules: map[string]bool{},
	}
	for r.todo = []*decl{start}; len(r.todo) > 0; {
		d := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		r.from(d)
	}
	r.otherPlatforms()
	return r
}

// A reach is the walk from one kind.
type reach struct {
	*program
	allMethods bool // of types that are reached, whether an interface asks for them or not
	reflects   bool // something is reached that calls methods by names in texts
	decls      map[types.Object]*decl
	todo       []*decl
	seen       map[ast.Node]bool
	pkgs       map[*pkg]bool
	modules    map[string]bool
	units      []unit
	wrong      []error
}

// from takes in one declaration and what it mentions.
func (r *reach) from(d *decl) {
	if r.seen[d.node] {
		return
	}
	r.seen[d.node] = true
	r.enter(d.pkg)
	text := d.pkg.canonical(r.fset, bare(d.node))
	if c := constantOf(d); c != "" {
		text = []byte(c)
	}
	r.add(d, text)
	r.mentions(d.pkg, d.node)
	switch n := d.node.(type) {
	case *ast.FuncDecl:
		if n.Body == nil {
			r.assembly(d)
		}
	case *ast.ValueSpec:
		r.embedded(d, n)
	case *ast.TypeSpec:
		if named, ok := d.pkg.info.Defs[n.Name].Type().(*types.Named); ok {
			for i := range named.NumMethods() {
				if m := named.Method(i); r.allMethods || r.asked[m.Name()] {
					r.object(m)
				}
			}
		}
	}
}

func (r *reach) add(d *decl, text []byte) {
	file := r.fset.Position(d.node.Pos()).Filename
	r.units = append(r.units, unit{
		name:   d.pkg.ImportPath + "." + d.name,
		file:   path.Join(d.pkg.ImportPath, filepath.Base(file)),
		digest: sha256.Sum256(text),
	})
}

// mentions follows every name in a piece of source.
func (r *reach) mentions(q *pkg, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			r.object(q.info.Uses[id])
		}
		return true
	})
}

func (r *reach) object(obj types.Object) {
	switch o := obj.(type) {
	case nil:
		return
	case *types.Func:
		obj = o.Origin()
	case *types.PkgName:
		r.imported(o.Imported().Path())
		return
	}
	if d := r.decls[obj]; d != nil {
		r.todo = append(r.todo, d)
	} else if obj.Pkg() != nil {
		r.imported(obj.Pkg().Path())
	}
}

// imported takes in the version of a package of somebody else's.
func (r *reach) imported(path string) {
	if path == "text/template" || path == "html/template" {
		r.reflects = true
	}
	if q := r.all[path]; q == nil || q.Standard || q.ours() || r.pkgs[q] {
		return
	} else {
		r.pkgs[q] = true
	}
	for _, m := range r.program.modules(path) {
		r.modules[m] = true
	}
}

// enter takes in what runs by itself as soon as a package is linked in.
func (r *reach) enter(q *pkg) {
	if r.pkgs[q] {
		return
	}
	r.pkgs[q] = true
	for _, f := range q.files {
		for _, spec := range f.Imports {
			if spec.Name != nil && spec.Name.Name == "_" {
				name := strings.Trim(spec.Path.Value, "`\"")
				if b := r.all[name]; b != nil && b.ours() {
					r.enter(b)
				} else {
					r.imported(name)
				}
			}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					r.initialiser(q, d)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && v.Names[0].Name == "_" && q.calls(v) {
						r.todo = append(r.todo, &decl{pkg: q, name: "_", node: v, decl: d})
					}
				}
			}
		}
	}
}

// initialiser takes in an init function. Of those of the kinds' own package, the
// statements that register something are left out.
func (r *reach) initialiser(q *pkg, d *ast.FuncDecl) {
	if q != r.root {
		r.todo = append(r.todo, &decl{pkg: q, name: "init", node: d})
		return
	}
	for _, s := range d.Body.List {
		if e, ok := s.(*ast.ExprStmt); ok {
			if call, ok := e.X.(*ast.CallExpr); ok && strings.HasPrefix(calledName(call), "Register") {
				continue
			}
		}
		r.todo = append(r.todo, &decl{pkg: q, name: "init", node: s})
	}
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// calls tells whether a piece of source calls a function (a conversion is none).
func (q *pkg) calls(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && !q.info.Types[c.Fun].IsType() {
			found = true
		}
		return true
	})
	return found
}
