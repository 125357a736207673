package confound

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
	"prgnn/stages/inference"
)

// LogLikelihood is L[i·n + j], the log density of x of participant i under the condition of participant j: for a
// number, of a linear Gaussian model with the SD (n) of its residuals; for a category, of a multinomial logistic
// model, or of
// the shares within the categories of the condition (Spisak 2022; mlconfound's cond_dist_method="linear"). Constants
// that permutations leave out count. blocks are categories within which x is permuted, with an effect each.
func LogLikelihood(x, condition Covariate, blocks ...Covariate) ([]float64, error) {
	if x.Text == nil {
		return gaussian(x.Number, condition, blocks)
	}
	level, names := numbered(x.Text)
	p, err := shares(level, len(names), condition, blocks)
	if err != nil {
		return nil, err
	}
	n := len(level)
	l := make([]float64, n*n)
	for i, k := range level {
		for j := range n {
			l[i*n+j] = exact.Log(max(p[j*len(names)+k], leastShare))
		}
	}
	return l, nil
}

// leastShare is the share of a category that the condition excludes: no swap is likely to give it there.
const leastShare = 1e-300

func numbered(texts []string) (level []int, names []string) {
	names = slices.Compact(slices.Sorted(slices.Values(texts)))
	for _, t := range texts {
		k, _ := slices.BinarySearch(names, t)
		level = append(level, k)
	}
	return level, names
}

// designOf is the rows of a design of everybody, and how many of its columns are of the first covariate.
func designOf(of []Covariate, n int) (rows [][]float64, first int, err error) {
	all := lists.UpTo(n)
	d, err := NewDesign(of, all, Options{Degree: 1})
	if err != nil {
		return nil, 0, err
	}
	for _, t := range d.Terms {
		if t.Covariate == of[0].Name {
			first++
		}
	}
	for i := range all {
		z, _, err := d.Row(of, i)
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, z)
	}
	return rows, first, nil
}

func gaussian(x []float64, condition Covariate, blocks []Covariate) ([]float64, error) {
	rows, first, err := designOf(append([]Covariate{condition}, blocks...), len(x))
	if err != nil {
		return nil, err
	}
	beta := NewSolver(rows).Solve(x, 1, 1)
	n := len(x)
	mean := make([]float64, n)
	variance, whole := 0.0, 0.0
	for i, z := range rows {
		mean[i] = beta[0] + dense.Inner(z, beta[1:])
		variance += float64((x[i] - mean[i]) * (x[i] - mean[i]))
		whole += float64(x[i] * x[i])
	}
	if variance /= float64(max(1, n-len(rows[0])+first)); !(variance > 1e-20*whole/float64(n)) {
		return nil, ErrDetermined
	}
	constant := float64(-exact.Log(float64(2*math.Pi)*variance) / 2)
	l := make([]float64, n*n)
	for i := range x {
		for j, m := range mean {
			r := x[i] - m
			l[i*n+j] = constant - float64(r*r)/float64(2*variance)
		}
	}
	return l, nil
}

// ErrDetermined: nothing of a variable is left to permute.
var ErrDetermined = errors.New("one of the two determines the other, so nothing can be permuted")

// shares are the probabilities of the categories for each participant's condition: participant × category.
func shares(level []int, categories int, condition Covariate, blocks []Covariate) ([]float64, error) {
	n := len(level)
	p := make([]float64, n*categories)
	if blocks != nil {
		rows, first, err := designOf(append([]Covariate{condition}, blocks...), n)
		if err != nil {
			return nil, err
		}
		penalty := make([]float64, len(rows[0])+1)
		for k := range rows[0] {
			penalty[k+1] = map[bool]float64{true: weakly, false: 1}[k < first]
		}
		return p, logistic(p, level, categories, rows, penalty)
	}
	if condition.Text != nil {
		at, names := numbered(condition.Text)
		count := make([]float64, len(names)*categories)
		of := make([]float64, len(names))
		for i, k := range level {
			count[at[i]*categories+k]++
			of[at[i]]++
		}
		for i := range n {
			for k := range categories {
				p[i*categories+k] = count[at[i]*categories+k] / of[at[i]]
			}
		}
		return p, nil
	}
	part := Part{}
	if err := part.fitNumber(condition.Number, Options{Degree: 1}); err != nil {
		return nil, err
	}
	z := make([][]float64, n)
	for i, v := range condition.Number {
		z[i] = []float64{part.scaled(v)}
	}
	return p, logistic(p, level, categories, z, make([]float64, 2))
}

