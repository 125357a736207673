package nifti

import (
	"fmt"
	"io"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
)

// WeightedMeans fits, in every volume, the maps of a probabilistic atlas to the scan by least
// squares: series s minimizes Σ over voxels v of (scan(v) − Σ over regions r of weight(v, r)·s(r))².
// That is nilearn's img_to_signals_maps (NiftiMapsMasker). The weights are on the scan's grid.
//
// Voxels that are not finite in some volume, or never change, are left out: Counts has them by
// region. choose picks the voxels of each draw out of n valid ones, of all regions together, as
// ascending numbers below n; draw 0 has all. sample are voxels whose own series are kept (Means.Sample).
//
// The normal equations are solved by Cholesky's factor, with one step of refinement from the
// residual of the data (corrected seminormal equations, Björck 1987, Linear Algebra Appl. 88/89:31).
func WeightedMeans(open func() (*Reader, error), w *Weights, draws int, choose func(n int) [][]int32,
	sample []int32) (*Means, error) {
	voxels := w.support()
	m := &Means{}
	bad, constant, err := m.judge(open, voxels)
	if err != nil {
		return nil, err
	}
	m.count(w, voxels, bad, constant)
	var valid []int32
	for i, at := range voxels {
		if !bad[i] && !constant[i] {
			valid = append(valid, at)
		}
	}
	rows := w.rows(valid)
	fits := make([]*fit, 1+draws)
	if fits[0], err = newFit(rows, nil, m.Counts); err != nil {
		return nil, err
	}
	if draws > 0 {
		for d, list := range choose(len(valid)) {
			if fits[1+d], err = newFit(rows, list, m.Counts); err != nil {
				return nil, fmt.Errorf("draw %d of %d voxels: %w", d+1, len(list), err)
			}
		}
	}
	n := len(w.Maps)
	m.Series = make([]float64, (1+draws)*m.Volumes*n)
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	values := make([]float64, w.Grid.Voxels())
	for v := 0; ; v++ {
		if err := r.Next(values); err == io.EOF {
			if v != m.Volumes {
				return nil, errChanged
			}
			clearNonFinite(m.Sample, len(sample))
			return m, nil
		} else if err != nil {
			return nil, err
		}
		if v == m.Volumes {
			return nil, errChanged
		}
		y := lists.Map(valid, func(at int32) float64 { return values[at] })
		for _, at := range sample {
			m.Sample = append(m.Sample, values[at])
		}
		for d, f := range fits {
			f.solve(m.Series[(d*m.Volumes+v)*n:][:n], rows, y)
		}
	}
}

// judge reads the scan once: which voxels are not finite in some volume, and which never change.
func (m *Means) judge(open func() (*Reader, error), voxels []int32) (bad, constant []bool, err error) {
	r, err := open()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	if err := r.CheckSeries(); err != nil {
		return nil, nil, err
	}
	m.Header, m.Mean = r.Header, make([]float64, r.Header.Grid().Voxels())
	bad, constant = make([]bool, len(voxels)), make([]bool, len(voxels))
	first, values := make([]float64, len(voxels)), make([]float64, r.Header.Grid().Voxels())
	for ; ; m.Volumes++ {
		if err := r.Next(values); err == io.EOF {
			for i := range m.Mean {
				m.Mean[i] /= float64((m.Volumes + MeanStep - 1) / MeanStep)
			}
			return bad, constant, nil
		} else if err != nil {
			return nil, nil, err
		}
		for i, x := range values {
			if m.Volumes%MeanStep == 0 && x-x == 0 {
				m.Mean[i] += x
			}
		}
		for i, at := range voxels {
			x := values[at]
			if m.Volumes == 0 {
				first[i], constant[i] = x, true
			}
			constant[i] = constant[i] && x == first[i]
			bad[i] = bad[i] || x-x != 0
		}
	}
}

// count tells of each map what became of its voxels.
func (m *Means) count(w *Weights, voxels []int32, bad, constant []bool) {
	m.Counts = make([]Count, len(w.Maps))
	for i, one := range w.Maps {
		for _, at := range one.Voxels {
			k, _ := slices.BinarySearch(voxels, at)
			switch c := &m.Counts[i]; {
			case bad[k]:
				c.NonFinite++
			case constant[k]:
				c.Constant++
			default:
				c.Used++
			}
		}
	}
}

// weightRows are the weights of the valid voxels, voxel by voxel.
type weightRows struct {
	from   []int32 // of each voxel in maps and values; one more at the end
	maps   []int32 // ascending in a voxel
	values []float64
}

