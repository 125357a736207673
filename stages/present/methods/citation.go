package methods

import (
	"bytes"
	"fmt"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/literature"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// A Citation is what to cite for a run: its methods, and the works that they cite.
type Citation struct {
	methods []report.Block
	Keys    []string // of literature, in the order of their mention
}

// Cite reads a report's inputs; nil when they are without settings, so that no methods can be written.
func Cite(t *dag.Task) (*Citation, error) {
	a := New(section.NewWriter(t), nil)
	a.pandoc = true
	if err := a.Read(); err != nil {
		return nil, err
	}
	if err := a.Cohort.Describe(); err != nil { // methods count them
		return nil, err
	}
	a.Section = &report.Section{}
	if err := a.Write(); err != nil || len(a.cited) == 0 {
		return nil, err
	}
	return &Citation{a.Section.Blocks, a.cited}, nil
}

// BibTeX are the works as entries. version is that of the program.
func (c *Citation) BibTeX(version string) string {
	entries := lists.Map(c.Keys, func(key string) string { return literature.Works[key].BibTeX(key, version) })
	return strings.Join(entries, "\n")
}

// IsCitation reports whether a text is one that BibTeX or Markdown wrote: each names the program.
func IsCitation(text []byte) bool {
	return bytes.Contains(text, []byte("@software{prgnn,")) || bytes.Contains(text, []byte(byThisProgram))
}

// byThisProgram stands in every methods text.
const byThisProgram = " wrote this text from the parameters of the run;"

// Markdown is the methods text with pandoc's citations, and the works by their keys.
func (c *Citation) Markdown(version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Methods\n\nPR-GNN Pipeline %s%s it may be copied into a paper.\nCitations are the keys of CITATION.bib.\n", version, byThisProgram)
	for _, block := range c.methods {
		switch {
		case block.Heading != "":
			fmt.Fprintf(&b, "\n## %s\n", block.Heading)
		case block.Text != "":
			fmt.Fprintf(&b, "\n%s\n", plainMarkdown.Replace(block.Text))
		}
	}
	b.WriteString("\n## References\n\n")
	for _, key := range c.Keys {
		fmt.Fprintf(&b, "- `%s`: %s\n", key, plainMarkdown.Replace(literature.Works[key].String()))
	}
	return b.String()
}

// plainMarkdown escapes what Markdown would take for markup; the brackets of citations stay.
var plainMarkdown = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;",
	"](", `]\(`, "\n", " ")
