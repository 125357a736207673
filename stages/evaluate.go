package stages

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/random"
	"prgnn/stages/inference"
)

func init() {
	Register(dag.Kind{
		Name: "evaluate",
		Doc: "accuracy, AUC, sensitivity and specificity of classifiers, per fold and over the folds\n" +
			"On the test side only. At graph level each draw counts; at participant level the mean probability over the draws decides. Every measure is the mean over the folds: scores of different folds are not compared, and each fold counts once. The coordinates of the gathered trainings (pool, lambda …), other than fold and repeat, tell settings apart and become columns; name is the classifier in words. p tells whether the predictions have anything to do with the groups: it permutes the groups of the tested participants within each fold and leaves the models as they are; the stage permutation trains anew.",
		New: func() dag.Stage { return &Evaluate{Permutations: 9999} },
	})
}

// Evaluate scores predictions.
type Evaluate struct {
	Positive     string `param:"positive" doc:"the group whose detection sensitivity counts; by default the first in sorted order that is not named as a control group (HC, TD, CON, control …), of two groups"`
	Permutations int    `param:"permutations" doc:"of the groups of the tested, for p" min:"99" max:"10000000"`
	Seed         uint64 `param:"seed" doc:"of the permutations"`
}

// Ports are the stage's inputs and outputs.
func (*Evaluate) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "predictions", Gather: true, Doc: "of the trainings to compare",
			Type: dag.Arrow("participant_id", "group", "draw", "fold", "repeat", "set", "label", "predicted")}, leakagePort()},
		Out: []dag.Port{
			{Name: "scores", Type: dag.Arrow("name", "repeat", "fold", "level", "n", "accuracy", "balanced_accuracy", "auc", "sensitivity", "specificity"),
				Doc: "one row for each setting, repeat, fold and level"},
			{Name: "summary", Type: dag.Arrow("name", "level", "folds", "participants", "accuracy", "sd", "ci_low", "ci_high", "majority",
				"balanced_accuracy", "auc", "sensitivity", "specificity", "positive", "p", "auc_p"),
				Doc: "one row for each setting and level: means over the folds; sd has n−1 in the denominator; ci is Wilson's 95 % interval of the share classified correctly, pooled over folds, for the number of participants"},
		},
	}
}

// A testCase is a graph or a participant that was tested.
type testCase struct {
	id          string
	label       int
	predicted   int
	probability []float64
}

// A testedFold is what one training said of its test side.
type testedFold struct {
	setting      string // coordinates, for grouping
	model        string // as the predictions say
	name         string // of the setting, for people
	coords       []dag.Coord
	repeat, fold int64
	graphs       []testCase
	participants []testCase
}

// foldScores are the measures of one fold at one level.
type foldScores struct {
	n                                                 int
	accuracy, balanced, auc, sensitivity, specificity float64
}

var levels = [2]string{"graph", "participant"}

// Run evaluates.
func (s *Evaluate) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := readSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	positive, err := s.positive(all.groups)
	if err != nil {
		return nil, err
	}
	summary := s.summaryTable(all.axes, all.settings, all.groups, positive)
	if all.cautions != nil {
		summary.Meta["caution"] = strings.Join(all.cautions, "\n")
	}
	return dag.Outputs{"scores": scoresTable(all.axes, all.settings, positive), "summary": summary}, nil
}

// testedSettings are the tested folds of several trainings, by setting.
type testedSettings struct {
	settings [][]testedFold
	axes     []string // that tell the settings apart
	groups   []string
	cautions []string
}

