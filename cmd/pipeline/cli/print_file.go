package cli

import (
	"github.com/spf13/cobra"

	"prgnn/pipelines/layer"
)

func (a *app) printCommand() *cobra.Command {
	plain := false
	cmd := &cobra.Command{
		Use:   "print FILE",
		Short: "a pipeline file with everything that it extends, and the origin of each line",
		Long: `Prints the pipeline file with everything that it extends and what --set sets, as one file. Each
line ends with its file and line of origin. The output is a pipeline file that extends
nothing and gives the same keys. Data are not read, and variables are not expanded.`,
		Example: `  pipeline print quick.yaml
  pipeline print study.yaml --plain > whole.yaml`,
		RunE: func(_ *cobra.Command, args []string) error { return a.printFile(args[0], plain) },
	}
	setFlag(cmd, &a.sets)
	cmd.Flags().BoolVar(&plain, "plain", false, "omit the origins of the lines")
	return cmd
}

// A printEvent is a pipeline file with all that it extends.
type printEvent struct {
	File string `json:"file"`
	Text string `json:"text"`
}

func (a *app) printFile(file string, plain bool) error {
	text, err := layer.Print(file, a.sets, plain)
	if err != nil {
		return a.mistaken(file, err)
	}
	if a.AsJSON("print", printEvent{file, text}) {
		return nil
	}
	_, err = a.Out.WriteString(text)
	return err
}
