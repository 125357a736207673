package main

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// whole takes in a file by its content.
func (r *reach) whole(q *pkg, name string) {
	file := path.Join(q.ImportPath, filepath.ToSlash(name))
	if slices.ContainsFunc(r.units, func(u unit) bool { return u.file == file && u.name == file }) {
		return
	}
	b, err := os.ReadFile(filepath.Join(q.Dir, name))
	if err != nil {
		r.wrong = append(r.wrong, err)
		return
	}
	r.units = append(r.units, unit{name: file, file: file, digest: sha256.Sum256(b)})
}

// assembly takes in the assembly of a package, that of all platforms, for a
// function that is written in it.
func (r *reach) assembly(d *decl) {
	for _, name := range slices.Concat(d.pkg.SFiles, d.pkg.HFiles, d.pkg.IgnoredOtherFiles) {
		if ext := filepath.Ext(name); ext == ".s" || ext == ".h" {
			r.whole(d.pkg, name)
		}
	}
}

// embedded takes in the files that a go:embed line before a variable names.
func (r *reach) embedded(d *decl, spec *ast.ValueSpec) {
	for _, doc := range []*ast.CommentGroup{d.decl.Doc, spec.Doc} {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			args, ok := strings.CutPrefix(c.Text, "//go:embed ")
			if !ok {
				continue
			}
			for _, pattern := range embedPatterns(args) {
				for _, name := range d.pkg.EmbedFiles {
					if embedMatches(pattern, name) {
						r.whole(d.pkg, name)
					}
				}
			}
		}
	}
}

func embedPatterns(args string) []string {
	var list []string
	for args = strings.TrimSpace(args); args != ""; args = strings.TrimSpace(args) {
		if q, err := strconv.QuotedPrefix(args); err == nil {
			p, _ := strconv.Unquote(q) // QuotedPrefix has seen that it is quoted
			list = append(list, p)
			args = args[len(q):]
			continue
		}
		p, rest, _ := strings.Cut(args, " ")
		list = append(list, p)
		args = rest
	}
	return list
}

// embedMatches tells whether a file is one that a pattern names, by itself or in
// a directory. Which hidden files are left out, go list has decided.
func embedMatches(pattern, name string) bool {
	pattern = strings.TrimPrefix(pattern, "all:")
	for at := name; at != "."; at = path.Dir(at) {
		if ok, err := path.Match(pattern, at); ok && err == nil {
			return true
		}
	}
	return pattern == "."
}

// otherPlatforms takes in the Go files that are left out on the platform of the
// identities and declare, for others, something that is reached.
func (r *reach) otherPlatforms() {
	reached := map[string]bool{}
	for _, u := range r.units {
		reached[u.name] = true
	}
	for _, q := range r.all {
		if !r.pkgs[q] || !q.ours() {
			continue
		}
		for _, name := range q.IgnoredGoFiles {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, src, err := parseOther(filepath.Join(q.Dir, name))
			if err != nil {
				r.wrong = append(r.wrong, err)
				continue
			}
			if f.Name.Name == q.Name && slices.ContainsFunc(names(f), func(n string) bool { return reached[q.ImportPath+"."+n] }) {
				file := path.Join(q.ImportPath, name)
				r.units = append(r.units, unit{name: file, file: file, digest: sha256.Sum256(src)})
			}
		}
	}
}

// parseOther parses a file and gives its tokens.
func parseOther(path string) (*ast.File, []byte, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	q := &pkg{source: map[string][]byte{path: src}}
	return f, q.canonical(fset, f), nil
}

// names lists what a file declares.
func names(f *ast.File) []string {
	var list []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			list = append(list, funcName(d))
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					list = append(list, s.Name.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						list = append(list, id.Name)
					}
				}
			}
		}
	}
	return list
}
