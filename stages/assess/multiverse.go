package assess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var multiverseKind = dag.Kind{
	Name: "multiverse",
	Doc: "specification curve of many analyses, and their joint test\n" +
		"Each setting of the predictions is a universe (Steegen et al. 2016). The joint test is that of Simonsohn, Simmons and Nelson (2020) with label permutations: the same permutations in every universe, in each of which all models are retrained (permuted of baseline); if some are retrained on the first permutations only, all universes use these. Under the null hypothesis labels are exchangeable in every universe. Three statistics, each with p over the permutations: the weighted median of the effects, the share of universes with p < 0.05, and Stouffer's weighted sum of z; joint states in advance which is the test. The best universe is corrected for having been chosen, by the largest effect of each permutation (Westfall and Young 1993). The universes are no sample: a joint test is no interval over analyses. Where permutations within folds and sites are so few that no p could be below 0.05, there is no joint test and no p. Universes with the same predictions (to 1e-6) count once in the joint test; the options are compared over all universes.",
	New: func() dag.Stage { return &Multiverse{Joint: "median", Effect: "auc", Top: 10} },
}

var (
	_ role.Referrer = (*Multiverse)(nil)
	_ role.PortUser = (*Multiverse)(nil)
	_ role.Reader   = (*Multiverse)(nil)
)

// Multiverse tests many analyses jointly.
type Multiverse struct {
	Joint    string   `param:"joint" doc:"the joint statistic that is the test; choose it before the results" choices:"median|share|stouffer"`
	Effect   string   `param:"effect" doc:"auc: AUC less 0.5, mean over the folds; accuracy: accuracy less the majority-class rate" choices:"auc|accuracy"`
	By       string   `param:"by" doc:"a decision of which each option gets the same total weight, however many universes it has; by default universes have equal weights"`
	Headline []string `param:"headline" doc:"the universe that is the headline, chosen before the results, by some of its coordinates, such as [model=ridge, denoising=24P]"`
	Top      int      `param:"top" doc:"regions: number of top regions of each universe that count as found" min:"1" max:"20000"`
	Positive string   `param:"positive" doc:"positive group, as in evaluate"`
}

func (*Multiverse) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{fold.PredictionsPort("predictions of all universes"),
			{Name: "permuted", Type: column.Type[fold.PermutedRow](), Gather: true,
				Doc: "permuted of the same stages: their models retrained on permuted labels (permutations of split)"},
			{Name: "regions", Type: column.Needs[fold.PatternRow](), Gather: true, Optional: true,
				Doc: "regions of the same stages: universes are ranked by the patterns of linear models, mean over the folds"},
			fold.LeakagePort()},
		Out: []dag.Port{
			{Name: "universes", Type: column.Needs[column.UniverseRow](), Doc: "one row for each universe, by rising effect"},
			{Name: "joint", Type: column.Type[column.JointRow](), Doc: "the joint statistics, and the best universe"},
			{Name: "options", Type: column.Type[column.OptionRow](), Doc: "one row for each option of each decision"},
			{Name: "regions", Type: column.Type[column.UniverseRegionRow](), Doc: "one row for each region, those that most universes have among the top first; no rows where universes have other regions, or no patterns"},
		},
	}
}

// UsesPorts are the predictions, of all folds, the permuted labels, and the checks.
func (s *Multiverse) UsesPorts() []role.PortUse {
	return fold.AfterChecks(role.PortUse{Port: "predictions", As: role.AllFolds},
		role.PortUse{Port: "permuted", As: role.PermutedLabels})
}

// ReadsParticipants is the positive group.
func (s *Multiverse) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "positive", Name: s.Positive, Group: true}}
}

// RefersTo is the universe that is the headline, and the decision of the weights.
func (s *Multiverse) RefersTo() role.Reference {
	return role.Reference{Parameter: "headline", Gathered: "predictions", Coords: s.Headline,
		Without: "has no headline", By: [2]string{"by", s.By}}
}

// A universe is one combination of the options of all decisions.
type universe struct {
	column.UniverseRow
	folds  []fold.Tested
	curve  fold.Curve
	effect []float64 // of each permutation, the true labels first
	same   int       // the universe with the same predictions; −1: none before it
}

