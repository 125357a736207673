package learn

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/stagetest"
)

// The predict stage, given what a training stored and the same graphs, says what the
// training said of them.
func TestPredictAgreesWithTrain(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 3, 9, 1)
	for _, change := range []func(*Train){
		func(s *Train) {},
		func(s *Train) { s.Precision = "float64" },
		func(s *Train) {
			s.ModelParams, s.TrainingParams = modelOf("authors-code"), trainingOf("authors-code")
			s.Epochs = 3
		},
		func(s *Train) { s.Standardize, s.Pool = "training", "sage" },
	} {
		s := trainer(2)
		s.Epochs = 3
		change(s)
		out := stagetest.MustRun(t, s, in)
		told := stagetest.MustRun(t, &Predict{}, map[string][]dag.Input{
			"model": {dag.InputOf(out["model"])},
			"edges": in["edges"], "features": in["features"]})
		want, _ := out["predictions"].(*encoding.Table).Floats("p_HC")
		got := need.Value(told["predictions"].(*encoding.Table).Floats("p_HC"))(t)
		if !slices.Equal(got, want) {
			t.Errorf("%s, %s: other probabilities than in training", s.Variant, s.Precision)
		}
		a, _ := out["scores"].(*encoding.Table).Floats("score")
		b, _ := told["scores"].(*encoding.Table).Floats("score")
		if !slices.Equal(a, b) {
			t.Errorf("%s, %s: other scores than in training", s.Variant, s.Precision)
		}
		// Those who were tested in fold 2 are new to the model.
		side, _ := out["predictions"].(*encoding.Table).Strings("set")
		known, _ := told["participants"].(*encoding.Table).Ints("trained")
		for i, k := range known {
			if (k == 1) != (side[2*i] == "train") {
				t.Errorf("participant %d: known to %d models, and on the side %s", i+1, k, side[2*i])
			}
		}
	}
}

// Several models: the mean of their probabilities decides.
func TestPredictAverages(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 3, 9, 1)
	var models []dag.Input
	for fold := 1; fold <= 2; fold++ {
		s := trainer(fold)
		s.Epochs = 2
		out := stagetest.MustRun(t, s, in)
		c := dag.Coord{Axis: "fold", Value: fmt.Sprint(fold)}
		models = append(models, dag.InputOf(out["model"], c))
	}
	out := stagetest.MustRun(t, &Predict{}, map[string][]dag.Input{"model": models, "edges": in["edges"][:1],
		"features": in["features"][:1]})
	each, _ := out["predictions"].(*encoding.Table).Floats("p_ASD")
	mean, _ := out["participants"].(*encoding.Table).Floats("p_ASD")
	sum := 0.0
	for _, p := range each {
		sum += p
	}
	if len(each) != 4 || len(mean) != 1 || math.Abs(mean[0]-sum/4) > 1e-15 {
		t.Errorf("mean %v of %v", mean, each)
	}
}

// A model that is connected twice would count twice: as it was stored, and exported or packed again.
func TestPredictRefusesAModelTwice(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 3, 9, 1)
	s := trainer(1)
	s.Epochs = 1
	stored := stagetest.MustRun(t, s, in)["model"].(artifacts.Bytes)
	exported := artifacts.Bytes{Kind: "npz", Data: need.Value(modelfile.WithOrigin(stored.Data,
		modelfile.Origin{Kind: "train"}, modelfile.Study{}))(t)}
	name := func(name string, v artifacts.Value) dag.Input {
		of := dag.InputOf(v)
		of.Name = name
		return of
	}
	for _, again := range []artifacts.Value{stored, exported} {
		_, err := stagetest.RunStage(t, &Predict{}, map[string][]dag.Input{
			"model": {name("a.npz", stored), name("b.npz", again)},
			"edges": in["edges"][:1], "features": in["features"][:1]})
		need.Error(t, err, "b.npz: it is the same model as a.npz, and would count twice in the mean: connect each model once")
	}
}

