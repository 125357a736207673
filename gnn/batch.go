package gnn

import (
	"fmt"

	"prgnn/numeric/exact"
)

// Losses are the terms of Eq. (7) for a batch: CE (of a number the squared error) and Dist are means over its
// graphs, GLC the sum over the classes, and Total = CE + λ₁ΣDist + λ₂GLC.
type Losses struct {
	Total, CE, GLC float64
	Dist           []float64 // one a block
}

// A slot holds everything that one graph of a batch leaves between the forward and
// the backward pass. Slots are used again for the next batch.
type slot[T Float] struct {
	graph       *Graph[T]
	own         adjacency[T]  // of a packed graph
	adj         *adjacency[T] // own, or the graph's
	blocks      []blockState[T]
	mlp         mlpState[T]
	probability []float64 // per class; of a number its prediction
	ce          float64   // or the squared error
	dLogits     []T
	dz          []T // dL/dz, of models with batch normalization
	grad        []T // in the layout of the kernels
}

// A worker computes losses, gradients and predictions of batches. It belongs to
// one model and may not be used by two goroutines at once; inside it spreads the
// graphs over a team.
type worker[T Float] struct {
	m       *Model[T]
	team    team
	slots   []*slot[T]
	scratch []*scratch[T]
	sum     []T // gradient of a batch in the layout of the kernels
	nodes   []int32
}

func newWorker[T Float](m *Model[T], workers int) *worker[T] {
	w := &worker[T]{m: m, team: team(max(1, workers)), sum: make([]T, m.working)}
	for range w.team {
		w.scratch = append(w.scratch, &scratch[T]{dOut: make([][]T, len(m.blocks)),
			counts: make([]ScoreCounts, len(m.blocks))})
	}
	return w
}

// load puts a batch into slots.
func (w *worker[T]) load(batch []*Graph[T]) []*slot[T] {
	m := w.m
	for len(w.slots) < len(batch) {
		s := &slot[T]{blocks: make([]blockState[T], len(m.blocks)), mlp: newMLPState[T](m.Options),
			probability: make([]float64, m.outputs()), dLogits: make([]T, m.outputs()), grad: make([]T, m.working)}
		w.slots = append(w.slots, s)
	}
	for i, g := range batch {
		s := w.slots[i]
		if s.graph, s.adj = g, &s.own; g.whole != nil {
			s.adj = &g.adjacency
		}
		for len(w.nodes) < g.nodes {
			w.nodes = append(w.nodes, int32(len(w.nodes)))
		}
	}
	return w.slots[:len(batch)]
}

// forward calls do for each slot with its features.
func (w *worker[T]) forward(slots []*slot[T], do func(s *slot[T], in, soon []T)) {
	w.team.run(len(slots), func(worker, i int) {
		s, sc := slots[i], w.scratch[worker]
		in := w.features(s, sc, true)
		do(s, in, w.memory(slots, i+1))
	})
}

// memory is that of the graph in a slot, packed or not. Of a slot that is not there it is nil.
func (w *worker[T]) memory(slots []*slot[T], i int) []T {
	if i < 0 || i >= len(slots) {
		return nil
	}
	if g := slots[i].graph; g.whole == nil {
		return view[T](g.data)
	}
	return slots[i].graph.all
}

// features are those of the graph in a slot, the ones of a packed graph until the goroutine works on another graph: to
// write them out again is faster than to fetch what is twice as long. join writes out its adjacency, too.
func (w *worker[T]) features(s *slot[T], sc *scratch[T], join bool) []T {
	g, k := s.graph, w.m.k
	if g.whole != nil {
		return g.Features
	}
	values := g.packed.unpack(g.data)
	if join {
		g.packed.join(k, &s.own, values, g.data)
	}
	return g.packed.matrix(k, &sc.room, values)
}

// blocksForward runs one graph through the blocks to z.
func (w *worker[T]) blocksForward(s *slot[T], in, soon []T) {
	m := w.m
	adj, stride, node := s.adj, m.Features, w.nodes[:s.graph.nodes]
	for l := range m.blocks {
		st := &s.blocks[l]
		st.adj, st.in, st.stride, st.node = adj, in, stride, node
		m.blocks[l].forward(m, st, soon)
		soon = nil
		adj, in, stride, node = &st.next, st.out, padded(m.Widths[l]), st.nextNode
	}
	m.readoutForward(s.blocks, s.mlp.x[0], s.mlp.best)
}

