package edges

import (
	"context"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// leastOfHalf is how many participants of a group, or with a number, a half needs.
const leastOfHalf = 2

// replicate compares the maps of random halves; no rows without groups or a number that allow it.
func (r *reliable) replicate(ctx context.Context) ([]column.ReplicationRow, error) {
	ids, values := r.tellApart()
	if ids == nil {
		return nil, nil
	}
	statistic, label := "r", func(int) string { return "" }
	if r.tested.Text != nil {
		statistic, label = "t", func(place int) string { return r.tested.Text[place] }
	}
	strata := r.strata(ids, label)
	groups := map[string]bool{}
	for _, id := range ids {
		if r.tested.Text != nil {
			groups[label(r.place[id])] = true
		}
	}
	count := func(values []float64) int32 { return int32(len(column.Known(values))) }
	of := []column.ReplicationRow{{Of: "edges", Values: count(values[0])}, {Of: "regions",
		Values: count(byRegion(values[0], r.scans.regions))}}
	spearman, dice := make([][]float64, 2), make([][]float64, 2)
	first := make([][]float64, 2) // how often an edge or a region is among the first
	for k := range of {
		of[k].Statistic, of[k].Tested, of[k].Participants = statistic, r.of, int32(len(ids))
		of[k].Groups = int32(len(groups))
		of[k].Halves = int32(r.Halves)
		of[k].K = int32(max(1, math.Floor(float64(r.Share*float64(of[k].Values))+0.5)))
		of[k].Chance = float64(of[k].K) / float64(of[k].Values)
	}
	first[0], first[1] = make([]float64, len(r.edges)), make([]float64, r.scans.regions)
	for h := range r.Halves {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		units := r.shuffled(ids, random.New(r.Seed, "reliability", "halves", h+1))
		second := inference.Halve(units, strata)
		var maps [2][2][]float64 // by half: of edges, and of regions
		for side := range maps {
			var at []int
			for i := range ids {
				if second[i] == (side == 1) {
					at = append(at, i)
				}
			}
			v := r.association(ids, values, at)
			for e := range v {
				v[e] = math.Abs(v[e])
			}
			maps[side] = [2][]float64{v, byRegion(v, r.scans.regions)}
		}
		for k := range of {
			rho, overlap := inference.CompareMaps(maps[0][k], maps[1][k], int(of[k].K))
			if !math.IsNaN(rho) {
				spearman[k], dice[k] = append(spearman[k], rho), append(dice[k], overlap)
			}
			for side := range maps {
				for i, share := range inference.Top(maps[side][k], int(of[k].K)) {
					first[k][i] += share / float64(2*r.Halves)
				}
			}
		}
		r.task.Progress(h+1, r.Halves, "halves")
	}
	for k := range of {
		of[k].Spearman, of[k].SpearmanLow, of[k].SpearmanHigh = inference.Spread95(spearman[k])
		of[k].Full = inference.Doubled(of[k].Spearman)
		of[k].Dice, of[k].DiceLow, of[k].DiceHigh = inference.Spread95(dice[k])
	}
	for e, share := range first[0] {
		r.edges[e].Replicated = share
	}
	for i, share := range first[1] {
		r.regions[i].Replicated = share
	}
	return of, nil
}

// tellApart are the participants who have a value of what is tested, and their edges, the mean over the sessions; nil
// where two halves cannot be compared. An edge that one of the scans lacks is compared for nobody, as in edges.
func (r *reliable) tellApart() (ids []string, values [][]float64) {
	if r.tested.Name == "" || r.tested.Identifies() {
		return nil, nil
	}
	counts := map[string]int{}
	for _, id := range r.scans.ids {
		i := r.place[id]
		if r.tested.Text != nil && r.tested.Text[i] == "" || r.tested.Text == nil && math.IsNaN(r.tested.Number[i]) {
			continue
		}
		if r.tested.Text != nil {
			counts[r.tested.Text[i]]++
		}
		sum, n := make([]float64, len(r.edges)), 0.0
		for _, of := range r.scans.values {
			if of[id] != nil {
				n++
			}
			for e, v := range of[id] {
				sum[e] += v
			}
		}
		for e := range sum {
			sum[e] /= n
		}
		ids, values = append(ids, id), append(values, sum)
	}
	if r.tested.Text != nil && len(counts) < 2 || len(ids) < 4*leastOfHalf {
		return nil, nil
	}
	for _, n := range counts {
		if n < 2*leastOfHalf {
			return nil, nil
		}
	}
	for e := range r.edges {
		if slices.ContainsFunc(values, func(v []float64) bool { return math.IsNaN(v[e]) }) {
			for _, v := range values {
				v[e] = math.NaN()
			}
		}
	}
	if len(column.Known(values[0])) == 0 {
		return nil, nil
	}
	return ids, values
}

// shuffled are the units that stay in one half, in random order: families, or single participants.
func (r *reliable) shuffled(ids []string, stream *random.Stream) (units [][]int) {
	at := lists.PlacesOf(ids, func(id string) int { return r.place[id] }) // place in the table → place among ids
	if r.units == nil {
		for i := range ids {
			units = append(units, []int{i})
		}
	}
	for _, unit := range r.units {
		var of []int
		for _, place := range unit {
			if i, tested := at[place]; tested {
				of = append(of, i)
			}
		}
		if of != nil {
			units = append(units, of)
		}
	}
	for i := len(units) - 1; i > 0; i-- {
		j := stream.IntN(i + 1)
		units[i], units[j] = units[j], units[i]
	}
	return units
}

// association is Welch's t of the groups in each edge, of more than two that of the pair with the largest |t|, or its
// correlation with the number, over some participants.
func (r *reliable) association(ids []string, values [][]float64, at []int) []float64 {
	rows := lists.Map(at, func(i int) []float64 { return values[i] })
	if r.tested.Text != nil {
		group, names := column.Numbered(lists.Map(at, func(i int) string { return r.tested.Text[r.place[ids[i]]] }))
		return inference.WelchT(inference.Sample{Values: rows, Group: group, Groups: len(names)})
	}
	out := make([]float64, len(r.edges))
	for e := range out {
		var x, y []float64
		for k, i := range at {
			if v := rows[k][e]; !math.IsNaN(v) {
				x, y = append(x, v), append(y, r.tested.Number[r.place[ids[i]]])
			}
		}
		out[e] = math.NaN()
		if len(x) > 2 {
			out[e] = inference.Correlation(x, y)
		}
	}
	return out
}

// trainings compares the weights of the regions over the trainings of each setting.
func (s *Reliability) trainings(ins []dag.Input) (rows []column.WeightStabilityRow, axes []string, err error) {
	type weight struct {
		Group   string  `column:"group,missing,optional"`
		Index   int32   `column:"index"`
		Weight  float64 `column:"weight,missing"`
		Pattern float64 `column:"pattern,missing,optional"`
	}
	type setting struct {
		coords []dag.Coord
		group  string
		of     [2][][]float64 // weight and pattern: training × region
	}
	var settings []*setting
	for _, in := range ins {
		read, err := column.Read[weight](in)
		if err != nil {
			return nil, nil, err
		}
		coords := column.SettingCoords(in.Coords)
		for _, group := range lists.By(read, func(w weight) string { return w.Group }) {
			i := slices.IndexFunc(settings, func(x *setting) bool {
				return slices.Equal(x.coords, coords) && x.group == group.Key
			})
			if i < 0 {
				i, settings = len(settings), append(settings, &setting{coords: coords, group: group.Key})
			}
			weights := lists.Map(group.All, func(w weight) float64 { return w.Weight })
			patterns := lists.Map(group.All, func(w weight) float64 { return w.Pattern })
			of := &settings[i].of
			of[0], of[1] = append(of[0], weights), append(of[1], patterns)
		}
	}
	settings = slices.DeleteFunc(settings, func(x *setting) bool { return len(x.of[0]) < 2 })
	if settings == nil {
		return nil, nil, nil
	}
	names := column.NameClassifiers(lists.Map(settings, func(x *setting) []dag.Coord { return x.coords }),
		make([]string, len(settings)))
	for k, x := range settings {
		for _, c := range x.coords {
			axes = lists.Add(axes, c.Axis)
		}
		for of, name := range []string{"weight", "pattern"} {
			all := complete(x.of[of])
			if all == nil {
				continue
			}
			regions := len(all[0])
			top := max(1, int(float64(s.Share*float64(regions))+0.5))
			agree := inference.Agree(all, top, 0, random.New(s.Seed, "reliability", "trainings"))
			icc := inference.NewLayout(regions, len(all)).Intraclass(transposed(all))
			rows = append(rows, column.WeightStabilityRow{Coords: x.coords, Setting: names[k], Group: x.group, Of: name,
				Trainings: int32(len(all)), Regions: int32(regions), ICC: icc.Agreement, Low: icc.Low, High: icc.High,
				Spearman: agree.Spearman, K: int32(top), Dice: agree.Common / float64(top),
				Chance: float64(top) / float64(regions)})
		}
	}
	return rows, axes, nil
}

// complete are the values of the regions that all trainings have; nil of fewer than three.
func complete(all [][]float64) (out [][]float64) {
	out = make([][]float64, len(all))
	for j := range all[0] {
		if slices.ContainsFunc(all, func(v []float64) bool { return len(v) <= j || math.IsNaN(v[j]) }) {
			continue
		}
		for k, v := range all {
			out[k] = append(out[k], v[j])
		}
	}
	if len(out[0]) < 3 {
		return nil
	}
	return out
}

func transposed(all [][]float64) [][]float64 {
	out := make([][]float64, len(all[0]))
	for j := range out {
		out[j] = lists.Map(all, func(v []float64) float64 { return v[j] })
	}
	return out
}
