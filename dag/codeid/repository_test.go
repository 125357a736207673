package main

import (
	"go/ast"
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

	"prgnn/dag/listing"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// TestRepository moves and edits a copy of the real sources. What moves changes no
// kind; what is edited changes just the kinds that reach it.
func TestRepository(t *testing.T) {
	dir := clone(t)
	p := loaded(t, dir)
	ds := p.declarations()
	kinds := need.Value(ds.kinds(p.roots[0]))(t)
	before := byName(kinds)
	if len(before) < 41 {
		t.Fatalf("%d kinds", len(before))
	}
	all := slices.Sorted(maps.Keys(before))
	reaching := func(kinds []kind, reaches func(kind) bool) []string {
		var by []string
		for _, k := range kinds {
			if reaches(k) {
				by = append(by, k.name)
			}
		}
		if len(by) == 0 || len(by) == len(all) {
			t.Errorf("%d of %d kinds reach what is to be edited: that shows nothing", len(by), len(all))
		}
		return by
	}
	for _, k := range kinds {
		if k.name == "echo" && (len(k.modules) > 0 || len(k.decls) > 60) {
			t.Errorf("echo reaches %d declarations and the modules %v", len(k.decls), k.modules)
		}
	}

	// A module of another version.
	for _, path := range []string{"github.com/sbinet/npyio", "gonum.org/v1/plot"} {
		version := regexp.MustCompile(`^` + path + ` `)
		want := reaching(kinds, func(k kind) bool { return slices.ContainsFunc(k.modules, version.MatchString) })
		for _, q := range p.all {
			if q.Module != nil && q.Module.Path == path {
				q.Module.Version += "-newer"
			}
		}
		newer := need.Value(ds.kinds(p.roots[0]))(t)
		if got := changed(before, byName(newer)); !slices.Equal(got, want) {
			t.Errorf("another version of %s changes %v, want %v", path, got, want)
		}
		before = byName(newer)
	}
	before = byName(kinds)
	for _, q := range p.all {
		if q.Module != nil {
			q.Module.Version = strings.TrimSuffix(q.Module.Version, "-newer")
		}
	}

	// An edited constant, an edited assembly file, an edited embedded file.
	for _, e := range []struct{ file, old, new, decl string }{
		{"numeric/exact/float32.go", "0x1.62e4p-1", "0x1.62e5p-1", "prgnn/numeric/exact.exp32Ln2Hi"},
		{"gnn/vector_amd64.s", "VXORPS Y1, Y1, Y1", "VXORPS Y2, Y1, Y1", "prgnn/gnn/vector_amd64.s"},
		{"stages/atlas/dk84.tsv", "Left", "Sinister", "prgnn/stages/atlas/dk84.tsv"},
	} {
		want := reaching(kinds, func(k kind) bool {
			return slices.ContainsFunc(k.decls, func(d *decl) bool { return d.name == e.decl })
		})
		path := filepath.Join(dir, filepath.FromSlash(e.file))
		b, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), e.old) {
			t.Fatalf("%s has no %q: %v", e.file, e.old, err)
		}
		testdir.Write(t, path, strings.Replace(string(b), e.old, e.new, 1))
		if got := changed(before, byName(kindsIn(t, filepath.Join(dir, "stages")))); !slices.Equal(got, want) {
			t.Errorf("%s edited: changed %v, want %v", e.file, got, want)
		}
		testdir.Write(t, path, string(b))
	}

	// A package is split in three: of its files one becomes a package, and two another.
	split(t, dir, "numeric/exact", "sincos.go", "trig", "Sincos")
	split(t, dir, "numeric/exact", "float32.go", "single", "Exp32")
	split(t, dir, "numeric/exact", "fma.go", "single", "FMA32")
	p = loaded(t, dir)
	if c := changed(before, byName(need.Value(p.declarations().kinds(p.roots[0]))(t))); c != nil {
		t.Errorf("a package split: %d of %d kinds change: %v", len(c), len(before), c)
	}

	// All names at package level, of receivers, parameters and variables get an
	// underscore; all Go and assembly files another name.
	renamed := renameAll(t, p)
	if renamed < 30000 {
		t.Errorf("%d mentions renamed", renamed)
	}
	for _, q := range p.all {
		if q.ours() {
			for _, name := range slices.Concat(q.GoFiles, q.IgnoredGoFiles, q.SFiles) {
				need.NoError(t, os.Rename(filepath.Join(q.Dir, name), filepath.Join(q.Dir, "moved_"+name)))
			}
		}
	}
	if c := changed(before, byName(kindsIn(t, filepath.Join(dir, "stages")))); c != nil {
		t.Errorf("%d mentions and all files renamed: %d of %d kinds change: %v", renamed, len(c), len(before), c)
	}
}

