package cli

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/audit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/version"
	"prgnn/pipelines/differ"
)

func (a *app) auditCommand() *cobra.Command {
	var au audit.Options
	var from auditFrom
	cmd := &cobra.Command{
		Use:   "audit [FILE|RUN]",
		Short: "recompute results from scratch and compare them bit for bit",
		Long: `Recomputes results in an empty store and compares them with the stored ones, bit for bit:

audit FILE           every task that has a result, each on its stored inputs, so that a
                     difference shows where it begins; then the tasks downstream of a difference,
                     to see whether conclusions change
audit RUN            the same for the results of an earlier run: its tasks whose own data and code
                     have not changed since, on the stored inputs of that run
--from-inputs        everything, starting from your files and using no stored result: the output of
                     a task is the input of the next; results removed by gc are audited too
audit --lock LOCK    the same, against the digests of a lock: for a reviewer who has the lock, the
                     data and this program
--fetched            only the tasks whose results were fetched from a remote; --remote fetches
                     their inputs. When one differs, the fetched results are removed from the
                     store: the next run computes them
--against PLACE      runs nothing: compares with the results of another store, or with a lock
                     or statement from another machine; may be repeated

Each task runs with one thread and again with several. For a difference, audit reports the task
where it begins, the cells, the distance in units in the last place and the
relative error. A kind promises identical bits unless it states otherwise (exec: promise); a
difference within the promise is reported and is no failure. Only --fetched removes results.
Exit code 1 when anything differs or fails. When nothing does: 3 when stored results or inputs are
damaged; 4 when a task could not be audited, as its result or inputs are not stored (unless --partial).`,
		Example: `  pipeline audit biopoint.yaml
  pipeline audit biopoint.yaml --stage connectivity
  pipeline audit biopoint.yaml --sample 0.1          a tenth of the tasks, chosen by --seed
  pipeline audit biopoint.yaml --fetched --sample 0.05
  pipeline audit biopoint.yaml --from-inputs --threads 1,8
  pipeline audit --lock run.lock --set data=DIR
  pipeline audit biopoint.yaml --against colleague/.pipeline --against arm64.lock`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.audit(cmd, args, from, au) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&au.Stages, "stage", nil, "audit only this `STAGE` or task; may be repeated")
	f.BoolVar(&from.inputs, "from-inputs", false, "start from your files and use no stored result")
	f.BoolVar(&au.Fetched, "fetched", false, "audit only results that were fetched from a remote")
	f.Float64Var(&au.Sample, "sample", 1, "audit this fraction `P` of the tasks (and run what they need)")
	f.Uint64Var(&au.Seed, "seed", 0, "draw the sample with seed `N` (default with --fetched: a random seed)")
	againFlags(cmd, &au)
	f.BoolVar(&au.Downstream, "downstream", true, "also run what depends on a task that differs")
	f.BoolVar(&au.Partial, "partial", false, "exit with 0 also when tasks could not be audited")
	f.StringVar(&from.lock, "lock", "", "run everything that `LOCK` describes, and compare the results with it")
	f.StringArrayVar(&from.against, "against", nil, "compare with the results of `PLACE`: a store, a lock or a statement")
	f.StringVar(&from.signedBy, "signed-by", "", "with --against: statements must be signed by the public key in `FILE`")
	f.StringVar(&au.Keep, "keep", "", "keep the recomputed results as a store in `DIR`")
	a.asRunFlags(cmd)
	return cmd
}

// againFlags gives a command the flags of how tasks are run again.
func againFlags(cmd *cobra.Command, o *audit.Options) {
	f := cmd.Flags()
	f.IntSliceVar(&o.Threads, "threads", []int{1, 4}, "run each task once for each of these `NUMBERS` of threads")
	f.VarP(flags.Positive(&o.Workers), "jobs", "j", "run at most `N` tasks at once (default: one for each CPU)")
}

func checkThreads(cmd *cobra.Command, o audit.Options) error {
	if slices.ContainsFunc(o.Threads, func(n int) bool { return n < 1 }) || len(o.Threads) == 0 {
		return flags.Usage(cmd, "--threads takes numbers of at least 1, such as 1,4")
	}
	return nil
}

// ofRuns are flags of an audit that runs tasks.
var ofRuns = []string{"threads", "jobs", "downstream", "keep"}

