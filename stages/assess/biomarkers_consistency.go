package assess

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// merged adds up what several models gave.
func merged(models []*ModelScores) *ModelScores {
	all := &ModelScores{Tallies: map[string][]Tally{}, graphs: map[string]int{}}
	for _, m := range models { // in their order: no sum depends on that of a map
		for id, ts := range m.Tallies {
			all.Tallies[id] = added(all.Tallies[id], ts)
			all.graphs[id] += m.graphs[id]
		}
	}
	return all
}

func added(sum, ts []Tally) []Tally {
	if sum == nil {
		return slices.Clone(ts)
	}
	for j, t := range ts {
		sum[j].score.Join(t.score)
		sum[j].scored += t.scored
		sum[j].kept += t.kept
	}
	return sum
}

// ofDraw is what a model gave to one draw of everybody.
func (m *ModelScores) ofDraw(d int64) *ModelScores {
	one := &ModelScores{repeat: m.repeat, seed: m.seed, Tallies: m.draws[d], graphs: map[string]int{}, Group: m.Group}
	for id := range one.Tallies {
		one.graphs[id] = 1
	}
	return one
}

// means are the mean scores of a tally; NaN where a region has none.
func means(ts []Tally) []float64 {
	v := lists.Map(ts, func(t Tally) float64 { return t.mean() })
	return v
}

// perPerson lists the mean scores of everybody who has some, and their groups by number.
func perPerson(people *column.People, of *ModelScores) (scores [][]float64, groups []int) {
	var names []string
	for _, id := range people.Ids {
		ts, ok := of.Tallies[id]
		if !ok {
			continue
		}
		g := slices.Index(names, people.Group[id])
		if g < 0 {
			g = len(names)
			names = append(names, people.Group[id])
		}
		scores, groups = append(scores, means(ts)), append(groups, g)
	}
	return scores, groups
}

// readings are the values that lists of models give to the regions, by score the mean over
// participants, each of whom counts once, by contrast the contrasts. Models that saw nobody are left out.
func (b *Biomarkers) readings(by string, ids []string, n int, lists ...[]*ModelScores) ([][]float64, error) {
	var out [][]float64
	for _, models := range lists {
		all := merged(models)
		if len(all.Tallies) == 0 {
			continue
		}
		if by == "contrast" {
			held, group, groups, err := heldOut(ids, models)
			if err != nil {
				return nil, err
			}
			out = append(out, inference.Contrasts(held, group, groups))
			continue
		}
		v := make([]float64, n)
		for _, r := range b.rank(ids, all, n) {
			v[r.node] = r.score
		}
		out = append(out, v)
	}
	return out, nil
}

// heldOut are the scores of the test participants of each model, and their groups by number.
func heldOut(ids []string, models []*ModelScores) (held []inference.HeldOut, group []int, groups int, err error) {
	var names []string
	label := map[string]string{}
	group = make([]int, len(ids))
	for _, m := range models {
		var h inference.HeldOut
		for i, id := range ids {
			ts, ok := m.Tallies[id]
			if !ok {
				continue
			}
			switch g, again := label[id]; {
			case again && g != m.Group[id]:
				return nil, nil, 0, fmt.Errorf("participant %s has the label %s in one training and %s in another: the labels were permuted differently", id, g, m.Group[id])
			case !again:
				label[id] = m.Group[id]
			}
			g := slices.Index(names, m.Group[id])
			if g < 0 {
				g = len(names)
				names = append(names, m.Group[id])
			}
			group[i] = g
			h.Person, h.Scores = append(h.Person, i), append(h.Scores, means(ts))
		}
		if h.Person != nil {
			held = append(held, h)
		}
	}
	return held, group, len(names), nil
}

// A testedContrast is the contrast of a region, with the rate of false claims among all regions.
type testedContrast struct {
	inference.Contrast
	q float64
}

// contrasts tells how differently the models score the groups, region by region.
func (b *Biomarkers) contrasts(in *biomarkerInputs, models []*ModelScores) ([]testedContrast, error) {
	ids := in.people.Ids
	held, group, groups, err := heldOut(ids, models)
	if err != nil {
		return nil, err
	}
	site := make([]int, len(ids))
	for i, id := range ids {
		if site[i], err = in.sites.Stratum(0, id); err != nil {
			return nil, err
		}
	}
	out := make([]testedContrast, len(held[0].Scores[0]))
	p := make([]float64, len(out))
	for j, c := range inference.TestContrasts(held, group, groups, site, b.Resamples,
		random.New(b.Seed, "biomarkers", "contrast")) {
		out[j].Contrast, p[j] = c, c.P
	}
	for j, q := range inference.FDR(p) {
		out[j].q = q
	}
	return out, nil
}

