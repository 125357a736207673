package gnn

import (
	"cmp"
	"slices"
)

// A Prediction is what a trained model says of one graph.
type Prediction struct {
	Class       int       // of the highest probability, the first among equals
	Probability []float64 // per class; of a number its prediction alone
	Layers      []Scores  // one a block
}

// Scores are the pooling scores of one block, by the nodes of the whole graph.
// Later blocks rate only the nodes that the earlier ones kept.
type Scores struct {
	Node  []int32 // ascending
	Score []float64
	Kept  []bool
}

// Predict applies the model to graphs, whose labels it does not look at.
func (m *Model[T]) Predict(graphs []*Graph[T], workers int) ([]Prediction, error) {
	var out []Prediction
	err := m.PredictEach(graphs, workers, func(p Prediction) { out = append(out, p) })
	return out, err
}

// PredictEach is Predict for more predictions than memory shall hold: they are given to visit one after the other.
func (m *Model[T]) PredictEach(graphs []*Graph[T], workers int, visit func(Prediction)) error {
	if len(graphs) == 0 {
		return nil
	}
	if err := m.fits(graphs); err != nil {
		return err
	}
	m.prepare()
	w := newWorker(m, workers)
	const batch = 100
	for batch := range slices.Chunk(graphs, batch) {
		for _, s := range w.predict(batch) {
			p := Prediction{Class: s.predicted(), Probability: slices.Clone(s.probability)}
			for b := range s.blocks {
				p.Layers = append(p.Layers, s.blocks[b].scores())
			}
			visit(p)
		}
	}
	return nil
}

func (st *blockState[T]) scores() Scores {
	n := len(st.s)
	at := make([]int32, n)
	for i := range at {
		at[i] = int32(i)
	}
	slices.SortFunc(at, func(a, b int32) int { return cmp.Compare(st.node[a], st.node[b]) })
	out := Scores{Node: make([]int32, n), Score: make([]float64, n), Kept: make([]bool, n)}
	for j, i := range at {
		out.Node[j], out.Score[j], out.Kept[j] = st.node[i], float64(st.s[i]), int(st.rank[i]) < st.k
	}
	return out
}
