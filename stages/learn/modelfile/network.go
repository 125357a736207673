package modelfile

import (
	"errors"
	"fmt"
	"math"

	"prgnn/gnn"
	"prgnn/gnn/baseline"
	"prgnn/gnn/rival"
)

// A Network has the options of a network of the kind network; one of the three is set.
type Network struct {
	BNT      *rival.BNT      `json:"bnt,omitempty"`
	BrainGNN *rival.BrainGNN `json:"braingnn,omitempty"`
	MeanMLP  *rival.MeanMLP  `json:"meanmlp,omitempty"`
	Fisher   bool            `json:"fisher,omitempty"` // braingnn: of features and edge weights
	ZScore   bool            `json:"zscore,omitempty"` // meanmlp: each region over time
	Signed   bool            `json:"signed,omitempty"` // scores have their sign
}

// A rater predicts from rows of the inputs of cases, of any length each.
type rater func(cases [][]float32, threads int) []gnn.Prediction

// restore puts a network of matrices or of series together, of this form and so many regions.
func (n *Network) restore(of *Matrices, groups int, parts []baseline.Part) (rater, error) {
	switch {
	case n.BNT != nil && of.Port == "pearson":
		if o := n.BNT; o.Nodes != of.Nodes || o.Classes != groups {
			return nil, errors.New("model.json contradicts itself: network")
		}
		m, err := rival.Restore(rival.Design[[]float32](*n.BNT), parts)
		if err != nil {
			return nil, err
		}
		return n.rated(m.Rate), nil
	case n.MeanMLP != nil && of.Series():
		if o := n.MeanMLP; o.Regions != of.Nodes || o.Classes != groups {
			return nil, errors.New("model.json contradicts itself: network")
		}
		m, err := rival.Restore(rival.Design[[]float32](*n.MeanMLP), parts)
		if err != nil {
			return nil, err
		}
		return n.rated(m.Rate), nil
	}
	return nil, errors.New("model.json describes a network that does not take its inputs")
}

func (n *Network) rated(rate rater) rater {
	return func(cases [][]float32, threads int) []gnn.Prediction {
		all := rate(cases, threads)
		if !n.Signed {
			Magnitudes(all)
		}
		return all
	}
}

// Magnitudes takes the signs from scores.
func Magnitudes(of []gnn.Prediction) {
	for _, p := range of {
		for _, l := range p.Layers {
			for j, v := range l.Score {
				l.Score[j] = math.Abs(v)
			}
		}
	}
}

// Square is the symmetric matrix of the inputs above the diagonal, with 1, or of Fisher's z 0, on it.
func (f Form) Square(triangle []float64, nodes int) []float32 {
	m := make([]float32, nodes*nodes)
	for i := range nodes {
		if !f.Fisher {
			m[i*nodes+i] = 1
		}
		for j := i + 1; j < nodes; j++ {
			m[i*nodes+j], m[j*nodes+i] = float32(triangle[0]), float32(triangle[0])
			triangle = triangle[1:]
		}
	}
	return m
}

// SeriesOf is a series (volumes × regions), z-scored over time on request. A region without a signal, missing (NaN
// throughout) or constant, becomes 0, and so does one that is left out.
func SeriesOf(v []float64, regions int, zscore bool, out []bool) ([]float32, error) {
	volumes := len(v) / regions
	series := make([]float32, len(v))
	for j := range regions {
		missing, mean, sum := 0, 0.0, 0.0
		for t := range volumes {
			x := v[t*regions+j]
			switch {
			case math.IsNaN(x):
				missing++
			case math.IsInf(x, 0):
				return nil, fmt.Errorf("volume %d of region %d is %v: clean the series, or exclude the participant or the region", t+1, j+1, x)
			}
			mean += x
		}
		switch missing {
		case volumes:
			continue
		case 0:
		default:
			return nil, fmt.Errorf("%d of %d volumes of region %d are NaN: clean the series, or exclude the participant or the region", missing, volumes, j+1)
		}
		if out != nil && out[j] {
			continue
		}
		mean /= float64(volumes)
		for t := range volumes {
			d := v[t*regions+j] - mean
			sum += float64(d * d)
		}
		sd := math.Sqrt(sum / float64(volumes))
		for t := range volumes {
			x := v[t*regions+j]
			switch {
			case !zscore:
			case sd > 1e-12*math.Abs(mean):
				x = (x - mean) / sd
			default:
				x = 0
			}
			series[t*regions+j] = float32(x)
		}
	}
	return series, nil
}
