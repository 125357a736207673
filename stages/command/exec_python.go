package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/internal/machine"
	"prgnn/internal/pattern"
	"prgnn/internal/venv"
)

// lockPort is the input that lists the packages of a Python environment, and no file of the command;
// {python} is the environment's interpreter.
const (
	lockPort    = "requirements"
	interpreter = "python"
	// defaultPython makes the environment, unless the parameter names another one.
	defaultPython = "python3"
)

// pipOptions hold the environment to its list: each file by its hash, and nothing built from source, whose
// build would download what no hash pins.
var pipOptions = []string{"--require-hashes", "--only-binary", ":all:"}

var (
	pinned      = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._-]*(\[[^\]]*\])?\s*==\s*[^\s;*]+(\s*;.*?)?(\s+--hash=sha(256|384|512):[0-9a-fA-F]+)+$`)
	hashed      = pattern.New(`\s--hash=sha(256|384|512):[0-9a-fA-F]`)
	indexOption = pattern.New(`^(-i|--index-url|--extra-index-url|--no-index|--trusted-host|--pre|--prefer-binary|--only-binary|--require-hashes)\b`)
)

// checkLock looks for packages without a version or hash, and for lines that lead to other files.
func checkLock(name string, text []byte) error {
	var wrong []error
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	packages := 0
	for i := 0; i < len(lines); i++ {
		at, line := i+1, withoutComment(lines[i])
		for strings.HasSuffix(line, "\\") && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, "\\") + " " + withoutComment(lines[i])
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "" || indexOption.MatchString(line):
		case pinned.MatchString(line):
			packages++
		case strings.HasPrefix(line, "-"):
			option, _, _ := strings.Cut(line, " ")
			wrong = append(wrong, fmt.Errorf("%s:%d: %s is not allowed: the list must be complete, with a version and hash for each package", name, at, option))
		case !hashed.MatchString(line):
			wrong = append(wrong, fmt.Errorf("%s:%d: %s has no --hash=sha256:…", name, at, strings.Fields(line)[0]))
		default:
			wrong = append(wrong, fmt.Errorf("%s:%d: %s has no version: write NAME==VERSION", name, at, strings.Fields(line)[0]))
		}
	}
	if packages == 0 && wrong == nil {
		wrong = append(wrong, fmt.Errorf("%s: it lists no packages", name))
	}
	if wrong != nil {
		wrong = append(wrong, errors.New("pip-compile --generate-hashes and uv pip compile --generate-hashes write such lists"))
	}
	return errors.Join(wrong...)
}

func withoutComment(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return ""
	}
	line, _, _ = strings.Cut(line, " #")
	return strings.TrimRight(line, " \t")
}

// pythonOf is the interpreter of the environment that the task asks for, which is made if it is not
// there; "" for none.
func (e *Exec) pythonOf(ctx context.Context, t *dag.Task) (string, error) {
	all := t.All(lockPort)
	if len(all) == 0 {
		return "", nil
	}
	list, err := all[0].Bytes()
	if err != nil {
		return "", err
	}
	if err := checkLock(all[0].Name, list); err != nil {
		return "", err
	}
	python, err := venv.Make(ctx, e.Python, list, t.Log(), pipOptions...)
	if err != nil && ctx.Err() == nil {
		return "", &machine.Fault{Err: fmt.Errorf("the Python environment of %s cannot be made (the log has the cause): %w", all[0].Name, err)}
	}
	return python, err
}

var (
	importing  = pattern.New(`^import[ \t]+(\w+)`)
	quotedPath = pattern.New(`["'](/[^"'\n]+)["']`)
)

// editable are the places outside the software from which its Pythons import: the directories in the .pth files of
// their packages, and the paths in the modules that these files import (__editable___NAME_finder.py).
func (e *Exec) editable() (all []string) {
	add := func(path string) {
		path = filepath.Clean(path)
		if _, err := os.Stat(path); err != nil {
			if path += ".py"; !exists(path) { // a module by its name
				return
			}
		}
		if !content.Within(path, e.Software) && !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	skip := e.unimported()
	for _, dir := range e.Software {
		found, _ := filepath.Glob(filepath.Join(dir, "lib", "python3*", "site-packages", "*.pth"))
		for _, path := range found {
			if content.Within(path, skip) {
				continue
			}
			text, _ := os.ReadFile(path)
			for line := range strings.Lines(string(text)) {
				line = strings.TrimRight(line, " \t\r\n")
				if m := importing.FindStringSubmatch(line); m != nil {
					module, _ := os.ReadFile(filepath.Join(filepath.Dir(path), m[1]+".py"))
					for _, m := range quotedPath.FindAllStringSubmatch(string(module), -1) {
						add(m[1])
					}
				} else if line != "" && line[0] != '#' {
					if !filepath.IsAbs(line) {
						line = filepath.Join(filepath.Dir(path), line)
					}
					add(line)
				}
			}
		}
	}
	return all
}

// withoutPython are the entries of a directory in the path of modules that are none: hidden ones, files other than
// modules, and directories without any. A package counts whole.
func withoutPython(dir string) (all []string) {
	if exists(filepath.Join(dir, "__init__.py")) {
		return nil
	}
	entries, _ := os.ReadDir(dir)
	for _, f := range entries {
		if path := filepath.Join(dir, f.Name()); !ofPython(path, 3) {
			all = append(all, path)
		}
	}
	return all
}

// ofPython reports whether a path is a module, or a directory with one at most depth levels down.
func ofPython(path string, depth int) bool {
	info, err := os.Stat(path)
	name := filepath.Base(path)
	switch {
	case err != nil || depth == 0:
		return false
	case !info.IsDir():
		return slices.Contains([]string{".py", ".so", ".pyd", ".pyc"}, filepath.Ext(name))
	case name == "__pycache__" || strings.Contains(name, "-") || strings.HasPrefix(name, "."):
		return false // no name that can be imported
	}
	entries, _ := os.ReadDir(path)
	return slices.ContainsFunc(entries, func(f os.DirEntry) bool {
		return ofPython(filepath.Join(path, f.Name()), depth-1)
	})
}
