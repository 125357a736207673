package rival

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/gnn/baseline"
	"prgnn/gnn/network"
)

// Names of the arrays of a stored network beside its parameters.
const (
	runningName = "running" // mean and variance of each batch normalization
	centersName = "centers" // of the Brain Network Transformer's clusters
)

// Parts are the arrays of which the network is made.
func (m *Model[C]) Parts() (parts []baseline.Part) {
	for _, p := range m.design.net(&m.training, nil, nil).Layout() {
		parts = append(parts, baseline.Part{Name: p.Name, Shape: p.Shape, Values: network.Of(m.params, p)})
	}
	if n := len(m.buffers); n > 0 {
		parts = append(parts, baseline.Part{Name: runningName, Shape: []int{n}, Values: m.buffers})
	}
	if o, is := any(m.design).(BNT); is {
		parts = append(parts, baseline.Part{Name: centersName, Shape: []int{o.Clusters, o.Columns()},
			Values: centersOf(o, &m.training)})
	}
	return parts
}

// Restore puts a network together again, from a file that may come from anywhere.
func Restore[C any](d Design[C], parts []baseline.Part) (*Model[C], error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	r := baseline.Restoring(parts)
	if o, is := any(d).(BNT); is {
		o.centers, _ = baseline.Take[float64](r, centersName, o.Clusters, o.Columns())
		if d = any(o).(Design[C]); r.Err() != nil {
			return nil, r.Err()
		}
	}
	m := &Model[C]{design: d}
	n := d.net(&m.training, nil, nil)
	m.params = baseline.Joined(r, n.Layout())
	if b := n.Buffers(); len(b) > 0 {
		m.buffers, _ = baseline.Take[float32](r, runningName, len(b))
	}
	return m, r.Ended("network")
}

// largest bounds each width of a network in a file.
const largest = 1 << 16

func checkSizes(least int, all ...int) error {
	for _, n := range all {
		if n < least || n > largest {
			return fmt.Errorf("the network has a width of %d, outside %d to %d", n, least, largest)
		}
	}
	return nil
}

// Check refuses options that no network can have.
func (o BNT) Check() error {
	if !slices.Contains([]string{"authors-code", "paper", "student_t"}, o.Readout) {
		return fmt.Errorf("there is no readout %.40q", o.Readout)
	}
	return errors.Join(checkSizes(1, append([]int{o.Nodes, o.Heads, o.FeedForward, o.Clusters, o.Encoding, o.Reduced,
		o.Classes}, o.Hidden...)...), checkSizes(0, o.Identity))
}

// Check refuses options that no network can have.
func (o MeanMLP) Check() error {
	return errors.Join(checkSizes(1, o.Regions, o.Hidden, o.Classes), checkSizes(0, o.Layers, o.Steps))
}

// Check refuses options that no network can have.
func (o BrainGNN) Check() error {
	if len(o.Widths) != 2 || !slices.Contains([]string{"sum", "softmax"}, o.Edge) || !(o.Ratio > 0 && o.Ratio <= 1) {
		return fmt.Errorf("widths %v, ratio %v, edge %.40q: not those of BrainGNN", o.Widths, o.Ratio, o.Edge)
	}
	return checkSizes(1, append([]int{o.Nodes, o.Features, o.Communities, o.Hidden, o.Classes,
		int(math.Min(float64(o.Ratio*float64(o.Nodes))+1, largest))}, o.Widths...)...)
}
