package main

import (
	"crypto/sha256"
	"fmt"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag/listing"
)

// whole is the declaration that a file is as a whole: its text, as split writes it.
func (ds *declarations) whole(q *pkg, name string, split func(*decl, *version, []byte)) *decl {
	key := filepath.Join(q.Dir, name)
	if d := ds.files[key]; d != nil {
		return d
	}
	d := &decl{name: path.Join(q.ImportPath, filepath.ToSlash(name)), short: name,
		file: q.inModule(filepath.ToSlash(name))}
	ds.files[key] = d
	b, err := os.ReadFile(key)
	if err != nil {
		d.versions = []*version{{facts: facts{wrong: []error{err}}}}
		return d
	}
	v := &version{}
	d.versions = []*version{v}
	split(d, v, b)
	return d
}

// assembly takes in the assembly that holds a function without a body: all files
// of the package that name it, for every platform.
func (r *reader) assembly(name string) {
	symbol := regexp.MustCompile(`·` + name + `\b`)
	found := false
	for _, file := range slices.Concat(r.pkg.SFiles, r.pkg.IgnoredOtherFiles) {
		if filepath.Ext(file) != ".s" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(r.pkg.Dir, file))
		if err != nil {
			r.v.wrong = append(r.v.wrong, err)
			continue
		}
		if symbol.Match(b) {
			found = true
			r.mention(place{r.assemblyFile(file), "." + r.symbolOf(name, b)})
		}
	}
	if !found {
		r.v.wrong = append(r.v.wrong, fmt.Errorf("%s: function %s has no body, and no assembly file of the package names it", r.fset.Position(r.nodes[0].Pos()), name))
	}
}

var (
	symbols  = regexp.MustCompile(`·(\w+)`)
	includes = regexp.MustCompile(`(?m)^\s*#include\s+"([^"]+)"`)
	comments = regexp.MustCompile(`(?m)[ \t]*//.*$`)
)

// symbolOf tells which of the symbols in an assembly file a name is.
func (r *reader) symbolOf(name string, b []byte) string {
	var seen []string
	for _, m := range symbols.FindAllSubmatch(b, -1) {
		if s := string(m[1]); !slices.Contains(seen, s) {
			if seen = append(seen, s); s == name {
				return strconv.Itoa(len(seen))
			}
		}
	}
	return "0"
}

// assemblyFile is the file with its symbols numbered, without line comments, and
// with what it mentions: headers, and functions and variables of Go.
func (r *reader) assemblyFile(name string) *decl {
	q := r.pkg
	return r.whole(q, name, func(_ *decl, v *version, b []byte) {
		on, err := platforms(name, b)
		if err != nil {
			v.wrong = append(v.wrong, err)
		}
		v.on = on
		b = comments.ReplaceAll(b, nil)
		var seen []string
		text := symbols.ReplaceAllFunc(b, func(s []byte) []byte {
			at := slices.Index(seen, string(s))
			if at < 0 {
				at = len(seen)
				seen = append(seen, string(s))
			}
			return []byte("·" + strconv.Itoa(at+1))
		})
		v.pieces = append(v.pieces, piece{text: string(text)})
		for _, s := range seen {
			if d := r.byName[q.ImportPath+"."+strings.TrimPrefix(s, "·")]; d != nil &&
				!strings.Contains(string(b), "TEXT "+s+"(") {
				v.pieces = append(v.pieces, piece{to: d})
			}
		}
		for _, m := range includes.FindAllSubmatch(b, -1) {
			switch header := string(m[1]); {
			case slices.Contains(slices.Concat(q.HFiles, q.IgnoredOtherFiles), header):
				v.pieces = append(v.pieces, piece{to: r.whole(q, header, content)})
			case header == "go_asm.h":
				v.wrong = append(v.wrong, fmt.Errorf("%s: codeid cannot see what %s takes from go_asm.h: write the offsets into the file", q.ImportPath, name))
			case header != "textflag.h" && header != "funcdata.h":
				v.wrong = append(v.wrong, fmt.Errorf("%s: %s includes %q, which is not in the package", q.ImportPath, name, header))
			}
		}
	})
}

// content takes a file by its bytes.
func content(_ *decl, v *version, b []byte) {
	v.pieces = []piece{{text: fmt.Sprintf("%x", sha256.Sum256(b))}}
}

// embeds takes in the files that a go:embed line before a variable names. Their
// names count where the program can see them.
func (r *reader) embeds(args string) {
	named := true
	if r.drop != nil {
		if obj := r.file.info.Defs[r.drop]; obj != nil {
			switch obj.Type().Underlying().(type) {
			case *types.Basic, *types.Slice:
				named = false
			}
		}
	}
	for _, pattern := range embedPatterns(args) {
		for _, name := range r.pkg.EmbedFiles {
			if embedMatches(pattern, name) && !r.pkg.generated(name) {
				if named {
					r.text(strconv.Quote(name))
				}
				r.mention(place{r.whole(r.pkg, name, content), ""})
			}
		}
	}
}

// generated reports whether codeid writes a file of the package: an identity that held it would change it again.
func (q *pkg) generated(name string) bool {
	return name == listing.SourcesFile || name == listing.CodeFile && slices.ContainsFunc(q.files, func(f *file) bool {
		for _, of := range f.info.Uses {
			if of.Pkg() != nil && of.Pkg().Path() == dagPath && of.Name() == "Codes" {
				return true
			}
		}
		return false
	})
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

// embedMatches reports whether a file is one that a pattern names, by itself or in
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
