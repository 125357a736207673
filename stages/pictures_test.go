package stages

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

// Places in MNI space lie in the outline of a brain, others in their own hull.
func TestBrainMapOutlines(t *testing.T) {
	nodes := studied.cohort(t, "nodes")["nodes"][0]
	table, err := nodes.Table()
	need.NoError(t, err)
	at, err := column.NodePlaces(table)
	if err != nil || !chart.Holds(at[0], at[1], at[2]) {
		t.Errorf("the node list of the Desikan-Killiany regions is not taken for one in MNI space: %v", err)
	}
	for i := range at[2] {
		at[2][i] += 150
	}
	if chart.Holds(at[0], at[1], at[2]) {
		t.Error("places beyond the head are taken for some in MNI space")
	}
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"7Networks_LH_Vis_1", "7Networks_RH_SomMot_2", "LH_Default_PFC_1"}, []string{"L Vis", "R SomMot", "L Default"}},
		{[]string{"10", "Left-Thalamus"}, []string{"", ""}},
	} {
		got, err := region.Blocks(stagetest.NodesOf(c.names...))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v %v, want %v", c.names, got, err, c.want)
		}
	}
	got, err := region.Blocks(studied.nodes(t))
	if err != nil || got[0] != "L cortex" || got[83] != "R cerebellum" {
		t.Errorf("%v %v", got, err)
	}
	midline := column.Table([]column.NodeRow{{Name: "Brain-Stem", Structure: "brainstem"},
		{Name: "Vermis", Hemisphere: "L"}})
	if got, err := region.Blocks(midline); err != nil || !slices.Equal(got, []string{"brainstem", "L"}) {
		t.Errorf("a region of no hemisphere, and one of no structure: %q %v", got, err)
	}
}

// Every picture is XML, whatever the names in its inputs are.
func TestPicturesOfHostileNamesAreXML(t *testing.T) {
	c := &chain{}
	drawn := 0
	for _, k := range dag.Kinds() {
		name := k.Name
		port := slices.IndexFunc(k.New().Ports().Out, func(p dag.Port) bool { return p.Type.Format == "svg" })
		if port < 0 {
			continue
		}
		e := c.example(t, name)
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
		d := xml.NewDecoder(strings.NewReader(stagetest.ExecOutput(t, out[k.New().Ports().Out[port].Name])))
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

// studied is the study whose pictures and pages are looked at, and wholePage its report: made once, and only read.
var (
	studied   = &chain{}
	wholePage []byte
)

// wholeReport is the report of a small cohort, with everything that a pipeline connects.
func wholeReport(t *testing.T) []byte {
	if wholePage != nil {
		return wholePage
	}
	c := studied
	in := map[string][]dag.Input{"settings": stagetest.ReportInputs("a", "b", "c")["settings"]}
	for port, from := range map[string]string{
		"participants": "cohort.participants", "nodes": "cohort.nodes",
		"evaluation": "evaluate.summary", "scores": "evaluate.scores",
		"ranking": "biomarkers.ranking", "individual": "biomarkers.individual", "recovery": "biomarkers.recovery",
		"training": "train.history[*]", "predictions": "train.predictions[*]", "distribution": "train.distribution[*]",
		"anatomy": "mean-volume.image", "coverage": "parcellate.coverage[*]", "parcels": "parcellate.parcels[*]",
		"cleaning": "denoise.quality[*]", "connectivity": "connectivity.quality[*]", "graphs": "graph.quality[*]",
		// What only some pipelines connect.
		"consistency": "biomarkers.consistency", "permutation": "permutation.test", "comparison": "compare.pairs",
		"fidelity": "fidelity.fidelity", "individuality": "individuality.shares", "table1": "tables.table1", "table2": "tables.table2",
	} {
		in[port] = c.source(t, from)
	}
	in["scans"] = c.scans(t)
	wholePage = stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"])
	return wholePage
}

// scans are the pages of all participants.
func (c *chain) scans(t *testing.T) (pages []dag.Input) {
	in := map[string][]dag.Input{}
	for port, from := range map[string]string{"before": "bootstrap.series", "after": "denoise.series",
		"volumes": "denoise.volumes", "quality": "denoise.quality", "matrix": "connectivity.pearson"} {
		in[port] = c.source(t, from+"[*]")
	}
	for i, subject := range c.Subjects {
		one := c.cohort(t, "nodes")
		for port, ins := range in {
			one[port] = ins[i : i+1]
		}
		picture := stagetest.MustRun(t, stagetest.Fresh("figure-qc"), one)["picture"]
		pages = append(pages, dag.InputOf(picture, dag.Coord{Axis: "subject", Value: subject.ID}))
	}
	return pages
}

// hostileTexts is a table with control characters and markup behind every text of it.
func hostileTexts(t *encoding.Table) *encoding.Table {
	again := *t
	again.Columns = slices.Clone(t.Columns)
	for i, c := range again.Columns {
		// looked up elsewhere
		known := slices.Contains([]string{"participant_id", "subject", "set"}, c.Name) || c.Name == "group" &&
			t.Meta["groups"] != ""
		if texts, ok := c.Values.([]string); ok && !known {
			texts = slices.Clone(texts)
			for j := range texts {
				if texts[j] != "" { // an empty text says that there is nothing, such as a reason
					texts[j] += "\x1b[31m\x00<&\"\ufffe"
				}
			}
			again.Columns[i].Values = texts
		}
	}
	return &again
}
