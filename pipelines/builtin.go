package pipelines

import (
	"embed"
	"maps"
	"slices"
)

//go:embed *.yaml
var files embed.FS

var builtins = readBuiltins()

func readBuiltins() map[string]string {
	all := map[string]string{}
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are in the program
	}
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

// Builtins are the names of the pipelines within the program.
func Builtins() []string { return slices.Sorted(maps.Keys(builtins)) }

// Template is the commented pipeline with every step: the built-in biopoint.yaml.
func Template() string { return builtins["biopoint.yaml"] }

// Study is what a new project starts from: a file that extends biopoint.yaml.
func Study() string { return study }

//go:embed study.yaml.txt
var study string
