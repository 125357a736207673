package cli

import (
	"cmp"
	"errors"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts/remote"
	"prgnn/cmd/pipeline/bidsapp"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/manual"
	"prgnn/dag"
)

// An app is one call of the program, with the flags that every command has.
type app struct {
	*console.Console
	helped  error // why a help is not printed
	signKey string
	trusted []string // files of public keys
	keys    func() (remote.Trust, error)
	private bool
	sets    []string // --set and --without, of a pipeline file
	// asWritten looks at a pipeline file without the settings of its last run.
	asWritten bool
}

// Main runs this process's command line and returns its exit code.
func Main() int {
	return run(bidsapp.Args(os.Args[0], os.Args[1:], isCommand), os.Stdout, os.Stderr)
}

func isCommand(word string) bool {
	return word == "help" || slices.ContainsFunc(available(), func(c subcommand) bool { return c.name == word })
}

func run(args []string, stdout io.Writer, stderr io.Writer) int {
	log.SetOutput(io.Discard) // net/http logs what servers send, which no user can act on, past -q and --json
	a := &app{Console: console.New(args, stdout, stderr)}
	var wrong error
	a.private, wrong = privateByDefault(os.Getenv("PIPELINE_PRIVATE"))
	only := ""
	if len(args) > 0 {
		only = args[0]
	}
	root := a.root(only)
	root.SetArgs(args)
	root.SetOut(a.Out)
	root.SetErr(a.Stderr)
	err := wrong
	if err == nil {
		err = cmp.Or(root.Execute(), a.helped)
	}
	if flushErr := a.Flush(); err == nil && flushErr != nil && !brokenPipe(flushErr) {
		err = flushErr
	}
	code := a.finish(err)
	_ = a.Close() // nobody is left to be told
	return code
}

// privateByDefault reads PIPELINE_PRIVATE.
func privateByDefault(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "1", "true", "yes":
		return true, nil
	case "", "0", "false", "no":
		return false, nil
	}
	return false, exit.Wrongf("PIPELINE_PRIVATE is %q: it takes 1, true or yes, or 0, false or no", value)
}

// A subcommand is one word of the command line, in the group under which the help lists it.
type subcommand struct {
	name, group string
	make        func(*app) *cobra.Command
	places      places
	tellsOfAll  bool        // it needs the other commands
	has         func() bool // whether the program has what it is for; nil for always
}

// places are those of the flags --store, --remote, --trusted-keys and --sign-key that a command has a use for. It
// refuses the others.
type places []string

var (
	nowhere  = places{}
	inStore  = places{"store"}
	inRemote = places{"remote"}
	looksUp  = places{"store", "remote", "trusted-keys"}
	shares   = places{"store", "remote", "trusted-keys", "sign-key"} // all of them
)

