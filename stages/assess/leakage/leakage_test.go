package leakage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/fold"
	"prgnn/stages/learn"
	"prgnn/stages/stagetest"
)

// leakInputs are two honest trainings of one division, and everything about them.
func leakInputs(t *testing.T) map[string][]dag.Input {
	t.Helper()
	in := stagetest.PlantedInputs(t, 20, 3, 9, 1)
	out := map[string][]dag.Input{"folds": in["folds"], "features": in["features"]}
	for fold := 1; fold <= 2; fold++ {
		s := trainer(fold)
		s.Epochs = 1
		made := stagetest.MustRun(t, s, in)
		at := dag.Coord{Axis: "fold", Value: fmt.Sprint(fold)}
		out["predictions"] = append(out["predictions"], dag.InputOf(made["predictions"], at))
		out["model"] = append(out["model"], dag.InputOf(made["model"], at))
		var train []string
		p := made["predictions"].(*encoding.Table)
		ids, _ := p.Strings("participant_id")
		side, _ := p.Strings("set")
		for i, id := range ids {
			if side[i] == "train" && !slices.Contains(train, id) {
				train = append(train, id)
			}
		}
		fitted := encoding.NewTable(encoding.Column{Name: "value", Values: []float64{1}})
		fitted.Meta = map[string]string{"participants": column.JSON(train)}
		out["fitted"] = append(out["fitted"], dag.InputOf(fitted, at))
	}
	return out
}

func TestLeakageOfNothing(t *testing.T) {
	out := stagetest.MustRun(t, &Leakage{}, leakInputs(t))["checks"]
	if of := stagetest.FloatsOf(t, out, "of"); !stagetest.Near(of, []float64{20, 2 * 20 * 2, 8, 2, 2, 2, 2, 20}) {
		t.Errorf("looked at %v", of)
	}
	if found := stagetest.FloatsOf(t, out, "found"); slices.Max(found) != 0 {
		t.Errorf("found %v", found)
	}
}

