package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"prgnn/dag/listing"
)

func main() {
	check := flag.Bool("check", false, "change nothing; say whether the generated files are up to date")
	show := flag.String("reach", "", "print the declarations that the kind of this name reaches, and change nothing")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: codeid [-check | -reach KIND] DIR...\n\n"+
			"Writes DIR/"+listing.CodeFile+": the code identities of the stage kinds that the package in DIR, and those inside it, declare.\n"+
			"A package inside that embeds a file of this name has its own kinds there.\n"+
			"A file "+listing.SourcesFile+" in each package of the module that they reach embeds its sources, so that the program can compare them.\n"+
			"Where DIR or a directory inside it has "+listFile+", it lists the kinds of that package there.\n"+
			"DIR/... stands for the packages in and below DIR that have the line "+generateLine+".\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	roomy()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(newLoader(), os.Stdout, flag.Args(), *check, *show); err != nil {
		fmt.Fprintln(os.Stderr, "codeid:", err)
		os.Exit(1)
	}
}

// generateLine is in a file of each package that has kinds.
const generateLine = "//go:generate go run prgnn/dag/codeid ."

func run(l *loader, out io.Writer, args []string, check bool, show string) error {
	dirs, err := directories(args)
	if err != nil {
		return err
	}
	var stale []string
	again := false // what go list reports of the packages has changed
	// put writes a generated file, unless it is up to date or is only to be checked.
	put := func(path string, want []byte) error {
		have, err := os.ReadFile(path)
		switch {
		case err == nil && bytes.Equal(have, want):
			return nil
		case check:
			stale = append(stale, path)
			return nil
		}
		again = again || err != nil || filepath.Base(path) == listing.SourcesFile
		return os.WriteFile(path, want, 0o666)
	}
	for _, dir := range dirs {
		if show != "" {
			break
		}
		all, err := kindLists(dir)
		if err != nil {
			return err
		}
		for _, path := range slices.Sorted(maps.Keys(all)) {
			if err := put(path, all[path]); err != nil {
				return err
			}
		}
	}
	p, err := l.load(dirs...)
	if err != nil {
		return err
	}
	ds := p.declarations()
	sources, err := p.sources()
	if err != nil {
		return err
	}
	if show == "" {
		for _, path := range slices.Sorted(maps.Keys(sources.files)) {
			if err := put(path, sources.files[path]); err != nil {
				return err
			}
		}
		if check && sources.former != "" {
			stale = append(stale, sources.former)
		} else if sources.former != "" {
			if err := os.Remove(sources.former); err != nil {
				return err
			}
			again = true
		}
		if again { // a pattern that matches nothing hides all embedded files of its package
			return run(l, out, args, check, show)
		}
	}
	found := false
	for _, root := range p.roots {
		kinds, err := ds.kinds(root)
		if err != nil {
			return err
		}
		if show != "" {
			found = print(out, kinds, show) || found
			continue
		}
		of := map[*pkg][]kind{root: nil}
		for _, k := range kinds {
			of[k.in] = append(of[k.in], k)
		}
		beside := slices.Sorted(maps.Keys(sources.beside))
		for q, kinds := range of {
			listed, err := sources.listed(q, kinds)
			if err != nil {
				return err
			}
			text := listingText(kinds, listed, beside, sources.unseenBy(q))
			if err := put(filepath.Join(q.Dir, listing.CodeFile), text); err != nil {
				return err
			}
		}
	}
	switch {
	case again:
		return run(l, out, args, check, show)
	case show != "" && !found:
		return fmt.Errorf("there is no stage kind %q", show)
	case stale != nil:
		return errors.New("the lists of kinds and their code identities are not those of the source; to make them again: make generate (in a module of your own: go generate ./...)\n\t" + strings.Join(stale, "\n\t"))
	}
	return nil
}

// directories finds those that DIR/... stands for.
func directories(args []string) ([]string, error) {
	var dirs []string
	for _, arg := range args {
		top, all := strings.CutSuffix(filepath.ToSlash(arg), "/...")
		if !all {
			dirs = append(dirs, arg)
			continue
		}
		n := len(dirs)
		err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() && path != top {
				_, err := os.Stat(filepath.Join(path, "go.mod"))
				if err == nil || e.Name() == "testdata" || e.Name() == "node_modules" ||
					strings.HasPrefix(e.Name(), ".") {
					return fs.SkipDir // another module, or none
				}
			}
			dir := filepath.Dir(path)
			if filepath.Ext(path) != ".go" || len(dirs) > n && dirs[len(dirs)-1] == dir {
				return nil
			}
			b, err := os.ReadFile(path)
			if bytes.Contains(b, []byte("\n"+generateLine+"\n")) {
				dirs = append(dirs, dir)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(dirs) == n {
			return nil, fmt.Errorf("no package in %s has the line %s", top, generateLine)
		}
	}
	return dirs, nil
}

func print(out io.Writer, kinds []kind, name string) bool {
	for _, k := range kinds {
		if k.name == name {
			for _, d := range k.decls {
				fmt.Fprintf(out, "%s %s %s:%d\n", d.digest(), d.name, d.file, d.line)
			}
			for _, m := range k.modules {
				fmt.Fprintln(out, "module", m)
			}
			for _, path := range k.effects {
				fmt.Fprintln(out, "import", path)
			}
			return true
		}
	}
	return false
}

// roomy lets the heap grow: it holds the syntax of a whole program, which every collection visits again.
func roomy() { debug.SetGCPercent(400) }
