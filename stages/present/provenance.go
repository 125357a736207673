package present

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// inForce is the value of a parameter, with what a 0 stands for by the parameter's doc.
func inForce(value, doc string) string {
	if _, stands, ok := strings.Cut(doc, "; 0: "); ok && value == "0" {
		return "0: " + stands
	}
	return value
}

// provenance is the section of where the results come from: the parameters, the code
// identities, and the digests of the inputs of the page.
func (a *author) provenance() error {
	if !a.Pictures {
		return nil // a text ends with the results
	}
	a.Put("provenance.how", nil)
	if a.T.Has("overview") {
		svg, err := a.T.In("overview").Bytes()
		if err != nil {
			return err
		}
		a.Show("the pipeline", []report.Figure{{Title: a.Text("provenance.figure", nil), Format: "svg", Data: svg,
			Alt: a.Text("provenance.figure.alt", nil), Caption: a.Text("provenance.figure.caption", nil)}}, nil)
	}
	if a.Run.Table != nil {
		a.parameters()
		if code := a.Run.Table.Meta["code"]; code != "" {
			lines := strings.Split(code, "\n")
			part := func(i int) func(string) string {
				return func(line string) string { return strings.SplitN(line+" ", " ", 3)[i] }
			}
			codes := slices.Compact(slices.Sorted(slices.Values(lists.Map(lines, part(1)))))
			a.Supplement(section.Lay(a.Writer, "provenance.code", values{"Whole": len(codes) < len(lines) &&
				len(codes) == 1},
				1, lines, section.Words("kind", part(0)), section.Words("code", part(1))))
		}
	}
	type row [5]string
	of := func(i int) func(row) string { return func(r row) string { return r[i] } }
	var rows []row
	together := false
	for _, p := range (&Report{}).Ports().In {
		ins := a.T.All(p.Name)
		if len(ins) > mostMembers {
			size, digest := ofMembers(ins)
			rows = append(rows, row{p.Name, words.Count(len(ins), "member"), ins[0].Ref.Format,
				fmt.Sprint(size), digest})
			together = true
			continue
		}
		for _, in := range ins {
			rows = append(rows, row{p.Name, wording.MemberText(in.Coords), in.Ref.Format, fmt.Sprint(in.Ref.Size),
				in.Ref.Digest.String()})
		}
	}
	if rows != nil {
		a.Supplement(section.Lay(a.Writer, "provenance.inputs", values{"Together": together,
			"Most": mostMembers}, 2, rows,
			section.Words("input", of(0)), section.Words("member", of(1)), section.Words("format", of(2)),
			section.Num("bytes", of(3)), section.Words("sha256", of(4))))
	}
	return nil
}

// parameters is the table of all parameters; an axis has its values in one row.
func (a *author) parameters() {
	type row struct {
		finding.Parameter
		values []string
		other  bool // than the default
	}
	var rows []row
	for _, p := range a.Run.Rows {
		if n := len(rows); n == 0 || rows[n-1].Stage != p.Stage || rows[n-1].Parameter.Parameter != p.Parameter {
			rows = append(rows, row{Parameter: p})
		}
		last := &rows[len(rows)-1]
		last.values = append(last.values, inForce(strings.Join(p.Value, ", "), p.Doc))
		last.other = last.other || !slices.Equal(p.Value, p.Default)
	}
	value := section.StrongIn(section.Words("value", func(r row) string { return strings.Join(r.values, "; ") }),
		func(r row) bool { return r.other })
	a.Supplement(section.Lay(a.Writer, "provenance.parameters", nil, 2, rows,
		section.Words("stage", func(r row) string { return r.Stage }),
		section.Words("kind", func(r row) string { return r.Kind }),
		section.Num("tasks", func(r row) string { return fmt.Sprint(r.Tasks) }),
		section.Words("parameter", func(r row) string { return r.Parameter.Parameter }), value,
		section.Words("default", func(r row) string { return inForce(strings.Join(r.Default, ", "), r.Doc) }),
		section.Words("unit", func(r row) string { return r.Unit })))
}

// mostMembers is how many members of an input have a row each.
const mostMembers = 1000

// ofMembers are the bytes of all members, and the SHA-256 of their SHA-256s, one a line.
func ofMembers(ins []dag.Input) (size int64, digest string) {
	all := sha256.New()
	for _, in := range ins {
		size += in.Ref.Size
		fmt.Fprintln(all, in.Ref.Digest.String())
	}
	return size, hex.EncodeToString(all.Sum(nil))
}
