package results

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
)

// mostTexts is how many texts a run prints.
const mostTexts = 5

// mostOfText is how much of a text a run prints, bytes.
const mostOfText = 64 << 10

// PrintTexts prints the texts for people that no other task reads; where nothing ran, those that differ from the last
// run's, unless all is set. Of further texts of one stage it prints what differs from the first. With -q and
// --json it reads them only: the exit code must not depend on what is printed.
func PrintTexts(a *console.Console, g *dag.Graph, store *disk.Store, r *engine.Result, all bool) error {
	silent := a.Quiet || a.JSON
	var found []Output
	for _, o := range unreadTexts(g) {
		if ref, ok := r.Outputs[o.Task.ID()].Get(o.Port.Name); ok {
			o.Ref = ref
			found = append(found, o)
		}
	}
	var printed func(Output) bool
	if r.Ran+r.Failed == 0 && !all && !silent && len(found) > 0 {
		printed = inLastRun(record.NewPast(store, g.Name()), r.ID)
	}
	var unchanged []string
	type whole struct{ name, text string }
	first := map[*dag.StageNode]whole{} // of each stage, the text that was printed
	for i, o := range found {
		if i == mostTexts {
			if !silent && len(unchanged) < mostTexts {
				fmt.Fprintf(a.Out, "\n%s more: pipeline show FILE %s\n", words.Count(len(found)-mostTexts, "text"), o.Task.Stage().Name())
			}
			break
		}
		text, err := differ.ReadBlob(store, o.Ref)
		if err != nil {
			return fmt.Errorf("%s: %w", o.Name(), err)
		}
		if silent {
			continue
		}
		if printed != nil && printed(o) {
			unchanged = append(unchanged, o.Task.ID())
			continue
		}
		shown, more := strings.TrimRight(string(text), "\n"), ""
		title := a.Page.Bold(o.Name())
		if of, known := first[o.Task.Stage()]; !known {
			first[o.Task.Stage()] = whole{o.Name(), shown}
		} else if shown = differing(shown, of.text); shown == "" {
			fmt.Fprintf(a.Out, "\n%s: the same as %s\n", title, of.name)
			continue
		} else {
			title += ", only what differs from " + of.name + ":"
		}
		if len(found) > 1 {
			fmt.Fprintf(a.Out, "\n%s\n", title)
		}
		if len(shown) > mostOfText {
			shown = strings.ToValidUTF8(shown[:mostOfText], "")
			more = fmt.Sprintf("\n… and %d more bytes: pipeline export FILE %s -o PATH", len(text)-len(shown), o.Name())
		}
		fmt.Fprintln(a.Out, shown+more)
	}
	if unchanged != nil {
		remedy := ""
		if a.Offers("--summary") {
			remedy = "; " + a.With("--summary") + " prints it"
		}
		a.Note("unchanged since the last run: %s%s", words.Some(unchanged, 3), remedy)
	}
	if len(unchanged) < min(len(found), mostTexts) && !silent {
		fmt.Fprintln(a.Out)
	}
	return nil
}

// differing are the paragraphs of a text that another text of the same stage does not have.
func differing(text, other string) string {
	had := strings.Split(other, "\n\n")
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n\n"), func(paragraph string) bool {
		return slices.Contains(had, paragraph)
	}), "\n\n")
}

// inLastRun reports whether the last run that had a text, before the run id, had the same one.
func inLastRun(past *record.Past, id string) func(Output) bool {
	return func(o Output) bool {
		for run := range past.Back {
			if t := run.Task(o.Task.ID()); run.ID != id && t != nil && t.Outputs != nil {
				ref, ok := t.Outputs.Get(o.Port.Name)
				return ok && ref.Digest == o.Ref.Digest
			}
		}
		return false
	}
}

// PrintedTexts are the texts that a run of the whole graph prints, as yet without their refs.
func PrintedTexts(g *dag.Graph) []Output {
	texts := unreadTexts(g)
	return texts[:min(len(texts), mostTexts)]
}

// unreadTexts are the outputs of format text that no task takes further, as yet without
// their refs.
func unreadTexts(g *dag.Graph) []Output {
	text := func(p dag.Port) bool { return p.Type.Format == "text" }
	var writers []*dag.StageNode // few, where there are many tasks
	for _, s := range g.Stages() {
		if len(s.Tasks()) > 0 && slices.ContainsFunc(s.Tasks()[0].Instance().Ports().Out, text) {
			writers = append(writers, s)
		}
	}
	if writers == nil {
		return nil
	}
	read := map[string]bool{} // task.output
	for n := range g.Tasks() {
		for src := range n.Upstream() {
			if slices.Contains(writers, src.Node.Stage()) {
				read[src.Node.ID()+"."+src.Output] = true
			}
		}
	}
	var found []Output
	for _, s := range writers {
		for _, n := range s.Tasks() {
			for _, p := range n.Instance().Ports().Out {
				if o := (Output{Task: n, Port: p}); text(p) && !read[o.Name()] {
					found = append(found, o)
				}
			}
		}
	}
	return found
}
