// Package trace prints the provenance of one result: what it was made from, and what was made from it.
package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/lineage"
)

type event struct {
	Event      string            `json:"event"`     // "lineage"
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
func Print(c *console.Console, store *artifacts.Store, name string, up, down bool) error {
	a := printer{c}
	book, damaged := lineage.Read(store)
	digests, works, err := subject(store, book, name)
	if err != nil {
		return err
	}
	for rest := works; len(rest) > 0; { // each stage at once
		n := 1
		for n < len(rest) && rest[n].Stage() == rest[0].Stage() {
			n++
		}
		a.work("self", 0, "", rest[:n])
		rest = rest[n:]
	}
	if len(works) == 0 && !a.JSON {
		fmt.Fprintf(a.Out, "%s: no task of this store made this file\n", name)
	}
	if up {
		a.steps("up", book.Up(works))
	}
	if down {
		a.steps("down", book.Down(digests))
	}
	return damaged
}

// A printer prints works on a console.
type printer struct{ *console.Console }

// subject finds what is asked for: the digests of its bytes, and who made them.
func subject(store *artifacts.Store, book *lineage.Book, name string) ([]artifacts.Digest, []*lineage.Work, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		digests, err := export.Digests(store, name)
		if err != nil {
			return nil, nil, err
		}
		var works []*lineage.Work
		known := false
		for _, d := range digests {
			if w := book.Maker(d); w != nil && !slices.Contains(works, w) {
				works = append(works, w)
			}
			known = known || len(book.Users(d)) > 0
		}
		if len(works) == 0 && !known {
			remedy := "--store DIR names another store"
			if ext := strings.ToLower(filepath.Ext(name)); ext == ".csv" || ext == ".tsv" {
				remedy = "a table of text does not say where it comes from: export it as Arrow or Parquet, or ask for its task (lineage evaluate)"
			}
			return nil, nil, fmt.Errorf("%s: neither its metadata nor its bytes (SHA-256 %s) are recorded in %s; %s", name, digests[0], store.Dir(), remedy)
		}
		return digests, works, nil
	}
	digests, works := book.Find(name)
	switch {
	case len(digests)+len(works) > 1:
		return nil, nil, exit.Wrongf("%s is the beginning of %d digests and %d keys: give more of it", name, len(digests), len(works))
	case len(digests) == 1:
		if w := book.Maker(digests[0]); w != nil {
			works = []*lineage.Work{w}
		}
	case len(works) == 0:
		works = book.Task(name)
	}
	if len(digests)+len(works) == 0 {
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

func (a printer) steps(direction string, steps []lineage.Step) {
	if len(steps) > 0 && !a.JSON {
		fmt.Fprintln(a.Out, map[string]string{"up": "\nmade from", "down": "\nused by"}[direction])
	}
	for _, s := range steps {
		indent := strings.Repeat("  ", s.Depth)
		for _, f := range s.Files {
			if a.JSON {
				a.Object(event{Event: "lineage", Direction: direction, Depth: s.Depth, Port: s.Port,
					File: f.Digest.String()})
			}
		}
		if len(s.Files) > 0 && !a.JSON {
			names := lists.Map(s.Files, func(f artifacts.Ref) string { return f.Digest.String()[:12] })
			fmt.Fprintf(a.Out, "%s%s ← %s: %s\n", indent, s.Port, words.Count(len(s.Files), "input file"),
				words.Some(names, 4))
		}
		switch {
		case len(s.Works) == 0:
		case s.Again && !a.JSON:
			fmt.Fprintf(a.Out, "%s%s %s %s (see above)\n", indent, s.Port, arrowOf(direction), worksText(s.Works))
		default:
			a.work(direction, s.Depth, s.Port, s.Works)
		}
	}
}

func arrowOf(direction string) string {
	if direction == "down" {
		return "→"
	}
	return "←"
}

func worksText(works []*lineage.Work) string {
	if len(works) == 1 {
		return works[0].Task
	}
	return fmt.Sprintf("%s (%s)", works[0].Stage(), words.Count(len(works), "task"))
}

// work prints works of one stage: as one, with what they share, or with -v each.
func (a printer) work(direction string, depth int, port string, works []*lineage.Work) {
	if a.JSON {
		for _, w := range works {
			e := event{Event: "lineage", Direction: direction, Depth: depth, Port: port, Task: w.Task,
				Kind: w.Recipe.Kind, Key: w.Key.String(), Code: w.Recipe.Code, Run: w.Run,
				Parameters: map[string]string{}, Outputs: map[string]string{}}
			for _, p := range w.Recipe.Parameters {
				e.Parameters[p.Name] = p.Value
			}
			for _, ref := range w.Outputs {
				e.Outputs[ref.Name] = ref.Digest.String()
			}
			a.Object(e)
		}
		return
	}
	indent := strings.Repeat("  ", depth)
	through := ""
	if port != "" {
		through = port + " " + arrowOf(direction) + " "
	}
	w := works[0]
	fmt.Fprintf(a.Out, "%s%s%s  %s\n", indent, through, a.Page.Bold(worksText(works)),
		a.Page.Faint(fmt.Sprintf("run %s, %s", w.Run, w.When.Local().Format("2006-01-02 15:04"))))
	if text := sharedParameters(works); text != "" {
		fmt.Fprintf(a.Out, "%s    %s\n", indent, console.Clip(text, 160))
	}
	if a.Verbose || depth == 0 && len(works) <= 3 {
		for _, w := range works {
			for _, ref := range w.Outputs {
				fmt.Fprintf(a.Out, "%s    %s.%s  %s  key %.12s\n", indent, w.Task, ref.Name, ref.Digest.String()[:12], w.Key)
			}
		}
	}
}

// sharedParameters are those that all works have with one value.
func sharedParameters(works []*lineage.Work) string {
	var parts []string
	for _, p := range works[0].Recipe.Parameters {
		if !slices.ContainsFunc(works, func(w *lineage.Work) bool { return !slices.Contains(w.Recipe.Parameters, p) }) {
			parts = append(parts, p.Name+" = "+p.Value)
		}
	}
	return strings.Join(parts, ", ")
}
