package assess

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

var compareKind = dag.Kind{
	Name: "compare",
	Doc: "whether one classifier is better than another, or only luckier\n" +
		"Compares settings (of train, baseline, or both: predictions takes a list) that were tested on the same participants. Two tests: McNemar's exact test of the participants whom only one of the two has right, and the corrected resampled t-test of the accuracies in the folds (Nadeau and Bengio 2003), which is worth little without repeats. Both are corrected for the number of pairs (Holm 1979).",
	New: func() dag.Stage { return &Compare{} },
}

// Compare compares classifiers in pairs.
type Compare struct {
	Reference []string `param:"reference" doc:"the setting that all others are compared with, by some of its coordinates, such as [stage=train, pool=topk]; without it, every pair"`
}

// Ports are the stage's inputs and outputs.
func (*Compare) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "predictions", Gather: true, Doc: "of the trainings to compare",
			Type: dag.Arrow("participant_id", "group", "draw", "fold", "repeat", "set", "label", "predicted")}, fold.LeakagePort()},
		Out: []dag.Port{{Name: "pairs", Type: dag.Arrow("a", "b", "name_a", "name_b", "participants", "accuracy_a", "accuracy_b", "difference", "only_a", "only_b", "mcnemar_p", "mcnemar_holm", "folds", "t", "t_p", "t_holm"),
			Doc: "one row a pair of settings, at participant level"}},
	}
}

// A decision is what a setting says of one participant, over all repeats.
type decision struct {
	label, predicted int
}

// Run compares.
func (s *Compare) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	var names []string
	var decisions []map[string]decision
	for _, fs := range all.Settings {
		names = append(names, column.CoordText(fs[0].Coords))
		decisions = append(decisions, decide(fs))
	}
	reference, err := s.reference(all.Settings, names)
	if err != nil {
		return nil, err
	}
	var rows []comparison
	for i := range names {
		for j := range names {
			if j <= i && reference < 0 || reference >= 0 && (i != reference || j == reference) {
				continue
			}
			c, err := compareTwo(decisions[i], decisions[j], all.Settings[i], all.Settings[j])
			if err != nil {
				return nil, fmt.Errorf("%s and %s cannot be compared: %w", names[i], names[j], err)
			}
			c.a, c.b, c.nameA, c.nameB = names[i], names[j], all.Settings[i][0].Name, all.Settings[j][0].Name
			rows = append(rows, c)
		}
	}
	return dag.Outputs{"pairs": comparisonTable(rows)}, nil
}

// reference finds the setting that was asked for; −1 when none was.
func (s *Compare) reference(settings [][]fold.Tested, names []string) (int, error) {
	if s.Reference == nil {
		return -1, nil
	}
	var fit []int
	for i, fs := range settings {
		all := true
		for _, want := range s.Reference {
			all = all && slices.ContainsFunc(fs[0].Coords, func(c dag.Coord) bool { return c.Axis+"="+c.Value == strings.ReplaceAll(want, " ", "") })
		}
		if all {
			fit = append(fit, i)
		}
	}
	switch len(fit) {
	case 1:
		return fit[0], nil
	case 0:
		return 0, fmt.Errorf("reference: no setting is %s; there are %s", strings.Join(s.Reference, ", "), strings.Join(names, "; "))
	}
	return 0, fmt.Errorf("reference: %d settings are %s, such as %s and %s: name more of the coordinates", len(fit), strings.Join(s.Reference, ", "), names[fit[0]], names[fit[1]])
}

// decide takes the group of the highest mean probability over all repeats, so that
// every participant counts once.
func decide(folds []fold.Tested) map[string]decision {
	var cases []fold.Case
	for _, f := range folds {
		cases = append(cases, f.Participants...)
	}
	out := map[string]decision{}
	for _, c := range fold.OverDraws(cases) {
		out[c.Id] = decision{c.Label, c.Predicted}
	}
	return out
}

// A comparison is one pair of settings.
type comparison struct {
	a, b                 string // coordinates
	nameA, nameB         string
	participants, folds  int
	accuracyA, accuracyB float64
	onlyA, onlyB         int
	mcnemar, t, tp       float64
}

