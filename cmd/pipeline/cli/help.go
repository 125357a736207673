package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/manual"
	"prgnn/internal/version"
)

func (a *app) help(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	fmt.Fprintln(w, strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)))
	cmd.InheritedFlags() // they count among the flags of the usage line
	fmt.Fprintf(w, "\nUsage\n  %s\n", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		commandList(w, cmd)
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExample\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	if flags := cmd.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags\n%s", flags.FlagUsages())
	}
	fmt.Fprintf(w, "\nEverywhere\n%s", cmd.Root().PersistentFlags().FlagUsages())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\npipeline COMMAND --help shows a command's flags and an example.")
	}
}

func commandList(w io.Writer, root *cobra.Command) {
	for _, group := range root.Groups() {
		fmt.Fprintf(w, "\n%s\n", group.Title)
		g := console.Grid{Indent: "  "}
		for _, c := range root.Commands() {
			if c.GroupID == group.ID && c.IsAvailableCommand() {
				g.Add(c.Name(), c.Short)
			}
		}
		g.Print(w)
	}
}

func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	man := false
	cmd := &cobra.Command{
		Use:               "help [COMMAND]",
		Short:             "what a command does",
		Long:              "Prints help for a command: what it does, its flags, an example. --man prints all of it as a manual page.",
		Example:           "  pipeline help run\n  pipeline help --man > ~/.local/share/man/man1/pipeline.1",
		ValidArgsFunction: completeCommand,
		RunE: func(_ *cobra.Command, args []string) error {
			if man {
				return manual.Write(a.Out, root, version.Number)
			}
			c, _, err := root.Find(args)
			if err != nil || c == root && len(args) > 0 {
				return a.unknownCommand(root, args[0])
			}
			return c.Help()
		},
	}
	cmd.Flags().BoolVar(&man, "man", false, "print the manual page of all commands, for man")
	return cmd
}
