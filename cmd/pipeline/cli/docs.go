package cli

import (
	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/describe"
	"prgnn/cmd/pipeline/exit"
)

func (a *app) docsCommand() *cobra.Command {
	var search string
	cmd := &cobra.Command{
		Use:   "docs [TOPIC]",
		Short: "the documentation, without a network",
		Long: `Lists the pages of the documentation, which the program contains. With a TOPIC, prints a page
(statistics) or one of its sections (statistics#checks-for-leakage-leakage).`,
		Example: `  pipeline docs
  pipeline docs questions | less
  pipeline docs --search "age covariate"`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("search") && len(args) > 0:
				return exit.Wrongf("--search takes all words in one pair of quotes, and no TOPIC")
			case cmd.Flags().Changed("search"):
				return describe.Search(a.Console, search)
			case len(args) > 0:
				return describe.Topic(a.Console, args[0])
			}
			describe.Topics(a.Console)
			return nil
		},
	}
	cmd.Flags().StringVar(&search, "search", "", "list the sections that have all `WORDS`")
	return cmd
}
