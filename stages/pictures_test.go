package stages

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/figure"
	"prgnn/stages/stagetest"
)

// Places in MNI space lie in the outline of a brain, others in their own hull.
func TestBrainMapOutlines(t *testing.T) {
	nodes := (&chain{}).cohort(t, "nodes")["nodes"][0]
	table, err := nodes.Table()
	if err != nil {
		t.Fatal(err)
	}
	at, err := figure.NodePlaces(table)
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

func TestRegionBlocks(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"7Networks_LH_Vis_1", "7Networks_RH_SomMot_2", "LH_Default_PFC_1"}, []string{"L Vis", "R SomMot", "L Default"}},
		{[]string{"10", "Left-Thalamus"}, []string{"", ""}},
	} {
		got, err := figure.RegionBlocks(stagetest.NodesOf(c.names...))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v %v, want %v", c.names, got, err, c.want)
		}
	}
	got, err := figure.RegionBlocks((&chain{}).nodes(t))
	if err != nil || got[0] != "L cortex" || got[83] != "R cerebellum" {
		t.Errorf("%v %v", got, err)
	}
}

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
					e.in[port][i] = dag.InputOf(stagetest.HostileTexts(table), in.Coords...)
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

// wholeReport is the report of a small cohort, with everything that a pipeline connects.
func wholeReport(t *testing.T) []byte {
	c := &chain{}
	evaluate := example{stagetest.Fresh("evaluate"), map[string][]dag.Input{"predictions": c.folds(t, "predictions")}}
	in := c.cohort(t, "participants", "nodes")
	in["evaluation"], in["scores"] = output(t, evaluate, "summary"), output(t, evaluate, "scores")
	for _, port := range []string{"ranking", "individual", "recovery"} {
		in[port] = output(t, c.biomarkers(t), port)
	}
	in["training"], in["predictions"], in["distribution"] = c.folds(t, "history"), c.folds(t, "predictions"), c.folds(t, "distribution")
	in["anatomy"] = output(t, example{stagetest.Fresh("mean-volume"), map[string][]dag.Input{"bold": c.first(t, "parcellate").in["bold"]}}, "image")
	in["coverage"], in["parcels"] = c.all(t, "parcellate", "coverage"), c.all(t, "parcellate", "parcels")
	in["cleaning"], in["connectivity"] = c.all(t, "denoise", "quality"), c.all(t, "connectivity", "quality")
	in["graphs"], in["settings"] = c.all(t, "graph", "quality"), stagetest.ReportInputs("a", "b", "c")["settings"]
	// What only some pipelines connect.
	in["consistency"] = output(t, c.biomarkers(t), "consistency")
	in["permutation"] = output(t, c.permutation(t), "test")
	in["comparison"] = output(t, example{stagetest.Fresh("compare"), map[string][]dag.Input{"predictions": c.twoModels(t)}}, "pairs")
	for kind, ports := range map[string]map[string]string{"fidelity": {"fidelity": "fidelity"}, "individuality": {"individuality": "shares"}, "tables": {"table1": "table1", "table2": "table2"}} {
		for port, from := range ports {
			in[port] = output(t, examples[kind](t, c), from)
		}
	}
	return stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"])
}
