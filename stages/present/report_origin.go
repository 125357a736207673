package present

import (
	"fmt"
	"strings"

	"prgnn/stages/report"
)

// origin tells where everything came from: the parameters, the digests of what the
// report was made of and, where they are connected, the keys of all tasks.
func (r *reporter) origin() (report.Section, error) {
	s := report.Section{ID: "provenance", Title: "Provenance"}
	s.Blocks = append(s.Blocks, report.Block{Text: "Every result is a file named by the SHA-256 of its bytes, and every piece of work is named by the SHA-256 of its description: kind, code, parameters and inputs by content. Equal inputs, parameters and seeds give equal bytes, on any machine."})
	if r.t.Has("overview") {
		svg, err := r.t.In("overview").Bytes()
		if err != nil {
			return s, err
		}
		s.Blocks = append(s.Blocks, report.Block{Figure: &report.Figure{Title: "The pipeline", Format: "svg", Data: svg,
			Alt: "The stages of the pipeline as boxes, with arrows along which results flow", Caption: "Stages, with the number of tasks of each. Arrows: flow of results, without those that a longer path implies; thick arrows gather all members of a fan-out."}})
	}
	if r.set.table != nil {
		shown, err := shownTable(r.set.table, 5000, "doc")
		if err != nil {
			return s, err
		}
		shown.Caption, shown.Keys = "Every parameter of every stage", 2
		for _, row := range shown.Rows {
			row[4].Strong = row[4].Text != row[5].Text
		}
		shown.Note = "Strong: not the default."
		s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Screen: true, Summary: "Parameters", Blocks: []report.Block{{Table: shown}}}})
	}
	inputs := &report.Table{Caption: "What this report was made of", Keys: 2, Heads: []report.Head{{Text: "input"}, {Text: "member"}, {Text: "format"}, {Text: "bytes", Number: true}, {Text: "SHA-256"}}}
	for _, p := range r.Ports().In {
		for _, in := range r.t.All(p.Name) {
			inputs.Rows = append(inputs.Rows, []report.Cell{{Text: p.Name}, {Text: memberText(in.Coords)}, {Text: in.Ref.Format}, {Text: fmt.Sprint(in.Ref.Size)}, {Text: in.Ref.Digest.String()}})
		}
	}
	if len(inputs.Rows) > 0 {
		s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Screen: true, Summary: fmt.Sprintf("The %d inputs of this report", len(inputs.Rows)), Blocks: []report.Block{{Table: inputs}}}})
	}
	if r.set.table != nil {
		if code := codeTable(r.set.table.Meta["code"]); code != nil {
			s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Screen: true, Summary: "Code identities", Blocks: []report.Block{{Table: code}}}})
		}
	}
	s.Blocks = append(s.Blocks, report.Block{Note: "Keys and digests of every task, and the version of the program: pipeline provenance and pipeline lineage. Repeating all of it, this page included: pipeline audit."})
	return s, nil
}

// codeTable shows the identities of the code: a line "kind identity" each.
func codeTable(text string) *report.Table {
	if text == "" {
		return nil
	}
	t := &report.Table{Caption: "Identity of the code that each kind of stage reaches (first 16 digits of the SHA-256)", Keys: 1, Heads: []report.Head{{Text: "kind"}, {Text: "code"}}}
	for line := range strings.SplitSeq(text, "\n") {
		kind, id, _ := strings.Cut(line, " ")
		t.Rows = append(t.Rows, []report.Cell{{Text: kind}, {Text: id}})
	}
	return t
}