// Who was in the training is found by id and by the graph of draw 0, and predictions from zeros are a finding.
func TestPredictFindings(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 3, 9, 1)
	made := func(edges []dag.Input) (all []dag.Input) {
		for _, e := range edges {
			table := *need.Value(e.Table())(t)
			table.Meta = map[string]string{"made": `{"graph.density":0.1}`}
			all = append(all, dag.InputOf(&table, e.Coords...))
		}
		return all
	}
	s := trainer(2)
	s.Epochs = 1
	unknown := dag.InputOf(stagetest.MustRun(t, s, in)["model"]) // how its graphs were made
	plain := in["edges"]
	in["edges"] = made(plain)
	model := dag.InputOf(stagetest.MustRun(t, s, in)["model"])
	sides := need.Value(s.Divide(in["folds"][0]))(t).Side
	var taught, tested int // places
	for i, f := range in["features"] {
		if sides[f.Coord("subject")] == 0 {
			taught = i
		} else {
			tested = i
		}
	}
	as := func(in dag.Input, id string) dag.Input {
		in.Coords = []dag.Coord{{Axis: "subject", Value: id}}
		return in
	}
	trained := in["features"][taught].Coord("subject")
	for _, c := range []struct {
		at             int
		id             string
		model          dag.Input
		edges          []dag.Input
		want, sameData string
		known          int32
	}{
		{tested, "sub-900", model, in["edges"], "", "", 0},
		{tested, trained, model, in["edges"], "applied.equal-id", "", 0}, // of another person, or another scan
		{tested, trained, unknown, plain, "applied.trained", "", 1},      // or the same scan, made in another way
		{taught, trained, model, in["edges"], "applied.trained", "", 1},
		{taught, "sub-900", model, in["edges"], "applied.same-data", "number 16 of a value in memory", 0},
	} {
		out := stagetest.MustRun(t, &Predict{}, map[string][]dag.Input{"model": {c.model},
			"edges": {as(c.edges[c.at], c.id)}, "features": {as(in["features"][c.at], c.id)}})
		who := out["participants"].(*encoding.Table)
		need.Equal(t, stagetest.Codes(t, who), strings.TrimSpace(c.want+" applied.unnamed"), c) // no list of nodes
		need.Equal(t, need.Value(who.Strings("same_data"))(t)[0], c.sameData, c)
		need.Equal(t, int32(need.Value(who.Ints("trained"))(t)[0]), c.known, c)
		applied := need.Value(finding.ReadApplied(who))(t)
		need.Equal(t, [3]int{applied.Models, applied.Least, applied.Trained}, [3]int{1, 16, 16})
	}
}

