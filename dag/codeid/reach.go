package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A kind is one stage kind that the root package declares.
type kind struct {
	name    string
	units   []unit
	modules []string
}

// A unit is one declaration, or one file that counts as a whole.
type unit struct {
	name   string // "prgnn/gnn.Model.Forward"
	file   string // "prgnn/gnn/model.go"
	digest [sha256.Size]byte
}

// A decl is where an object of one of our packages is declared.
type decl struct {
	pkg  *pkg
	name string
	node ast.Node // what counts: a function, or one spec of a group
	decl *ast.GenDecl
}

// kinds finds the literals of type dag.Kind in the root package and follows each.
func (p *program) kinds() ([]kind, error) {
	decls := p.declarations()
	var kinds []kind
	var wrong []error
	for _, f := range p.root.files {
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || !isDagType(p.root.info.Types[lit].Type, "Kind") {
				return true
			}
			k, err := p.follow(lit, decls)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", p.fset.Position(lit.Pos()), err))
			}
			if slices.ContainsFunc(kinds, func(o kind) bool { return o.name == k.name }) {
				wrong = append(wrong, fmt.Errorf("%s: a second stage kind %q", p.fset.Position(lit.Pos()), k.name))
			}
			kinds = append(kinds, k)
			return true
		})
	}
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.name, b.name) })
	return kinds, errors.Join(wrong...)
}

func (p *program) follow(lit *ast.CompositeLit, decls map[types.Object]*decl) (kind, error) {
	var name string
	var make ast.Expr
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return kind{}, errors.New("the fields of a stage kind must be named")
		}
		switch keyName(kv) {
		case "Name":
			v := p.root.info.Types[kv.Value].Value
			if v == nil || v.Kind() != constant.String {
				return kind{}, errors.New("the name of a stage kind must be a constant")
			}
			name = constant.StringVal(v)
		case "New":
			make = kv.Value
		}
	}
	if name == "" || make == nil {
		return kind{}, errors.New("a stage kind needs a Name and a New")
	}
	start := &decl{pkg: p.root, name: name + "'s New", node: make}
	r := p.walk(start, decls, false)
	if r.reflects {
		r = p.walk(start, decls, true)
	}
	if err := errors.Join(r.wrong...); err != nil {
		return kind{name: name}, err
	}
	slices.SortFunc(r.units, func(a, b unit) int {
		return strings.Compare(a.file+"\x00"+a.name, b.file+"\x00"+b.name)
	})
	mods := slices.Collect(func(yield func(string) bool) {
		for m := range r.modules {
			if !yield(m) {
				return
			}
		}
	})
	slices.Sort(mods)
	return kind{name: name, units: r.units, modules: mods}, nil
}

// declarations maps every object that our packages declare outside functions to
// its declaration.
func (p *program) declarations() map[types.Object]*decl {
	decls := map[types.Object]*decl{}
	for _, q := range p.all {
		if q.info == nil {
			continue
		}
		add := func(id *ast.Ident, name string, node ast.Node, group *ast.GenDecl) {
			if obj := q.info.Defs[id]; obj != nil {
				decls[obj] = &decl{pkg: q, name: name, node: node, decl: group}
			}
		}
		for _, f := range q.files {
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					add(d.Name, funcName(d), d, nil)
				case *ast.GenDecl:
					for _, s := range d.Specs {
						switch s := s.(type) {
						case *ast.TypeSpec:
							add(s.Name, s.Name.Name, s, d)
						case *ast.ValueSpec:
							for _, id := range s.Names {
								// The names of one spec are one declaration.
								add(id, s.Names[0].Name, s, d)
							}
						}
					}
				}
			}
		}
	}
	return decls
}

func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
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

// bare is a declaration without its documentation, which stands before the
// first token.
func bare(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.FuncDecl:
		c := *n
		c.Doc = nil
		return &c
	case *ast.TypeSpec:
		c := *n
		c.Doc = nil
		return &c
	case *ast.ValueSpec:
		c := *n
		c.Doc = nil
		return &c
	}
	return n
}

// constantOf is the text of a constant declaration: what its names are worth,
// since with iota that does not stand in the declaration.
func constantOf(d *decl) string {
	if d.decl == nil || d.decl.Tok != token.CONST {
		return ""
	}
	var b strings.Builder
	for _, id := range d.node.(*ast.ValueSpec).Names {
		if c, ok := d.pkg.info.Defs[id].(*types.Const); ok {
			fmt.Fprintf(&b, "const %s %s = %s\n", c.Name(), c.Type(), c.Val().ExactString())
		}
	}
	return b.String()
}
