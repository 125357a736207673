package leakage

import (
	"cmp"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
)

// sketched is how many random sums of its edges stand for a matrix: distances of matrices stay within about 1/√32.
const sketched = 32

// sketches are those of participants, in the order of their first scans.
type sketches struct {
	ids   []string
	of    map[string]*[sketched]float64
	signs []uint64 // of an edge in each sum
}

// partReordered is the finding about a part of the participants whose regions are in another order than those of the
// others. The parts are the two along the first principal component of the matrices.
func partReordered(features []dag.Input, b *foldBook, sums sketches) (all finding.List, err error) {
	ids := sums.ids
	if len(ids) < 2*leastOfGroup {
		return nil, nil
	}
	second := sums.alongFirst()
	parts, err := halvesOf(features, func(id string) string {
		if second[id] {
			return "second"
		}
		return "first"
	}, func(string, []float64) {})
	if err != nil || len(parts) != 2 {
		return nil, err
	}
	m := moved(parts[0], parts[1])
	if m == nil {
		return nil, nil
	}
	fewer := 2*parts[1].people <= len(ids)
	who := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return second[id] != fewer })
	m["N"], m["People"], m["Listed"], m["Groups"] = len(who), len(ids), who, quality.SharesOf(b.label, ids, who)
	all.Among(who, "leakage.part-order", finding.Overturns, m)
	return all, nil
}

// add adds sums of the centered edges of a scan with random signs.
func (s *sketches) add(id string, z []float64) {
	if s.signs == nil {
		r := random.New(1, "sketch of a matrix")
		for range z {
			s.signs = append(s.signs, r.Uint64())
		}
	}
	sum := s.of[id]
	if sum == nil {
		sum = &[sketched]float64{}
		s.ids, s.of[id] = append(s.ids, id), sum
	}
	mean, known := 0.0, 0
	for _, v := range z {
		if v == v {
			mean, known = mean+v, known+1
		}
	}
	mean /= float64(max(known, 1))
	for e, v := range z {
		for k := range sum {
			switch {
			case v != v:
			case s.signs[e]>>k&1 == 0:
				sum[k] -= v - mean
			default:
				sum[k] += v - mean
			}
		}
	}
}

// alongFirst are those participants who are above the cut of the first principal component that parts it best, in the
// sense of the least squares within the parts.
func (s *sketches) alongFirst() (second map[string]bool) {
	ids, of := s.ids, s.of
	var mean [sketched]float64
	for _, id := range ids {
		for k, v := range of[id] {
			mean[k] += v / float64(len(ids))
		}
	}
	score := make([]float64, len(ids))
	axis := [sketched]float64{1}
	for round := range mostRounds {
		var next [sketched]float64
		for i, id := range ids {
			score[i] = 0
			for k, v := range of[id] {
				score[i] += float64((v - mean[k]) * axis[k])
			}
			for k, v := range of[id] {
				next[k] += float64((v - mean[k]) * score[i])
			}
		}
		length := 0.0
		for _, v := range next {
			length += float64(v * v)
		}
		if length == 0 || round == mostRounds-1 {
			break
		}
		for k, v := range next {
			axis[k] = v / math.Sqrt(length)
		}
	}
	order := lists.UpTo(len(ids))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[a], score[b]) })
	below, cut, most := 0.0, 0, math.Inf(-1) // the sum of all scores is 0
	for k, i := range order[:len(order)-1] {
		below += score[i]
		if n := float64(k + 1); below*below/(n*(float64(len(ids))-n)) > most {
			cut, most = k+1, below*below/(n*(float64(len(ids))-n))
		}
	}
	second = map[string]bool{}
	for _, i := range order[cut:] {
		second[ids[i]] = true
	}
	return second
}
