package methods

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/version"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
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
	whole     []finding.StageSettings   // of the run; while methods are written, Run has those behind the page
	universe  []int32                   // whose parameters Run has; nil for those of all
	allScans  *bool                     // hasAllScans; nil before it is known
	cleaned   map[string][]quality.Scan // ofUniverse, by the options on the decisions in cleaning
	cleaning  []int
	regions   map[int]int            // regionsOf, by the places of inputs on coverage
	silent    *[]silentDraw          // silentDraws; nil before they are read
	counted   bool                   // by connectivity
	measuring map[string][]statement // measures, by what they depend on of a universe
	said      []statement            // of the part being written
	begins    bool                   // the next statement begins a paragraph
	sides     []string               // of the tests of the page (tested)
	written   map[[2]string]bool     // codes of entries and their texts, of which the page may have some only
	cited     []string               // keys of literature, in the order of their citation
	pandoc    bool                   // cite by key, as pandoc does, and not by number
}

// A statement is an entry of the catalog that was chosen, and its text, which has not cited yet.
type statement struct {
	code, text string
	step       bool // of denoising; steps are one sentence
	begins     bool // a paragraph
}

// isIn reports whether statements have this one, also where it begins no paragraph, or begins one.
func (s statement) isIn(all []statement) bool {
	return slices.ContainsFunc(all, func(o statement) bool { return o.code == s.code && o.text == s.text })
}

// inAll are the statements of the first universe that all have.
func inAll(said [][]statement) []statement {
	return slices.DeleteFunc(slices.Clone(said[0]), func(s statement) bool {
		return slices.ContainsFunc(said[1:], func(other []statement) bool { return !s.isIn(other) })
	})
}

// values are what entries of the catalog use.
type values = wording.Values

// New is the author of the methods of a page by w; headline is as in Results.
func New(w *section.Writer, headline []string) *Author {
	results := &finding.Results{Plan: w.Run, Headline: column.ReadCoords(headline), Number: "the target"}
	return &Author{Writer: w, Cohort: &participants.Cohort{Writer: w, Answers: results.Answers},
		Results: &performance.Results{Writer: w, Results: results}}
}

// Read reads the parameters, and the inputs that several sections need.
func (a *Author) Read() {
	a.ReadSettings()
	if a.Cohort.Read(); a.Who != nil {
		a.Number = cmp.Or(a.Who.Target, a.Number)
	}
	a.Fail(a.Results.Read(a.T))
	for _, r := range a.Accuracy {
		a.Evaluated = append(a.Evaluated, r.Coords)
	}
	for _, r := range a.Regression {
		a.Evaluated = append(a.Evaluated, r.Coords)
	}
	a.Classes = a.Labels
}

// Text writes an entry of the catalog. That the page has it is noted where it is shown: settings and universes are
// compared by texts that are not.
func (a *Author) Text(code string, of any) string {
	text, err := wording.Text(code, of)
	if a.Fail(err); text != "" {
		if a.written == nil {
			a.written = map[[2]string]bool{}
		}
		a.written[[2]string{code, text}] = true
	}
	return text
}

// show adds a paragraph, and notes the entries that it has.
func (a *Author) show(text string) {
	for entry := range a.written {
		if strings.Contains(text, entry[1]) || strings.Contains(text, wording.UpperFirst(entry[1])) {
			a.Has(entry[0])
		}
	}
	a.Add(report.Block{Text: wording.Cited(text, a.citation)})
}

// say adds a sentence, an entry of the catalog.
func (a *Author) say(code string, of any) {
	a.said = append(a.said, statement{code: code, text: a.Text(code, of), begins: a.begins})
	a.begins = false
}

// paragraphs writes statements of a part.
func (a *Author) paragraphs(said []statement) (texts []string) {
	for len(said) > 0 {
		end := 1
		for end < len(said) && !said[end].begins {
			end++
		}
		texts = append(texts, a.paragraph(said[:end], "methods.denoising"))
		said = said[end:]
	}
	return texts
}

// paragraph writes statements as sentences; steps of denoising are one, the entry as.
func (a *Author) paragraph(said []statement, as string) string {
	var sentences, steps []string
	for i, s := range said {
		if !s.step {
			sentences = append(sentences, wording.UpperFirst(s.text))
			continue
		}
		if steps = append(steps, s.text); i+1 == len(said) || !said[i+1].step {
			sentences, steps = append(sentences, a.Text(as, values{"Steps": steps})), nil
		}
	}
	return strings.Join(sentences, " ")
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
// as settings alone. What is the same in all universes is stated first, and then by decision what differs.
func (a *Author) Write() {
	if a.Run.Table == nil {
		return
	}
	a.whole = a.Run.Stages
	a.Run.Stages = a.Run.Behind()
	defer func() { a.Run.Stages = a.whole }()
	a.RetrainedTests() // compares the settings of stages, not those of one universe
	for _, part := range []struct {
		title        string
		write, after func()
	}{
		{"methods.participants", func() { a.cohort(); a.scans() }, nil},
		{"methods.graphs", a.graphs, nil},
		{"methods.training", func() { a.training(); a.applied() }, nil},
		{"methods.evaluation", a.measured, func() {
			a.settings()
			a.begins = len(a.said) == 0
			a.say("methods.program", values{"Version": version.Number})
		}},
	} {
		said := a.inUniverses(part.write)
		common := inAll(said)
		a.said = nil
		if part.after != nil {
			part.after()
			for i, others := range a.optionSettings() {
				said[i] = append(said[i], others...)
			}
		}
		texts := append(a.paragraphs(append(slices.Clone(common), a.said...)), a.differing(said, common)...)
		if texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" }); len(texts) == 0 {
			continue
		}
		if len(a.Section.Blocks) == 0 {
			a.Add(report.Block{Note: a.Text("methods.note", nil)})
		}
		a.Heading(a.Text(part.title, nil))
		for _, text := range texts {
			a.show(text)
		}
	}
}

// References lists the works that the methods cite.
func (a *Author) References() {
	list := lists.Map(a.cited, func(key string) string { return literature.Works[key].String() })
	if len(list) > 0 {
		a.Add(report.Block{References: list})
	}
}
