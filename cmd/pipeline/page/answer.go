package page

import (
	"context"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/pipelines/layer"
	"prgnn/stages/role"
)

// AnswerSettings are the settings of a run with a stage that answers, and its name, where the run made the result of a
// multiverse that no summary shows; nil elsewhere. It is the report of the file, which has its inputs and its headline
// from there, or else a summary that the settings add.
func AnswerSettings(g *dag.Graph, r *engine.Result, sets []string) (with []string, name string) {
	made := false
	for _, s := range g.Stages() {
		if s.Kind().Name == "summary" {
			return nil, ""
		}
		made = made || s.Kind().Name == "multiverse" && slices.ContainsFunc(s.Tasks(),
			func(n *dag.Node) bool { return r.Outputs[n.ID()] != nil })
	}
	kind, known := dag.Lookup("summary")
	if !made || !known {
		return nil, ""
	}
	if page := Stage(g); page != nil && len(page.Stage().Tasks()) == 1 {
		return append([]string{}, sets...), page.Stage().Name()
	}
	name = freeName(g, "summary")
	with = append(slices.Clip(sets), "stages."+name+"="+connected(g, kind))
	if layer.Select(sets) {
		with = append(with, "stages=["+name+"]")
	}
	return with, name
}

// Answer is the top of a summary that no file has: what the results show, and their cautions. There is none before
// the checks of leakage.
func Answer(ctx context.Context, c *results.Current, name string) (string, error) {
	for _, s := range c.Pipeline.Graph.Stages() {
		if s.Name() != name {
			continue
		}
		task := s.Tasks()[0]
		in, err := inputsOf(ctx, c, task)
		if err != nil || in.unchecked != nil {
			return "", err
		}
		if page, is := task.Instance().(role.Reporter); is {
			text, err := page.Text(dag.NewTask(in.ports))
			return top(text), err
		}
		out, err := task.Instance().Run(ctx, dag.NewTask(in.ports))
		if err != nil {
			return "", err
		}
		return top(string(out["text"].(artifacts.Bytes).Data)), nil
	}
	return "", nil
}

// top are the sections of a summary up to its cautions, which other sections follow.
func top(text string) string {
	cautions := false
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if line != "" && line[0] != ' ' {
			if cautions || !slices.Contains([]string{"SIMULATED DATA", "Incomplete", "Summary", "Cautions"}, line) {
				break
			}
			cautions = line == "Cautions"
		}
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
