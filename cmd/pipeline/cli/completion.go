package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/flags"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/stages/builtin"
	"prgnn/stages/cohort"
)

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "completion script for bash, zsh, fish or powershell",
		Long:  "Prints a shell script that completes the commands and flags of this program.",
		Example: `  source <(pipeline completion bash)                                   now
  pipeline completion bash > ~/.local/share/bash-completion/completions/pipeline   always
  pipeline completion zsh > "${fpath[1]}/_pipeline"`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				fmt.Fprint(a.Out, bashWords)
				return root.GenBashCompletionV2(a.Out, true)
			case "zsh":
				return root.GenZshCompletion(a.Out)
			case "fish":
				return root.GenFishCompletion(a.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.Out)
			}
			return flags.Usage(cmd, "there is no shell %q%s", args[0], words.OrAll(args[0], cmd.ValidArgs))
		},
	}
}

// bashWords stands in for what the script takes from the package bash-completion, where that is not loaded: the words
// of the line up to the cursor, which bash also cuts at = and :.
const bashWords = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        local line="${COMP_LINE:0:COMP_POINT}"
        read -ra words <<<"$line"
        if [[ -z $line || $line == *[[:blank:]] ]]; then words+=(""); fi
        cword=$((${#words[@]} - 1)) cur="${words[-1]}" prev=""
        if ((cword > 0)); then prev="${words[cword - 1]}"; fi
    }
    __ltrim_colon_completions() {
        local i
        if [[ $1 == *:* && $COMP_WORDBREAKS == *:* ]]; then
            for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]="${COMPREPLY[i]#"${1%"${1##*:}"}"}"; done
        fi
    }
fi

`

// completeCommand completes the name of a command.
func completeCommand(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, c := range cmd.Root().Commands() {
		if len(args) == 0 && !c.Hidden {
			names = append(names, c.Name()+"\t"+c.Short)
		}
	}
	return beginning(names, begun), cobra.ShellCompDirectiveNoFileComp
}

// completeFile completes FILE by the built-in pipelines and what is in the
// directory, and after it the stages of that file.
func completeFile(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return beginning(builtin.Names(), begun), cobra.ShellCompDirectiveDefault
	case 1:
		return completeStage(nil, args, begun)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeStage completes the name of a stage of the file that is named already.
func completeStage(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	p, err := pipelines.Load(args[0], nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, s := range p.Graph.Stages() {
		names = lists.Add(names, s.Name()) // the cohort has two parts
	}
	return beginning(names, begun), cobra.ShellCompDirectiveNoFileComp
}

func completeKind(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) == 0 {
		for _, k := range dag.Kinds() {
			names = append(names, k.Name)
		}
		for _, c := range cohort.Kinds() {
			names = append(names, c.Name)
		}
	}
	return beginning(names, begun), cobra.ShellCompDirectiveNoFileComp
}

func beginning(names []string, with string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, with) })
}