// predict computes the class probabilities of each graph of a batch, with dropout off and
// the running statistics in batch normalization. They are in the slots until the
// next call.
func (w *worker[T]) predict(batch []*Graph[T]) []*slot[T] {
	m := w.m
	slots := w.load(batch)
	w.forward(slots, func(s *slot[T], in, soon []T) {
		w.blocksForward(s, in, soon)
		x := &s.mlp
		for i := range m.fc {
			if m.fc[i].last {
				m.fc[i].forward(m.k, x.x[i+1], x.x[i])
				break
			}
			m.fc[i].forward(m.k, x.relu[i], x.x[i])
			if m.BatchNorm {
				m.bn[i].infer(x.x[i+1], x.relu[i])
			} else if m.Dropout > 0 {
				copy(x.x[i+1], x.relu[i])
			}
		}
		s.crossEntropy(0)
	})
	return slots
}

// crossEntropy is −log softmax(logits)_label; its gradient by the logits, times
// scale, is softmax − onehot(label). The one output of a number has its squared error.
func (s *slot[T]) crossEntropy(scale float64) {
	logits := s.mlp.x[len(s.mlp.x)-1]
	if len(logits) == 1 {
		d := float64(logits[0]) - s.graph.Target
		s.probability[0], s.ce, s.dLogits[0] = float64(logits[0]), float64(d*d), T(2*scale*d)
		return
	}
	largest := float64(logits[0])
	for _, x := range logits {
		largest = max(largest, float64(x))
	}
	sum := 0.0
	for c, x := range logits {
		s.probability[c] = exact.Exp(float64(x) - largest)
		sum += s.probability[c]
	}
	for c := range logits {
		s.probability[c] /= sum
		d := s.probability[c]
		if c == s.graph.Label {
			s.ce = exact.Log(sum) - (float64(logits[c]) - largest)
			d--
		}
		s.dLogits[c] = T(scale * d)
	}
}

// gradient computes the losses of a batch in training, writes dTotal/dParams and counts the scores.
// masks, when not nil, sets the dropout masks of each slot. Every graph's
// gradient is computed by itself and they are added in the order of the batch,
// so the result does not depend on the number of goroutines.
func (w *worker[T]) gradient(batch []*Graph[T], grad []T, masks func([]*slot[T])) (Losses, error) {
	m := w.m
	slots := w.load(batch)
	share := 1 / float64(len(slots))
	if masks != nil {
		masks(slots)
	}
	w.forward(slots, func(s *slot[T], in, soon []T) {
		w.blocksForward(s, in, soon)
		for l := range s.blocks {
			st := &s.blocks[l]
			m.distance(st, m.Lambda1*share)
			st.dS = resize(st.dS, len(st.s))
			clear(st.dS)
		}
		if !m.BatchNorm {
			m.mlpForward(&s.mlp)
			s.crossEntropy(share)
		}
	})
	if m.BatchNorm {
		w.normForward(slots, share)
	}
	losses, err := w.batchLosses(slots)
	if err != nil {
		return losses, err
	}
	if m.BatchNorm {
		clear(grad)
		w.normBackward(slots, grad)
	}
	w.team.back(len(slots), func(worker, i int) {
		s, sc := slots[i], w.scratch[worker]
		dz := s.dz
		if !m.BatchNorm {
			m.mlpBackward(&s.mlp, s.dLogits, sc, s.grad)
			dz = sc.dz
		}
		w.backward(s, sc, dz, w.memory(slots, i-1))
		for l := range s.blocks {
			st := &s.blocks[l]
			countScores(&sc.counts[l], st.s, st.rank, st.k)
		}
	})
	w.reduce(slots)
	m.finish(grad, w.sum)
	return losses, nil
}