// Every leak that is built in is found, and named.
func TestLeakageIsFound(t *testing.T) {
	honest := leakInputs(t)
	edit := func(in dag.Input, change func(*encoding.Table)) dag.Input {
		table := need.Value(in.Table())(t)
		change(table)
		return dag.InputOf(table, in.Coords...)
	}
	tested := func(in dag.Input) (int, string) { // the first row of the test side
		table, _ := in.Table()
		side, _ := table.Strings("set")
		ids, _ := table.Strings("participant_id")
		i := slices.Index(side, "test")
		return i, ids[i]
	}
	row, id := tested(honest["predictions"][0])
	for _, c := range []struct {
		name   string
		change func(map[string][]dag.Input)
		want   string
	}{
		{"a draw on the other side", func(in map[string][]dag.Input) {
			in["predictions"][0] = edit(in["predictions"][0], func(t *encoding.Table) {
				c, _ := t.Column("set")
				v := slices.Clone(c.Values.([]string))
				v[row] = "train"
				c.Values = v
			})
		}, id + " is on the train side of fold 1, repeat 1, and tested in fold 1"},
		{"another group", func(in map[string][]dag.Input) {
			in["predictions"][0] = edit(in["predictions"][0], func(t *encoding.Table) {
				c, _ := t.Column("group")
				v := slices.Clone(c.Values.([]string))
				v[row] = "other"
				c.Values = v
			})
		}, id + " has the label other, but"},
		{"a model that has seen the tested", func(in map[string][]dag.Input) {
			in["model"][0] = dag.Input{Coords: in["model"][0].Coords, Name: "train[fold=1].model",
				Ref: in["model"][1].Ref, Reader: in["model"][1].Reader}
		}, "train[fold=1].model was fitted on " + id + ", a test participant of fold 1 of repeat 1"},
		{"something fitted to everybody", func(in map[string][]dag.Input) {
			in["fitted"][0] = edit(in["fitted"][0], func(t *encoding.Table) {
				t.Meta["participants"] = strings.Replace(t.Meta["participants"], "[", `["`+id+`",`, 1)
			})
		}, "was fitted on " + id + ", a test participant of fold 1 of repeat 1"},
		{"something fitted to nobody knows whom", func(in map[string][]dag.Input) {
			in["fitted"][0] = edit(in["fitted"][0], func(t *encoding.Table) { t.Meta = nil })
		}, "does not list its training participants"},
		{"the fit of one fold for all", func(in map[string][]dag.Input) { in["fitted"] = in["fitted"][:1] },
			"was not fitted for fold 2 of repeat 1, which is tested"},
		{"the same of a second stage", func(in map[string][]dag.Input) {
			one := in["fitted"][0]
			one.Name = "tangent[fold=1].fitted"
			one.Coords = append(slices.Clone(one.Coords), dag.Coord{Axis: "stage", Value: "tangent"})
			in["fitted"] = append(in["fitted"], one)
		}, "tangent[fold=1].fitted was not fitted for fold 2 of repeat 1, which is tested"},
		{"twice in a division", func(in map[string][]dag.Input) {
			in["folds"][0] = edit(in["folds"][0], func(t *encoding.Table) {
				for i, c := range t.Columns {
					switch v := c.Values.(type) {
					case []string:
						t.Columns[i].Values = append(slices.Clone(v), v[0])
					case []int32:
						t.Columns[i].Values = append(slices.Clone(v), 2-v[0]%2)
					}
				}
			})
		}, "sub-001 is in fold"},
		{"one scan under two names", func(in map[string][]dag.Input) {
			in["features"][3] = dag.Input{Coords: in["features"][3].Coords, Ref: in["features"][7].Ref,
				Reader: in["features"][7].Reader}
		}, "sub-004 and sub-008 have the same features (correlation 0.9999 or more, of either sign)"},
		{"one scan under two names, with other random draws", func(in map[string][]dag.Input) {
			in["features"][3] = dag.InputOf(redrawn(t, in["features"][7]), in["features"][3].Coords...)
		}, "exclude: [sub-004, sub-008]"},
		{"a training that admits it", func(in map[string][]dag.Input) {
			in["predictions"][0] = edit(in["predictions"][0], func(t *encoding.Table) { t.Meta[column.LeaksMeta] = `[{"parameter":"select","value":"test"}]` })
		}, "test participants take part in the training (select: test), so the accuracy is biased upward (admitted: true lets it pass)"},
		{"tested twice", func(in map[string][]dag.Input) {
			in["predictions"][1] = edit(in["predictions"][1], func(t *encoding.Table) {
				first, _ := in["predictions"][0].Table()
				*t = *first
				c, _ := t.Column("fold")
				c.Values = slices.Repeat([]int32{2}, t.Rows())
			})
		}, id + " is on the test side of fold 2, repeat 1, and tested in fold 1"},
		{"a test row twice", func(in map[string][]dag.Input) {
			in["predictions"][0] = edit(in["predictions"][0], func(t *encoding.Table) { *t = *stagetest.Twice(t, row) })
		}, fmt.Sprintf("%s is tested twice with draw 1, in rows %d and 41: write one test row for each", id, row+1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := maps.Clone(honest)
			for port := range in {
				in[port] = slices.Clone(in[port])
			}
			c.change(in)
			_, err := stagetest.RunStage(t, &Leakage{}, in)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "all accuracies that follow would be invalid") {
				t.Errorf("got %v, want …%s", err, c.want)
			}
			if c.name == "a training that admits it" {
				checks := stagetest.MustRun(t, &Leakage{Admitted: true}, in)["checks"].(*encoding.Table)
				if checks.Meta[column.AdmittedLeaks] == "" {
					t.Error("the leak that is let pass is not told")
				}
			}
		})
	}
}

// redrawn are the features of a scan with draw 0 as it is and other random draws.
func redrawn(t *testing.T, in dag.Input) *encoding.Array {
	t.Helper()
	a := need.Value(in.Array())(t)
	v := slices.Clone(a.Float64s())
	for i := len(v) / a.Shape[0]; i < len(v); i++ {
		v[i] /= 2
	}
	return encoding.NewArray(v, a.Shape...)
}

// Before anything is trained, the division and the features are enough.
func TestLeakageBeforeTraining(t *testing.T) {
	in := leakInputs(t)
	in = map[string][]dag.Input{"folds": in["folds"], "features": slices.Clone(in["features"])}
	if of := stagetest.FloatsOf(t, stagetest.MustRun(t, &Leakage{}, in)["checks"],
		"of"); !stagetest.Near(of, []float64{20, 20}) {
		t.Errorf("%v comparisons", of)
	}
	in["features"][3] = dag.InputOf(redrawn(t, in["features"][7]), in["features"][3].Coords...)
	const want = "sub-004 and sub-008 have the same features (correlation 0.9999 or more, of either sign): one scan under two ids\n  exclude both, or keep the one whose scan it is; under cohort:\n    exclude: [sub-004, sub-008]"
	if _, err := stagetest.RunStage(t, &Leakage{}, in); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want …%s", err, want)
	}
	// Without folds, which another study may lack, the same pair is found, and no fit can be checked.
	_, err := stagetest.RunStage(t, &Leakage{}, map[string][]dag.Input{"features": in["features"]})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("without folds: got %v", err)
	}
	for _, port := range []string{"predictions", "model", "fitted", "nothing"} {
		has := func(p string) bool { return p == port || p == "features" && port != "nothing" }
		if (&Leakage{}).RefusesInputs(has) == nil {
			t.Errorf("%s are accepted without folds", port)
		}
	}
	in["features"][3].Coords = nil
	if _, err := stagetest.RunStage(t, &Leakage{}, in); err == nil || !strings.Contains(err.Error(), "does not belong to a single participant") {
		t.Errorf("features of nobody: %v", err)
	}
}

