package learn

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/learn/modelfile"
	"prgnn/stages/stagetest"
)

// A model file gives the probabilities of the stage that wrote it, for training and test participants alike; it states
// how its inputs were made, and finds its training participants without listing them.
func TestModelFileGivesTheStagesPredictions(t *testing.T) {
	s := stagetest.NewCorrStudy(t, 16)
	in := s.Inputs()
	in["nodes"] = []dag.Input{dag.InputOf(stagetest.NodesOf("a", "b", "c", "d", "e"))}
	for _, p := range in["pearson"] {
		quality := encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1, 2}})
		quality.Meta = map[string]string{"made": `{"denoise.fd":0.5}`}
		in["quality"] = append(in["quality"], dag.InputOf(quality, p.Coords...))
	}
	for _, name := range []string{"majority", "svm", "forest", "mlp", "brainnetcnn", "linear-svm", "ridge", "logistic",
		"kernel-ridge"} {
		out := stagetest.MustRun(t, stagetest.Quickly(name, "standardize", "training"), in)
		origin := modelfile.Origin{Program: "1", Parameters: map[string]string{"seed": "7"}, Digest: "ab"}
		travels := need.Value(modelfile.WithOrigin(stagetest.Encoded(t, out["file"]), origin, modelfile.Study{}))(t)
		facts := need.Value(modelfile.ReadFacts(travels))(t)
		if facts.Origin.Parameters["seed"] != "7" || facts.Inputs.Nodes != 5 || facts.Inputs.Port != "pearson" ||
			len(facts.Training.Participants) != 12 || facts.HasData() != (name == "svm") {
			t.Errorf("%s: facts %+v", name, facts)
		}
		m := need.Value(modelfile.Read(travels))(t)
		if m.Matrices.Made != `{"denoise.fd":0.5}` || !slices.Equal(m.Matrices.Names, []string{"a", "b", "c",
			"d", "e"}) ||
			m.Header.Model != name || m.Threshold != 0.5 || m.Fold != 2 {
			t.Errorf("%s: %+v", name, m.About)
		}
		var rows []float64
		for _, a := range s.Pearson {
			for draw := 1; draw < 3; draw++ {
				rows = need.Value(m.Row(rows, a.Float64s()[draw*25:][:25]))(t)
			}
		}
		p := m.Predict(rows, 2)
		for i, want := range need.Value(column.Rows[fold.PredictionRow](out["predictions"].(*encoding.Table)))(t) {
			if got := p[2*i+1]; math.Abs(got-want.Probability) > 1e-12 || name != "linear-svm" &&
				got != want.Probability {
				t.Errorf("%s: graph %d: probability %v, want %v", name, i, got, want.Probability)
			}
			at := m.Training.Participant(strings.ToUpper(strings.TrimPrefix(want.ID, "sub-0")))
			if (at >= 0) != (want.Set == "train") {
				t.Errorf("%s: %s of the %s set is number %d in training", name, want.ID, want.Set, at)
			}
			if scan, _ := m.Training.Scan(modelfile.DataOf(s.Pearson[i/2].Float64s()[:25]), nil); scan != at {
				t.Errorf("%s: the scan of %s is that of number %d, want %d", name, want.ID, scan, at)
			}
		}
		if b := stagetest.Encoded(t, out["file"]); strings.Contains(string(b), "sub-0") {
			t.Errorf("%s: the file lists ids", name)
		}
	}
	// Matrices that were made differently are no one study.
	odd := encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1, 2}})
	odd.Meta = map[string]string{"made": `{"denoise.fd":0.2}`}
	in["quality"][3] = dag.InputOf(odd, in["quality"][3].Coords...)
	_, err := stagetest.RunStage(t, stagetest.Quickly("ridge"), in)
	need.Error(t, err, "processed differently from those of other participants: denoise.fd is 0.2, not 0.5")
}

