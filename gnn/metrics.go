package gnn

import (
	"cmp"
	"math"
	"slices"

	"prgnn/internal/lists"
)

// A Confusion counts predictions: Counts[true class][predicted class].
type Confusion struct{ Counts [][]int }

// NewConfusion makes an empty table of that many classes.
func NewConfusion(classes int) *Confusion {
	c := &Confusion{Counts: make([][]int, classes)}
	for i := range c.Counts {
		c.Counts[i] = make([]int, classes)
	}
	return c
}

// Add counts one prediction.
func (c *Confusion) Add(label, predicted int) { c.Counts[label][predicted]++ }

// Accuracy is the share of right predictions; NaN when there are none.
func (c *Confusion) Accuracy() float64 {
	right, n := 0, 0
	for i, row := range c.Counts {
		right += row[i]
		for _, k := range row {
			n += k
		}
	}
	return float64(right) / float64(n)
}

// Recall is the share of a class's cases that were predicted as it (its
// sensitivity); NaN without cases.
func (c *Confusion) Recall(class int) float64 {
	n := 0
	for _, k := range c.Counts[class] {
		n += k
	}
	return float64(c.Counts[class][class]) / float64(n)
}

// Specificity is the share of the other classes' cases that were not predicted
// as this one; NaN without such cases.
func (c *Confusion) Specificity(class int) float64 {
	right, n := 0, 0
	for i, row := range c.Counts {
		if i == class {
			continue
		}
		for j, k := range row {
			n += k
			if j != class {
				right += k
			}
		}
	}
	return float64(right) / float64(n)
}

// Balanced is the mean recall of the classes that have cases (Brodersen et al. 2010).
func (c *Confusion) Balanced() float64 {
	sum, n := 0.0, 0
	for i := range c.Counts {
		if r := c.Recall(i); !math.IsNaN(r) {
			sum += r
			n++
		}
	}
	return sum / float64(n)
}

// AUC is the area under the ROC curve: the probability that a positive case
// scores higher than a negative one, ties counting one half (Mann & Whitney
// 1947). It is NaN unless there are cases of both kinds.
func AUC(score []float64, positive []bool) float64 {
	at := lists.UpTo(len(score))
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(score[a], score[b]) })
	var positives, negatives int // so far, of lower score
	twice := 0                   // twice the number of pairs in the right order
	for lo := 0; lo < len(at); {
		hi, p, n := lo, 0, 0
		for ; hi < len(at) && score[at[hi]] == score[at[lo]]; hi++ {
			if positive[at[hi]] {
				p++
			} else {
				n++
			}
		}
		if hi == lo { // a NaN is equal to nothing
			return math.NaN()
		}
		twice += p * (2*negatives + n)
		positives, negatives, lo = positives+p, negatives+n, hi
	}
	return float64(twice) / float64(2*positives*negatives)
}
