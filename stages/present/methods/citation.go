package methods

import (
	"bytes"
	"fmt"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/markup"
	"prgnn/internal/version"
	"prgnn/stages/literature"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// A Citation is what to cite for a run: its methods, and the works that they cite.
type Citation struct {
	about   string // what wrote the methods
	methods []report.Block
	Keys    []string // of literature, in the order of their mention
}

// Cite reads a report's inputs; nil when they are without settings, so that no methods can be written.
func Cite(t *dag.Task) (*Citation, error) {
	a := New(section.NewWriter(t), nil)
	a.pandoc = true
	if a.Read(); a.Err() != nil {
		return nil, a.Err()
	}
	a.Cohort.Describe() // methods count them
	a.Section = &report.Section{}
	if a.Write(); a.Err() != nil || len(a.cited) == 0 {
		return nil, a.Err()
	}
	about := a.Text("methods.file", values{"Version": version.Number})
	return &Citation{about, a.Section.Blocks, a.cited}, a.Err()
}

// BibTeX are the works as entries. of is the version of the program.
func (c *Citation) BibTeX(of string) string {
	entries := lists.Map(c.Keys, func(key string) string { return literature.Works[key].BibTeX(key, of) })
	return strings.Join(entries, "\n")
}

// IsCitation reports whether a text is one that BibTeX or Markdown wrote: each names the program.
func IsCitation(text []byte) bool {
	return bytes.Contains(text, []byte("@software{prgnn,")) || bytes.Contains(text, []byte(heading+"PR-GNN Pipeline "))
}

const heading = "# Methods\n\n"

// Markdown is the methods text with pandoc's citations, and the works by their keys.
func (c *Citation) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n", heading, c.about)
	for _, block := range c.methods {
		switch {
		case block.Heading != "":
			fmt.Fprintf(&b, "\n## %s\n", block.Heading)
		case block.Text != "":
			fmt.Fprintf(&b, "\n%s\n", markup.Markdown(block.Text))
		}
	}
	b.WriteString("\n## References\n\n")
	for _, key := range c.Keys {
		fmt.Fprintf(&b, "- `%s`: %s\n", key, markup.Markdown(literature.Works[key].String()))
	}
	return b.String()
}