func (a *app) audit(cmd *cobra.Command, args []string, from auditFrom, au audit.Options) error {
	if err := checkThreads(cmd, au); err != nil {
		return err
	}
	switch {
	case !(au.Sample > 0 && au.Sample <= 1):
		return flags.Usage(cmd, "--sample must be above 0 and at most 1")
	case len(args) == 1 && from.lock != "":
		return flags.Usage(cmd, "FILE and --lock exclude each other: the lock contains the pipeline")
	case len(args) == 0 && from.lock == "":
		return flags.Usage(cmd, "FILE is missing, or --lock LOCK")
	case len(from.against) > 0 && au.Sample < 1:
		return flags.Usage(cmd, "--sample cannot be combined with --against, which runs nothing")
	case from.signedBy != "" && len(from.against) == 0:
		return flags.Usage(cmd, "--signed-by needs --against STATEMENT")
	case cmd.Flags().Changed("seed") && au.Sample == 1:
		return flags.Usage(cmd, "--seed needs --sample below 1: all tasks are audited")
	case len(from.against) > 0 && slices.ContainsFunc(ofRuns, cmd.Flags().Changed):
		return flags.Usage(cmd, "--%s cannot be combined with --against, which runs nothing", strings.Join(ofRuns, ", --"))
	case au.Fetched && (from.inputs || from.lock != "" || len(from.against) > 0):
		return flags.Usage(cmd, "--fetched needs FILE, without --lock or --against")
	case from.inputs && (from.lock != "" || len(from.against) > 0):
		return flags.Usage(cmd, "--from-inputs needs FILE: --lock starts from the inputs anyway, and --against runs nothing")
	}
	for _, form := range []struct {
		is      bool
		why     string
		ignored []string
	}{
		{from.lock != "", "--lock has its settings and needs no remote", []string{"as-written", "remote", "trusted-keys"}},
		{from.lock != "", "--lock runs everything", []string{"downstream", "partial"}},
		{from.inputs, "--from-inputs runs everything downstream anyway", []string{"downstream"}},
		{from.lock != "" && len(from.against) > 0, "--against compares with the lock alone", []string{"store"}},
		{len(from.against) > 0, "--against runs nothing", []string{"partial"}},
	} {
		if i := slices.IndexFunc(form.ignored, cmd.Flags().Changed); form.is && i >= 0 {
			return flags.Usage(cmd, "%s: leave out --%s", form.why, form.ignored[i])
		}
	}
	if len(args) == 1 {
		from.file = args[0]
	}
	if au.Fetched && !cmd.Flags().Changed("seed") {
		au.Seed = rand.Uint64() // nobody who changes a remote shall know the sample
	}
	if from.lock != "" {
		return a.auditLock(from, au)
	}
	c, err := a.lookAtRun(from.file, results.AsRun)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	if c.Run != nil && from.inputs {
		return flags.Usage(cmd, "--from-inputs needs FILE: the inputs of a run may have changed")
	}
	switch {
	case len(from.against) > 0:
		here := c.Results()
		here.Platform = version.This().Platform
		return audit.Against(a.Console, c.Pipeline.Graph, here, from.against, from.signedBy, au)
	case from.inputs:
		return audit.FromInputs(a.Console, c, au)
	}
	return audit.Alone(a.Console, c, au)
}

// auditFrom is what is audited, and what it is compared with.
type auditFrom struct {
	file, lock string
	against    []string
	signedBy   string
	inputs     bool
}

// auditLock audits a lock, with the bytes of the store beside it, if there is one; or compares it with other places.
func (a *app) auditLock(from auditFrom, o audit.Options) error {
	l, err := audit.ReadLock(from.lock)
	if err != nil {
		return err
	}
	p, err := audit.LoadLock(a.Console, l, from.lock, a.sets)
	if err != nil {
		return err
	}
	if len(from.against) > 0 {
		return audit.Against(a.Console, p.Graph, differ.OfLock(from.lock, l, nil), from.against, from.signedBy, o)
	}
	beside := audit.OpenStore(a.Console, a.storeDir(filepath.Dir(from.lock)))
	if beside != nil {
		defer beside.Close()
	}
	return audit.Lock(a.Console, p, l, from.lock, beside, o)
}
