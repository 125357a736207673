package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/dag/listing"
	"prgnn/internal/lists"
)

// A decl is what counts as one: a function, a type, a constant, a variable with
// its initializer (several where one call gives them), the expression New of a
// kind, or a file that is not Go. Declarations of one name for different
// platforms are one.
type decl struct {
	name     string // "prgnn/gnn.Model.Forward"
	short    string // "Forward"
	file     string // "gnn/model.go", in its module
	line     int    // 0 of a file as a whole
	versions []*version

	pkg      *pkg
	receiver *decl // the type that a method belongs to
	isType   bool
}

// A version is a declaration on some platforms.
type version struct {
	on     string // the platforms, "" for all
	pieces []piece
	facts
}

// A piece of a declaration is a text, or a mention of another declaration.
type piece struct {
	text string
	to   *decl
	sub  string // which name of it is meant, where it declares several
}

// facts are what a declaration says beside its text.
type facts struct {
	outside  []string // packages that are not ours
	holders  []*holder
	parts    []string // of interfaces
	allTypes bool     // methods may be called by names in texts
	typeName bool     // names of types may be printed
	writes   []*decl  // variables
	asks     []*decl  // registries of packages of others
	wrong    []error  // what codeid cannot see through
}

// A place is a name at package level: its declaration, and which of its names.
type place struct {
	to  *decl
	sub string
}

// A source is where one version of a declaration stands.
type source struct {
	to    *decl
	pkg   *pkg
	file  *file
	nodes []ast.Node
	group *ast.GenDecl
	drop  *ast.Ident // its own name
}

// declarations are all that our packages declare outside functions.
type declarations struct {
	*program
	at     map[token.Pos]place // by the position of the declaring name
	byName map[string]*decl
	inits  map[*pkg][]*decl // init functions and variables named _ that call something
	starts []*decl          // what may write variables when the program starts: inits and initializers
	of     []source
	files  map[string]*decl // that are not Go, by path
	match  *matcher
	engine []string // parts of the interfaces through which the engine calls stages

	registries map[string]*decl // of packages of others, by the function that adds to one

	writtenBy map[*decl]map[*decl]bool
}

func (p *program) declarations() *declarations {
	ds := &declarations{
		program: p, at: map[token.Pos]place{}, byName: map[string]*decl{}, inits: map[*pkg][]*decl{},
		files: map[string]*decl{}, match: newMatcher(), writtenBy: map[*decl]map[*decl]bool{},
		registries: map[string]*decl{},
	}
	ds.engine = p.engineParts()
	for _, q := range p.all {
		if !q.ours() {
			continue
		}
		for _, f := range q.files {
			for _, d := range f.Decls {
				ds.declare(q, f, d)
			}
		}
	}
	for i := range ds.of {
		if d, ok := ds.of[i].node().(*ast.FuncDecl); ok {
			if id := listing.Receiver(d); id != nil {
				ds.of[i].to.receiver = ds.byName[ds.of[i].pkg.ImportPath+"."+id.Name]
			}
		}
	}
	for _, s := range ds.of {
		ds.read(s)
	}
	for _, s := range ds.of {
		slices.SortStableFunc(s.to.versions, func(a, b *version) int { return cmp.Compare(a.on, b.on) })
	}
	return ds
}

// engineParts are the parts of interfaces in packages dag and engine and those of ours that
// they stand on: the engine asks a stage and its outputs for methods of them.
func (p *program) engineParts() []string {
	var parts []string
	for _, from := range []string{dagPath, enginePath} {
		if q := p.all[from]; q != nil {
			for _, path := range append(q.Deps, from) {
				if q := p.all[path]; q != nil && q.ours() {
					parts = append(parts, q.parts...)
				}
			}
		}
	}
	return parts
}

func (ds *declarations) declare(q *pkg, f *file, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "_") {
			if d.Name.Name == "init" {
				if nodes := q.initStatements(f, d); len(nodes) > 0 {
					ds.initial(q, f, "init", nodes, nil)
				}
			}
			return
		}
		to := ds.named(q, f, listing.FuncName(d), d.Name)
		ds.at[d.Name.Pos()] = place{to, ""}
		drop := d.Name
		if d.Recv != nil {
			drop = nil // the names of methods count
		}
		ds.of = append(ds.of, source{to, q, f, []ast.Node{d}, nil, drop})
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				to := ds.named(q, f, s.Name.Name, s.Name)
				to.isType = true
				ds.at[s.Name.Pos()] = place{to, ""}
				ds.of = append(ds.of, source{to, q, f, []ast.Node{s}, d, s.Name})
			case *ast.ValueSpec:
				ds.values(q, f, d, s)
			}
		}
	}
}

