// Package builtin has the pipelines within a program: those that its main and what it imports have registered.
package builtin

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

var texts = map[string]string{}

// Register adds the files of a directory to those of the program, as a rule in the init function of the
// package that embeds them: pipelines NAME.yaml, and NAME.yaml.txt, a short file that extends one. A second file of
// one name is a bug and panics.
func Register(files fs.FS, dir string) {
	entries, err := fs.ReadDir(files, dir)
	for _, e := range entries {
		var text []byte
		if text, err = fs.ReadFile(files, path.Join(dir, e.Name())); err != nil {
			break
		}
		if texts[e.Name()] != "" {
			panic("builtin: the pipeline " + e.Name() + " is registered twice")
		}
		texts[e.Name()] = string(text)
	}
	if err != nil {
		panic(err) // the files are in the program
	}
}

// Names are those of the pipelines within the program, sorted.
func Names() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(texts)),
		func(name string) bool { return !strings.HasSuffix(name, ".yaml") })
}

// Text is the built-in pipeline of a name; false when there is none.
func Text(name string) (text string, ok bool) {
	text, ok = texts[name]
	return text, ok && strings.HasSuffix(name, ".yaml")
}

// Short is a file that extends the built-in pipeline of a name, to begin a study with; false when there is none.
func Short(name string) (text string, ok bool) {
	text, ok = texts[name+".txt"]
	return text, ok
}
