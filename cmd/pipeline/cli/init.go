package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/scaffold"
	"prgnn/internal/pattern"
	"prgnn/internal/version"
	"prgnn/internal/words"
	"prgnn/stages/bids"
	"prgnn/stages/builtin"
)

func (a *app) initCommand() *cobra.Command {
	full := false
	cmd := &cobra.Command{
		Use:   "init [DIR|NAME.yaml]",
		Short: "write a commented pipeline file to start from",
		Long: `Writes biopoint.yaml into DIR (default: the working directory): a short file that extends the
built-in biopoint.yaml, with the cohort and a parameter to change. The cohort is fMRIPrep's
derivatives where they lie beside the file or in derivatives/, and else simulated. --full writes a copy of the
built-in file, with a comment on every step. NAME.yaml, with or without a directory before it, is
that file: for biopoint.yaml the same, for another built-in pipeline a copy of it. An existing file
is left alone.`,
		Example: `  pipeline init my-study
  cd my-study && pipeline run biopoint.yaml
  pipeline init sessions.yaml
  pipeline init --full everything`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
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
				return a.init(path, func(derivatives []string) string { return studyText(short, derivatives) })
			}
			return a.init(path, func([]string) string { return text })
		},
	}
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
	if err := scaffold.Study(path, written); err != nil {
		return err
	}
	if a.JSON {
		a.Object(initEvent{"init", path, found})
		return nil
	}
	if written != text(nil) {
		fmt.Fprintf(a.Out, "wrote %s, for fMRIPrep's derivatives in %s; next: pipeline cohort %s\n", path, strings.Join(found, ", "), path)
		return nil
	}
	fmt.Fprintf(a.Out, "wrote %s; try: pipeline run %s\n", path, path)
	for _, dir := range found {
		fmt.Fprintf(a.Out, "fMRIPrep's derivatives are in %s: to use them, replace simulate under cohort by\n  bids: { dir: %s, group: group }\n", dir, dir)
	}
	return nil
}

func (a *app) newStageCommand() *cobra.Command {
	var clone, modulePath string
	cmd := &cobra.Command{
		Use:   "new-stage NAME DIR",
		Short: "write a Go module with a stage kind of your own",
		Long: `Writes a Go module into DIR that builds a pipeline program with one more stage kind, NAME, with its
tests and a pipeline file that runs it. The kind is a worked example to change: outlying participants
by Mahalanobis distance (examples/own-stage). It needs Go, and the source of this program beside DIR:
prgnn-` + version.Number + `-source.tar.gz of the release, unpacked, or a clone, which --clone names. go.mod refers to
it. DIR must be new or empty.`,
		Example: `  tar xzf prgnn-` + version.Number + `-source.tar.gz
  pipeline new-stage closeness mylab
  cd mylab && go generate ./... && go test ./... && go build -o pipeline .
  ./pipeline run closeness.yaml`,
		Args: exactly(2),
		RunE: func(_ *cobra.Command, args []string) error { return a.newStage(args[0], args[1], clone, modulePath) },
	}
	f := cmd.Flags()
	f.StringVar(&clone, "clone", "", "`DIR` of the source of prgnn (default: prgnn-"+version.Number+"-source or prgnn beside the new module)")
	f.StringVar(&modulePath, "module", "", "the `PATH` of the new module, as in its go.mod (default: the name of DIR)")
	return cmd
}

type newStageEvent struct {
	Event string   `json:"event"` // "new-stage"
	Dir   string   `json:"dir"`
	Files []string `json:"files"`
}

func (a *app) newStage(name, dir, clone, modulePath string) error {
	if err := a.MayWrite(dir); err != nil {
		return err
	}
	files, err := scaffold.Module(name, dir, clone, modulePath)
	if err != nil {
		return err
	}
	if a.JSON {
		a.Object(newStageEvent{"new-stage", dir, files})
		return nil
	}
	fmt.Fprintf(a.Out, "wrote %s: %s\n", dir, strings.Join(files, ", "))
	fmt.Fprintf(a.Out, "  cd %s && go generate ./... && go test ./... && go build -o pipeline .\n  ./pipeline run %s.yaml\n", dir, name)
	return nil
}

// studyText is a file that extends biopoint.yaml. Its cohort is the derivatives of fMRIPrep that lie beside it, or is
// simulated.
func studyText(text string, derivatives []string) string {
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
