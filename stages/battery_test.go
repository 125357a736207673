package stages

import (
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/need"
	"prgnn/stages/cohort"
	"prgnn/stages/cohort/simulate"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

var update = flag.Bool("update", false, "write the digests in testdata/battery anew")

// An example is a kind at work: a stage with small inputs.
type example struct {
	stage dag.Stage
	in    map[string][]dag.Input
}

// examples are those whose inputs no other kind makes. Those of all others stand in
// testdata/battery (see card). A kind with several models has further examples, KIND.MODEL.
var examples = map[string]func(*testing.T, *chain) example{
	"simulate":     func(t *testing.T, c *chain) example { return c.simulate(t) },
	"parcellate":   func(t *testing.T, c *chain) example { return c.first(t, "parcellate") },
	"bootstrap":    func(t *testing.T, c *chain) example { return c.first(t, "bootstrap") },
	"denoise":      func(t *testing.T, c *chain) example { return c.first(t, "denoise") },
	"join":         func(t *testing.T, c *chain) example { return c.join(t) },
	"sessions":     func(t *testing.T, c *chain) example { return c.sessions(t) },
	"connectivity": func(t *testing.T, c *chain) example { return c.first(t, "connectivity") },
	"graph":        func(t *testing.T, c *chain) example { return c.first(t, "graph") },
	"combat": func(t *testing.T, c *chain) example {
		return example{stagetest.Fresh("combat", "preserve", []any{"age", "sex"}), stagetest.SitedInputs(t)}
	},
	"harmonize": func(t *testing.T, c *chain) example {
		in := stagetest.SitedInputs(t)
		in["fitted"], in["matrices"] = []dag.Input{dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("combat"),
			stagetest.SitedInputs(t))["fitted"])}, in["matrices"][:1]
		delete(in, "folds")
		return example{stagetest.Fresh("harmonize", "subject", "sub-001"), in}
	},
	"deconfound": func(t *testing.T, c *chain) example {
		return example{stagetest.Fresh("deconfound", "covariates", []any{"age", "sex", "site"}),
			stagetest.SitedInputs(t)}
	},
	"confounds": func(t *testing.T, c *chain) example {
		return example{stagetest.Fresh("confounds", "covariates", []any{"age", "sex"}, "match", []any{"age"},
			"permutations", 99, "chains", 99, "resamples", 20), withPredictions(t, stagetest.SitedInputs(t))}
	},
	"reliability": func(t *testing.T, c *chain) example {
		in := stagetest.SitedInputs(t)
		delete(in, "folds")
		first := in["matrices"]
		in["matrices"] = nil
		for i, m := range first { // the second session has something of another participant
			own := need.Value(m.Array())(t)
			other := need.Value(first[(i+1)%len(first)].Array())(t).Float64s()
			v := slices.Clone(own.Float64s())
			for j := range v {
				v[j] = float64(0.75*v[j]) + float64(0.25*other[j])
			}
			for session, a := range []*encoding.Array{own, encoding.NewArray(v, own.Shape...)} {
				in["matrices"] = append(in["matrices"], dag.InputOf(a, slices.Concat(m.Coords,
					[]dag.Coord{{Axis: "session", Value: fmt.Sprint(session + 1)}})...))
			}
		}
		return example{stagetest.Fresh("reliability", "halves", 20, "permutations", 99), in}
	},
	"learning-curve": func(t *testing.T, c *chain) example {
		study := stagetest.NewCorrStudy(t, 40).Inputs()
		in := map[string][]dag.Input{}
		for fold := range 4 {
			out := stagetest.MustRun(t, stagetest.Fresh("baseline", "model", "ridge", "fold", fold+1, "orders", 5),
				study)
			in["parts"] = append(in["parts"], dag.InputOf(out["curve"],
				dag.Coord{Axis: "fold", Value: fmt.Sprint(fold + 1)}))
		}
		return example{stagetest.Fresh("learning-curve", "resamples", 100), in}
	},
	"subgroups": func(t *testing.T, c *chain) example {
		in := withPredictions(t, stagetest.SitedInputs(t))
		delete(in, "matrices")
		return example{stagetest.Fresh("subgroups", "columns", []any{"age", "sex", "site"}, "permutations", 99), in}
	},
	"subgroups-regression": func(t *testing.T, c *chain) example {
		study := stagetest.Numbered(t, stagetest.Ramp(40))
		folds := need.Value(study["folds"][0].Table())(t)
		ids := need.Value(folds.Strings("participant_id"))(t)
		people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "sex", Values: slices.Repeat([]string{"F", "M"}, 20)})
		in := map[string][]dag.Input{"participants": {dag.InputOf(people)}}
		for f := range int(slices.Max(need.Value(folds.Ints("fold"))(t))) {
			out := stagetest.MustRun(t, stagetest.Fresh("regression", "model", "ridge", "fold", f+1), study)
			in["predictions"] = append(in["predictions"], dag.InputOf(out["predictions"],
				dag.Coord{Axis: "model", Value: "ridge"}, dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}))
		}
		return example{stagetest.Fresh("subgroups-regression", "columns", []any{"sex"}, "permutations", 99), in}
	},
	"residualize": func(t *testing.T, c *chain) example {
		in := stagetest.SitedInputs(t)
		made := stagetest.MustRun(t, stagetest.Fresh("deconfound", "covariates", []any{"age", "sex"}), in)
		return example{stagetest.Fresh("residualize", "subject", "sub-001"), map[string][]dag.Input{
			"matrices": in["matrices"][:1], "fitted": {dag.InputOf(made["fitted"])},
			"design": {dag.InputOf(made["design"])}}}
	},
	"validate": func(t *testing.T, c *chain) example {
		in := stagetest.NewCorrStudy(t, 40).Inputs()
		out := stagetest.MustRun(t, stagetest.Quickly("logistic"), in)
		new := map[string][]dag.Input{"model": {dag.InputOf(out["file"])}, "participants": in["folds"]}
		rows := need.Value(column.Rows[fold.PredictionRow](out["predictions"].(*encoding.Table)))(t)
		for i, m := range in["pearson"] {
			if rows[2*i].Set == "test" {
				new["matrices"] = append(new["matrices"], m)
			}
		}
		return example{stagetest.Fresh("validate"), new}
	},
	"predict-regression": func(t *testing.T, c *chain) example {
		e := c.regression(t, "ridge", 1)
		file := stagetest.MustRun(t, e.stage, e.in)["file"]
		return example{stagetest.Fresh("predict-regression"), map[string][]dag.Input{"model": {dag.InputOf(file)},
			"matrices": e.in["pearson"]}}
	},
	"validate-regression": func(t *testing.T, c *chain) example {
		in := stagetest.Numbered(t, stagetest.Ramp(24))
		out := stagetest.MustRun(t, stagetest.Fresh("regression", "model", "ridge", "fold", 2), in)
		new := map[string][]dag.Input{"model": {dag.InputOf(out["file"])}, "participants": in["folds"]}
		tested := map[string]bool{}
		for _, r := range need.Value(column.Rows[fold.NumberRow](out["predictions"].(*encoding.Table)))(t) {
			tested[r.ID] = r.Set == "test"
		}
		for _, m := range in["pearson"] {
			if tested[m.Coord("subject")] {
				new["matrices"] = append(new["matrices"], m)
			}
		}
		return example{stagetest.Fresh("validate-regression"), new}
	},
	"train":    func(t *testing.T, c *chain) example { return c.train(t, 1) },
	"baseline": func(t *testing.T, c *chain) example { return c.baseline(t, "svm", 1) },
	"network.meanmlp": func(t *testing.T, c *chain) example {
		folds := stagetest.MustRun(t, stagetest.Fresh("split", "folds", 3), c.cohort(t, "participants"))["folds"]
		return example{stagetest.Fresh("network", "model", "meanmlp", "hidden", 8, "epochs", 3, "batch", 2,
			"validation", 2, "seed", 3),
			map[string][]dag.Input{"series": c.all(t, "denoise", "series"), "folds": {dag.InputOf(folds)}}}
	},
	"network.bnt": func(t *testing.T, c *chain) example {
		folds := stagetest.MustRun(t, stagetest.Fresh("split", "folds", 3), c.cohort(t, "participants"))["folds"]
		return example{stagetest.Fresh("network", "model", "bnt", "feed_forward", 8, "epochs", 3, "batch", 2,
			"clusters", 5, "seed", 3),
			map[string][]dag.Input{"pearson": c.all(t, "connectivity", "pearson"), "folds": {dag.InputOf(folds)}}}
	},
	"network": func(t *testing.T, c *chain) example {
		e := c.train(t, 1)
		e.stage = stagetest.Fresh("network", "model", "braingnn", "widths", []any{4, 4}, "hidden", 8, "epochs", 3,
			"batch", 4, "seed", 3)
		return e
	},
	"compare": func(t *testing.T, c *chain) example {
		return example{stagetest.Fresh("compare"), map[string][]dag.Input{"predictions": c.twoModels(t)}}
	},
	"choose": func(t *testing.T, c *chain) example {
		inner, outer := stagetest.ChosenInputs()
		return example{stagetest.Fresh("choose"), map[string][]dag.Input{"inner": inner, "outer": outer}}
	},
	"regression": func(t *testing.T, c *chain) example { return c.regression(t, "ridge", 1) },
	"train-regression": func(t *testing.T, c *chain) example {
		in := c.train(t, 1).in
		in["folds"] = c.regression(t, "ridge", 1).in["folds"]
		return example{stagetest.Fresh("train-regression", "epochs", 3, "batch", 4, "seed", 3), in}
	},
	"evaluate-regression": func(t *testing.T, c *chain) example {
		in := map[string][]dag.Input{"predictions": append(c.numbers(t, "mean", "model", "mean"),
			c.numbers(t, "ridge", "model", "ridge")...)}
		return example{stagetest.Fresh("evaluate-regression", "permutations", 99), in}
	},
	"permutation-regression": func(t *testing.T, c *chain) example {
		in := map[string][]dag.Input{"predictions": append(c.numbers(t, "ridge", "permutation", "0"),
			c.numbers(t, "mean", "permutation", "1")...)}
		return example{stagetest.Fresh("permutation-regression"), in}
	},
	"leakage":       func(t *testing.T, c *chain) example { return c.leakage(t) },
	"permutation":   func(t *testing.T, c *chain) example { return c.permutation(t) },
	"biomarkers":    func(t *testing.T, c *chain) example { return c.biomarkers(t) },
	"individuality": func(t *testing.T, c *chain) example { return c.individuality(t) },
	"multiverse": func(t *testing.T, _ *chain) example {
		return example{stagetest.Fresh("multiverse", "headline", []any{"model=a"}), stagetest.Multiverse()}
	},
	"tables": func(t *testing.T, c *chain) example {
		in := stagetest.ComparisonInputs()
		in["variations"], in["participants"] = []dag.Input{dag.InputOf(stagetest.PaperVariations())},
			c.cohort(t, "participants")["participants"]
		return example{stagetest.Fresh("tables"), in}
	},
	"figure-states": func(t *testing.T, c *chain) example {
		in := c.cohort(t, "participants", "nodes")
		windows, list := c.all(t, "windows", "windows"), c.all(t, "windows", "list")
		fitted := stagetest.MustRun(t, stagetest.Fresh("states", "states", 2, "starts", 3),
			map[string][]dag.Input{"windows": windows, "list": list})["fitted"]
		in["fitted"] = []dag.Input{dag.InputOf(fitted)}
		for i, quality := range c.all(t, "windows", "quality") {
			one := dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("occupancy"), map[string][]dag.Input{
				"windows": {windows[i]}, "list": {list[i]}, "quality": {quality}, "fitted": in["fitted"]})["measures"])
			one.Coords = windows[i].Coords
			in["measures"] = append(in["measures"], one)
		}
		return example{stagetest.Fresh("figure-states"), in}
	},
	// Of made-up inputs, so that the page does not change whenever a step does.
	"report": func(t *testing.T, _ *chain) example {
		return example{stagetest.Fresh("report"), stagetest.ReportInputs("sub-01", "ASD", "HC")}
	},
	"timeseries": func(t *testing.T, c *chain) example {
		return example{stagetest.Fresh("timeseries"), map[string][]dag.Input{
			"series": {dag.InputOf(artifacts.Bytes{Kind: "series", Data: []byte("b\ta\n1\t2\n3\t5\n4\t4\n")})},
			"nodes":  {dag.InputOf(stagetest.NodesOf("a", "b"))}}}
	},
	"matrices": func(t *testing.T, c *chain) example {
		relmat := artifacts.Bytes{Kind: "matrix", Data: []byte("Node\tb\ta\nb\t1\t0.5\na\t0.5\t1\n")}
		return example{stagetest.Fresh("matrices", "partial", "ridge"), map[string][]dag.Input{
			"pearson": {dag.InputOf(relmat)}, "nodes": {dag.InputOf(stagetest.NodesOf("a", "b"))}}}
	},
	"estimator": func(t *testing.T, c *chain) example {
		e := c.baseline(t, "svm", 1)
		e.in["code"] = []dag.Input{stagetest.FileInput(filepath.Join(cards, "estimator.py"))}
		delete(e.in, "permuted")
		delete(e.in, "quality")
		python := need.Value(exec.LookPath(need.Python(t, "numpy")))(t)
		e.stage = stagetest.Fresh("estimator", "python", python, "seed", 3)
		return e
	},
	"exec": func(t *testing.T, c *chain) example {
		need.Program(t, "dash", "sh")
		return example{
			stagetest.Fresh("exec", "command", []any{"sh", "-c", "cat {in} {in} > {out}; echo done"}, "inputs",
				[]any{"in=text"}, "outputs", []any{"out=text"}),
			map[string][]dag.Input{"in": {dag.InputOf(artifacts.Text("a\n"))}}}
	},
}

