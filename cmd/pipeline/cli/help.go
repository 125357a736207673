package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/manual"
	"prgnn/internal/version"
)

func (a *app) help(cmd *cobra.Command, _ []string) {
	if a.JSON {
		a.helped = flags.Usage(cmd, "there is no --json for a help: leave it out")
		return
	}
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
	if own := cmd.LocalNonPersistentFlags(); own.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags\n%s", own.FlagUsages())
	}
	everywhere := pflag.NewFlagSet("", pflag.ContinueOnError)
	everywhere.SortFlags = false
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if cmd == cmd.Root() || !slices.Contains(shares, f.Name) || slices.Contains(placesOf(cmd), f.Name) {
			everywhere.AddFlag(f)
		}
	})
	fmt.Fprintf(w, "\nEverywhere\n%s", everywhere.FlagUsages())
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
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case man && len(args) > 0:
				return flags.Usage(cmd, "--man prints all commands: leave out %s", args[0])
			case man:
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
