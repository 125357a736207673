package listing

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Place is where a declaration stands in the sources of this program, in its module ("gnn/pool.go:41"), with all its
// versions for different platforms. It is "" for a module, for a file as a whole, and without sources.
func Place(declaration string) string {
	var places []string
	for module, files := range sources {
		inside, ok := strings.CutPrefix(declaration, module)
		last, name, _ := strings.Cut(inside[strings.LastIndexByte(inside, '/')+1:], ".")
		if !ok || name == "" || inside[0] != '/' && inside[0] != '.' {
			continue
		}
		names, _ := fs.Glob(files, path.Join(".", path.Dir(inside), last, "*.go")) // the pattern is well-formed
		for _, file := range names {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, _ := fs.ReadFile(files, file) // in memory
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
			if err != nil {
				continue // for another version of Go
			}
			if at := find(f, name); at.IsValid() {
				places = append(places, fmt.Sprintf("%s:%d", file, set.Position(at).Line))
			}
		}
	}
	return strings.Join(places, ", ")
}

// find is the position of a declaration in a file ("Model.Forward"), or of a stage kind ("train.New").
func find(f *ast.File, name string) (at token.Pos) {
	kind, ofKind := strings.CutSuffix(name, ".New")
	first, _, _ := strings.Cut(name, ",") // one call may give several variables
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if FuncName(n) == name {
				at = n.Name.Pos()
			}
			return ofKind // what a function declares has no name outside
		case *ast.TypeSpec:
			if n.Name.Name == name {
				at = n.Pos()
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				if id.Name == first {
					at = id.Pos()
				}
			}
		case *ast.CompositeLit:
			if t, ok := n.Type.(*ast.SelectorExpr); !ok || t.Sel.Name != "Kind" {
				break
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if v, ok := kv.Value.(*ast.BasicLit); ok && v.Value == strconv.Quote(kind) {
						at = n.Pos()
					}
				}
			}
		}
		return true
	})
	return at
}

// FuncName is the name of a function, of a method behind that of its type.
func FuncName(d *ast.FuncDecl) string {
	if id := Receiver(d); id != nil {
		return id.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

// Receiver is the type that a method belongs to: the first name in the type of its receiver.
func Receiver(d *ast.FuncDecl) (id *ast.Ident) {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return nil
	}
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && id == nil {
			id = name
		}
		return id == nil
	})
	return id
}
