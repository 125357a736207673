package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/internal/workdir"
	"prgnn/stages/role"
)

var execKind = dag.Kind{
	Name: "exec",
	Doc: "runs your own command on declared inputs\n" +
		"The command starts in a new directory. {NAME} in the command is replaced by the path of the input or output of that name, or by the value of the parameter; inputs are read-only. A gathered input is a TSV file with one row per member: its coordinates and the path of its file. The command sees only the variables that environment lists, PATH, TMPDIR and TEMP (a directory of its own), LANG (C.UTF-8) and TZ (UTC); the result depends on the values of the listed ones, which are recorded as hashes. Its output is kept with the result (pipeline log) and shown if it fails. Connect scripts as inputs ({file: stats.py}), so that a changed script runs again. The content of the program counts too, with the interpreter of a script, the programs in a shell line, files and directories whose absolute paths the command contains, files that are values of its variables, and all files behind variables that name places of code, such as PYTHONPATH. What these load from elsewhere does not count, such as installed packages: connect a list of them as the input requirements, or run the command in a container: in: { container: { file: tools.sif } }. Apptainer or podman runs the container; the command then sees the image and its own directory, and no network. With strict: true, a command without a container sees, of this machine, only the installed programs of the system, read-only, and what counts.",
	New: func() dag.Stage { return &Exec{TimeLimit: 3600, Python: defaultPython, Promises: "bits"} },
}

var (
	_ role.PortUser  = (*Exec)(nil)
	_ role.Promiser  = (*Exec)(nil)
	_ role.Adviser   = (*Exec)(nil)
	_ role.InputUser = (*Exec)(nil)
)

// Exec runs a command. Its ports are those that its parameters declare.
type Exec struct {
	Command     []string `param:"command" doc:"the program and its arguments as a list; {NAME} stands for a path or a parameter, {{ and }} for braces"`
	Inputs      []string `param:"inputs" doc:"declared inputs: NAME=FORMAT, or NAME*=FORMAT for one that gathers; without =FORMAT, any format is accepted"`
	Outputs     []string `param:"outputs" doc:"declared outputs: NAME=FORMAT, such as result=arrow; the command must write a file of that format for each. A table may declare columns that it must have, NAME=FORMAT(COLUMN COLUMN), such as 'fit=tsv(plant rate)'"`
	Parameters  []string `param:"parameters" doc:"NAME=VALUE, for {NAME} in the command"`
	Environment []string `param:"environment" doc:"environment variables of the command, besides PATH, TMPDIR, TEMP, LANG=C.UTF-8 and TZ=UTC: NAME passes a variable on, NAME=VALUE sets it. Another value runs the command again (another PATH only if PATH is listed); of a variable that names places of code (PYTHONPATH, R_LIBS, PERL5LIB, MATLABPATH, LD_LIBRARY_PATH, CLASSPATH …) the files count, and not the value. Only a hash of a passed value is recorded"`
	Scratch     []string `param:"scratch" doc:"absolute paths of files and directories that the command writes and does not read as input, such as a cache: their content does not count, and may change"`
	TimeLimit   float64  `param:"time_limit" doc:"the command is stopped after this time; 0 sets no limit" min:"0" max:"1e9" unit:"s"`
	Strict      bool     `param:"strict" doc:"the command sees only its inputs, what counts by content, and the system (/usr, /bin, /lib, a few files of /etc), read-only, in /work with a /tmp of its own; no HOME, no network, no other process. Linux, where user namespaces are allowed; elsewhere the task fails. A container is always strict"`
	Software    []string `param:"software" doc:"with strict: absolute paths of directories of installed software that the command sees too, such as a Python environment or MATLAB. Their content counts, unless the input packages lists it"`
	Network     bool     `param:"network" doc:"in a container, or with strict: the command may use the network of the machine"`
	Python      string   `param:"python" doc:"with the input requirements: the Python that makes the environment, such as python3.12"`
	Promises    string   `param:"promise" doc:"reproducibility of the command: bits (identical), a maximum relative error, such as 1e-6, or nothing; audits check it"`
}

