package cli

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/describe"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/scaffold"
	"prgnn/dag"
	"prgnn/internal/version"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/stages/bids"
	"prgnn/stages/builtin"
	"prgnn/stages/cohort"
)

func (a *app) initCommand() *cobra.Command {
	full, rows := false, ""
	cmd := &cobra.Command{
		Use:   "init [DIR|NAME.yaml]",
		Short: "write a commented pipeline file to start from",
		Long: `Writes biopoint.yaml into DIR (default: the working directory): a short file that extends the
built-in biopoint.yaml, with the cohort and a parameter to change. The cohort is fMRIPrep's
derivatives where they lie beside the file or in derivatives/, and else simulated. --full writes a copy of the
built-in file, with a comment on every step. NAME.yaml, with or without a directory before it, is
that file: for biopoint.yaml the same, for another built-in pipeline a copy of it. An existing file
is left alone.

--rows FILE begins a study without participants: a pipeline whose cohort is the rows of a table. Its
name is that of the table, or NAME.yaml.`,
		Example: `  pipeline init my-study
  cd my-study && pipeline run biopoint.yaml
  pipeline init sessions.yaml
  pipeline init --full everything
  pipeline init --rows stations.tsv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rows != "" {
				if full {
					return flags.Usage(cmd, "--rows and --full exclude each other: leave out one of them")
				}
				return a.initRows(strings.Join(args, ""), rows)
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
				return a.init(path, func(derivatives []string) string { return scaffold.Extending(short, derivatives) })
			}
			return a.init(path, func([]string) string { return text })
		},
	}
	cmd.Flags().StringVar(&rows, "rows", "", "a study of the rows of the table `FILE` (CSV or TSV), without participants")
	cmd.Flags().BoolVar(&full, "full", false, "the whole pipeline, with a comment on every step, and no extends")
	return cmd
}

type initEvent struct {
	Event string `json:"event"` // "init"
	File  string `json:"file"`
	// Derivatives are those of fMRIPrep that lie beside the file.
	Derivatives []string `json:"derivatives,omitempty"`
}

// init writes a pipeline file, whose text depends on the derivatives that lie beside it.
func (a *app) init(path string, text func(derivatives []string) string) error {
	if err := a.MayWrite(filepath.Dir(path)); err != nil {
		return err
	}
	found := bids.FMRIPrepWithin(filepath.Dir(path))
	for i, d := range found {
		if rel, err := filepath.Rel(filepath.Dir(path), d); err == nil {
			found[i] = filepath.ToSlash(rel)
		}
	}
	written := text(found)
	if err := scaffold.Study(path, describe.EditorsLine+written); err != nil {
		return err
	}
	if a.AsJSON(initEvent{"init", path, found}) {
		return nil
	}
	if written != text(nil) {
		fmt.Fprintf(a.Out, "wrote %s, for fMRIPrep's derivatives in %s; next: pipeline cohort %s\n", path, strings.Join(found, ", "),
			console.Shell(path))
		return nil
	}
	fmt.Fprintf(a.Out, "wrote %s; try: pipeline run %s\n", path, console.Shell(path))
	for _, dir := range found {
		fmt.Fprintf(a.Out, "fMRIPrep's derivatives are in %s: to use them, replace simulate under cohort by\n  bids: { dir: %s, group: group }\n", dir, dir)
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

type newStageEvent struct {
	Event string   `json:"event"` // "new-stage"
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
	if a.AsJSON(newStageEvent{"new-stage", dir, files}) {
		return nil
	}
	fmt.Fprintf(a.Out, "wrote %s: %s\n", dir, strings.Join(files, ", "))
	fmt.Fprintf(a.Out, "  cd %s && go generate ./... && go test ./... && go build -o pipeline .\n  ./pipeline run %s.yaml\n", console.Shell(dir), name)
	return nil
}

// initRows writes a pipeline file for the rows of a table; to is a directory, a file, or "".
func (a *app) initRows(to, table string) error {
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
	r, err := (&cohort.RowsCohort{File: table}).Load(".")
	if errors.As(err, new(cohort.AxisError)) {
		axis = "row"
		r, err = (&cohort.RowsCohort{File: table, Axis: axis}).Load(".")
	}
	if err != nil {
		return exit.Wrongf("--rows %s: %w", table, err)
	}
	text, complete := rowsStudy(path, func(stage string) string {
		return scaffold.OfRows(name, filepath.ToSlash(from), axis, r.AxisName(), stage)
	}, r)
	if err := scaffold.Study(path, describe.EditorsLine+text); err != nil {
		return err
	}
	if a.AsJSON(initEvent{"init", path, nil}) {
		return nil
	}
	next := "pipeline cohort " + console.Shell(path)
	if !complete {
		next = "replace KIND in it by a stage kind of this program, which pipeline stages lists"
	}
	fmt.Fprintf(a.Out, "wrote %s, for %s of %s; next: %s\n", path, words.Count(len(r.Subjects), "row"), table, next)
	return nil
}

// rowsStudy is the text of a pipeline of rows with one stage: a command, or the first kind of this program that reads
// what the rows have and needs nothing else. complete is false where the program has none.
func rowsStudy(path string, text func(stage string) string, r *cohort.Roster) (written string, complete bool) {
	if _, ok := dag.Lookup("exec"); ok {
		return text(""), true
	}
	const stage = "  first: { use: %s, each: %s, in: { %s } } # pipeline stages %[1]s describes it\n"
	for _, k := range dag.Kinds() {
		if of := inputsOfRows(k.New().Ports(), r); of != "" {
			try := text(fmt.Sprintf(stage, k.Name, r.AxisName(), of))
			if _, err := pipelines.LoadText(path, try, filepath.Dir(path), nil); err == nil {
				return try, true
			}
		}
	}
	return text(fmt.Sprintf(stage, "KIND", r.AxisName(), "INPUT: cohort.row")), false
}

// inputsOfRows connects the inputs of a kind with what each row has, its files before its columns; "" where it needs
// anything else.
func inputsOfRows(ports dag.Ports, r *cohort.Roster) string {
	var of []string
	for _, in := range ports.In {
		if in.Optional {
			continue
		}
		from := ""
		for _, has := range []map[string]dag.Type{r.Files, r.Values} {
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