// withPredictions adds the predictions of ridge regression of three folds of the matrices.
func withPredictions(t *testing.T, in map[string][]dag.Input) map[string][]dag.Input {
	for fold := range 3 {
		in["predictions"] = append(in["predictions"], dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("baseline",
			"model", "ridge", "regions", "all", "fold", fold+1), map[string][]dag.Input{"pearson": in["matrices"],
			"folds": in["folds"]})["predictions"], dag.Coord{Axis: "fold", Value: fmt.Sprint(fold + 1)}))
	}
	return in
}

// TestBattery holds every kind to what all of them promise.
func TestBattery(t *testing.T) {
	complete := checkComplete(t)
	c := &chain{}
	for _, k := range dag.Kinds() {
		if !complete[k.Name] {
			continue
		}
		names := []string{k.Name}
		for _, name := range slices.Sorted(maps.Keys(examples)) {
			if strings.HasPrefix(name, k.Name+".") {
				names = append(names, name)
			}
		}
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				checkDocs(t, k)
				e := c.example(t, name)
				checkInputs(t, e)
				t.Parallel() // examples are made one after the other: they share what they are made from
				first := runThreads(t, e, 1)
				checkOutputs(t, e, first)
				again := runThreads(t, e, 1)
				many := runThreads(t, e, 8)
				digests := map[string]string{}
				for _, p := range e.stage.Ports().Out {
					b := stagetest.Encoded(t, first[p.Name])
					if string(stagetest.Encoded(t, again[p.Name])) != string(b) {
						t.Errorf("output %s: a second run gives other bytes", p.Name)
					}
					if string(stagetest.Encoded(t, many[p.Name])) != string(b) {
						t.Errorf("output %s: eight threads give other bytes than one", p.Name)
					}
					d := artifacts.DigestOf(b)
					digests[p.Name] = hex.EncodeToString(d[:8])
				}
				checkDigests(t, name, digests)
			})
		}
	}
}

