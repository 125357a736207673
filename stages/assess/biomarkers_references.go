package assess

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

// ridgePenalty is baseline's default.
const ridgePenalty = 1

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
	known   map[string]*WithoutNetwork      // computed already: settings share their folds
}

// ReadNodeFeatures reads one participant after the other; nil without any.
func ReadNodeFeatures(ins []dag.Input, nodes, threads int) (*nodeFeatures, error) {
	if len(ins) == 0 {
		return nil, nil
	}
	f := &nodeFeatures{nodes: nodes, threads: threads, of: map[string]map[string][]float64{},
		known: map[string]*WithoutNetwork{}}
	width := 0
	for _, in := range ins {
		id, number := in.Coord("subject"), in.Coord("fold")
		if id == "" {
			return nil, fmt.Errorf("%s does not belong to a single participant: connect a stage that fans out over subject", in.Name)
		}
		a, err := in.SharedArray()
		if err != nil {
			return nil, err
		}
		if len(a.Shape) != 3 || a.Len() == 0 || a.Shape[1] != nodes || width > 0 && a.Shape[2] != width {
			return nil, fmt.Errorf("%s: features of shape %v, expected draw, roi, feature with %d regions and as many features as for other participants", in.Name, a.Shape, nodes)
		}
		width = a.Shape[2]
		draws, err := fold.Params{}.Numbers(a.Shape[0], in.Name)
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
		if f.of[number] == nil {
			f.of[number] = map[string][]float64{}
		}
		if f.of[number][id] != nil {
			return nil, fmt.Errorf("%s is a second table of %s: first combine the participant's sessions by the kind sessions", in.Name, id)
		}
		f.of[number][id] = mean
	}
	return f, nil
}

// only are the features of some regions, and those that are of these regions where there is one a region.
func (f *nodeFeatures) only(regions []int) *nodeFeatures {
	if f == nil {
		return nil
	}
	one := &nodeFeatures{nodes: len(regions), threads: f.threads, of: map[string]map[string][]float64{},
		known: map[string]*WithoutNetwork{}}
	for fold, of := range f.of {
		one.of[fold] = map[string][]float64{}
		for id, v := range of {
			one.of[fold][id] = regionFeatures(v, f.nodes, regions)
		}
	}
	return one
}

func regionFeatures(v []float64, nodes int, regions []int) (out []float64) {
	width := len(v) / nodes
	for _, r := range regions {
		row := v[r*width:][:width]
		if width == nodes {
			row = lists.At(row, regions)
		}
		out = append(out, row...)
	}
	return out
}

