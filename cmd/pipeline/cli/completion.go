package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "a script that completes commands in bash, zsh, fish or powershell",
		Long:  "Prints a script that makes the shell complete the commands and flags of this program.",
		Example: `  source <(pipeline completion bash)                                   now
  pipeline completion bash > ~/.local/share/bash-completion/completions/pipeline   always
  pipeline completion zsh > "${fpath[1]}/_pipeline"`,
		Args:      exactly(1),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
			return usage(cmd, "there is no shell %q%s", args[0], meant(args[0], cmd.ValidArgs))
		},
	}
}
