package scaffold

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/pattern"
	"prgnn/pipelines"
	"prgnn/stages/bids"
	"prgnn/stages/cohort"
)

// Extending is the text of a file that extends biopoint.yaml. Its cohort is the derivatives of fMRIPrep that lie beside
// it, or is simulated. Their paths start at the directory beside.
func Extending(text, beside string, derivatives []string) string {
	cohort, stages := "", ""
	switch len(derivatives) {
	case 0:
		return text
	case 1:
		cohort, stages = derivative(beside, derivatives[0])
	default:
		cohort = "bids: { dir: . }\n" // no guess: the cohort lists those within, and asks for one
	}
	begin, rest, _ := strings.Cut(text, "# Who takes part")
	_, end, _ := strings.Cut(rest, "\n\n")
	_, simulated, _ := strings.Cut(rest, "cohort:\n  ")
	simulated, _, _ = strings.Cut(simulated, "\n")
	return begin + "# Who takes part: the participants of these derivatives. pipeline cohort FILE lists them, or what\n" +
		"# is missing: group: a column of participants.tsv (default: group), or space: one of several.\ncohort:\n  " +
		cohort + "  # " + simulated + "\n\n" + strings.Replace(end, "stages:\n", "stages:\n"+stages, 1)
}

// derivative are the lines of a cohort that reads a directory of fMRIPrep's derivatives, with the column of groups
// where its name shows it, and those of stages for derivatives of --level minimal, which have no scans.
func derivative(beside, dir string) (cohort, stages string) {
	real := dir
	if !filepath.IsAbs(real) {
		real = filepath.Join(beside, real)
	}
	group := ""
	for _, place := range append([]string{real}, bids.Sources(real)...) {
		if table := filepath.Join(place, "participants.tsv"); isFile(table) {
			if t, err := readTable(table); err == nil {
				group = t.groupLine()
			}
			break
		}
	}
	if !minimal(real) {
		if group == "" || strings.Contains(group, "#") {
			cohort = "bids: { dir: " + quoted(dir) + " }\n"
		} else {
			cohort = "bids: { dir: " + quoted(dir) + ", " + strings.TrimSpace(group) + " }\n"
		}
		return cohort, ""
	}
	return "bids:\n    dir: " + quoted(dir) + "\n" + group +
			"    space: minimal # there are no preprocessed scans (--level minimal): the raw ones are resampled\n" +
			"    confounds: false # only --level full writes them\n" +
			"    # labels: { atlas: NAME, space: SPACE } # where FreeSurfer did not run: pipeline atlas list\n",
		"  clean: { with: { regress: none } } # without confounds: trends and filters only\n" +
			"  background: null # the mean of raw volumes is blurred by head motion\n"
}

// minimal reports whether derivatives have transforms of head motion, but no scans.
func minimal(dir string) bool {
	if preprocessed(dir) {
		return false
	}
	subjects, _ := bids.Subjects(dir) // none where it cannot be listed
	return slices.ContainsFunc(subjects, func(s string) bool {
		files, _ := bids.Files(dir, s)
		return len(bids.HeadMotion(files)) > 0
	})
}

var plainPath = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9._/-]*$`)

// Rows are the rows of a table that a study begins with.
type Rows struct {
	Name, Table string
	ID          string // the column of their names; "" for the first
	Axis        string // the axis where the file must state it, else ""
	Roster      *cohort.Roster
}

// Study is the text of a pipeline with one stage: a command, or the first kind of this program that reads what the rows
// have and needs nothing else. complete is false where the program has none. path is where it will be written.
func (r Rows) Study(path string) (text string, complete bool) {
	if _, ok := dag.Lookup("exec"); ok {
		return r.text(""), true
	}
	const stage = "  first: { use: %s, each: %s, in: { %s } } # pipeline stages %[1]s describes it\n"
	for _, k := range dag.Kinds() {
		if of := r.inputs(k.New().Ports()); of != "" {
			try := r.text(fmt.Sprintf(stage, k.Name, r.Roster.AxisName(), of))
			if _, err := pipelines.LoadText(path, try, filepath.Dir(path), nil); err == nil {
				return try, true
			}
		}
	}
	return r.text(fmt.Sprintf(stage, "KIND", r.Roster.AxisName(), "INPUT: cohort.row")), false
}

// text has a stage that is to be changed: it copies each row. stage is its line; "" for a command.
func (r Rows) text(stage string) string {
	each, more := r.Roster.AxisName(), ""
	if r.ID != "" {
		more = ", id: " + strconv.Quote(r.ID)
	}
	if r.Axis != "" {
		more += ", axis: " + r.Axis
	}
	text := "# A study of the rows of a table. pipeline stages lists the stage kinds.\n" +
		"pipeline: " + strconv.Quote(r.Name) + "\ncohort:\n  rows: { file: " + strconv.Quote(r.Table) + more +
		" } # each: " + each + " fans out over the rows\n\nstages:\n"
	if stage != "" {
		return text + stage
	}
	return text + "  first: # replace the command with a program of yours, such as\n" +
		"  # [python3, \"{script}\", \"{row}\", \"{out}\"]\n" +
		"    use: exec\n    each: " + each + "\n    in: { row: cohort.row }\n" +
		"    with: { command: [sh, -c, \"cat {row} > {out}\"], inputs: [row=tsv], outputs: [out=tsv] }\n"
}

// inputs connects the inputs of a kind with what each row has, its files before its columns; "" where it needs
// anything else.
func (r Rows) inputs(ports dag.Ports) string {
	var of []string
	for _, in := range ports.In {
		if in.Optional {
			continue
		}
		from := ""
		for _, has := range []map[string]dag.Type{r.Roster.Files, r.Roster.Values} {
			for _, port := range slices.Sorted(maps.Keys(has)) {
				if from == "" && !in.Gather && dag.Fits(has[port], in.Type) == nil {
					from = in.Name + ": cohort." + port
				}
			}
		}
		if from == "" {
			return ""
		}
		of = append(of, from)
	}
	return strings.Join(of, ", ")
}
