package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/bidsapp"
	"prgnn/cmd/pipeline/executor"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/members"
	"prgnn/cmd/pipeline/page"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/lists"
	"prgnn/internal/machine"
	"prgnn/pipelines"
)

const bidsAppName = "bids-app"

func (a *app) bidsAppCommand() *cobra.Command {
	var x bidsapp.App
	version := false
	cmd := &cobra.Command{
		Use:   bidsAppName + " BIDS_DIR OUTPUT_DIR {participant,group}",
		Short: "run as a BIDS App, on fMRIPrep's derivatives",
		Long: `Runs the built-in biopoint.yaml on fMRIPrep's derivatives, with the command line of a BIDS App.
The program does the same when its name is prgnn.

  participant   parcellates, denoises, and computes correlations and graphs, for each participant.
                Many jobs may run at the same time, on one OUTPUT_DIR.
  group         computes what is missing, trains and tests the models, and writes the report.

BIDS_DIR holds fMRIPrep's derivatives, or raw data with such derivatives in or beside it. Nothing is
written there. OUTPUT_DIR becomes a BIDS derivatives dataset: time series and matrices of each
participant, logs, and prgnn.html, the report. prgnn.yaml there is the pipeline file of the run, with
all --set values; a call with other settings is refused without --change-settings.

Exit codes: 0 success, 1 a participant or a stage failed, 2 wrong usage.`,
		Example: `  pipeline bids-app /data/fmriprep /out participant --participant-label 01 02 -w /scratch --group diagnosis
  pipeline bids-app /data/fmriprep /out group -w /scratch --group diagnosis
  pipeline bids-app raw raw/derivatives/prgnn participant --task-id rest --set graphs.density=0.2`,
		Args: cobra.ArbitraryArgs, // --version takes none
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				if err := flags.Only(cmd, "--version only prints the version", "version"); err != nil {
					return err
				}
				return a.version()
			}
			if err := flags.Arguments(cmd, args); err != nil {
				return err
			}
			x.In, x.Out, x.Level = args[0], args[1], args[2]
			return a.runApp(cmd, &x)
		},
	}
	cmd.Flags().SortFlags = false
	x.Flags(cmd.Flags())
	setFlag(cmd, &x.Sets)
	cmd.Flags().BoolVar(&version, "version", false, "the same as the command version")
	return cmd
}

func (a *app) runApp(cmd *cobra.Command, x *bidsapp.App) error {
	machine.LeaveRoom()
	r := &running{executor: executor.Executor{Where: "local"}}
	r.Workers, r.Memory = x.Workers, int64(x.Memory*1e9)
	if err := x.Check(); err != nil {
		return flags.Usage(cmd, "%v", err)
	}
	if a.StoreFlag != "" && cmd.Flags().Changed("work-dir") {
		return flags.Usage(cmd, "--store and --work-dir both state where the store is: leave out one of them")
	}
	study, err := x.Study(a.StoreFlag)
	if err != nil {
		return exit.Wrong(err)
	}
	a.StoreFlag = study.Store
	load := func(sets []string) (*pipelines.Pipeline, error) {
		p, err := study.Load(sets)
		return a.loaded(study.File, p, err)
	}
	sets := study.Sets
	p, err := load(sets)
	if err != nil {
		return err
	}
	chosen, err := x.Chosen(p)
	if err != nil {
		return exit.Wrong(err)
	}
	if x.Level == "participant" {
		if r.Until = bidsapp.Alone(p.Graph, chosen); r.Until == nil {
			return exit.Wrongf("%s has no stage that runs for each participant", study.File)
		}
	} else if set := bidsapp.Exclude(p, chosen); set != "" {
		sets = append(sets, set)
		if p, err = load(sets); err != nil {
			return err
		}
	}
	ids := lists.Set(chosen)
	p.Notes = members.Notes(p, ids)
	if err := x.InTheWay(p, chosen); err != nil {
		return exit.Wrong(err)
	}
	if err := x.Record(study); err != nil {
		return exit.Wrong(err)
	}
	p.Dir = x.Out // the place of the report
	result, err := a.runLoaded(cmd, r, p)
	if result == nil || exitCode(err) == exit.Interrupted {
		return err
	}
	store, openErr := a.open(p)
	if openErr != nil {
		return cmp.Or(err, openErr)
	}
	defer store.Close()
	files, citeErr := a.appCitation(p, store, study.File, sets, r.Until)
	if err = cmp.Or(err, x.Leave(a.Console, p, store, result, r.Until, chosen, files), citeErr); err == nil {
		a.Note("prgnn finished successfully!")
	}
	return err
}

// appCitation is what to cite for the results that are there, as files of the dataset. A pipeline whose report does not
// know the parameters, or that has none, is read with one that does.
func (a *app) appCitation(p *pipelines.Pipeline, store *disk.Store, file string, sets,
	until []string) (map[string]string, error) {
	if !page.Cites(p.Graph) {
		var err error
		if p, err = pipelines.Load(file, page.Settings(p.Graph, sets)); err != nil {
			return nil, err
		}
	}
	c, err := results.LookUp(context.Background(), p, store, until...)
	if err != nil {
		return nil, err
	}
	files, _, err := page.Citation(c, page.Stage(p.Graph))
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, f := range files {
		text, err := f.Text()
		if err != nil {
			return nil, err
		}
		texts["logs/"+f.Name] = string(text)
	}
	return texts, nil
}
