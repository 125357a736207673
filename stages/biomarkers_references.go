package stages

import (
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/internal/exact"
	"prgnn/internal/random"
	"prgnn/stages/inference"
)

// The methods that rank regions: the trained models, and references that owe nothing to their training.
const (
	trainedModels   = "trained models"
	untrainedModels = "untrained models" // at their starting weights
	strengthTest    = "t-test of node strength"
	featureTest     = "t-test of features"
	ridgePattern    = "ridge pattern"
)

// ridgePenalty is baseline's default.
const ridgePenalty = 1

// A recoveryRow says what one ranking of the regions is worth.
type recoveryRow struct {
	Coords    []dag.Coord `column:"*"`
	Top       int32       `column:"top" doc:"how many of the first regions count as found"`
	Planted   *int32      `column:"planted" doc:"regions with a planted edge; missing where the truth is not known"`
	Found     *int32      `column:"found" doc:"planted regions among the first"`
	AUROC     float64     `column:"auroc,missing" doc:"chance that a planted region has a higher value than another one; 0.5 by guessing"`
	By        string      `column:"by" doc:"what the regions are ordered by: the mean pooling score, the contrast of the groups, how far the score lies beyond permuted groups (null), or a reference's own statistic; of the trained models that of the ranking first"`
	Method    string      `column:"method" doc:"trained models, or a reference: the same models at their starting weights; mean over folds, in the training participants, of Welch's |t| of node strength (mean of a region's features) or of the mean |t| over a region's features; the mean over a region's features of the absolute pattern of a ridge regression on all features (Haufe et al. 2014)"`
	Agreement float64     `column:"agreement,missing" doc:"Kuncheva's index of the first regions between models (folds, repeats, seeds): 0 by chance, 1 for the same regions; references without a network are computed from training participants, most of which two folds share"`
	Score     float64     `column:"common_score,missing" doc:"of the first regions, those also among the first by the trained models' mean score"`
	Contrast  float64     `column:"common_contrast,missing" doc:"the same by the trained models' contrast"`
	HeldOut   float64     `column:"held_out,missing" doc:"difference between the groups in the test participants, in sd within the groups and in the direction that it has in the training participants, over the features of the first regions of the ranking made from the training participants alone; mean over models, 0 by chance"`
	All       float64     `column:"held_out_all,missing" doc:"the same over all regions: what regions at random give"`
}

// A rankedBy is a ranking by one method.
type rankedBy struct {
	method, by string
	all        []float64   // by region
	single     [][]float64 // by model and region
	taught     [][]float64 // by model and region, from its training participants alone; nil where that is not known
	effect     [][]float64 // by model and region: the groups' difference in its test participants; nil likewise
}

// A nodeFeatures has the features of each participant, the mean over draws: node by node.
type nodeFeatures struct {
	nodes   int
	threads int
	of      map[string]map[string][]float64 // fold ("" where they are the same in all) → participant
	known   map[string]*withoutNetwork      // computed already: settings share their folds
}

// readNodeFeatures reads one participant after the other; nil without any.
func readNodeFeatures(ins []dag.Input, nodes, threads int) (*nodeFeatures, error) {
	if len(ins) == 0 {
		return nil, nil
	}
	f := &nodeFeatures{nodes: nodes, threads: threads, of: map[string]map[string][]float64{}, known: map[string]*withoutNetwork{}}
	width := 0
	for _, in := range ins {
		id, fold := in.Coord("subject"), in.Coord("fold")
		if id == "" {
			return nil, fmt.Errorf("%s is not of one participant: connect a stage that fans out over subject", in.Name)
		}
		a, err := in.Array()
		if err != nil {
			return nil, err
		}
		if len(a.Shape) != 3 || a.Len() == 0 || a.Shape[1] != nodes || width > 0 && a.Shape[2] != width {
			return nil, fmt.Errorf("%s: features of shape %v, want draw, roi, feature with %d regions and as many features as of other participants", in.Name, a.Shape, nodes)
		}
		width = a.Shape[2]
		draws, err := FoldParams{}.numbers(a.Shape[0], in.Name)
		if err != nil {
			return nil, err
		}
		v, mean := a.Float64s(), make([]float64, nodes*width)
		for _, d := range draws {
			for i, x := range v[d*len(mean):][:len(mean)] {
				mean[i] += x
			}
		}
		for i := range mean {
			mean[i] /= float64(len(draws))
		}
		if f.of[fold] == nil {
			f.of[fold] = map[string][]float64{}
		}
		f.of[fold][id] = mean
	}
	return f, nil
}