// A check that cannot be made hides no violation that another check finds.
func TestLeakageTellsAllAtOnce(t *testing.T) {
	in := leakInputs(t)
	in["features"] = slices.Clone(in["features"])
	in["features"][3] = dag.InputOf(redrawn(t, in["features"][7]), in["features"][3].Coords...)
	in["fitted"] = slices.Clone(in["fitted"])
	in["fitted"][1].Coords = nil
	_, err := stagetest.RunStage(t, &Leakage{}, in)
	for _, want := range []string{"sub-004 and sub-008 have the same features", "has no coordinate fold"} {
		need.Error(t, err, want, "got")
	}
}

// Before training, a fit on a test participant and a duplicate scan are found at once, and of each table one check is
// made: whether every tested fold has a fit, predictions tell.
func TestLeakageOfFitsBeforeTraining(t *testing.T) {
	in := leakInputs(t)
	for _, port := range []string{"predictions", "model"} {
		delete(in, port)
	}
	got, err := stagetest.RunStage(t, &Leakage{}, in)
	need.NoError(t, err)
	rows, err := column.Rows[fold.CheckRow](got["checks"].(*encoding.Table))
	if err != nil || slices.ContainsFunc(rows, func(r fold.CheckRow) bool { return r.Of == 0 }) {
		t.Errorf("%+v, %v", rows, err)
	}
	in["features"] = slices.Clone(in["features"])
	in["features"][3] = dag.InputOf(redrawn(t, in["features"][7]), in["features"][3].Coords...)
	in["fitted"] = slices.Clone(in["fitted"])
	in["fitted"][0] = in["fitted"][1]
	in["fitted"][0].Coords = leakInputs(t)["fitted"][0].Coords
	_, err = stagetest.RunStage(t, &Leakage{}, in)
	for _, want := range []string{"sub-004 and sub-008 have the same features", "a test participant of fold 1 of repeat 1"} {
		need.Error(t, err, want, "got")
	}
}

// Features that were made in a fold are no evidence of one scan: no such check is listed.
func TestFeaturesMadeInAFoldAreNotCompared(t *testing.T) {
	in := leakInputs(t)
	in["features"] = slices.Clone(in["features"])
	in["features"][3] = dag.InputOf(redrawn(t, in["features"][7]), in["features"][3].Coords...)
	for i := range in["features"] {
		in["features"][i].Coords = append(slices.Clone(in["features"][i].Coords), dag.Coord{Axis: "fold", Value: "1"})
	}
	table := stagetest.MustRun(t, &Leakage{}, in)["checks"].(*encoding.Table)
	if names := need.Value(table.Strings("check"))(t); slices.Contains(names, fold.FeaturesCompared) {
		t.Errorf("checks %q", names)
	}
}

// A model is not trained where one scan has two ids, whether the file has a leakage
// stage or not; participants who take no part do not count.
func TestTrainingRefusesDuplicates(t *testing.T) {
	in := stagetest.PlantedInputs(t, 20, 3, 9, 1)
	in["features"] = slices.Clone(in["features"])
	in["features"][3] = dag.InputOf(redrawn(t, in["features"][7]), in["features"][3].Coords...)
	s := trainer(1)
	s.Epochs = 1
	const want = "leakage: sub-004 and sub-008 have the same features (correlation 0.9999 or more, of either sign)"
	if _, err := stagetest.RunStage(t, s, in); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("train: %v", err)
	}
	b := stagetest.Fresh("baseline", "model", "majority").(*learn.Baseline)
	pearson := map[string][]dag.Input{"folds": in["folds"], "pearson": in["features"]}
	if _, err := stagetest.RunStage(t, b, pearson); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("baseline: %v", err)
	}
	series := map[string][]dag.Input{"folds": in["folds"], "series": in["features"]}
	if _, err := stagetest.RunStage(t, stagetest.Fresh("network", "model", "meanmlp"), series); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("meanmlp: %v", err)
	}
	if _, err := stagetest.RunStage(t, stagetest.Fresh("network", "model", "bnt"), pearson); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("bnt: %v", err)
	}
	if _, err := stagetest.RunStage(t, stagetest.Fresh("network", "model", "braingnn"), in); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("braingnn: %v", err)
	}
	table := need.Value(in["folds"][0].Table())(t)
	c, _ := table.Column("fold")
	fold := slices.Clone(c.Values.([]int32))
	ids, _ := table.Strings("participant_id")
	fold[slices.Index(ids, "sub-008")] = 0
	c.Values = fold
	in["folds"] = []dag.Input{dag.InputOf(table)}
	stagetest.MustRun(t, s, in)
}