// The file of Li et al.'s network gives its probabilities by the kind predict.
func TestGraphNetworkFile(t *testing.T) {
	in := stagetest.NewCorrStudy(t, 16).Inputs()
	out := stagetest.MustRun(t, stagetest.Quickly("li2019"), in)
	delete(in, "folds")
	delete(in, "pearson")
	in["model"] = []dag.Input{dag.InputOf(out["file"])}
	got := stagetest.FloatsOf(t, stagetest.MustRun(t, &Predict{}, in)["predictions"], "p_HC")
	if want := stagetest.FloatsOf(t, out["predictions"], "p_HC"); !slices.Equal(got, want) {
		t.Errorf("probabilities %v, want %v", got, want)
	}
}

// The files of the networks give the probabilities and scores of the training, to the bit, and find its participants.
func TestNetworkFiles(t *testing.T) {
	few, matrices := []any{"epochs", 3}, map[string]string{"pearson": "matrices"}
	graphs, series := map[string]string{"edges": "edges", "features": "features"}, map[string]string{"series": "series"}
	for name, c := range map[string]struct {
		s  dag.Stage
		in map[string][]dag.Input
		as map[string]string // ports of predict by those of the training
	}{
		"bnt": {smallBNT(few...), stagetest.NewCorrStudy(t, 18).Inputs(), matrices},
		"bnt, paper": {smallBNT(append(few, "readout", "paper", "transform", "fisher", "pos_encoding",
			"identity", "signed", true)...), stagetest.NewCorrStudy(t, 18).Inputs(), matrices},
		"meanmlp": {smallMeanMLP(few...), waves(t, 24), series},
		"meanmlp, z-scored": {smallMeanMLP(append(few, "zscore", true, "layers", 1, "attribution",
			"integrated", "steps", 3)...), waves(t, 24), series},
		"braingnn":       {smallBrainGNN(few...), correlated(t, 2), graphs},
		"braingnn, code": {smallBrainGNN("epochs", 7, "variant", "authors-code"), correlated(t, 2), graphs},
	} {
		t.Run(name, func(t *testing.T) {
			out := stagetest.MustRun(t, c.s, c.in)
			apply := map[string][]dag.Input{"model": {dag.InputOf(out["file"])}}
			for from, to := range c.as {
				apply[to] = c.in[from]
			}
			got := stagetest.MustRun(t, &Predict{}, apply)
			for _, of := range [][2]string{{"predictions", "p_HC"}, {"scores", "score"}} {
				want := stagetest.FloatsOf(t, out[of[0]], of[1])
				if v := stagetest.FloatsOf(t, got[of[0]], of[1]); len(v) == 0 || !slices.Equal(v, want) {
					t.Errorf("%s: %d values differ from those of the training", of[0], len(want))
				}
			}
			side := need.Value(out["predictions"].(*encoding.Table).Strings("set"))(t)
			known := need.Value(got["participants"].(*encoding.Table).Ints("trained"))(t)
			for i, k := range known {
				if each := len(side) / len(known); (k == 1) != (side[each*i] == "train") {
					t.Errorf("participant %d: known to %d models, and on the side %s", i+1, k, side[each*i])
				}
			}
			if codes := stagetest.Codes(t, got["participants"].(*encoding.Table)); strings.Contains(codes,
				"applied.not-compared") {
				t.Errorf("findings %s", codes)
			}
			for _, wrong := range []string{"matrices", "series"} {
				if apply[wrong] != nil {
					continue
				}
				other := map[string][]dag.Input{"model": apply["model"], wrong: gatheredOf(apply)}
				_, err := stagetest.RunStage(t, &Predict{}, other)
				if err == nil {
					t.Errorf("it takes %s", wrong)
				}
			}
		})
	}
}

func gatheredOf(in map[string][]dag.Input) []dag.Input {
	return slices.Concat(in["matrices"], in["features"], in["series"])
}

