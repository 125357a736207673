package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/describe"
	"prgnn/cmd/pipeline/flags"
)

func (a *app) docsCommand() *cobra.Command {
	var search string
	cmd := &cobra.Command{
		Use:   "docs [TOPIC…]",
		Short: "the documentation, without a network",
		Long: `Lists the pages of the documentation, which the program contains. With a TOPIC, prints a page
(statistics) or one of its sections (leakage#one-person-under-two-ids). --search prints the answer to a
question, and lists other sections.`,
		Example: `  pipeline docs
  pipeline docs questions | less
  pipeline docs --search age covariate`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("search"):
				return describe.Search(a.Console, strings.Join(append([]string{search}, args...), " "))
			case len(args) > 0:
				return describe.Topic(a.Console, strings.Join(args, " "))
			}
			describe.Topics(a.Console)
			return nil
		},
	}
	cmd.Flags().StringVar(&search, "search", "", "print the section that answers `WORDS`, and list others")
	return cmd
}

func (a *app) stagesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stages [NAME]",
		Short: "the stage kinds; one kind's parameters and ports",
		Long: `Lists the stage kinds that a pipeline file may use, and the cohort kinds. With a NAME: what
it does, its parameters with defaults, types, units and allowed values, and its ports.`,
		Example: `  pipeline stages
  pipeline stages graph`,
		ValidArgsFunction: completeKind,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				describe.Kinds(a.Console)
				return nil
			}
			return describe.Kind(a.Console, args[0])
		},
	}
}

func (a *app) schemaCommand() *cobra.Command {
	install := false
	cmd := &cobra.Command{
		Use:   "schema [DIR]",
		Short: "a JSON Schema of pipeline files, for editors",
		Long: `Prints a JSON Schema (draft 2020-12) of pipeline files with the kinds of this program, own kinds
included: their parameters with types, bounds and choices, and their inputs. Editors complete and
check a file with it; pipeline plan also checks what a schema cannot state, such as references.

--install writes it as ` + describe.SchemaFile + ` into DIR (default: the working directory). Editors with the
YAML language server find it by the first line that pipeline init writes:
  ` + strings.TrimSpace(describe.EditorsLine),
		Example: `  pipeline schema --install
  pipeline schema > pipeline.schema.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case install:
				return describe.InstallSchema(a.Console, strings.Join(args, ""))
			case len(args) > 0:
				return flags.Usage(cmd, "DIR is for --install: add --install, or leave out %s", args[0])
			}
			return describe.PrintSchema(a.Console)
		},
	}
	cmd.Flags().BoolVar(&install, "install", false, "write "+describe.SchemaFile+" into DIR")
	return cmd
}
