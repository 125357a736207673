package inference

import (
	"math"

	"prgnn/numeric/exact"
)

// Components are where the variance of scores lies: between the regions, alike in
// everybody; between people, region by region; between a person's draws. They are those of
// nested random effects, score = mean + region + person within region + draw
// (Searle, Casella and McCulloch, Variance Components, 1992, section 3.6), and may be
// below 0 where there is next to nothing. Without draws, Common over the sum is ICC(1,1) of Shrout
// and Fleiss, Psychological Bulletin 86 (1979), 420.
type Components struct{ Common, Individual, Draw float64 }

// Share is the variance between people as a share of the variance between regions and between people.
func (c Components) Share() float64 {
	individual, common := max(0, c.Individual), max(0, c.Common)
	return individual / (individual + common)
}

// VarianceComponents takes the scores of people × draws × regions, of everybody the
// same number of draws. NaN when there are fewer than two people or regions.
func VarianceComponents(x [][][]float64) Components {
	people, draws, regions := float64(len(x)), float64(len(x[0])), len(x[0][0])
	between := 0.0 // mean over the regions of the variance of people's means
	out := Components{}
	means := make([]float64, regions)
	for r := range means {
		own := make([]float64, len(x))
		for p, of := range x {
			for _, d := range of {
				own[p] += d[r] / draws
			}
			for _, d := range of {
				out.Draw += float64((d[r]-own[p])*(d[r]-own[p])) / (people * float64(regions) * max(1, draws-1))
			}
			means[r] += own[p] / people
		}
		for _, v := range own {
			between += float64((v-means[r])*(v-means[r])) / (float64(regions) * (people - 1))
		}
	}
	grand := 0.0
	for _, m := range means {
		grand += m / float64(regions)
	}
	for _, m := range means {
		out.Common += float64((m-grand)*(m-grand)) / float64(regions-1)
	}
	out.Common -= between / people
	out.Individual = between - out.Draw/draws
	return out
}

// A Cell holds the scores of comparable participants: of one group, by one model.
type Cell struct {
	Group  int
	Scores [][][]float64 // person × draw × region
}

// An Individuality tells how much of the scores is a person's own. Low and High are 95%
// intervals by the jackknife over people (Tukey 1958; Efron and Tibshirani 1993, chapter 11), of the share by its
// logit. Jaccard is the mean over pairs of people, of a cell, and of different groups of one model.
type Individuality struct {
	Components
	Share, ShareLow, ShareHigh       float64
	Jaccard, JaccardLow, JaccardHigh float64
	JaccardApart, JaccardLuck        float64
	LeastShare, MostShare            float64 // of a single model
	People, Draws                    int
}

// Individual measures the cells of each model: components as the mean over cells, by their
// people; overlap of the first k regions over all pairs.
func Individual(models [][]Cell, k int) Individuality {
	out := Individuality{LeastShare: math.NaN(), MostShare: math.NaN()}
	var all []person
	var tops []topRegions // of all
	parts := map[[2]int]Components{}
	regions := 0
	for m, cells := range models {
		own := map[[2]int]Components{}
		for c, cell := range cells {
			for p, of := range cell.Scores {
				mean := make([]float64, len(of[0]))
				for _, d := range of {
					for r, v := range d {
						mean[r] += v / float64(len(of))
					}
				}
				regions, out.Draws = len(mean), max(out.Draws, len(of))
				tops = append(tops, regionsOf(Top(mean, k)))
				all = append(all, person{m, c, p})
			}
			if len(cell.Scores) > 1 {
				parts[[2]int{m, c}] = VarianceComponents(cell.Scores)
				own[[2]int{m, c}] = parts[[2]int{m, c}]
			}
		}
		if s := pooled(models, own).Share(); len(own) > 0 {
			if !(out.LeastShare <= s) {
				out.LeastShare = s
			}
			if !(out.MostShare >= s) {
				out.MostShare = s
			}
		}
	}
	out.People = len(all)
	out.Components = pooled(models, parts)
	out.Share = out.Components.Share()

	pairs := overlaps(models, all, tops)
	out.Jaccard, out.JaccardApart = pairs.sum/pairs.n, pairs.apart/pairs.nApart
	out.JaccardLuck = expectedJaccard(regions, min(k, regions))

	var logits, jaccards []float64
	for i, a := range all {
		jaccards = append(jaccards, (pairs.sum-pairs.ownSum[i])/(pairs.n-pairs.ownN[i]))
		cell := models[a.model][a.cell].Scores
		key := [2]int{a.model, a.cell}
		whole, counted := parts[key]
		if !counted {
			continue
		}
		less := append(append([][][]float64(nil), cell[:a.at]...), cell[a.at+1:]...)
		if len(less) > 1 {
			parts[key] = VarianceComponents(less)
		} else {
			delete(parts, key)
		}
		s := pooled(models, parts).Share()
		logits = append(logits, exact.Log(s/(1-s)))
		parts[key] = whole
	}
	center, half := exact.Log(out.Share/(1-out.Share)), float64(1.959963984540054*jackknife(logits))
	out.ShareLow, out.ShareHigh = expit(center-half), expit(center+half)
	half = float64(1.959963984540054 * jackknife(jaccards))
	out.JaccardLow, out.JaccardHigh = max(0, out.Jaccard-half), min(1, out.Jaccard+half)
	return out
}

// A person is one participant of a cell of a model.
type person struct{ model, cell, at int }

// pairOverlaps are sums of the Jaccard index of the top regions over pairs of participants of a model: n pairs within a
// group, nApart between groups. Those of each person within the group can be taken out again.
type pairOverlaps struct {
	sum, n, apart, nApart float64
	ownSum, ownN          []float64
}

func overlaps(models [][]Cell, all []person, tops []topRegions) pairOverlaps {
	p := pairOverlaps{ownSum: make([]float64, len(all)), ownN: make([]float64, len(all))}
	for i, a := range all {
		for j := range i {
			b := all[j]
			if a.model != b.model {
				continue
			}
			both, either := tops[i].overlap(tops[j])
			v := both / either
			if models[a.model][a.cell].Group != models[b.model][b.cell].Group {
				p.apart += v
				p.nApart++
				continue
			}
			p.sum += v
			p.n++
			p.ownSum[i], p.ownN[i], p.ownSum[j], p.ownN[j] = p.ownSum[i]+v, p.ownN[i]+1, p.ownSum[j]+v, p.ownN[j]+1
		}
	}
	return p
}

// pooled is the mean over cells, each counted by its people, in their order.
func pooled(models [][]Cell, parts map[[2]int]Components) Components {
	out, n := Components{}, 0.0
	for m, cells := range models {
		for c, cell := range cells {
			p, ok := parts[[2]int{m, c}]
			if !ok {
				continue
			}
			w := float64(len(cell.Scores))
			out.Common += float64(w * p.Common)
			out.Individual += float64(w * p.Individual)
			out.Draw += float64(w * p.Draw)
			n += w
		}
	}
	return Components{out.Common / n, out.Individual / n, out.Draw / n}
}

// jackknife is the standard error of a number of which these are the values without
// one person each.
func jackknife(v []float64) float64 {
	n, mean, q := float64(len(v)), 0.0, 0.0
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		q += float64((x - mean) * (x - mean))
	}
	return math.Sqrt(q * (n - 1) / n)
}

func expit(x float64) float64 { return 1 / (1 + exact.Exp(-x)) }
