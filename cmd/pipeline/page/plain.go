package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/version"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
	"prgnn/stages/report"
	"prgnn/stages/sheet"
)

// What a page shows of an output: more is in the export.
const (
	shownRows    = 20
	shownColumns = 12
	shownFigures = 12
	shownText    = 4000 // bytes
)

// Fits reports whether a kind of the program reports results of a graph; else WritePlain does.
func Fits(g *dag.Graph) bool {
	return Kind() != nil && (Stage(g) != nil || len(connections(g)) > 0)
}

// WritePlain writes a page of a pipeline of any field: of each stage its tables, figures and texts, then all
// parameters, and the digests of all results.
func WritePlain(ctx context.Context, a *console.Console, c *results.Current, path string, pdf bool) error {
	page, missing, err := plain(a, c)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.HTML(&b); err != nil {
		return err
	}
	return write(ctx, a, c, path, Report, b.Bytes(), pdf, missing, 0)
}

// A plainPage counts the tables and figures of a page.
type plainPage struct {
	*results.Current
	report.Page
	tables, figures int
}

func plain(a *console.Console, c *results.Current) (page *report.Page, missing []string, err error) {
	p := &plainPage{Current: c, Page: report.Page{Title: "Results of " + c.Pipeline.Graph.Name(), MadeBy: "prgnn"}}
	digests := report.Table{Heads: heads("result", "format", "bytes", "SHA-256"), Keys: 1, Supplement: true,
		Caption: "The results, by the digests of their bytes."}
	parameters := report.Table{Heads: heads("stage", "kind", "parameter", "value"), Keys: 3,
		Caption: "Parameters of the stages. Of several values, each task has one."}
	for _, s := range c.Pipeline.Graph.Stages() {
		if len(s.Tasks()) == 0 || s.Name() == "cohort" || s.Kind().Name == "pipeline" {
			continue
		}
		there, others := c.Shown(s.Tasks())
		missing = append(missing, results.IDs(others)...)
		parameters.Rows = append(parameters.Rows, parameterRows(s)...)
		for _, n := range there {
			for _, out := range c.Steps[n].Outputs {
				digests.Rows = append(digests.Rows, cells(n.ID()+"."+out.Name, out.Format, fmt.Sprint(out.Size),
					out.Digest.String()))
			}
		}
		if len(there) > 0 {
			if err := p.stage(s, there); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(p.Sections) == 0 {
		return nil, nil, errors.New("there is no result to report yet\n  " + c.RunAll(a) + " makes them")
	}
	p.Incomplete = c.Lacks(missing, nil, nil)
	last := report.Section{ID: "provenance", Title: "Provenance"}
	last.Blocks = append(last.Blocks, report.Block{Text: "Made by prgnn " + version.Number + "."})
	for _, note := range c.Pipeline.Notes {
		last.Blocks = append(last.Blocks, report.Block{Text: note})
	}
	last.Blocks = append(last.Blocks, p.table(parameters), p.table(digests))
	p.Sections = append(p.Sections, last)
	return &p.Page, missing, nil
}

// stage adds the section of a stage.
func (p *plainPage) stage(s *dag.StageNode, tasks []*dag.Node) error {
	about, _, _ := strings.Cut(strings.TrimSpace(s.Kind().Doc), "\n")
	section := report.Section{ID: fmt.Sprintf("stage-%d", len(p.Sections)+1), Title: s.Name()}
	section.Blocks = append(section.Blocks, report.Block{Note: fmt.Sprintf("%s: %s (%s)", s.Kind().Name, about,
		words.Count(len(tasks), "task"))})
	for _, port := range tasks[0].Instance().Ports().Out {
		block, err := p.output(s, tasks, port)
		if err != nil {
			return err
		}
		section.Blocks = append(section.Blocks, block...)
	}
	p.Sections = append(p.Sections, section)
	return nil
}

// output are the blocks of an output, of the first tasks until there is enough.
func (p *plainPage) output(s *dag.StageNode, tasks []*dag.Node, port dag.Port) (blocks []report.Block, err error) {
	t := report.Table{Caption: s.Name() + "." + port.Name}
	if port.Doc != "" {
		t.Caption += ": " + port.Doc
	}
	rows, columns, figures, texts := 0, 0, 0, 0
	others := map[string]int{} // results by their format, which a page does not show
	for i, n := range tasks {
		ref := p.Ref(n, port.Name)
		name := n.ID() + "." + port.Name
		switch ref.Format {
		case "arrow", "tsv", "csv":
			got, err := p.Read(n, port)
			if err != nil {
				return nil, err
			}
			in, wide := fill(&t, n, got, name)
			if rows, columns = rows+in, max(columns, wide); wide == 0 { // a header alone, or no table at all
				others[ref.Format]++
			}
		case "svg", "png":
			if i >= shownFigures {
				figures++
				continue
			}
			b, err := differ.ReadBlob(p.Store, ref)
			if err != nil {
				return nil, err
			}
			p.figures++
			blocks = append(blocks, report.Block{Figure: &report.Figure{Number: fmt.Sprint(p.figures), Title: name,
				Alt: name, Caption: port.Doc, Format: ref.Format, Data: b}})
		case "text", "json", "markdown", "log":
			if i >= shownRows || ref.Size > shownText {
				texts++
				continue
			}
			b, err := differ.ReadBlob(p.Store, ref)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, report.Block{Note: name},
				report.Block{Lines: strings.ToValidUTF8(string(b), "�")})
		default:
			others[ref.Format]++
		}
	}
	if len(t.Heads) > 0 {
		switch {
		case rows == 0:
			t.Note = "No rows."
		case rows > len(t.Rows):
			t.Note = fmt.Sprintf("The first %d of %d rows; pipeline export writes all.", len(t.Rows), rows)
		}
		if columns > shownColumns {
			t.Note = strings.TrimSpace(t.Note + fmt.Sprintf(" The first %d of %d columns.", shownColumns, columns))
		}
		blocks = append(blocks, p.table(t))
	}
	var left []string
	for what, n := range map[string]int{"figure": figures, "text": texts} {
		if n > 0 {
			left = append(left, words.Count(n, "further "+what))
		}
	}
	for format, n := range others {
		left = append(left, fmt.Sprintf("%s of the format %s", words.Count(n, "result"), format))
	}
	if slices.Sort(left); left != nil {
		blocks = append(blocks, report.Block{Note: fmt.Sprintf("Not shown of %s.%s: %s; pipeline export writes them.", s.Name(),
			port.Name, strings.Join(left, ", "))})
	}
	return blocks, nil
}

// table is a table with its number.
func (p *plainPage) table(t report.Table) report.Block {
	if t.Supplement { // the one of all results
		t.Number = "S1"
	} else {
		p.tables++
		t.Number = fmt.Sprint(p.tables)
	}
	return report.Block{Table: &t}
}

// fill adds the rows of one task, with the coordinates that are no columns in front, as long as there is room and the
// columns are those of the first task. It returns how many rows and columns the task has.
func fill(t *report.Table, n *dag.Node, got results.Content, name string) (int, int) {
	columns, rows, number := texts(got, name)
	if len(columns) == 0 {
		return 0, 0
	}
	isColumn := func(c dag.Coord) bool { return slices.Contains(columns, c.Axis) }
	coords := slices.DeleteFunc(slices.Clone(n.Coords()), isColumn)
	front := lists.Map(coords, func(c dag.Coord) string { return c.Axis })
	shown := min(len(columns), shownColumns)
	names := append(front, columns[:shown]...)
	if t.Heads == nil {
		t.Heads, t.Keys = heads(names...), len(front)
		for i := range t.Heads[len(front):] {
			t.Heads[len(front)+i].Number = number[i]
		}
	}
	if !slices.Equal(lists.Map(t.Heads, func(h report.Head) string { return h.Text }), names) {
		return len(rows), len(columns)
	}
	for _, row := range rows[:min(len(rows), max(shownRows-len(t.Rows), 0))] {
		at := lists.Map(coords, func(c dag.Coord) string { return c.Value })
		t.Rows = append(t.Rows, cells(append(at, row[:shown]...)...))
	}
	return len(rows), len(columns)
}

// texts are the columns of a table, its first rows as texts (nil for those that are not shown), and which columns are
// numbers. What is no table has no columns.
func texts(got results.Content, name string) (columns []string, rows [][]string, number []bool) {
	if got.Table == nil {
		s, err := sheet.Read(strings.NewReader(got.Text), name)
		if err != nil { // a command may write anything under this name
			return nil, nil, nil
		}
		return s.Columns, s.Rows, make([]bool, len(s.Columns))
	}
	for i := range got.Table.Columns {
		c := &got.Table.Columns[i]
		columns = append(columns, c.Name)
		_, text := c.Values.([]string)
		number = append(number, !text && !c.IsArrow())
	}
	rows = make([][]string, got.Table.Rows())
	for i := range rows[:min(len(rows), shownRows)] {
		rows[i] = lists.Map(got.Table.Columns, func(c encoding.Column) string {
			if !c.Has(i) {
				return ""
			}
			return c.Text(i)
		})
	}
	return columns, rows, number
}

// parameterRows has a row for each parameter of a stage; of tasks with different values, all of them.
func parameterRows(s *dag.StageNode) (rows [][]report.Cell) {
	for i, p := range param.Of(s.Tasks()[0].Instance()) {
		var values []string
		for _, n := range s.Tasks() {
			if v := fmt.Sprint(param.Of(n.Instance())[i].Default); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		rows = append(rows, cells(s.Name(), s.Kind().Name, p.Name, words.Some(values, 6)))
	}
	return rows
}

func heads(names ...string) []report.Head {
	return lists.Map(names, func(name string) report.Head { return report.Head{Text: name} })
}

func cells(texts ...string) []report.Cell {
	return lists.Map(texts, func(text string) report.Cell { return report.Cell{Text: text} })
}
