package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/cmd/pipeline/validation"
	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/internal/workdir"
	"prgnn/pipelines"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/tree"
	"prgnn/stages/builtin"
)

// setFlag gives a command --set, and --without, which sets a stage to null.
func setFlag(cmd *cobra.Command, sets *[]string) {
	cmd.Flags().Var(setting{sets, "", ""}, "set", "set a value of the file: `path=value`, such as graphs.density=0.2; may be repeated")
	cmd.Flags().Var(setting{sets, "stages.", "=null"}, "without", "leave out this `STAGE`, the stages that need it, and permutations that only they read; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("without", completeStage)
}

// A setting is a flag's value: it adds before + value + after to the settings.
type setting struct {
	sets          *[]string
	before, after string
}

func (s setting) String() string { return "" }

func (s setting) Type() string { return "stringArray" }

func (s setting) Set(value string) error {
	path, _, _ := strings.Cut(s.before+value+s.after, "=")
	for _, other := range *s.sets {
		if strings.HasPrefix(other, path+"=") && other != s.before+value+s.after {
			return fmt.Errorf("%s was set before: give one of them", other)
		}
	}
	*s.sets = append(*s.sets, s.before+value+s.after)
	return nil
}

// stagesFlag gives a command a flag that names stages or tasks of its file.
func stagesFlag(cmd *cobra.Command, names *[]string, name, usage string) {
	cmd.Flags().StringArrayVar(names, name, nil, usage)
	_ = cmd.RegisterFlagCompletionFunc(name, completeStage)
}

// load reads a pipeline file. Its mistakes are printed here, each as
// file:line:col: message, the way editors and people jump to them.
func (a *app) load(file string, sets []string) (*pipelines.Pipeline, error) {
	if file == "" {
		return nil, exit.Wrongf("the name of the pipeline file is empty")
	}
	if file == "-" || file == "/dev/stdin" {
		return nil, exit.Wrongf("a pipeline cannot be read from standard input: its data, its store and its next run are found by the place of its file; write it to a file, such as study.yaml")
	}
	p, err := pipelines.Load(file, sets)
	return a.loaded(file, p, err)
}

// loaded is what load makes of a pipeline or of its mistakes.
func (a *app) loaded(file string, p *pipelines.Pipeline, err error) (*pipelines.Pipeline, error) {
	if err == nil {
		a.elsewhere(p.Dir)
		a.Refuse = results.Guard(p, a.storeDir(p.Dir))
		if other := engine.OtherSources(p.Graph); other != "" {
			a.Note("%s", other)
		}
		if p.Builtin {
			a.Note("%s: not in this directory, so the built-in pipeline of that name is used", file)
		} else if n := len(p.Extends); n > 0 && strings.HasPrefix(p.Extends[0], "built-in ") {
			a.Note("%s extends the %s", file, p.Extends[0])
		}
		for _, path := range p.Extends {
			if name := filepath.Base(path); slices.Contains(builtin.Names(), name) {
				a.Note("%s extends %s, not the built-in pipeline of that name; for that write extends: built-in %s", file, path, name)
			}
		}
		return p, nil
	}
	return nil, a.mistaken(file, err)
}

// mistaken prints what is wrong with a pipeline file.
func (a *app) mistaken(file string, err error) error {
	var mistakes tree.Errors
	if other := (*exit.Error)(nil); errors.As(err, &other) { // of another file, such as a model
		return err
	}
	if !errors.As(err, &mistakes) {
		if errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "built-in") {
			hint := "pipeline init --rows TABLE writes one for the rows of a table"
			if names := builtin.Names(); len(names) > 0 {
				hint = fmt.Sprintf("the built-in pipelines are %s; pipeline init writes one to start from", strings.Join(names, ", "))
			}
			err = fmt.Errorf("%w\n  %s", err, hint)
		}
		return exit.Wrong(err)
	}
	for i, m := range mistakes {
		if more := len(mistakes) - i; i == mostErrors && more > 1 {
			fmt.Fprintf(a.Stderr, "and %d more\n", more)
			break
		}
		line := m.Error()
		if validation.Of(a.sets) {
			line = validation.InWords(m)
		}
		fmt.Fprintln(a.Stderr, line)
		if a.JSON {
			a.Object("error", mistakeEvent{m.Text, m.Pos.File, m.Pos.Line, m.Pos.Col})
		}
	}
	if len(mistakes) > 1 {
		a.Warn("%s in %s; nothing was run", words.Count(len(mistakes), "mistake"), file)
	}
	return &exit.Error{Code: exit.Usage}
}

