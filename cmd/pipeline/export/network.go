package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/netio"
)

// graph is the graph of the draw that is asked for; without edges when the table has
// none but scores.
func (m *Member) graph() (*netio.Graph, error) {
	g := &netio.Graph{}
	if err := m.regions(g); err != nil {
		return nil, err
	}
	if !isEdges(m.Port.Type) {
		return g, m.scores(g)
	}
	rows, err := column.Rows[struct {
		Draw   *int32  `column:"draw,optional"` // nil in edges of one graph
		Source int32   `column:"source"`
		Target int32   `column:"target"`
		Weight float64 `column:"weight"`
	}](m.Table)
	if err != nil {
		return nil, err
	}
	var draws []int
	for _, r := range rows {
		if r.Draw != nil {
			draws = append(draws, int(*r.Draw))
		}
		if r.Draw == nil || int(*r.Draw) == m.draw {
			g.Edges = append(g.Edges, netio.Edge{Source: int(r.Source) - 1, Target: int(r.Target) - 1,
				Weight: r.Weight})
		}
	}
	if len(draws) > 0 && !slices.Contains(draws, m.draw) {
		return nil, exit.Wrongf("--draw %d: available are draws %d to %d", m.draw, slices.Min(draws), slices.Max(draws))
	}
	return g, nil
}

// regions fills in the nodes from the node list.
func (m *Member) regions(g *netio.Graph) error {
	regions, err := m.Regions()
	for _, r := range regions {
		g.Nodes = append(g.Nodes, netio.Node{Name: r.Name, Abbreviation: r.Abbreviation, Hemisphere: r.Hemisphere,
			Structure: r.Structure, X: r.X, Y: r.Y, Z: r.Z, Score: math.NaN()})
	}
	return err
}

// scores gives the nodes their score of a table that has one row a region.
func (m *Member) scores(g *netio.Graph) error {
	maps, err := m.Maps()
	if err != nil {
		return err
	}
	if len(maps) != 1 {
		return exit.Wrongf("it has %d rankings (%s …), but this format holds one: export its table and select one, or use pscalar", len(maps), maps[0].Name)
	}
	for i := range g.Nodes {
		g.Nodes[i].Score = maps[0].Values[i]
	}
	return nil
}

func (m *Member) brainNetNode(w io.Writer) error {
	g, err := m.graph()
	if err != nil {
		return err
	}
	return g.WriteNode(w)
}

func (m *Member) brainNetEdge(w io.Writer) error {
	if m.Array != nil {
		v, cols, err := m.Matrix()
		if err != nil {
			return err
		}
		return netio.WriteMatrix(w, v, cols)
	}
	g, err := m.graph()
	if err != nil {
		return err
	}
	return g.WriteEdge(w)
}

// relmat writes a matrix as XCP-D does: a first column Node, then a column a region.
func (m *Member) relmat(w io.Writer) error {
	v, names, err := m.named()
	if err != nil {
		return err
	}
	return writeNamed(w, "Node", names, names, v)
}

// timeseries writes series as XCP-D does: a column a region, a row a volume.
func (m *Member) timeseries(w io.Writer) error {
	v, names, err := m.named()
	if err != nil {
		return err
	}
	return writeNamed(w, "", nil, names, v)
}

// named is the matrix that is asked for, with the names of the regions that are its columns.
func (m *Member) named() (v []float64, names []string, err error) {
	v, cols, err := m.Matrix()
	if err != nil {
		return nil, nil, err
	}
	names, err = m.Names(cols)
	return v, names, err
}

// writeNamed writes a TSV of BIDS: names above the columns; and, when there are names of
// rows, a first column of them, headed corner. A missing number is n/a.
func writeNamed(w io.Writer, corner string, rows, columns []string, v []float64) error {
	b := bufio.NewWriter(w)
	if rows != nil {
		b.WriteString(corner + "\t")
	}
	for j, name := range columns {
		if j > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(tabless(name))
	}
	b.WriteByte('\n')
	for i := 0; len(v) >= len(columns) && len(columns) > 0; i, v = i+1, v[len(columns):] {
		if rows != nil {
			b.WriteString(tabless(rows[i]) + "\t")
		}
		for j, x := range v[:len(columns)] {
			if j > 0 {
				b.WriteByte('\t')
			}
			if math.IsNaN(x) || math.IsInf(x, 0) {
				b.WriteString("n/a")
			} else {
				b.Write(strconv.AppendFloat(nil, x, 'g', -1, 64))
			}
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// tabless is a name that breaks no line and no column.
func tabless(s string) string {
	return words.Plain(cmp.Or(strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(s), "n/a"))
}

// A RegionMap is a value for every region.
type RegionMap struct {
	Name   string
	Values []float64
}

// Maps reads a table with a column index and one that --column names (score, else value), a map
// for each combination of the columns before rank and index.
func (m *Member) Maps() ([]RegionMap, error) {
	nodes, err := m.Nodes()
	if err != nil {
		return nil, err
	}
	rows, err := column.Rows[struct {
		Index int32 `column:"index"`
	}](m.Table)
	if err != nil {
		return nil, err
	}
	of := m.Column
	if of == "" {
		of = "score"
		if _, ok := m.Table.Column(of); !ok {
			of = "value"
		}
	}
	value, err := m.Table.Floats(of)
	switch {
	case err != nil && m.Column == "":
		return nil, exit.Wrongf("no column holds the number of a region to write (score or value): choose one with --column (%s)",
			strings.Join(columnNames(m.Table), ", "))
	case err != nil:
		return nil, exit.Wrongf("--column: %w", err)
	}
	var keys [][]string
	var heads []string
	for i := range m.Table.Columns {
		c := &m.Table.Columns[i]
		if c.Name == "rank" || c.Name == "index" {
			break
		}
		v, err := m.Table.Strings(c.Name)
		if err != nil {
			return nil, err
		}
		keys, heads = append(keys, v), append(heads, c.Name)
	}
	var maps []RegionMap
	for i, r := range rows {
		name := ""
		for k, v := range keys {
			if v[i] != "" { // the only setting has no name
				name += heads[k] + " " + v[i] + ", "
			}
		}
		name += of
		at := slices.IndexFunc(maps, func(r RegionMap) bool { return r.Name == name })
		if at < 0 {
			at, maps = len(maps), append(maps, RegionMap{name, slices.Repeat([]float64{math.NaN()}, nodes.Rows())})
		}
		if r.Index < 1 || int(r.Index) > nodes.Rows() {
			return nil, fmt.Errorf("row %d has the node %d of %d", i+1, r.Index, nodes.Rows())
		}
		maps[at].Values[r.Index-1] = value[i]
	}
	if maps == nil {
		return nil, exit.Wrongf("the table has no rows")
	}
	return maps, nil
}
