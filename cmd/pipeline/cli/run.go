package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/executor"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/members"
	"prgnn/cmd/pipeline/page"
	"prgnn/cmd/pipeline/progress"
	"prgnn/cmd/pipeline/reasons"
	"prgnn/cmd/pipeline/results"
	"prgnn/cmd/pipeline/validation"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/precheck"
	"prgnn/stages/cohort"
)

func (a *app) runCommand() *cobra.Command {
	var (
		r         running
		keepGoing bool
	)
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "bring everything up to date",
		Long: `Brings the results of a pipeline file up to date: runs what has no result yet, and nothing else.

A run that was stopped or killed resumes when it is started again. A FILE that is
not found is looked up among the built-in pipelines. Stages and tasks are named as in the
file: connectivity, connectivity[sub-003], train[pool=topk,fold=2]; * matches any text.
Texts that no other stage reads, such as a summary, are printed at the end, and the page of a
report stage is written to NAME.html beside FILE. A run that finds all results does not print
the texts that the last run printed; --summary prints them.`,
		Example: `  pipeline run biopoint.yaml
  pipeline run biopoint.yaml --set graphs.density=0.2    only graphs and what follows run again
  pipeline run biopoint.yaml --set cohort.limit=20       20 participants, each group in proportion
  pipeline run biopoint.yaml --until graphs -j 4
  pipeline run biopoint.yaml --without fidelity          the report then lacks the masking of regions
  pipeline run biopoint.yaml --force 'train[fold=2]'
  pipeline run study.yaml --json | jq -r 'select(.state == "failed") | .error'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.file, r.FailFast = args[0], !keepGoing
			if r.lock != "" && !r.locked {
				return flags.Usage(cmd, "--lock names the lock for --locked: add --locked")
			}
			if r.summary && (a.Quiet || a.JSON) {
				return flags.Usage(cmd, "--summary prints texts, which --quiet and --json leave out: leave out --summary")
			}
			if a.JSON && r.executor.Detach {
				return flags.Usage(cmd, "--detach shows no events of the run: leave out --json; status FILE --json shows the progress")
			}
			if r.Memory > 0 && r.Memory < machine.LeastMemory {
				return flags.Usage(cmd, "--mem %s is less than the program itself takes: give the unit too, such as 4G", console.ByteCount(r.Memory))
			}
			return a.runFile(cmd, &r)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(flags.Positive(&r.Workers), "jobs", "j", "run at most `N` tasks at once (default: one for each CPU; 1,000 on a cluster)")
	setFlag(cmd, &a.sets)
	stagesFlag(cmd, &r.Until, "until", "run this `STAGE` or task and its upstream tasks; may be repeated")
	stagesFlag(cmd, &r.Only, "only", "run only this `STAGE` or task; its upstream tasks must have results; may be repeated")
	stagesFlag(cmd, &r.Force, "force", "run this `STAGE` or task even if it has a result; may be repeated")
	f.BoolVar(&keepGoing, "keep-going", true, "continue with tasks that do not depend on a failed one; --keep-going=false stops")
	f.Var(flags.Size(&r.Memory), "mem", "limit the memory of all running tasks together to `SIZE`")
	r.executor.Flags(cmd)
	f.BoolVar(&r.locked, "locked", false, "run exactly what run.lock describes, and compare the results with it")
	f.StringVar(&r.lock, "lock", "", "with --locked: the lock is `PATH` (default: run.lock beside FILE)")
	f.BoolVar(&a.private, "private", a.private, "make the store readable by you only, permanently (also: PIPELINE_PRIVATE=1)")
	f.BoolVar(&r.Rehash, "rehash", false, "hash every input file again, even if its size and times are unchanged")
	f.BoolVar(&r.summary, "summary", false, "print the texts at the end of the pipeline, such as a summary, even if nothing ran")
	return cmd
}

type runEvent struct {
	ID          string  `json:"id"`
	Tasks       int     `json:"tasks"`
	Ran         int     `json:"ran"`
	Cached      int     `json:"cached"`
	Failed      int     `json:"failed"`
	Skipped     int     `json:"skipped"`
	Seconds     float64 `json:"seconds"`
	Unfinished  int     `json:"unfinished,omitempty"` // of a run that ended before its time
	Interrupted bool    `json:"interrupted,omitempty"`
	Unlocked    bool    `json:"unlocked,omitempty"` // its results are not those of the lock
}

// running is what the command line says of a run.
type running struct {
	file string
	engine.Options
	executor executor.Executor
	locked   bool   // the run is held to a lock
	lock     string // its path; "" is run.lock beside the file
	summary  bool   // texts are printed even if nothing ran
}

func (a *app) runFile(cmd *cobra.Command, r *running) error {
	machine.LeaveRoom()
	p, err := a.load(r.file, a.sets)
	if err != nil {
		a.dropped(r.file, nil)
		return err
	}
	p.Notes = members.Notes(p, nil)
	_, err = a.runLoaded(cmd, r, p)
	return err
}

// runLoaded runs a pipeline. There is no result where the run could not begin.
func (a *app) runLoaded(cmd *cobra.Command, r *running, p *pipelines.Pipeline) (*engine.Result, error) {
	if err := checkSelection(p.Graph, r.Options); err != nil {
		return nil, err
	}
	if fail := doomed(p, r.Options); fail != nil {
		errs := placed(fail)
		remedy := ""
		if usable := func(s cohort.Subject) bool { return s.Problem == nil }; p.Roster == nil ||
			slices.ContainsFunc(p.Roster.Subjects, usable) {
			remedy = a.besideDoomed(r, fail)
		}
		a.notes(slices.Concat(p.Here, p.Notes), errs)
		return nil, exit.Wrong(errors.Join(append(errs, errors.New("nothing was run"+remedy))...))
	}
	a.notes(slices.Concat(p.Here, p.Notes), nil)
	var shown progress.Display
	if err := r.executor.Open(cmd, p.Graph, &r.Options, func(line string) { shown.Say(line) }); err != nil {
		return nil, err
	}
	store, err := a.open(p)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	if err := page.MayLeave(p, store, r.Options); err != nil {
		return nil, exit.Wrong(err)
	}
	if err := a.refuted(p, store); err != nil {
		return nil, err
	}
	memory := func() int64 { return 0 }
	if r.executor.Where == "local" {
		memory = machine.Memory
	}
	for _, n := range precheck.TooLarge(p.Roster, p.Graph, memory, func() ([]engine.Step, error) {
		return engine.Plan(cmd.Context(), p.Graph, store, engine.Options{Until: r.Until, Only: r.Only, Force: r.Force})
	}) {
		a.Note("%s", n)
	}
	if r.file != "" && !r.locked { // a lock says itself which settings it was made with
		a.dropped(r.file, store)
	}
	if r.executor.Detach {
		return nil, a.detachRun(store, r.file)
	}
	var held *held
	if r.locked {
		if held, err = a.hold(p, store, r.lock); err != nil {
			return nil, err
		}
	}
	shown = progress.For(a.Console, p.Graph, store, r.Options)
	ctx, done := console.Interruptible("running tasks are aborted cleanly", shown.Say)
	defer done()
	ahead := sync.OnceFunc(func() { // a run that finds everything needs no estimate
		text, full := progress.Ahead(ctx, p.Graph, store, r.Options)
		if full != "" && !a.Quiet {
			shown.Say(full)
		}
		if text != "" && r.Executor == nil && !a.JSON && !a.Quiet {
			shown.Say(text)
		}
	})
	changed := r.follow(shown, ahead)
	r.Bring = handedOut(p)
	result, err := engine.Run(ctx, p.Graph, store, r.Options)
	if ctx.Err() == nil {
		r.executor.End(a.Console)
	}
	shown.Close()
	if result == nil {
		return result, err
	}
	a.noteResult(result, changed)
	if !a.JSON {
		if validation.Of(a.sets) {
			validation.Reword(result.Errors)
		}
		reasons.Print(a.Console, p, result, r.Options, cmd.Name() == bidsAppName)
	}
	interrupted := func() (*engine.Result, error) {
		a.Warn("interrupted; every finished task is kept. Continue with: %s", a.Again())
		page.NoteEarlier(a.Console, p)
		a.doubts(store)
		a.lastLine(result, true, nil)
		return result, &exit.Error{Code: exit.Interrupted}
	}
	if err != nil && ctx.Err() != nil {
		r.executor.Interrupted(a.Console)
		return interrupted()
	}
	readOnly := errors.Is(err, artifacts.ErrReadOnly)
	switch {
	case err != nil: // the disk is full …
		a.explain(err) // before the last line, which stays the last one
		err = &exit.Error{Code: exitCode(err)}
	case result.Failed > 0:
		err = &exit.Error{Code: exit.Failed}
	}
	err = cmp.Or(err, results.PrintTexts(a.Console, p.Graph, store, result, r.summary))
	a.printAnswer(ctx, r, p, store, result)
	if result.Ran > 0 && !a.JSON {
		results.Warned(a.Console, p.Graph, store, result.Outputs)
	}
	var unlocked error
	if result.Failed == 0 {
		unlocked = a.compareHeld(held, result)
		err = cmp.Or(err, unlocked)
	}
	var left error
	if readOnly { // nothing of this run is kept, so the page of an earlier one stays
		page.NoteEarlier(a.Console, p)
	} else {
		left = page.Leave(ctx, a.Console, p, store, result, r.Options)
	}
	if left != nil && ctx.Err() != nil {
		return interrupted()
	}
	if left != nil {
		err = cmp.Or(err, error(&exit.Error{Code: exitCode(left)})) // Leave has said why
	}
	a.share(ctx, store, result.Cached)
	a.doubts(store)
	a.lastLine(result, false, unlocked)
	return result, err
}

// printAnswer prints the answer of a multiverse where the file has no summary.
func (a *app) printAnswer(ctx context.Context, r *running, p *pipelines.Pipeline, store *disk.Store,
	result *engine.Result) {
	if r.file == "" || a.Quiet || a.JSON || result.Failed > 0 || result.Ran == 0 && !r.summary {
		return
	}
	with, name := page.AnswerSettings(p.Graph, result, a.sets)
	if with == nil {
		return
	}
	var c *results.Current
	var err error
	a.silently(func() { c, err = a.lookUp(r.file, with, store) })
	text := ""
	if err == nil {
		text, err = page.Answer(ctx, c, name)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		a.Warn("the answer of the multiverse was not printed: %v", err)
	case text != "":
		fmt.Fprintf(a.Out, "\n%s\n\n", text)
		a.Note("a stage of the kind summary prints more; pipeline report %s -o PATH writes the page", console.Shell(r.file))
	}
}

// follow shows each event of a run, and calls begun where a task begins. The first task that another run is at, and
// this one waits for, gets a line of its own. It returns, by note, the tasks whose bytes are not those of their
// records: they are known when the run has ended.
func (r *running) follow(shown progress.Display, begun func()) map[string][]engine.Event {
	changed := map[string][]engine.Event{}
	waits := false
	r.Progress = func(e engine.Event) {
		switch {
		case e.State == engine.Waiting && !waits:
			waits = true
			shown.Say(fmt.Sprintf("%s: %s; this run waits for the result", e.Task, e.Note))
		case e.State == engine.Running:
			begun()
		case e.State == engine.Ran && (e.Note == engine.OtherBytes || e.Note == engine.OtherRecord):
			changed[e.Note] = append(changed[e.Note], e)
		}
		shown.Event(e)
	}
	return changed
}

// noteResult says what a person should know of a run beside its outcome.
func (a *app) noteResult(r *engine.Result, changed map[string][]engine.Event) {
	list := func(events []engine.Event, of func(engine.Event) string) string {
		names := lists.Map(events, of)
		slices.Sort(names)
		return words.Some(names, 6)
	}
	task := func(e engine.Event) string { return e.Task }
	if events := changed[engine.OtherBytes]; events != nil {
		a.Warn("%s: %s; pipeline audit --stage shows where", list(events, task), engine.OtherBytes)
	}
	if events := changed[engine.OtherRecord]; events != nil {
		a.Warn("%s: %s\n  a record there without its files is replaced; a complete one stays: if it is wrong, delete it there (%s), then run with --force STAGE",
			list(events, task), engine.OtherRecord,
			list(events, func(e engine.Event) string { return fmt.Sprintf("actions/%.2[1]s/%[1]s", e.Key) }))
	}
	if len(r.Damaged) > 0 {
		a.Warn("damaged and restored: %s", words.Some(r.Damaged, 6))
	}
	if len(r.Missing) > 0 {
		a.Note("no longer in the remote (a gc there removes results), made again: %s", words.Some(r.Missing, 6))
	}
	if r.Ran > 0 {
		if size := results.Bytes(r); size >= 500e6 {
			a.Note("the results of this run take %s in the store; %s removes those of older runs", console.ByteCount(size), a.Command("gc", "--keep-runs", "1"))
		}
	}
	if r.NoRecord != nil {
		remedy := ""
		if errors.Is(r.NoRecord, artifacts.ErrFull) {
			remedy = "; " + a.Command("gc") + " frees space"
		}
		cached := ""
		if r.Cached == r.Tasks {
			cached = "everything was cached, but "
		}
		a.Warn("%sthe run record could not be written: %s%s", cached, inWords(r.NoRecord), remedy)
	}
}

// checkSelection refuses names of stages that are not there before anything is
// opened: that is a mistake of the command line, and no failure.
func checkSelection(g *dag.Graph, o engine.Options) error {
	if len(o.Only) > 0 && len(o.Until) > 0 {
		return exit.Wrongf("--until and --only exclude each other: --until also runs upstream tasks, --only does not")
	}
	for _, names := range [][]string{o.Until, o.Only, o.Force} {
		if _, err := g.Select(names...); err != nil {
			return exit.Wrong(fmt.Errorf("%s: %w", g.File(), err))
		}
	}
	selected := progress.Selected(g, o)
	flag := "--until"
	if len(o.Only) > 0 {
		flag = "--only"
	}
	var errs []error
	for _, name := range o.Force {
		forced, _ := g.Select(name)
		if selected != nil && !slices.ContainsFunc(forced, func(n *dag.Node) bool { return selected[n] }) {
			errs = append(errs, fmt.Errorf("--force %s has no effect, because %s does not select it: add %[2]s %[1]s, or leave out --force %[1]s", name, flag))
		}
	}
	if errs != nil {
		return exit.Wrong(errors.Join(errs...))
	}
	return nil
}

// doomed are the stages of a run that are known to fail: what runs before them may take hours.
func doomed(p *pipelines.Pipeline, o engine.Options) (fail []pipelines.Doom) {
	selected := progress.Selected(p.Graph, o)
	for _, d := range p.Doomed {
		if selected == nil || slices.ContainsFunc(p.Graph.Stages(), func(s *dag.StageNode) bool {
			return s.Name() == d.Stage && slices.ContainsFunc(s.Tasks(), func(n *dag.Node) bool { return selected[n] })
		}) {
			fail = append(fail, d)
		}
	}
	return fail
}

func placed(fail []pipelines.Doom) []error {
	return lists.Map(fail, func(d pipelines.Doom) error { return fmt.Errorf("%s: %v", d.Pos, d) })
}

// besideDoomed is a remedy for stages that will fail: the run without them, if it can be one, or else that of a stage
// that does not need them.
func (a *app) besideDoomed(r *running, fail []pipelines.Doom) string {
	if !a.Offers("--until") { // the command is for some stages, which may need them
		return ""
	}
	if a.Offers("--without") {
		var words, sets []string
		for _, d := range fail {
			if set := "stages." + d.Stage + "=null"; !slices.Contains(sets, set) {
				words, sets = append(words, "--without", d.Stage), append(sets, set)
			}
		}
		p, err := pipelines.Load(r.file, slices.Concat(a.sets, sets))
		if err == nil && checkSelection(p.Graph, r.Options) == nil && doomed(p, r.Options) == nil {
			return "; " + a.With(words...) + " runs everything that does not need " +
				map[bool]string{true: "this stage", false: "these stages"}[len(sets) == 1]
		}
	}
	return "; " + a.Instead("--until", "STAGE") + " runs a stage that does not need these"
}

// notes prints those of a pipeline that no error repeats.
func (a *app) notes(notes []string, errs []error) {
	for _, n := range notes {
		if !slices.ContainsFunc(errs, func(err error) bool { return strings.HasSuffix(err.Error(), n) }) {
			a.Note("%s", n)
		}
	}
}

// lastLine is what scripts read.
func (a *app) lastLine(r *engine.Result, interrupted bool, unlocked error) {
	if a.JSON {
		a.Object("run", runEvent{r.ID, r.Tasks, r.Ran, r.Cached, r.Failed, r.Skipped, progress.Round(r.Seconds),
			r.Unfinished, interrupted, unlocked != nil})
		return
	}
	unfinished := ""
	if r.Unfinished > 0 {
		unfinished = fmt.Sprintf(", %d unfinished", r.Unfinished)
	}
	differs := ""
	if unlocked != nil {
		differs = "; the results differ from those of the lock"
	}
	digits := 1
	if r.Seconds < 1 {
		digits = 3
	}
	fmt.Fprintf(a.Out, "run %s: %s: %d ran, %d cached, %d failed, %d skipped%s in %.*f s%s\n",
		r.ID, words.Count(r.Tasks, "task"), r.Ran, r.Cached, r.Failed, r.Skipped, unfinished, digits,
		r.Seconds, differs)
}

// handedOut tells of which tasks a run reads the results when it is over: the texts
// that it prints, and the report that it leaves, with its inputs.
func handedOut(p *pipelines.Pipeline) func(*dag.Node) bool {
	read := lists.SetOf(results.PrintedTexts(p.Graph), func(o results.Output) *dag.Node { return o.Task })
	if task := page.Stage(p.Graph); task != nil {
		read[task] = true
		for src := range task.Upstream() {
			read[src.Node] = true
		}
	}
	return func(n *dag.Node) bool { return read[n] }
}