// A declared is one entry of inputs, outputs or parameters.
type declared struct {
	name, value string   // value: the format, or the parameter's value
	gather, has bool     // has: there was an =
	columns     []string // of an output that is a table
}

func declare(entry string) declared {
	name, value, has := strings.Cut(entry, "=")
	name, gather := strings.CutSuffix(strings.TrimSpace(name), "*")
	return declared{strings.TrimSpace(name), strings.TrimSpace(value), gather, has, nil}
}

// declareOutput takes the columns from the format of an output: those between commas, or else between blanks.
func declareOutput(entry string) declared {
	d := declare(entry)
	format, columns, ok := strings.Cut(d.value, "(")
	if !ok || !strings.HasSuffix(columns, ")") {
		return d
	}
	d.value, columns = strings.TrimSpace(format), strings.TrimSuffix(columns, ")")
	if !strings.Contains(columns, ",") {
		d.columns = strings.Fields(columns)
		return d
	}
	for _, c := range strings.Split(columns, ",") {
		d.columns = append(d.columns, strings.TrimSpace(c))
	}
	return d
}

func isFormat(name string) bool {
	_, is := formats[name]
	return is
}

// EnvNames are the variables whose values the result depends on.
func (e *Exec) EnvNames() []string {
	names := lists.Keep(e.Environment, func(entry string) bool { return !strings.Contains(entry, "=") })
	return names
}

// Promise is what the user says of the command.
func (e *Exec) Promise() role.Promise {
	p, _ := role.ParsePromise(e.Promises) // Validate has looked at it
	return p
}

// Ports are the declared ones.
func (e *Exec) Ports() dag.Ports {
	p := dag.Ports{In: []dag.Port{
		{Name: containerPort, Optional: true, Doc: "the image to run the command in, {file: tools.sif}: a Singularity image, or an OCI or Docker archive"},
		{Name: lockPort, Optional: true, Doc: "the Python packages of the command, {file: requirements.txt}: each with its version and --hash; {python} is the interpreter that has them"},
		{Name: packagesPort, Optional: true, Doc: "a list of the installed packages that the command uses, with their versions, {file: uv.lock}: a lock file of uv, conda-lock, renv, Julia …, or requirements.txt with hashes. Another content runs the command again; the command does not see it"},
	}}
	for _, entry := range e.Inputs {
		d := declare(entry)
		p.In = append(p.In, dag.Port{Name: d.name, Type: dag.Format(d.value), Gather: d.gather})
	}
	for _, entry := range e.Outputs {
		d := declareOutput(entry)
		p.Out = append(p.Out, dag.Port{Name: d.name, Type: dag.Type{Format: d.value, Columns: d.columns}})
	}
	return p
}

// UsesPorts are those of the program: its other inputs are data.
func (*Exec) UsesPorts() []role.PortUse {
	return []role.PortUse{{Port: containerPort, As: role.Program}, {Port: lockPort, As: role.Program},
		{Port: packagesPort, As: role.Program}}
}

var (
	execName  = pattern.New(`^[A-Za-z][A-Za-z0-9_-]{0,99}$`) // a part of names of files
	execPlace = pattern.New(`\{\{|\}\}|\{[A-Za-z][A-Za-z0-9_-]*\}`)
)

// reserved are directories that strict commands do not write as those of the machine: their own, and the system's.
var reserved = []string{inside, inside + "/inputs", inside + "/outputs", inside + "/tmp", "/tmp", "/var/tmp",
	"/usr", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/local", "/usr/local/bin", "/bin", "/sbin", "/lib",
	"/lib64", "/etc"}

// own are as many of them as are the command's own.
const own = 6