// backward takes dL/dz back through the blocks.
func (w *worker[T]) backward(s *slot[T], sc *scratch[T], dz, soon []T) {
	m := w.m
	for l := range sc.dOut {
		sc.dOut[l] = resize(sc.dOut[l], s.blocks[l].k*padded(m.Widths[l]))
		clear(sc.dOut[l])
	}
	m.readoutBackward(s.blocks, dz, s.mlp.best, sc)
	s.blocks[0].in = w.features(s, sc, false)
	for l := len(m.blocks) - 1; l >= 0; l-- {
		st := &s.blocks[l]
		var dIn []T
		if l > 0 {
			sc.dIn = resize(sc.dIn, st.adj.n*padded(m.Widths[l-1]))
			dIn = sc.dIn
		}
		m.blocks[l].backward(m, st, sc, sc.dOut[l], s.grad, dIn, soon)
		if l > 0 {
			m.k.add(sc.dOut[l-1], dIn)
		}
	}
}

// reduce adds the graphs' gradients, place by place, in the order of the batch.
func (w *worker[T]) reduce(slots []*slot[T]) {
	const chunk = 256
	n := len(w.sum)
	w.team.run((n+chunk-1)/chunk, func(_, i int) {
		lo, hi := i*chunk, min(n, (i+1)*chunk)
		sum := w.sum[lo:hi]
		clear(sum)
		for _, s := range slots {
			w.m.k.add(sum, s.grad[lo:hi])
		}
	})
}

// batchLosses adds up the terms of the batch and computes those that tie its
// graphs together, whose gradients go to dS.
func (w *worker[T]) batchLosses(slots []*slot[T]) (Losses, error) {
	m := w.m
	out := Losses{Dist: make([]float64, len(m.blocks))}
	n := float64(len(slots))
	for _, s := range slots {
		out.CE += s.ce
		for l := range s.blocks {
			out.Dist[l] += s.blocks[l].dist
		}
	}
	out.CE /= n
	together := m.Distance == "mmd" && m.Kernel == "authors"
	sameSize := true
	for _, s := range slots[1:] {
		if a, b := slots[0].graph.nodes, s.graph.nodes; a != b {
			sameSize = false
			if together || m.Lambda2 != 0 {
				return out, fmt.Errorf("graphs of %d and %d nodes in one batch: the group-level consistency loss and the authors' MMD compare scores node by node; for graphs of different sizes, set lambda2 to 0 and choose another kernel", a, b)
			}
		}
	}
	for l := range out.Dist {
		out.Dist[l] /= n
		if together {
			out.Dist[l] = m.mmdAuthors(slots, l, m.Lambda1)
		}
	}
	if sameSize {
		out.GLC = m.consistency(slots, m.Lambda2)
	}
	sum := 0.0
	for _, d := range out.Dist {
		sum += d
	}
	out.Total = out.CE + float64(m.Lambda1*sum) + float64(m.Lambda2*out.GLC)
	return out, nil
}

// normForward runs the MLP layer by layer through the whole batch.
func (w *worker[T]) normForward(slots []*slot[T], share float64) {
	m := w.m
	for i := range m.fc {
		for _, s := range slots {
			x := &s.mlp
			if m.fc[i].last {
				m.fc[i].forward(m.k, x.x[i+1], x.x[i])
				s.crossEntropy(share)
				continue
			}
			m.fc[i].forward(m.k, x.relu[i], x.x[i])
		}
		if m.fc[i].last {
			break
		}
		m.bn[i].forward(i, slots)
		for _, s := range slots {
			s.mlp.drop(i, s.mlp.x[i+1])
		}
	}
}

// normBackward goes back the same way, writes the gradients of gain and bias and leaves
// dL/dz in each slot.
func (w *worker[T]) normBackward(slots []*slot[T], grad []T) {
	m := w.m
	dy := make([][]T, len(slots))
	for i, s := range slots {
		dy[i] = append([]T(nil), s.dLogits...)
	}
	for i := len(m.fc) - 1; i >= 0; i-- {
		f := &m.fc[i]
		if !f.last {
			for j, s := range slots {
				s.mlp.drop(i, dy[j])
			}
			m.bn[i].backward(i, slots, dy, grad)
		}
		for j, s := range slots {
			y := dy[j]
			if !f.last {
				y = s.mlp.relu[i]
			}
			dx := make([]T, padded(f.in))
			f.backward(m.k, dx, dy[j], y, s.mlp.x[i], s.grad)
			dy[j] = dx[:f.in]
		}
	}
	for j, s := range slots {
		s.dz = dy[j]
	}
}
