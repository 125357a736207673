package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"prgnn/artifacts/whole"
	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/pattern"
	"prgnn/internal/sandbox"
	"prgnn/internal/words"
)

// packagesPort is the input that lists the versions of the installed packages, and no file of the command.
const packagesPort = "packages"

// checkPackages refuses a list that pins nothing. The lists of package managers are left to them.
func checkPackages(t *dag.Task) error {
	for _, in := range t.All(packagesPort) {
		list, err := in.Bytes()
		switch {
		case err != nil:
			return err
		case len(bytes.TrimSpace(list)) == 0:
			return fmt.Errorf("packages: %s is empty: connect the lock file of the package manager (uv.lock, conda-lock.yml, renv.lock, Manifest.toml), or requirements.txt with hashes", in.Name)
		case filepath.Ext(in.Name) == ".txt":
			if err := checkLock(in.Name, list); err != nil {
				return err
			}
		}
		form, ok := lockForms[filepath.Base(in.Name)]
		if !ok && !(utf8.Valid(list) && versioned.MatchString(string(list))) {
			return fmt.Errorf("packages: %s is not a list of packages: it has no line with a name and a version, such as numpy 2.1.0; connect the lock file of the package manager (uv.lock, conda-lock.yml, renv.lock, Manifest.toml), or requirements.txt with hashes", in.Name)
		}
		if ok && !form.has.MatchString(string(list)) {
			return fmt.Errorf("packages: %s is no lock file of %s: it has no %s: write it by %s, or connect the list of another manager", in.Name, form.of, form.what, form.by)
		}
	}
	return nil
}

// versioned is a name with a version behind it, as in the lists of managers that are not in lockForms.
var versioned = pattern.New(`(?m)[A-Za-z][\w.-]*[^\w\n]+v?[0-9]+(\.[0-9]+)*`)

// lockForms are what the lock files of package managers have, by their names.
var lockForms = map[string]struct {
	has          pattern.Pattern
	of, what, by string
}{
	"uv.lock":        {pattern.New(`(?m)^\[\[package\]\]`), "uv", "[[package]]", "uv lock"},
	"poetry.lock":    {pattern.New(`(?m)^\[\[package\]\]`), "poetry", "[[package]]", "poetry lock"},
	"conda-lock.yml": {pattern.New(`(?m)^package:`), "conda-lock", "package:", "conda-lock"},
	"renv.lock":      {pattern.New(`"Packages"\s*:`), "renv", `"Packages"`, "renv::snapshot()"},
	"Manifest.toml":  {pattern.New(`(?m)^(\[\[|manifest_format|julia_version)`), "Julia", "[[deps]]", "Pkg.resolve()"},
}

// softwareFiles are the directories of installed software, which count by content unless a list of packages is
// connected. It is not written, also where it lies in scratch.
func (e *Exec) softwareFiles(connected func(port string) bool) (all []content.Code) {
	if connected(packagesPort) {
		return nil
	}
	for _, dir := range e.Software {
		around := func(scratch string) bool { return content.Within(dir, []string{scratch}) }
		all = append(all, content.Code{What: "directory", Name: filepath.Base(dir), Paths: []string{dir},
			Except: append(slices.DeleteFunc(slices.Clone(e.Scratch), around), e.unimported()...)})
	}
	for _, dir := range e.editable() {
		all = append(all, content.Code{What: "directory", Name: filepath.Base(dir), Paths: []string{dir},
			Except: append(slices.Concat(e.Scratch, e.Software), withoutPython(dir)...)})
	}
	return all
}

// unimported are the packages of the Pythons that virtual environments among the software were made with, where these
// do not import them. They do not count, and a strict command does not see them.
func (e *Exec) unimported() (all []string) {
	for _, dir := range e.Software {
		text, err := os.ReadFile(filepath.Join(dir, "pyvenv.cfg"))
		if err != nil || systemPackages.MatchString(string(text)) {
			continue
		}
		real, err := filepath.EvalSymlinks(filepath.Join(dir, "bin", "python"))
		if err != nil {
			continue
		}
		found, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(real)), "lib", "python3*", "site-packages"))
		all = append(all, found...)
	}
	return all
}

var systemPackages = pattern.New(`(?mi)^\s*include-system-site-packages\s*=\s*true`)

