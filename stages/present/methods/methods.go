package methods

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/literature"
	"prgnn/stages/present/participants"
	"prgnn/stages/present/performance"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// A Author writes the methods text.
type Author struct {
	*section.Writer
	*participants.Cohort
	*performance.Results
	cited  Text
	silent silence
}

// New is the author of the methods of a page by w; headline is as in Results.
func New(w *section.Writer, headline []string) *Author {
	return &Author{Writer: w, Cohort: &participants.Cohort{Writer: w}, Results: &performance.Results{Writer: w,
		Results: &finding.Results{Plan: w.Run, Headline: column.ReadCoords(headline)}}}
}

// Read reads the parameters, and the inputs that several sections need.
func (a *Author) Read() error {
	if err := a.ReadSettings(); err != nil {
		return err
	}
	if err := a.Cohort.Read(); err != nil {
		return err
	}
	a.Number = "the target"
	if a.T.Has("participants") {
		who, err := column.ReadPeople(a.T.In("participants"))
		if err != nil {
			return err
		}
		a.Number = cmp.Or(who.Target, a.Number)
	}
	err := a.Results.Read(a.T)
	a.Classes = a.Labels
	return err
}

// A Text is a paragraph of the methods while it is written, and the works cited up to it.
type Text struct {
	sentences []string
	cited     []string // keys of literature
	pandoc    bool     // cite by key, as pandoc does, and not by number
}

func (m *Text) say(format string, args ...any) {
	m.sentences = append(m.sentences, fmt.Sprintf(format, args...))
}

// cite is "[3]" for a work of the literature, or "[@key]".
func (m *Text) cite(keys ...string) string {
	var numbers []string
	for _, k := range keys {
		if _, ok := literature.Works[k]; !ok {
			panic("stages: the literature has no " + k)
		}
		i := slices.Index(m.cited, k)
		if i < 0 {
			i = len(m.cited)
			m.cited = append(m.cited, k)
		}
		numbers = append(numbers, strconv.Itoa(i+1))
	}
	if m.pandoc {
		return "[@" + strings.Join(keys, "; @") + "]"
	}
	return "[" + strings.Join(numbers, ", ") + "]"
}

// Write writes the methods from the parameters of the run.
func (a *Author) Write() error {
	if a.Run.Table == nil {
		return nil
	}
	if err := a.readSilence(); err != nil {
		return err
	}
	m := &a.cited
	var failed error
	for _, part := range []struct {
		title string
		say   func(*Text)
	}{
		{"Participants and scans", func(m *Text) { a.methodsOfCohort(m); a.methodsOfScans(m) }}, {"Series, correlations and graphs", a.methodsOfGraphs},
		{"Model and training", a.methodsOfTraining},
		{"Evaluation and regions", func(m *Text) { failed = a.methodsOfEvaluation(m) }},
	} {
		m.sentences = nil
		if part.say(m); failed != nil {
			return failed
		}
		if len(m.sentences) == 0 {
			continue
		}
		if len(a.Section.Blocks) == 0 {
			a.Add(report.Block{Note: "Written from the parameters of this run; it may be copied into a paper."})
		}
		a.Heading(part.title)
		a.Say("%s", strings.Join(m.sentences, " "))
	}
	return nil
}

// References lists the works that the methods cite.
func (a *Author) References() error {
	list := lists.Map(a.cited.cited, func(key string) string { return literature.Works[key].String() })
	if len(list) > 0 {
		a.Add(report.Block{References: list})
	}
	return nil
}