var commands = []subcommand{
	{name: "run", group: "run", make: (*app).runCommand, places: shares},
	{name: "plan", group: "run", make: (*app).planCommand, places: looksUp},
	{name: "why", group: "run", make: (*app).whyCommand, places: looksUp},
	{name: "graph", group: "run", make: (*app).graphCommand, places: looksUp},
	{name: "status", group: "run", make: (*app).statusCommand, places: looksUp},
	{name: "bids-app", group: "run", make: (*app).bidsAppCommand, places: shares, has: bidsapp.Within},
	{name: "validate", group: "run", make: (*app).validateCommand, places: shares, has: export.HasModels},
	{name: "exec-task", group: "run", make: (*app).execTaskCommand, places: inStore},
	{name: "exec-pilot", group: "run", make: (*app).execPilotCommand, places: inStore},

	{name: "cohort", group: "look", make: (*app).cohortCommand, places: nowhere},
	{name: "runs", group: "look", make: (*app).runsCommand, places: inStore},
	{name: "show", group: "look", make: (*app).showCommand, places: looksUp},
	{name: "log", group: "look", make: (*app).logCommand, places: looksUp},
	{name: "report", group: "look", make: (*app).reportCommand, places: looksUp},
	{name: "export", group: "look", make: (*app).exportCommand, places: looksUp},
	{name: "cite", group: "look", make: (*app).citeCommand, places: looksUp},
	{name: "inspect", group: "look", make: (*app).inspectCommand, places: nowhere},

	{name: "diff", group: "trust", make: (*app).diffCommand, places: looksUp},
	{name: "audit", group: "trust", make: (*app).auditCommand, places: looksUp},
	{name: "lock", group: "trust", make: (*app).lockCommand, places: looksUp},
	{name: "bundle", group: "trust", make: (*app).bundleCommand, places: looksUp},
	{name: "replay", group: "trust", make: (*app).replayCommand, places: nowhere},
	{name: "sign", group: "trust", make: (*app).signCommand, places: looksUp},
	{name: "lineage", group: "trust", make: (*app).lineageCommand, places: looksUp},
	{name: "provenance", group: "trust", make: (*app).provenanceCommand, places: looksUp},
	{name: "verify", group: "trust", make: (*app).verifyCommand, places: inStore},
	{name: "store", group: "trust", make: (*app).storeCommand, places: inStore},
	{name: "gc", group: "trust", make: (*app).gcCommand, places: inStore},
	{name: "remote", group: "trust", make: (*app).remoteCommand, places: inRemote},

	{name: "init", group: "help", make: (*app).initCommand, places: nowhere},
	{name: "print", group: "help", make: (*app).printCommand, places: nowhere},
	{name: "simulate", group: "help", make: (*app).simulateCommand, places: nowhere,
		has: func() bool { return writer() != nil }},
	{name: "docs", group: "help", make: (*app).docsCommand, places: nowhere},
	{name: "stages", group: "help", make: (*app).stagesCommand, places: nowhere},
	{name: "schema", group: "help", make: (*app).schemaCommand, places: nowhere},
	{name: "new-stage", group: "help", make: (*app).newStageCommand, places: nowhere},
	{name: "new-model", group: "help", make: (*app).newModelCommand, places: nowhere,
		has: func() bool { _, ok := dag.Lookup("estimator"); return ok }},
	{name: "version", group: "help", make: (*app).versionCommand, places: nowhere},
	{name: "completion", group: "help", make: (*app).completionCommand, places: nowhere, tellsOfAll: true},
}

// available are the commands that this program has: a lab's may be without the brain.
func available() []subcommand {
	all := slices.DeleteFunc(slices.Clone(commands), func(c subcommand) bool { return c.has != nil && !c.has() })
	for _, c := range flags.Registered() {
		all = append(all, subcommand{name: c.Name, group: c.Group, places: nowhere, make: func(a *app) *cobra.Command {
			cmd, output, usage := c.Make(a.Console)
			if output != nil {
				a.outputFlags(cmd, output, "", usage)
			}
			return cmd
		}})
	}
	return all
}

