package present

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/version"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/present/methods"
	"prgnn/stages/present/participants"
	"prgnn/stages/present/section"
	"prgnn/stages/present/tables"
	"prgnn/stages/report"
	"prgnn/stages/role"
)

var reportKind = dag.Kind{
	Name: "report",
	Doc: "the results as one HTML page that opens anywhere, without a network\n" +
		"Participants, methods written from the parameters, classification performance with intervals, the salient regions on the brain, quality control and checks, provenance; figures and tables are numbered. Every input is optional: what is not connected is left out. A run leaves the page beside the pipeline file, byte for byte.",
	New: func() dag.Stage { return &Report{Top: 20} },

	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Each: 40e3}.For,
}

var (
	_ role.Referrer = (*Report)(nil)
	_ role.PortUser = (*Report)(nil)
	_ role.Reporter = (*Report)(nil)
)

// Report writes the page of a run as HTML.
type Report struct {
	Title string `param:"title" doc:"title of the page; by default the name of the pipeline, where its settings are connected"`
	Top   int    `param:"top" doc:"how many of the most salient regions the table lists; a supplementary table has all" min:"1" max:"1000"`

	Headline []string `param:"headline" doc:"the setting that is the headline, by some of its coordinates, such as [stage=train, pool=topk]; needed where PR-GNN has several settings, unless nested is connected: it is never chosen by test performance"`
}

// optional and gathered are ports of tables.
func optional(name, doc string, of dag.Type) dag.Port {
	return dag.Port{Name: name, Type: of, Optional: true, Doc: doc}
}

func gathered(name, doc string, of dag.Type) dag.Port {
	return dag.Port{Name: name, Type: of, Gather: true, Optional: true, Doc: doc}
}