func (s *Multiverse) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	positive, _, err := fold.PositiveGroup(s.Positive, all.Groups)
	if err != nil {
		return nil, err
	}
	found := slices.Clone(all.Found) // universes may exclude participants, which complete would add
	if err := complete(t, all, false); err != nil {
		return nil, err
	}
	decisions := decisionsOf(all)
	for _, d := range decisions {
		if slices.Contains(column.Names[column.UniverseRow](), d) {
			return nil, fmt.Errorf("the table of universes has a column %s: give the decision %[1]s another name", d)
		}
	}
	universes, err := s.universes(t, all, decisions, positive)
	if err != nil {
		return nil, err
	}
	distinct := slices.DeleteFunc(slices.Clone(universes), func(u *universe) bool { return u.same >= 0 })
	if len(distinct) < 2 {
		return nil, errors.New("all universes have the same predictions: a multiverse has at least two that differ")
	}
	if err := s.weigh(distinct, decisions); err != nil {
		return nil, err
	}
	curve := inference.SpecificationCurve(lists.Map(distinct, func(u *universe) []float64 { return u.effect }),
		lists.Map(distinct, func(u *universe) float64 { return u.Weight }))
	for i, u := range distinct {
		u.P, u.Z = curve.P[i], curve.Z[i]
	}
	for _, u := range universes {
		if u.same >= 0 {
			u.P, u.Z, u.SameAs = universes[u.same].P, universes[u.same].Z, universes[u.same].Universe
		}
	}
	order(universes, curve)
	least := fold.LeastP(lists.Map(distinct, func(u *universe) fold.Curve { return u.curve }))
	tested := !inference.Powerless(least)
	if !tested {
		for _, u := range universes {
			u.P, u.NullLow, u.NullHigh = math.NaN(), math.NaN(), math.NaN()
		}
	}
	rows := lists.Map(universes, func(u *universe) column.UniverseRow { return u.UniverseRow })
	table := column.Table(rows, decisions...)
	if found != nil {
		table.Meta = map[string]string{finding.Meta: finding.Written(found)}
	}
	regions, err := fold.AmongTop(t.All("regions"),
		lists.Map(distinct, func(u *universe) []dag.Coord { return u.Coords }), s.Top)
	if err != nil {
		return nil, err
	}
	joint := s.joint(curve, distinct, len(universes)-len(distinct), least)
	return dag.Outputs{"universes": table, "joint": joint, "options": options(universes, decisions, tested),
		"regions": column.Table(regions)}, nil
}

// decisionsOf are the axes on which universes differ.
func decisionsOf(all *fold.Settings) []string {
	value := func(fs []fold.Tested, axis string) string { return column.ValueOn(fs[0].Coords, axis) }
	axes := slices.DeleteFunc(slices.Clone(all.Axes), func(axis string) bool {
		return !slices.ContainsFunc(all.Settings, func(fs []fold.Tested) bool {
			return value(fs, axis) != value(all.Settings[0], axis)
		})
	})
	slices.Sort(axes)
	return axes
}

// universes reads the effects of each setting, under the true and the permuted labels. Some models are retrained on
// the first permutations only: then these are used in all universes.
func (s *Multiverse) universes(t *dag.Task, all *fold.Settings, decisions []string, positive int) ([]*universe, error) {
	tests, err := fold.ReadTests(t, all.Settings, fold.Sites{}, 0, 0)
	if err != nil {
		return nil, err
	}
	headline, err := stated("headline", s.Headline, all.Settings)
	if err != nil {
		return nil, err
	}
	curves, least := make([]fold.Curve, len(all.Settings)), math.MaxInt
	for i, folds := range all.Settings {
		if curves[i], err = tests.Curve(i, folds, positive); err != nil {
			return nil, err
		}
		if n := len(curves[i].Measures); n > 0 {
			least = min(least, n-1)
		}
	}
	var out []*universe
	var untrained []string
	var first fold.Curve
	for i, folds := range all.Settings {
		u := &universe{folds: folds, same: -1}
		for _, axis := range decisions {
			u.Coords = append(u.Coords, dag.Coord{Axis: axis, Value: column.ValueOn(folds[0].Coords, axis)})
		}
		u.Universe, u.Name, u.Headline = column.CoordText(u.Coords), folds[0].Name, i == headline
		if curves[i].Measures == nil {
			untrained = append(untrained, u.Universe)
			continue
		}
		curve := curves[i].First(least)
		if first.Measures == nil {
			first = curve
		}
		if why := curve.OtherLabels(first); why != "" {
			return nil, fmt.Errorf("%s and %s: %s: a joint test needs the same label permutations in every universe: connect the same stage split",
				out[0].Universe, u.Universe, why)
		}
		u.curve = curve
		s.measure(u, all.Groups, positive)
		u.same = slices.IndexFunc(out, func(o *universe) bool {
			return o.same < 0 && fold.SamePredictions(o.folds, folds)
		})
		out = append(out, u)
	}
	if untrained != nil {
		return nil, fmt.Errorf("no models retrained on permuted labels of %s: set permutations of split, and connect permuted of stages whose models can be retrained (pipeline stages baseline)",
			words.Some(untrained, 3))
	}
	if least < inference.LeastPermutations {
		return nil, fmt.Errorf("%s: a share of universes with p < 0.05 needs at least %d: set permutations of split",
			words.Count(least, "label permutation"), inference.LeastPermutations)
	}
	return out, nil
}

// measure fills the effects of a universe.
func (s *Multiverse) measure(u *universe, groups []string, positive int) {
	curve := u.curve
	r := column.AccuracyRow{Level: "participant"}
	first := fold.FirstRepeat(u.folds)
	chance, at := 0.5, 2
	if s.Effect == "accuracy" {
		chance, at = fold.Majority(first, len(groups)), 0
	}
	for _, m := range curve.Measures {
		u.effect = append(u.effect, m[at]-chance)
	}
	u.Measure, u.Effect = curve.Measures[0][at], u.effect[0]
	r.Accuracy, r.AUC, r.Balanced = curve.Measures[0][0], curve.Measures[0][2], curve.Measures[0][1]
	fold.Intervals(&r, first, len(groups), positive)
	low, high := r.AUCLow, r.AUCHigh
	if s.Effect == "accuracy" {
		low, high = r.Low, r.High
	}
	u.UniverseRow.Low, u.UniverseRow.High = low-chance, high-chance
}