func TestPredictRefuses(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 3, 9, 1)
	s := trainer(2)
	s.Epochs = 1
	out := stagetest.MustRun(t, s, in)
	small := stagetest.PlantedGraphs(1, 3, 8, 0)
	loud := stagetest.PlantedGraphs(1, 3, 9, 100)
	for _, f := range loud["features"] {
		a, _ := f.Array()
		v := slices.Clone(a.Float64s())
		v[100] = 1e3
		loud["features"] = []dag.Input{dag.InputOf(encoding.NewArray(v, a.Shape...), f.Coords...)}
	}
	few := stagetest.PlantedGraphs(1, 3, 9, 0)
	e, _ := few["edges"][0].Table()
	var cols []encoding.Column
	for _, c := range e.Columns {
		switch v := c.Values.(type) {
		case []int32:
			c.Values = v[:18]
		case []float64:
			c.Values = v[:18]
		}
		cols = append(cols, c)
	}
	few["edges"] = []dag.Input{dag.InputOf(encoding.NewTable(cols...), few["edges"][0].Coords...)}
	// Graphs that tell how they were made, and a node list.
	said := func(in map[string][]dag.Input, density string) map[string][]dag.Input {
		told := maps.Clone(in)
		told["edges"] = nil
		for _, e := range in["edges"] {
			table, _ := e.Table()
			told["edges"] = append(told["edges"], dag.InputOf(column.WithMeta(table,
				map[string]string{"made": fmt.Sprintf(`{"graph.density":%s,"graph.rule":"largest"}`, density)}), e.Coords...))
		}
		return told
	}
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	withNodes := func(in map[string][]dag.Input, names ...string) map[string][]dag.Input {
		told := maps.Clone(in)
		told["nodes"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "name", Values: names}))}
		return told
	}
	knowing := stagetest.MustRun(t, s, withNodes(said(in, "0.1"), names...))
	swapped := slices.Clone(names)
	swapped[2], swapped[3] = "d", "c"
	good := stagetest.Encoded(t, out["model"])
	described := need.Value(ReadModel(good))(t).modelFile
	described.Content = "" // as a file of another program
	good = changedModel(t, good, "model.json", artifacts.Text(string(need.Value(json.Marshal(described))(t)))).Data
	edited := func(edit func(*modelFile)) artifacts.Value {
		f := described
		edit(&f)
		return changedModel(t, good, "model.json", artifacts.Text(string(need.Value(json.Marshal(f))(t))))
	}
	for _, groups := range [][]string{{"A", "A"}, {"A", ""}, {"A", "B\tC"}, {"A\n", "B"}, {"A",
		strings.Repeat("b", 256)}} {
		b := stagetest.Encoded(t, edited(func(f *modelFile) { f.Groups = groups }))
		if _, err := ReadModel(b); err == nil || !strings.Contains(err.Error(), "model.json: the groups") {
			t.Errorf("groups %.20q: error %v", groups, err)
		}
	}
	flipped := slices.Clone(good)
	flipped[len(flipped)/4] ^= 1
	for _, c := range []struct {
		in    map[string][]dag.Input
		model artifacts.Value
		want  string
	}{
		{in, edited(func(f *modelFile) { f.Options.Slope = 1e308 }),
			"which are not finite: are its weights and options damaged?"},
		{small, out["model"], "…8 nodes of 8 features, not 9 of 9"},
		{loud, out["model"], "more than twice the largest of the training, 2.021763652491419 (features); to accept a difference, list it under allow"},
		{few, out["model"], "2 edges, not 8 to 8: does the density differ? (edges); to accept a difference, list it under allow"},
		{in, artifacts.Bytes{Kind: "npz", Data: good[:len(good)-9]},
			"not an npz file, or an incomplete one: zip: not a valid zip file; copy it again, or export the model again"},
		{in, artifacts.Bytes{Kind: "npz", Data: flipped},
			"zip: checksum error: the file is damaged; copy it again, or export the model again"},
		{in, changedModel(t, good, "conv1_Theta.npy", nil), "the array conv1_Theta is missing"},
		{in, changedModel(t, good, "fc1_b.npy", encoding.NewArray([]float32{1, 2}, 2)), "fc1_b is <f4 [2], but the model needs <f4 [16]"},
		{in, changedModel(t, good, "fc3_b.npy", encoding.NewArray([]float32{1, float32(math.NaN())}, 2)),
			"fc3_b holds NaN"},
		{in, changedModel(t, good, "conv3_Theta.npy", encoding.NewArray([]float32{1}, 1)), "…the arrays conv3_Theta: a model with its options has"},
		{in, changedModel(t, good, "input_sd.npy", encoding.NewArray([]float32{1}, 1)), "…the arrays input_sd: a model with its options has"},
		{in, changedModel(t, good, "weights.bin", artifacts.Text("1")), `"weights.bin" is neither model.json nor an array (.npy)`},
		{in, changedModel(t, good, "model.json", nil), "it has no model.json: is it a trained model?"},
		{in, changedModel(t, good, "model.json", artifacts.Text(`{"options":{"Features":9}}`)), "…"},
		{withNodes(said(in, "0.2"), names...), knowing["model"], "graph.density is 0.2, not 0.1; to accept a difference, list it under allow"},
		{withNodes(in, names...), knowing["model"], "graph.density is absent, not 0.1; graph.rule is absent, not \"largest\"; their processing is unknown: connect quality, of the stage that made their matrices, to the graph stage"},
		{said(in, "0.1"), knowing["model"], "the model records the names of its 9 regions, but those of the new graphs are unknown: connect the input nodes (cohort.nodes)"},
		{withNodes(in, names...), out["model"], "the model file has no names of regions, so regions in a different order or of a different atlas would not be detected: connect nodes (cohort.nodes) to the stage that trains the model, and export it again; if the regions and their order are the same, allow: [names]"},
		{withNodes(said(in, "0.1"), swapped...), knowing["model"], "region 3 is d in the node list, but c in training, and 2 of 9 regions differ: these are the regions of the training in another order: list them in that order in nodes if the files contain the names of the regions; without names, put the columns of the files and nodes in that order, or write the names into the files"},
	} {
		inputs := maps.Clone(c.in)
		delete(inputs, "folds")
		inputs["model"] = []dag.Input{dag.InputOf(c.model)}
		_, err := stagetest.RunStage(t, &Predict{}, inputs)
		part, any := strings.CutPrefix(c.want, "…")
		if err == nil || !any && !strings.HasSuffix(err.Error(), c.want) || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want …%s", err, c.want)
		}
	}
	// What is allowed to differ may.
	inputs := withNodes(said(in, "0.2"), names...)
	inputs["model"] = []dag.Input{dag.InputOf(knowing["model"])}
	denser := stagetest.MustRun(t, &Predict{Allow: []string{"graph.density"}}, inputs)["participants"].(*encoding.Table)
	need.Equal(t, strings.Contains(stagetest.Codes(t, denser), "applied.made"), true)
	unnamed := withNodes(in, names...)
	unnamed["model"] = []dag.Input{dag.InputOf(out["model"])}
	who := stagetest.MustRun(t, &Predict{Allow: []string{"names"}}, unnamed)["participants"].(*encoding.Table)
	need.Equal(t, need.Value(finding.ReadApplied(who))(t).Named, true)
	_, err := stagetest.RunStage(t, &Predict{Allow: []string{"density", "graph.densty", "graph.density"}}, inputs)
	need.Error(t, err, `allow: "density" is no difference from the training data that can be accepted (available: regions, names, edges, features, graph.density, graph.rule)`)
	need.Error(t, err, `allow: "graph.densty" is no difference from the training data that can be accepted (did you mean "graph.density"?)`)
}

