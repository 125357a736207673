package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	goversion "go/version"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/dag/listing"
	release "prgnn/internal/version"
)

// sources are the files that the kinds' program is built from, and the Go files that embed those of the main module.
type sources struct {
	of     map[string][]listing.Source // by package
	beside map[string]map[string]bool  // other modules with a listing of their own: the lines of its declarations
	unseen map[string]string           // modules of packages whose sources no program holds, by package
	files  map[string][]byte           // by path
	former string                      // the path of such a file of earlier versions, which is removed; "" for none
}

// listed are those of a package and of what it imports. Of a module with a listing of its own they are the files of
// the declarations that the kinds reach and that are not in it: the program compares the rest with it.
func (s *sources) listed(q *pkg, kinds []kind) (all []listing.Source, err error) {
	for _, path := range append(slices.Clip(q.Deps), q.ImportPath) {
		all = append(all, s.of[path]...)
	}
	for _, k := range kinds {
		for _, d := range k.decls {
			if d.pkg == nil || d.pkg.Module == nil {
				continue
			}
			m := d.pkg.Module
			if m.Main || s.beside[m.Path] == nil || s.beside[m.Path][d.name+" "+d.digest()] {
				continue
			}
			name := filepath.Base(d.file)
			text, err := os.ReadFile(filepath.Join(d.pkg.Dir, name))
			if err != nil {
				return nil, err
			}
			one := listing.Source{Path: path.Join(d.pkg.ImportPath, name), Digest: listing.Digest(text)}
			at := slices.IndexFunc(all, func(s listing.Source) bool { return s.Path == one.Path })
			if at < 0 {
				at = len(all)
				all = append(all, one)
			}
			inside, ok := strings.CutPrefix(d.name, d.pkg.ImportPath+".")
			if ok && !slices.Contains(all[at].For, inside) {
				all[at].For = append(all[at].For, inside)
			}
		}
	}
	for _, s := range all {
		slices.Sort(s.For)
	}
	slices.SortFunc(all, func(a, b listing.Source) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

// compiled match the files of a directory that a program may be built from. One that matches nothing may not stand in
// a go:embed line; each package has a Go file. No pattern can leave out tests: they are embedded, and not listed.
var compiled = []string{"*.go", "*.s", "*.h"}

// sources lists the source files of all packages that are followed.
func (p *program) sources() (*sources, error) {
	main := p.roots[0].Module
	s := sources{of: map[string][]listing.Source{}, beside: map[string]map[string]bool{},
		unseen: map[string]string{}}
	for _, q := range p.all {
		if q.ours() && !q.Module.Main && slices.Contains(q.EmbedFiles, listing.CodeFile) {
			text, err := os.ReadFile(filepath.Join(q.Dir, listing.CodeFile))
			if err != nil {
				return nil, err
			}
			if s.beside[q.Module.Path] == nil {
				s.beside[q.Module.Path] = map[string]bool{}
			}
			for line := range strings.Lines(string(text)) {
				s.beside[q.Module.Path][strings.TrimSuffix(line, "\n")] = true
			}
		}
	}
	matching := map[*pkg][]string{} // the patterns of the packages of the main module
	others := map[string][]string{} // what other modules embed, by their paths
	for _, q := range p.all {
		if !q.ours() || s.beside[q.Module.Path] != nil || q.ImportPath == release.Module && !q.Module.Main {
			continue // the root of prgnn has nothing but the sources of the rest
		}
		if _, known := others[q.Module.Path]; !known && !q.Module.Main {
			text, err := os.ReadFile(filepath.Join(q.moduleDir(), listing.SourcesFile))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			others[q.Module.Path] = embedLines(text)
		}
		var own []string // what a package of another module embeds
		tried := false   // whether it has tried a loop
		if !q.Module.Main {
			text, err := os.ReadFile(filepath.Join(q.Dir, listing.SourcesFile))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			own, tried = embedLines(text), bytes.Contains(text, []byte("\tdag.SharedLoops("))
			if own == nil && others[q.Module.Path] == nil {
				s.unseen[q.ImportPath] = q.Module.Path
			}
		}
		embedded := slices.DeleteFunc(q.embedPatterns(), func(p string) bool { return p == listing.CodeFile })
		names := slices.DeleteFunc(slices.Clone(q.EmbedFiles), func(name string) bool {
			return !slices.ContainsFunc(embedded, func(pattern string) bool { return embedMatches(pattern, name) })
		})
		patterns := embedded
		for _, pattern := range compiled {
			some, err := filepath.Glob(filepath.Join(q.Dir, pattern)) // a directory whose name has no sign of a pattern
			if err != nil {
				return nil, err
			}
			if len(some) > 0 {
				patterns = append(patterns, pattern)
			}
			for _, file := range some {
				if !strings.HasSuffix(file, "_test.go") {
					names = append(names, filepath.Base(file))
				}
			}
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if base := path.Base(name); base == listing.CodeFile || base == listing.SourcesFile {
				continue
			}
			if !q.Module.Main && !matches(others[q.Module.Path], path.Join(q.inside(), name)) && !matches(own, name) {
				continue // the program has nothing to compare it with
			}
			text, err := os.ReadFile(filepath.Join(q.Dir, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			s.of[q.ImportPath] = append(s.of[q.ImportPath],
				listing.Source{Path: path.Join(q.ImportPath, name), Digest: listing.Digest(text)})
		}
		if q.Module.Main {
			matching[q] = patterns
		}
		if goversion.Compare(q.language(), "go1.22") < 0 && (q.Module.Main || tried) {
			s.of[q.ImportPath] = append(s.of[q.ImportPath], listing.SharedLoops(q.ImportPath))
		}
	}
	maps.DeleteFunc(others, func(_ string, patterns []string) bool { return patterns == nil })
	s.files = map[string][]byte{}
	if main.Path == release.Module {
		s.files[filepath.Join(main.Dir, listing.SourcesFile)] = embedding(path.Base(main.Path), main.Path,
			rooted(matching), nil)
		return &s, nil
	}
	for q, patterns := range matching { // every program that imports the kinds then has all sources
		var linked []string
		if slices.Contains(p.roots, q) || slices.Contains(q.embedPatterns(), listing.CodeFile) {
			linked = slices.DeleteFunc(slices.Sorted(maps.Keys(others)), func(module string) bool {
				return !slices.ContainsFunc(q.Deps, func(dep string) bool {
					of := p.all[dep]
					return of != nil && of.Module != nil && of.Module.Path == module
				})
			})
		}
		slices.Sort(patterns)
		s.files[filepath.Join(q.Dir, listing.SourcesFile)] = embedding(q.Name, q.ImportPath,
			slices.Compact(patterns), linked)
	}
	former := filepath.Join(main.Dir, listing.SourcesFile)
	text, err := os.ReadFile(former)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if s.files[former] == nil && slices.ContainsFunc(embedLines(text), func(pattern string) bool {
		return strings.Contains(pattern, "/") && path.Ext(pattern) == ".go"
	}) {
		s.former = former
	}
	return &s, nil
}

// unseenBy are the modules without sources that a package imports from.
func (s *sources) unseenBy(q *pkg) (modules []string) {
	for _, dep := range q.Deps {
		if m := s.unseen[dep]; m != "" && !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
	}
	slices.Sort(modules)
	return modules
}

// moduleDir is the directory of the module of a package, also under vendor, where go list does not give it.
func (q *pkg) moduleDir() string {
	return cmp.Or(q.Module.Dir, strings.TrimSuffix(filepath.ToSlash(q.Dir), "/"+q.inside()))
}

// inside is the directory of a package in its module; "" for the root.
func (q *pkg) inside() string {
	return strings.TrimPrefix(strings.TrimPrefix(q.ImportPath, q.Module.Path), "/")
}

// matches reports whether one of some patterns matches a path.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

// rooted are the patterns of packages, as they are at the root of their module.
func rooted(of map[*pkg][]string) (all []string) {
	for q, patterns := range of {
		for _, pattern := range patterns {
			plain, every := strings.CutPrefix(pattern, "all:")
			all = append(all, map[bool]string{true: "all:"}[every]+path.Join(q.inside(), plain))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// embedding is the Go file of a package that embeds the sources in its directory, and links those of other modules.
func embedding(name, at string, patterns, others []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by prgnn/dag/codeid; DO NOT EDIT.\n\npackage %s\n\n", name)
	b.WriteString("import (\n\t\"embed\"\n\n")
	for _, other := range others {
		fmt.Fprintf(&b, "\t_ %q // its sources\n", other)
	}
	fmt.Fprintf(&b, "\t%q\n)\n\n", dagPath)
	b.WriteString("// sources are what the code identities of the stage kinds are compared with. Where a pattern matches no file any\n" +
		"// more, go generate ./... (in the module of prgnn: make generate) writes this file again.\n//\n")
	for _, pattern := range patterns {
		fmt.Fprintf(&b, "//go:embed %s\n", pattern)
	}
	b.WriteString("var sources embed.FS\n\n")
	if at == release.Module {
		fmt.Fprintf(&b, "func init() { dag.Sources(%q, sources) }\n", at)
		return b.Bytes()
	}
	fmt.Fprintf(&b, "func init() {\n\tdag.Sources(%q, sources)\n", at)
	b.WriteString("\tvar rounds []func() int // with one variable i, where the go line of go.mod is below 1.22\n" +
		"\tfor i := 0; i < 2; i++ {\n\t\trounds = append(rounds, func() int { return i })\n\t}\n")
	fmt.Fprintf(&b, "\tdag.SharedLoops(%q, rounds[0]() == 2)\n}\n", at)
	return b.Bytes()
}

// embedPatterns are those of the go:embed lines in the files of a package that are read.
func (q *pkg) embedPatterns() (all []string) {
	for _, text := range q.source {
		all = append(all, embedLines(text)...)
	}
	return all
}

// embedLines are the patterns of the go:embed lines of a file.
func embedLines(text []byte) (all []string) {
	for line := range strings.Lines(string(text)) {
		if args, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:embed "); ok {
			all = append(all, embedPatterns(args)...)
		}
	}
	return all
}
