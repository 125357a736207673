package assess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn"
	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/learn"
	"prgnn/stages/learn/choose"
	"prgnn/stages/role"
)

var fidelityKind = dag.Kind{
	Name: "fidelity",
	Doc: "change of predictions when salient regions are masked (fidelity)\n" +
		"Removes the top k regions from each graph, or keeps only them, and repeats the predictions for test participants, compared with the same number of random regions: regions exchange their places in the ranking, in the same way in all graphs. A removed region loses its edges and its row and column of features. If a ranking is faithful, predictions change more than by chance when its top regions are removed, and less when only they are kept (fidelity+ and fidelity− of Yuan et al. 2022, on probabilities). All graphs of a participant, from random draws or sessions, are masked, or with draws only the first ones; the column graphs states which. As in evaluate, the mean probability over the graphs of a participant decides whether its prediction is correct.",
	New:        func() dag.Stage { return &Fidelity{Order: "individual", Random: 99} },
	MaxThreads: 8,
	Memory:     256 << 20,
}

var _ role.PortUser = (*Fidelity)(nil)

// Fidelity masks regions.
type Fidelity struct {
	Order    string `param:"order" doc:"order of the regions: individual, by their scores in the graph's first pooling layer; group, by the connected ranking; equal scores are in random order, the same in all graphs" choices:"individual|group"`
	K        []int  `param:"k" doc:"number of top regions to remove or keep; by default an eighth, a quarter and half of all regions (10, 21 and 42 of 84)" min:"1"`
	Random   int    `param:"random" doc:"number of random selections of k regions; with fewer than 20, no p is below 0.05" min:"1" max:"100000"`
	DrawZero bool   `param:"draw_zero" doc:"also use draw 0, which is not resampled; without random draws it is always used"`
	Draws    int    `param:"draws" doc:"number of random draws of each participant to use, from the first" zero:"all" min:"0"`
	Seed     uint64 `param:"seed" doc:"of the random regions, and of the order of equal scores"`
}

func (*Fidelity) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "model", Type: dag.Format("npz"), Gather: true, Doc: "the trained models"},
			{Name: "edges", Type: column.Type[column.EdgeRow](), Gather: true, Doc: "the edges of each participant's graphs"},
			{Name: "features", Type: dag.NPY("<f8", "draw", "roi", "feature"), Gather: true, Doc: "their node features"},
			{Name: "participants", Type: dag.Arrow("participant_id", "group"), Doc: "who they are"},
			{Name: "ranking", Type: column.Needs[rankRow](), Optional: true, Doc: "the order of the regions, for order: group, with their scores, which show ties; of one setting, or of the same settings as the models"},
			choose.Port("the model"),
			fold.LeakagePort(),
		},
		Out: []dag.Port{{Name: "fidelity", Type: column.Type[column.FidelityRow](),
			Doc: "one row for each setting, action (remove, keep) and k; for test participants"}},
	}
}

// A maskSetting is one setting: its models, and what masking does to their answers.
type maskSetting struct {
	coords []dag.Coord
	models []*learn.Trained
	order  []int // the group's; nil for that of each graph
	people int
	tested []float64 // participants that each model was not trained on
	whole  []float64 // of each model: participants who are classified correctly by their whole graphs
	effect []maskEffect
}

// A maskEffect sums over participants: entry 0 is the ranking's, the others random.
type maskEffect struct {
	keep          bool
	k             int
	drop, changed []float64
	accuracy      [][]float64 // by model
}

// UsesPorts are the models: features fitted for other folds than theirs are refused.
func (*Fidelity) UsesPorts() []role.PortUse {
	return append(fold.AfterChecks(role.PortUse{Port: "model", As: role.Models}),
		role.OneSettingOf("edges", "features")...)
}

func (s *Fidelity) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	people, err := column.ReadPeople(t.In("participants"))
	if err != nil {
		return nil, err
	}
	settings, axes, err := s.settings(t)
	if err != nil {
		return nil, err
	}
	edges, features := t.All("edges"), t.All("features")
	var masked []string // the graphs of a participant, in words
	if len(edges) != len(features) {
		return nil, fmt.Errorf("%d participants have edges and %d have features: connect both to the same stage", len(edges), len(features))
	}
	for i, in := range features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		id := in.Coord("subject")
		group, ok := people.Group[id]
		if !ok {
			return nil, fmt.Errorf("%s: %q is not among the participants", in.Name, id)
		}
		p, err := learn.ReadParticipant(edges[i], in, fold.Params{DrawZero: s.DrawZero, Draws: s.Draws})
		if err != nil {
			return nil, err
		}
		if text := fold.GraphsText(p.Draws, p.Of); p.Of > 1 && !slices.Contains(masked, text) {
			masked = append(masked, text)
		}
		for _, of := range settings {
			if err := s.ask(t, of, id, group, p.Graphs); err != nil {
				return nil, fmt.Errorf("%s: %w", id, err)
			}
		}
		t.Progress(i+1, len(features), id)
	}
	for _, of := range settings {
		if of.people == 0 {
			return nil, fmt.Errorf("the models%s were trained on all participants: no test participant is left", column.SettingText(of.coords))
		}
	}
	return dag.Outputs{"fidelity": s.table(axes, settings, masked)}, nil
}

