package layer

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
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
	"prgnn/stages/builtin"
)

// Layers are a pipeline file and all that it extends, as one tree that has no key extends; each value keeps the file
// and line that it comes from.
type Layers struct {
	Root    *tree.Node // nil where the chain cannot be followed
	Files   []string   // the names of the files in messages, first the file itself
	Bad     *tree.Mistakes
	Removed wiring.Removed // what an extending file removed
	LeftOut []string       // stages that --without leaves out
	NotKept []string       // stages that those of --set stages=[…] do not need
	OwnVars []string       // variables of the file that no extended file has

	first File
	wired bool // something was connected by itself
}

// Read reads the files that a pipeline file extends, and merges them.
func Read(first File) *Layers {
	l := &Layers{Bad: &tree.Mistakes{}, Removed: wiring.Removed{}, first: first}
	l.Root = l.resolve()
	return l
}

func (l *Layers) resolve() (root *tree.Node) {
	room := tree.NewRoom(l.Bad)
	var chain []*tree.Node
	files := []File{l.first}
	bytes := len(l.first.Text)
	for f := &l.first; f != nil; {
		l.Files = append(l.Files, f.Shown)
		l.Bad.Files = l.Files
		file := f.Shown
		t := tree.ParseWithin(f.Text, func(line, col int) dag.Pos { return dag.Pos{File: file, Line: line, Col: col} },
			l.Bad, room)
		if t == nil {
			return nil
		}
		if t.Kind != tree.Mapping && len(chain) > 0 {
			if !t.Bad {
				l.Bad.Add(t.Pos, "a pipeline file is a mapping with the key stages, not %s", t)
			}
			return nil
		}
		chain = append(chain, t)
		at := slices.IndexFunc(t.Keys, func(k tree.Key) bool { return k.Name == "extends" })
		if at < 0 {
			break
		}
		value := t.Keys[at].Value
		t.Keys = slices.Delete(t.Keys, at, at+1)
		next, err := l.extended(value, f)
		if err == nil && slices.ContainsFunc(files, func(s File) bool {
			return s.Name == next.Name && s.Builtin == next.Builtin
		}) {
			err = fmt.Errorf("a circle: %s", strings.Join(append(slices.Clone(l.Files), next.Shown), " extends "))
		}
		if err == nil {
			if bytes += len(next.Text); bytes > maxFile {
				err = fmt.Errorf("the extended files together are larger than %d MiB", maxFile>>20)
			}
		}
		if err != nil {
			if !value.Bad {
				l.Bad.Add(value.Pos, "%v", err)
			}
			return nil
		}
		files = append(files, *next)
		f = next
	}
	for _, name := range chain[0].Get("vars").Names() {
		if !slices.ContainsFunc(chain[1:], func(t *tree.Node) bool { return t.Under("vars", name) != nil }) {
			l.OwnVars = append(l.OwnVars, name)
		}
	}
	root = chain[len(chain)-1]
	l.wired = wiring.Connect(root, l.Files[len(chain)-1], l.Removed, l.Bad)
	for i := len(chain) - 2; i >= 0; i-- {
		merge(root, chain[i], l.Files[i+1], l.Removed, l.Bad)
		l.wired = wiring.Connect(root, l.Files[i], l.Removed, l.Bad) || l.wired
	}
	wiring.Forget(root)
	return root
}

// Sources are the names of a pipeline file and of the files that it extends.
func Sources(file string) []string {
	f, _, err := First(file)
	if err != nil {
		return nil
	}
	return Read(f).Files
}

// extended finds the file that extends: names: beside the extending file, or else built in. A
// built-in file extends built-in files only, so that it means the same everywhere. "built-in NAME" and
// a file that names itself mean the built-in file of that name.
func (l *Layers) extended(value *tree.Node, by *File) (*File, error) {
	name, isText := value.Value.(string)
	if value.Kind != tree.Scalar || !isText || name == "" {
		return nil, fmt.Errorf("extends must be the name of one pipeline file, not %s", value)
	}
	if name != filepath.Base(name) || strings.ContainsAny(name, `/\`) {
		return nil, fmt.Errorf("extends must be the name of a file in the same directory, or of a built-in pipeline, not the path %q", name)
	}
	own, asked := strings.CutPrefix(name, builtinName(""))
	if name = own; name == by.Name || by.Builtin || asked {
		text, ok := builtin.Text(name)
		if ok {
			return &File{name, true, builtinName(name), []byte(text)}, nil
		}
		if name == by.Name && !asked {
			return nil, fmt.Errorf("%s extends itself, and no built-in pipeline has that name%s", name, words.OrAll(name, builtin.Names()))
		}
		return nil, fmt.Errorf("there is no built-in pipeline %q%s", name, words.OrAll(name, builtin.Names()))
	}
	path := filepath.Join(filepath.Dir(by.Shown), name)
	text, within, err := readSource(path, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file or built-in pipeline %s%s", path, words.OrAll(name, builtin.Names()))
	case err != nil:
		return nil, err
	case within:
		return &File{name, true, builtinName(name), text}, nil
	case !ownLine.MatchString(string(text)): // a link may lead to any file, whose content no message shows
		return nil, fmt.Errorf("%s is no pipeline file: no line begins with one of the keys %s", path, strings.Join(FileKeys, ", "))
	}
	return &File{name, false, path, text}, nil
}

// ownLine is a line with a key of a pipeline file.
var ownLine = pattern.New(`(?m)(^(\x{feff})?|[{,]\s*)["']?(` + strings.Join(FileKeys, "|") + `)["']?[ \t]*:`)

// builtinName tells a built-in file from the user's of the same name.
func builtinName(name string) string { return "built-in " + name }

// Gone ends an error about a name that is not there, where a file has removed it.
func (l *Layers) Gone(path ...string) string {
	if pos, removed := l.Removed[strings.Join(path, ".")]; removed {
		without := ""
		if len(path) == 2 && path[0] == "stages" {
			without = ", or keep the stage in the file and run with --without " + path[1]
		}
		return fmt.Sprintf(": %s removes it; remove the reference too (null), or replace it%s", pos, without)
	}
	return ""
}
