package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	goversion "go/version"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"prgnn/dag/listing"
	"prgnn/internal/lists"
)

// A listed package is what go list tells of one.
type listed struct {
	ImportPath, Name, Dir string
	Standard              bool
	DepOnly               bool // imported by the packages asked for, and not one of them
	GoFiles               []string
	IgnoredGoFiles        []string // for other platforms
	IgnoredOtherFiles     []string
	SFiles, HFiles        []string
	EmbedFiles            []string
	ImportMap             map[string]string
	Deps                  []string
	Module                *module
	Error                 *struct{ Pos, Err string }
}

type module struct {
	Path, Version, Dir string
	Main               bool
	GoVersion          string // of its go line
	Replace            *module
}

// ours reports whether the package's source is followed: that of the main module,
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
	files  []*file // those of the platform of the identities, then those of others
	info   *types.Info
	parts  []string // of interfaces in it (see part)
	adds   []string // what its init functions mention of registers
	source map[string][]byte
	wrong  []error // what codeid cannot see through
	cgo    error   // the part of it that the package has in C
}

// A file is one Go file of a package.
type file struct {
	*ast.File
	name string
	on   string      // the platforms that it is for; "" for all
	here bool        // it is for the platform of the identities
	info *types.Info // of the check in which its names have a meaning
}

// A program is the packages of the stage kinds and all that they import.
type program struct {
	fset  *token.FileSet
	roots []*pkg
	all   map[string]*pkg // by import path
}

// platform is the one that the identities are computed on, wherever the program
// runs. What other platforms run in its place is part of them (see others).
var platform = []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}

// A loader reads programs. It keeps the packages that do not change, for those
// who read more than one program.
type loader struct {
	fset  *token.FileSet
	fixed map[string]*pkg
}

func newLoader() *loader {
	return &loader{fset: token.NewFileSet(), fixed: map[string]*pkg{}}
}

// load reads the packages in directories of one module.
func (l *loader) load(dirs ...string) (*program, error) {
	list, err := goList(dirs)
	if err != nil {
		return nil, err
	}
	p := &program{fset: l.fset, all: make(map[string]*pkg, len(list))}
	versions := map[string]string{}
	for _, of := range list {
		if m := of.Module; m != nil && !of.ours() {
			versions[of.ImportPath] = m.String()
		}
	}
	keys := lists.Map(list, func(of *listed) string { return of.fixedKey(versions) })
	pkgs, err := l.parse(list, keys)
	if err != nil {
		return nil, err
	}
	for i, q := range pkgs { // each after those that it imports
		p.all[q.ImportPath] = q
		if !list[i].DepOnly && q.ImportPath != enginePath {
			p.roots = append(p.roots, q)
		}
		if q.types != nil {
			continue
		}
		if err := p.check(q); err != nil {
			return nil, err
		}
		if keys[i] != "" {
			l.fixed[keys[i]] = q
		}
	}
	return p, nil
}

// fixedKey names a package that cannot change, by itself and by the versions of
// what it imports; "" when it can.
func (l *listed) fixedKey(versions map[string]string) string {
	if l.ours() {
		return ""
	}
	key := l.ImportPath
	for _, dep := range append(l.Deps, l.ImportPath) {
		if v, ok := versions[dep]; ok {
			key += "\n" + dep + " " + v
		}
	}
	return key
}

func (m *module) String() string {
	name := m.Path
	if m.Replace != nil {
		m = m.Replace
		name += " => " + m.Path
	}
	return strings.TrimSpace(name + " " + m.Version)
}

func goList(dirs []string) ([]*listed, error) {
	args := []string{"list", "-e", "-deps", "-json=ImportPath,Name,Dir,Standard,DepOnly,GoFiles,IgnoredGoFiles,IgnoredOtherFiles,SFiles,HFiles,EmbedFiles,ImportMap,Deps,Module,Error"}
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		args = append(args, abs)
	}
	args = append(args, enginePath)
	cmd := exec.Command("go", args...)
	cmd.Dir = dirs[0]
	cmd.Env = append(os.Environ(), platform...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	var list []*listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		l := new(listed)
		if err := d.Decode(l); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if l.Error != nil && l.ImportPath == enginePath && l.Name == "" { // the module has none
			continue
		}
		if e := l.Error; e != nil && !strings.Contains(e.Err, listing.CodeFile) &&
			!strings.Contains(e.Pos+e.Err, listing.SourcesFile) {
			return nil, errors.New(e.Err)
		}
		l.GoFiles = slices.DeleteFunc(l.GoFiles, func(name string) bool { return name == listing.SourcesFile })
		list = append(list, l)
	}
}

