package inference

import (
	"cmp"
	"math"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
)

// An ICC has intraclass correlations of single values in a two-way layout of targets × raters (sessions, trainings):
// of absolute agreement, ICC(2,1), with its 95% interval (McGraw and Wong 1996), and of consistency, ICC(3,1) (Shrout
// and Fleiss 1979). They may be below 0.
type ICC struct{ Agreement, Low, High, Consistency float64 }

// A Layout computes the ICC of many tables of one size: targets × raters.
type Layout struct {
	targets, raters int
	low, high       map[int]float64 // quantiles of F, by the degrees of freedom that vary
}

// NewLayout makes it.
func NewLayout(targets, raters int) *Layout {
	return &Layout{targets, raters, map[int]float64{}, map[int]float64{}}
}

// Intraclass computes the ICC of targets × raters; NaN with fewer than two of either, or where nothing varies.
func (l *Layout) Intraclass(x [][]float64) ICC {
	none := math.NaN()
	out := ICC{none, none, none, none}
	rows, raters := l.targets, l.raters
	if rows < 2 || raters < 2 {
		return out
	}
	n, k := float64(rows), float64(raters)
	grand := 0.0
	column, row := make([]float64, raters), make([]float64, rows)
	for i, v := range x {
		for j, y := range v {
			row[i] += y / k
			column[j] += y / n
			grand += y / float64(n*k)
		}
	}
	var targets, between, rest float64
	for i, v := range x {
		targets += float64(k*(row[i]-grand)*(row[i]-grand)) / (n - 1)
		for j, y := range v {
			d := y - row[i] - column[j] + grand
			rest += float64(d*d) / float64((n-1)*(k-1))
		}
	}
	for _, c := range column {
		between += float64(n*(c-grand)*(c-grand)) / (k - 1)
	}
	out.Consistency = (targets - rest) / (targets + float64((k-1)*rest))
	out.Agreement = (targets - rest) / (targets + float64((k-1)*rest) + float64(k*(between-rest))/n)
	if math.IsNaN(out.Agreement) || rest <= 0 {
		return out
	}
	a := float64(k*out.Agreement) / float64(n*(1-out.Agreement))
	b := 1 + float64(k*out.Agreement*(n-1))/float64(n*(1-out.Agreement))
	ofRaters, ofRest := float64(a*between), float64(b*rest)
	degrees := float64((ofRaters+ofRest)*(ofRaters+ofRest)) /
		(float64(ofRaters*ofRaters)/(k-1) + float64(ofRest*ofRest)/float64((n-1)*(k-1)))
	noise := float64(k*between) + float64((float64(k*n)-k-n)*rest)
	f := betweenDegrees(degrees, l.low, func(v int) float64 { return VarianceRatio(0.025, rows-1, v) })
	out.Low = float64(n*(targets-float64(f*rest))) / (float64(f*noise) + float64(n*targets))
	f = betweenDegrees(degrees, l.high, func(v int) float64 { return VarianceRatio(0.025, v, rows-1) })
	out.High = float64(n*(float64(f*targets)-rest)) / (noise + float64(n*f*targets))
	return out
}

// betweenDegrees is a quantile at degrees of freedom that are no whole number: linear in their reciprocal.
func betweenDegrees(v float64, known map[int]float64, compute func(degrees int) float64) float64 {
	quantile := func(degrees int) float64 {
		if _, ok := known[degrees]; !ok {
			known[degrees] = compute(degrees)
		}
		return known[degrees]
	}
	below := math.Floor(min(v, 1e6))
	if below < 1 || below == v || below == 1e6 {
		return quantile(max(1, int(below)))
	}
	low, high := quantile(int(below)), quantile(int(below)+1)
	share := (1/below - 1/v) / (1/below - 1/(below+1))
	return low + float64(share*(high-low))
}

// An Identification states how far scans of two sessions belong to their own participant (Finn et al. 2015): the share
// whose best match in the other session is their own, from the first session to the second and back, and how much
// more similar they are to themselves than to others (Amico and Goñi 2018).
type Identification struct {
	Forward, Back, Mean float64
	P                   float64 // of the mean, by permuted identities
	Self, Others        float64 // mean similarity
	Differential        float64 // 100·(self − others)
}