func compareTwo(a, b map[string]decision, foldsA, foldsB []fold.Tested) (comparison, error) {
	c := comparison{participants: len(a), t: math.NaN(), tp: math.NaN()}
	var lost []string
	for id, x := range a {
		y, ok := b[id]
		if !ok || x.label != y.label {
			lost = append(lost, id)
			continue
		}
		inA, inB := x.predicted == x.label, y.predicted == y.label
		if inA && !inB {
			c.onlyA++
		}
		if inB && !inA {
			c.onlyB++
		}
	}
	for id := range b {
		if _, ok := a[id]; !ok {
			lost = append(lost, id)
		}
	}
	if lost != nil {
		slices.Sort(lost)
		return c, fmt.Errorf("%d participants are tested by one of them only, or have another group there, such as %s", len(lost), lost[0])
	}
	c.accuracyA, c.accuracyB = fold.MeanOver(foldsA, participantAccuracy), fold.MeanOver(foldsB, participantAccuracy)
	c.mcnemar = inference.McNemar(c.onlyA, c.onlyB)
	if difference, share, ok := foldDifferences(foldsA, foldsB, len(a)); ok {
		c.folds = len(difference)
		c.t, c.tp = inference.CorrectedT(difference, share)
	}
	return c, nil
}

// foldDifferences are the differences in accuracy in each fold, and the mean ratio
// of tested to trained participants; not ok when the divisions differ.
func foldDifferences(a, b []fold.Tested, participants int) (difference []float64, share float64, ok bool) {
	if len(a) != len(b) {
		return nil, 0, false
	}
	ids := func(f fold.Tested) []string {
		var out []string
		for _, p := range f.Participants {
			out = append(out, p.Id)
		}
		slices.Sort(out)
		return out
	}
	for i := range a {
		if cmp.Compare(a[i].Repeat, b[i].Repeat) != 0 || !slices.Equal(ids(a[i]), ids(b[i])) {
			return nil, 0, false
		}
		difference = append(difference, participantAccuracy(a[i])-participantAccuracy(b[i]))
		n := len(a[i].Participants)
		share += float64(n) / float64(participants-n)
	}
	return difference, share / float64(len(a)), true
}

func comparisonTable(rows []comparison) *artifacts.Table {
	n := len(rows)
	a, b, nameA, nameB := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	number := func(get func(comparison) float64) []float64 {
		v := make([]float64, n)
		for i, r := range rows {
			v[i] = get(r)
		}
		return v
	}
	whole := func(get func(comparison) int) []int32 {
		v := make([]int32, n)
		for i, r := range rows {
			v[i] = int32(get(r))
		}
		return v
	}
	for i, r := range rows {
		a[i], b[i], nameA[i], nameB[i] = r.a, r.b, r.nameA, r.nameB
	}
	mcnemar, tp := number(func(c comparison) float64 { return c.mcnemar }), number(func(c comparison) float64 { return c.tp })
	return artifacts.NewTable(
		artifacts.Column{Name: "a", Values: a, Doc: "a setting, by its coordinates"},
		artifacts.Column{Name: "b", Values: b, Doc: "another one"},
		artifacts.Column{Name: "name_a", Values: nameA, Doc: "a, for people"},
		artifacts.Column{Name: "name_b", Values: nameB, Doc: "b, for people"},
		artifacts.Column{Name: "participants", Values: whole(func(c comparison) int { return c.participants }), Doc: "tested by both"},
		artifacts.Column{Name: "accuracy_a", Values: number(func(c comparison) float64 { return c.accuracyA }), Doc: "of a, per participant, mean over the folds: as evaluate has it"},
		artifacts.Column{Name: "accuracy_b", Values: number(func(c comparison) float64 { return c.accuracyB }), Doc: "of b"},
		artifacts.Column{Name: "difference", Values: number(func(c comparison) float64 { return c.accuracyA - c.accuracyB }), Doc: "accuracy_a − accuracy_b"},
		artifacts.Column{Name: "only_a", Values: whole(func(c comparison) int { return c.onlyA }), Doc: "participants classified correctly by a alone, pooled over folds; of repeats, by the mean probability"},
		artifacts.Column{Name: "only_b", Values: whole(func(c comparison) int { return c.onlyB }), Doc: "participants classified correctly by b alone"},
		artifacts.Column{Name: "mcnemar_p", Values: mcnemar, Doc: "exact two-sided p of McNemar's test"},
		artifacts.Column{Name: "mcnemar_holm", Values: inference.Holm(mcnemar), Doc: "corrected for the number of pairs (Holm)"},
		artifacts.Column{Name: "folds", Values: whole(func(c comparison) int { return c.folds }), Doc: "folds of all repeats; 0 when the two were not divided in the same way"},
		column.Optional("t", "corrected resampled t of the difference in accuracy over the folds, folds − 1 degrees of freedom", number(func(c comparison) float64 { return c.t })),
		column.Optional("t_p", "its two-sided p", tp),
		column.Optional("t_holm", "corrected for the number of pairs (Holm)", inference.Holm(tp)),
	)
}