// sizes are the numbers of regions to remove, of as many as the models analyze.
func (s *Fidelity) sizes(nodes int) []int {
	if len(s.K) > 0 {
		return s.K
	}
	var sizes []int
	for _, part := range []int{8, 4, 2} {
		if k := nodes / part; k > 0 && !slices.Contains(sizes, k) {
			sizes = append(sizes, k)
		}
	}
	return sizes
}

// settings gathers the models by setting, each with its order of the regions.
func (s *Fidelity) settings(t *dag.Task) (settings []*maskSetting, axes []string, err error) {
	ins, _, err := choose.Chosen(t, "model")
	if err != nil {
		return nil, nil, err
	}
	models, err := learn.ReadModels(ins)
	if err != nil {
		return nil, nil, err
	}
	for i, in := range ins {
		own := column.SettingCoords(in.Coords)
		at := slices.IndexFunc(settings, func(m *maskSetting) bool { return slices.Equal(m.coords, own) })
		if at < 0 {
			at = len(settings)
			settings = append(settings, &maskSetting{coords: own})
		}
		settings[at].models = append(settings[at].models, models[i])
		settings[at].tested, settings[at].whole = append(settings[at].tested, 0), append(settings[at].whole, 0)
	}
	axes = lists.Map(settings[0].coords, func(c dag.Coord) string { return c.Axis })
	for _, of := range settings {
		for _, k := range s.sizes(len(of.models[0].Regions())) {
			for _, keep := range []bool{false, true} {
				n := s.Random + 1
				e := maskEffect{keep, k, make([]float64, n), make([]float64, n), make([][]float64, n)}
				for r := range e.accuracy {
					e.accuracy[r] = make([]float64, len(of.models))
				}
				of.effect = append(of.effect, e)
			}
		}
	}
	if s.Order != "group" {
		return settings, axes, nil
	}
	if !t.Has("ranking") {
		return nil, nil, errors.New("order is group, but no ranking is connected (in: { ranking: biomarkers.ranking })")
	}
	in := t.In("ranking")
	type row struct {
		rankRow
		Score float64 `column:"score,missing,optional"` // a ranking of the user's may have none
	}
	ranked, err := column.Read[row](in)
	if err != nil {
		return nil, nil, err
	}
	names := lists.Map(ranked, func(r row) string { return column.CoordText(r.Coords) })
	one := len(slices.Compact(slices.Clone(names))) == 1
	scored := slices.ContainsFunc(ranked, func(r row) bool { return !math.IsNaN(r.Score) })
	for _, of := range settings {
		var score []float64 // of the regions in their order
		for i, r := range ranked {
			if one || names[i] == column.CoordText(of.coords) {
				of.order, score = append(of.order, int(r.Index-1)), append(score, r.Score)
			}
		}
		if of.order == nil {
			return nil, nil, fmt.Errorf("%s has no ranking%s", in.Name, column.SettingText(of.coords))
		}
		if scored {
			of.order = s.untied(of.order, score)
		}
	}
	return settings, axes, nil
}

// untied is a ranking whose regions with equal scores, in rows that follow each other, are in random order.
func (s *Fidelity) untied(order []int, score []float64) []int {
	level, lot, lots := make([]float64, len(order)), make([]int, len(order)), s.lots(slices.Max(order)+1)
	for i, region := range order {
		if lot[i] = lots[region]; i > 0 {
			level[i] = level[i-1] - math.Abs(float64(cmp.Compare(score[i], score[i-1])))
		}
	}
	return lists.Map(inference.Ordered(level, lot), func(i int) int { return order[i] })
}

func (s *Fidelity) lots(n int) []int { return random.New(s.Seed, "fidelity", "ties").Perm(n) }

// atOnce is the number of features of all graphs that a model is asked about at once: 32 MB.
const atOnce = 4 << 20

