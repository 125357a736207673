package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
)

// note takes in what a piece of source says beside its text: packages of others,
// types with methods, interfaces, variables that it may write, and whether names
// of methods or types can be had in another way than by mentioning them.
func (r *reader) note(node ast.Node) {
	info, v := r.file.info, r.v
	harmless := map[ast.Node]bool{} // texts of errors and panics, which are in no result
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			obj := info.Uses[n]
			if obj == nil || obj.Pkg() == nil {
				break
			}
			path := obj.Pkg().Path()
			if name, ok := obj.(*types.PkgName); ok {
				path = name.Imported().Path()
			}
			if q := r.all[path]; q == nil || !q.ours() {
				v.outside = append(v.outside, path)
			}
			if f, ok := obj.(*types.Func); ok {
				v.allTypes = v.allTypes || callsByName[f.FullName()]
				v.typeName = v.typeName || tellsNames[f.FullName()] && !harmless[n]
				if adds := asks[f.FullName()]; adds != "" {
					v.asks = append(v.asks, r.registry(adds))
				}
				if registers[f.FullName()] {
					v.writes = append(v.writes, r.registry(f.FullName()))
				}
			}
		case *ast.InterfaceType:
			if p := part(n); p != "" {
				v.parts = append(v.parts, p)
			}
		case *ast.TypeSpec:
			if obj := info.Defs[n.Name]; obj != nil {
				r.holds(obj.Type())
			}
		case *ast.StructType:
			r.holds(info.Types[n].Type)
		case *ast.BasicLit:
			if n.Kind == token.STRING && !harmless[n] {
				v.typeName = v.typeName || printsTypes(n.Value)
			}
		case *ast.CallExpr:
			if isError(info, n) {
				for _, a := range n.Args {
					ast.Inspect(a, func(n ast.Node) bool {
						harmless[n] = true
						return true
					})
				}
			}
			v.typeName = v.typeName || !harmless[n] && formatsType(info, n)
			r.callWrites(n)
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, x := range n.Lhs {
					r.writes(x)
				}
			}
		case *ast.IncDecStmt:
			r.writes(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				r.writes(n.Key)
				r.writes(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				r.writes(n.X)
			}
		}
		return true
	})
}

// callsByName are functions that call methods by names which the source may not
// show; text/template and html/template do too.
var callsByName = map[string]bool{
	"(reflect.Value).Method": true, "(reflect.Value).MethodByName": true,
	"(reflect.Type).Method": true, "(reflect.Type).MethodByName": true,
}

// tellsNames are functions that tell the name of a type or function.
var tellsNames = map[string]bool{
	"(reflect.Type).Name": true, "(reflect.Type).String": true, "(reflect.Type).PkgPath": true,
	"(*runtime.Func).Name": true, "runtime.CallersFrames": true, "runtime/debug.Stack": true,
}

// asks are functions whose results depend on what packages have registered as soon as they are linked in, with the
// functions that register it.
var asks = map[string]string{
	"image.Decode": "image.RegisterFormat", "image.DecodeConfig": "image.RegisterFormat",
	"(crypto.Hash).New": "crypto.RegisterHash", "(crypto.Hash).Available": "crypto.RegisterHash",
}

var registers = lists.Set(slices.Collect(maps.Values(asks)))

// registry is the variable that a function of others adds to.
func (ds *declarations) registry(adds string) *decl {
	if ds.registries[adds] == nil {
		ds.registries[adds] = &decl{name: adds}
	}
	return ds.registries[adds]
}

// printsTypes reports whether a format prints names of types.
func printsTypes(literal string) bool {
	s, err := strconv.Unquote(literal)
	if err != nil {
		return false
	}
	for i := strings.IndexByte(s, '%'); i >= 0; {
		s = s[i+1:]
		verb := strings.TrimLeft(s, "+-# 0123456789.[]*")
		if verb != "" && (verb[0] == 'T' || verb[0] == 'v' && strings.Contains(s[:len(s)-len(verb)], "#")) {
			return true
		}
		s = strings.TrimPrefix(verb, "%")
		i = strings.IndexByte(s, '%')
	}
	return false
}

// formatsType reports whether a call of package fmt is given a reflect.Type.
func formatsType(info *types.Info, call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || isError(info, call) {
		return false
	}
	if f := info.Uses[s.Sel]; f == nil || f.Pkg() == nil || f.Pkg().Path() != "fmt" {
		return false
	}
	for _, a := range call.Args {
		if t := info.Types[a].Type; t != nil && t.String() == "reflect.Type" {
			return true
		}
	}
	return false
}

func isError(info *types.Info, call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		b, ok := info.Uses[f].(*types.Builtin)
		return ok && b.Name() == "panic"
	case *ast.SelectorExpr:
		o, ok := info.Uses[f.Sel].(*types.Func)
		return ok && o.FullName() == "fmt.Errorf"
	}
	return false
}

// callWrites notes the variables that a call may write: one whose method it is,
// and what is handed over by reference.
func (r *reader) callWrites(call *ast.CallExpr) {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		r.writes(s.X)
	}
	for _, a := range call.Args {
		t := r.file.info.Types[a].Type
		if t == nil {
			continue
		}
		switch t.Underlying().(type) {
		case *types.Slice, *types.Map, *types.Pointer, *types.Chan, *types.Interface:
			r.writes(a)
		}
	}
}

// writes notes the variable at package level that an expression is part of.
func (r *reader) writes(x ast.Expr) {
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.SliceExpr:
			x = e.X
		case *ast.SelectorExpr:
			if id, ok := e.X.(*ast.Ident); ok {
				if _, ok := r.file.info.Uses[id].(*types.PkgName); ok {
					x = e.Sel
					continue
				}
			}
			x = e.X
		case *ast.Ident:
			if o, ok := r.file.info.Uses[e].(*types.Var); ok {
				if p, ok := r.at[o.Pos()]; ok {
					r.v.writes = append(r.v.writes, p.to)
				}
			}
			return
		default:
			return
		}
	}
}

// part is the names of the methods that the literal of an interface asks for
// itself, sorted. Those of interfaces in it are parts of their own: who has all
// methods of an interface has those of its parts.
func part(i *ast.InterfaceType) string {
	var names []string
	for _, m := range i.Methods.List {
		for _, id := range m.Names {
			names = append(names, id.Name)
		}
	}
	return joinSorted(names)
}
