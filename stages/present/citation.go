package present

import (
	"fmt"
	"strings"

	"prgnn/dag"
	"prgnn/stages/literature"
	"prgnn/stages/report"
)

// A Citation is what to cite for a run: its methods, and the works that they cite.
type Citation struct {
	methods []report.Block
	keys    []string // of literature, in the order of their mention
}

// Cite reads a report's inputs; nil when they are without settings, so that no methods can be written.
func Cite(t *dag.Task) (*Citation, error) {
	a := &author{t: t, cited: methodsText{pandoc: true}}
	if err := a.read(); err != nil {
		return nil, err
	}
	a.section = &report.Section{}
	if err := a.participants(); err != nil { // methods count them
		return nil, err
	}
	a.section = &report.Section{}
	if err := a.methods(); err != nil || len(a.cited.cited) == 0 {
		return nil, err
	}
	return &Citation{a.section.Blocks, a.cited.cited}, nil
}

// BibTeX are the works as entries. version is that of the program.
func (c *Citation) BibTeX(version string) string {
	var entries []string
	for _, key := range c.keys {
		entries = append(entries, literature.Works[key].BibTeX(key, version))
	}
	return strings.Join(entries, "\n")
}

// Markdown is the methods text with pandoc's citations, and the works by their keys.
func (c *Citation) Markdown(version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Methods\n\nPR-GNN Pipeline %s wrote this text from the parameters of the run; it may be copied into a paper.\nCitations are the keys of CITATION.bib.\n", version)
	for _, block := range c.methods {
		switch {
		case block.Heading != "":
			fmt.Fprintf(&b, "\n## %s\n", block.Heading)
		case block.Text != "":
			fmt.Fprintf(&b, "\n%s\n", plainMarkdown.Replace(block.Text))
		}
	}
	b.WriteString("\n## References\n\n")
	for _, key := range c.keys {
		fmt.Fprintf(&b, "- `%s`: %s\n", key, plainMarkdown.Replace(literature.Works[key].String()))
	}
	return b.String()
}

// plainMarkdown escapes what Markdown would take for markup; the brackets of citations stay.
var plainMarkdown = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;",
	"](", `]\(`, "\n", " ")
