package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/page"
	"prgnn/cmd/pipeline/results"
	"prgnn/cmd/pipeline/validation"
	"prgnn/pipelines"
)

func (a *app) validateCommand() *cobra.Command {
	r, path := running{}, ""
	r.executor.Where = "local"
	var o validation.Options
	cmd := &cobra.Command{
		Use:   "validate MODEL… FILE",
		Short: "apply stored models to another cohort, and measure how well they predict",
		Long: `Applies stored models to the cohort of a pipeline file and prints how well they predict its groups,
or its numbers. MODEL is a model file or a directory of model files, as pipeline export FILE model
writes them; the predictions of several models are averaged. Nothing is fitted to the cohort, except the
shift and scale of its sites with --harmonize, without labels.

The command runs FILE with two more stages, validation (kind validate or validate-regression) and
validation_text, and without the stages that these do not need, such as folds and trainings. Checks
of FILE for duplicate scans run, too. Other commands can use
the results afterwards, such as pipeline export FILE validation.participants -o predicted.csv. The
models are refused if regions, estimator or denoising differ from training, or if the cohort has
training participants; --allow accepts a difference. docs/models.md explains the measures.`,
		Example: `  pipeline validate models/baselines_model-ridge second.yaml
  pipeline validate models/train second.yaml --positive ASD -o validation.html
  pipeline validate ridge.npz second.yaml --allow denoise.fd --allow participants
  pipeline validate models/harmonized second.yaml --harmonize controls --controls aside`,
		ValidArgsFunction: completeFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			last := len(args) - 1
			o.Models, r.file = args[:last], args[last]
			return a.validate(cmd, &r, o, path)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.Allow, "allow", nil, "accept a `DIFFERENCE` from the training, such as denoise.fd (participants: equal ids are different people); several are separated by commas, or repeated")
	f.StringVar(&o.Positive, "positive", "", "the `GROUP` for sensitivity (default: as in evaluate)")
	f.StringVar(&o.NewSite, "harmonize", "", "harmonize new sites with the ComBat fit in the model files; the shift and scale of each site are estimated on these `MATRICES`: inputs (of all test participants, without labels) or controls")
	f.StringVar(&o.Controls, "controls", "", "for --harmonize controls: the `COLUMN` of the participants that has 1 for controls, who are not tested")
	f.StringVar(&o.Inputs, "inputs", "", "the `STAGE` whose outputs the models take (default: the one that makes matrices or graphs)")
	f.VarP(flags.Positive(&r.Workers), "jobs", "j", "run at most `N` tasks at once (default: one for each CPU)")
	setFlag(cmd, &a.sets)
	a.outputFlags(cmd, &path, "", "also write a report page to `PATH`")
	return cmd
}

// validate runs a file with the stages of a validation, and shows their results.
func (a *app) validate(cmd *cobra.Command, r *running, o validation.Options, path string) error {
	run, shown, err := o.Settings(r.file, a.sets)
	if err != nil {
		return a.mistaken(r.file, err)
	}
	shown = append(slices.Clip(a.sets), shown...)
	a.sets = append(a.sets, run...)
	r.summary = !a.Quiet && !a.JSON
	p, err := a.load(r.file, a.sets)
	if err != nil {
		return err
	}
	if err := validation.Single(p); err != nil {
		return err
	}
	what := page.ValidationOf(o.Models)
	if err := a.mayValidate(p, path, what); err != nil {
		return err
	}
	if _, err := a.runLoaded(cmd, r, p); err != nil || path == "" && !a.JSON {
		return err
	}
	store, err := a.open(p)
	if err != nil {
		return err
	}
	defer store.Close()
	var c *results.Current
	a.silently(func() { c, err = a.lookUp(r.file, shown, store) })
	if err == nil && a.JSON {
		err = validation.Print(a.Console, c)
	}
	if err != nil || path == "" {
		return err
	}
	return page.Write(context.Background(), a.Console, c, path, what, reportFormat(path) == "pdf")
}

// mayValidate is why the page of a validation may not be written, before anything runs.
func (a *app) mayValidate(p *pipelines.Pipeline, path, what string) error {
	if path == "" {
		return nil
	}
	store, err := a.open(p)
	if err != nil {
		return err
	}
	defer store.Close()
	return a.mayReport(p, store, path, reportFormat(path), what)
}
