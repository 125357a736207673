package present

import (
	"context"
	"fmt"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/present/section"
)

var summaryKind = dag.Kind{
	Name: "summary",
	Doc: "the results as a text for the terminal\n" +
		"The page of report as text, with the inputs that are connected here: participants, classification performance, cautions, the most salient regions, checks. Every input but the participants is optional: what is not connected is left out.",
	New: func() dag.Stage { return &Summary{Top: 10} },

	Each: 20e3, // docs/scale.md#the-memory-of-stages-that-gather-everybody
}

// Summary writes the page of a run as plain text.
type Summary struct {
	Title string `param:"title" doc:"the first line"`
	Top   int    `param:"top" doc:"how many of the most salient regions are listed" min:"0" max:"1000"`

	Headline []string `param:"headline" doc:"the setting whose accuracy is the headline, by some of its coordinates, such as [stage=train, pool=topk]; needed where PR-GNN has several settings, unless nested is connected: it is never chosen by test performance"`
}

func (*Summary) Ports() dag.Ports {
	participants := dag.Port{Name: "participants", Type: dag.Arrow("participant_id"), Doc: "who took part"}
	return dag.Ports{
		In:  append([]dag.Port{participants, notesPort(), excludedPort()}, sharedPorts()...),
		Out: []dag.Port{{Name: "text", Type: dag.Format("text"), Doc: "UTF-8, at most 100 columns wide"}},
	}
}

// Run writes the page as text.
func (s *Summary) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	a := newAuthor(section.NewWriter(t), s.Headline)
	a.top = s.Top
	page, err := a.write()
	if err != nil {
		return nil, err
	}
	page.Title = s.Title
	if err := page.Check(); err != nil {
		return nil, fmt.Errorf("the summary: %w", err)
	}
	return dag.Outputs{"text": artifacts.Text(page.Text())}, nil
}

// NamedHeadline is the setting that the file names: of those whose predictions evaluate gathers.
func (s *Summary) NamedHeadline() (input, gathered string, coords []string) {
	return "evaluation", "predictions", s.Headline
}