// A mistakeEvent is one thing wrong with the pipeline file.
type mistakeEvent struct {
	Error  string `json:"error"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// storeDir is where the results are: --store, $PIPELINE_STORE, or .pipeline in
// the directory given.
func (a *app) storeDir(beside string) string {
	if a.StoreFlag != "" {
		return a.StoreFlag
	}
	if dir := os.Getenv("PIPELINE_STORE"); dir != "" {
		return dir
	}
	return filepath.Join(beside, ".pipeline")
}

// elsewhere notes the store that a command finds only by --store, as it lies beside a file in another directory.
func (a *app) elsewhere(beside string) {
	if dir := a.storeDir(beside); a.StoreFlag == "" && filepath.Clean(dir) != filepath.Clean(a.storeDir("")) {
		a.StoreElsewhere = dir
	}
}

// open opens the store of a pipeline, and makes it when it is not there.
func (a *app) open(p *pipelines.Pipeline) (*disk.Store, error) {
	return a.openStore(a.storeDir(p.Dir))
}

// openToLook opens the store of a pipeline for a command that runs nothing. Where there is no
// store yet, an empty one among the temporary files stands in for it.
func (a *app) openToLook(p *pipelines.Pipeline) (store *disk.Store, done func(), err error) {
	dir, remove := a.storeDir(p.Dir), func() error { return nil }
	if !results.IsStore(dir) {
		work, err := workdir.Make("", ".pipeline-look-")
		if err != nil {
			return nil, nil, err
		}
		dir, remove = filepath.Join(work.Path, "store"), work.Remove
	}
	if store, err = a.openStore(dir); err != nil {
		remove()
		return nil, nil, err
	}
	return store, func() { store.Close(); remove() }, nil
}

// openHere opens the store of the working directory for commands that name no file.
func (a *app) openHere() (*disk.Store, error) {
	dir, err := a.dirBeside("")
	if err != nil {
		return nil, err
	}
	return a.openStore(dir)
}

// here is what a command does with the store of the working directory.
func (a *app) here(do func(*disk.Store) error) error {
	store, err := a.openHere()
	if err != nil {
		return err
	}
	defer store.Close()
	return do(store)
}

// openAlone is openHere without a remote.
func (a *app) openAlone() (*disk.Store, error) {
	dir, err := a.dirBeside("")
	if err != nil {
		return nil, err
	}
	if err := results.KeepPrivate(dir, a.private); err != nil {
		return nil, err
	}
	return disk.Open(dir)
}

// dirBeside is the store of the pipeline files in a directory, which must be there.
func (a *app) dirBeside(beside string) (string, error) {
	dir := a.storeDir(beside)
	if !results.IsStore(dir) {
		return "", exit.Wrongf("there is no store in %s: --store DIR or $PIPELINE_STORE sets its place; pipeline run makes one", dir)
	}
	return dir, nil
}

// asRunFlags gives a command that looks at results --set, --without and --as-written.
func (a *app) asRunFlags(cmd *cobra.Command) {
	setFlag(cmd, &a.sets)
	cmd.Flags().BoolVar(&a.asWritten, "as-written", false, "use FILE without settings, also when its last run had --set")
}

// look loads a pipeline file and looks up its results; nothing is run. Without settings it is the file as it last ran:
// with the settings of that run.
//
// Where nothing has been run, the names of stages and outputs are checked first.
func (a *app) look(file string, named ...string) (*results.Current, error) {
	text, dir, err := layer.Source(file)
	a.elsewhere(dir)
	dir = a.storeDir(dir)
	if err != nil || !results.IsStore(dir) {
		p, err := a.loadToLook(file, a.sets)
		if err != nil {
			return nil, err
		}
		for _, name := range named {
			if _, err := results.Choose(p.Graph, results.Parts(p.Graph, name)[0]); err != nil && name != "" {
				return nil, err
			}
		}
		if full, err := filepath.Abs(dir); err == nil { // somebody may be in another directory than the store
			dir = full
		}
		return nil, fmt.Errorf("%s has not run: there is no store in %s\n  %s makes the results; --store DIR sets another store", file, dir, results.Run(a.Console, file, a.sets))
	}
	store, err := a.openStore(dir)
	if err != nil {
		return nil, err
	}
	last := results.LastRun(store, file, text)
	used := a.lastSets(file, last)
	c, err := a.lookUp(file, used, store)
	if err != nil {
		store.Close()
		return nil, err
	}
	if c.OfLast = len(a.sets) == 0 && len(used) > 0; c.OfLast {
		a.explainLeftOut(file, last.ID, used, c.Pipeline)
	}
	if last.Changed && !c.Complete() {
		a.Warn("%s has changed since its last run; these are results of the file as it is now, and %s shows that run", file, a.Command("show", last.ID))
	}
	return c, nil
}

// explainLeftOut has an error about a stage that the last run left out state that, and how to get its result.
func (a *app) explainLeftOut(file, last string, sets []string, p *pipelines.Pipeline) {
	selected := layer.Select(sets)
	others := slices.DeleteFunc(slices.Clone(sets), func(set string) bool {
		_, without := results.LeftOut(set)
		return without || selected && strings.HasPrefix(set, "stages")
	})
	why := map[string]string{}
	for _, stage := range p.LeftOut {
		why[stage] = fmt.Sprintf("the last run, %s, left it out; %s makes it; for an earlier result: %s",
			last, results.Run(a.Console, file, others), results.WithSettings(a.Console, others))
	}
	p.Graph = p.Graph.WithLeftOut(why)
}

// loadToLook is load for a command that looks at results: where the file cannot be loaded, as its data are gone, the
// results of its last run can still be read.
func (a *app) loadToLook(file string, sets []string) (*pipelines.Pipeline, error) {
	p, err := a.load(file, sets)
	if err != nil {
		if run := a.lastRunOf(file); run.ID != "" {
			a.Warn("the last run of %s, %s of %s, is in the store: %s [STAGE] prints its results, which need none of its files",
				file, run.ID, run.Started.Local().Format("2006-01-02 15:04"), a.Command("show", run.ID))
		}
	}
	return p, err
}

// lastRunOf is the last run of a file that may be gone by now.
func (a *app) lastRunOf(file string) (last results.Last) {
	text, dir := a.sourceOf(file)
	if file == "" || !results.IsStore(dir) {
		return last
	}
	store, err := disk.Open(dir)
	if err != nil {
		return last // what is wrong with the file comes first
	}
	defer store.Close()
	return results.LastRun(store, file, text)
}

// sourceOf is the text of a file, "" of one that is gone, and the store of its results.
func (a *app) sourceOf(file string) (text, store string) {
	text, dir, err := layer.Source(file)
	if err != nil {
		text, dir = "", filepath.Dir(file)
	}
	return text, a.storeDir(dir)
}

func (a *app) lookUp(file string, sets []string, store *disk.Store) (*results.Current, error) {
	p, err := a.loadToLook(file, sets)
	if err != nil {
		return nil, err
	}
	c, err := results.LookUp(context.Background(), p, store)
	if err != nil {
		return nil, err
	}
	c.File, c.Sets = file, sets
	return c, nil
}

// silently loads a file again, whose notes have been printed.
func (a *app) silently(load func()) {
	quiet := a.Quiet
	a.Quiet = true
	load()
	a.Quiet = quiet
}

// lastSets are the settings to look with: those that are given, else those of the last run. It says where the file
// without them, or what is given, is not what last ran.
func (a *app) lastSets(file string, last results.Last) []string {
	missing := slices.DeleteFunc(slices.Clone(last.Sets), func(set string) bool {
		path, _, _ := strings.Cut(set, "=")
		return slices.ContainsFunc(a.sets, func(own string) bool { return strings.HasPrefix(own, path+"=") })
	})
	switch {
	case len(missing) == 0 || a.asWritten:
	case len(a.sets) > 0:
		a.Warn("these settings differ from those of the last run of %s, which also had %s (%s)", file, results.ShownSets(missing), a.Command("show", last.ID))
	default:
		placed, gone := layer.Placed(file, last.Sets)
		if validation.Of(placed) {
			a.Warn("the last run of %s (%s) was a validation of stored models, and its results are shown; --as-written shows "+
				"those of the file itself", file, last.ID)
		} else if len(placed) > 0 {
			a.Warn("settings of the last run of %s (%s): %s; --as-written leaves them out", file, last.ID,
				results.ShownSets(placed))
		}
		a.reportGone(file, last.ID, gone)
		return placed
	}
	return a.sets
}

// reportGone reports settings of the last run that the file has no place for now.
func (a *app) reportGone(file, last string, gone []string) {
	if len(gone) > 0 {
		a.Warn("the last run of %s (%s) had %s, which has no place in the file as it is now and is left out", file,
			last, results.ShownSets(gone))
	}
}

// dropped says what the last run of a file had set and this command does not set: the file may be another study now.
// store is nil where the file could not be loaded, perhaps for want of that setting: then only if it can be with it.
func (a *app) dropped(file string, store *disk.Store) {
	var last results.Last
	failed := store == nil
	if failed {
		last = a.lastRunOf(file)
	} else {
		text, _ := a.sourceOf(file)
		last = results.LastRun(store, file, text)
	}
	then, gone := layer.Placed(file, last.Sets)
	if !failed {
		a.reportGone(file, last.ID, gone)
	}
	dropped := layer.DroppedSets(file, then, a.sets)
	if len(dropped) == 0 {
		return
	}
	sets := lists.Map(dropped, func(d layer.Dropped) string { return d.Set })
	if failed {
		if _, err := pipelines.Load(file, slices.Concat(a.sets, sets)); err != nil {
			return // it is no remedy
		}
	}
	now := lists.Map(dropped, func(d layer.Dropped) string { return d.Now })
	a.Warn("the last run of %s (%s) had %s; now %s. To keep that: %s", file, last.ID,
		results.ShownSets(sets), console.Clip(strings.Join(now, ", "), 200),
		a.With(results.WithSets(nil, sets)...))
}

// lookAt is look for a pipeline file or a recorded run. A run is its pipeline as
// it was; what it reads must still be what it read.
func (a *app) lookAt(what string) (*results.Current, error) {
	return a.lookAtRun(what, results.OfRun)
}

// lookAtRun is look for a pipeline file, or for a run in the way of find.
func (a *app) lookAtRun(what string, find func(*record.Record, *disk.Store) (*results.Current, error),
	named ...string) (*results.Current, error) {
	if !results.IsRun(what) {
		return a.look(what, named...)
	}
	rec, store, err := a.openRun(what)
	if err != nil {
		return nil, err
	}
	c, err := find(rec, store)
	if err != nil {
		store.Close()
		return nil, fmt.Errorf("run %s: %w", rec.ID, err)
	}
	a.Refuse = results.Guard(c.Pipeline, store.Dir())
	return c, nil
}

// openRun finds a recorded run in the store of the working directory.
func (a *app) openRun(id string) (*record.Record, *disk.Store, error) {
	if len(a.sets) > 0 || a.asWritten {
		return nil, nil, exit.Wrongf("a run has fixed settings; --set, --without and --as-written need a pipeline file")
	}
	store, err := a.openHere()
	if err != nil {
		return nil, nil, err
	}
	rec, err := results.LoadRun(store, id)
	if err != nil {
		store.Close()
		return nil, nil, err
	}
	return rec, store, nil
}
