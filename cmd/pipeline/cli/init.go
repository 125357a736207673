package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/describe"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/scaffold"
	"prgnn/internal/version"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/stages/bids"
	"prgnn/stages/builtin"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/located"
)

func (a *app) initCommand() *cobra.Command {
	full, rows, id, from := false, "", "", ""
	cmd := &cobra.Command{
		Use:   "init [DIR|NAME.yaml]",
		Short: "write a commented pipeline file to start from",
		Long: `Writes biopoint.yaml into DIR (default: the working directory): a short file that extends the
built-in biopoint.yaml, with the cohort and a parameter to change. The cohort is fMRIPrep's
derivatives where they lie beside the file or in derivatives/, and else simulated. --full writes a copy of the
built-in file, with a comment on every step. NAME.yaml, with or without a directory before it, is
that file: for biopoint.yaml the same, for another built-in pipeline a copy of it. An existing file
is left alone.

--from DIR examines the data in DIR and writes study.yaml (or NAME.yaml), whose cohort reads them:
derivatives of fMRIPrep, or time series of XCP-D, giga_connectome or C-PAC; files of CONN, DPABI, GRETNA
or GIFT; ABIDE as nilearn fetches it; a table with a column for each pair of regions; or files whose names contain the values of a column of a table of
participants (participants.tsv, .csv or .xlsx in DIR, above it, or beside the new file).

--rows FILE begins a study without participants: a pipeline whose cohort is the rows of a table. The
file is named after the table, or is NAME.yaml. The names of the rows are in the first column, or in
the column that --id sets.`,
		Example: `  pipeline init my-study
  cd my-study && pipeline run biopoint.yaml
  pipeline init sessions.yaml
  pipeline init --full everything
  pipeline init --from derivatives/xcp_d
  pipeline init --rows stations.tsv
  pipeline init --rows stations.tsv --id code`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case from != "" && (full || rows != ""):
				return flags.Usage(cmd, "--from excludes --full and --rows: leave out one of them")
			case rows != "" && full:
				return flags.Usage(cmd, "--rows and --full exclude each other: leave out one of them")
			case rows == "" && id != "":
				return flags.Usage(cmd, "--id needs --rows: it is a column of that table")
			case rows != "":
				return a.initRows(strings.Join(args, ""), rows, id)
			case from != "":
				return a.initFrom(strings.Join(args, ""), from)
			}
			if _, ok := builtin.Text("biopoint.yaml"); !ok && len(args) == 0 {
				return flags.Usage(cmd, "this program has no built-in pipeline: begin with a table by --rows FILE")
			}
			path := "biopoint.yaml"
			if len(args) == 1 {
				path = args[0]
			}
			if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" {
				path = filepath.Join(path, "biopoint.yaml")
			}
			name := filepath.Base(path)
			text, ok := builtin.Text(name)
			if !ok {
				return flags.Usage(cmd, "there is no built-in pipeline %s%s; a file of your own begins with extends: NAME.yaml", name, words.OrAll(name, builtin.Names()))
			}
			if short, ok := builtin.Short(name); ok && !full {
				return a.init(path, short, true)
			}
			return a.init(path, text, false)
		},
	}
	cmd.Flags().StringVar(&rows, "rows", "", "a study of the rows of the table `FILE` (CSV, TSV or .xlsx), without participants")
	cmd.Flags().Var(flags.Name(&from), "from", "a study of the data in `DIR`: of fMRIPrep, XCP-D, CONN, DPABI and others, or a table and files")
	cmd.Flags().StringVar(&id, "id", "", "with --rows: the `COLUMN` that names the rows (default: the first)")
	cmd.Flags().BoolVar(&full, "full", false, "the whole pipeline, with a comment on every step, and no extends")
	return cmd
}

type initEvent struct {
	File string `json:"file"`
	// Derivatives are those of fMRIPrep that lie beside the file.
	Derivatives []string `json:"derivatives,omitempty"`
	Found       string   `json:"found,omitempty"` // by --from
	// Check is what the user compares with what is meant, such as which of several files was written.
	Check []string `json:"check,omitempty"`
}