// Validate checks what is declared and what the command asks for.
func (e *Exec) Validate() []error {
	var wrong []error
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if len(e.Command) == 0 || strings.TrimSpace(e.Command[0]) == "" {
		bad("command is empty: name the program to run")
	}
	seen := map[string]string{containerPort: "the image that the command runs in", lockPort: "the list of Python packages",
		packagesPort: "the list of installed packages", interpreter: "the interpreter of the input requirements"}
	for _, list := range []struct {
		parameter, what string
		entries         []string
	}{{"inputs", "input", e.Inputs}, {"outputs", "output", e.Outputs}, {"parameters", "parameter", e.Parameters}} {
		for _, entry := range list.entries {
			d := declare(entry)
			if list.what == "output" {
				d = declareOutput(entry)
			}
			switch other := seen[d.name]; {
			case !execName.MatchString(d.name):
				bad("%s: %q does not begin with a name of letters, digits, _ and -, at most 100", list.parameter, entry)
			case other != "":
				bad("%s: %q is taken already: it is %s", list.parameter, d.name, other)
			case list.what == "output" && d.value == "":
				bad("%s: %q does not state the format: %s=arrow, npy, nifti, tsv, text …", list.parameter, entry, d.name)
			case list.what == "parameter" && !d.has:
				bad("%s: %q has no value: %s=VALUE", list.parameter, entry, d.name)
			case list.what != "input" && d.gather:
				bad("%s: %q: only inputs gather", list.parameter, entry)
			case list.what != "parameter" && d.has && d.value == "", list.what != "parameter" &&
				strings.ContainsAny(d.value, `/\. `):
				bad("%s: %q: %q is not a format", list.parameter, entry, d.value)
			case list.what == "output" && d.has && !isFormat(d.value):
				bad("%s: %q: there is no format %q%s; bin is any file", list.parameter, entry, d.value, words.DidYouMean(d.value, slices.Sorted(maps.Keys(formats))))
			case d.columns != nil && !slices.Contains(tables, d.value):
				bad("%s: %q: only tables have columns (%s)", list.parameter, entry, strings.Join(tables, ", "))
			}
			seen[d.name] = "an " + list.what
			if list.what == "parameter" {
				seen[d.name] = "a parameter"
			}
		}
	}
	var names []string
	delete(seen, containerPort)
	delete(seen, lockPort)
	delete(seen, packagesPort)
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, word := range e.Command {
		for _, place := range execPlace.FindAllString(word, -1) {
			if name := strings.Trim(place, "{}"); name != "" && seen[name] == "" {
				bad("command: %s is not in inputs, outputs or parameters%s; {{ stands for a brace", place, words.DidYouMean(name, names))
			}
		}
	}
	variables := map[string]bool{}
	for _, entry := range e.Environment {
		name, value, set := strings.Cut(entry, "=")
		switch {
		case name == "" || strings.ContainsAny(name, " \t\x00"):
			bad("environment: %q is neither NAME nor NAME=VALUE", entry)
		case cloudCredential.MatchString(name):
			bad("environment: %s is a cloud credential, and results must not depend on credentials: download the data before the run and connect the files as inputs ({file: …})", name)
		case variables[name]:
			bad("environment: %s is listed several times: remove all but one", name)
		case name == "TMPDIR" || name == "TEMP":
			bad("environment: %s is always a directory of the command's own: remove it", name)
		case name == "PATH" && set && value == "":
			bad("environment: PATH= is empty, and no program is found: list the directories, or remove it")
		}
		variables[name] = true
	}
	for _, list := range []struct {
		parameter string
		entries   []string
	}{{"command", e.Command}, {"parameters", e.Parameters}, {"environment", e.Environment}, {"scratch", e.Scratch},
		{"software", e.Software}} {
		for _, entry := range list.entries {
			if strings.Contains(entry, "\x00") {
				bad("%s: %q has a character of value 0, which no program can get: remove it", list.parameter, entry)
			}
		}
	}
	for _, path := range e.Scratch {
		clean := filepath.Clean(path)
		switch {
		case !filepath.IsAbs(path):
			bad("scratch: %q is not an absolute path; relative paths are in the command's own directory, and never count", path)
		case clean == filepath.Dir(clean):
			bad("scratch: %q holds every file that the command reads: list the directories that it writes", path)
		case e.Strict && slices.Contains(reserved, clean):
			bad("scratch: %q has other files for a strict command, its own or those of the system: list another directory", path)
		case e.Strict && content.Computed(clean):
			bad("scratch: %q is computed by the system, or holds devices: list another directory", path)
		}
	}
	for _, dir := range e.Software {
		clean := filepath.Clean(dir)
		switch {
		case !filepath.IsAbs(dir):
			bad("software: %q is not an absolute path", dir)
		case clean == filepath.Dir(clean):
			bad("software: %q holds all files of the machine: list the directories of the software", dir)
		case slices.Contains(reserved[:own], clean):
			bad("software: %q is a strict command's own directory: list another one", dir)
		case content.Computed(clean):
			bad("software: %q is computed by the system, or holds devices: list another directory", dir)
		}
	}
	if len(e.Software) > 0 && !e.Strict {
		bad("software: a command sees all software unless it is strict: add strict: true, or remove software")
	}
	if _, err := role.ParsePromise(e.Promises); err != nil {
		bad("promise: %w", err)
	}
	return wrong
}

