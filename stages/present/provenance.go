package present

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// inForce is the value of a parameter, with what a 0 stands for.
func inForce(value []string, zero string) string {
	if text := strings.Join(value, ", "); text != "0" || zero == "" {
		return text
	}
	return "0: " + zero
}

// provenance is the section of where the results come from: the parameters, the code
// identities, and the digests of the inputs of the page.
func (a *author) provenance() {
	if !a.Pictures {
		return // a text ends with the results
	}
	a.Put("provenance.how", nil)
	if a.T.Has("overview") {
		svg, err := a.T.In("overview").Bytes()
		a.Fail(err)
		a.Show([]report.Figure{{Title: a.Text("provenance.figure", nil), Format: "svg", Data: svg,
			Alt: a.Text("provenance.figure.alt", nil), Caption: a.Text("provenance.figure.caption", values{"Stages": len(a.Run.Stages)})}}, nil)
	}
	if a.Run.Table != nil {
		a.parameters()
		if codes := section.Meta[map[string]string](a.Writer, a.T.In("settings"), column.SettingCodes); codes != nil {
			rows := lists.Map(slices.Sorted(maps.Keys(codes)), func(kind string) codeRow {
				return codeRow{kind, codes[kind]}
			})
			whole := len(rows) > 1 && !slices.ContainsFunc(rows, func(r codeRow) bool { return r.Code != rows[0].Code })
			a.Supplement(section.Lay(a.Writer, "provenance.code", values{"Whole": whole}, rows, "kind | code"))
		}
	}
	type row struct {
		Input, Member, Format string
		Bytes                 int64
		SHA256                string
	}
	var rows []row
	together := false
	for _, p := range (&Report{}).Ports().In {
		ins := a.T.All(p.Name)
		if len(ins) > mostMembers {
			size, digest := ofMembers(ins)
			rows = append(rows, row{p.Name, words.Count(len(ins), "member"), ins[0].Ref.Format, size, digest})
			together = true
			continue
		}
		for _, in := range ins {
			rows = append(rows, row{p.Name, wording.MemberText(in.Coords), in.Ref.Format, in.Ref.Size,
				in.Ref.Digest.String()})
		}
	}
	if rows != nil {
		a.Supplement(section.Lay(a.Writer, "provenance.inputs", values{"Together": together, "Most": mostMembers}, rows,
			"input member | format bytes sha256"))
	}
}

// parameters is the table of all parameters; an axis has its values in one row.
func (a *author) parameters() {
	type row struct {
		Stage, Kind      string
		Tasks            int32
		Parameter, Value string
		Default, Unit    string
		other            bool // than the default
	}
	var rows []row
	for _, p := range a.Run.Rows {
		value := inForce(p.Value, p.Zero)
		if n := len(rows); n > 0 && rows[n-1].Stage == p.Stage && rows[n-1].Parameter == p.Parameter {
			rows[n-1].Value += "; " + value
		} else {
			rows = append(rows, row{p.Stage, p.Kind, p.Tasks, p.Parameter, value,
				inForce(p.Default, p.Zero), p.Unit, false})
		}
		last := &rows[len(rows)-1]
		last.other = last.other || !slices.Equal(p.Value, p.Default)
	}
	t := section.Lay(a.Writer, "provenance.parameters", nil, rows, "stage kind | tasks parameter value default unit")
	for i, r := range rows {
		t.Rows[i][4].Strong = r.other
	}
	a.Supplement(t)
}

// A codeRow is the code identity of a kind.
type codeRow struct{ Kind, Code string }

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