// clone copies the sources of this repository that kinds reach.
func clone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	list := exec.Command("git", "ls-files", "-co", "--exclude-standard", "--", "go.mod", "go.sum", "doc.go",
		"artifacts", "connectivity", "dag", "gnn", "internal", "nifti", "numeric", "stages")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		need.Missing(t, "git lists the sources to copy: %v", err)
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSuffix(name, "\n")
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") ||
			filepath.Base(name) == listing.CodeFile {
			continue
		}
		b, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) { // deleted, and not committed yet
			continue
		}
		need.NoError(t, err)
		testdir.Write(t, filepath.Join(dir, filepath.FromSlash(name)), string(b))
	}
	return dir
}

func loaded(t *testing.T, dir string) *program {
	t.Helper()
	p := need.Value(shared.load(filepath.Join(dir, "stages")))(t)
	return p
}

func byName(kinds []kind) map[string]string {
	ids := map[string]string{}
	for _, k := range kinds {
		ids[k.name] = k.identity
	}
	return ids
}

// split makes a package of one file, of which others use one function.
func split(t *testing.T, dir, pkg, file, name, function string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, pkg, file))
	need.NoError(t, err)
	base := filepath.Base(pkg)
	testdir.Write(t, filepath.Join(dir, pkg, name, file),
		strings.Replace(string(b), "package "+base, "package "+name, 1))
	need.NoError(t, os.Remove(filepath.Join(dir, pkg, file)))
	users := 0
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		b, err := os.ReadFile(path)
		was := string(b)
		text := strings.ReplaceAll(was, base+"."+function+"(", name+"."+function+"(")
		if text == was {
			return err
		}
		users++
		imports := `"prgnn/` + pkg + "/" + name + `"`
		text = strings.Replace(text, "\n\t"+imports, "", 1) // of a file that was split off before
		code := regexp.MustCompile(`//.*`).ReplaceAllString(text, "")
		if regexp.MustCompile(`\b` + base + `\.[A-Z]`).MatchString(code) {
			imports += "\n\t\"prgnn/" + pkg + `"`
		}
		testdir.Write(t, path, strings.Replace(text, `"prgnn/`+pkg+`"`, imports, 1))
		return err
	})
	if err != nil || users == 0 {
		t.Fatalf("%d files use %s.%s: %v", users, base, function, err)
	}
}

// renameAll gives every declared name of ours an underscore, but for methods,
// fields, and what codeid knows by name. It gives the number of edits.
func renameAll(t *testing.T, p *program) int {
	t.Helper()
	ds := p.declarations()
	keep := map[token.Pos]bool{} // declaring names
	for _, q := range p.all {
		if !q.ours() {
			continue
		}
		for _, f := range q.files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && (d.Body == nil || d.Name.Name == "init") {
					keep[d.Name.Pos()] = true // the assembly has its name too
				}
			}
			for _, obj := range f.info.Defs {
				switch obj := obj.(type) {
				case *types.Var: // a field named after a type that is no struct
					if obj.IsField() && obj.Embedded() {
						if named, ok := obj.Type().(*types.Named); ok {
							if _, ok := named.Underlying().(*types.Struct); !ok {
								keep[named.Obj().Pos()] = true
							}
						}
					}
				case *types.TypeName:
					if q.ImportPath == dagPath && (obj.Name() == "Kind" || obj.Name() == "Port") {
						keep[obj.Pos()] = true
					}
				}
			}
		}
	}
	renames := func(id *ast.Ident, obj types.Object) bool {
		switch o := obj.(type) {
		case *types.Func:
			if o.Signature().Recv() != nil {
				return false
			}
		case *types.Var:
			if o.IsField() {
				p, ok := (&reader{declarations: ds}).embedded(o)
				return ok && p.to != nil
			}
		case *types.Const, *types.TypeName, *types.Label:
		default:
			return false
		}
		if keep[obj.Pos()] || obj.Pkg() == nil {
			return false
		}
		q := p.all[obj.Pkg().Path()]
		return q != nil && q.ours()
	}
	edits := 0
	for _, q := range p.all {
		if !q.ours() {
			continue
		}
		for _, f := range q.files {
			at := map[int]bool{}
			tf := p.fset.File(f.Pos())
			text, ok := q.source[tf.Name()]
			if !ok {
				continue
			}
			ast.Inspect(f.File, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok || id == f.Name || id.Name == "_" {
					return true
				}
				obj, used := f.info.Uses[id]
				if !used {
					var defined bool
					if obj, defined = f.info.Defs[id]; defined && obj == nil { // the symbol of a type switch
						at[tf.Offset(id.Pos())+len(id.Name)] = true
						return true
					}
				}
				if obj != nil && renames(id, obj) {
					at[tf.Offset(id.Pos())+len(id.Name)] = true
				}
				return true
			})
			var out []byte
			for i, c := range text {
				if at[i] {
					out = append(out, '_')
				}
				out = append(out, c)
			}
			edits += len(at)
			testdir.Write(t, tf.Name(), string(out))
		}
	}
	return edits
}
