package results

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/layer"
)

// An Output is one artifact of the graph: a task, one of its output ports, and
// the bytes that it gave.
type Output struct {
	Task *dag.Node
	Port dag.Port
	Ref  artifacts.Ref
}

// Name is TASK.OUTPUT.
func (o Output) Name() string { return o.Task.ID() + "." + o.Port.Name }

// A Selection is STAGE, STAGE.OUTPUT, STAGE[members] or STAGE[members].OUTPUT.
type Selection struct {
	Stage *dag.StageNode
	Tasks []*dag.Node // those that have the output
	Port  dag.Port    // of the output; the first one when none was named
	Named bool        // an output was named
	All   []*dag.Node // also those of another part of the cohort
	text  string      // as a person named it
}

// Parts are what a person names, *[universe=…] one for each stage that has such tasks.
func Parts(g *dag.Graph, text string) (parts []string) {
	members, is := strings.CutPrefix(text, "*[")
	if tasks, err := g.Select(text); is && err == nil {
		for _, n := range tasks {
			if part := n.Stage().Name() + "[" + members; !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	if parts == nil {
		return []string{text}
	}
	return parts
}

// Choose finds what a person names on the command line.
func Choose(g *dag.Graph, text string) (*Selection, error) {
	// The last bracket ends the members: those of a list, as in
	// train[lambda=[0, 0]].scores, stand inside.
	pattern, out := text, ""
	if end := strings.LastIndexByte(text, ']'); end >= 0 {
		pattern, out = text[:end+1], text[end+1:]
		if out != "" && !strings.HasPrefix(out, ".") {
			return nil, exit.Wrongf("%s: only a dot and an output may follow the ]", text)
		}
		out = strings.TrimPrefix(out, ".")
		named, member, _ := strings.Cut(pattern, "[")
		if stage, output, dotted := strings.Cut(named, "."); dotted && out == "" && HasStage(g, stage) &&
			!HasStage(g, named) {
			return nil, exit.Wrongf("%s: the output comes after the member: %s[%s.%s", text, stage, member, output)
		}
	} else if !HasStage(g, text) {
		pattern, out, _ = strings.Cut(text, ".")
	}
	if text == "findings" && !HasStage(g, text) { // of the summary
		for _, s := range g.Stages() {
			if s.Kind().Name == "summary" && (out == "" || s.Name() == "summary") {
				pattern, out = s.Name(), "findings"
			}
		}
	}
	tasks, err := g.Select(pattern)
	if err != nil {
		return nil, exit.Wrong(fmt.Errorf("%s: %w", g.File(), err))
	}
	for _, n := range tasks {
		if n.Stage().Name() != tasks[0].Stage().Name() {
			return nil, exit.Wrongf("%s matches tasks of several stages, %s and %s; give one stage", pattern, tasks[0].Stage().Name(), n.Stage().Name())
		}
	}
	sel, err := withOutput(tasks, out)
	if err == nil {
		sel.text = text
	}
	return sel, err
}

// Named are the tasks whose results a stage, task or output stands for.
func Named(g *dag.Graph, text string) (*Selection, []*dag.Node, error) {
	sel, err := Choose(g, text)
	if err != nil {
		return nil, nil, err
	}
	if !sel.Named {
		return sel, sel.All, nil
	}
	return sel, sel.Tasks, nil
}

// Missing says which results are missing, why, and how to get them. hint ends it where
// others are there.
func (c *Current) Missing(a *console.Console, sel *Selection, there, others []*dag.Node, hint string) error {
	if err := c.withheld(a, others); err != nil {
		return err
	}
	first := c.Steps[others[0]]
	why := ""
	if first != nil && first.Reason != "" {
		why = fmt.Sprintf(" (%s: %s)", others[0].ID(), first.Reason)
	}
	until := sel.Stage.Name()
	if len(others) == 1 {
		until = others[0].ID()
	}
	text, makes := fmt.Sprintf("%d of %s of %s %s missing%s", len(others), words.Count(len(sel.Tasks), "result"),
		sel.Stage.Name(), words.Verb(len(others), "is", "are"), why), "makes them"
	if len(sel.Tasks) == 1 {
		text, makes = fmt.Sprintf("there is no result of %s%s", others[0].ID(), strings.Replace(why, "("+others[0].ID()+": ", "(", 1)), "makes it"
	}
	failed := c.failures(others[0])
	if failed != "" {
		text, makes = text+"\n"+c.Pipeline.Roster.CompleteExclude(failed), makes+" once the cause is fixed"
	}
	text += "\n  " + c.runUntil(a, until) + " " + makes
	if earlier := c.Tried(sel.text); earlier != nil {
		text += "\n  " + WithSettings(a, earlier.Sets) + " uses the complete results of an earlier run"
	} else if run, n := c.Earlier(others); n > 0 && c.Run == nil {
		text += "; " + a.Command("show", run.ID, sel.Stage.Name()) + " prints that of an earlier run, of other inputs, parameters or code"
	}
	if len(there) > 0 {
		text += hint
	}
	err := fmt.Errorf("%s", text)
	if first != nil && first.Damaged {
		err = &exit.Error{Code: exit.Damaged, Err: err}
	}
	return err
}

// runUntil is the command that makes the results of a stage or task.
func (c *Current) runUntil(a *console.Console, until string) string {
	if c.Run != nil {
		return Remake(a, c.Run, "--until", until)
	}
	return a.Command(WithSets([]string{"run", c.File, "--until", until}, c.Sets)...)
}

// RunAll is the command that makes all results, with the settings that they were looked up with. A recorded run has
// its settings in its text.
func (c *Current) RunAll(a *console.Console) string {
	if c.Run != nil {
		return Remake(a, c.Run)
	}
	sets := c.Sets
	if c.File == "" {
		_, sets = layer.SplitSource(c.Pipeline.Graph.Source())
	}
	return Run(a, cmp.Or(c.File, c.Pipeline.File), sets)
}

// Remake is the command that makes results of a recorded run again: that of its file and settings. If the file is
// another one now, that is stated.
func Remake(a *console.Console, run *record.Record, more ...string) string {
	then, sets := layer.SplitSource(run.Source)
	command := a.Command(WithSets(append([]string{"run", run.File}, more...), sets)...)
	if now, _, err := layer.Source(run.File); err != nil || now != then {
		command += ", with " + run.File + " as it was in run " + run.ID + ","
	}
	return command
}

// Run is the command that runs a file with settings.
func Run(a *console.Console, file string, sets []string) string {
	return a.Command(WithSets([]string{"run", file}, sets)...)
}

// WithSets are the words of a command line, and a flag for each setting: --set, or --without for a stage that is null.
func WithSets(line, sets []string) []string {
	for _, set := range sets {
		if stage, is := LeftOut(set); is {
			line = append(line, "--without", stage)
		} else {
			line = append(line, "--set", set)
		}
	}
	return line
}

// WithSettings is the command line as it was typed, to look with these settings.
func WithSettings(a *console.Console, sets []string) string {
	if len(sets) == 0 {
		return a.With("--as-written")
	}
	return a.With(WithSets(nil, sets)...)
}

// LeftOut is the stage that a setting leaves out, as --without does.
func LeftOut(set string) (stage string, is bool) {
	stage, is = strings.CutPrefix(set, "stages.")
	stage, null := strings.CutSuffix(stage, "=null")
	return stage, is && null && !strings.ContainsAny(stage, ".=")
}

// ShownSets are settings in a message, as the flags that set them.
func ShownSets(sets []string) string {
	return console.Clip(strings.Join(WithSets(nil, sets), " "), 200)
}

// failures lists the tasks that a task needs and that cannot run, or failed when they last ran, as they are now,
// and why: each on lines of its own. "" when none did.
func (c *Current) failures(of *dag.Node) string {
	var lines []string
	seen := map[*dag.Node]bool{}
	var look func(*dag.Node)
	look = func(n *dag.Node) {
		s := c.Steps[n]
		if seen[n] || s == nil || s.State == engine.Cached {
			return
		}
		seen[n] = true
		if said := c.Failure(n); said != "" {
			lines = append(lines, "  "+n.ID()+" failed: "+strings.ReplaceAll(said, "\n", "\n  "))
		} else if s.State == engine.Failed && n != of {
			lines = append(lines, "  "+n.ID()+" cannot run: "+strings.ReplaceAll(s.Reason, "\n", "\n  "))
		}
		for src := range n.Upstream() {
			look(src.Node)
		}
	}
	look(of)
	const most = 5
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("  … and %d more failed", more))
	}
	return strings.Join(lines, "\n")
}

