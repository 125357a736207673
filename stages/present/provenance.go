package present

import (
	"fmt"
	"strings"

	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// provenance is the section of where the results come from: the parameters, the code
// identities, and the digests of the inputs of the page.
func (a *author) provenance() error {
	if !a.Pictures {
		return nil // a text ends with the results
	}
	a.Say("Every result is a file named by the SHA-256 of its bytes; every task is named by the SHA-256 of its recipe: kind, code, parameters and inputs by content. Equal inputs, parameters and seeds give equal bytes on any machine, this page included. Keys and digests of all tasks, and the version of the program: pipeline provenance and pipeline lineage. Recomputation and comparison: pipeline audit.")
	if a.T.Has("overview") {
		svg, err := a.T.In("overview").Bytes()
		if err != nil {
			return err
		}
		a.Show("the pipeline", []report.Figure{{Title: "The pipeline", Format: "svg", Data: svg,
			Alt:     "The stages of the pipeline as boxes, with arrows along which results flow",
			Caption: "Stages, with the number of tasks of each. Arrows: flow of results, without those that a longer path implies; thick arrows gather all members of a fan-out."}}, nil)
	}
	if a.Run.Table != nil {
		t, err := section.WholeTable(a.Run.Table, 5000, "doc")
		if err != nil {
			return err
		}
		t.Caption, t.Keys, t.Note = "Parameters", 2, "Bold: not the default."
		value, standard := t.Head("value"), t.Head("default")
		for _, row := range t.Rows {
			row[value].Strong = row[value].Text != row[standard].Text
		}
		a.Supplement(t)
		if code := a.Run.Table.Meta["code"]; code != "" {
			lines := strings.Split(code, "\n")
			part := func(i int) func(string) string {
				return func(line string) string { return strings.SplitN(line+" ", " ", 3)[i] }
			}
			a.Supplement(section.TableOf("Code identities (first 16 digits of the SHA-256 of the code that each kind reaches)", 1, lines,
				section.Text("kind", "", part(0)), section.Text("code", "", part(1))))
		}
	}
	t := &report.Table{Caption: "Inputs of this page", Keys: 2, Heads: []report.Head{{Text: "input"}, {Text: "member"},
		{Text: "format"}, {Text: "bytes", Number: true}, {Text: "SHA-256"}}}
	for _, p := range (&Report{}).Ports().In {
		for _, in := range a.T.All(p.Name) {
			t.Rows = append(t.Rows, []report.Cell{{Text: p.Name}, {Text: section.MemberText(in.Coords)},
				{Text: in.Ref.Format},
				{Text: fmt.Sprint(in.Ref.Size)}, {Text: in.Ref.Digest.String()}})
		}
	}
	if len(t.Rows) > 0 {
		a.Supplement(t)
	}
	return nil
}
