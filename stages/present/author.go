package present

import (
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/methods"
	"prgnn/stages/present/participants"
	"prgnn/stages/present/performance"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// An author writes one page from the inputs that are connected. Report and Summary are the
// same author with other inputs; what is not connected is left out.
type author struct {
	*section.Writer
	*participants.Cohort
	*performance.Results
	methods *methods.Author
	claims  []topClaim  // of the answer and the paragraphs
	shown   []tileClaim // of tiles that sections add

	universesTile []report.Tile        // of a multiverse
	stated        string               // the sentence on the universe that is its headline; "" without one
	top           int                  // how many regions are listed
	at            *[3][]float64        // mm: centroids of the node list; nil when it has none
	place         map[int]report.Place // of a node in the viewer, by its number
}

// newAuthor is the author of a page by w; headline is the setting whose accuracy comes first, by its coordinates.
func newAuthor(w *section.Writer, headline []string) *author {
	m := methods.New(w, headline)
	return &author{Writer: w, Cohort: m.Cohort, Results: m.Results, methods: m}
}

// read reads what several sections need.
func (a *author) read() {
	a.methods.Read()
	a.Predicts, _ = a.Predicted()
	if a.T.Has("nodes") {
		var err error
		a.at, err = column.NodePlaces(a.TableOf(a.T.In("nodes")))
		a.Fail(err)
	}
}

// oneOf are the settings of the scans, matrices and graphs on the page, if accuracies are for further settings: each of
// several tasks of a report has the scans of its own setting.
func (a *author) oneOf() []string {
	return finding.OneOf(a.At("cleaning", "connectivity", "graphs"), a.Evaluated).Texts()
}

// write writes the page.
func (a *author) write() (*report.Page, error) {
	if a.read(); a.Err() != nil {
		return nil, a.Err()
	}
	results, title, describe := "classification", "section.classification", a.classification
	if a.Regression != nil {
		results, title = "regression", "section.regression"
		describe = a.DescribeRegression
	}
	for _, s := range []struct {
		id, title string
		write     func()
	}{
		{"participants", "section.participants", a.describeParticipants},
		{"study", "section.study", a.study},
		{"multiverse", "section.multiverse", a.multiverse},
		{results, title, describe},
		{"learning", "section.learning", a.learning},
		{"validation", "section.validation", a.validation},
		{"regions", "section.regions", a.regions},
		{"edges", "section.edges", a.edges},
		{"reliability", "section.reliability", a.reliability},
		{"confounds", "section.confounds", a.confounds},
		{"subgroups", "section.subgroups", a.subgroups},
		{"methods", "section.methods", a.methods.Write},
		{"checks", "section.checks", a.checks},
		{"more", "section.more", a.more},
		{"scans", "section.scans", a.ScanQuality},
		{"provenance", "section.provenance", a.provenance},
		{"references", "section.references", a.methods.References},
	} {
		if !a.Pictures && s.id == "methods" { // a text for the terminal
			continue
		}
		a.Begin(s.id, a.Text(s.title, nil))
		if s.write(); a.Err() != nil {
			return nil, a.Err()
		}
		a.End()
	}
	if of := a.oneOf(); of != nil {
		a.Find(finding.Finding{Code: "page.one-setting", Weight: finding.Limits, Numbers: values{"Settings": of}})
	}
	a.Find(a.Run.PlanLimits()...)
	if len(a.Related) == 0 {
		a.Findings = a.Findings.Beyond(section.Rows[column.ConfoundSummaryRow](a.Writer, "confound_summary"))
	}
	if tests := section.Rows[column.EdgeSummaryRow](a.Writer, "edge_tests"); len(tests) > 0 {
		a.Findings = a.Findings.BesideEdges(tests[0])
	}
	a.Findings = a.Findings.Linked()
	a.Begin("summary", a.Text("section.summary", nil))
	a.abstract()
	a.question()
	a.Keep()
	a.Page.Cautions = a.Cautions()
	return a.Page, a.Err()
}