// numpy finds every array of a model by its name, with the shape and the values of the
// table of parameters.
func TestModelInPython(t *testing.T) {
	python := need.Python(t, "numpy")
	s := trainer(2)
	s.Epochs, s.Standardize = 1, "training"
	out := stagetest.MustRun(t, s, stagetest.PlantedInputs(t, 20, 3, 9, 1))
	path := filepath.Join(t.TempDir(), "model.npz")
	need.NoError(t, os.WriteFile(path, stagetest.Encoded(t, out["model"]), 0o666))
	told, err := exec.Command(python, "-c", `
import json, sys, numpy as np
m = np.load(sys.argv[1])
for name in m.files:
    if name != "model.json":
        print(name, "×".join(map(str, m[name].shape)), m[name].dtype, repr(float(m[name].ravel()[-1])))
print(json.loads(m["model.json"])["groups"])
`, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, told)
	}
	table := out["parameters"].(*encoding.Table)
	names, _ := table.Strings("name")
	shapes, _ := table.Strings("shape")
	offset, _ := table.Ints("offset")
	length, _ := table.Ints("length")
	values := out["weights"].(*encoding.Array).Float64s()
	want := ""
	for i, n := range names {
		v := strconv.FormatFloat(values[offset[i]+length[i]-1], 'g', -1, 64)
		want += fmt.Sprintf("%s %s float32 %s\n", n, shapes[i], v)
	}
	want += "['ASD', 'HC']\n"
	if got := string(told); got != want {
		t.Errorf("numpy reads\n%swant\n%s", got, want)
	}
}

