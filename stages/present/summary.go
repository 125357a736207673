package present

import (
	"context"
	"fmt"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/present/section"
	"prgnn/stages/role"
)

var summaryKind = dag.Kind{
	Name: "summary",
	Doc: "the results as a text for the terminal\n" +
		"The page of report as text, with the inputs that are connected here: participants, classification performance, cautions, the most salient regions, checks. Every input but the participants is optional: what is not connected is left out.",
	New: func() dag.Stage { return &Summary{Top: 10} },

	// docs/scale.md#the-memory-of-stages-that-gather-everybody
	MemoryFor: column.Memory{Each: 20e3}.For,
}

var (
	_ role.Referrer = (*Summary)(nil)
	_ role.PortUser = (*Summary)(nil)
)

// Summary writes the page of a run as plain text.
type Summary struct {
	Title string `param:"title" doc:"the first line"`
	Top   int    `param:"top" doc:"how many of the most salient regions are listed" min:"0" max:"1000"`

	Headline []string `param:"headline" doc:"the setting that is the headline, by some of its coordinates, such as [stage=train, pool=topk]; needed where PR-GNN has several settings, unless nested is connected: it is never chosen by test performance"`
}

func (*Summary) Ports() dag.Ports {
	participants := dag.Port{Name: "participants", Type: dag.Arrow("participant_id"), Doc: "who took part"}
	return dag.Ports{
		In: append([]dag.Port{participants, nodesPort(), notesPort(), excludedPort()}, sharedPorts()...),
		Out: []dag.Port{{Name: "text", Type: dag.Format("text"), Doc: "UTF-8, at most 80 columns wide, but for longer words"},
			{Name: "findings", Type: column.Type[findingRow](), Doc: "the cautions of the text, for programs"}},
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
	return dag.Outputs{"text": artifacts.Text(page.Text()), "findings": a.findings()}, nil
}

// A findingRow is one finding, for programs.
type findingRow struct {
	Code    string `column:"code" doc:"what was found: motion.predicts-group"`
	Weight  string `column:"weight" doc:"overturns: a conclusion may be wrong; limits: it holds within limits; notes"`
	Subject string `column:"subject" doc:"a JSON object: classifier, setting, participants, stage; empty where it is the study"`
	Numbers string `column:"numbers" doc:"a JSON object: the values behind the text"`
	Text    string `column:"text" doc:"as the text has it; findings of one code about several classifiers have one text"`
}

// findings are those of the page, each with the text of its group.
func (a *author) findings() *encoding.Table {
	var rows []findingRow
	for i, g := range a.Findings.Grouped() {
		for _, f := range g.Findings {
			subject, numbers := f.JSON()
			rows = append(rows, findingRow{f.Code, f.Weight.String(), subject, numbers, a.Page.Cautions[i]})
		}
	}
	return column.Table(rows)
}

// UsesPorts are the warnings of all stages, and the checks.
func (*Summary) UsesPorts() []role.PortUse { return sharedUses() }

// RefersTo is the setting of the headline.
func (s *Summary) RefersTo() role.Reference { return headline(s.Headline) }
