package assess

import (
	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/column"
)

// rankingRows collects the rankings of all settings.
type rankingRows struct {
	coords        [][]dag.Coord
	rank, people  []int32
	node          []int // 0 … N−1
	score, sd     []float64
	low, high     []float64
	first, last   []int32
	top           []float64
	best, worst   []int32
	frequency     []float64
	planted, told []bool

	mean, contrast, chance, p, q, any []float64
}

func (r *rankingRows) add(coords []dag.Coord, rows []saliency, planted []bool) {
	for i, s := range rows {
		r.coords = append(r.coords, coords)
		r.rank, r.people = append(r.rank, int32(i+1)), append(r.people, int32(s.participants))
		r.node = append(r.node, s.node)
		r.score, r.sd, r.frequency = append(r.score, s.score), append(r.sd, s.sd), append(r.frequency, s.frequency)
		r.low, r.high = append(r.low, s.Low), append(r.high, s.High)
		r.first, r.last, r.top = append(r.first, int32(s.RankLow)), append(r.last, int32(s.RankHigh)), append(r.top, s.Top)
		r.mean, r.contrast, r.chance = append(r.mean, s.mean), append(r.contrast, s.contrast.Value), append(r.chance, s.contrast.Mean)
		r.p, r.q, r.any = append(r.p, s.contrast.P), append(r.q, s.q), append(r.any, s.contrast.PAny)
		r.best, r.worst = append(r.best, int32(s.best)), append(r.worst, int32(s.worst))
		r.planted, r.told = append(r.planted, planted != nil && planted[s.node]), append(r.told, planted != nil)
	}
}

func (r *rankingRows) table(axes []string, nodes *artifacts.Table) (*artifacts.Table, error) {
	ids, err := nodes.Ints("id")
	if err != nil {
		return nil, err
	}
	names, err := nodes.Strings("name")
	if err != nil {
		return nil, err
	}
	short, err := nodes.Strings("abbreviation")
	if err != nil {
		return nil, err
	}
	index, id := make([]int32, len(r.node)), make([]int32, len(r.node))
	name, abbreviation := make([]string, len(r.node)), make([]string, len(r.node))
	for i, j := range r.node {
		index[i], id[i], name[i], abbreviation[i] = int32(j+1), int32(ids[j]), names[j], short[j]
	}
	return artifacts.NewTable(append(column.Keys(axes, r.coords),
		artifacts.Column{Name: "rank", Values: r.rank, Doc: "1 is the most salient"},
		artifacts.Column{Name: "index", Values: index, Doc: "node number"},
		artifacts.Column{Name: "id", Values: id, Doc: "value in the label image"},
		artifacts.Column{Name: "name", Values: name},
		artifacts.Column{Name: "abbreviation", Values: abbreviation},
		column.Optional("score", "what the regions are ranked by (parameter reading): mean_score or contrast", r.score),
		column.Optional("sd", "standard deviation of the pooling score over participants (n−1)", r.sd),
		column.Optional("ci_low", "95 % interval of the score over participants (bootstrap within the groups; the models are held as they are)", r.low),
		column.Optional("ci_high", "", r.high),
		artifacts.Column{Name: "rank_low", Values: r.first, Doc: "95 % interval of the rank over the same resamples"},
		artifacts.Column{Name: "rank_high", Values: r.last},
		artifacts.Column{Name: "top_share", Values: r.top, Doc: "share of the resamples in which the region is among the first (parameter top)"},
		artifacts.Column{Name: "model_best", Values: r.best, Doc: "best rank that a single model gives it, over the participants whom the model was tested on"},
		artifacts.Column{Name: "model_worst", Values: r.worst, Doc: "worst such rank"},
		column.Optional("frequency", "share of a participant's test graphs in which the layer kept the region, the mean over participants", r.frequency),
		artifacts.Column{Name: "participants", Values: r.people, Doc: "participants who have a score of the region"},
		column.Optional("mean_score", "pooling score: the mean over participants of their means over test graphs", r.mean),
		column.Optional("contrast", "largest difference between two groups' mean scores over the sd within groups, in a model's test participants; mean over models", r.contrast),
		column.Optional("contrast_chance", "mean of the same over permuted groups", r.chance),
		column.Optional("p", "of the contrast, over permutations of the participants whom the models have not seen", r.p),
		column.Optional("q", "p corrected for the number of regions: false discovery rate (Benjamini and Hochberg)", r.q),
		column.Optional("p_any", "that any region has as large a contrast by chance (Westfall and Young)", r.any),
		artifacts.Column{Name: "planted", Values: r.planted, Valid: r.told, Doc: "whether the region has a planted edge, where the truth is known"},
	)...), nil
}

// individualRows collects the scores of every participant.
type individualRows struct {
	coords           [][]dag.Coord
	id, group        []string
	index            []int32
	score, frequency []float64
	scored           []bool
}

func (r *individualRows) add(coords []dag.Coord, id, group string, ts []Tally, graphs int) {
	for j, t := range ts {
		r.coords, r.id, r.group, r.index = append(r.coords, coords), append(r.id, id), append(r.group, group), append(r.index, int32(j+1))
		score := 0.0
		if t.scored > 0 {
			score = t.score / float64(t.scored)
		}
		r.score, r.scored = append(r.score, score), append(r.scored, t.scored > 0)
		r.frequency = append(r.frequency, float64(t.kept)/float64(graphs))
	}
}

func (r *individualRows) table(axes []string) *artifacts.Table {
	return artifacts.NewTable(append(column.Keys(axes, r.coords),
		artifacts.Column{Name: "participant_id", Values: r.id},
		artifacts.Column{Name: "group", Values: r.group},
		artifacts.Column{Name: "index", Values: r.index, Doc: "node number"},
		artifacts.Column{Name: "score", Values: r.score, Valid: r.scored, Doc: "mean pooling score over the participant's test graphs"},
		artifacts.Column{Name: "frequency", Values: r.frequency, Doc: "share of the participant's test graphs in which the layer kept the region"},
	)...)
}