// init writes a pipeline file. One that extends another takes the derivatives that lie beside it.
func (a *app) init(path, text string, extends bool) error {
	if err := a.MayWrite(filepath.Dir(path)); err != nil {
		return err
	}
	found := bids.FMRIPrepWithin(filepath.Dir(path))
	for i, d := range found {
		if rel, err := filepath.Rel(filepath.Dir(path), d); err == nil {
			found[i] = filepath.ToSlash(rel)
		}
	}
	if extends {
		text = scaffold.Extending(text, filepath.Dir(path), found)
	}
	if err := scaffold.Study(path, describe.EditorsLine+text); err != nil {
		return err
	}
	if a.AsJSON("init", initEvent{File: path, Derivatives: found}) {
		return nil
	}
	if extends && len(found) > 0 {
		fmt.Fprintf(a.Out, "wrote %s, for fMRIPrep's derivatives in %s; next: pipeline cohort %s\n", path, strings.Join(found, ", "),
			console.Shell(path))
		return nil
	}
	simulated := ""
	if len(found) == 0 && strings.Contains(text, "\n  simulate:") {
		simulated = "no derivatives found here, so the cohort is simulated; for data elsewhere: pipeline init --from DIR\n"
	}
	fmt.Fprintf(a.Out, "%swrote %s; try: pipeline run %s\n", simulated, path, console.Shell(path))
	for _, dir := range found {
		fmt.Fprintf(a.Out, "fMRIPrep's derivatives are in %s: to use them, replace simulate under cohort by\n  bids: { dir: %s, group: group }\n", dir, dir)
	}
	return nil
}

// initFrom writes a pipeline file for the data in a directory; to is a directory, a file, or "".
func (a *app) initFrom(to, dir string) error {
	path := to
	if ext := filepath.Ext(to); ext != ".yaml" && ext != ".yml" {
		path = filepath.Join(to, "study.yaml")
	}
	beside := filepath.Dir(path)
	if err := a.MayWrite(beside); err != nil {
		return err
	}
	if short, ok := builtin.Short("biopoint.yaml"); ok {
		derivatives := bids.FMRIPrep(dir)
		if len(derivatives) == 0 {
			derivatives = bids.FMRIPrep(filepath.Join(dir, "derivatives"))
		}
		for i, d := range derivatives {
			if rel, err := filepath.Rel(beside, d); err == nil {
				derivatives[i] = filepath.ToSlash(rel)
			}
		}
		switch {
		case len(derivatives) > 1:
			return exit.Wrongf("--from %s: several directories are derivatives of fMRIPrep (%s): name one of them", dir,
				words.Some(derivatives, 4))
		case len(derivatives) == 1:
			text := scaffold.Extending(short, beside, derivatives)
			if name := filepath.Base(path); name != "biopoint.yaml" {
				text = strings.NewReplacer(" print biopoint.yaml", " print "+name,
					" # the built-in one: a file that names itself means that", " # the built-in one").Replace(text)
			}
			return a.wroteFrom(path, &scaffold.Found{What: "fMRIPrep's derivatives", Text: text})
		}
	}
	found, err := scaffold.From(dir, beside)
	if err != nil {
		return exit.Wrongf("%w", err)
	}
	return a.wroteFrom(path, found)
}

// wroteFrom writes the pipeline file of what was found, and its table where there was none.
func (a *app) wroteFrom(path string, found *scaffold.Found) error {
	if found.Table != "" {
		if err := scaffold.Study(filepath.Join(filepath.Dir(path), found.Name), found.Table); err != nil {
			return err
		}
	}
	if err := scaffold.Study(path, describe.EditorsLine+found.Text); err != nil {
		return err
	}
	if err := misnamed(path); err != nil {
		return exit.Wrongf("%s was not written: %w", path, errors.Join(err, os.Remove(path)))
	}
	if a.AsJSON("init", initEvent{File: path, Found: found.What, Check: found.Check}) {
		return nil
	}
	fmt.Fprintf(a.Out, "wrote %s, for %s; next: ", path, found.What)
	if found.Name == "participants.tsv" {
		fmt.Fprintf(a.Out, "fill in the column group of participants.tsv, which was written beside it; then: ")
	}
	if found.Lacks != "" {
		fmt.Fprintf(a.Out, "add %s; then: ", found.Lacks)
	}
	fmt.Fprintf(a.Out, "pipeline cohort %s\n", console.Shell(path))
	for _, text := range found.Check {
		fmt.Fprintf(a.Out, "check: %s\n", text)
	}
	return nil
}

// misnamed is why the run of a pipeline file would refuse files by their names, of the first participant of whom it is
// so; nil where something else is to be filled in first.
func misnamed(path string) error {
	p, err := pipelines.Load(path, nil)
	if err != nil || p.Roster == nil {
		return nil
	}
	for _, s := range p.Roster.Subjects {
		if errors.As(s.Problem, new(located.Several)) {
			if of := (listed.Fault{}); errors.As(s.Problem, &of) { // without a participant, others' files are as wrong
				return of.Err
			}
			return s.Problem
		}
	}
	return nil
}