// sharedPorts are what report and summary may both be connected to.
func sharedPorts() []dag.Port {
	accuracy := column.Needs[column.AccuracyRow]()
	return []dag.Port{
		optional("evaluation", "evaluate's summary: accuracy of each setting", accuracy),
		optional("scores", "evaluate's scores: accuracy in each fold", column.Needs[column.FoldRow]()),
		optional("nested", "evaluate's summary of the settings that choose selected inside each fold", accuracy),
		fold.LeakagePort(),
		optional(column.UncheckedPort, "pipeline.unchecked: stages that can read several participants, unseen by the leakage checks; connected where there are any, also when the file does not name it", column.Needs[column.Unchecked]()),
		optional("settings", "pipeline.settings: the parameters and connections of all stages, for the methods and to find the classifier that a permutation test is of, and the models of a residual; connected where permutation and confound_summary are, and regression with models of deconfound's targets, also when the file does not name it", column.Needs[finding.Parameter]()),
		optional("permutation", "permutation's or permutation-regression's test: models retrained on permuted labels", column.Needs[column.PermutationTestRow]()),
		optional("comparison", "compare's pairs: differences between classifiers", column.Needs[column.PairRow]()),
		optional("universe_tests", "multiverse's joint: the joint test of many analyses", column.Needs[column.JointRow]()),
		optional("universe_options", "multiverse's options of the same", column.Needs[column.OptionRow]()),
		optional("universes", "multiverse's universes of the same", column.Needs[column.UniverseRow]()),
		optional("universe_regions", "multiverse's regions: the share of the universes in which a region is among the top", column.Needs[column.UniverseRegionRow]()),
		optional("regression", "evaluate-regression's summary: r, R² and mean absolute error of each model, in place of evaluation", column.Needs[column.RegressionRow]()),
		optional("covariates", "covariates' checks: AUC of age, sex, site or motion alone, or their correlation with a number to predict", column.NeedsCommon[column.CovariateRow, column.NumberCovariateRow]()),
		optional("ranking", "biomarkers' ranking of the regions", column.Needs[column.RankingRow]()),
		optional("consistency", "biomarkers' consistency: agreement of rankings", column.Needs[column.ConsistencyRow]()),
		optional("null", "biomarkers' null: every region against models with permuted labels", column.Needs[column.NullRow]()),
		optional("recovery", "biomarkers' recovery: its rankings beside references", column.Needs[column.RecoveryRow]()),
		optional("edge_tests", "edges' summary: the test of each edge over participants", column.Needs[column.EdgeSummaryRow]()),
		optional("edges", "edges' table of the same", column.Needs[column.EdgeTestRow]()),
		optional("edge_components", "edges' components of the same", column.Needs[column.ComponentRow]()),
		optional("edge_regions", "edges' regions of the same", column.Needs[column.RegionTestRow]()),
		optional("reliability", "reliability's summary: reliability of connectivity over sessions", column.Needs[column.ReliabilityRow]()),
		optional("reliability_pairs", "reliability's pairs of sessions of the same", column.Needs[column.SessionPairRow]()),
		optional("replication", "reliability's replication: agreement of halves of the participants", column.Needs[column.ReplicationRow]()),
		optional("stability", "reliability's trainings: stability of the weights of regions", column.Needs[column.WeightStabilityRow]()),
		optional("confounders", "confounds' tests: confounder tests of each classifier", column.Needs[column.ConfounderRow]()),
		optional("confound_models", "confounds' models: prediction from edges, covariates, and both", column.Needs[column.ConfoundModelRow]()),
		optional("confound_summary", "confounds' summary: what edges add to covariates", column.Needs[column.ConfoundSummaryRow]()),
		optional("confound_matching", "confounds' matching of the groups", column.Needs[column.ConfoundMatchRow]()),
		optional("subgroups", "groups of subgroups or subgroups-regression: performance in groups of participants", column.Needs[column.AnySubgroupRow]()),
		optional("subgroup_tests", "tests of the same", column.Needs[column.SubgroupTestRow]()),
		optional("learning", "learning-curve's summary: performance over the number of training participants", column.Needs[column.LearningRow]()),
		optional("learning_points", "learning-curve's points of the same", column.Needs[column.CurvePointRow]()),
		optional("learning_curve", "learning-curve's curve of the same", column.Needs[column.CurveRow]()),
		optional("validation", "validate's measures: stored models on another cohort", column.Needs[column.ValidationRow]()),
		optional("validation_summary", "validate's summary of the same", column.Needs[column.ValidationSummaryRow]()),
		optional("validation_calibration", "validate's calibration of the same", column.Needs[column.ValidationBinRow]()),
		optional("validation_people", "validate's participants of the same, for its ROC curve and calibration", dag.Arrow("participant_id")),
		optional("validation_shift", "validate's shift of the same: the participants beside those of the training", column.Needs[column.ValidationShiftRow]()),
		optional("fidelity", "fidelity: the effect of masking regions, beside random ones", column.Needs[column.FidelityRow]()),
		gathered("coverage", "parcellate's coverage of each participant", column.Needs[participants.CoverageRow]()),
		participants.RegistrationPort(),
		gathered("cleaning", "denoise's quality for each participant", dag.Arrow("volumes")),
		gathered("qcfc", "qcfc's summary: head motion and connectivity after denoising", column.Needs[column.MotionRow]()),
		gathered("typicality", "qcfc's typicality: each participant's connectivity beside the others'", column.Needs[column.TypicalityRow]()),
		gathered("connectivity", "connectivity's quality for each participant", dag.Arrow("draw")),
		gathered("graphs", "graph's quality for each participant", dag.Arrow("draw", "edges")),
		gathered("training", "train's history of each model", column.Needs[finding.EpochRow]()),
		{Name: "warnings", Type: dag.Arrow(column.Warning), Gather: true, Optional: true,
			Doc: "tables of quality with warnings: those of every stage that has one are connected, also when the file does not name them"},
		methods.AppliedPort(),
		{Name: "plan", Optional: true, Doc: "a file that pipeline lock --plan wrote before the results: what differs from it is reported"},
	}
}

// sharedUses are uses of sharedPorts.
func sharedUses() []role.PortUse {
	return fold.AfterChecks(role.PortUse{Port: "warnings", As: role.Collected},
		role.PortUse{Port: methods.AppliedPort().Name, As: role.Collected})
}

// headline is the setting with these coordinates, of those whose predictions evaluate gathers.
func headline(coords []string) role.Reference {
	return role.Reference{Parameter: "headline", Inputs: []string{"evaluation", "regression"},
		Gathered: "predictions", Coords: coords}
}

func excludedPort() dag.Port {
	return optional("excluded", "pipeline.excluded: excluded participants, with the reason", column.Needs[participants.ExcludedRow]())
}

func nodesPort() dag.Port { return optional("nodes", "the node list", dag.Arrow("index", "name")) }

func notesPort() dag.Port {
	return optional("notes", "pipeline.notes: notes of the loader", column.Needs[column.Note]())
}