// checkDocs looks at what a person reads of a kind, and at its defaults.
func checkDocs(t *testing.T, k *dag.Kind) {
	s := k.New()
	if strings.TrimSpace(k.Doc) == "" || strings.HasPrefix(k.Doc, "\n") {
		t.Error("the kind has no line of doc")
	}
	ports := s.Ports()
	if len(ports.Out) == 0 && k.Name != "exec" {
		t.Error("the kind has no output")
	}
	for _, list := range [][]dag.Port{ports.In, ports.Out} {
		seen := map[string]bool{}
		for _, p := range list {
			if p.Name == "" || p.Doc == "" || seen[p.Name] {
				t.Errorf("port %q has no doc, or no name, or comes twice", p.Name)
			}
			seen[p.Name] = true
		}
	}
	for _, p := range param.Of(s) {
		if p.Doc == "" {
			t.Errorf("parameter %s has no doc", p.Name)
		}
	}
	if a, b := param.Values(s), param.Values(k.New()); !slices.Equal(a, b) {
		t.Errorf("two fresh stages have other defaults: %v, %v", a, b)
	}
	if reflect.ValueOf(s).Pointer() == reflect.ValueOf(k.New()).Pointer() && reflect.TypeOf(s).Elem().Size() > 0 {
		t.Error("New gives the same stage twice")
	}
	if v, ok := s.(dag.Validator); ok && k.Name != "exec" &&
		k.Name != "network" { // these have no command, and no model, to begin with
		for _, err := range v.Validate() {
			t.Errorf("the defaults are refused: %v", err)
		}
	}
}