// ask asks the models that were not trained on a participant.
func (s *Fidelity) ask(t *dag.Task, of *maskSetting, id, group string, graphs []gnn.Data) error {
	var models []int
	for i, m := range of.models {
		if m.Training.Participant(id) < 0 {
			models = append(models, i)
		}
	}
	if models == nil {
		return nil
	}
	of.people++
	share := 1 / float64(len(models)*len(graphs))
	for _, number := range models {
		m := of.models[number]
		of.tested[number]++
		label, analyzed := slices.Index(m.Groups, group), m.Regions()
		whole, err := m.Predict(graphs, t.Threads)
		if err != nil {
			return err
		}
		if isCorrect(whole, label) {
			of.whole[number]++
		}
		for e := range of.effect {
			effect := &of.effect[e]
			for r := 0; r <= s.Random; {
				// Several selections at once: what a model needs to begin is more than one graph takes.
				selections := min(s.Random+1-r, max(1, atOnce/(len(graphs)*graphs[0].Numbers())))
				masked := make([]gnn.Data, selections*len(graphs))
				failed := make([]error, len(masked))
				dense.Each(t.Threads, len(masked), func(i int) {
					g := i % len(graphs)
					first, err := s.first(of, effect.k, r+i/len(graphs), whole[g], analyzed, graphs[g].Nodes)
					if failed[i] = err; err == nil {
						masked[i] = graphs[g].Without(first, effect.keep)
					}
				})
				if err := cmp.Or(failed...); err != nil {
					return err
				}
				answers, err := m.Predict(masked, t.Threads)
				if err != nil {
					return err
				}
				for i, a := range answers {
					r, g := r+i/len(graphs), i%len(graphs)
					class := whole[g].Class
					effect.drop[r] += float64(share * (whole[g].Probability[class] - a.Probability[class]))
					if a.Class != class {
						effect.changed[r] += share
					}
				}
				for of := range slices.Chunk(answers, len(graphs)) {
					if isCorrect(of, label) {
						effect.accuracy[r][number]++
					}
					r++
				}
			}
		}
	}
	return nil
}

// isCorrect reports whether a participant is classified correctly: by the mean probability over its graphs, as in
// evaluate.
func isCorrect(graphs []gnn.Prediction, label int) bool {
	cases := lists.Map(graphs, func(p gnn.Prediction) fold.Case { return fold.Case{Probability: p.Probability} })
	return fold.OverDraws(cases)[0].Predicted == label
}

// first marks k regions: the first ones, or in the r-th control those in whose places a permutation of the regions puts
// them, the same for all graphs: graphs share as many regions as in the ranking. Choices at random for each graph would
// vary less, in the sum over graphs, than any ranking does, and p would be too small.
func (s *Fidelity) first(of *maskSetting, k, r int, whole gnn.Prediction, analyzed []int32,
	nodes int) ([]bool, error) {
	if k >= len(analyzed) {
		return nil, fmt.Errorf("k is %d, but there are %d regions", k, len(analyzed))
	}
	in := make([]bool, nodes)
	switch {
	case r > 0 && of.order != nil:
		for _, j := range random.New(s.Seed, "fidelity", k, r).Perm(len(analyzed))[:k] {
			in[analyzed[j]] = true
		}
	case of.order != nil:
		if len(of.order) != len(analyzed) {
			return nil, fmt.Errorf("the ranking has %d regions, the graphs have %d", len(of.order), len(analyzed))
		}
		for _, j := range of.order[:k] {
			in[j] = true
		}
	default:
		// Every region that is analyzed reaches the first layer.
		at := inference.Ordered(whole.Layers[0].Score, s.lots(len(analyzed)))
		to := func(i int) int { return i }
		if r > 0 {
			places := random.New(s.Seed, "fidelity", k, r).Perm(len(analyzed))
			to = func(i int) int { return places[i] }
		}
		for _, i := range at[:k] {
			in[analyzed[to(i)]] = true
		}
	}
	return in, nil
}

// overModels is the mean over the models of a sum over the participants that each tests: the mean over the folds.
func (of *maskSetting) overModels(sum []float64) float64 {
	mean, models := 0.0, 0.0
	for i, n := range of.tested {
		if n > 0 {
			mean += sum[i] / n
			models++
		}
	}
	return mean / models
}

func (s *Fidelity) table(axes []string, settings []*maskSetting, graphs []string) *encoding.Table {
	var rows []column.FidelityRow
	for _, of := range settings {
		n := float64(of.people)
		for _, e := range of.effect {
			action, as := "remove", 0
			if e.keep {
				action = "keep"
			}
			for _, d := range e.drop[1:] {
				if !e.keep && inference.AsLarge(d, e.drop[0]) || e.keep && inference.AsLarge(e.drop[0], d) {
					as++
				}
			}
			mean, sd := column.MeanSD(e.drop[1:])
			changed, _ := column.MeanSD(e.changed[1:])
			accuracy := make([]float64, len(e.accuracy))
			for r := range accuracy {
				accuracy[r] = of.overModels(e.accuracy[r])
			}
			random, _ := column.MeanSD(accuracy[1:])
			rows = append(rows, column.FidelityRow{
				Coords: of.coords, Action: action, K: int32(e.k), Participants: int32(of.people),
				Drop: e.drop[0] / n, RandomDrop: mean / n, RandomSD: sd / n, P: inference.PermutationP(as, s.Random),
				Changed: e.changed[0] / n, RandomChanged: changed / n,
				Accuracy: accuracy[0], RandomAccuracy: random, WholeAccuracy: of.overModels(of.whole),
				Choices: int32(s.Random), Graphs: graphs,
			})
		}
	}
	return column.Table(rows, axes...)
}