func (*Report) Ports() dag.Ports {
	in := []dag.Port{
		optional("participants", "who took part", dag.Arrow("participant_id")),
		nodesPort(),
		notesPort(),
		excludedPort(),
	}
	in = append(in, sharedPorts()...)
	in = append(in,
		optional(column.StudyPort, "pipeline.study: what the authors state in the block study of the file; connected where there is any, also when the file does not name it", column.Needs[column.Statement]()),
		optional("table1", "tables' table1: the model's variations, beside the paper's", column.Needs[tables.VariationRow]()),
		optional("table2", "tables' table2: other classifiers, beside the paper's", column.Needs[tables.ClassifierRow]()),
		optional("left_out", "evaluate's summary where each value of a column, such as site, is left out in turn (leave_out of split)", column.Needs[column.AccuracyRow]()),
		optional("left_out_scores", "its scores: accuracy for each value that is left out", column.Needs[column.FoldRow]()),
		optional("other_label", "evaluate's summary of models that predict another column of the participants, such as site (label of split)", column.Needs[column.AccuracyRow]()),
		optional("published", "published's table: figures of others for the same data", column.Needs[tables.PublishedRow]()),
		optional("individual", "biomarkers' scores of each participant", column.Needs[column.IndividualRow]()),
		optional("individuality", "individuality's shares: variance of scores between participants, as λ2 grows", column.Needs[column.IndividualityRow]()),
		gathered("predictions", "train's predictions of each model (and those of baselines)", column.Needs[fold.PredictionRow]()),
		gathered("predicted", "regression's predictions of each model, in place of predictions", column.Needs[fold.NumberRow]()),
		gathered("distribution", "train's distribution of pooling scores over the epochs", column.Needs[figure.BinRow]()),
		gathered("tables", "further tables, shown as they are: a list of references; each is headed by the name of its stage", dag.Arrow()),
		dag.Port{Name: "figures", Gather: true, Optional: true, Doc: "further pictures, svg or png: a list of references"},
		optional("edge_null", "edges' null: what each permutation gave, for its figure", column.Needs[column.EdgeNullRow]()),
		optional("reliability_edges", "reliability's edges, for the figure of ICC", column.Needs[column.EdgeReliabilityRow]()),
		gathered("qcfc_edges", "qcfc's edges, for the figure of QC-FC", column.Needs[column.MotionEdgeRow]()),
		dag.Port{Name: "scans", Type: dag.Format("svg"), Gather: true, Optional: true, Doc: "figure-qc's picture of each participant, to look at and to rate; shown for up to 50"},
		dag.Port{Name: "parcels", Type: dag.Format("nifti"), Gather: true, Optional: true, Doc: "the regions in space, for slices and the viewer: parcellate's parcels, of which the first participant's are drawn, or an atlas"},
		dag.Port{Name: "anatomy", Type: dag.Format("nifti"), Optional: true, Doc: "an image in the space of the parcels, to lie under the regions: a T1 image, a template, or the output of mean-volume"},
		dag.Port{Name: "overview", Type: dag.Format("svg"), Optional: true, Doc: "pipeline.graph: the drawing of the stages"},
	)
	return dag.Ports{In: in, Out: []dag.Port{{Name: "page", Type: dag.Format("html"), Doc: "one file of HTML"}}}
}

// withoutModels are the ports of a report that need no trained model: what may be shown
// where a leakage check has not passed.
var withoutModels = []string{"participants", "nodes", "settings", "plan", "notes", "excluded", column.UncheckedPort,
	column.StudyPort, "covariates", "coverage", "registration", "cleaning", "qcfc", "qcfc_edges", "typicality",
	"edge_tests", "edges", "edge_components", "edge_regions", "edge_null", "reliability", "reliability_pairs",
	"reliability_edges", "replication", "scans", "connectivity",
	"graphs", "warnings", "parcels", "anatomy", "overview"}

// Page is the report of the inputs that are connected.
func (s *Report) Page(t *dag.Task) (*report.Page, error) { return s.page(t, role.Partial{}) }

// page is the report where results are missing: it states so where participants are counted.
func (s *Report) page(t *dag.Task, of role.Partial) (*report.Page, error) {
	a, err := s.written(t, of)
	if err != nil {
		return nil, err
	}
	return a.Page, nil
}

