package scaffold

import (
	"strconv"
	"strings"

	"prgnn/internal/pattern"
)

// Extending is the text of a file that extends biopoint.yaml. Its cohort is the derivatives of fMRIPrep that lie beside
// it, or is simulated.
func Extending(text string, derivatives []string) string {
	var dir string
	switch len(derivatives) {
	case 0:
		return text
	case 1:
		dir = derivatives[0]
		if !plainPath.MatchString(dir) {
			dir = strconv.Quote(dir)
		}
	default:
		dir = "." // no guess: the cohort lists those within, and asks for one
	}
	begin, rest, _ := strings.Cut(text, "# Who takes part")
	_, end, _ := strings.Cut(rest, "\n\n")
	_, simulated, _ := strings.Cut(rest, "cohort:\n  ")
	simulated, _, _ = strings.Cut(simulated, "\n")
	return begin + "# Who takes part: the participants of these derivatives. pipeline cohort FILE lists them, or asks for what\n" +
		"# is missing: group: a column of participants.tsv (default: group), or space: one of several.\ncohort:\n" +
		"  bids: { dir: " + dir + " }\n  # " + simulated + "\n\n" + end
}

var plainPath = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9._/-]*$`)

// OfRows is the text of a pipeline of the rows of a table, whose stage is to be changed: it copies each row. row is the
// name of a row; axis is the same name where the file must state it, else "". stage is the line of a stage; "" for a
// command.
func OfRows(name, table, axis, row, stage string) string {
	if axis != "" {
		axis = ", axis: " + axis
	}
	text := "# A study of the rows of a table. pipeline stages lists the stage kinds.\n" +
		"pipeline: " + strconv.Quote(name) + "\ncohort:\n  rows: { file: " + strconv.Quote(table) + axis +
		" } # each row is a " + row + "\n\nstages:\n"
	if stage != "" {
		return text + stage
	}
	return text + "  first: # one task a row: replace the command by a program of yours, such as\n" +
		"  # [python3, \"{script}\", \"{row}\", \"{out}\"]\n" +
		"    use: exec\n    each: " + row + "\n    in: { row: cohort.row }\n" +
		"    with: { command: [cp, \"{row}\", \"{out}\"], inputs: [row=tsv], outputs: [out=tsv] }\n"
}