// parse reads the files of all packages, several at once.
func (l *loader) parse(list []*listed, keys []string) ([]*pkg, error) {
	pkgs := make([]*pkg, len(list))
	errs := make([]error, len(list))
	var wait sync.WaitGroup
	few := make(chan struct{}, 8)
	for i, of := range list {
		if q := l.fixed[keys[i]]; q != nil {
			again := *q // under the module as it is listed now
			again.listed = of
			pkgs[i] = &again
			continue
		}
		few <- struct{}{}
		wait.Go(func() {
			pkgs[i] = &pkg{listed: of, source: map[string][]byte{}}
			errs[i] = pkgs[i].parse(l.fset)
			<-few
		})
	}
	wait.Wait()
	return pkgs, errors.Join(errs...)
}

func (q *pkg) parse(fset *token.FileSet) error {
	mode := parser.SkipObjectResolution
	names := q.GoFiles
	if q.ours() {
		mode |= parser.ParseComments // for directives
		names = slices.Concat(names, q.IgnoredGoFiles)
	}
	parts := map[string]bool{}
	for i, name := range names {
		if q.ours() && (name == listing.SourcesFile || strings.HasSuffix(name, "_test.go")) {
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
		if f.Name.Name != q.Name { // a program that stands beside it, for go run
			continue
		}
		here := i < len(q.GoFiles)
		one := &file{File: f, name: name, here: here}
		if q.ours() {
			if one.on, err = platforms(name, src); err != nil {
				return err
			}
			q.source[path] = src
		}
		q.files = append(q.files, one)
		for _, spec := range f.Imports {
			if spec.Path.Value == `"C"` && q.ours() {
				q.cgo = fmt.Errorf("%s: codeid cannot follow cgo: C code and its compiler are not in a code identity; write the function in Go, or run a program with the kind exec", fset.Position(spec.Pos()))
				q.wrong = append(q.wrong, q.cgo)
			}
		}
		for _, doc := range f.Comments {
			for _, c := range doc.List {
				if strings.HasPrefix(c.Text, "//go:linkname ") {
					q.wrong = append(q.wrong, fmt.Errorf("%s: codeid cannot see what go:linkname stands for: call the function by its name", fset.Position(c.Pos())))
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok {
				parts[part(i)] = true
			}
			return true
		})
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				ast.Inspect(fn, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok {
						if x, ok := s.X.(*ast.Ident); ok && registers[x.Name+"."+s.Sel.Name] {
							q.adds = append(q.adds, x.Name+"."+s.Sel.Name)
						}
					}
					return true
				})
			}
		}
	}
	delete(parts, "")
	q.parts = slices.Sorted(maps.Keys(parts))
	return nil
}

func newInfo() *types.Info {
	return &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}, FileVersions: map[*ast.File]string{}}
}

// language is the version of Go that the package is written in; a module without a go line has 1.16.
func (q *pkg) language() string { return "go" + cmp.Or(q.Module.GoVersion, "1.16") }

// sharesLoops reports whether all rounds of a loop have one variable, as before Go 1.22.
func (f *file) sharesLoops() bool {
	return goversion.Compare(f.info.FileVersions[f.File], "go1.22") < 0
}

// check gives the names of a package their meanings.
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
		q.info = newInfo()
		conf.GoVersion = q.language()
	}
	var files []*ast.File
	for _, f := range q.files {
		if f.here {
			files = append(files, f.File)
			f.info = q.info
		}
	}
	q.types, _ = conf.Check(q.ImportPath, p.fset, files, q.info)
	if len(wrong) == 0 && q.ours() {
		return p.checkOthers(q)
	}
	for _, path := range append(slices.Clip(q.Deps), q.ImportPath) { // without cgo its names are undefined
		if d := p.all[path]; len(wrong) > 0 && d != nil && d.cgo != nil {
			return d.cgo
		}
	}
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