// written is the author of the page, which has been written.
func (s *Report) written(t *dag.Task, of role.Partial) (*author, error) {
	w := section.NewWriter(t)
	w.Pictures = true
	a := newAuthor(w, s.Headline)
	a.top = s.Top
	a.Duplicates, a.WithoutResults = of.Duplicates, of.Lacking
	p, err := a.write()
	if err != nil {
		return nil, err
	}
	p.Title = cmp.Or(s.Title, a.Text("section.page", values{"Pipeline": a.Run.Pipeline}))
	p.Incomplete = of.Missing
	return a, a.Err()
}

// Text is the report as a summary has it.
func (s *Report) Text(t *dag.Task) (string, error) {
	a := newAuthor(section.NewWriter(t), s.Headline)
	a.top = s.Top
	page, err := a.write()
	if err != nil {
		return "", err
	}
	return page.Text(), page.Check()
}

// PageOf is the report where results are missing.
func (s *Report) PageOf(t *dag.Task, of role.Partial) ([]byte, error) {
	page, err := s.page(t, of)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.HTML(&b)
	return b.Bytes(), err
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

// NeedsModels reports whether an input is shown only where the leakage checks have passed.
func (*Report) NeedsModels(port string) bool { return !slices.Contains(withoutModels, port) }

// Shows are the outputs of a pipeline without a report.
func (*Report) Shows() map[string]string {
	return map[string]string{
		"participants": "cohort.participants", "nodes": "cohort.nodes",
		"evaluation": "evaluate.summary", "scores": "evaluate.scores", "nested": "evaluate.summary",
		"edge_tests": "edges.summary", "edges": "edges.edges", "edge_components": "edges.components",
		"edge_null": "edges.null", "edge_regions": "edges.regions",
		"reliability": "reliability.summary", "reliability_pairs": "reliability.pairs",
		"reliability_edges": "reliability.edges", "replication": "reliability.replication",
		"stability":   "reliability.trainings",
		"confounders": "confounds.tests", "confound_models": "confounds.models",
		"confound_summary":  "confounds.summary",
		"confound_matching": "confounds.matching",
		"learning":          "learning-curve.summary", "learning_points": "learning-curve.points",
		"learning_curve": "learning-curve.curve",
		"subgroups":      "subgroups.groups", "subgroup_tests": "subgroups.tests",
		"validation": "validate.measures", "validation_summary": "validate.summary",
		"validation_calibration": "validate.calibration", "validation_shift": "validate.shift",
		"validation_people": "validate.participants",
		"ranking":           "biomarkers.ranking", "individual": "biomarkers.individual", "recovery": "biomarkers.recovery",
		"coverage": "parcellate.coverage", "parcels": "parcellate.parcels", "cleaning": "denoise.quality",
		"connectivity": "connectivity.quality", "graphs": "graph.quality",
		"comparison": "compare.pairs", "permutation": "permutation.test", "leakage": "leakage.checks",
		"universe_tests": "multiverse.joint", "universe_options": "multiverse.options",
		"universes": "multiverse.universes", "universe_regions": "multiverse.regions",
		"predictions": "train.predictions", "training": "train.history", "distribution": "train.distribution",
	}
}

// Beside are the pages of single scans.
func (*Report) Beside(t *dag.Task) ([]role.File, error) {
	pages, err := participants.ScanPages(t)
	file := func(p participants.ScanPage) role.File { return role.File{Name: p.File, Text: p.HTML} }
	return lists.Map(pages, file), err
}

// Cites are CITATION.bib, the works whose methods the run used, and CITATION.md, the methods text that cites them.
func (*Report) Cites(t *dag.Task) ([]role.File, error) {
	cited, err := methods.Cite(t)
	if cited == nil || err != nil {
		return nil, err
	}
	return []role.File{
		{Name: "CITATION.bib", Text: func() ([]byte, error) { return []byte(cited.BibTeX(version.Number)), nil }},
		{Name: "CITATION.md", Text: func() ([]byte, error) { return []byte(cited.Markdown()), nil }},
	}, nil
}

// Cited reports whether the program wrote a file of Cites.
func (*Report) Cited(text []byte) bool { return methods.IsCitation(text) }

// UsesPorts are the warnings of all stages, and the checks.
func (*Report) UsesPorts() []role.PortUse { return sharedUses() }

// RefersTo is the setting of the headline.
func (s *Report) RefersTo() role.Reference { return headline(s.Headline) }