// checkInputs sees that an example is wired as the ports ask.
func checkInputs(t *testing.T, e example) {
	t.Helper()
	ports := map[string]dag.Port{}
	for _, p := range e.stage.Ports().In {
		ports[p.Name] = p
		if n := len(e.in[p.Name]); n == 0 && !p.Optional || n > 1 && !p.Gather {
			t.Errorf("the example gives %d inputs to port %s", n, p.Name)
		}
	}
	for name, ins := range e.in {
		p, ok := ports[name]
		if !ok {
			t.Errorf("the example gives an input to %q, which is no port", name)
			continue
		}
		for _, in := range ins {
			if p.Type.Format != "" && p.Type.Format != in.Ref.Format {
				t.Errorf("port %s takes %s, the example gives %s", name, p.Type.Format, in.Ref.Format)
			}
		}
	}
}

// runThreads runs an example in a task with n threads.
func runThreads(t *testing.T, e example, n int) dag.Outputs {
	t.Helper()
	task := dag.NewTask(e.in)
	task.Threads = n
	out, err := e.stage.Run(context.Background(), task)
	if err != nil {
		t.Fatalf("with %d threads: %v", n, err)
	}
	return out
}

// checkOutputs compares what came out with what the ports promise.
func checkOutputs(t *testing.T, e example, out dag.Outputs) {
	t.Helper()
	var promised []string
	for _, p := range e.stage.Ports().Out {
		promised = append(promised, p.Name)
		v, ok := out[p.Name]
		if !ok {
			t.Fatalf("output %s was not made", p.Name)
		}
		if p.Type.Format != "" && v.Format() != p.Type.Format {
			t.Errorf("output %s is %s, its port promises %s", p.Name, v.Format(), p.Type.Format)
		}
		switch v := v.(type) {
		case *encoding.Array:
			if p.Type.DType != "" && v.DType() != p.Type.DType || p.Type.Axes != nil &&
				len(v.Shape) != len(p.Type.Axes) {
				t.Errorf("output %s is %s %v, its port promises %s %v", p.Name, v.DType(), v.Shape, p.Type.DType, p.Type.Axes)
			}
		case *encoding.Table:
			for _, c := range p.Type.Columns {
				if _, ok := v.Column(c); !ok {
					t.Errorf("output %s has no column %s, which its port promises", p.Name, c)
				}
			}
		}
	}
	if got := slices.Sorted(maps.Keys(out)); !slices.Equal(got, slices.Sorted(slices.Values(promised))) {
		t.Errorf("outputs %v, the ports promise %v", got, promised)
	}
}