// rankings are those of one setting: the trained models' by score and contrast, that of the parameter
// reading first, then the references that the inputs allow.
func (b *Biomarkers) rankings(ids []string, of *settingScores, features *nodeFeatures, n int) ([]rankedBy, error) {
	readings := []string{"score", "contrast"}
	if b.Reading == "contrast" {
		slices.Reverse(readings)
	}
	var out []rankedBy
	for _, method := range []string{trainedModels, untrainedModels} {
		models, taught := of.models, []*modelScores(nil)
		if method == untrainedModels {
			models = nil
			for _, m := range of.models {
				if m.untrained != nil && len(m.untrained.tallies) > 0 {
					models = append(models, m.untrained)
				}
			}
			if len(models) < len(of.models) {
				continue
			}
		}
		for _, m := range models {
			taught = append(taught, &modelScores{tallies: m.taught, graphs: m.graphs, group: m.group})
		}
		for _, by := range readings {
			r := rankedBy{method: method, by: by}
			all, err := b.readings(by, ids, n, models)
			if err != nil {
				return nil, err
			}
			r.all = all[0]
			if r.single, err = b.readings(by, ids, n, singly(models)...); err != nil {
				return nil, err
			}
			if r.taught, err = b.readings(by, ids, n, singly(taught)...); err != nil {
				return nil, err
			}
			if len(r.taught) < len(models) { // the scores of the training side are not kept
				r.taught = nil
			}
			out = append(out, r)
		}
	}
	if features == nil {
		return out, nil
	}
	var effect [][]float64
	without := map[string][][]float64{}
	for _, m := range of.models {
		w, err := features.withoutNetwork(ids, m, of.models)
		if err != nil {
			return nil, err
		}
		if w == nil { // nobody to train on is known
			return out, nil
		}
		effect = append(effect, w.effect)
		for method, v := range map[string][]float64{strengthTest: w.strength, featureTest: w.features, ridgePattern: w.ridge} {
			without[method] = append(without[method], v)
		}
	}
	for _, method := range []string{strengthTest, featureTest, ridgePattern} {
		r := rankedBy{method: method, by: "statistic", all: make([]float64, n), single: without[method], taught: without[method]}
		for j := range r.all {
			for _, v := range r.single {
				r.all[j] += v[j] / float64(len(r.single))
			}
		}
		out = append(out, r)
	}
	for i := range out {
		out[i].effect = effect
	}
	return out, nil
}

// A withoutNetwork is what the training participants of one model tell of the regions without a graph network,
// and what its test participants then show. By region.
type withoutNetwork struct{ strength, features, ridge, effect []float64 }

// withoutNetwork computes the references of one model: from the participants on whom it was trained, those of its
// own scores or, where these are of the test side only, those tested by the other models of its repeat
// and seed. nil when there are none.
func (f *nodeFeatures) withoutNetwork(ids []string, m *modelScores, all []*modelScores) (*withoutNetwork, error) {
	taught, group := map[string]bool{}, map[string]string{}
	for id := range m.taught {
		taught[id], group[id] = true, m.group[id]
	}
	if len(taught) == 0 {
		for _, other := range all {
			if other.repeat == m.repeat && other.seed == m.seed {
				for id := range other.tallies {
					taught[id], group[id] = m.tallies[id] == nil, other.group[id]
				}
			}
		}
	}
	fold := m.fold
	if f.of[fold] == nil {
		fold = ""
	}
	var names []string
	for _, id := range ids {
		if g := m.group[id]; m.tallies[id] != nil && g != "" {
			group[id] = g
		}
		if g := group[id]; g != "" && !slices.Contains(names, g) {
			names = append(names, g)
		}
	}
	slices.Sort(names)
	var train, test inference.Sample
	key := fold
	for _, id := range ids {
		side := &train
		switch {
		case m.tallies[id] != nil:
			side = &test
			key += "\ntest " + id
		case taught[id]:
			key += "\ntrain " + id
		default:
			continue
		}
		v := f.of[fold][id]
		if v == nil {
			return nil, fmt.Errorf("features: there are none of %s, who has scores: connect the features that the models were trained on", id)
		}
		side.Values, side.Group = append(side.Values, v), append(side.Group, slices.Index(names, group[id]))
		key += "\t" + group[id]
	}
	if len(train.Values) == 0 {
		return nil, nil
	}
	if f.known[key] == nil {
		train.Groups, test.Groups = len(names), len(names)
		w, err := f.compute(train, test)
		if err != nil {
			return nil, err
		}
		f.known[key] = w
	}
	return f.known[key], nil
}

