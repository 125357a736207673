package methods

import (
	"cmp"
	"maps"
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
	"prgnn/stages/wording"
)

// A Author writes the methods text: it chooses the entries of the catalog that apply to a run.
type Author struct {
	*section.Writer
	*participants.Cohort
	*performance.Results
	whole            []finding.StageSettings // of the run; while methods are written, Run has those behind the page
	codes, sentences []string                // of the paragraph being written: the entries chosen, and their texts
	cited            []string                // keys of literature, in the order of their citation
	pandoc           bool                    // cite by key, as pandoc does, and not by number
}

// values are what entries of the catalog use.
type values = wording.Values

// New is the author of the methods of a page by w; headline is as in Results.
func New(w *section.Writer, headline []string) *Author {
	return &Author{Writer: w, Cohort: &participants.Cohort{Writer: w}, Results: &performance.Results{Writer: w,
		Results: &finding.Results{Plan: w.Run, Headline: column.ReadCoords(headline), Number: "the target"}}}
}

// Read reads the parameters, and the inputs that several sections need.
func (a *Author) Read() {
	a.ReadSettings()
	if a.Cohort.Read(); a.Who != nil {
		a.Number = cmp.Or(a.Who.Target, a.Number)
	}
	a.Fail(a.Results.Read(a.T))
	a.Classes = a.Labels
}

// say adds a sentence, an entry of the catalog.
func (a *Author) say(code string, of any) {
	text := wording.Cited(wording.UpperFirst(a.Text(code, of)), a.citation)
	a.codes, a.sentences = append(a.codes, code), append(a.sentences, text)
}

// citation is "[3]" for a work of the literature, in the order in which they are cited, or "[@key]".
func (a *Author) citation(keys []string) string {
	numbers := lists.Map(keys, func(key string) string {
		if !slices.Contains(a.cited, key) {
			a.cited = append(a.cited, key)
		}
		return strconv.Itoa(slices.Index(a.cited, key) + 1)
	})
	if a.pandoc {
		return "[@" + strings.Join(keys, "; @") + "]"
	}
	return "[" + strings.Join(numbers, ", ") + "]"
}

// parameters are those of a stage by their names, those of an axis joined, and more values.
func parameters(s *finding.StageSettings, more values) values {
	all := values{}
	for name := range s.Values {
		all[name] = strings.Join(s.Over(name), " or ")
	}
	maps.Copy(all, more)
	return all
}

// Write writes the methods from the parameters of the stages that the page comes of; those of other stages are listed
// as settings alone.
func (a *Author) Write() {
	if a.Run.Table == nil {
		return
	}
	a.whole = a.Run.Stages
	a.Run.Stages = a.Run.Behind()
	defer func() { a.Run.Stages = a.whole }()
	for _, part := range []struct {
		title string
		write func()
	}{
		{"methods.participants", func() { a.cohort(); a.scans() }},
		{"methods.graphs", a.graphs},
		{"methods.training", func() { a.training(); a.applied() }},
		{"methods.evaluation", a.evaluation},
	} {
		a.codes, a.sentences = nil, nil
		if part.write(); len(a.sentences) == 0 {
			continue
		}
		if len(a.Section.Blocks) == 0 {
			a.Add(report.Block{Note: a.Text("methods.note", nil)})
		}
		a.Heading(a.Text(part.title, nil))
		a.Add(report.Block{Text: strings.Join(a.sentences, " ")})
	}
}

// References lists the works that the methods cite.
func (a *Author) References() {
	list := lists.Map(a.cited, func(key string) string { return literature.Works[key].String() })
	if len(list) > 0 {
		a.Add(report.Block{References: list})
	}
}
