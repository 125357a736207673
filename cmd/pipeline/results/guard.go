package results

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"prgnn/artifacts/whole"
	"prgnn/cmd/pipeline/exit"
	"prgnn/pipelines"
)

// A Kept is a file that no command may write over.
type Kept struct{ Path, What string } // What ends a sentence: "the pipeline file"

// Guard returns a function that refuses the files that a pipeline is made from, and paths in its
// store: without them the results could not be made again.
func Guard(p *pipelines.Pipeline, store string) func(path string) error {
	files := Keep(func() []Kept { return filesOf(p) })
	return func(path string) error {
		if LiesIn(path, store) {
			return exit.Wrongf("%s cannot be written: it is inside the store %s\n  name a PATH outside the store", path, store)
		}
		return files(path)
	}
}

// Keep returns a function that refuses these files, under whatever name. They are looked at once.
func Keep(files func() []Kept) func(path string) error {
	type found struct {
		os.FileInfo
		what string
	}
	look := sync.OnceValue(func() (there []found) {
		for _, f := range files() {
			if info, err := os.Stat(f.Path); err == nil {
				there = append(there, found{info, f.What})
			}
		}
		return there
	})
	return func(path string) error {
		info, err := os.Stat(path)
		if err != nil || info.IsDir() {
			return nil // there is nothing to write over
		}
		for _, f := range look() {
			if os.SameFile(f.FileInfo, info) {
				return exit.Wrongf("%s cannot be written: it is %s\n  name another PATH", path, f.what)
			}
		}
		return nil
	}
}

// filesOf are the pipeline file, the files that it extends, the table and the files of its
// cohort, and the files of {file: PATH}. Of a file that is there twice the first says best what it is.
func filesOf(p *pipelines.Pipeline) (files []Kept) {
	what := "the pipeline file"
	for _, path := range p.Sources() {
		files = append(files, Kept{path, what})
		what = "a file that the pipeline file extends"
	}
	if p.Roster != nil {
		files = append(files, Kept{p.Roster.Table, "the table of the cohort"})
		for _, s := range p.Roster.Subjects {
			parts := []map[string]string{s.Files}
			for _, r := range s.Runs {
				parts = append(parts, r.Files)
			}
			for _, part := range parts {
				for _, path := range part {
					files = append(files, Kept{path, fmt.Sprintf("an input of the pipeline (%s)", s.ID)})
				}
			}
		}
	}
	for n := range p.Graph.Tasks() {
		for _, b := range n.Inputs() {
			for _, src := range b.Sources {
				if src.Node == nil {
					files = append(files, Kept{src.File, fmt.Sprintf("an input of the pipeline (stage %s)", n.Stage().Name())})
				}
			}
		}
	}
	for _, path := range p.Paths {
		files = append(files, Kept{path, "an input of the pipeline (its path is in the pipeline file)"})
	}
	return files
}

// LiesIn reports whether a path, which need not exist, is a directory or lies below it.
func LiesIn(path, dir string) bool {
	path, dir = whole.Resolved(path), whole.Resolved(dir)
	info, _ := os.Stat(dir)
	for at := path; ; at = filepath.Dir(at) {
		if at == dir {
			return true
		}
		if here, err := os.Stat(at); err == nil && info != nil && os.SameFile(here, info) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}
