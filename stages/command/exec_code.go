package command

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/pattern"
)

// codePlaces are the variables that name places of code.
var codePlaces = pattern.New(`^(PATH|PYTHON(PATH|HOME|STARTUP|USERBASE)|R_(LIBS|LIBS_USER|LIBS_SITE|PROFILE|PROFILE_USER|ENVIRON|ENVIRON_USER)|PERL5LIB|PERLLIB|RUBYLIB|GEM_PATH|GEM_HOME|MATLABPATH|OCTAVE_PATH|LD_LIBRARY_PATH|LD_PRELOAD|DYLD_[A-Z_]+|JULIA_(LOAD_PATH|DEPOT_PATH|PROJECT)|NODE_PATH|CLASSPATH|LUA_PATH|LUA_CPATH|TCLLIBPATH|BASH_ENV|ENV)$`)

var (
	shells = []string{"sh", "bash", "dash", "ksh", "zsh"}
	// starters are programs whose arguments begin with another one.
	starters = []string{"env", "nice", "nohup", "setsid", "stdbuf", "time", "timeout", "xvfb-run"}
	noWord   = func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>`$\"'{}=", r) }
)

// CodeFiles are the programs of the command and what is behind the variables that name places of code. In a container
// all of that is inside the image.
func (e *Exec) CodeFiles(connected func(port string) bool) []dag.CodeFile {
	if connected(containerPort) || len(e.Command) == 0 {
		return nil
	}
	values := map[string]string{interpreter: e.Python}
	for _, entry := range e.Parameters {
		name, value, _ := strings.Cut(entry, "=")
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	words := make([]string, len(e.Command))
	for i, word := range e.Command { // inputs and outputs are no files yet
		words[i] = execPlace.ReplaceAllStringFunc(word, func(place string) string {
			return values[strings.Trim(place, "{}")]
		})
	}
	var all []dag.CodeFile
	add := func(name, path string) {
		if path != "" && !slices.ContainsFunc(all, func(c dag.CodeFile) bool { return c.Paths[0] == path }) {
			all = append(all, dag.CodeFile{Name: name, Paths: []string{path}})
		}
	}
	program := func(word string) bool {
		path := e.find(word)
		for _, p := range append([]string{path}, e.interpreters(path)...) {
			add(filepath.Base(p), p)
		}
		return path != ""
	}
	program(words[0])
	base := filepath.Base(words[0])
	switch rest := words[1:]; {
	case slices.Contains(shells, base):
		for i, word := range rest {
			if strings.HasPrefix(word, "-") && strings.HasSuffix(word, "c") && i+1 < len(rest) {
				for _, w := range strings.FieldsFunc(rest[i+1], noWord) {
					program(w)
				}
				break
			}
		}
	case slices.Contains(starters, base):
		_ = slices.ContainsFunc(rest, program)
	}
	for _, word := range words[1:] {
		if info, err := os.Stat(word); filepath.IsAbs(word) && err == nil && info.Mode().IsRegular() {
			add(filepath.Base(word), word)
		}
	}
	return append(all, e.codePlaces()...)
}

// codePlaces are the files and directories behind variables.
func (e *Exec) codePlaces() (all []dag.CodeFile) {
	for _, entry := range e.Environment {
		name, value, set := strings.Cut(entry, "=")
		if !set {
			value, set = os.LookupEnv(name)
		}
		if !set || !codePlaces.MatchString(name) {
			continue
		}
		c := dag.CodeFile{Name: name, Variable: true}
		for _, path := range strings.FieldsFunc(value, func(r rune) bool {
			return r == filepath.ListSeparator || r == ';' || r == ' ' && name == "LD_PRELOAD"
		}) {
			if at := strings.IndexAny(path, "?*"); at >= 0 { // of Lua, and of Java
				path = filepath.Dir(path[:at] + "x")
			}
			if filepath.IsAbs(path) { // others are in the new directory of the command
				c.Paths = append(c.Paths, path)
			}
		}
		all = append(all, c)
	}
	return all
}

// find is the path of a program, or "".
func (e *Exec) find(word string) string {
	if path := e.lookPath(word); path != "" {
		return path
	}
	if strings.ContainsAny(word, `/\`) && !filepath.IsAbs(word) { // in the new directory of the command
		return ""
	}
	path, err := exec.LookPath(word)
	if err != nil {
		return ""
	}
	return path
}

// interpreters are the programs that a script names in its first line.
func (e *Exec) interpreters(script string) (all []string) {
	for range 4 { // as deep as Linux goes
		f, err := os.Open(script)
		if err != nil {
			return all
		}
		head := make([]byte, 256)
		n, _ := io.ReadFull(f, head)
		f.Close()
		line, _, _ := bytes.Cut(head[:n], []byte("\n"))
		text, ok := strings.CutPrefix(string(line), "#!")
		words := strings.Fields(text)
		if !ok || len(words) == 0 {
			return all
		}
		script = words[0]
		all = append(all, script)
		if filepath.Base(script) == "env" {
			for _, w := range words[1:] {
				if path := e.find(w); path != "" {
					script = path
					all = append(all, path)
					break
				}
			}
		}
	}
	return all
}