// spread tells how sure each row of a ranking is.
func (b *Biomarkers) spread(rows []saliency, people *column.People, of *settingScores, all *ModelScores) error {
	n := len(rows)
	s := random.New(b.Seed, "biomarkers", "bootstrap")
	var spreads []inference.Spread
	if b.Reading == "contrast" {
		held, group, groups, err := heldOut(people.Ids, of.models)
		if err != nil {
			return err
		}
		spreads = inference.BootstrapContrasts(held, group, groups, b.Top, b.Resamples, s)
	} else {
		scores, groups := perPerson(people, all)
		spreads = inference.BootstrapRanking(scores, groups, b.Top, b.Resamples, s)
	}
	single, err := b.readings(b.Reading, people.Ids, n, singly(of.models)...)
	if err != nil {
		return err
	}
	ranks := make([][]int, n)
	for _, v := range single {
		for j, r := range inference.Ranks(v) {
			ranks[j] = append(ranks[j], int(math.Ceil(r))) // of ties the middle
		}
	}
	for i := range rows {
		r := &rows[i]
		r.Spread = spreads[r.node]
		r.best, r.worst = slices.Min(ranks[r.node]), slices.Max(ranks[r.node])
	}
	return nil
}

func singly(models []*ModelScores) [][]*ModelScores {
	return lists.Map(models, func(m *ModelScores) []*ModelScores { return []*ModelScores{m} })
}

// by groups models by a coordinate.
func by(models []*ModelScores, value func(*ModelScores) string) [][]*ModelScores {
	var names []string
	var lists [][]*ModelScores
	for _, m := range models {
		i := slices.Index(names, value(m))
		if i < 0 {
			i = len(names)
			names, lists = append(names, value(m)), append(lists, nil)
		}
		lists[i] = append(lists[i], m)
	}
	return lists
}

// agreements compares the rankings by single models, repeats, seeds, draws and
// participants: what there is more than one of. A participant alone has no contrast.
func (b *Biomarkers) agreements(ids []string, of *settingScores, all *ModelScores) ([]column.ConsistencyRow, error) {
	n := 0
	var persons [][]float64
	for _, id := range ids {
		if ts, ok := all.Tallies[id]; ok {
			n = len(ts)
			persons = append(persons, means(ts))
		}
	}
	if b.Reading == "contrast" {
		persons = nil
	}
	draws := map[int64][]*ModelScores{}
	for _, m := range of.models {
		for d := range m.draws {
			draws[d] = append(draws[d], m.ofDraw(d))
		}
	}
	var byDraw [][]*ModelScores
	for _, d := range slices.Sorted(maps.Keys(draws)) {
		byDraw = append(byDraw, draws[d])
	}
	var out []column.ConsistencyRow
	for _, c := range []struct {
		over  string
		lists [][]*ModelScores
	}{
		{"models", singly(of.models)},
		{"repeats", by(of.models, func(m *ModelScores) string { return m.repeat })},
		{"seeds", by(of.models, func(m *ModelScores) string { return m.seed })},
		{"draws", byDraw},
		{"participants", nil},
	} {
		scores, err := b.readings(b.Reading, ids, n, c.lists...)
		if err != nil {
			return nil, err
		}
		if c.over == "participants" {
			scores = persons
		}
		if len(scores) < 2 {
			continue
		}
		a := inference.Agree(scores, b.Top, b.Resamples, random.New(b.Seed, "biomarkers", "agreement", c.over))
		out = append(out, column.ConsistencyRow{
			Coords: of.coords, Over: c.over, Rankings: int32(a.Rankings), K: int32(a.K),
			Common: a.Common, CommonChance: a.CommonChance, Every: int32(a.Every), EveryChance: a.EveryChance,
			Jaccard: a.Jaccard, JaccardChance: a.JaccardLuck, Kuncheva: a.Kuncheva, Spearman: a.Spearman,
			Kendall: a.Kendall, P: a.P,
		})
	}
	return out, nil
}