// viewOf is what a strict command sees: the system, its directory, what counts by content, and installed software.
func (e *Exec) viewOf(ctx context.Context, t *dag.Task, room, python string) (*sandbox.View, error) {
	root := filepath.Join(filepath.Dir(room), "root")
	if err := os.Mkdir(root, 0o700); err != nil {
		return nil, err
	}
	if err := e.apart(filepath.Dir(filepath.Dir(room))); err != nil {
		return nil, err
	}
	v := sandbox.New(root, room, inside, e.Network)
	v.Entries = append(v.Entries, sandbox.Entry{To: inside + "/inputs", From: filepath.Join(room, "inputs")})
	var wrong []string
	for _, dir := range e.Software {
		if text := noDirectory(dir); text != "" {
			wrong = append(wrong, text)
		}
		v.Show(dir)
	}
	if wrong != nil {
		return nil, &machine.Fault{Err: errors.New(strings.Join(wrong, "; "))}
	}
	for _, dir := range e.unimported() {
		v.Hide(dir)
	}
	if python != "" {
		for _, dir := range installations(python) {
			v.Show(dir)
		}
	}
	code := e.CodeFiles(func(port string) bool { return len(t.All(port)) > 0 })
	var hidden []string
	for _, c := range code {
		for _, path := range c.Paths {
			if c.What == "program" {
				for _, dir := range installations(path) {
					if !v.Shows(dir) && !slices.Contains(hidden, dir) {
						hidden = append(hidden, dir)
					}
				}
			}
			if !content.Within(path, c.Except) { // scratch is shown below
				v.Show(path)
			}
			if c.What != "program" {
				uncounted, linked := content.Around(path, c.Except)
				for _, path := range uncounted {
					v.Hide(path)
				}
				for _, path := range linked { // as its content counts
					v.Show(path)
				}
			}
		}
	}
	if hidden != nil {
		return nil, fmt.Errorf("strict: the program %s needs software that the command does not see: list it (software: [%s]), and connect the lock file of its packages (packages: {file: uv.lock}), or else its content counts", e.Command[0], strings.Join(hidden, ", "))
	}
	for _, path := range e.Scratch {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, &machine.Fault{Err: fmt.Errorf("scratch: %s does not exist, and a strict command cannot make it: make it before the run", path)}
		}
		if !v.Shows(path) && real != filepath.Clean(path) {
			v.Entries = append(v.Entries, sandbox.Entry{To: filepath.Clean(path), Link: real})
		}
		v.Entries = append(v.Entries, sandbox.Entry{To: real, From: real, Writable: true})
	}
	for _, dir := range slices.Concat(e.Scratch, e.Software) {
		if err := hideStores(ctx, v, dir); err != nil {
			return nil, err
		}
	}
	if store := content.Store(ctx); whole.Store(store) != "" && v.Shows(store) {
		v.Hide(store)
	}
	return v, nil
}

// noDirectory states that a path of software is not a directory on this machine; "" if it is one.
func noDirectory(dir string) string {
	switch info, err := os.Stat(dir); {
	case err != nil:
		return "software: there is no directory " + dir
	case !info.IsDir():
		return "software: " + dir + " is not a directory"
	}
	return ""
}

// mostScratch is the number of files and directories in which stores are looked for: some seconds.
const mostScratch = 2_000_000

// hideStores makes the stores in a directory of the view empty. Where a link leads to one, so it does in the view.
func hideStores(ctx context.Context, v *sandbox.View, dir string) error {
	stores, all := content.Stores(ctx, dir, mostScratch)
	for _, store := range stores {
		if v.Shows(store) {
			v.Hide(store)
		}
	}
	if err := ctx.Err(); err != nil || all {
		return err
	}
	return &machine.Fault{Err: fmt.Errorf("strict: %s has more than %d files and directories, too many to look for stores in it, which a strict command must not see", dir, mostScratch),
		Remedy: "list only the directories in it that the command needs (scratch, software)"}
}

// inStores refuses what a strict command would see of a store, which counts in no key.
func (e *Exec) inStores(connected func(port string) bool) (wrong []error) {
	seen := map[string]bool{}
	refuse := func(what, path, remedy string) {
		if store := whole.Store(path); store != "" && !seen[what] {
			seen[what] = true
			wrong = append(wrong, fmt.Errorf("%s is in the store %s, which strict commands do not read or write: %s", what, store, remedy))
		}
	}
	for _, dir := range e.Scratch {
		refuse("scratch: "+filepath.Clean(dir), dir, "list another directory")
	}
	for _, dir := range e.Software {
		refuse("software: "+filepath.Clean(dir), dir, "list another directory")
	}
	for _, c := range e.CodeFiles(connected) {
		for _, path := range c.Paths {
			switch {
			case slices.Contains(e.Software, path):
			case c.What == "environment" || c.Secret:
				refuse("command: "+c.String(), path, "connect what it reads as inputs")
			default:
				refuse("command: "+filepath.Clean(path), path, "connect what it reads as inputs")
			}
		}
	}
	return wrong
}

// apart refuses directories in which a strict command would reach what other commands work with.
func (e *Exec) apart(temporary string) error {
	for _, list := range []struct {
		parameter string
		dirs      []string
	}{{"scratch", e.Scratch}, {"software", e.Software}} {
		for _, dir := range list.dirs {
			if content.Within(temporary, []string{dir}) {
				return &machine.Fault{Err: fmt.Errorf("%s: %s has the directory of temporary files, %s, where other commands work: list a directory inside it, or set TMPDIR to another one", list.parameter, dir, temporary)}
			}
		}
	}
	return nil
}