// changedModel replaces a member of an npz file, or leaves it out.
func changedModel(t testing.TB, b []byte, name string, with artifacts.Value) artifacts.Bytes {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	need.NoError(t, err)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		if f.Name != name {
			need.NoError(t, w.Copy(f))
		}
	}
	if with != nil {
		need.NoError(t, with.Encode(need.Value(w.Create(name))(t)))
	}
	need.NoError(t, w.Close())
	return artifacts.Bytes{Kind: "npz", Data: out.Bytes()}
}

// A model file may come from anywhere: no panic, no huge allocation, and what is read runs.
func FuzzReadModel(f *testing.F) {
	o := gnn.Paper(2)
	o.Widths, o.Hidden = []int{1, 1}, []int{1}
	m, err := gnn.New[float32](o, 1)
	need.NoError(f, err)
	facts := graphFacts{Nodes: 3, Features: 2, Edges: [2]int{1, 3}, Values: [2]float64{-1, 1}}
	b, err := modelNPZ(modelFile{Header: modelfile.HeaderOf("pr-gnn", []string{"a", "b"}, true), Options: o,
		Graphs: facts}, standardization{}, m.Params)
	need.NoError(f, err)
	f.Add(b.Data)
	f.Add(b.Data[:len(b.Data)/2])
	f.Add(changedModel(f, b.Data, "model.json", artifacts.Text("{}")).Data)
	f.Add([]byte("PK\x05\x06\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ReadModel(b)
		if err != nil {
			return
		}
		if m.Options.Features > 100 {
			return
		}
		g := gnn.Data{Nodes: 3, Features: make([]float64, 3*m.Options.Features),
			Edges: []gnn.Edge{{Source: 0, Target: 1, Weight: 1}}}
		if _, err := m.Predict([]gnn.Data{g}, 1); err != nil {
			t.Log(err)
		}
	})
}

// Region names of a model and of a node list are one name, whether an accent is a character of its own or not.
func TestComposedNodes(t *testing.T) {
	training := []string{"ü", "o"}
	need.NoError(t, modelfile.AcceptNodes(training, []string{"u\u0308", "o"}))
	need.Error(t, modelfile.AcceptNodes(training, []string{"u\u0308", "ö"}), "region 2 is ö in the node list, but o in training, and 1 of 2 regions differ: use the same atlas, with the names of the training in nodes")
}

// The means of all training participants, over models of folds, are those of the same people, also with other volumes,
// and of no others, not even where the inputs vary in ten directions only.
func TestSameMeans(t *testing.T) {
	const n, inputs, directions, folds = 22, 276, 10, 3
	r := random.New(1, "means")
	var basis []float64
	for range directions * inputs {
		basis = append(basis, r.Normal())
	}
	people := func() (all [][]float64) {
		for range n {
			row := make([]float64, inputs)
			for d := range directions {
				x := r.Normal()
				for j := range row {
					row[j] += x * basis[d*inputs+j]
				}
			}
			all = append(all, row)
		}
		return all
	}
	same := func(trained, new [][]float64) bool {
		moments := func(rows [][]float64, leave int) (mean, sd []float64, count int) {
			var m modelfile.Moments
			for i, row := range rows {
				if i%folds != leave {
					m.Add(row, inputs)
				}
			}
			mean, sd = m.MeanSD()
			return mean, sd, m.N
		}
		differences, weight := make([]float64, inputs), 0.0
		mean, sd, _ := moments(new, folds)
		for k := range folds {
			of, _, count := moments(trained, k)
			weight += float64(count)
			for j := range of {
				differences[j] += float64(count) * (mean[j] - of[j])
			}
		}
		return inference.SameMeans(differences, sd, weight, n, n)
	}
	first := people()
	again := make([][]float64, n) // noise of a tenth of the SD
	for i, row := range first {
		for _, x := range row {
			again[i] = append(again[i], x+0.1*math.Sqrt(directions)*r.Normal())
		}
	}
	need.Equal(t, [3]bool{same(first, first), same(first, again), same(first, first[:n-2])}, [3]bool{true, true, false})
	for range 300 {
		if same(first, people()) {
			t.Fatal("other people have the same means")
		}
	}
}