func (f *nodeFeatures) compute(train, test inference.Sample) (*withoutNetwork, error) {
	strength := inference.Sample{Group: train.Group, Groups: train.Groups}
	rows := baseline.Rows{N: len(train.Values), D: len(train.Values[0])}
	for _, v := range train.Values {
		strength.Values = append(strength.Values, f.byRegion(v))
		rows.X = append(rows.X, v...)
	}
	ridge, err := baseline.FitRidge(rows, train.Group, train.Groups, ridgePenalty, f.threads)
	if err != nil {
		return nil, fmt.Errorf("reference ridge regression: %w; without features no references are computed", err)
	}
	decision := make([][]float64, rows.N)
	probability := ridge.Probability(rows, f.threads)
	for i := range decision { // up to what all outputs share, the logarithm of a probability is the decision value
		mean := 0.0
		for _, p := range probability[i*train.Groups:][:train.Groups] {
			decision[i] = append(decision[i], exact.Log(p))
			mean += exact.Log(p) / float64(train.Groups)
		}
		for c := range decision[i] {
			decision[i][c] -= mean
		}
	}
	w := &withoutNetwork{
		strength: inference.WelchT(strength), features: f.byRegion(absolute(inference.WelchT(train))),
		ridge: f.byRegion(inference.Pattern(train.Values, decision)), effect: f.byRegion(inference.Replicated(train, test)),
	}
	absolute(w.strength)
	return w, nil
}

// byRegion is the mean over each region's features, of those that have a value.
func (f *nodeFeatures) byRegion(v []float64) []float64 {
	out, width := make([]float64, f.nodes), len(v)/f.nodes
	for j := range out {
		n := 0.0
		for _, x := range v[j*width:][:width] {
			if !math.IsNaN(x) {
				out[j] += x
				n++
			}
		}
		out[j] /= n
	}
	return out
}

// absolute takes the signs off, in place.
func absolute(v []float64) []float64 {
	for i, x := range v {
		v[i] = math.Abs(x)
	}
	return v
}

// recoveries are the rows of the rankings of one setting. There are none when nothing is to be said:
// nothing was planted, or it is not known, and no reference is there.
func (b *Biomarkers) recoveries(coords []dag.Coord, rankings []rankedBy, planted []bool) []recoveryRow {
	references := slices.ContainsFunc(rankings, func(r rankedBy) bool { return r.method != trainedModels })
	if !slices.Contains(planted, true) && !references {
		return nil
	}
	trained := map[string][]bool{}
	for _, r := range rankings[:2] {
		trained[r.by] = inference.Top(r.all, min(b.Top, len(r.all)))
	}
	nan := math.NaN()
	var rows []recoveryRow
	for _, r := range rankings {
		k := min(b.Top, len(r.all))
		row := recoveryRow{Coords: coords, Top: int32(k), By: r.by, Method: r.method, AUROC: nan, Agreement: nan, HeldOut: nan, All: nan}
		first := inference.Top(r.all, k)
		if planted != nil {
			row.Planted, row.Found = new(int32), new(int32)
			sorted := make([]saliency, len(r.all))
			for j := range r.all {
				sorted[j] = saliency{node: j, score: r.all[j]}
				if planted[j] {
					*row.Planted++
					if first[j] {
						*row.Found++
					}
				}
			}
			row.AUROC = auroc(sorted, planted)
		}
		full := func(v []float64) bool { return both(inference.Top(v, k), inference.Top(v, k)) == float64(k) }
		if len(r.single) > 1 && !slices.ContainsFunc(r.single, func(v []float64) bool { return !full(v) }) {
			row.Agreement = inference.Agree(r.single, b.Top, 1, random.New(b.Seed, "biomarkers", "references")).Kuncheva
		}
		row.Score, row.Contrast = both(first, trained["score"]), both(first, trained["contrast"])
		if r.taught != nil && r.effect != nil {
			row.HeldOut, row.All = 0, 0
			for m, v := range r.taught {
				row.HeldOut += meanOf(r.effect[m], inference.Top(v, k)) / float64(len(r.taught))
				row.All += meanOf(r.effect[m], nil) / float64(len(r.taught))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// both counts what is in either set.
func both(a, b []bool) (n float64) {
	for i := range a {
		if a[i] && b[i] {
			n++
		}
	}
	return n
}

// meanOf is the mean of the chosen values, nil for all; what is no number is left out.
func meanOf(v []float64, chosen []bool) float64 {
	sum, n := 0.0, 0.0
	for i, x := range v {
		if (chosen == nil || chosen[i]) && !math.IsNaN(x) {
			sum += x
			n++
		}
	}
	return sum / n
}