// readSettings reads gathered predictions. The coordinates of a training, other than
// fold and repeat, name its setting.
func readSettings(ins []dag.Input) (*testedSettings, error) {
	all := &testedSettings{}
	var folds []testedFold
	for _, in := range ins {
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		f, names, err := readTested(table)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if all.groups == nil {
			all.groups = names
		}
		if !slices.Equal(all.groups, names) {
			return nil, fmt.Errorf("%s: its groups are %s, others have %s", in.Name, strings.Join(names, ", "), strings.Join(all.groups, ", "))
		}
		if c := table.Meta["caution"]; c != "" && !slices.Contains(all.cautions, c) {
			all.cautions = append(all.cautions, c)
		}
		var setting []string
		for _, c := range in.Coords {
			if c.Axis == "fold" || c.Axis == "repeat" {
				continue
			}
			setting = append(setting, c.Axis+"="+c.Value)
			for i := range f {
				f[i].coords = append(f[i].coords, c)
			}
			if !slices.Contains(all.axes, c.Axis) {
				all.axes = append(all.axes, c.Axis)
			}
		}
		for i := range f {
			f[i].setting, f[i].model = strings.Join(setting, "\x00"), table.Meta["model"]
		}
		folds = append(folds, f...)
	}
	if len(folds) == 0 {
		return nil, fmt.Errorf("no predictions to evaluate: connect them to a train stage")
	}
	all.settings = bySetting(folds)
	all.name()
	for _, fs := range all.settings {
		if err := onlyOnce(fs); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// name names the settings.
func (all *testedSettings) name() {
	var coords [][]dag.Coord
	var models []string
	for _, fs := range all.settings {
		coords, models = append(coords, fs[0].coords), append(models, fs[0].model)
	}
	for i, name := range nameClassifiers(coords, models) {
		for f := range all.settings[i] {
			all.settings[i][f].name = name
		}
	}
}

// readTested reads the test side of a prediction table, by repeat and fold.
func readTested(t *artifacts.Table) ([]testedFold, []string, error) {
	id, err := t.Strings("participant_id")
	if err != nil {
		return nil, nil, err
	}
	group, err := t.Strings("group")
	if err != nil {
		return nil, nil, err
	}
	side, err := t.Strings("set")
	if err != nil {
		return nil, nil, err
	}
	var ints [4][]int64
	for i, name := range []string{"repeat", "fold", "label", "predicted"} {
		if ints[i], err = t.Ints(name); err != nil {
			return nil, nil, err
		}
	}
	// The groups are named by the columns of their probabilities.
	var groups []string
	var p [][]float64
	for _, c := range t.Columns {
		if g, ok := strings.CutPrefix(c.Name, "p_"); ok {
			v, err := t.Floats(c.Name)
			if err != nil {
				return nil, nil, err
			}
			groups, p = append(groups, g), append(p, v)
		}
	}
	if len(groups) < 2 {
		return nil, nil, fmt.Errorf("probabilities of %d groups, want a column p_GROUP for each of two or more", len(groups))
	}
	if err := oneSide(id, side, ints[0], ints[1]); err != nil {
		return nil, nil, err
	}
	var folds []testedFold
	for i := range id {
		if side[i] != "test" {
			continue
		}
		if l := ints[2][i]; l < 0 || int(l) >= len(groups) || groups[l] != group[i] {
			return nil, nil, fmt.Errorf("row %d: label %d is not group %q", i+1, l, group[i])
		}
		if l := ints[3][i]; l < 0 || int(l) >= len(groups) {
			return nil, nil, fmt.Errorf("row %d: predicted is %d, and there are %d groups", i+1, l, len(groups))
		}
		at := slices.IndexFunc(folds, func(f testedFold) bool { return f.repeat == ints[0][i] && f.fold == ints[1][i] })
		if at < 0 {
			at = len(folds)
			folds = append(folds, testedFold{repeat: ints[0][i], fold: ints[1][i]})
		}
		c := testCase{id: id[i], label: int(ints[2][i]), predicted: int(ints[3][i])}
		for _, v := range p {
			c.probability = append(c.probability, v[i])
		}
		folds[at].graphs = append(folds[at].graphs, c)
	}
	for i := range folds {
		folds[i].participants = overDraws(folds[i].graphs)
	}
	return folds, groups, nil
}

// oneSide refuses predictions that train on a participant whom they test: no accuracy is
// made of them, whether a leakage stage looks at them or not.
func oneSide(id, side []string, repeat, fold []int64) error {
	type place struct {
		id           string
		repeat, fold int64
	}
	tested := map[place]bool{}
	for i := range id {
		if side[i] == "test" {
			tested[place{id[i], repeat[i], fold[i]}] = true
		}
	}
	for i := range id {
		if side[i] != "test" && tested[place{id[i], repeat[i], fold[i]}] {
			return fmt.Errorf("leakage: %s is trained on and tested in fold %d of repeat %d; no accuracy is made of these predictions", id[i], fold[i], repeat[i])
		}
	}
	return nil
}

// overDraws averages the probabilities of each participant's graphs; the class
// is that of the highest mean, the first among equals.
func overDraws(graphs []testCase) []testCase {
	var out []testCase
	at, n := map[string]int{}, []float64{}
	for _, g := range graphs {
		i, ok := at[g.id]
		if !ok {
			i = len(out)
			at[g.id] = i
			out, n = append(out, testCase{id: g.id, label: g.label, probability: make([]float64, len(g.probability))}), append(n, 0)
		}
		n[i]++
		for c, p := range g.probability {
			out[i].probability[c] += p
		}
	}
	for i := range out {
		c := &out[i]
		for k := range c.probability {
			c.probability[k] /= n[i]
			if c.probability[k] > c.probability[c.predicted] {
				c.predicted = k
			}
		}
	}
	return out
}

// controls are names of groups that are not what a study looks for.
var controls = []string{"hc", "control", "controls", "con", "ctrl", "ctl", "td", "tc", "nc", "cn", "hv", "healthy", "typical", "0"}

// positive finds the number of the positive group; −1 when there are more than
// two groups and none was named.
func (s *Evaluate) positive(groups []string) (int, error) {
	if s.Positive != "" {
		i := slices.Index(groups, s.Positive)
		if i < 0 {
			return 0, fmt.Errorf("positive: there is no group %q; there are %s", s.Positive, strings.Join(groups, ", "))
		}
		return i, nil
	}
	if len(groups) > 2 {
		return -1, nil
	}
	if slices.Contains(controls, strings.ToLower(groups[0])) && !slices.Contains(controls, strings.ToLower(groups[1])) {
		return 1, nil
	}
	return 0, nil
}

// bySetting gathers the folds of each setting, in the order of the inputs, and
// sorts them by repeat and fold.
func bySetting(folds []testedFold) [][]testedFold {
	var out [][]testedFold
	at := map[string]int{}
	for _, f := range folds {
		i, ok := at[f.setting]
		if !ok {
			i = len(out)
			at[f.setting] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	for _, fs := range out {
		slices.SortFunc(fs, func(a, b testedFold) int { return cmp.Or(cmp.Compare(a.repeat, b.repeat), cmp.Compare(a.fold, b.fold)) })
	}
	return out
}

// onlyOnce checks that nobody is tested twice in one repeat of a setting.
func onlyOnce(folds []testedFold) error {
	type key struct {
		repeat int64
		id     string
	}
	seen := map[key]int64{}
	for _, f := range folds {
		for _, p := range f.participants {
			k := key{f.repeat, p.id}
			if other, twice := seen[k]; twice {
				return fmt.Errorf("participant %s is tested in fold %d and in fold %d of repeat %d: the gathered trainings differ in an axis that is not among their coordinates", p.id, other, f.fold, f.repeat)
			}
			seen[k] = f.fold
		}
	}
	return nil
}

func (f *testedFold) cases(level string) []testCase {
	if level == "graph" {
		return f.graphs
	}
	return f.participants
}

// score measures one fold. The AUC of more than two groups is the mean over the
// groups of the AUC of each against the rest.
func score(cases []testCase, positive int) foldScores {
	classes := len(cases[0].probability)
	table := gnn.NewConfusion(classes)
	for _, c := range cases {
		table.Add(c.label, c.predicted)
	}
	auc := func(class int) float64 {
		p, is := make([]float64, len(cases)), make([]bool, len(cases))
		for i, c := range cases {
			p[i], is[i] = c.probability[class], c.label == class
		}
		return gnn.AUC(p, is)
	}
	out := foldScores{n: len(cases), accuracy: table.Accuracy(), balanced: table.Balanced(), sensitivity: math.NaN(), specificity: math.NaN()}
	if positive >= 0 {
		out.sensitivity, out.specificity = table.Recall(positive), table.Specificity(positive)
	}
	if classes == 2 {
		out.auc = auc(max(positive, 0))
		return out
	}
	var each []float64
	for c := range classes {
		each = append(each, auc(c))
	}
	out.auc, _ = gnn.MeanSD(each)
	return out
}

// meanOver is the mean of a measure over the folds, of all repeats: what every measure of
// a classifier means. Folds without a value are left out.
func meanOver(folds []testedFold, measure func(testedFold) float64) float64 {
	v := make([]float64, len(folds))
	for i, f := range folds {
		v[i] = measure(f)
	}
	mean, _ := gnn.MeanSD(v)
	return mean
}

// participantAccuracy is the accuracy of one fold, each participant counted once.
func participantAccuracy(f testedFold) float64 { return score(f.participants, -1).accuracy }

// test finds whether the predictions of one setting have to do with the groups.
func (s *Evaluate) test(folds []testedFold, level string, groups int) inference.PredictionTest {
	person := map[string]int{}
	var group, first []int
	var tested []inference.TestedFold
	for at, f := range folds {
		t := inference.TestedFold{}
		for _, c := range f.participants {
			if _, ok := person[c.id]; !ok {
				person[c.id] = len(group)
				group, first = append(group, c.label), append(first, at)
			}
			named := make([]float64, groups)
			if level == "participant" {
				named[c.predicted] = 1
			}
			t.Person, t.Named, t.Score = append(t.Person, person[c.id]), append(t.Named, named), append(t.Score, c.probability)
		}
		if level == "graph" {
			at := map[string]int{}
			for i, c := range f.participants {
				at[c.id] = i
			}
			for _, c := range f.graphs {
				t.Named[at[c.id]][c.predicted]++
			}
		}
		tested = append(tested, t)
	}
	return inference.TestPredictions(tested, group, groups, first, s.Permutations, random.New(s.Seed, "evaluate", level))
}
