package pipelines

import "embed"

//go:embed *.yaml
var files embed.FS

// builtinText is the text of a pipeline within the program; false when there is none of
// that name.
func builtinText(name string) ([]byte, bool) {
	text, err := files.ReadFile(name)
	return text, err == nil
}

// Builtins are the names of the pipelines within the program, sorted.
func Builtins() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are in the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Builtin is the text of the built-in pipeline of a name; false when there is none.
func Builtin(name string) (string, bool) {
	text, ok := builtinText(name)
	return string(text), ok
}

// Study is what a new project starts from: a file that extends biopoint.yaml.
func Study() string { return study }

//go:embed study.yaml.txt
var study string