// The kind predict applies models of matrices, refuses matrices that were made differently, and finds copies.
func TestPredictFromMatrices(t *testing.T) {
	s := stagetest.NewCorrStudy(t, 16)
	in := s.Inputs()
	quality := func(made string) (all []dag.Input) {
		for _, p := range in["pearson"] {
			table := encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1, 2}})
			table.Meta = map[string]string{"made": made}
			all = append(all, dag.InputOf(table, p.Coords...))
		}
		return all
	}
	names := dag.InputOf(stagetest.NodesOf("a", "b", "c", "d", "e"))
	in["nodes"], in["quality"] = []dag.Input{names}, quality(`{"denoise.fd":0.5}`)
	out := stagetest.MustRun(t, stagetest.Quickly("logistic"), in)
	apply := func(change func(in map[string][]dag.Input)) map[string][]dag.Input {
		new := map[string][]dag.Input{"model": {dag.InputOf(out["file"])}, "matrices": in["pearson"],
			"quality": quality(`{"denoise.fd":0.5}`), "nodes": {names}}
		change(new)
		return new
	}
	got := stagetest.MustRun(t, &Predict{}, apply(func(map[string][]dag.Input) {}))
	want := stagetest.FloatsOf(t, out["predictions"], "p_HC")
	if p := stagetest.FloatsOf(t, got["predictions"], "p_HC"); !slices.Equal(p, want) {
		t.Errorf("probabilities %v, want %v", p, want)
	}
	who := got["participants"].(*encoding.Table)
	applied := need.Value(finding.ReadApplied(who))(t)
	if s := applied.Shift; s == nil || s.Inputs != 10 || !(s.Median < s.High && s.High <= s.Most) ||
		!applied.Calibrated ||
		!slices.Equal(applied.Thresholds, []float64{0.5}) || applied.Counts["ASD"]+applied.Counts["HC"] != 12 {
		t.Errorf("applied %+v, shift %+v", applied, applied.Shift)
	}
	need.Equal(t, stagetest.Codes(t, who), "applied.trained")
	// A scan of the training under another id.
	copied := stagetest.MustRun(t, &Predict{}, apply(func(in map[string][]dag.Input) {
		for i, m := range in["matrices"] {
			id := dag.Coord{Axis: "subject", Value: fmt.Sprintf("new-%02d", i)}
			in["matrices"] = append(slices.Clone(in["matrices"][:i]), in["matrices"][i:]...)
			m.Coords = []dag.Coord{id}
			in["matrices"][i] = m
			in["quality"][i].Coords = m.Coords
		}
	}))
	need.Equal(t, stagetest.Codes(t, copied["participants"].(*encoding.Table)), "applied.same-data")
	for _, c := range []struct {
		change func(in map[string][]dag.Input)
		want   string
	}{
		{func(in map[string][]dag.Input) { in["quality"] = quality(`{"denoise.fd":0.2}`) },
			"the matrices of 16 participants differ from the training matrices of a value in memory: denoise.fd is 0.2, not 0.5"},
		{func(in map[string][]dag.Input) { delete(in, "quality") }, "their processing is unknown: connect quality"},
		{func(in map[string][]dag.Input) { delete(in, "nodes") }, "connect the input nodes"},
		{func(in map[string][]dag.Input) { delete(in, "matrices") }, "or matrices to apply models of matrices"},
		{func(in map[string][]dag.Input) {
			v := slices.Clone(need.Value(in["matrices"][0].Array())(t).Float64s())
			for k := range 75 {
				if at := k % 25; at != 0 && (at < 5 || at%5 == 0) {
					v[k] = 0
				}
			}
			in["matrices"] = append([]dag.Input{dag.InputOf(encoding.NewArray(v, 3, 5, 5),
				in["matrices"][0].Coords...)},
				in["matrices"][1:]...)
		}, "the matrices of 1 participant differ from the training matrices of a value in memory: no usable series of region 1 (a), which all participants had in training (sub-001)"},
	} {
		_, err := stagetest.RunStage(t, &Predict{}, apply(c.change))
		need.Error(t, err, c.want)
	}
}

