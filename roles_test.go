package prgnn_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// TestKindsAreAskedByRoles: pipelines, cmd and stages assert no interface of their own, so that renaming a method of a
// kind does not build, in place of switching a check off. What they ask of a kind is declared in dag and stages/role.
func TestKindsAreAskedByRoles(t *testing.T) {
	set := token.NewFileSet()
	files := map[string][]*ast.File{} // by package
	for _, root := range []string{"pipelines", "cmd", "stages"} {
		need.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			files[filepath.Dir(path)] = append(files[filepath.Dir(path)], f)
			return err
		}))
	}
	for dir, all := range files {
		own := map[string]bool{}
		for _, f := range all {
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.TypeSpec); ok {
					_, own[s.Name.Name] = s.Type.(*ast.InterfaceType)
				}
				return true
			})
		}
		refuse := func(e ast.Expr) {
			literal, ok := e.(*ast.InterfaceType)
			id, named := e.(*ast.Ident)
			switch {
			case ok && len(literal.Methods.List) > 0 && literal.Methods.List[0].Names[0].Name != "Unwrap":
				t.Errorf("%s asserts an interface: declare it as a role in stages/role", set.Position(e.Pos()))
			case named && own[id.Name] && dir != filepath.Join("stages", "role"):
				t.Errorf("%s asserts %s: declare it as a role in stages/role", set.Position(e.Pos()), id.Name)
			}
		}
		for _, f := range all {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeAssertExpr:
					refuse(n.Type)
				case *ast.TypeSwitchStmt:
					for _, clause := range n.Body.List {
						for _, e := range clause.(*ast.CaseClause).List {
							refuse(e)
						}
					}
				}
				return true
			})
		}
	}
}