// weakly is the penalty that keeps the effect of a condition finite if it separates the categories within the blocks.
// Effects of blocks have a penalty of 1, as random effects of a variance of 1: those of small blocks, each fitted
// alone, would exaggerate the effect of the condition.
const weakly = 0.01

// logistic fits P(k | z) ∝ exp(a_k + b_k·z), a_0 = b_0 = 0, less penalty/2 of each squared coefficient, by Newton's
// method with halved steps, and has the shares in p.
func logistic(p []float64, level []int, categories int, z [][]float64, penalty []float64) error {
	n, width := len(level), len(penalty)
	free := width * (categories - 1)
	if free == 0 {
		return ErrDetermined
	}
	beta := make([]float64, free)
	likelihood := func(beta []float64) (sum float64) {
		for i, v := range z {
			row := p[i*categories:][:categories]
			most := 0.0
			for k := range row {
				row[k] = 0
				if k > 0 {
					b := beta[(k-1)*width:][:width]
					row[k] = b[0] + dense.Inner(v, b[1:])
				}
				most = max(most, row[k])
			}
			total, own := 0.0, row[level[i]]-most
			for k := range row {
				row[k] = exact.Exp(row[k] - most)
				total += row[k]
			}
			for k := range row {
				row[k] /= total
			}
			sum += own - exact.Log(total)
		}
		for i, b := range beta {
			sum -= float64(float64(penalty[i%width]*float64(b*b)) / 2)
		}
		return sum
	}
	w := dense.NewCholesky(free)
	now := likelihood(beta)
	for range 100 {
		gradient := make([]float64, free)
		h := make([]float64, w.M*w.M)
		for i := free; i < w.M; i++ {
			h[i*w.M+i] = 1
		}
		for i, b := range beta {
			gradient[i] = -float64(penalty[i%width] * b)
			h[i*w.M+i] = penalty[i%width]
		}
		x := make([]float64, width)
		x[0] = 1
		for i, v := range z {
			row := p[i*categories:][:categories]
			copy(x[1:], v)
			for k := 1; k < categories; k++ {
				r := -row[k]
				if level[i] == k {
					r++
				}
				for a := range width {
					gradient[(k-1)*width+a] += float64(r * x[a])
				}
				for l := 1; l < categories; l++ {
					c := float64(-row[k] * row[l])
					if k == l {
						c += row[k]
					}
					for a := range width {
						for b := range width {
							h[((k-1)*width+a)*w.M+(l-1)*width+b] += float64(c * float64(x[a]*x[b]))
						}
					}
				}
			}
		}
		if !w.Factor(h) {
			return fmt.Errorf("a logistic model does not separate the two: %w", ErrDetermined)
		}
		inverse := make([]float64, w.M*w.M)
		w.Invert(inverse)
		step := make([]float64, free)
		decrement := 0.0
		for i := range step {
			step[i] = dense.Inner(inverse[i*w.M:][:free], gradient)
			decrement += float64(step[i] * gradient[i])
		}
		if decrement < 1e-20*float64(n) {
			return nil
		}
		for half := 1.0; ; half /= 2 {
			next := slices.Clone(beta)
			for i := range next {
				next[i] += float64(half * step[i])
			}
			if l := likelihood(next); l >= now-float64(1e-12*math.Abs(now)) || half < 1e-6 {
				beta, now = next, l
				break
			}
		}
	}
	return fmt.Errorf("a logistic model has no maximum: %w", ErrDetermined)
}

// A Test is one conditional permutation test.
type Test struct {
	R2               float64
	P                float64
	Low, Median, Top float64 // 5, 50 and 95% quantiles of R² over the permutations
}

// Sweeps are how many pairwise-swap sweeps make the hub, and each chain from it, as in mlconfound.
const (
	hubSweeps   = 250
	chainSweeps = 50
)

// Chains are the permutations of a test: their number, and what is called after each, from any goroutine.
type Chains struct {
	N, Threads int
	Seed       uint64
	Done       func()
}