// RefusesInputs checks the inputs that are no files of the command against its parameters.
func (e *Exec) RefusesInputs(has func(port string) bool) error {
	var wrong []error
	bad := func(is bool, format string, args ...any) {
		if is {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	listed, image := has(lockPort), has(containerPort)
	used := strings.Contains(strings.Join(e.Command, " "), "{"+interpreter+"}")
	bad(used && !listed, "{%s} in the command is the interpreter of the input %s, which is not connected", interpreter, lockPort)
	bad(listed && !used, "the input %s is connected, but the command does not use {%s}, which has its packages", lockPort, interpreter)
	bad(listed && image, "%s and %s are connected, but a container has its own packages: connect only one of them", containerPort, lockPort)
	bad(e.Python != "" && e.Python != defaultPython && !listed, "python: %s makes the environment of the input %s, which is not connected: connect it, or remove python", e.Python, lockPort)
	bad(len(e.Software) > 0 && image, "software lists directories of this machine, but a container is connected, which has its own: remove one of them")
	bad(e.Network && !e.Strict && !image, "network: a command that is neither strict nor in a container uses the network in any case: add strict: true, or remove network")
	if e.Strict && !image {
		wrong = append(wrong, e.inStores(has)...)
	}
	return errors.Join(wrong...)
}

// Run carries the command out.
func (e *Exec) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	if wrong := append(e.Validate(), e.RefusesInputs(t.Has)); errors.Join(wrong...) != nil {
		return nil, errors.Join(wrong...)
	}
	if err := closeInherited(); err != nil {
		return nil, err
	}
	room, err := workdir.Make("", workdir.ExecRooms)
	if err != nil {
		return nil, err
	}
	defer room.Remove()                 // what cannot be removed stays, in a directory for temporary files
	dir, err := filepath.Abs(room.Path) // TMPDIR may be relative, or a link
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	places, err := e.lay(dir, t)
	if err != nil {
		return nil, err
	}
	from, err := os.OpenRoot(dir) // the directory itself, whatever the command puts in its place
	if err != nil {
		return nil, err
	}
	defer from.Close()
	c, err := e.containerOf(t, dir)
	if err != nil {
		return nil, err
	}
	if places[interpreter], err = e.pythonOf(ctx, t); err != nil {
		return nil, err
	}
	if err := checkPackages(t); err != nil {
		return nil, err
	}
	if err := e.call(ctx, t, dir, places, c); err != nil {
		return nil, err
	}
	out := dag.Outputs{}
	var wrong []error
	for _, entry := range e.Outputs {
		d := declareOutput(entry)
		v, err := collect(ctx, from, places[d.name], d)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		out[d.name] = v
	}
	return out, errors.Join(wrong...)
}

// call starts the command, in a container if there is one, and waits for it.
func (e *Exec) call(ctx context.Context, t *dag.Task, dir string, places map[string]string, c *container) error {
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
	if e.Strict && c == nil {
		err := e.callStrict(limited, t, dir, words, places[interpreter])
		if stopped := e.stopped(ctx, limited); stopped != nil {
			return stopped
		}
		return err
	}
	log := &maskingWriter{w: t.Log(), secrets: e.secrets()}
	cmd, err := e.program(limited, words, dir, c, log)
	if err == nil && c != nil && c.podman() {
		var end func()
		if end, err = removeAtEnd(c.runtime, c.name()); err != nil {
			return err
		}
		defer end()
	}
	if err == nil {
		err = runLogged(log, func(out *os.File) error {
			cmd.Stdout, cmd.Stderr = out, out
			return runGuarded(cmd)
		})
		log.Flush()
		if c == nil || !c.podman() { // of podman's containers it is not known
			t.TookMemory(peakMemory(cmd.ProcessState))
		}
	}
	switch stopped := e.stopped(ctx, limited); {
	case stopped != nil:
		return stopped
	case err != nil && cmd == nil:
		return err
	case err != nil && c != nil:
		return fmt.Errorf("the command %q in the container ended with %w", words[0], err)
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		return noProgram(words[0])
	case err != nil:
		return fmt.Errorf("the command %q ended with %w", words[0], err)
	}
	return nil
}

// stopped is why a command was stopped, or nil.
func (e *Exec) stopped(ctx, limited context.Context) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return &machine.Fault{Err: fmt.Errorf("the command was stopped after %g s (time_limit)", e.TimeLimit), OfStage: true}
	}
	return nil
}

