package netio

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strconv"

	"prgnn/internal/markup"
)

// WriteGraphML writes an undirected graph. Nodes are n1 … nN and have the attributes
// index, id, name, abbreviation, hemisphere, structure, x, y, z (mm), color, degree and
// score as far as they are known; edges have weight. The format: graphml.graphdrawing.org.
func (g *Graph) WriteGraphML(w io.Writer) error {
	if err := g.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(xml.Header + `<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">` + "\n")
	for _, k := range attributes {
		b.WriteString(`  <key id="` + k.name + `" for="node" attr.name="` + k.name + `" attr.type="` + k.kind + `"/>` + "\n")
	}
	b.WriteString(`  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>` + "\n")
	b.WriteString(`  <graph id="` + markup.Text(g.Name) + `" edgedefault="undirected">` + "\n")
	degree := g.degrees()
	for i, n := range g.Nodes {
		b.WriteString(`    <node id="n` + strconv.Itoa(i+1) + `">`)
		for _, k := range attributes {
			if v := k.of(n, i, degree[i]); v != "" {
				b.WriteString(`<data key="` + k.name + `">` + markup.Text(v) + `</data>`)
			}
		}
		b.WriteString("</node>\n")
	}
	for _, e := range g.Edges {
		b.WriteString(`    <edge source="n` + strconv.Itoa(e.Source+1) + `" target="n` + strconv.Itoa(e.Target+1) +
			`"><data key="weight">` + number(e.Weight) + "</data></edge>\n")
	}
	b.WriteString("  </graph>\n</graphml>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// attributes of a node: how each is called, its type in GraphML, and its value, empty
// where it is not known.
var attributes = []struct {
	name, kind string
	of         func(n Node, at, degree int) string
}{
	{"index", "int", func(_ Node, at, _ int) string { return strconv.Itoa(at + 1) }},
	{"id", "int", func(n Node, _, _ int) string { return strconv.Itoa(n.ID) }},
	{"name", "string", func(n Node, _, _ int) string { return n.Name }},
	{"abbreviation", "string", func(n Node, _, _ int) string { return n.Abbreviation }},
	{"hemisphere", "string", func(n Node, _, _ int) string { return n.Hemisphere }},
	{"structure", "string", func(n Node, _, _ int) string { return n.Structure }},
	{"x", "double", func(n Node, _, _ int) string { return known(n.X) }},
	{"y", "double", func(n Node, _, _ int) string { return known(n.Y) }},
	{"z", "double", func(n Node, _, _ int) string { return known(n.Z) }},
	{"color", "string", func(n Node, _, _ int) string { return n.Color }},
	{"degree", "int", func(_ Node, _, degree int) string { return strconv.Itoa(degree) }},
	{"score", "double", func(n Node, _, _ int) string { return known(n.Score) }},
}

func known(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return number(x)
}
