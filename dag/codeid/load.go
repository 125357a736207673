package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A listed package is what go list tells of one.
type listed struct {
	ImportPath, Name, Dir string
	Standard              bool
	GoFiles               []string
	IgnoredGoFiles        []string // for other platforms
	IgnoredOtherFiles     []string
	SFiles, HFiles        []string
	EmbedFiles            []string
	ImportMap             map[string]string
	Deps                  []string
	Module                *module
	Error                 *struct{ Err string }
}

type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// ours tells whether the package's source is followed: that of the main module,
// and of modules that stand in its place in a directory and so have no version.
func (l *listed) ours() bool {
	m := l.Module
	return m != nil && (m.Main || m.Replace != nil && m.Replace.Version == "")
}

// A pkg is one package, checked. Of packages that are not ours only the
// declarations are, without what stands in the bodies of functions.
type pkg struct {
	*listed
	types  *types.Package
	files  []*ast.File
	info   *types.Info
	source map[string][]byte // by file name
	asked  map[string]bool   // the names of methods that its interfaces ask for
}

// A program is the package of the stage kinds and all that it imports.
type program struct {
	fset *token.FileSet
	root *pkg
	all  map[string]*pkg // by import path
	// asked are the names of all methods that some interface asks for: no other
	// method can be called without being mentioned, but by reflection.
	asked map[string]bool
}

// platform is the one that the identities are computed for, wherever the
// program runs; what other platforms have in its place is taken in by name (see
// otherPlatforms).
var platform = []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}

// A loader reads programs. It keeps the packages of the standard library, for
// those who read more than one.
type loader struct {
	fset     *token.FileSet
	standard map[string]*pkg
}

func newLoader() *loader {
	return &loader{fset: token.NewFileSet(), standard: map[string]*pkg{}}
}

func (l *loader) load(dir string) (*program, error) {
	list, err := goList(dir)
	if err != nil {
		return nil, err
	}
	p := &program{fset: l.fset, all: make(map[string]*pkg, len(list)), asked: map[string]bool{}}
	pkgs, err := l.parse(list)
	if err != nil {
		return nil, err
	}
	for i, q := range pkgs {
		if i == len(pkgs)-1 || q.ours() && slices.Contains(q.GoFiles, generatedFile) {
			if err := q.standIn(p.fset); err != nil {
				return nil, err
			}
		}
	}
	for _, q := range pkgs { // each after those that it imports
		if q.types == nil {
			if err := p.check(q); err != nil {
				return nil, err
			}
		}
		if q.Standard {
			l.standard[q.ImportPath] = q
		}
		p.all[q.ImportPath] = q
		p.root = q
		maps.Copy(p.asked, q.asked)
	}
	return p, nil
}

func goList(dir string) ([]*listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Name,Dir,Standard,GoFiles,IgnoredGoFiles,IgnoredOtherFiles,SFiles,HFiles,EmbedFiles,ImportMap,Deps,Module,Error", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), platform...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", dir, err, &stderr)
	}
	var list []*listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		l := new(listed)
		if err := d.Decode(l); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list in %s: %w", dir, err)
		}
		if l.Error != nil {
			return nil, errors.New(l.Error.Err)
		}
		list = append(list, l)
	}
}

// parse reads the files of all packages, several at once.
func (l *loader) parse(list []*listed) ([]*pkg, error) {
	pkgs := make([]*pkg, len(list))
	errs := make([]error, len(list))
	var wait sync.WaitGroup
	few := make(chan struct{}, 8)
	for i, of := range list {
		if pkgs[i] = l.standard[of.ImportPath]; pkgs[i] != nil {
			continue
		}
		few <- struct{}{}
		wait.Go(func() {
			pkgs[i] = &pkg{listed: of, source: map[string][]byte{}, asked: map[string]bool{}}
			errs[i] = pkgs[i].parse(l.fset)
			<-few
		})
	}
	wait.Wait()
	return pkgs, errors.Join(errs...)
}

func (q *pkg) parse(fset *token.FileSet) error {
	mode := parser.SkipObjectResolution
	if q.ours() {
		mode |= parser.ParseComments // for go:embed
	}
	for _, name := range q.GoFiles {
		if name == generatedFile && q.ours() {
			continue
		}
		path := filepath.Join(q.Dir, name)
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, path, src, mode)
		if err != nil {
			return err
		}
		q.files = append(q.files, f)
		ast.Inspect(f, q.ask)
		if q.ours() {
			q.source[path] = src
		}
	}
	return nil
}

func (q *pkg) ask(n ast.Node) bool {
	if i, ok := n.(*ast.InterfaceType); ok {
		for _, m := range i.Methods.List {
			for _, id := range m.Names {
				q.asked[id.Name] = true
			}
		}
	}
	return true
}

// standIn declares what the generated file declares, which is itself not read:
// it may be missing, or hold the marks of a merge.
func (q *pkg) standIn(fset *token.FileSet) error {
	src := []byte("package " + q.Name + "\n\nvar codes map[string]string\n")
	path := filepath.Join(q.Dir, generatedFile)
	f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	q.files = append(q.files, f)
	q.source[path] = src
	return err
}

func (p *program) check(q *pkg) error {
	if q.ImportPath == "unsafe" {
		q.types = types.Unsafe
		return nil
	}
	var wrong []error
	conf := types.Config{
		IgnoreFuncBodies: !q.ours(),
		Importer:         importer{p, q},
		Sizes:            types.SizesFor("gc", "amd64"),
		Error: func(err error) {
			if q.ours() {
				wrong = append(wrong, err)
			}
		},
	}
	if q.ours() {
		q.info = &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	}
	q.types, _ = conf.Check(q.ImportPath, p.fset, q.files, q.info)
	return errors.Join(wrong...)
}

// An importer finds the packages that one package imports among those checked
// before it.
type importer struct {
	p *program
	q *pkg
}

func (i importer) Import(path string) (*types.Package, error) {
	if to, ok := i.q.ImportMap[path]; ok {
		path = to
	}
	if q := i.p.all[path]; q != nil {
		return q.types, nil
	}
	return nil, fmt.Errorf("package %s was not listed", path)
}

// modules lists the modules that a package of somebody else's is made from,
// itself and what it imports: "gonum.org/v1/gonum v0.17.0".
func (p *program) modules(path string) []string {
	var list []string
	for _, dep := range append([]string{path}, p.all[path].Deps...) {
		d := p.all[dep]
		if d == nil || d.Module == nil || d.ours() {
			continue
		}
		m := d.Module
		name := m.Path
		if m.Replace != nil {
			m = m.Replace
			name += " => " + m.Path
		}
		list = append(list, strings.TrimSpace(name+" "+m.Version))
	}
	return list
}
