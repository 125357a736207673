package connectivity

import (
	"math"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// A Segment is an interval of rows of a cleaned run, [From, To), of consecutive volumes: between its ends no
// volume was censored.
type Segment struct{ From, To int }

// Segments are those of the kept volumes, in order.
func (c *Cleaner) Segments() []Segment {
	var s []Segment
	for row, volume := range c.keep {
		if row == 0 || volume != c.keep[row-1]+1 {
			s = append(s, Segment{From: row})
		}
		s[len(s)-1].To = row + 1
	}
	return s
}

// Resample draws volumes of a cleaned run in blocks (Blocks), the same for all regions, so that their correlations
// stay. The result is centered and scaled again as Clean does it: a mean that differs between runs would look like
// correlation where runs are joined.
func (c *Cleaner) Resample(y Matrix, status []Status, length int, random func(n int) int) Matrix {
	x := y.rows(Blocks(c.Segments(), length, random))
	switch {
	case c.o.Standardize == ScaleZ || c.o.Standardize == "":
		zscore(x, status)
	case c.o.Detrend >= 0:
		center(x)
	}
	return x
}

// Blocks draws as many rows as the segments have by the circular block bootstrap (Politis & Romano 1992, "A circular
// block-resampling procedure for stationary data"): blocks of length rows begin at random rows, all equally likely,
// and the last one is cut. A block that reaches the end of its segment goes on at the beginning of that segment, so
// that none crosses a gap, and each row is drawn once on average. random returns a number below n.
func Blocks(segments []Segment, length int, random func(n int) int) []int {
	var of []Segment // of each row
	for _, s := range segments {
		for range s.To - s.From {
			of = append(of, s)
		}
	}
	rows := make([]int, 0, len(of)+length)
	for len(rows) < len(of) {
		start := random(len(of))
		s := of[start]
		for k := range length {
			rows = append(rows, s.From+(start-s.From+k)%(s.To-s.From))
		}
	}
	return rows[:len(of)]
}

// BlockLength is the length of the blocks, in volumes: the mean over the regions with a signal of the optimal length
// for the circular bootstrap, rounded up (Politis & White 2004, Econometric Reviews 23:53, with the correction of
// Patton, Politis & White 2009, Econometric Reviews 28:372).
func BlockLength(x Matrix, status []Status, segments []Segment) int {
	sum, n := 0.0, 0
	for j, s := range status {
		if s == Present {
			sum, n = sum+optimalBlock(x.column(j), segments), n+1
		}
	}
	if n == 0 {
		return 1
	}
	return max(1, int(math.Ceil(sum/float64(n))))
}

// optimalBlock is (2G²/D)^⅓ N^⅓ with D = 4/3 g(0)², where G = Σ λ(k/M) |k| R(k) and g(0) = Σ λ(k/M) R(k) over
// |k| ≤ M, R is the autocovariance and λ the flat-top window. M is twice the first of K lags in a row whose
// autocorrelations are all below 2 √(log₁₀ N / N). Two volumes with a gap between them give no product. The constants
// are those of the Python package arch.
func optimalBlock(x []float64, segments []Segment) float64 {
	n := float64(len(x))
	mean := dense.Sum(x)
	mean /= n
	e := lists.Map(x, func(v float64) float64 { return v - mean })
	log10 := exact.Log(n) / math.Ln10
	inRow := max(5, int(log10))
	lags := int(math.Ceil(math.Sqrt(n))) + inRow
	r := make([]float64, lags+1)
	for k := range r {
		for _, s := range segments {
			for t := s.From; t+k < s.To; t++ {
				r[k] += float64(e[t] * e[t+k])
			}
		}
		r[k] /= n
	}
	m, small, limit := lags, 0, 2*math.Sqrt(log10/n)
	for k := 1; k < lags; k++ {
		if small++; !(math.Abs(r[k]) < float64(limit*r[0])) {
			small = 0
		}
		if small == inRow {
			m = min(2*(k-inRow+1), lags)
			break
		}
	}
	g, spectrum := 0.0, r[0]
	for k := 1; k <= m; k++ {
		flat := 2 * min(1, 2*(1-float64(k)/float64(m)))
		g += float64(float64(flat*float64(k)) * r[k])
		spectrum += float64(flat * r[k])
	}
	longest := math.Ceil(min(3*math.Sqrt(n), n/3))
	ratio := float64(g*g) / (2.0 / 3 * float64(spectrum*spectrum)) * n
	switch {
	case g == 0:
		return 0
	case !(ratio < float64(longest*longest)*longest):
		return longest
	}
	return exact.Exp(exact.Log(ratio) / 3)
}
