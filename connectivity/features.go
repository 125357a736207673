package connectivity

import "math"

// Features is what describes each node of a brain graph to a model.
type Features string

// The features: the node's row of the Pearson matrix (Li et al. 2020), N numbers;
// the local degree profile (Cai & Wang 2018, arXiv:1811.03508), 5 numbers; which
// node it is, N numbers.
const (
	PearsonRow    Features = "pearson"
	DegreeProfile Features = "degree-profile"
	Identity      Features = "identity"
)

// NodeFeatures gives each node of the graph its features, N×F. pearson is N×N; a NaN
// of a node without a signal becomes 0.
func (g *Graph) NodeFeatures(kind Features, pearson Matrix) Matrix {
	switch kind {
	case DegreeProfile:
		return g.degreeProfile()
	case Identity:
		f := NewMatrix(g.N, g.N)
		for i := range g.N {
			f.Data[i*g.N+i] = 1
		}
		return f
	}
	f := pearson.Clone()
	for i, v := range f.Data {
		if math.IsNaN(v) {
			f.Data[i] = 0
		}
	}
	return f
}

// degreeProfile is, for each node, its degree and the minimum, maximum, mean and
// standard deviation (ddof 0) of its neighbors' degrees; zeros for a node without
// neighbors.
func (g *Graph) degreeProfile() Matrix {
	degree := g.degrees()
	neighbours := make([][]float64, g.N)
	for _, e := range g.Edges {
		neighbours[e.Source] = append(neighbours[e.Source], float64(degree[e.Target]))
		neighbours[e.Target] = append(neighbours[e.Target], float64(degree[e.Source]))
	}
	f := NewMatrix(g.N, 5)
	for i, d := range neighbours {
		if d == nil {
			continue
		}
		low, high, sum := d[0], d[0], 0.0
		for _, v := range d {
			low, high, sum = min(low, v), max(high, v), sum+v
		}
		mean, squares := sum/float64(len(d)), 0.0
		for _, v := range d {
			squares += float64((v - mean) * (v - mean))
		}
		copy(f.Row(i), []float64{float64(degree[i]), low, high, mean, math.Sqrt(squares / float64(len(d)))})
	}
	return f
}
