package pipelines

import (
	"embed"
	"strconv"
	"strings"

	"prgnn/internal/pattern"
)

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

// Study is what a new project starts from: a file that extends biopoint.yaml. Its cohort is the derivatives of fMRIPrep
// that lie beside it, or is simulated.
func Study(derivatives []string) string {
	var dir string
	switch len(derivatives) {
	case 0:
		return study
	case 1:
		dir = derivatives[0]
		if !plainPath.MatchString(dir) {
			dir = strconv.Quote(dir)
		}
	default:
		dir = "." // no guess: the cohort lists those within, and asks for one
	}
	begin, rest, _ := strings.Cut(study, "# Who takes part")
	_, end, _ := strings.Cut(rest, "\n\n")
	_, simulated, _ := strings.Cut(rest, "cohort:\n  ")
	simulated, _, _ = strings.Cut(simulated, "\n")
	return begin + "# Who takes part: the participants of these derivatives. pipeline cohort FILE lists them, or asks for what\n" +
		"# is missing: group: a column of participants.tsv (default: group), or space: one of several.\ncohort:\n" +
		"  bids: { dir: " + dir + " }\n  # " + simulated + "\n\n" + end
}

var plainPath = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9._/-]*$`)

//go:embed study.yaml.txt
var study string