// rankings are those of one setting: the trained models' by score and contrast, that of the parameter
// reading first, then the references that the inputs allow.
func (b *Biomarkers) rankings(ids []string, of *settingScores, features *nodeFeatures, n int) ([]rankedBy, error) {
	readings := []string{"score", "contrast"}
	if b.Reading == "contrast" {
		slices.Reverse(readings)
	}
	var out []rankedBy
	for _, method := range []string{column.TrainedModels, column.UntrainedModels} {
		models, taught := of.models, []*ModelScores(nil)
		if method == column.UntrainedModels {
			models = nil
			for _, m := range of.models {
				if m.untrained != nil && len(m.untrained.Tallies) > 0 {
					models = append(models, m.untrained)
				}
			}
			if len(models) < len(of.models) {
				continue
			}
		}
		for _, m := range models {
			taught = append(taught, &ModelScores{Tallies: m.Taught, graphs: m.graphs, Group: m.Group})
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
		w, err := features.WithoutNetwork(ids, m, of.models)
		if err != nil {
			return nil, err
		}
		if w == nil { // nobody to train on is known
			return out, nil
		}
		effect = append(effect, w.Effect)
		for method, v := range map[string][]float64{column.StrengthTest: w.Strength, column.FeatureTest: w.Features,
			column.RidgePattern: w.Ridge, column.RidgeOcclusion: w.Occlusion} {
			without[method] = append(without[method], v)
		}
	}
	for _, method := range []string{column.StrengthTest, column.FeatureTest, column.RidgePattern,
		column.RidgeOcclusion} {
		r := rankedBy{method: method, by: "statistic", all: make([]float64, n), single: without[method],
			taught: without[method]}
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

// A WithoutNetwork ranks the regions from the training participants of one model without a graph network,
// and measures the same in its test participants. By region.
type WithoutNetwork struct{ Strength, Features, Ridge, Occlusion, Effect []float64 }

// WithoutNetwork computes the references of one model: from the participants on whom it was trained, those of its
// own scores or, where these are of the test side only, those tested by the other models of its repeat
// and seed. nil when there are none.
func (f *nodeFeatures) WithoutNetwork(ids []string, m *ModelScores, all []*ModelScores) (*WithoutNetwork, error) {
	taught, group := map[string]bool{}, map[string]string{}
	for id := range m.Taught {
		taught[id], group[id] = true, m.Group[id]
	}
	if len(taught) == 0 {
		for _, other := range all {
			if other.repeat == m.repeat && other.seed == m.seed {
				for id := range other.Tallies {
					taught[id], group[id] = m.Tallies[id] == nil, other.Group[id]
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
		if g := m.Group[id]; m.Tallies[id] != nil && g != "" {
			group[id] = g
		}
		if g := group[id]; g != "" && !slices.Contains(names, g) {
			names = append(names, g)
		}
	}
	slices.Sort(names)
	var train, test inference.Sample
	var who strings.Builder
	who.WriteString(fold)
	for _, id := range ids {
		side := &train
		switch {
		case m.Tallies[id] != nil:
			side = &test
			who.WriteString("\ntest " + id)
		case taught[id]:
			who.WriteString("\ntrain " + id)
		default:
			continue
		}
		v := f.of[fold][id]
		if v == nil {
			of := ""
			if fold == "" && m.fold != "" && f.of[""] == nil {
				of = " of fold " + m.fold
			}
			return nil, fmt.Errorf("features: %s has scores but no features%s: connect the features used in training, of all folds ([*])", id, of)
		}
		side.Values, side.Group = append(side.Values, v), append(side.Group, slices.Index(names, group[id]))
		who.WriteString("\t" + group[id])
	}
	key := who.String()
	if len(train.Values) == 0 {
		return nil, nil
	}
	if f.known[key] == nil {
		train.Groups, test.Groups = len(names), len(names)
		w, err := f.Compute(train, test)
		if err != nil {
			return nil, err
		}
		f.known[key] = w
	}
	return f.known[key], nil
}

func (f *nodeFeatures) Compute(train, test inference.Sample) (*WithoutNetwork, error) {
	strength := inference.Sample{Group: train.Group, Groups: train.Groups}
	rows := baseline.Rows{N: len(train.Values), D: len(train.Values[0])}
	rows.X = make([]float64, 0, rows.N*rows.D)
	for _, v := range train.Values {
		strength.Values = append(strength.Values, f.byRegion(v))
		rows.X = append(rows.X, v...)
	}
	ridge, err := baseline.FitRidge(rows, train.Group, train.Groups, ridgePenalty, f.threads)
	if err != nil {
		return nil, fmt.Errorf("reference ridge regression: %w; to omit the references, do not connect features", err)
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
	w := &WithoutNetwork{
		Strength: inference.WelchT(strength), Features: f.byRegion(absolute(inference.WelchT(train))),
		Ridge:  f.byRegion(inference.Pattern(train.Values, decision)),
		Effect: f.byRegion(inference.Replicated(train, test)),
	}
	absolute(w.Strength)
	if linear, ok := baseline.AsLinear(ridge); ok {
		w.Occlusion = f.occlusion(linear.Weights(), train)
	}
	return w, nil
}

// occlusion is by how much the decision value for the own group falls, on average over the participants, if the
// features of a region are replaced by their means: its row, and its column where each region is a feature of the
// others. Of a linear model it is the sum over the features of weight × (value − mean).
func (f *nodeFeatures) occlusion(weights [][]float64, train inference.Sample) []float64 {
	n, width := float64(len(train.Values)), len(train.Values[0])/f.nodes
	mean := make([]float64, len(train.Values[0]))
	for _, v := range train.Values {
		for k, x := range v {
			mean[k] += x / n
		}
	}
	drop := make([]float64, len(mean)) // of each feature
	for i, v := range train.Values {
		w, sign := weights[0], 1.0
		switch {
		case len(weights) > 1:
			w = weights[train.Group[i]]
		case train.Group[i] == 0: // the decision value of two groups is that of the last one
			sign = -1
		}
		for k, x := range v {
			drop[k] += float64(sign*w[k]*(x-mean[k])) / n
		}
	}
	out := make([]float64, f.nodes)
	for k, d := range drop {
		row, column := k/width, k%width
		out[row] += d
		if width == f.nodes && column != row {
			out[column] += d
		}
	}
	return out
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

func absolute(v []float64) []float64 {
	for i, x := range v {
		v[i] = math.Abs(x)
	}
	return v
}

// recoveries are the rows of the rankings of one setting. There are none when nothing is to be said:
// nothing was planted, or it is not known, and no reference is there.
func (b *Biomarkers) recoveries(coords []dag.Coord, rankings []rankedBy, planted []bool,
	testShare float64, testedLeast int) []column.RecoveryRow {
	references := slices.ContainsFunc(rankings, func(r rankedBy) bool { return r.method != column.TrainedModels })
	if !slices.Contains(planted, true) && !references {
		return nil
	}
	trained := map[string][]float64{}
	for _, r := range rankings[:2] {
		trained[r.by] = inference.Top(r.all, min(b.Top, len(r.all)))
	}
	nan := math.NaN()
	var rows []column.RecoveryRow
	for _, r := range rankings {
		k := min(b.Top, len(r.all))
		row := column.RecoveryRow{Coords: coords, Top: int32(k), By: r.by, Method: r.method,
			TestedLeast: int32(testedLeast), AUROC: nan, Agreement: nan, HeldOut: nan, All: nan,
			LeadScore: nan, PScore: nan, LeadContrast: nan, PContrast: nan,
			HeldOutLeadScore: nan, HeldOutPScore: nan, HeldOutLeadContrast: nan, HeldOutPContrast: nan}
		first := inference.Top(r.all, k)
		if planted != nil {
			row.Planted, row.Found = new(int32), new(int32)
			for j := range r.all {
				if planted[j] {
					*row.Planted++
					if first[j] == 1 {
						*row.Found++
					}
				}
			}
			row.AUROC = auroc(r.all, planted)
		}
		short := func(v []float64) bool { return len(column.Known(v)) < k }
		if len(r.single) > 1 && !slices.ContainsFunc(r.single, short) {
			row.Agreement = inference.Agree(r.single, b.Top, 1, random.New(b.Seed, "biomarkers", "references")).Kuncheva
		}
		row.Score, row.Contrast = dense.Inner(first, trained["score"]), dense.Inner(first, trained["contrast"])
		if r.taught != nil && r.effect != nil {
			row.HeldOut, row.All = 0, 0
			for m, v := range r.heldOut(k) {
				row.HeldOut += v / float64(len(r.taught))
				row.All += meanOf(r.effect[m], nil) / float64(len(r.taught))
			}
		}
		if r.method != column.TrainedModels {
			for _, trained := range rankings[:2] {
				lead, p := leadOf(trained.worth(planted, k), r.worth(planted, k), testShare)
				held, heldP := leadOf(trained.heldOut(k), r.heldOut(k), testShare)
				if trained.by == "contrast" {
					row.LeadContrast, row.PContrast = lead, p
					row.HeldOutLeadContrast, row.HeldOutPContrast = held, heldP
				} else {
					row.LeadScore, row.PScore, row.HeldOutLeadScore, row.HeldOutPScore = lead, p, held, heldP
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// testShare is the number of participants whom a model tests, over the number whom it is trained on: mean
// over models.
func testShare(models []*ModelScores) float64 {
	everybody, tested := map[string]bool{}, 0.0
	for _, m := range models {
		tested += float64(len(m.Tallies)) / float64(len(models))
		for id := range m.Tallies {
			everybody[id] = true
		}
	}
	return tested / (float64(len(everybody)) - tested)
}

// testedLeast is the number of participants in the smallest group that a model tests, of the model with the fewest.
func testedLeast(models []*ModelScores) int {
	groups := map[string]bool{}
	for _, m := range models {
		for id := range m.Tallies {
			groups[m.Group[id]] = true
		}
	}
	least := math.MaxInt32
	for _, m := range models {
		count := map[string]int{}
		for id := range m.Tallies {
			count[m.Group[id]]++
		}
		for g := range groups {
			least = min(least, count[g])
		}
	}
	return least
}

// worth is what the ranking by each model is worth: its AUROC where the truth is known, else the held-out effect
// of its first k regions; nil where neither is. Before training nothing ties the sign of a score to the
// groups, so that the scores of untrained models are taken whichever way round.
func (r rankedBy) worth(planted []bool, k int) []float64 {
	if !slices.Contains(planted, true) {
		return r.heldOut(k)
	}
	var out []float64
	turned := r.method == column.UntrainedModels && r.by == "score" && auroc(r.all, planted) < 0.5
	for _, v := range r.single {
		a := auroc(v, planted)
		if turned {
			a = 1 - a
		}
		out = append(out, a)
	}
	return out
}

// heldOut is the held-out effect of the first k regions by each model; nil where it is not known.
func (r rankedBy) heldOut(k int) (out []float64) {
	if r.taught == nil || r.effect == nil {
		return nil
	}
	for m, v := range r.taught {
		out = append(out, meanOf(r.effect[m], inference.Top(v, k)))
	}
	return out
}

// leadOf is the mean difference over models, and its p; NaN where it is not known.
func leadOf(trained, reference []float64, testShare float64) (lead, p float64) {
	if len(trained) == 0 || len(trained) != len(reference) {
		return math.NaN(), math.NaN()
	}
	difference := make([]float64, len(trained))
	for i := range difference {
		difference[i] = trained[i] - reference[i]
		lead += difference[i] / float64(len(trained))
	}
	_, p = inference.CorrectedT(difference, testShare)
	return lead, p
}

// meanOf is the mean of the values, weighted by their shares of the chosen ones, nil for all; what is no number is left
// out.
func meanOf(v, chosen []float64) float64 {
	sum, n := 0.0, 0.0
	for i, x := range v {
		share := 1.0
		if chosen != nil {
			share = chosen[i]
		}
		if share > 0 && !math.IsNaN(x) {
			sum += float64(share * x)
			n += share
		}
	}
	return sum / n
}
