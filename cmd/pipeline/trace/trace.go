// Package trace prints the provenance of one result: what it was made from, and what was made from it.
package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/provenance"
)

type event struct {
	Direction  string            `json:"direction"` // self, up, down
	Depth      int               `json:"depth"`
	Port       string            `json:"port,omitempty"` // over which it was reached
	Task       string            `json:"task,omitempty"`
	Kind       string            `json:"kind,omitempty"`
	Key        string            `json:"key,omitempty"`
	Code       string            `json:"code,omitempty"`
	Run        string            `json:"run,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
	Outputs    map[string]string `json:"outputs,omitempty"` // digests
	File       string            `json:"file,omitempty"`    // the digest of a file of the user's
}

// Print prints the works that a result was made from (up), and those that were made from it (down). It is named by a
// file, a digest, a key, a task or a stage. Records that are damaged are the error; the others are printed.
func Print(c *console.Console, store *disk.Store, name string, up, down bool) error {
	book, damaged := provenance.Read(store)
	digests, works, err := subject(store, book, name)
	if err != nil {
		return err
	}
	a := printer{c}
	for rest := works; len(rest) > 0; { // each stage at once
		n := slices.IndexFunc(rest, func(w *provenance.Work) bool { return w.Stage() != rest[0].Stage() })
		if n < 0 {
			n = len(rest)
		}
		a.step("self", provenance.Step{Works: rest[:n]})
		rest = rest[n:]
	}
	if len(works) == 0 && !a.JSON {
		fmt.Fprintf(a.Out, "%s: no task of this store made this file\n", name)
	}
	if up {
		a.steps("up", "made from", book.Up(works))
	}
	if down {
		a.steps("down", "used by", book.Down(digests))
	}
	return damaged
}

// subject finds what is asked for: the digests of its bytes, and what made them.
func subject(store *disk.Store, book *provenance.Book, name string) (digests []artifacts.Digest,
	works []*provenance.Work, err error) {
	info, err := os.Stat(name)
	isFile := err == nil && !info.IsDir()
	if isFile {
		digests, err = export.Digests(store, name)
		if err != nil {
			return nil, nil, err
		}
	} else if digests, works = book.Find(name); len(digests)+len(works) > 1 {
		return nil, nil, exit.Wrongf("%s is the beginning of %d digests and %d keys: give more of it", name, len(digests), len(works))
	} else if len(digests)+len(works) == 0 {
		works = book.Task(name)
	}
	known := len(works) > 0
	for _, d := range digests {
		if w := book.Maker(d); w != nil && !slices.Contains(works, w) {
			works = append(works, w)
		}
		known = known || len(works)+len(book.Users(d)) > 0
	}
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case !known && isFile:
		remedy := "--store DIR names another store"
		if ext == ".csv" || ext == ".tsv" {
			remedy = "a table of text does not state its origin: export it as Arrow or Parquet, or give its task (lineage evaluate)"
		}
		return nil, nil, fmt.Errorf("%s: neither its metadata nor its bytes (SHA-256 %s) are recorded in %s; %s", name, digests[0], store.Dir(), remedy)
	case !known:
		return nil, nil, exit.Wrongf("%s is not a file, and %s has no record of a digest, key, task or stage of that name", name, store.Dir())
	}
	if len(digests) == 0 {
		for _, w := range works {
			for _, out := range w.Outputs {
				digests = append(digests, out.Digest)
			}
		}
	}
	return digests, works, nil
}

// A printer prints works on a console.
type printer struct{ *console.Console }

func (a printer) steps(direction, heading string, steps []provenance.Step) {
	if len(steps) > 0 && !a.JSON {
		fmt.Fprintf(a.Out, "\n%s\n", heading)
	}
	for _, s := range steps {
		a.step(direction, s)
	}
}

// step prints a step: the works of a stage as one, with what they share, or with -v each.
func (a printer) step(direction string, s provenance.Step) {
	if a.JSON {
		a.objects(direction, s)
		return
	}
	through, indent := "", strings.Repeat("  ", s.Depth)
	if s.Port != "" {
		through = s.Port + map[bool]string{true: " → ", false: " ← "}[direction == "down"]
	}
	if len(s.Files) > 0 {
		names := lists.Map(s.Files, func(f artifacts.Ref) string { return f.Digest.String()[:12] })
		fmt.Fprintf(a.Out, "%s%s%s: %s\n", indent, through, words.Count(len(s.Files), "input file"),
			words.Some(names, 4))
	}
	if len(s.Works) == 0 {
		return
	}
	w := s.Works[0]
	name := w.Task
	if len(s.Works) > 1 {
		name = fmt.Sprintf("%s (%s)", w.Stage(), words.Count(len(s.Works), "task"))
	}
	if s.Again {
		fmt.Fprintf(a.Out, "%s%s%s (see above)\n", indent, through, name)
		return
	}
	fmt.Fprintf(a.Out, "%s%s%s  %s\n", indent, through, a.Page.Bold(name),
		a.Page.Faint(fmt.Sprintf("run %s, %s", w.Run, w.When.Local().Format("2006-01-02 15:04"))))
	var shared []string // the parameters that all works have with one value
	for _, p := range w.Recipe.Parameters {
		if !slices.ContainsFunc(s.Works,
			func(w *provenance.Work) bool { return !slices.Contains(w.Recipe.Parameters, p) }) {
			shared = append(shared, p.Name+" = "+p.Value)
		}
	}
	if shared != nil {
		fmt.Fprintf(a.Out, "%s    %s\n", indent, console.Clip(strings.Join(shared, ", "), 160))
	}
	if a.Verbose || s.Depth == 0 && len(s.Works) <= 3 {
		for _, w := range s.Works {
			for _, ref := range w.Outputs {
				fmt.Fprintf(a.Out, "%s    %s.%s  %s  key %.12s\n", indent, w.Task, ref.Name, ref.Digest.String()[:12], w.Key)
			}
		}
	}
}

func (a printer) objects(direction string, s provenance.Step) {
	e := event{Direction: direction, Depth: s.Depth, Port: s.Port}
	for _, f := range s.Files {
		e.File = f.Digest.String()
		a.Object("lineage", e)
	}
	e.File = ""
	for _, w := range s.Works {
		e.Task, e.Kind, e.Key, e.Code, e.Run = w.Task, w.Recipe.Kind, w.Key.String(), w.Recipe.Code, w.Run
		e.Parameters, e.Outputs = map[string]string{}, map[string]string{}
		for _, p := range w.Recipe.Parameters {
			e.Parameters[p.Name] = p.Value
		}
		for _, ref := range w.Outputs {
			e.Outputs[ref.Name] = ref.Digest.String()
		}
		a.Object("lineage", e)
	}
}