func (w *Weights) rows(valid []int32) *weightRows {
	place := make([]int32, w.Grid.Voxels())
	for at := range place {
		place[at] = -1
	}
	for i, at := range valid {
		place[at] = int32(i)
	}
	r := &weightRows{from: make([]int32, len(valid)+1)}
	each := func(use func(voxel int32, region int, x float64)) {
		for i, m := range w.Maps {
			for k, at := range m.Voxels {
				if p := place[at]; p >= 0 {
					use(p, i, m.Values[k])
				}
			}
		}
	}
	each(func(p int32, _ int, _ float64) { r.from[p+1]++ })
	for i := range valid {
		r.from[i+1] += r.from[i]
	}
	total := r.from[len(valid)]
	r.maps, r.values = make([]int32, total), make([]float64, total)
	next := slices.Clone(r.from)
	each(func(p int32, region int, x float64) {
		r.maps[next[p]], r.values[next[p]] = int32(region), x
		next[p]++
	})
	return r
}

// A fit solves the least squares of one draw.
type fit struct {
	list    []int32 // of the voxels; nil for all
	regions []int32 // those with a valid voxel
	at      []int32 // of each map in regions, −1 without
	inverse []float64
	b, s    []float64
}

// newFit factors the normal equations of a draw.
func newFit(rows *weightRows, list []int32, counts []Count) (*fit, error) {
	f := &fit{list: list, at: make([]int32, len(counts))}
	for i, c := range counts {
		f.at[i] = -1
		if c.Used > 0 {
			f.at[i] = int32(len(f.regions))
			f.regions = append(f.regions, int32(i))
		}
	}
	n := len(f.regions)
	f.b, f.s = make([]float64, n), make([]float64, n)
	if n == 0 {
		return f, nil
	}
	c := dense.NewCholesky(n)
	m := c.M
	gram := make([]float64, m*m)
	f.each(rows, func(v int32) {
		lo, hi := rows.from[v], rows.from[v+1]
		for p := lo; p < hi; p++ {
			row := gram[int(f.at[rows.maps[p]])*m:]
			for q := lo; q < hi; q++ {
				row[f.at[rows.maps[q]]] += float64(rows.values[p] * rows.values[q])
			}
		}
	})
	diagonal := make([]float64, n) // scaled to 1, for weights of any unit
	for i := range n {
		if diagonal[i] = math.Sqrt(gram[i*m+i]); diagonal[i] == 0 {
			return nil, fmt.Errorf("%w (map %d has no voxel)", ErrDependent, f.regions[i]+1)
		}
	}
	for i := range n {
		for j := range n {
			gram[i*m+j] /= float64(diagonal[i] * diagonal[j])
		}
	}
	if !c.Factor(gram) {
		return nil, ErrDependent
	}
	padded := make([]float64, m*m)
	c.Invert(padded)
	f.inverse = make([]float64, n*n)
	for i := range n {
		if padded[i*m+i] > mostInflated {
			return nil, fmt.Errorf("%w (map %d)", ErrDependent, f.regions[i]+1)
		}
		for j := range n {
			f.inverse[i*n+j] = padded[i*m+j] / float64(diagonal[i]*diagonal[j])
		}
	}
	return f, nil
}

// mostInflated bounds the variance inflation of a map by the others, beyond which its series is
// rounding errors.
const mostInflated = 1e10

func (f *fit) each(rows *weightRows, use func(v int32)) {
	if f.list != nil {
		for _, v := range f.list {
			use(v)
		}
		return
	}
	for v := range len(rows.from) - 1 {
		use(int32(v))
	}
}

// solve fits the volume y; NaN is the series of a map without a valid voxel.
func (f *fit) solve(series []float64, rows *weightRows, y []float64) {
	for i := range series {
		series[i] = math.NaN()
	}
	for i := range f.s {
		f.s[i] = 0
	}
	for range 2 { // the second time from the residual
		for i := range f.b {
			f.b[i] = 0
		}
		f.each(rows, func(v int32) {
			lo, hi := rows.from[v], rows.from[v+1]
			residual := y[v]
			for p := lo; p < hi; p++ {
				residual -= float64(rows.values[p] * f.s[f.at[rows.maps[p]]])
			}
			for p := lo; p < hi; p++ {
				f.b[f.at[rows.maps[p]]] += float64(rows.values[p] * residual)
			}
		})
		n := len(f.b)
		for i := range n {
			var sum float64
			for j, x := range f.inverse[i*n:][:n] {
				sum += float64(x * f.b[j])
			}
			f.s[i] += sum
		}
	}
	for i, r := range f.regions {
		series[r] = f.s[i]
	}
}