// Conditional tests whether each of several predictions depends on x, given the condition that l was made with:
// Berrett, Wang, Barber and Samworth's conditional permutation test (2020), with independent chains from one hub. The
// statistic is R² of x and the prediction; of a category that of the one-way fit.
func Conditional(x Covariate, l []float64, predictions [][]float64, chains Chains, name ...any) []Test {
	n := len(predictions[0])
	identity := lists.UpTo(n)
	statistic := squared(x)
	out := make([]Test, len(predictions))
	for k, of := range predictions {
		out[k].R2 = statistic(of, identity)
	}
	stream := func(part any) *random.Stream {
		return random.New(chains.Seed, append(append([]any{"confound"}, name...), part)...)
	}
	everybody := [][][]int{lists.Map(identity, func(i int) []int { return []int{i} })}
	hub := slices.Clone(identity)
	sweep(hub, l, everybody, hubSweeps, stream("hub"))
	null := make([][]float64, len(predictions))
	for k := range null {
		null[k] = make([]float64, chains.N)
	}
	dense.Each(chains.Threads, chains.N, func(b int) {
		p, statistic := slices.Clone(hub), squared(x)
		sweep(p, l, everybody, chainSweeps, stream(b))
		for k, of := range predictions {
			null[k][b] = statistic(of, p)
		}
		if chains.Done != nil {
			chains.Done()
		}
	})
	for k, values := range null {
		as := lists.Count(values, func(v float64) bool { return inference.AsLarge(v, out[k].R2) })
		slices.Sort(values)
		t := &out[k]
		t.P = inference.PermutationP(as, chains.N)
		t.Low, t.Median, t.Top = inference.Quantile(values, 0.05), inference.Quantile(values, 0.5),
			inference.Quantile(values, 0.95)
	}
	return out
}

// Labelings are permutations of labels by the same chains, for models that are retrained on each: whose label each
// participant receives. l is that of the labels given the condition. sets has the units whose labels are exchanged: any
// two of a set, place by place. The first is the true labels. Where labels and all else are independent given the
// condition, and l is their distribution, all of them are exchangeable.
func Labelings(l []float64, n int, sets [][][]int, chains Chains, name ...any) [][]int {
	out := make([][]int, chains.N+1)
	out[0] = lists.UpTo(n)
	stream := func(part any) *random.Stream {
		return random.New(chains.Seed, append(append([]any{"labelings"}, name...), part)...)
	}
	hub, back := slices.Clone(out[0]), slices.Clone(sets)
	slices.Reverse(back) // the chain from the true labels to the hub is one from the hub, backward
	sweep(hub, l, back, hubSweeps, stream("hub"))
	dense.Each(chains.Threads, chains.N, func(b int) {
		out[b+1] = slices.Clone(hub)
		sweep(out[b+1], l, sets, chainSweeps, stream(b))
		if chains.Done != nil {
			chains.Done()
		}
	})
	return out
}

// sweep exchanges the members of random pairs of units of each set, with odds exp(L[pᵢ,j] + L[pⱼ,i] − L[pᵢ,i] −
// L[pⱼ,j]), summed over their places i and j.
func sweep(p []int, l []float64, sets [][][]int, sweeps int, s *random.Stream) {
	n := len(p)
	for range sweeps {
		for _, units := range sets {
			order := slices.Clone(units)
			s.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for k := 0; k+1 < len(order); k += 2 {
				d := 0.0
				for at, i := range order[k] {
					j := order[k+1][at]
					a, b := p[i], p[j]
					d += l[a*n+j] + l[b*n+i] - l[a*n+i] - l[b*n+j]
				}
				u := s.Float64()
				if d >= 36 || u < 1/(1+exact.Exp(-max(-700, min(700, d)))) {
					for at, i := range order[k] {
						j := order[k+1][at]
						p[i], p[j] = p[j], p[i]
					}
				}
			}
		}
	}
}

// squared is R² of x, permuted, and a prediction.
func squared(x Covariate) func(of []float64, p []int) float64 {
	if x.Text == nil {
		v := make([]float64, len(x.Number))
		return func(of []float64, p []int) float64 {
			for i, from := range p {
				v[i] = x.Number[from]
			}
			r := inference.Correlation(v, of)
			return float64(r * r)
		}
	}
	level, names := numbered(x.Text)
	sum, count := make([]float64, len(names)), make([]float64, len(names))
	return func(of []float64, p []int) float64 {
		clear(sum)
		clear(count)
		mean := 0.0
		for i, from := range p {
			sum[level[from]] += of[i]
			count[level[from]]++
			mean += of[i]
		}
		mean /= float64(len(of))
		between, whole := 0.0, 0.0
		for k, s := range sum {
			d := s/count[k] - mean
			between += float64(count[k] * float64(d*d))
		}
		for _, v := range of {
			whole += float64((v - mean) * (v - mean))
		}
		return between / whole
	}
}

// Detectable is the R² that a test of n participants finds with a power of 80% at p ≤ 0.05, by Fisher's z of a partial
// correlation with one condition.
func Detectable(n int) float64 {
	if n < 6 {
		return math.NaN()
	}
	const z = 1.959963984540054 + 0.8416212335729143 // normal quantiles of 0.975 and 0.8
	r := exact.Tanh(z / math.Sqrt(float64(n-4)))
	return float64(r * r)
}
