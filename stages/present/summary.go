package present

import (
	"context"
	"fmt"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

var summaryKind = dag.Kind{
	Name: "summary",
	Doc: "the result of a run, as a text for a person\n" +
		"Who took part, how good each step was, how well the groups were told apart and against what, what to be careful about, and the most salient regions. Every input but the participants is optional: what is not connected is not told.",
	New: func() dag.Stage { return &Summary{Top: 10} },
}

// Summary tells a person what came out.
type Summary struct {
	Title string `param:"title" doc:"the first line"`
	Top   int    `param:"top" doc:"how many of the most salient regions are named" min:"0" max:"1000"`

	Headline []string `param:"headline" doc:"the setting whose accuracy is the headline, by some of its coordinates, such as [stage=train, pool=topk]; needed where PR-GNN has several settings, unless nested is connected: it is never chosen by test performance"`
}

// Ports are the stage's inputs and outputs.
func (*Summary) Ports() dag.Ports {
	gather := func(name, doc string, columns ...string) dag.Port {
		return dag.Port{Name: name, Type: dag.Arrow(columns...), Gather: true, Optional: true, Doc: doc}
	}
	optional := func(name, doc string, columns ...string) dag.Port {
		return dag.Port{Name: name, Type: dag.Arrow(columns...), Optional: true, Doc: doc}
	}
	return dag.Ports{
		In: []dag.Port{
			{Name: "participants", Type: dag.Arrow("participant_id", "group"), Doc: "who took part"},
			optional("evaluation", "evaluate's summary: accuracy over the folds", "level", "folds", "participants", "accuracy", "sd", "ci_low", "ci_high", "majority", "balanced_accuracy", "auc", "sensitivity", "specificity", "positive"),
			optional("scores", "evaluate's scores: accuracy in each fold", "repeat", "fold", "level", "accuracy"),
			optional("nested", "evaluate's summary of what choose chose inside each fold", "level", "folds", "participants", "accuracy", "sd", "ci_low", "ci_high", "majority", "balanced_accuracy", "auc", "sensitivity", "specificity", "positive"),
			fold.LeakagePort(),
			optional("fidelity", "fidelity: whether the answers hang on the marked regions", "action", "k", "drop", "random_drop", "p"),
			optional("permutation", "permutation's test: whether the accuracy could be luck", "measure", "observed", "chance_mean", "chance_95", "permutations", "p"),
			optional("comparison", "compare's pairs: whether a setting is better than another", "a", "b", "accuracy_a", "accuracy_b", "only_a", "only_b", "mcnemar_p", "mcnemar_holm", "t_p"),
			optional("covariates", "covariates' checks: what age, sex, site or motion alone tell of the groups", "covariate", "n", "missing", "auc", "chance", "p"),
			optional("ranking", "biomarkers' ranking of the regions", "rank", "name", "abbreviation", "score", "ci_low", "ci_high", "model_best", "model_worst", "frequency", "contrast", "p", "q", "planted"),
			optional("consistency", "biomarkers' consistency: how far rankings agree", "over", "rankings", "k", "common", "common_chance", "every", "every_chance", "kuncheva", "spearman", "p"),
			optional("null", "biomarkers' null: every region against trainings on permuted groups", "name", "abbreviation", "excess", "p", "q", "p_any", "permutations"),
			optional("recovery", "biomarkers' recovery: what its rankings are worth beside references", column.Names[column.RecoveryRow]()...),
			gather("coverage", "parcellate's coverage of each participant", "name", "voxels", "coverage"),
			registrationPort(),
			gather("cleaning", "denoise's quality for each participant", "volumes"),
			gather("connectivity", "connectivity's quality for each participant", "draw"),
			gather("graphs", "graph's quality for each participant", "draw", "edges"),
			gather("training", "train's history of each model", "epoch", "train_accuracy"),
		},
		Out: []dag.Port{{Name: "text", Type: dag.Format("text"), Doc: "UTF-8, at most 100 columns wide"}},
	}
}

// A page is the text while it is written.
type page struct {
	strings.Builder
	cautions []string
	untold   []string // settings whose models do not tell the groups apart
	headline []string // coordinates of the setting that the file names
}

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *page) caution(format string, args ...any) {
	p.cautions = append(p.cautions, fmt.Sprintf(format, args...))
}

// Run writes.
func (s *Summary) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	p := &page{headline: s.Headline}
	if s.Title != "" {
		for _, l := range wrap(s.Title, width) {
			p.line("%s", l)
		}
		p.line("")
	}
	for _, section := range []func(*dag.Task, *page) error{
		participantsSection, stepsSection, registrationSection, cleaningSection, s.accuracySection, nestedSection, leakageSection, permutationSection, comparisonSection, covariatesSection, stabilitySection, referencesSection, cautionSection, s.salientSection,
	} {
		if err := section(t, p); err != nil {
			return nil, err
		}
	}
	return dag.Outputs{"text": artifacts.Text(p.String())}, nil
}

// width of the text, in columns.
const width = 100

// cautionSection tells what the sections before it warned of.
func cautionSection(_ *dag.Task, p *page) error {
	if p.cautions == nil {
		return nil
	}
	p.line("")
	p.line("To be careful about")
	for _, c := range p.cautions {
		for i, l := range wrap(c, width-4) {
			p.line("%s%s", [2]string{"  - ", "    "}[min(i, 1)], l)
		}
	}
	return nil
}

// wrap breaks a text into lines of at most n characters, at blanks; a word longer
// than that is cut.
func wrap(text string, n int) []string {
	var lines []string
	line := []rune{}
	for _, word := range strings.Fields(text) {
		w := []rune(word)
		if len(line) > 0 && len(line)+1+len(w) > n {
			lines, line = append(lines, string(line)), nil
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		for len(line)+len(w) > n {
			cut := n - len(line)
			lines, line, w = append(lines, string(append(line, w[:cut]...))), nil, w[cut:]
		}
		line = append(line, w...)
	}
	return append(lines, string(line))
}

// bar draws x of 0 … 1 with a mark at another value.
func bar(x, mark float64, n int) string {
	b := []rune(strings.Repeat("·", n))
	for i := range b {
		if (float64(i)+0.5)/float64(n) < x {
			b[i] = '█'
		}
	}
	if mark > 0 && mark < 1 {
		b[int(mark*float64(n))] = '│'
	}
	return string(b)
}