// root is the program's command. Where only names a command, no other one is made: their flags take a tenth of the
// time of a short command.
func (a *app) root(only string) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "pipeline COMMAND",
		Short: "Content-addressed pipelines for neuroimaging",
		Long: `pipeline runs the stages named in a pipeline file, and only those that have no result yet.

A result is stored under the hash of its bytes, work under the hash of its description:
a second run takes a moment, a changed parameter re-runs what depends on it, and a
parameter changed back runs nothing.`,
		Example: `  pipeline run biopoint.yaml                      the whole analysis, on a simulated cohort
  pipeline plan biopoint.yaml                     what would run, and why
  pipeline show biopoint.yaml summary             what a stage made
  pipeline export biopoint.yaml evaluate -o scores.csv`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				return a.version()
			}
			if len(args) > 0 {
				return a.unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
		PersistentPreRunE: a.everywhere,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.Flags().BoolVar(&version, "version", false, "the same as the command version")
	f := root.PersistentFlags()
	f.SortFlags = false
	f.Func("store", "keep results in `DIR` (default: .pipeline beside FILE, or $PIPELINE_STORE)", func(dir string) error {
		if dir == "" {
			return errors.New("it must name a directory")
		}
		a.StoreFlag = dir
		return nil
	})
	f.StringVar(&a.Remote, "remote", "", "share results through `URL`: s3://bucket/prefix or file:///directory; none: with nobody (default: $PIPELINE_REMOTE)")
	f.StringVar(&a.signKey, "sign-key", "", "sign results sent to the remote with the private key in `FILE` (default: $PIPELINE_SIGN_KEY)")
	f.StringArrayVar(&a.trusted, "trusted-keys", nil, "use results of other machines only if signed by a public key in `FILE` (default: $PIPELINE_TRUSTED_KEYS)")
	f.BoolVar(&a.JSON, "json", false, "print one JSON object per line on stdout, and nothing else there")
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "print no progress and no notes; errors and the last line stay")
	f.BoolVarP(&a.Verbose, "verbose", "v", false, "print more: a line for every task and every member of a fan-out")
	f.BoolP("help", "h", false, "help for a command: what it does, its flags, an example")
	flags.Once(f)
	cobra.EnableCommandSorting = false
	root.AddGroup(
		&cobra.Group{ID: "run", Title: "Run"},
		&cobra.Group{ID: "look", Title: "Look at results"},
		&cobra.Group{ID: "trust", Title: "Compare and check"},
		&cobra.Group{ID: "help", Title: "Learn"},
	)
	all := !slices.ContainsFunc(available(), func(c subcommand) bool { return c.name == only && !c.tellsOfAll })
	for _, c := range available() {
		if all || c.name == only {
			cmd := c.make(a)
			flags.Once(cmd.Flags())
			if cmd.Args == nil {
				cmd.Args = flags.Arguments
			}
			if cmd.ValidArgsFunction == nil && strings.Contains(cmd.Use, "FILE") {
				cmd.ValidArgsFunction = completeFile
			}
			cmd.GroupID = c.group
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommand(a.helpCommand(root))
	root.SetHelpCommandGroupID("help")
	root.InitDefaultHelpCmd()
	root.SetHelpFunc(a.help)
	root.SetUsageFunc(func(*cobra.Command) error { return nil })
	root.SetFlagErrorFunc(a.flagError)
	manual.Plain(root)
	return root
}

// everywhere checks the flags of every command, whether or not it needs them.
func (a *app) everywhere(cmd *cobra.Command, _ []string) error {
	a.HasFlag = func(flag string) bool { return cmd.Flags().Lookup(strings.TrimLeft(flag, "-")) != nil }
	var errs []error
	takes := placesOf(cmd)
	for _, name := range shares {
		if cmd.Flags().Changed(name) && !slices.Contains(takes, name) {
			errs = append(errs, flags.Usage(cmd, "there is no --%s for it: leave it out", name))
		}
	}
	if a.Quiet && a.Verbose {
		errs = append(errs, flags.Usage(cmd, "--quiet and --verbose exclude each other: leave out one of them"))
	}
	out := cmd.Flags().Lookup("output")
	if a.Replace && (out.Value.String() == "-" || out.Value.String() == "" && cmd.Name() == "graph") {
		errs = append(errs, flags.Usage(cmd, "--replace is for a file, and the output goes to stdout: leave it out, or give a file by -o PATH"))
	}
	if a.JSON && out != nil && out.Value.String() == "-" {
		errs = append(errs, flags.Usage(cmd, "--json and -o - both write to stdout: give a file by -o PATH, or leave out --json"))
	}
	a.Fold(!a.JSON && !slices.Contains(verbatim, cmd.Name()))
	if instead, text := textOnly[cmd.Name()]; a.JSON && text && cmd.Parent() == cmd.Root() {
		errs = append(errs, flags.Usage(cmd, "there is no --json for it: %s", instead))
	}
	if a.Remote != "" {
		_, err := a.openRemote()
		errs = append(errs, err)
	}
	if slices.Contains([]string{"", noRemote}, cmp.Or(a.Remote, os.Getenv("PIPELINE_REMOTE"))) && a.signKey != "" {
		errs = append(errs, exit.Wrongf("--sign-key signs results sent to a remote: add --remote"))
	}
	if a.signKey != "" || len(a.trusted) > 0 {
		_, err := a.trust()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// placesOf are the flags of places that a command takes.
func placesOf(cmd *cobra.Command) places {
	for _, c := range commands {
		if c.name == cmd.Name() && cmd.Parent() == cmd.Root() {
			return c.places
		}
	}
	return nowhere
}

// textOnly are the commands that write a text of another form, and what to do instead of --json.
var textOnly = map[string]string{
	"graph":      "plan FILE --json lists the tasks, with their states",
	"completion": "leave it out",
	"help":       "leave it out",
	"schema":     "the schema is JSON: leave it out",
	"exec-task":  "leave it out",
	"exec-pilot": "leave it out",
}

// verbatim are the commands whose output is a text of another form, which a terminal shows as it is.
var verbatim = []string{"graph", "print", "log", "cite", "completion", "docs", "help", "schema"}

// outputFlags gives a command -o, with its default, and --replace.
func (a *app) outputFlags(cmd *cobra.Command, path *string, byDefault, usage string) {
	cmd.Flags().StringVarP(path, "output", "o", byDefault, usage)
	cmd.Flags().BoolVar(&a.Replace, "replace", false, "write over any file at PATH, or in the directory PATH; by default, only over what this command wrote")
}
