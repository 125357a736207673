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

// Template is the commented pipeline with every step: the built-in biopoint.yaml.
func Template() string {
	text, _ := builtinText("biopoint.yaml")
	return string(text)
}

// Study is what a new project starts from: a file that extends biopoint.yaml.
func Study() string { return study }

//go:embed study.yaml.txt
var study string
