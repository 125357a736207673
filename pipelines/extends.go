package pipelines

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
	"prgnn/stages/builtin"
)

// A sourceFile is one file of a chain of extends.
type sourceFile struct {
	name    string // the last element of its path
	builtin bool   // the file is part of the program
	shown   string // in messages
	text    []byte
}

// resolve reads a pipeline file and the files it extends, and merges them: the result has no
// key extends, and each value keeps the file and line it comes from. It returns nil where the
// chain cannot be followed. shown are the names of the files, first the file itself.
func (l *loader) resolve(first sourceFile) (root *tree.Node, shown []string) {
	room := tree.NewRoom(l.bad)
	var chain []*tree.Node
	files := []sourceFile{first}
	bytes := len(first.text)
	for f := &first; f != nil; {
		shown = append(shown, f.shown)
		l.bad.Files = shown
		file := f.shown
		t := tree.ParseWithin(f.text, func(line, col int) dag.Pos { return dag.Pos{File: file, Line: line, Col: col} },
			l.bad, room)
		if t == nil {
			return nil, shown
		}
		if t.Kind != tree.Mapping && len(chain) > 0 {
			if !t.Bad {
				l.bad.Add(t.Pos, "a pipeline file is a mapping with the key stages, not %s", t)
			}
			return nil, shown
		}
		chain = append(chain, t)
		at := slices.IndexFunc(t.Keys, func(k tree.Key) bool { return k.Name == "extends" })
		if at < 0 {
			break
		}
		value := t.Keys[at].Value
		t.Keys = slices.Delete(t.Keys, at, at+1)
		next, err := l.extended(value, f)
		if err == nil && slices.ContainsFunc(files, func(s sourceFile) bool {
			return s.name == next.name && s.builtin == next.builtin
		}) {
			err = fmt.Errorf("a circle: %s", strings.Join(append(slices.Clone(shown), next.shown), " extends "))
		}
		if err == nil {
			if bytes += len(next.text); bytes > maxFile {
				err = fmt.Errorf("the extended files together are larger than %d MiB", maxFile>>20)
			}
		}
		if err != nil {
			if !value.Bad {
				l.bad.Add(value.Pos, "%v", err)
			}
			return nil, shown
		}
		files = append(files, *next)
		f = next
	}
	root = chain[len(chain)-1]
	l.wired = wiring.Connect(root, shown[len(chain)-1], l.removed, l.bad)
	for i := len(chain) - 2; i >= 0; i-- {
		layer.Merge(root, chain[i], shown[i+1], l.removed, l.bad)
		l.wired = wiring.Connect(root, shown[i], l.removed, l.bad) || l.wired
	}
	wiring.Forget(root)
	return root, shown
}

// Sources are the pipeline file and the files that it extends now: the text of a recorded run names none.
func (p *Pipeline) Sources() []string {
	file := filepath.Join(p.Dir, filepath.Base(p.File))
	f, _, err := readFirst(file)
	if p.Builtin || err != nil {
		return nil
	}
	_, names := newLoader(file, maxTasks).resolve(f)
	return names
}

// extended finds the file that extends: names: beside the extending file, or else built in. A
// built-in file extends built-in files only, so that it means the same everywhere. "built-in NAME" and
// a file that names itself mean the built-in file of that name.
func (l *loader) extended(value *tree.Node, by *sourceFile) (*sourceFile, error) {
	name, isText := value.Value.(string)
	if value.Kind != tree.Scalar || !isText || name == "" {
		return nil, fmt.Errorf("extends must be the name of one pipeline file, not %s", value)
	}
	if name != filepath.Base(name) || strings.ContainsAny(name, `/\`) {
		return nil, fmt.Errorf("extends must be the name of a file in the same directory, or of a built-in pipeline, not the path %q", name)
	}
	own, asked := strings.CutPrefix(name, builtinName(""))
	if name = own; name == by.name || by.builtin || asked {
		text, ok := builtin.Text(name)
		if ok {
			return &sourceFile{name, true, builtinName(name), []byte(text)}, nil
		}
		if name == by.name && !asked {
			return nil, fmt.Errorf("%s extends itself, and no built-in pipeline has that name%s", name, words.OrAll(name, builtin.Names()))
		}
		return nil, fmt.Errorf("there is no built-in pipeline %q%s", name, words.OrAll(name, builtin.Names()))
	}
	path := filepath.Join(filepath.Dir(by.shown), name)
	text, within, err := readSource(path, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file or built-in pipeline %s%s", path, words.OrAll(name, builtin.Names()))
	case err != nil:
		return nil, err
	case within:
		return &sourceFile{name, true, builtinName(name), text}, nil
	case !ownLine.MatchString(string(text)): // a link may lead to any file, whose content no message shows
		return nil, fmt.Errorf("%s is no pipeline file: no line begins with one of the keys %s", path, strings.Join(layer.FileKeys, ", "))
	}
	return &sourceFile{name, false, path, text}, nil
}

// ownLine is a line with a key of a pipeline file.
var ownLine = pattern.New(`(?m)(^(\x{feff})?|[{,]\s*)["']?(` + strings.Join(layer.FileKeys, "|") + `)["']?[ \t]*:`)

// builtinName tells a built-in file from the user's of the same name.
func builtinName(name string) string { return "built-in " + name }

// gone ends an error about a name that is not there, where a file has removed it.
func (l *loader) gone(path ...string) string {
	if pos, removed := l.removed[strings.Join(path, ".")]; removed {
		return fmt.Sprintf(": %s removes it; remove the reference too (null), or replace it", pos)
	}
	return ""
}
