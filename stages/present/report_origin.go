package present

import (
	"fmt"
	"slices"
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
			Alt: "The stages of the pipeline as boxes with arrows from what gives to what takes", Caption: "Its stages with the number of their tasks, and the ways that results take. An arrow is left out where a longer way leads to the same stage; thick ones gather all members of a fan-out."}})
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
		if p.Name == "provenance" || p.Name == "overview" {
			continue
		}
		for _, in := range r.t.All(p.Name) {
			inputs.Rows = append(inputs.Rows, []report.Cell{{Text: p.Name}, {Text: memberText(in.Coords)}, {Text: in.Ref.Format}, {Text: fmt.Sprint(in.Ref.Size)}, {Text: in.Ref.Digest.String()}})
		}
	}
	if len(inputs.Rows) > 0 {
		s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Screen: true, Summary: fmt.Sprintf("The %d inputs of this report", len(inputs.Rows)), Blocks: []report.Block{{Table: inputs}}}})
	}
	if !r.t.Has("provenance") {
		s.Blocks = append(s.Blocks, report.Block{Note: "pipeline report FILE -o report.html adds the keys of all tasks and the version of the program."})
		return s, nil
	}
	table, err := r.t.In("provenance").Table()
	if err != nil {
		return s, err
	}
	var facts []string
	for _, name := range []string{"program", "results"} {
		if v := table.Meta[name]; v != "" {
			facts = append(facts, v)
		}
	}
	if facts != nil {
		s.Blocks = slices.Insert(s.Blocks, 1, report.Block{List: facts})
	}
	if code := codeTable(table.Meta["code"]); code != nil {
		s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Screen: true, Summary: "Versions of the code of each kind", Blocks: []report.Block{{Table: code}}}})
	}
	shown, err := shownTable(table, 20000)
	if err != nil {
		return s, err
	}
	shown.Caption = "Every task with its key and the SHA-256 of what it made"
	s.Blocks = append(s.Blocks, report.Block{Details: &report.Details{Screen: true, Summary: "Keys and digests of all tasks", Blocks: []report.Block{{Table: shown}}}})
	return s, nil
}

// codeTable shows the identities of the code, which come as "Code identities: kind id, …".
func codeTable(text string) *report.Table {
	_, list, ok := strings.Cut(text, ": ")
	if !ok {
		return nil
	}
	t := &report.Table{Caption: "Identity of the code that each kind of stage reaches (SHA-256, the first 16 digits)", Keys: 1, Heads: []report.Head{{Text: "kind"}, {Text: "code"}}}
	for one := range strings.SplitSeq(list, ", ") {
		kind, id, _ := strings.Cut(one, " ")
		t.Rows = append(t.Rows, []report.Cell{{Text: kind}, {Text: id}})
	}
	return t
}
