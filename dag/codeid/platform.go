package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/types"
	"io"
	"strings"

	"prgnn/internal/lists"
)

// others are the platforms on which the files are checked that the platform of the
// identities leaves out. Each file is taken on the first that it is for.
var others = []build.Context{
	other("linux", "arm64"), other("darwin", "arm64"), other("windows", "amd64"),
	other("freebsd", "amd64"), other("js", "wasm"), other("plan9", "386"), other("aix", "ppc64"),
}

func other(goos, goarch string) build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled, c.BuildTags = goos, goarch, false, nil
	return c
}

// platforms is what says which platforms a file is for: the ending of its name,
// and its build constraint.
func platforms(name string, src []byte) (string, error) {
	var on []string
	words := strings.Split(strings.TrimSuffix(strings.TrimSuffix(name, ".go"), ".s"), "_")
	for _, w := range words[max(1, len(words)-2):] {
		if knownPlatform[w] {
			on = append(on, w)
		}
	}
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "package ") {
			break
		}
		if constraint.IsGoBuild(line) {
			x, err := constraint.Parse(line)
			if err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
			on = append(on, x.String())
		}
	}
	return strings.Join(on, ", "), nil
}

var knownPlatform = lists.Set(strings.Fields("aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd " +
	"plan9 solaris wasip1 windows 386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm"))

// checkOthers gives the names in files for other platforms their meanings. What
// they import may not be there in the same shape, so mistakes are no matter: a
// name without a meaning counts as it is written.
func (p *program) checkOthers(q *pkg) error {
	left := lists.Count(q.files, func(f *file) bool { return !f.here })
	for i := 0; left > 0 && i < len(others); i++ {
		var files []*ast.File
		var first []*file
		for _, f := range q.files {
			c := others[i]
			c.OpenFile = func(string) (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(string(q.source[p.fset.Position(f.Pos()).Filename]))), nil
			}
			if ok, err := c.MatchFile(q.Dir, f.name); err != nil {
				return err
			} else if !ok {
				continue
			}
			files = append(files, f.File)
			if f.info == nil {
				first = append(first, f)
			}
		}
		if len(first) == 0 {
			continue
		}
		info := newInfo()
		conf := types.Config{Importer: importer{p, q}, Sizes: types.SizesFor("gc", others[i].GOARCH),
			GoVersion: q.language(), Error: func(error) {}}
		conf.Check(q.ImportPath, p.fset, files, info)
		for _, f := range first {
			f.info = info
			left--
		}
	}
	for _, f := range q.files {
		if f.info == nil {
			return fmt.Errorf("%s: no platform that codeid reads satisfies its build constraint %s: a code identity is the same "+
				"for every build, so a build tag cannot choose what a kind computes; make the choice a parameter of the kind, "+
				"or declare two kinds",
				p.fset.Position(f.Pos()).Filename, f.on)
		}
	}
	return nil
}