// values takes the names of one spec apart, unless one call gives them all.
func (ds *declarations) values(q *pkg, f *file, d *ast.GenDecl, s *ast.ValueSpec) {
	if d.Tok == token.VAR && len(s.Values) > 0 && len(s.Values) != len(s.Names) {
		names := lists.Map(s.Names, func(id *ast.Ident) string { return id.Name })
		to := ds.named(q, f, strings.Join(names, ","), s.Names[0])
		for i, id := range s.Names {
			ds.at[id.Pos()] = place{to, "." + string(rune('0'+i))}
		}
		ds.start(f, to, s.Values)
		ds.of = append(ds.of, source{to, q, f, []ast.Node{s}, d, nil})
		return
	}
	for i, id := range s.Names {
		var nodes []ast.Node
		if s.Type != nil {
			nodes = append(nodes, s.Type)
		}
		if i < len(s.Values) {
			nodes = append(nodes, s.Values[i])
		}
		if id.Name == "_" {
			if d.Tok == token.VAR && i < len(s.Values) && f.calls(s.Values[i]) {
				ds.initial(q, f, "_", nodes, d)
			}
			continue
		}
		to := ds.named(q, f, id.Name, id)
		ds.at[id.Pos()] = place{to, ""}
		if i < len(s.Values) {
			ds.start(f, to, s.Values[i:i+1])
		}
		src := source{to, q, f, nodes, d, id}
		ds.of = append(ds.of, src)
	}
}

// start notes a variable whose initializer calls something of ours.
func (ds *declarations) start(f *file, to *decl, values []ast.Expr) {
	for _, v := range values {
		if f.calls(v) {
			ds.starts = append(ds.starts, to)
			return
		}
	}
}

// initial adds what runs by itself: it has no name.
func (ds *declarations) initial(q *pkg, f *file, name string, nodes []ast.Node, group *ast.GenDecl) {
	to := ds.new(q, name, nodes[0].Pos())
	ds.inits[q] = append(ds.inits[q], to)
	ds.starts = append(ds.starts, to)
	ds.of = append(ds.of, source{to, q, f, nodes, group, nil})
}

func (ds *declarations) named(q *pkg, f *file, name string, id *ast.Ident) *decl {
	if to := ds.byName[q.ImportPath+"."+name]; to != nil {
		if f.here {
			to.file, to.line = ds.position(q, id.Pos())
		}
		return to
	}
	to := ds.new(q, name, id.Pos())
	ds.byName[to.name] = to
	return to
}

func (ds *declarations) new(q *pkg, name string, pos token.Pos) *decl {
	to := &decl{pkg: q, name: q.ImportPath + "." + name, short: name[strings.LastIndexByte(name, '.')+1:]}
	to.file, to.line = ds.position(q, pos)
	return to
}

// position is a place in the module of the package.
func (ds *declarations) position(q *pkg, pos token.Pos) (string, int) {
	at := ds.fset.Position(pos)
	return q.inModule(filepath.Base(at.Filename)), at.Line
}

func (q *pkg) inModule(name string) string {
	return path.Join(strings.TrimPrefix(strings.TrimPrefix(q.ImportPath, q.Module.Path), "/"), name)
}

// initStatements are those of an init function that count. Those that register stage kinds, cohort kinds, or
// something with package dag, do not: they would tie all kinds together.
func (q *pkg) initStatements(f *file, d *ast.FuncDecl) []ast.Node {
	var nodes []ast.Node
	for _, s := range d.Body.List {
		if e, ok := s.(*ast.ExprStmt); ok {
			if call, ok := e.X.(*ast.CallExpr); ok && strings.HasPrefix(calledName(call), "Register") &&
				(f.callsDag(call) || slices.ContainsFunc(call.Args, f.isKind)) {
				continue
			}
		}
		nodes = append(nodes, s)
	}
	return nodes
}

// callsDag reports whether a call is of a function of package dag.
func (f *file) callsDag(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of := f.info.Uses[s.Sel]
	return of != nil && of.Pkg() != nil && (of.Pkg().Path() == dagPath || of.Pkg().Path() == enginePath)
}

// isKind reports whether an expression is a dag.Kind, or of a type that has New like one (a cohort kind), or several.
func (f *file) isKind(e ast.Expr) bool {
	t := f.info.Types[e].Type
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if isDagType(t, "Kind") {
		return true
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range s.Fields() {
		if field.Name() == "New" {
			return true
		}
	}
	return false
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

// calls reports whether a piece of source calls a function when it is evaluated (a
// conversion is none).
func (f *file) calls(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if _, later := n.(*ast.FuncLit); later {
			return false
		}
		if c, ok := n.(*ast.CallExpr); ok && !f.info.Types[c.Fun].IsType() && !f.info.Types[c.Fun].IsBuiltin() {
			found = true
		}
		return true
	})
	return found
}

func (s source) node() ast.Node {
	if len(s.nodes) == 0 {
		return nil
	}
	return s.nodes[0]
}