// Participants who may be one person are a caution with the command that writes the pipeline for sessions. Those of one
// group in different folds are counted for the sentences that give the result, which they bias upward; nothing is in
// training and test data where the folds keep them together, and different groups bias the result downward.
func TestSimilarScansAreCounted(t *testing.T) {
	const regions, people = 24, 30
	for _, c := range []struct {
		folds          [2]int64
		groups         string
		targets        []float64
		counted, found string
	}{
		{[2]int64{1, 2}, "AA", nil, "1", "overturns map[Alike:1 Divided:1 Folds:true N:1 Pairs:[sub-00 and sub-01]]"},
		{[2]int64{1, 2}, "AB", nil, "", "limits map[Alike:0 Divided:1 Folds:true N:1 Pairs:[sub-00 and sub-01]]"},
		{[2]int64{1, 1}, "AA", nil, "", "limits map[Alike:0 Divided:0 Folds:true N:1 Pairs:[sub-00 and sub-01]]"},
		{[2]int64{1, 2}, "AA", []float64{30, 32}, "1",
			"overturns map[Alike:1 Divided:1 Folds:true N:1 Pairs:[sub-00 and sub-01]]"},
		{[2]int64{1, 2}, "AA", []float64{30, 62}, "",
			"limits map[Alike:0 Divided:1 Folds:true N:1 Pairs:[sub-00 and sub-01]]"},
		{[2]int64{}, "AA", nil, "", "overturns map[Alike:0 Divided:0 Folds:false N:1 Pairs:[sub-00 and sub-01]]"},
	} {
		book := &foldBook{fold: map[int64]map[string]int64{1: {}}, label: map[string]string{},
			target: map[string]float64{}}
		var features []dag.Input
		for i := range people {
			id := fmt.Sprintf("sub-%02d", i)
			book.fold[1][id], book.label[id] = 1, "A"
			if i < 2 {
				book.fold[1][id], book.label[id] = c.folds[i], c.groups[i:i+1]
			}
			if c.targets != nil {
				book.target[id] = float64(20 + i) // standard deviation 10.6 with these two
				if i < 2 {
					book.target[id] = c.targets[i]
				}
			}
			own, noise := random.New(1, "own", max(i, 1)), random.New(1, "noise", i) // the first two are one person
			m := make([]float64, regions*regions)
			for a := range regions {
				for b := range a {
					x := own.Normal() + float64(0.5*noise.Normal())
					m[a*regions+b], m[b*regions+a] = x, x
				}
			}
			features = append(features,
				dag.InputOf(encoding.NewArray(m, 1, regions, regions), dag.Coord{Axis: "subject", Value: id}))
		}
		if c.folds[0] == 0 {
			book = nil
		}
		meta := need.Value(similarScans(dag.NewTask(map[string][]dag.Input{"features": features}), book,
			quality.Copies{}))(t)
		need.Equal(t, meta[column.SimilarScans], c.counted, "pairs")
		found := need.Value(finding.Of(meta))(t)
		need.Equal(t, found[0].Code, "leakage.similar-scans")
		need.Equal(t, fmt.Sprint(found[0].Weight, " ", found[0].Numbers), c.found)
	}
}

// Relatives whom the folds keep together are compared, and found where one of them is in another fold.
func TestLeakageOfRelatives(t *testing.T) {
	folds := func(of ...int32) map[string][]dag.Input {
		members := make([]fold.Member, len(of))
		for i, f := range of {
			members[i] = fold.Member{ID: fmt.Sprintf("sub-%d", i), Group: "AB"[i%2 : i%2+1], Repeat: 1, Fold: f}
		}
		table := column.Table(members)
		table.Columns = append(table.Columns, fold.TogetherColumn([]string{"sub-0", "sub-0", "sub-2", "sub-2"}))
		return map[string][]dag.Input{"folds": {dag.InputOf(table)}}
	}
	out := stagetest.MustRun(t, &Leakage{}, folds(1, 1, 2, 2))["checks"]
	need.Equal(t, fmt.Sprint(stagetest.FloatsOf(t, out, "of")), "[4 4]")
	_, err := stagetest.RunStage(t, &Leakage{}, folds(1, 1, 2, 1))
	need.Error(t, err, "sub-2 and sub-3 are kept together, but in fold 2 and fold 1 of repeat 1")
}
