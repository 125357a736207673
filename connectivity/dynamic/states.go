package dynamic

import (
	"context"
	"fmt"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
)

// A Metric is the distance of a window to a state: the square root of the sum of squares, or the sum of magnitudes.
type Metric string

// L1 is the Manhattan distance, which Allen et al. 2014 take for its use in high dimensions.
const (
	L1 Metric = "l1"
	L2 Metric = "l2"
)

// Rows are windows, each of D entries.
type Rows struct {
	D int
	X []float32
}

// N is the number of rows.
func (r Rows) N() int { return len(r.X) / r.D }

// Only are the same windows with these entries alone; nil for all entries.
func (r Rows) Only(entries []int) Rows {
	if entries == nil {
		return r
	}
	fewer := Rows{D: len(entries), X: make([]float32, 0, r.N()*len(entries))}
	for i := range r.N() {
		row := r.row(i)
		for _, j := range entries {
			fewer.X = append(fewer.X, row[j])
		}
	}
	return fewer
}

func (r Rows) row(i int) []float32 { return r.X[i*r.D:][:r.D] }

// A Clustering is what k-means found.
type Clustering struct {
	Centers [][]float64
	Label   []int   // the center of each row, from 0; of equal distances the first
	Inertia float64 // sum of the distances, squared with L2
	Steps   int
	Stopped bool // after mostSteps: rows still change their centers
}

// mostSteps bounds Lloyd's algorithm; it ends when no row changes its center.
const mostSteps = 500

// KMeans is the best of several starts, each with centers of k-means++ from its own stream. Centers are sorted by the
// number of their rows, the largest first.
func KMeans(ctx context.Context, x Rows, k int, metric Metric, starts, threads int,
	stream func(start int) *random.Stream, progress func(start int)) (*Clustering, error) {
	if n := x.N(); n < k {
		return nil, fmt.Errorf("%d windows are too few for %d states", n, k)
	}
	var best *Clustering
	for s := range starts {
		c, err := Lloyd(ctx, x, plusPlus(x, k, metric, threads, stream(s)), metric, threads)
		if err != nil {
			return nil, err
		}
		if best == nil || c.Inertia < best.Inertia {
			best = c
		}
		progress(s + 1)
	}
	best.sort()
	return best, nil
}

// plusPlus chooses centers among the rows: each next one with a probability proportional to its distance (squared with
// L2) from the nearest center so far.
func plusPlus(x Rows, k int, metric Metric, threads int, s *random.Stream) [][]float64 {
	n := x.N()
	centers := [][]float64{center(x, []int{s.IntN(n)}, L2)}
	near := slices.Repeat([]float64{math.Inf(1)}, n)
	for len(centers) < k {
		_, d := nearest(x, centers[len(centers)-1:], metric, threads)
		sum := 0.0
		for i, v := range d {
			near[i] = min(near[i], v)
			sum += near[i]
		}
		at, rest := n-1, s.Float64()*sum
		for i, v := range near {
			if rest -= v; rest < 0 {
				at = i
				break
			}
		}
		centers = append(centers, center(x, []int{at}, L2))
	}
	return centers
}

// Lloyd moves centers to the means (L1: medians) of their rows until no row changes its center (Lloyd 1982). A center
// without rows takes the row that is farthest from its own.
func Lloyd(ctx context.Context, x Rows, centers [][]float64, metric Metric, threads int) (*Clustering, error) {
	c := &Clustering{Centers: slices.Clone(centers)}
	last := make([][]int, len(centers)) // the rows of each center
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		label, d := nearest(x, c.Centers, metric, threads)
		members := make([][]int, len(c.Centers))
		for i, l := range label {
			members[l] = append(members[l], i)
		}
		for l := range members {
			if members[l] == nil {
				far := 0
				for i, v := range d {
					if v > d[far] {
						far = i
					}
				}
				old := label[far]
				members[old] = slices.DeleteFunc(members[old], func(i int) bool { return i == far })
				members[l], label[far], d[far] = []int{far}, l, 0
			}
		}
		settled := slices.Equal(label, c.Label)
		if c.Label = label; settled || c.Steps == mostSteps {
			c.Stopped = !settled
			for _, v := range d {
				c.Inertia += v
			}
			return c, nil
		}
		dense.Each(threads, len(members), func(l int) {
			if !slices.Equal(members[l], last[l]) {
				c.Centers[l] = center(x, members[l], metric)
			}
		})
		last = members
		c.Steps++
	}
}