// Identify takes the similarity of n scans of the first session with n of the second. A tie is no match. permuted is
// the b-th assignment of identities, from 1.
func Identify(similarity []float64, n, permutations int, permuted func(b int) []int) (out Identification) {
	best := func(at func(j int) float64) int {
		place, tied := 0, false
		for j := 1; j < n; j++ {
			switch d := at(j) - at(place); {
			case d > 1e-12:
				place, tied = j, false
			case d >= -1e-12:
				tied = true
			}
		}
		if tied {
			return -1
		}
		return place
	}
	forward, back := make([]int, n), make([]int, n)
	for i := range n {
		forward[i] = best(func(j int) float64 { return similarity[i*n+j] })
		back[i] = best(func(j int) float64 { return similarity[j*n+i] })
		for j := range n {
			if i == j {
				out.Self += similarity[i*n+j] / float64(n)
			} else {
				out.Others += similarity[i*n+j] / float64(n*(n-1))
			}
		}
	}
	out.Differential = 100 * (out.Self - out.Others)
	found := func(of []int) (there, again int) {
		for i, j := range of {
			if forward[i] == j {
				there++
			}
			if back[j] == i {
				again++
			}
		}
		return there, again
	}
	own := lists.UpTo(n)
	there, again := found(own)
	out.Forward, out.Back = float64(there)/float64(n), float64(again)/float64(n)
	out.Mean = (out.Forward + out.Back) / 2
	as := 0
	for b := range permutations {
		if t, a := found(permuted(b + 1)); t+a >= there+again {
			as++
		}
	}
	out.P = PermutationP(as, permutations)
	return out
}

// A Reconstruction is the identification of scans that leading principal components reconstruct.
type Reconstruction struct {
	Components   int
	Explained    float64 // share of the variance over the edges, of all scans
	Mean         float64 // share of scans that are identified
	Self, Others float64 // mean similarity
	Differential float64 // 100·(self − others)
}

// Reconstruct repeats the identification of n participants on scans that are reconstructed from their first principal
// components (Amico and Goñi 2018, Scientific Reports 8:8254): of the covariance of the scans over the edges, n of the
// first session and then n of the second, in their order. most is how many numbers of components there are about.
func Reconstruct(covariance []float64, n, most int) (all []Reconstruction, err error) {
	values, vectors, err := dense.Eigen(covariance, 2*n)
	if err != nil {
		return nil, err
	}
	at := order(values)
	total := 0.0
	rank := 0
	for _, i := range at {
		if values[i] > 1e-12*values[at[0]] {
			total, rank = total+values[i], rank+1
		}
	}
	cross, own := make([]float64, n*n), make([]float64, 2*n)
	explained := 0.0
	for k, i := range at[:rank] {
		v := vectors[i*2*n:][:2*n]
		for a, x := range v {
			own[a] += float64(values[i] * float64(x*x))
			for b := range n {
				if a < n {
					cross[a*n+b] += float64(values[i] * float64(x*v[n+b]))
				}
			}
		}
		explained += values[i]
		if shown := max(1, most*(k+1)/rank); k+1 < rank && rank > most && shown == most*k/rank {
			continue
		}
		similarity := make([]float64, n*n)
		for a := range n {
			for b := range n {
				similarity[a*n+b] = cross[a*n+b] / math.Sqrt(float64(own[a]*own[n+b]))
			}
		}
		id := Identify(similarity, n, 0, nil)
		all = append(all, Reconstruction{k + 1, explained / total, id.Mean, id.Self, id.Others, id.Differential})
	}
	return all, nil
}

// CompareMaps compares two maps of one statistic by its magnitude: Spearman's correlation over the places that both
// have, and Dice's coefficient of the first k.
func CompareMaps(a, b []float64, k int) (spearman, dice float64) {
	var x, y []float64
	for i := range a {
		if v, w := math.Abs(a[i]), math.Abs(b[i]); v == v && w == w {
			x, y = append(x, v), append(y, w)
		}
	}
	k = min(k, len(x))
	if k == 0 {
		return math.NaN(), math.NaN()
	}
	first, second := Top(x, k), Top(y, k)
	both := 0.0
	for i := range first {
		both += float64(first[i] * second[i])
	}
	return Spearman(x, y), both / float64(k)
}

// Doubled is the reliability of twice the length, or of twice the participants, by Spearman and Brown.
func Doubled(r float64) float64 { return 2 * r / (1 + r) }

// Spread95 is the mean of the values, and their 2.5 and 97.5% quantiles; NaN of none.
func Spread95(v []float64) (mean, low, high float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	for _, x := range v {
		mean += x / float64(len(v))
	}
	low, high = percentiles(v)
	return mean, low, high
}

// Halve marks the second half of the participants: units stay whole, and each stratum is divided evenly, as far as
// units allow. The order of the units decides.
func Halve(units [][]int, stratum []int) []bool {
	second := make([]bool, len(stratum))
	type count struct{ first, second int }
	counts := map[int]*count{}
	all := count{}
	for _, unit := range units {
		lead := 0 // how many more the first half has of the strata of the unit
		for _, i := range unit {
			if counts[stratum[i]] == nil {
				counts[stratum[i]] = &count{}
			}
			lead += counts[stratum[i]].first - counts[stratum[i]].second
		}
		other := cmp.Or(cmp.Compare(lead, 0), cmp.Compare(all.first, all.second)) > 0
		for _, i := range unit {
			c := counts[stratum[i]]
			if second[i] = other; other {
				c.second, all.second = c.second+1, all.second+1
			} else {
				c.first, all.first = c.first+1, all.first+1
			}
		}
	}
	return second
}