// A model of tangent matrices is applied to matrices before the projection, by the reference in its file.
func TestPredictFromTangentModel(t *testing.T) {
	in := stagetest.NewCorrStudy(t, 16).Inputs()
	in["matrices"] = in["pearson"]
	fitted := stagetest.MustRun(t, stagetest.Fresh("tangent", "fold", 2), map[string][]dag.Input{
		"matrices": in["matrices"], "folds": in["folds"]})["fitted"]
	with := map[string][]dag.Input{"folds": in["folds"], "fitted": {dag.InputOf(fitted)}}
	for _, m := range in["matrices"] {
		out := stagetest.MustRun(t, stagetest.Fresh("project"), map[string][]dag.Input{"matrices": {m},
			"fitted": {dag.InputOf(fitted)}})
		with["tangent"] = append(with["tangent"], dag.InputOf(out["matrices"], m.Coords...))
		with["quality"] = append(with["quality"], dag.InputOf(out["quality"], m.Coords...))
	}
	out := stagetest.MustRun(t, stagetest.Quickly("ridge"), with)
	got := stagetest.MustRun(t, &Predict{}, map[string][]dag.Input{"model": {dag.InputOf(out["file"])},
		"matrices": in["matrices"]})
	want := stagetest.FloatsOf(t, out["predictions"], "p_HC")
	if p := stagetest.FloatsOf(t, got["predictions"], "p_HC"); !slices.Equal(p, want) {
		t.Errorf("probabilities %v, want %v", p, want)
	}
	// The data of the training participants are found before the projection, under other ids, too.
	var others []dag.Input
	for i, m := range in["matrices"] {
		m.Coords = []dag.Coord{{Axis: "subject", Value: fmt.Sprintf("new-%02d", i)}}
		others = append(others, m)
	}
	got = stagetest.MustRun(t, &Predict{}, map[string][]dag.Input{"model": {dag.InputOf(out["file"])},
		"matrices": others})
	applied := need.Value(finding.ReadApplied(got["participants"].(*encoding.Table)))(t)
	need.Equal(t, len(applied.Same), 12)
}

// The file of a regression gives its predictions.
func TestRegressionFileGivesTheStagesPredictions(t *testing.T) {
	in := stagetest.Numbered(t, stagetest.Ramp(24))
	for _, name := range []string{"mean", "ridge", "kernel-ridge", "svr", "rbf-svr", "forest", "mlp"} {
		out := stagetest.MustRun(t, stagetest.Fresh("regression", "model", name, "fold", 2, "trees", 9,
			"epochs", 5), in)
		m := need.Value(modelfile.Read(stagetest.Encoded(t, out["file"])))(t)
		var rows []float64
		for _, p := range in["pearson"] {
			a := need.Value(p.Array())(t)
			n := a.Shape[1]
			for draw := min(1, a.Shape[0]-1); draw < a.Shape[0]; draw++ {
				rows = need.Value(m.Row(rows, a.Float64s()[draw*n*n:][:n*n]))(t)
			}
		}
		got, want := m.Predict(rows, 1), stagetest.FloatsOf(t, out["predictions"], "predicted")
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-9*math.Abs(want[i]) {
				t.Errorf("%s: graph %d is %v, want %v", name, i, got[i], want[i])
			}
		}
	}
}

// numpy applies the files as the documentation states it, and scikit-learn trains the same models.
func TestModelFilesInPython(t *testing.T) {
	python := need.Python(t, "numpy", "sklearn")
	s := stagetest.NewCorrStudy(t, 40)
	dir := t.TempDir()
	save := func(name string, v artifacts.Value) {
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), stagetest.Encoded(t, v), 0o666))
	}
	var matrices []float64
	for _, a := range s.Pearson {
		matrices = append(matrices, a.Float64s()[25:]...) // without draw 0
	}
	save("matrices.npy", encoding.NewArray(matrices, 40, 2, 5, 5))
	for _, name := range []string{"ridge", "logistic", "kernel-ridge", "linear-svm", "svm", "ridge-standardized"} {
		model, standardized := strings.CutSuffix(name, "-standardized")
		more := []any{"tolerance", 1e-12, "penalties", []any{1.0}}
		if standardized {
			more = append(more, "standardize", "training")
		}
		out := stagetest.MustRun(t, stagetest.Quickly(model, more...), s.Inputs())
		save(name+".npz", out["file"])
		p := stagetest.FloatsOf(t, out["predictions"], "probability")
		save(name+"-expected.npy", encoding.NewArray(p, len(p)))
		var label, taught []int32
		for i, r := range need.Value(column.Rows[fold.PredictionRow](out["predictions"].(*encoding.Table)))(t) {
			if i%2 == 0 {
				label, taught = append(label, r.Label), append(taught, map[string]int32{"train": 1}[r.Set])
			}
		}
		save("label.npy", encoding.NewArray(label, 40))
		save("taught.npy", encoding.NewArray(taught, 40))
	}
	text, err := exec.Command(python, filepath.Join("testdata", "apply_model.py"), dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	need.Equal(t, strings.Count(string(text), " equal\n"), 6)
}

