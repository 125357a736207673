package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/exit"
	"prgnn/pipelines"
)

func (a *app) initCommand() *cobra.Command {
	full := false
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "write a commented biopoint.yaml to start from",
		Long: `Writes biopoint.yaml into DIR (default: the working directory): a short file that extends the
built-in biopoint.yaml, with the cohort and a parameter to change. --full writes a copy of the
built-in file, with a comment on every step. A file that is there already is left alone.`,
		Example: `  pipeline init my-study
  cd my-study && pipeline run biopoint.yaml
  pipeline init --full everything`,
		Args: between(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			text := pipelines.Study()
			if full {
				text = pipelines.Template()
			}
			return a.init(dir, text)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "the whole pipeline, with a comment on every step, and no extends")
	return cmd
}

type initEvent struct {
	Event string `json:"event"` // "init"
	File  string `json:"file"`
}

func (a *app) init(dir, text string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	path := filepath.Join(dir, "biopoint.yaml")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return exit.Wrongf("%s is there already; it was left as it is", path)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if a.JSON {
		a.Object(initEvent{"init", path})
		return nil
	}
	fmt.Fprintf(a.Out, "wrote %s; try: pipeline run %s\n", path, path)
	return nil
}
