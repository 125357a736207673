package present

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
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
		ins := a.T.All(p.Name)
		if len(ins) > mostMembers {
			t.Rows = append(t.Rows, together(p.Name, ins))
			t.Note = fmt.Sprintf("More than %d members are one row: the sum of their bytes, and the SHA-256 of their SHA-256s, one a line, in their order. pipeline provenance FILE -o DIR lists all.", mostMembers)
			continue
		}
		for _, in := range ins {
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

// mostMembers is how many members of an input have a row each.
const mostMembers = 1000

// together is the row of an input with many members.
func together(port string, ins []dag.Input) []report.Cell {
	size, all := int64(0), sha256.New()
	for _, in := range ins {
		size += in.Ref.Size
		fmt.Fprintln(all, in.Ref.Digest.String())
	}
	return []report.Cell{{Text: port}, {Text: words.Count(len(ins), "member")}, {Text: ins[0].Ref.Format},
		{Text: fmt.Sprint(size)}, {Text: hex.EncodeToString(all.Sum(nil))}}
}
