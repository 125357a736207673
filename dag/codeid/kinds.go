package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"slices"
	"strings"

	"prgnn/dag/listing"
)

// A kind is one stage kind that a package declares.
type kind struct {
	name     string
	in       *pkg
	identity string
	decls    []*decl // by name
	modules  []string
	effects  []string // imports with an effect on other packages
}

// kinds finds the literals of type dag.Kind in a root package and in those inside it
// that it imports, and follows each.
func (ds *declarations) kinds(root *pkg) ([]kind, error) {
	var kinds []kind
	var wrong []error
	for path, q := range ds.all {
		if q != root && !strings.HasPrefix(path, root.ImportPath+"/") {
			continue
		}
		more, err := ds.kindsIn(q)
		for _, k := range more {
			if slices.ContainsFunc(kinds, func(o kind) bool { return o.name == k.name }) {
				wrong = append(wrong, fmt.Errorf("%s: a second stage kind %q", path, k.name))
			}
		}
		for i := range more {
			if more[i].in = root; slices.Contains(q.embedPatterns(), listing.CodeFile) {
				more[i].in = q // whose kinds a program may have without the others
			}
		}
		kinds, wrong = append(kinds, more...), append(wrong, err)
	}
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.name, b.name) })
	return kinds, errors.Join(wrong...)
}

func (ds *declarations) kindsIn(root *pkg) ([]kind, error) {
	var kinds []kind
	var wrong []error
	for _, f := range root.files {
		if !f.here {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || !isDagType(f.info.Types[lit].Type, "Kind") {
				return true
			}
			k, err := ds.follow(root, f, lit)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", ds.fset.Position(lit.Pos()), err))
			}
			if slices.ContainsFunc(kinds, func(o kind) bool { return o.name == k.name }) {
				wrong = append(wrong, fmt.Errorf("%s: a second stage kind %q", ds.fset.Position(lit.Pos()), k.name))
			}
			kinds = append(kinds, k)
			return true
		})
	}
	return kinds, errors.Join(wrong...)
}

// eachLiteral is the remedy for kinds that a function makes.
const eachLiteral = ": write a literal dag.Kind{Name: …, New: …} for each kind, in place of a function that makes kinds"

func (ds *declarations) follow(root *pkg, f *file, lit *ast.CompositeLit) (kind, error) {
	var name string
	var make ast.Expr
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return kind{}, errors.New("the fields of a stage kind must be named")
		}
		switch keyName(kv) {
		case "Name":
			v := f.info.Types[kv.Value].Value
			if v == nil || v.Kind() != constant.String {
				return kind{}, errors.New("the name of a stage kind must be a constant" + eachLiteral)
			}
			name = constant.StringVal(v)
		case "New":
			make = kv.Value
		}
	}
	if name == "" || make == nil {
		return kind{}, errors.New("a stage kind needs a Name and a New" + eachLiteral)
	}
	if strings.ContainsAny(name, " \n`") {
		return kind{}, fmt.Errorf("%q is no name for a stage kind", name)
	}
	start := ds.new(root, name+".New", make.Pos())
	ds.read(source{to: start, pkg: root, file: f, nodes: []ast.Node{make}})
	r := ds.walk(start)
	if err := errors.Join(r.wrong...); err != nil {
		return kind{name: name}, err
	}
	k := kind{name: name, identity: r.identity(start), modules: sorted(r.modules), effects: sorted(r.effects)}
	for d := range r.seen {
		k.decls = append(k.decls, d)
	}
	slices.SortFunc(k.decls, compareDecls)
	return k, nil
}

func compareDecls(a, b *decl) int {
	if c := strings.Compare(a.name, b.name); c != 0 {
		return c
	}
	return strings.Compare(a.digest(), b.digest())
}
