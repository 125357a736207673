package assess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var compareKind = dag.Kind{
	Name: "compare",
	Doc: "paired comparison of classifiers on the same participants\n" +
		"Compares settings (of train, baseline, or both: predictions takes a list) that were tested on the same participants. Two tests: the corrected resampled t-test on the accuracies of the folds that both have (Nadeau and Bengio 2003), of classifiers trained on as many participants, which has little power without repeats; and McNemar's exact test on the participants that only one of the two classifies correctly, of these models as they were trained. With several repeats, McNemar's test is of the first one that both have, since the tests of one participant in several repeats are not independent. Both are corrected for the number of pairs (Holm 1979). Settings of one model with the same predictions, which differ in nothing that it reads, are one classifier, compared once.",
	New: func() dag.Stage { return &Compare{} },
}

var (
	_ role.Referrer = (*Compare)(nil)
	_ role.PortUser = (*Compare)(nil)
	_ role.Assumer  = (*Compare)(nil)
)

// Compare compares classifiers in pairs.
type Compare struct {
	Reference []string `param:"reference" doc:"the setting to compare all others with, by some of its coordinates, such as [stage=train, pool=topk]; without it, all pairs are compared"`
}

// AssumesIndependent is for McNemar's test; the t-test compares folds.
func (*Compare) AssumesIndependent(func(port string) bool) (intervals bool, of []string) {
	return false, []string{"McNemar's test"}
}

func (*Compare) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{fold.PredictionsPort("predictions of the trainings to compare"), fold.LeakagePort()},
		Out: []dag.Port{{Name: "pairs", Type: column.Type[column.PairRow](),
			Doc: "one row per pair of settings, at participant level"}},
	}
}

// A decision is what a model predicts for a participant that it did not train on.
type decision struct {
	label, predicted int
}

// UsesPorts are the checks.
func (*Compare) UsesPorts() []role.PortUse { return fold.AfterChecks() }

// RefersTo is the setting with which all others are compared.
func (s *Compare) RefersTo() role.Reference {
	return role.Reference{Parameter: "reference", Gathered: "predictions", Coords: s.Reference,
		Without: "compares all pairs"}
}

func (s *Compare) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	names := lists.Map(all.Settings, func(fs []fold.Tested) string { return column.CoordText(fs[0].Coords) })
	reference, err := stated("reference", s.Reference, all.Settings)
	if err != nil {
		return nil, err
	}
	var rows []column.PairRow
	same := all.SameAs()
	if reference >= 0 && same[reference] >= 0 { // of what is one classifier, the reference is compared
		same[same[reference]], same[reference] = reference, -1
	}
	for i := range names {
		for j := range names {
			if j <= i && reference < 0 || reference >= 0 && (i != reference || j == reference) {
				continue
			}
			if same[i] >= 0 || same[j] >= 0 {
				continue
			}
			c, err := compareTwo(all.Settings[i], all.Settings[j])
			if err != nil {
				return nil, fmt.Errorf("%s and %s cannot be compared: %w", names[i], names[j], err)
			}
			c.A, c.B, c.NameA, c.NameB = names[i], names[j], all.Settings[i][0].Name, all.Settings[j][0].Name
			rows = append(rows, c)
		}
	}
	var mcnemar, tp []float64
	for _, c := range rows {
		mcnemar, tp = append(mcnemar, c.McNemarP), append(tp, c.TP)
	}
	mcnemar, tp = inference.Holm(mcnemar), inference.Holm(tp)
	for i := range rows {
		rows[i].McNemarHolm, rows[i].THolm = mcnemar[i], tp[i]
	}
	return dag.Outputs{"pairs": column.Table(rows)}, nil
}