func (a *app) newStageCommand() *cobra.Command {
	var clone, modulePath string
	plain := false
	cmd := &cobra.Command{
		Use:   "new-stage NAME DIR",
		Short: "write a Go module with a stage kind of your own",
		Long: `Writes a Go module into DIR that builds a pipeline program with one more stage kind, NAME, with its
tests and a pipeline file that runs it. The kind is a worked example to change: outlying participants
by Mahalanobis distance (examples/own-stage), or with --plain three kinds without participants, NAME-clean,
NAME-daily and NAME-correlation (examples/weather). It needs Go, and the source of this program beside DIR:
prgnn-` + version.Number + `-source.tar.gz of the release, unpacked, or a clone, which --clone names. go.mod refers to
it. DIR must be new or empty.`,
		Example: `  tar xzf prgnn-` + version.Number + `-source.tar.gz
  pipeline new-stage closeness mylab
  cd mylab && go generate ./... && go test ./... && go build -o pipeline .
  ./pipeline run closeness.yaml`,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.newStage(args[0], args[1], clone, modulePath, plain)
		},
	}
	f := cmd.Flags()
	f.StringVar(&clone, "clone", "", "`DIR` of the source of prgnn (default: prgnn-"+version.Number+"-source or prgnn beside the new module)")
	f.BoolVar(&plain, "plain", false, "kinds without participants, in a program without the kinds for the brain (examples/weather)")
	f.StringVar(&modulePath, "module", "", "the `PATH` of the new module, as in its go.mod (default: the name of DIR)")
	return cmd
}

func (a *app) newModelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "new-model NAME [DIR]",
		Short: "write a model of your own in Python, and a pipeline file that trains it",
		Long: `Writes NAME/NAME.py and NAME.yaml into DIR (default: the working directory). The pipeline file trains the
model in Python beside the others of quick.yaml, on the same folds (kind estimator). The model is a working one to
change, and needs numpy alone. Existing files are left alone. pipeline docs your-own-model describes what a model has.`,
		Example: `  pipeline new-model mymodel
  pipeline run mymodel.yaml
  pipeline run mymodel.yaml --set python=/home/me/env/bin/python`,
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 1 {
				dir = args[1]
			}
			return a.newModel(args[0], dir)
		},
	}
}

func (a *app) newModel(name, dir string) error {
	if err := a.MayWrite(dir); err != nil {
		return err
	}
	files, err := scaffold.Model(name, dir)
	if err != nil {
		return err
	}
	if a.AsJSON("new-model", newStageEvent{dir, files}) {
		return nil
	}
	fmt.Fprintf(a.Out, "wrote %s; try: pipeline run %s\n", strings.Join(files, " and "), console.Shell(files[0]))
	return nil
}

type newStageEvent struct {
	Dir   string   `json:"dir"`
	Files []string `json:"files"`
}

func (a *app) newStage(name, dir, clone, modulePath string, plain bool) error {
	if err := a.MayWrite(dir); err != nil {
		return err
	}
	from := scaffold.OfParticipants
	if plain {
		from = scaffold.Plain
	}
	files, err := scaffold.Module(from, name, dir, clone, modulePath)
	if err != nil {
		return err
	}
	if a.AsJSON("new-stage", newStageEvent{dir, files}) {
		return nil
	}
	fmt.Fprintf(a.Out, "wrote %s: %s\n", dir, strings.Join(files, ", "))
	fmt.Fprintf(a.Out, "  cd %s && go generate ./... && go test ./... && go build -o pipeline .\n  ./pipeline run %s.yaml\n", console.Shell(dir), name)
	return nil
}

// initRows writes a pipeline file for the rows of a table, which the column id names, or the first; to is a
// directory, a
// file, or "".
func (a *app) initRows(to, table, id string) error {
	name := strings.TrimSuffix(filepath.Base(table), filepath.Ext(table))
	path := to
	if ext := filepath.Ext(to); ext != ".yaml" && ext != ".yml" {
		path = filepath.Join(to, name+".yaml")
	}
	if err := a.MayWrite(filepath.Dir(path)); err != nil {
		return err
	}
	from, err := filepath.Rel(filepath.Dir(path), table)
	if err != nil {
		if from, err = filepath.Abs(table); err != nil {
			return err
		}
	}
	axis := ""
	r, err := (&cohort.RowsCohort{File: table, ID: id}).Load(".")
	if errors.As(err, new(cohort.AxisError)) {
		axis = "row"
		r, err = (&cohort.RowsCohort{File: table, ID: id, Axis: axis}).Load(".")
	}
	if errors.As(err, new(cohort.NamesError)) {
		err = fmt.Errorf("%w\n  here, the flag --id sets the parameter id", err)
	}
	if err != nil {
		return exit.Wrongf("--rows %s: %w", table, err)
	}
	text, complete := scaffold.Rows{Name: name, Table: filepath.ToSlash(from), ID: id, Axis: axis,
		Roster: r}.Study(path)
	if err := scaffold.Study(path, describe.EditorsLine+text); err != nil {
		return err
	}
	if a.AsJSON("init", initEvent{File: path}) {
		return nil
	}
	next := "pipeline cohort " + console.Shell(path)
	if !complete {
		next = "replace KIND in it by a stage kind of this program, which pipeline stages lists"
	}
	fmt.Fprintf(a.Out, "wrote %s, for %s of %s; next: %s\n", path, words.Count(len(r.Subjects), "row"), table, next)
	return nil
}
