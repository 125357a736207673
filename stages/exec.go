package stages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/dag"
)

func init() {
	Register(dag.Kind{
		Name: "exec",
		Doc: "runs a command of yours on declared inputs\n" +
			"The command starts in a fresh directory. {NAME} in it becomes the path of the input or output of that name, or the value of the parameter; inputs may be read and not written. A gathered input is a TSV file with a row for each member: its coordinates, and the path of its file. The command sees no environment variables but those that are allowed. What it prints is kept as the output log. Give scripts as inputs ({file: stats.py}): then a changed script runs again; a changed program does not, so say its version among the parameters.",
		New: func() dag.Stage { return &Exec{Environment: []string{"PATH"}, TimeLimit: 3600} },
	})
}

// Exec runs a command. Its ports are those that its parameters declare.
type Exec struct {
	Command     []string `param:"command" doc:"the program and its arguments, each by itself; {NAME} stands for a path or a parameter, {{ and }} for braces"`
	Inputs      []string `param:"inputs" doc:"declared inputs: NAME=FORMAT, or NAME*=FORMAT for one that gathers; without =FORMAT anything is taken"`
	Outputs     []string `param:"outputs" doc:"declared outputs: NAME=FORMAT, such as result=arrow; the command must write a file of that format for each"`
	Parameters  []string `param:"parameters" doc:"NAME=VALUE, for {NAME} in the command"`
	Environment []string `param:"environment" doc:"the environment of the command: NAME passes a variable on, NAME=VALUE sets it; there is no other"`
	TimeLimit   float64  `param:"time_limit" doc:"the command is stopped after this time; 0 sets no limit" min:"0" unit:"s"`
}

// A declared is one entry of inputs, outputs or parameters.
type declared struct {
	name, value string // value: the format, or the parameter's value
	gather, has bool   // has: there was an =
}

func declare(entry string) declared {
	name, value, has := strings.Cut(entry, "=")
	name, gather := strings.CutSuffix(strings.TrimSpace(name), "*")
	return declared{strings.TrimSpace(name), strings.TrimSpace(value), gather, has}
}

// execLog is the output that every command has.
const execLog = "log"

// Ports are the declared ones, and the log.
func (e *Exec) Ports() dag.Ports {
	var p dag.Ports
	for _, entry := range e.Inputs {
		d := declare(entry)
		p.In = append(p.In, dag.Port{Name: d.name, Type: dag.Format(d.value), Gather: d.gather})
	}
	for _, entry := range e.Outputs {
		d := declare(entry)
		p.Out = append(p.Out, dag.Port{Name: d.name, Type: dag.Format(d.value)})
	}
	p.Out = append(p.Out, dag.Port{Name: execLog, Type: dag.Format("log"), Doc: "what the command printed"})
	return p
}

var (
	execName  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	execPlace = regexp.MustCompile(`\{\{|\}\}|\{[A-Za-z][A-Za-z0-9_-]*\}`)
)

// Validate checks what is declared and what the command asks for.
func (e *Exec) Validate() []error {
	var wrong []error
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if len(e.Command) == 0 || e.Command[0] == "" {
		bad("command is empty: say which program to run")
	}
	seen := map[string]string{execLog: "the output that every command has"}
	for _, list := range []struct {
		parameter, what string
		entries         []string
	}{{"inputs", "input", e.Inputs}, {"outputs", "output", e.Outputs}, {"parameters", "parameter", e.Parameters}} {
		for _, entry := range list.entries {
			d := declare(entry)
			switch other := seen[d.name]; {
			case !execName.MatchString(d.name):
				bad("%s: %q does not begin with a name of letters, digits, _ and -", list.parameter, entry)
			case other != "":
				bad("%s: %q is taken already: it is %s", list.parameter, d.name, other)
			case list.what == "output" && d.value == "":
				bad("%s: %q does not say the format: %s=arrow, npy, nifti, tsv, text …", list.parameter, entry, d.name)
			case list.what == "parameter" && !d.has:
				bad("%s: %q has no value: %s=VALUE", list.parameter, entry, d.name)
			case list.what != "input" && d.gather:
				bad("%s: %q: only inputs gather", list.parameter, entry)
			case list.what != "parameter" && d.has && d.value == "", list.what != "parameter" && strings.ContainsAny(d.value, `/\. `):
				bad("%s: %q: %q is no format", list.parameter, entry, d.value)
			}
			seen[d.name] = "an " + list.what
			if list.what == "parameter" {
				seen[d.name] = "a parameter"
			}
		}
	}
	delete(seen, execLog)
	var names []string
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, word := range e.Command {
		for _, place := range execPlace.FindAllString(word, -1) {
			if name := strings.Trim(place, "{}"); name != "" && seen[name] == "" {
				bad("command: %s is neither an input, an output nor a parameter%s; {{ stands for a brace", place, didYouMean(name, names))
			}
		}
	}
	for _, entry := range e.Environment {
		if name, _, _ := strings.Cut(entry, "="); name == "" || strings.ContainsAny(name, " \t\x00") {
			bad("environment: %q is neither NAME nor NAME=VALUE", entry)
		}
	}
	return wrong
}

