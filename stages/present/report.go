package present

import (
	"bytes"
	"context"
	"fmt"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/fold"
	"prgnn/stages/report"
)

var reportKind = dag.Kind{
	Name: "report",
	Doc: "the results as one HTML page that opens anywhere, without a network\n" +
		"Who took part and who was left out, the quality of each step, accuracies with their intervals, tables, figures, the salient regions on the brain, a methods paragraph written from the parameters, and where everything came from. Every input is optional: what is not connected is not told. A run leaves the page beside the pipeline file, byte for byte.",
	New: func() dag.Stage { return &Report{Top: 20} },
}

// Report writes the page of a run.
type Report struct {
	Title string `param:"title" doc:"the headline; by default the name of the pipeline, where its settings are connected"`
	Top   int    `param:"top" doc:"how many of the most salient regions are listed; the others are folded away" min:"1" max:"1000"`

	Headline []string `param:"headline" doc:"the setting whose accuracy is the headline, by some of its coordinates, such as [stage=train, pool=topk]; needed where PR-GNN has several settings, unless nested is connected: it is never chosen by test performance"`
}

// Ports are the stage's inputs and outputs.
func (*Report) Ports() dag.Ports {
	one := func(name, doc string, columns ...string) dag.Port {
		return dag.Port{Name: name, Type: dag.Arrow(columns...), Optional: true, Doc: doc}
	}
	all := func(name, doc string, columns ...string) dag.Port {
		return dag.Port{Name: name, Type: dag.Arrow(columns...), Gather: true, Optional: true, Doc: doc}
	}
	return dag.Ports{
		In: []dag.Port{
			one("participants", "who took part", "participant_id", "group"),
			one("nodes", "the node list", "index", "name"),
			one("settings", "pipeline.settings: the parameters, for the methods paragraph", "stage", "kind", "parameter", "value", "default", "unit", "doc"),
			one("notes", "pipeline.notes: what was said when the file was loaded", "note"),
			one("excluded", "pipeline.excluded: everybody who was left out, and why", "participant_id", "reason"),
			fold.LeakagePort(),
			one("evaluation", "evaluate's summary: accuracy over the folds", "level", "folds", "participants", "accuracy", "sd", "ci_low", "ci_high", "majority", "balanced_accuracy", "auc", "sensitivity", "specificity", "positive"),
			one("scores", "evaluate's scores: accuracy in each fold", "repeat", "fold", "level", "accuracy"),
			one("nested", "evaluate's summary of the settings that choose chose inside each fold", "level", "folds", "participants", "accuracy", "sd", "ci_low", "ci_high", "majority", "balanced_accuracy", "auc", "sensitivity", "specificity", "positive"),
			one("table1", "tables' table1: the model's variations, beside the paper's", "distance", "pool", "lambda1", "lambda2", "accuracy", "sd", "ci_low", "ci_high", "paper_accuracy", "paper_sd"),
			one("table2", "tables' table2: other classifiers, beside the paper's", "model", "accuracy", "sd", "ci_low", "ci_high", "parameters", "paper_accuracy", "paper_sd", "paper_parameters"),
			one("permutation", "permutation's test: whether the accuracy could be luck", "measure", "observed", "chance_mean", "chance_95", "permutations", "p"),
			one("comparison", "compare's pairs: whether a setting is better than another", "a", "b", "accuracy_a", "accuracy_b", "only_a", "only_b", "mcnemar_p", "mcnemar_holm", "t_p"),
			one("covariates", "covariates' checks: what age, sex, site or motion alone tell of the groups", "covariate", "n", "missing", "auc", "chance", "p"),
			one("ranking", "biomarkers' ranking of the regions", "rank", "index", "name", "abbreviation", "score", "sd", "frequency", "planted"),
			one("consistency", "biomarkers' consistency: how far rankings agree", "over", "rankings", "k"),
			one("null", "biomarkers' null: every region against permuted groups", "index", "name", "p", "q"),
			one("individual", "biomarkers' scores of each participant", "participant_id", "group", "index", "score", "frequency"),
			one("fidelity", "fidelity's effects of masking regions, beside random ones", "action", "k", "drop", "random_drop", "random_sd", "p", "changed", "random_changed", "accuracy", "accuracy_whole"),
			one("individuality", "individuality's shares: how much of the scores is a person's own, as λ2 grows", "setting", "lambda2", "individual", "individual_low", "individual_high", "k", "jaccard", "jaccard_low", "jaccard_high", "jaccard_chance"),
			one("recovery", "biomarkers' recovery: what its rankings are worth beside references", column.Names[column.RecoveryRow]()...),
			all("coverage", "parcellate's coverage of each participant", "name", "voxels", "coverage"),
			registrationPort(),
			all("cleaning", "denoise's quality for each participant", "volumes"),
			all("connectivity", "connectivity's quality for each participant", "draw"),
			all("graphs", "graph's quality for each participant", "draw", "edges"),
			all("predictions", "train's predictions of each model (and those of baselines)", "participant_id", "group", "draw", "fold", "repeat", "set", "label", "predicted"),
			all("training", "train's history of each model", "epoch", "train_accuracy"),
			all("distribution", "train's distribution of pooling scores over the epochs", "epoch", "layer", "low", "high", "kept", "dropped"),
			all("tables", "further tables, shown as they are: a list of references; each is headed by the name of its stage"),
			{Name: "figures", Gather: true, Optional: true, Doc: "further pictures, svg or png: a list of references"},
			{Name: "parcels", Type: dag.Format("nifti"), Gather: true, Optional: true, Doc: "the regions in space, for slices and the viewer: parcellate's parcels, of which the first participant's are drawn, or an atlas"},
			{Name: "anatomy", Type: dag.Format("nifti"), Optional: true, Doc: "an image in the space of the parcels, to lie under the regions: a T1 image, a template, or the output of mean-volume"},
			{Name: "overview", Type: dag.Format("svg"), Optional: true, Doc: "pipeline.graph: the drawing of the stages"},
		},
		Out: []dag.Port{{Name: "page", Type: dag.Format("html"), Doc: "one file of HTML"}},
	}
}