// A chain is a small simulated study, carried from stage to stage: the examples.
// Everything is made once, when it is first asked for.
type chain struct {
	*cohort.Roster
	stages  map[string]dag.Stage
	ins     map[string][]map[string][]dag.Input // kind → participant → port
	made    map[string][]dag.Outputs            // kind → participant
	models  []dag.Outputs                       // of two folds
	outputs map[string]dag.Outputs              // kind → of its example
}

// wires are the stages that run once a participant, in order, and what each takes.
var wires = []struct {
	kind string
	in   map[string]string
}{
	{"parcellate", map[string]string{"bold": "simulate.bold", "labels": "simulate.labels", "nodes": "cohort.nodes"}},
	{"bootstrap", map[string]string{"bold": "simulate.bold", "parcels": "parcellate.parcels", "nodes": "cohort.nodes",
		"sample": "parcellate.sample"}},
	{"denoise", map[string]string{"series": "bootstrap.series", "scan": "bootstrap.scan",
		"confounds": "simulate.confounds", "sampled": "bootstrap.sampled"}},
	{"connectivity", map[string]string{"series": "denoise.series", "quality": "denoise.quality"}},
	{"graph", map[string]string{"pearson": "connectivity.pearson", "partial": "connectivity.partial"}},
	{"windows", map[string]string{"series": "denoise.series", "quality": "denoise.quality",
		"volumes": "denoise.volumes"}},
}

