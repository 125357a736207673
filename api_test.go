package prgnn_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"prgnn/internal/need"
	"prgnn/internal/version"
)

var update = flag.Bool("update", false, "write docs/api.txt")

// promised are the packages whose exported declarations docs/versions.md promises: all of them, or those of these
// names (NAME{} is a type without its methods).
var promised = map[string][]string{
	"artifacts": nil, "artifacts/disk": {"Open", "Store"}, "artifacts/encoding": nil, "dag": nil, "dag/engine": nil,
	"cmd/pipeline/cli": {"Main"}, "numeric/dense": nil, "numeric/exact": nil, "numeric/random": nil, "pipelines": nil,
	"stages/builtin": nil, "stages/cohort": {"Loader", "Register", "Roster{}", "Run", "Source", "Subject{}"},
	"stages/role": nil,
}

// TestAPI compares the exported declarations of these packages with docs/api.txt. A line that goes or changes breaks
// programs of others, and waits for the next major version. Additions pass.
func TestAPI(t *testing.T) {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(promised)) {
		all = append(all, exported(t, path, promised[path])...)
	}
	const golden = "docs/api.txt"
	text := strings.Join(all, "\n") + "\n"
	if *update {
		need.NoError(t, os.WriteFile(golden, []byte(text), 0o666))
	}
	had := strings.Split(strings.TrimSuffix(read(t, golden), "\n"), "\n")
	for _, line := range had {
		if !slices.Contains(all, line) {
			t.Errorf("gone: %s", line)
		}
	}
	if t.Failed() {
		t.Log("docs/versions.md states what may change; go test . -run TestAPI -update writes docs/api.txt")
	}
}

// TestDocumentationIsShort: one reads the documentation of a package in ten minutes.
func TestDocumentationIsShort(t *testing.T) {
	const most = 400 // lines
	for _, path := range []string{"artifacts", "dag"} {
		text := need.Value(exec.Command("go", "doc", "-all", "./"+path).Output())(t)
		if n := bytes.Count(text, []byte("\n")); n > most {
			t.Errorf("go doc -all ./%s prints %d lines, more than %d: the package has more than one idea", path, n, most)
		}
	}
}

// TestModule: the path of the module is that of internal/version.
func TestModule(t *testing.T) {
	need.Equal(t, modfile.ModulePath([]byte(read(t, "go.mod"))), version.Module)
}

var (
	blanks   = regexp.MustCompile(`\s+`)
	comments = regexp.MustCompile(`//[^\n]*`)
)

// exported lists the exported declarations of a package for Linux, one a line: each function and method, each field of
// a struct, each method of an interface. If names are given, only theirs.
func exported(t *testing.T, path string, names []string) (lines []string) {
	t.Helper()
	platform := build.Default
	platform.GOOS, platform.GOARCH = "linux", "amd64"
	p := need.Value(platform.ImportDir(filepath.FromSlash(path), 0))(t)
	set := token.NewFileSet()
	add := func(prefix string, node any) {
		var b bytes.Buffer
		need.NoError(t, printer.Fprint(&b, set, node))
		lines = append(lines, path+": "+prefix+strings.TrimSpace(blanks.ReplaceAllString(
			comments.ReplaceAllString(b.String(), " "), " ")))
	}
	wanted := func(name string) bool { return names == nil || slices.Contains(names, name) }
	for _, name := range p.GoFiles {
		f := need.Value(parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution))(t)
		ast.FileExports(f)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				owner := d.Name.Name
				if d.Recv != nil {
					owner = strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*")
				}
				if !ast.IsExported(owner) || !wanted(owner) {
					continue
				}
				add("", &ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type})
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						for _, name := range s.Names {
							if wanted(name.Name) {
								add(d.Tok.String()+" ", name)
							}
						}
					case *ast.TypeSpec:
						if !wanted(s.Name.Name) && !wanted(s.Name.Name+"{}") {
							continue
						}
						members, kind := (*ast.FieldList)(nil), ""
						switch of := s.Type.(type) {
						case *ast.StructType:
							members, kind = of.Fields, " struct"
						case *ast.InterfaceType:
							members, kind = of.Methods, " interface"
						}
						if members == nil {
							add("type ", s)
							continue
						}
						add("type ", ast.NewIdent(s.Name.Name+kind))
						for _, m := range members.List {
							if len(m.Names) == 0 {
								add("type "+s.Name.Name+kind+", ", m.Type)
							}
							for _, name := range m.Names {
								add("type "+s.Name.Name+kind+", "+name.Name+" ", m.Type)
							}
						}
					}
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
