package modelfile

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// A Person has the matrices of a participant to whom a model is applied.
type Person struct {
	Made  string // how the matrices were made; "" if that is unknown
	Holds column.Data
	Draws []int
	name  string
	of    []connectivity.Matrix // of each draw
	zero  connectivity.Matrix   // draw 0
	// What covariates explain of each edge; nil: nothing is to be subtracted, or was before
	explained []float64
	// NewSite: a shift and a scale of its site are to be removed, so it is compared with what was before harmonize.
	NewSite bool
}

// ReadPerson reads the draws of one participant, of these axes; quality, if it is connected, states how they were made.
func ReadPerson(in dag.Input, axes string, quality *dag.Input, p fold.Params) (r Person, err error) {
	all, err := region.SharedDraws(in, axes)
	if err != nil {
		return r, err
	}
	r.name, r.zero = in.Name, all[0]
	if r.Draws, err = p.Numbers(len(all), in.Name); err != nil {
		return r, err
	}
	for _, d := range r.Draws {
		r.of = append(r.of, all[d])
	}
	if quality != nil {
		table, err := quality.Table()
		if err != nil {
			return r, err
		}
		r.Made = table.Meta["made"]
	}
	return r, nil
}

// First is a participant with draw 0 alone, by which sites are estimated.
func (p *Person) First() Person {
	return Person{name: p.name, zero: p.zero, of: []connectivity.Matrix{p.zero}}
}

// DataOf identifies the data of a participant as the training saw them: of a model of tangent matrices, projected.
func (m *Model) DataOf(p Person) Data {
	if m.space == nil {
		return DataOf(p.zero.Data)
	}
	projected := make([]float64, len(p.zero.Data))
	if p.Nodes() != m.Matrices.Nodes || m.project(projected, p, p.zero, p.name) != nil {
		return Data{} // what is wrong is an error where it is applied
	}
	return DataOf(projected)
}

// project is a matrix of a participant in the tangent space of the training, without what covariates explain there.
func (m *Model) project(to []float64, p Person, matrix connectivity.Matrix, name string) error {
	err := m.Tangent.Project(to, m.space, matrix, name)
	if err == nil && p.explained != nil && m.removal.Transform == "tangent" {
		err = m.subtract(to, p)
	}
	return err
}

// Nodes is the number of regions.
func (p *Person) Nodes() int { return p.of[0].Cols }

// Differs are the parameters in which the matrices were made differently from those of the training.
func (m *Model) Differs(p Person) (all []column.Difference) {
	if m.Matrices.Made != "" {
		made := p.Made
		if m.IsWithout(p) {
			made = BeforeRemoval(made)
		}
		want := m.Matrices.Made
		if p.NewSite {
			want = beforeHarmonization(want)
		}
		all = column.MadeDiffers(made, want)
	}
	all = append(all, dataDiffers(p.Holds, column.ParseData(m.Matrices.Holds), all)...)
	switch n := p.of[0]; {
	case m.Matrices.Series() && n.Cols != m.Matrices.Nodes:
		all = append(all, column.Difference{Text: fmt.Sprintf("series of %d regions, and %d regions in training", n.Cols,
			m.Matrices.Nodes)})
	case !m.Matrices.Series() && (n.Rows != m.Matrices.Nodes || n.Cols != n.Rows):
		all = append(all, column.Difference{Text: fmt.Sprintf("matrices of %d × %d numbers, and %d regions in training",
			n.Rows, n.Cols, m.Matrices.Nodes)})
	}
	return all
}

// rows are the inputs of each draw of a participant.
func (m *Model) rows(p Person) (rows []float64, err error) {
	if m.Matrices.States() {
		return nil, errors.New("its inputs are features of connectivity states that were fitted in training: models of states cannot be applied to other participants")
	}
	tangent := make([]float64, m.Matrices.Nodes*m.Matrices.Nodes)
	for i, of := range p.of {
		name, data := fmt.Sprintf("%s, draw %d", p.name, p.Draws[i]), of.Data
		if m.space != nil {
			if err := m.project(tangent, p, of, name); err != nil {
				return nil, err
			}
			data = tangent
		}
		if rows, err = m.Row(rows, data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return rows, nil
}

// AcceptNodes refuses a list of nodes that is not that of the training, which is nil if it is unknown.
func AcceptNodes(training, names []string) error {
	switch {
	case training == nil:
		return nil
	case names == nil:
		return fmt.Errorf("the model records the names of its %d regions, but those of the new graphs are unknown: connect the input nodes (cohort.nodes)", len(training))
	case len(names) != len(training):
		return fmt.Errorf("the model has %d regions, but the node list has %d", len(training), len(names))
	}
	composed := func(all []string) []string { return lists.Map(all, column.Composed) }
	new, old := composed(names), composed(training)
	var apart []int
	for i, n := range new {
		if n != old[i] {
			apart = append(apart, i)
		}
	}
	if apart == nil {
		return nil
	}
	slices.Sort(new)
	slices.Sort(old)
	remedy := "use the same atlas, with the names of the training in nodes"
	if slices.Equal(new, old) {
		remedy = "these are the regions of the training in another order: list them in that order in nodes if the files contain the names of the regions; without names, put the columns of the files and nodes in that order, or write the names into the files"
	}
	i := apart[0]
	return fmt.Errorf("region %d is %s in the node list, but %s in training, and %d of %d regions differ: %s", i+1, names[i],
		training[i], len(apart), len(names), remedy)
}

// A Moments has the mean and the SD (n−1) of each input over participants.
type Moments struct {
	N    int
	mean []float64
	sum  []float64 // of squared deviations
}

// Add adds a participant: the mean over its rows of so many inputs (Welford 1962).
func (s *Moments) Add(rows []float64, width int) {
	if s.mean == nil {
		s.mean, s.sum = make([]float64, width), make([]float64, width)
	}
	s.N++
	count := float64(len(rows) / width)
	for j := range width {
		var sum exact.Sum
		for k := j; k < len(rows); k += width {
			sum.Add(rows[k])
		}
		v := sum.Mean(count)
		d := v - s.mean[j]
		s.mean[j] += d / float64(s.N)
		s.sum[j] += float64(d * (v - s.mean[j]))
	}
}

// MeanSD are the mean and the SD of each input.
func (s *Moments) MeanSD() (mean, sd []float64) {
	sd = make([]float64, len(s.sum))
	for j, v := range s.sum {
		sd[j] = math.Sqrt(v / float64(max(1, s.N-1)))
	}
	return s.mean, sd
}

// Shift is the difference of the means of each input between the training and new participants, and the root of the
// mean of both variances; of inputs that vary in either.
func (m *Model) Shift(of *Moments) (differences, sds []float64) {
	mean, sd := of.MeanSD()
	for j := range mean {
		if v := math.Sqrt((float64(sd[j]*sd[j]) + float64(m.trainingSD[j]*m.trainingSD[j])) / 2); v > 0 {
			differences, sds = append(differences, mean[j]-m.trainingMean[j]), append(sds, v)
		}
	}
	return differences, sds
}