func (c *chain) load(t *testing.T) {
	t.Helper()
	if c.Roster != nil {
		return
	}
	scanner := simulate.DefaultScanner()
	scanner.Grid, scanner.Volumes = 10, 100
	r, err := (&simulate.Cohort{ASD: 3, HC: 3, Seed: 3, Sites: 1, Scanner: scanner}).Load("")
	need.NoError(t, err)
	c.Roster = r
	c.stages, c.ins, c.made = map[string]dag.Stage{}, map[string][]map[string][]dag.Input{}, map[string][]dag.Outputs{}
	for _, w := range wires {
		c.stages[w.kind] = stagetest.Fresh(w.kind)
	}
	c.stages["bootstrap"] = stagetest.Fresh("bootstrap", "draws", 2, "seed", 3)
	c.stages["windows"] = stagetest.Fresh("windows", "width", 20)
	for _, subject := range c.Subjects {
		outputs := map[string]dag.Outputs{
			"cohort":   {"nodes": c.Nodes},
			"simulate": stagetest.MustRun(t, c.Make(subject.ID), nil),
		}
		for _, w := range wires {
			in := map[string][]dag.Input{}
			for port, from := range w.in {
				stage, output, _ := strings.Cut(from, ".")
				in[port] = []dag.Input{dag.InputOf(outputs[stage][output])}
			}
			outputs[w.kind] = stagetest.MustRun(t, c.stages[w.kind], in)
			c.ins[w.kind], c.made[w.kind] = append(c.ins[w.kind], in), append(c.made[w.kind], outputs[w.kind])
		}
	}
}

// simulate is the making of the first scan.
func (c *chain) simulate(t *testing.T) example {
	c.load(t)
	return example{c.Make(c.Subjects[0].ID), nil}
}

// first is a stage at work for the first participant.
func (c *chain) first(t *testing.T, kind string) example {
	c.load(t)
	return example{c.stages[kind], c.ins[kind][0]}
}

// all gathers an output over the participants.
func (c *chain) all(t *testing.T, kind, output string) []dag.Input {
	c.load(t)
	var ins []dag.Input
	for i, out := range c.made[kind] {
		ins = append(ins, dag.InputOf(out[output], dag.Coord{Axis: "subject", Value: c.Subjects[i].ID}))
	}
	return ins
}

// cohort gives what the cohort as a whole has.
func (c *chain) cohort(t *testing.T, ports ...string) map[string][]dag.Input {
	c.load(t)
	has := map[string]artifacts.Value{"nodes": c.Nodes, "participants": c.Participants, "truth": c.Extra["truth"]}
	in := map[string][]dag.Input{}
	for _, p := range ports {
		in[p] = []dag.Input{dag.InputOf(has[p])}
	}
	return in
}

// regression is a model of a number: of the participants' order.
func (c *chain) regression(t *testing.T, model string, fold int) example {
	in := c.cohort(t, "participants")
	number := make([]float64, c.Participants.Rows())
	for i := range number {
		number[i] = float64(10 + i*i)
	}
	people := *c.Participants
	people.Columns = append(slices.Clone(people.Columns), encoding.Column{Name: "target", Values: number})
	in["participants"] = []dag.Input{dag.InputOf(&people)}
	folds := stagetest.MustRun(t, stagetest.Fresh("split", "folds", 2, "label", "target"), in)["folds"]
	return example{stagetest.Fresh("regression", "model", model, "fold", fold), map[string][]dag.Input{
		"pearson": c.all(t, "connectivity", "pearson"), "folds": {dag.InputOf(folds)}}}
}