// Software are the directories without which a program does not start, and that a strict command does not see unless
// they are listed.
func Software(program string) []string {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil
	}
	system := sandbox.New("", "", inside, false)
	return slices.DeleteFunc(installations(path), system.Shows)
}

// installations are the directories without which a program does not start: those of a Python or conda environment,
// and of the Python that the environment was made with.
func installations(program string) (all []string) {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return nil
	}
	for _, path := range []string{program, real} {
		dir := filepath.Dir(filepath.Dir(path))
		for _, mark := range []string{"pyvenv.cfg", "conda-meta", "lib/python3*/os.py"} {
			if found, _ := filepath.Glob(filepath.Join(dir, mark)); found != nil && dir != "/" &&
				!slices.Contains(all, dir) {
				all = append(all, dir)
			}
		}
	}
	return all
}

// callStrict runs a command that sees its view only.
func (e *Exec) callStrict(ctx context.Context, t *dag.Task, room string, words []string, python string) error {
	err := sandbox.Available()
	if err != nil {
		return unavailable(err)
	}
	v, err := e.viewOf(ctx, t, room, python)
	if err != nil {
		return err
	}
	c := &sandbox.Command{View: v, Path: e.find(words[0]), Args: words, Env: e.environment(inside), Dir: inside}
	if c.Path == "" {
		if c.Path = words[0]; !strings.Contains(c.Path, "/") {
			return noProgram(words[0])
		}
	}
	var end tail
	log := &maskingWriter{w: io.MultiWriter(t.Log(), &end), secrets: e.secrets()}
	var state *os.ProcessState
	err = runLogged(log, func(out *os.File) (err error) {
		state, err = sandbox.Run(ctx, c, out)
		return err
	})
	log.Flush()
	if state != nil {
		t.TookMemory(peakMemory(state))
	}
	var not *sandbox.Unavailable
	switch {
	case errors.As(err, &not): // others it can confine
		return &machine.Fault{Err: fmt.Errorf("strict: the command did not run, since its view of the files cannot be made: %w", err)}
	case errors.Is(err, os.ErrNotExist):
		return noProgram(words[0])
	case err != nil:
		return fmt.Errorf("the command %q ended with %w%s", words[0], err, remedy(v, end.b))
	}
	return nil
}

var (
	missing    = pattern.New(`(?i)no such file|ENOENT|not found|cannot (open|find|create|stat)|can't (open|find)|nonexistent|does not exist|no module`)
	readOnly   = pattern.New(`(?i)read-only file system|EROFS`)
	pathInText = pattern.New("/[^\\s'\"`:,;()<>|\\[\\]{}‘’“”]+")
)

// remedy lists what a failed command may not see or write, as far as its output has the paths.
func remedy(v *sandbox.View, output []byte) string {
	var hidden, unwritable []string
	add := func(all *[]string, path string) {
		*all = lists.Add(*all, path)
	}
	for line := range strings.Lines(string(output)) {
		if !missing.MatchString(line) && !readOnly.MatchString(line) {
			continue
		}
		for _, path := range pathInText.FindAllString(line, -1) {
			path = strings.TrimRight(path, ".")
			switch {
			case slices.ContainsFunc([]string{"/dev/", "/proc/", "/sys/"},
				func(dir string) bool { return strings.HasPrefix(path, dir) }):
			case readOnly.MatchString(line) && v.Shows(filepath.Dir(path)) && !v.Writable(path):
				add(&unwritable, path)
			case v.Shows(path):
			case exists(path):
				add(&hidden, path)
			case filepath.Dir(path) != "/" && exists(filepath.Dir(path)) && !v.Shows(filepath.Dir(path)):
				add(&hidden, filepath.Dir(path))
			}
		}
	}
	var text strings.Builder
	if hidden != nil {
		fmt.Fprintf(&text, "\na strict command does not see %s: connect files that it reads as inputs ({file: …}), list directories of installed software under software, and those that it writes under scratch", words.Some(hidden, 10))
	}
	if unwritable != nil {
		fmt.Fprintf(&text, "\na strict command cannot write %s: write to its outputs or to TMPDIR, or list it under scratch", words.Some(unwritable, 10))
	}
	return text.String()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// A tail keeps the end of what is written.
type tail struct{ b []byte }

const mostTail = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 2*mostTail {
		t.b = append(t.b[:0], t.b[len(t.b)-mostTail:]...)
	}
	return len(p), nil
}

// unavailable is the refusal where commands cannot be confined.
func unavailable(err error) error {
	return &machine.Fault{Err: fmt.Errorf("strict: the command did not run, since this machine cannot confine it: %w", err),
		Remedy: "allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), install bubblewrap, or run the command in a container"}
}