// Nearest is the center of each row, from 0, and its distance.
func Nearest(x Rows, centers [][]float64, metric Metric) ([]int, []float64) {
	label, d := nearest(x, centers, metric, 1)
	for i, v := range d {
		if metric == L2 {
			d[i] = math.Sqrt(v)
		}
	}
	return label, d
}

// nearest has squared distances with L2.
func nearest(x Rows, centers [][]float64, metric Metric, threads int) ([]int, []float64) {
	label, d := make([]int, x.N()), make([]float64, x.N())
	dense.Each(threads, x.N(), func(i int) {
		d[i] = math.Inf(1)
		for l, c := range centers {
			if v := distance(x.row(i), c, metric); v < d[i] {
				label[i], d[i] = l, v
			}
		}
	})
	return label, d
}

func distance(row []float32, c []float64, metric Metric) float64 {
	sum := 0.0
	if metric == L1 {
		for j, v := range row {
			sum += math.Abs(float64(v) - c[j])
		}
		return sum
	}
	for j, v := range row {
		e := float64(v) - c[j]
		sum += float64(e * e)
	}
	return sum
}

// center is the mean or the median of rows, entry by entry.
func center(x Rows, rows []int, metric Metric) []float64 {
	out := make([]float64, x.D)
	if metric == L1 {
		const together = 16 // entries of a row that lie side by side in memory
		var columns [together][]float32
		for k := range columns {
			columns[k] = make([]float32, len(rows))
		}
		for j := 0; j < x.D; j += together {
			for r, i := range rows {
				for k, v := range x.X[i*x.D+j : i*x.D+min(j+together, x.D)] {
					columns[k][r] = v
				}
			}
			for k := range min(together, x.D-j) {
				out[j+k] = exact.Median(columns[k])
			}
		}
		return out
	}
	for _, i := range rows {
		for j, v := range x.row(i) {
			out[j] += float64(v)
		}
	}
	for j := range out {
		out[j] /= float64(len(rows))
	}
	return out
}

// sort puts the centers with most rows first.
func (c *Clustering) sort() {
	count, order := make([]int, len(c.Centers)), lists.UpTo(len(c.Centers))
	for _, l := range c.Label {
		count[l]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return count[b] - count[a] })
	place, centers := make([]int, len(order)), make([][]float64, len(order))
	for to, from := range order {
		place[from], centers[to] = to, c.Centers[from]
	}
	for i, l := range c.Label {
		c.Label[i] = place[l]
	}
	c.Centers = centers
}

// A Stay is a state of one participant: Allen et al. 2014, "fraction of time spent in each state, and mean dwell time".
type Stay struct {
	Fraction float64 // of the windows
	Dwell    float64 // mean number of windows of a visit, 0 without a visit
	Visits   int
}

// Stays are those of k states in a sequence of labels; starts marks windows that follow no other: a visit ends before.
// transitions[a][b] counts windows in state b that follow one in state a.
func Stays(label []int, starts []bool, k int) (stays []Stay, transitions [][]int) {
	stays, transitions = make([]Stay, k), make([][]int, k)
	for a := range transitions {
		transitions[a] = make([]int, k)
	}
	windows := make([]int, k)
	for i, l := range label {
		windows[l]++
		if i == 0 || starts[i] || label[i-1] != l {
			stays[l].Visits++
		}
		if i > 0 && !starts[i] {
			transitions[label[i-1]][l]++
		}
	}
	for l := range stays {
		stays[l].Fraction = float64(windows[l]) / float64(len(label))
		if stays[l].Visits > 0 {
			stays[l].Dwell = float64(windows[l]) / float64(stays[l].Visits)
		}
	}
	return stays, transitions
}

// Exemplars marks the windows at which the variance over the entries has a local maximum (Allen et al. 2014), or the
// largest one where there is none. starts is as in Stays.
func Exemplars(variance []float64, starts []bool) []bool {
	n := len(variance)
	marked, any := make([]bool, n), false
	for i := 1; i+1 < n; i++ {
		if !starts[i] && !starts[i+1] && variance[i] > variance[i-1] && variance[i] >= variance[i+1] {
			marked[i], any = true, true
		}
	}
	if !any && n > 0 {
		largest := 0
		for i, v := range variance {
			if v > variance[largest] {
				largest = i
			}
		}
		marked[largest] = true
	}
	return marked
}