// numbers are predictions of both folds, with a coordinate.
func (c *chain) numbers(t *testing.T, model, axis, value string) (out []dag.Input) {
	for f := range 2 {
		e := c.regression(t, model, f+1)
		out = append(out, dag.InputOf(stagetest.MustRun(t, e.stage, e.in)["predictions"],
			dag.Coord{Axis: axis, Value: value}, dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}))
	}
	return out
}

// train is the training of one of two folds.
func (c *chain) train(t *testing.T, fold int) example {
	folds := stagetest.MustRun(t, stagetest.Fresh("split", "folds", 2), c.cohort(t, "participants"))["folds"]
	return example{stagetest.Fresh("train", "fold", fold, "epochs", 3, "batch", 4, "seed", 3), map[string][]dag.Input{
		"edges": c.all(t, "graph", "edges"), "features": c.all(t, "graph", "features"), "folds": {dag.InputOf(folds)}}}
}

// baseline is another classifier on one of the same folds.
func (c *chain) baseline(t *testing.T, model string, fold int) example {
	folds := stagetest.MustRun(t, stagetest.Fresh("split", "folds", 2), c.cohort(t, "participants"))["folds"]
	return example{stagetest.Fresh("baseline", "model", model, "fold", fold), map[string][]dag.Input{
		"pearson": c.all(t, "connectivity", "pearson"), "folds": {dag.InputOf(folds)}}}
}

// folds gathers an output of the trainings.
func (c *chain) folds(t *testing.T, output string) []dag.Input {
	for len(c.models) < 2 {
		e := c.train(t, len(c.models)+1)
		c.models = append(c.models, stagetest.MustRun(t, e.stage, e.in))
	}
	var ins []dag.Input
	for i, m := range c.models {
		ins = append(ins, dag.InputOf(m[output], dag.Coord{Axis: "fold", Value: fmt.Sprint(i + 1)}))
	}
	return ins
}

// twoModels are the predictions of the trainings, as if of two settings.
func (c *chain) twoModels(t *testing.T) []dag.Input {
	var ins []dag.Input
	for _, model := range []string{"one", "two"} {
		for _, in := range c.folds(t, "predictions") {
			in.Coords = append([]dag.Coord{{Axis: "model", Value: model}}, in.Coords...)
			ins = append(ins, in)
		}
	}
	return ins
}

// permutation is the test of two trainings, the second as if on permuted groups.
func (c *chain) permutation(t *testing.T) example {
	var ins []dag.Input
	for _, n := range []string{"0", "1"} {
		for _, in := range c.folds(t, "predictions") {
			in.Coords = append([]dag.Coord{{Axis: "permutation", Value: n}}, in.Coords...)
			ins = append(ins, in)
		}
	}
	return example{stagetest.Fresh("permutation"), map[string][]dag.Input{"predictions": ins}}
}

// individuality is of the trainings, as if of two settings.
func (c *chain) individuality(t *testing.T) example {
	var ins []dag.Input
	for _, lambda := range []string{"0.1-0", "0.1-0.5"} {
		for _, in := range c.folds(t, "scores") {
			in.Coords = append([]dag.Coord{{Axis: "lambda", Value: lambda}}, in.Coords...)
			ins = append(ins, in)
		}
	}
	in := c.cohort(t, "nodes", "participants")
	in["scores"] = ins
	return example{stagetest.Fresh("individuality"), in}
}

// leakage looks at both trainings.
func (c *chain) leakage(t *testing.T) example {
	return example{stagetest.Fresh("leakage"), map[string][]dag.Input{
		"folds": c.train(t, 1).in["folds"], "predictions": c.folds(t, "predictions"), "model": c.folds(t, "model"),
		"features": c.all(t, "graph", "features")}}
}

// sessions takes the matrices of two participants for two sessions of one.
func (c *chain) sessions(t *testing.T) example {
	in := map[string][]dag.Input{}
	for _, port := range []string{"pearson", "partial", "quality"} {
		in[port] = c.all(t, "connectivity", port)[:2]
		for i := range in[port] {
			in[port][i].Coords = []dag.Coord{{Axis: "subject", Value: "sub-1"},
				{Axis: "session", Value: fmt.Sprint(i + 1)}}
		}
	}
	return example{stagetest.Fresh("sessions"), in}
}