func noProgram(name string) error {
	return &machine.Fault{Err: fmt.Errorf("there is no program %q (commands start in a new directory: connect your script as an input)", name)}
}

// program is the command to run.
func (e *Exec) program(ctx context.Context, words []string, dir string, c *container,
	log io.Writer) (*exec.Cmd, error) {
	if c != nil {
		return c.command(ctx, words, e.set(inside), e.EnvNames(), log)
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, e.environment(dir)
	if path := e.lookPath(words[0]); path != "" {
		cmd.Path, cmd.Err = path, nil
	}
	return cmd, nil
}

// runLogged runs a command that writes to a pipe, and that to a log. What it leaves behind in its group of
// processes is killed when it ends, so that only a process out of reach can still hold the
// log; it is given up after a while.
func runLogged(log io.Writer, run func(out *os.File) error) error {
	output, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer output.Close()
	copied := make(chan struct{})
	go func() {
		_, _ = io.Copy(log, output)
		close(copied)
	}()
	err = run(end)
	end.Close()
	select {
	case <-copied:
	case <-time.After(5 * time.Second):
		output.Close()
		<-copied
	}
	return err
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

// environment is what the command may see: what is set, and what is allowed. PATH
// tells where programs lie, as paths do of files: it is passed on, and no result is
// said to depend on it unless it is named.
func (e *Exec) environment(dir string) []string {
	var env []string
	for _, name := range append([]string{"PATH"}, e.EnvNames()...) {
		has := func(v string) bool { return strings.HasPrefix(v, name+"=") }
		if v, ok := os.LookupEnv(name); ok && !slices.ContainsFunc(slices.Concat(env, e.Environment), has) {
			env = append(env, name+"="+v)
		}
	}
	return append(env, e.set(dir)...)
}

// set are the variables with their values that the command gets in any case: those of the user, a place for its
// temporary files, and, unless the user lists others, settings that make its output the same everywhere.
func (e *Exec) set(dir string) []string {
	env := []string{"TMPDIR=" + filepath.Join(dir, "tmp"), "TEMP=" + filepath.Join(dir, "tmp")}
	for _, setting := range []string{"LANG=C.UTF-8", "TZ=UTC"} {
		name, _, _ := strings.Cut(setting, "=")
		if _, listed := e.value(name); !listed {
			env = append(env, setting)
		}
	}
	for _, entry := range e.Environment {
		if strings.Contains(entry, "=") {
			env = append(env, entry)
		}
	}
	return env
}
