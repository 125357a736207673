package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A kind is one stage kind that the root package declares.
type kind struct {
	name    string
	units   []unit
	modules []string
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
	return kind{name: name, units: r.units, modules: slices.Sorted(maps.Keys(r.modules))}, nil
}