// What is no model file of matrices is refused.
func TestModelFileRefuses(t *testing.T) {
	linear := func() (a modelfile.About) {
		a.Header = modelfile.HeaderOf("ridge", []string{"A", "B"}, false)
		a.Matrices.Form = modelfile.Form{Port: "pearson", Upper: true, Off: 1}
		a.Matrices.Nodes = 3
		a.Fitted = baseline.Stored{Kind: "linear", Parts: []baseline.Part{{Name: "weights", Shape: []int{1, 3},
			Values: []float64{1, 2, 3}}, {Name: "offset", Shape: []int{1}, Values: []float64{0}}}}
		a.Training = modelfile.NewTraining([]string{"a", "b"}, []string{"a", "b"}, nil, map[string]int{"A": 1, "B": 1})
		return a
	}
	fits := func(inputs int) (f modelfile.Fits) {
		f.Training.Add(make([]float64, inputs), inputs)
		return f
	}
	good := need.Value(modelfile.Write(linear(), fits(3)))(t)
	need.Value(modelfile.Read(good.Data))(t)
	for i, c := range []struct {
		change func(a *modelfile.About)
		text   string
	}{
		{func(a *modelfile.About) { a.Format = 9 }, "format 9, and this program reads formats up to 1"},
		{func(a *modelfile.About) { a.Groups = nil }, "a model has groups or a target"},
		{func(a *modelfile.About) { a.Groups = []string{"A", "A"} }, "each must be a different name"},
		{func(a *modelfile.About) { a.Groups = []string{"A", "B", "C"} }, "the array weights"},
		{func(a *modelfile.About) { a.Training.Participants = a.Training.Participants[1:] }, "lists 1 participants and counts 2"},
		{func(a *modelfile.About) { a.Threshold = 1.5 }, "threshold: 1.5 is not a probability"},
		{func(a *modelfile.About) { a.Matrices.Nodes = 4 }, "the array weights"},
		{func(a *modelfile.About) { a.Matrices.Port = "partial" }, "inputs of \"partial\""},
		{func(a *modelfile.About) { a.Matrices.Names = []string{"a"} }, "1 names, but 3 nodes"},
		{func(a *modelfile.About) { a.Matrices.LeftOut = []int{4} }, "there is no node 4"},
	} {
		a := linear()
		c.change(&a)
		_, err := modelfile.Read(need.Value(modelfile.Write(a, fits(a.Matrices.Width(a.Matrices.Nodes))))(t).Data)
		need.Error(t, err, c.text, fmt.Sprint("case ", i))
	}
	for name, with := range map[string]artifacts.Value{
		"input_nodes.npy":  encoding.NewArray([]int32{1, 2, 2, 3, 1, 3}, 3, 2),
		"input_factor.npy": nil,
		"input_sd.npy":     encoding.NewArray([]float64{1, 1, 1}, 3),
		"weights.npy":      encoding.NewArray([]float64{1, 1, math.Inf(1)}, 1, 3),
	} {
		if _, err := modelfile.Read(changedModel(t, good.Data, name, with).Data); err == nil {
			t.Errorf("a file with another %s is read", name)
		}
	}
}
