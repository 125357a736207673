package present

import (
	"fmt"
	"strings"

	"prgnn/stages/report"
)

// provenance is the section of where the results come from: the parameters, the code
// identities, and the digests of the inputs of the page.
func (a *author) provenance() error {
	if !a.pictures {
		return nil // a text ends with the results
	}
	a.say("Every result is a file named by the SHA-256 of its bytes; every task is named by the SHA-256 of its recipe: kind, code, parameters and inputs by content. Equal inputs, parameters and seeds give equal bytes on any machine, this page included. Keys and digests of all tasks, and the version of the program: pipeline provenance and pipeline lineage. Recomputation and comparison: pipeline audit.")
	if a.t.Has("overview") {
		svg, err := a.t.In("overview").Bytes()
		if err != nil {
			return err
		}
		a.show("the pipeline", []report.Figure{{Title: "The pipeline", Format: "svg", Data: svg,
			Alt:     "The stages of the pipeline as boxes, with arrows along which results flow",
			Caption: "Stages, with the number of tasks of each. Arrows: flow of results, without those that a longer path implies; thick arrows gather all members of a fan-out."}}, nil)
	}
	if a.run.table != nil {
		t, err := wholeTable(a.run.table, 5000, "doc")
		if err != nil {
			return err
		}
		t.Caption, t.Keys, t.Note = "Parameters", 2, "Bold: not the default."
		value, standard := t.Head("value"), t.Head("default")
		for _, row := range t.Rows {
			row[value].Strong = row[value].Text != row[standard].Text
		}
		a.supplement(t)
		if code := a.run.table.Meta["code"]; code != "" {
			lines := strings.Split(code, "\n")
			part := func(i int) func(string) string {
				return func(line string) string { return strings.SplitN(line+" ", " ", 3)[i] }
			}
			a.supplement(tableOf("Code identities (first 16 digits of the SHA-256 of the code that each kind reaches)", 1, lines, text("kind", "", part(0)), text("code", "", part(1))))
		}
	}
	t := &report.Table{Caption: "Inputs of this page", Keys: 2, Heads: []report.Head{{Text: "input"}, {Text: "member"},
		{Text: "format"}, {Text: "bytes", Number: true}, {Text: "SHA-256"}}}
	for _, p := range (&Report{}).Ports().In {
		for _, in := range a.t.All(p.Name) {
			t.Rows = append(t.Rows, []report.Cell{{Text: p.Name}, {Text: memberText(in.Coords)}, {Text: in.Ref.Format},
				{Text: fmt.Sprint(in.Ref.Size)}, {Text: in.Ref.Digest.String()}})
		}
	}
	if len(t.Rows) > 0 {
		a.supplement(t)
	}
	return nil
}