// A reporter writes one page.
type reporter struct {
	*Report
	t     *dag.Task
	page  *report.Page
	told  *page        // the cautions of the summary, which the report repeats
	first *accuracyRow // the headline; nil when there is none
	who   *column.People
	scans []cleanedScan // denoise's quality
	set   *settingsOfRun
	at    *[3][]float64        // mm: the centroids of the node list; nil when it has none
	place map[int]report.Place // of a node in the viewer, by its number
}

// Run writes the page as HTML.
func (s *Report) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	page, err := s.Page(t)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := page.HTML(&b); err != nil {
		return nil, fmt.Errorf("the report: %w", err)
	}
	return dag.Outputs{"page": artifacts.Bytes{Kind: "html", Data: b.Bytes()}}, nil
}

// Page is the report of the inputs that are connected.
func (s *Report) Page(t *dag.Task) (*report.Page, error) {
	r := &reporter{Report: s, t: t, page: &report.Page{}, told: &page{headline: s.Headline}}
	var err error
	if r.set, err = readRunSettings(t); err != nil {
		return nil, err
	}
	if err := r.readPlaces(); err != nil {
		return nil, err
	}
	if r.scans, err = cleanedScans(t); err != nil {
		return nil, err
	}
	for _, section := range []func() (report.Section, error){
		r.participants, r.steps, r.results, r.regions, r.more, r.methods, r.origin,
	} {
		one, err := section()
		if err != nil {
			return nil, err
		}
		if len(one.Blocks) > 0 {
			r.page.Sections = append(r.page.Sections, one)
		}
	}
	r.page.Cautions = r.told.cautions
	r.page.Title = s.Title
	if r.page.Title == "" {
		r.page.Title = "Results"
		if r.set.pipeline != "" {
			r.page.Title = "Results of " + r.set.pipeline
		}
	}
	return r.page, nil
}

// WithoutModels are the ports of a report that need no trained model: what may be shown
// where a leakage check has not passed.
var WithoutModels = []string{"participants", "nodes", "settings", "notes", "excluded", "covariates", "coverage", "registration", "cleaning", "connectivity", "graphs", "parcels", "anatomy", "overview"}

// readPlaces reads where the node list has the regions.
func (r *reporter) readPlaces() error {
	if !r.t.Has("nodes") {
		return nil
	}
	nodes, err := r.t.In("nodes").Table()
	if err != nil {
		return err
	}
	r.at, err = figure.NodePlaces(nodes)
	return err
}
