package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A decl is where an object of one of our packages is declared.
type decl struct {
	pkg  *pkg
	name string
	node ast.Node // what counts: a function, or one spec of a group
	decl *ast.GenDecl
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