// weigh gives the universes their weights, whose sum is 1.
func (s *Multiverse) weigh(universes []*universe, decisions []string) error {
	if s.By == "" {
		for _, u := range universes {
			u.Weight = 1 / float64(len(universes))
		}
		return nil
	}
	if !slices.Contains(decisions, s.By) {
		return fmt.Errorf("by: universes do not differ in %q%s", s.By, words.OrAll(s.By, decisions))
	}
	count := map[string]int{}
	for _, u := range universes {
		count[column.ValueOn(u.Coords, s.By)]++
	}
	for _, u := range universes {
		u.Weight = 1 / float64(len(count)*count[column.ValueOn(u.Coords, s.By)])
	}
	return nil
}

// order sorts the universes by rising effect, and gives each the null band at its place. A universe that repeats
// another follows it, at the same place.
func order(universes []*universe, curve *inference.Curve) {
	slices.SortStableFunc(universes, func(a, b *universe) int {
		return cmp.Or(cmp.Compare(a.Effect, b.Effect), cmp.Compare(b2i(a.same >= 0), b2i(b.same >= 0)),
			strings.Compare(a.Universe, b.Universe))
	})
	place := 0
	for i, u := range universes {
		if u.same < 0 {
			place++
		}
		at := max(place-1, 0)
		u.Order, u.NullLow, u.NullHigh = int32(i+1), curve.Low[at], curve.High[at]
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *Multiverse) joint(curve *inference.Curve, distinct []*universe, repeated int, least float64) *encoding.Table {
	positive, significant := 0, 0
	for _, u := range distinct {
		positive += b2i(u.Effect > 0)
		significant += b2i(inference.Significant(u.P))
	}
	var rows []column.JointRow
	for _, of := range []struct {
		name string
		inference.Joint
	}{{"median", curve.Median}, {"share", curve.Share}, {"stouffer", curve.Stouffer}, {"best", curve.Best}} {
		null := slices.Sorted(slices.Values(of.Values[1:]))
		r := column.JointRow{Statistic: of.name, Value: of.Values[0], P: of.P, Least: least,
			NullMedian: inference.Quantile(null, 0.5), Test: of.name == s.Joint, Universes: int32(len(distinct)),
			Repeated: int32(repeated), Positive: int32(positive), Significant: int32(significant), By: s.By,
			Permutations: int32(len(null)), Effect: s.Effect}
		if inference.Powerless(least) {
			r.P, r.NullMedian = math.NaN(), math.NaN()
			if of.name == "share" {
				r.Value = math.NaN()
			}
		}
		rows = append(rows, r)
	}
	return column.Table(rows)
}

// explained is the share of the variance of the effects that a decision explains, and p over the label permutations.
// options are the places of those of the universes.
func explained(universes []*universe, options []int) (share, p float64) {
	const rounding = 1e-12
	least := 0
	for i := range universes[0].effect {
		own := inference.Explained(lists.Map(universes, func(u *universe) float64 { return u.effect[i] }), options)
		if i == 0 {
			share = own
		}
		if own >= share-rounding { // false of NaN
			least++
		}
	}
	if math.IsNaN(share) {
		return share, math.NaN()
	}
	return share, float64(least) / float64(len(universes[0].effect))
}

// options are the universes by the options of each decision; no share of them is significant where nothing is tested.
func options(universes []*universe, decisions []string, tested bool) *encoding.Table {
	names := lists.Map(decisions, func(axis string) []string {
		of := lists.Map(universes, func(u *universe) string { return column.ValueOn(u.Coords, axis) })
		slices.SortFunc(of, dag.CompareValues)
		return slices.Compact(of)
	})
	full := 1
	for _, of := range names {
		full *= len(of)
	}
	var rows []column.OptionRow
	for i, axis := range decisions {
		explained, p := explained(universes, lists.Map(universes, func(u *universe) int {
			return slices.Index(names[i], column.ValueOn(u.Coords, axis))
		}))
		if !tested {
			p = math.NaN()
		}
		for _, option := range names[i] {
			r := column.OptionRow{Decision: axis, Option: option, Explained: explained, ExplainedP: p,
				Balanced: len(universes) == full}
			var own []float64
			significant := 0
			for _, u := range universes {
				if column.ValueOn(u.Coords, axis) == option {
					own, r.Weight = append(own, u.Effect), r.Weight+u.Weight
					significant += b2i(inference.Significant(u.P))
				}
			}
			slices.Sort(own)
			r.Universes, r.Median, r.Share = int32(len(own)), inference.Quantile(own, 0.5),
				float64(significant)/float64(len(own))
			if !tested {
				r.Share = math.NaN()
			}
			rows = append(rows, r)
		}
	}
	return column.Table(rows)
}
