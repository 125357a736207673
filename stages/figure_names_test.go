package stages

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
)

// Every picture is XML, whatever the names in its inputs are.
func TestPicturesOfHostileNamesAreXML(t *testing.T) {
	c := &chain{}
	drawn := 0
	for name, begin := range examples {
		k, _ := Lookup(name)
		port := slices.IndexFunc(k.New().Ports().Out, func(p dag.Port) bool { return p.Type.Format == "svg" })
		if port < 0 {
			continue
		}
		e := begin(t, c)
		for port, ins := range e.in {
			for i, in := range ins {
				if table, err := in.Table(); err == nil {
					e.in[port][i] = dag.InputOf(hostileTexts(table), in.Coords...)
				}
			}
		}
		out, err := e.stage.Run(context.Background(), dag.NewTask(e.in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		drawn++
		d := xml.NewDecoder(strings.NewReader(execOutput(t, out[k.New().Ports().Out[port].Name])))
		for err == nil {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if drawn == 0 {
		t.Error("no picture was drawn")
	}
}

// hostileTexts is a table with control characters and markup behind every text of it.
func hostileTexts(t *artifacts.Table) *artifacts.Table {
	again := *t
	again.Columns = slices.Clone(t.Columns)
	for i, c := range again.Columns {
		known := slices.Contains([]string{"participant_id", "subject", "set"}, c.Name) || c.Name == "group" && t.Meta["groups"] != "" // looked up elsewhere
		if texts, ok := c.Values.([]string); ok && !known {
			texts = slices.Clone(texts)
			for j := range texts {
				texts[j] += "\x1b[31m\x00<&\"\ufffe"
			}
			again.Columns[i].Values = texts
		}
	}
	return &again
}