// stated finds the setting that a parameter states, by some of its coordinates; −1 where it states none.
func stated(parameter string, coords []string, settings [][]fold.Tested) (int, error) {
	if coords == nil {
		return -1, nil
	}
	var fit []int
	var names []string
	for i, fs := range settings {
		names = append(names, column.CoordText(fs[0].Coords))
		own := column.CoordTexts(fs[0].Coords)
		if !slices.ContainsFunc(coords, func(want string) bool {
			return !slices.Contains(own, strings.ReplaceAll(want, " ", ""))
		}) {
			fit = append(fit, i)
		}
	}
	switch len(fit) {
	case 1:
		return fit[0], nil
	case 0:
		return 0, fmt.Errorf("%s: no setting matches %s; available: %s", parameter, strings.Join(coords, ", "),
			strings.Join(names, "; "))
	}
	return 0, fmt.Errorf("%s: %d settings match %s, such as %s and %s: name more of the coordinates", parameter, len(fit),
		strings.Join(coords, ", "), names[fit[0]], names[fit[1]])
}

// decide takes the group of the highest mean probability over the draws, in the folds of one repeat: each participant
// is tested by one model.
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

// compareTwo compares two settings; what depends on other pairs is left. Tests are over the repeats that both have.
func compareTwo(foldsA, foldsB []fold.Tested) (column.PairRow, error) {
	c := column.PairRow{T: math.NaN(), TP: math.NaN()}
	bothA, bothB := bothRepeats(foldsA, foldsB), bothRepeats(foldsB, foldsA)
	if bothA == nil {
		return c, errors.New("they were tested in different repeats, and have none in common: train both on the same repeats (the axis repeat of their matrix)")
	}
	first := fold.FirstRepeat(bothA)
	a, b := decide(first), decide(fold.FirstRepeat(bothB))
	c.Participants = int32(len(a))
	if len(foldsA)+len(foldsB) > len(first)+len(fold.FirstRepeat(bothB)) {
		c.McNemarRepeat = int32(first[0].Repeat)
	}
	var lost []string
	for id, x := range a {
		y, ok := b[id]
		if !ok || x.label != y.label {
			lost = append(lost, id)
			continue
		}
		inA, inB := x.predicted == x.label, y.predicted == y.label
		if inA && !inB {
			c.OnlyA++
		}
		if inB && !inA {
			c.OnlyB++
		}
	}
	for id := range b {
		if _, ok := a[id]; !ok {
			lost = append(lost, id)
		}
	}
	if lost != nil {
		slices.Sort(lost)
		return c, fmt.Errorf("%s tested by only one of the two, or %s different labels, such as %s",
			words.Count(len(lost), "participant")+words.Verb(len(lost), " is", " are"),
			words.Verb(len(lost), "has", "have"), lost[0])
	}
	c.AccuracyA, c.AccuracyB = fold.Accuracy(foldsA, "participant"), fold.Accuracy(foldsB, "participant")
	c.Difference = c.AccuracyA - c.AccuracyB
	c.McNemarP = inference.McNemar(int(c.OnlyA), int(c.OnlyB))
	if difference, share, ok := foldDifferences(bothA, bothB, len(a)); ok {
		c.Folds = int32(len(difference))
		c.T, c.TP = inference.CorrectedT(difference, share)
	}
	return c, nil
}

// bothRepeats are the folds of a in the repeats that b has too.
func bothRepeats(a, b []fold.Tested) (both []fold.Tested) {
	for _, f := range a {
		if slices.ContainsFunc(b, func(g fold.Tested) bool { return g.Repeat == f.Repeat }) {
			both = append(both, f)
		}
	}
	return both
}

// foldDifferences are the differences in accuracy in each fold, and the mean ratio
// of tested to trained participants; not ok when the divisions differ.
func foldDifferences(a, b []fold.Tested, participants int) (difference []float64, share float64, ok bool) {
	if len(a) != len(b) {
		return nil, 0, false
	}
	ids := func(f fold.Tested) []string {
		out := lists.Map(f.Participants, func(p fold.Case) string { return p.Id })
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