// join takes the scans of two participants for two runs of one.
func (c *chain) join(t *testing.T) example {
	in := map[string][]dag.Input{"series": c.all(t, "denoise", "series")[:2],
		"quality": c.all(t, "denoise", "quality")[:2], "coverage": c.all(t, "parcellate", "coverage")[:2],
		"volumes": c.all(t, "denoise", "volumes")[:2]}
	for _, ins := range in {
		for i := range ins {
			ins[i].Coords = []dag.Coord{{Axis: "subject", Value: "sub-1"}, {Axis: "run", Value: fmt.Sprint(i + 1)}}
		}
	}
	return example{stagetest.Fresh("join"), in}
}

// biomarkers is the ranking of the regions.
func (c *chain) biomarkers(t *testing.T) example {
	in := c.cohort(t, "nodes", "participants", "truth")
	in["scores"], in["features"] = c.folds(t, "scores"), c.all(t, "graph", "features")
	return example{stagetest.Fresh("biomarkers"), in}
}

// TestCohortBattery holds every cohort kind to what all of them promise.
func TestCohortBattery(t *testing.T) {
	for _, c := range cohort.Kinds() {
		t.Run(c.Name, func(t *testing.T) {
			if strings.TrimSpace(c.Doc) == "" {
				t.Error("the cohort has no line of doc")
			}
			for _, p := range param.Of(c.New()) {
				if p.Doc == "" {
					t.Errorf("parameter %s has no doc", p.Name)
				}
			}
			if a, b := param.Values(c.New()), param.Values(c.New()); !slices.Equal(a, b) {
				t.Errorf("two fresh cohorts have other defaults: %v, %v", a, b)
			}
		})
	}
}

// A permutation test of another network repeats split and training, and has the measures of evaluate.
func TestPermutationOfNetworks(t *testing.T) {
	c := &chain{}
	for kind, with := range map[string][]any{
		"network.meanmlp": {"model", "meanmlp", "hidden", 4, "epochs", 2, "batch", 2, "validation", 2},
		"network.bnt":     {"model", "bnt", "feed_forward", 4, "epochs", 2, "batch", 2, "clusters", 2},
		"network":         {"model", "braingnn", "widths", []any{4, 4}, "hidden", 4, "epochs", 2, "batch", 4},
	} {
		in := maps.Clone(c.example(t, kind).in)
		var all []dag.Input
		var auc, accuracy []float64
		for n := range 3 {
			folds := stagetest.MustRun(t, stagetest.Fresh("split", "folds", 3, "permutation", n),
				c.cohort(t, "participants"))["folds"]
			in["folds"] = []dag.Input{dag.InputOf(folds)}
			var of []dag.Input
			for f := range 3 {
				s := stagetest.Fresh("network", append([]any{"fold", f + 1}, with...)...)
				of = append(of, dag.InputOf(stagetest.MustRun(t, s, in)["predictions"],
					dag.Coord{Axis: "permutation", Value: fmt.Sprint(n)},
					dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}))
			}
			all = append(all, of...)
			summary := stagetest.MustRun(t, stagetest.Fresh("evaluate", "permutations", 99),
				map[string][]dag.Input{"predictions": of})["summary"]
			level := slices.Index(need.Value(summary.(*encoding.Table).Strings("level"))(t), "participant")
			auc = append(auc, stagetest.FloatsOf(t, summary, "auc")[level])
			accuracy = append(accuracy, stagetest.FloatsOf(t, summary, "accuracy")[level])
		}
		out := stagetest.MustRun(t, stagetest.Fresh("permutation"), map[string][]dag.Input{"predictions": all})
		need.Equal(t, fmt.Sprint(stagetest.FloatsOf(t, out["null"], "auc")), fmt.Sprint(auc), kind, "AUC")
		need.Equal(t, fmt.Sprint(stagetest.FloatsOf(t, out["null"], "accuracy")), fmt.Sprint(accuracy), kind,
			"accuracy")
		as := 1.
		for _, x := range accuracy[1:] {
			if x >= accuracy[0]-1e-9 {
				as++
			}
		}
		need.Equal(t, stagetest.FloatsOf(t, out["test"], "p")[0], as/3, kind, "p")
	}
}