// Run carries the command out.
func (e *Exec) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	if wrong := e.Validate(); wrong != nil {
		return nil, errors.Join(wrong...)
	}
	dir, err := os.MkdirTemp("", "pipeline-exec-")
	if err != nil {
		return nil, err
	}
	defer func() { makeRemovable(dir); os.RemoveAll(dir) }()
	places, err := e.lay(dir, t)
	if err != nil {
		return nil, err
	}
	log, err := e.call(ctx, dir, places)
	if err != nil {
		return nil, err
	}
	out := dag.Outputs{execLog: artifacts.Bytes{Kind: "log", Data: log}}
	var wrong []error
	for _, entry := range e.Outputs {
		d := declare(entry)
		v, err := collect(filepath.Join(dir, places[d.name]), d)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		out[d.name] = v
	}
	if wrong != nil {
		return nil, fmt.Errorf("%w%s", errors.Join(wrong...), tail(log))
	}
	return out, nil
}

// call starts the command and waits for it.
func (e *Exec) call(ctx context.Context, dir string, places map[string]string) ([]byte, error) {
	words := make([]string, len(e.Command))
	for i, word := range e.Command {
		words[i] = execPlace.ReplaceAllStringFunc(word, func(place string) string {
			switch place {
			case "{{", "}}":
				return place[:1]
			}
			return places[strings.Trim(place, "{}")]
		})
	}
	limited := ctx
	if e.TimeLimit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, time.Duration(e.TimeLimit*float64(time.Second)))
		defer cancel()
	}
	cmd := exec.CommandContext(limited, words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, e.environment(dir)
	if path := e.lookPath(words[0]); path != "" {
		cmd.Path, cmd.Err = path, nil
	}
	cmd.WaitDelay = 5 * time.Second // for the pipes of what it has started, once it is gone
	killWhole(cmd)
	var log bounded
	cmd.Stdout, cmd.Stderr = &log, &log
	err := cmd.Run()
	text := log.bytes()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("the command was stopped after %g s (time_limit)%s", e.TimeLimit, tail(text))
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no program %q (it starts in a directory of its own: a script of yours is given as an input)", words[0])
	case err != nil:
		return nil, fmt.Errorf("the command %q ended with %w%s", words[0], err, tail(text))
	}
	return text, nil
}

// lookPath finds the program where the command's own PATH says, when its
// environment sets one; the standard library looks along that of this process.
func (e *Exec) lookPath(program string) string {
	if strings.ContainsAny(program, `/\`) {
		return ""
	}
	for _, entry := range e.Environment {
		list, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
				return path
			}
		}
	}
	return ""
}

// environment is what the command may see: what is allowed, a place for its
// temporary files, and settings that make its output the same everywhere.
func (e *Exec) environment(dir string) []string {
	env := []string{"TMPDIR=" + filepath.Join(dir, "tmp"), "TEMP=" + filepath.Join(dir, "tmp"), "LANG=C.UTF-8", "TZ=UTC"}
	for _, entry := range e.Environment {
		if strings.Contains(entry, "=") {
			env = append(env, entry)
		} else if v, ok := os.LookupEnv(entry); ok {
			env = append(env, entry+"="+v)
		}
	}
	return env
}

// tail is the end of the log for an error.
func tail(log []byte) string {
	const lines = 20
	text := strings.TrimRight(string(log), "\n")
	if text == "" {
		return "; it printed nothing"
	}
	all := strings.Split(text, "\n")
	if len(all) > lines {
		all = append([]string{"…"}, all[len(all)-lines:]...)
	}
	return "; it printed\n    " + strings.Join(all, "\n    ")
}

// bounded keeps the beginning and the end of what is written to it.
type bounded struct {
	head, tail bytes.Buffer
	lost       int
}

const boundedSize = 1 << 20 // of each end

func (b *bounded) Write(p []byte) (int, error) {
	n := len(p)
	if room := boundedSize - b.head.Len(); room > 0 {
		room = min(room, len(p))
		b.head.Write(p[:room])
		p = p[room:]
	}
	b.tail.Write(p)
	if over := b.tail.Len() - 2*boundedSize; over > 0 {
		b.lost += b.tail.Len() - boundedSize
		b.tail.Next(b.tail.Len() - boundedSize)
	}
	return n, nil
}

func (b *bounded) bytes() []byte {
	out := slices.Clone(b.head.Bytes())
	if b.lost > 0 {
		out = fmt.Appendf(out, "\n… %d bytes left out …\n", b.lost)
	}
	return append(out, b.tail.Bytes()...)
}
