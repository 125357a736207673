package cli

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
)

// An output is one artifact of the graph: a task, one of its output ports, and
// the bytes that it gave.
type output struct {
	task *dag.Node
	port dag.Port
	ref  artifacts.Ref
}

func (o output) name() string { return o.task.ID + "." + o.port.Name }

// A selection is STAGE, STAGE.OUTPUT, STAGE[members] or STAGE[members].OUTPUT.
type selection struct {
	stage *dag.StageNode
	tasks []*dag.Node // those that have the output
	port  dag.Port    // of the output; the first one when none was named
	named bool        // an output was named
	all   []*dag.Node // also those of another part of the cohort
}

// choose finds what a person names on the command line.
func choose(g *dag.Graph, text string) (*selection, error) {
	// The last bracket ends the members: those of a list, as in
	// train[lambda=[0, 0]].scores, stand inside.
	pattern, out := text, ""
	if end := strings.LastIndexByte(text, ']'); end >= 0 {
		pattern, out = text[:end+1], text[end+1:]
		if out != "" && !strings.HasPrefix(out, ".") {
			return nil, wrongf("%s: after the ] comes nothing, or a dot and an output", text)
		}
		out = strings.TrimPrefix(out, ".")
	} else if !hasStage(g, text) {
		pattern, out, _ = strings.Cut(text, ".")
	}
	tasks, err := g.Select(pattern)
	if err != nil {
		return nil, wrong(fmt.Errorf("%s: %w", g.File, err))
	}
	for _, n := range tasks {
		if n.Stage.Name != tasks[0].Stage.Name {
			return nil, wrongf("%s names tasks of several stages, %s and %s: name one", pattern, tasks[0].Stage.Name, n.Stage.Name)
		}
	}
	return withOutput(tasks, out)
}

func hasStage(g *dag.Graph, name string) bool {
	return slices.ContainsFunc(g.Stages, func(s *dag.StageNode) bool { return s.Name == name })
}

// withOutput finds the tasks that have an output: the cohort may have two parts of
// one name, its tables and the files of each participant.
func withOutput(tasks []*dag.Node, name string) (*selection, error) {
	sel := &selection{all: tasks, named: name != ""}
	var names []string
	for _, n := range tasks {
		if sel.stage != nil && n.Stage != sel.stage {
			continue
		}
		for _, p := range n.Work.Ports().Out {
			if name == "" && sel.stage == nil || p.Name == name || sel.stage != nil && p.Name == sel.port.Name {
				sel.stage, sel.port = n.Stage, p
				sel.tasks = append(sel.tasks, n)
				break
			}
			names = append(names, p.Name)
		}
	}
	if sel.stage == nil {
		slices.Sort(names)
		return nil, wrongf("stage %s has no output %q%s", tasks[0].Stage.Name, name, meant(name, slices.Compact(names)))
	}
	return sel, nil
}

// meant ends an error about an unknown name: the nearest, or all when they are few.
func meant(name string, names []string) string {
	if n := dag.Nearest(name, names); n != "" {
		return ` (did you mean "` + n + `"?)`
	}
	if len(names) == 0 {
		return ""
	}
	return " (there are " + some(names, 30) + ")"
}