// Failure is what a task said that failed when it last ran as it is now; "" for any other.
func (c *Current) Failure(n *dag.Node) string {
	text := c.Log(n)
	if at := strings.LastIndex("\n"+text, "\nerror: "); at >= 0 {
		return strings.TrimSpace(text[at+len("error: "):])
	}
	return ""
}

// Log is the log of a task without a result; "" where there is none.
func (c *Current) Log(n *dag.Node) string {
	s := c.Steps[n]
	if s == nil || s.Key == (artifacts.Key{}) || s.State == engine.Cached {
		return ""
	}
	text, err := os.ReadFile(c.Store.Work.LogPath(s.Key))
	if err != nil {
		return ""
	}
	return string(text)
}

// IDs are the names of tasks.
func IDs(nodes []*dag.Node) []string { return lists.Map(nodes, (*dag.Node).ID) }

// HasStage reports whether a graph has a stage of a name.
func HasStage(g *dag.Graph, name string) bool {
	return slices.ContainsFunc(g.Stages(), func(s *dag.StageNode) bool { return s.Name() == name })
}

// withOutput finds the tasks that have an output: the cohort may have two parts of
// one name, its tables and the files of each participant.
func withOutput(tasks []*dag.Node, name string) (*Selection, error) {
	sel := &Selection{All: tasks, Named: name != ""}
	var names []string
	for _, n := range tasks {
		if sel.Stage != nil && n.Stage() != sel.Stage {
			continue
		}
		for _, p := range n.Instance().Ports().Out {
			if name == "" && sel.Stage == nil || p.Name == name || sel.Stage != nil && p.Name == sel.Port.Name {
				sel.Stage, sel.Port = n.Stage(), p
				sel.Tasks = append(sel.Tasks, n)
				break
			}
			names = append(names, p.Name)
		}
	}
	if sel.Stage == nil {
		slices.Sort(names)
		return nil, exit.Wrongf("stage %s has no output %q%s", tasks[0].Stage().Name(), name, words.OrAll(name, slices.Compact(names)))
	}
	return sel, nil
}
