package gnn

import (
	"errors"
	"fmt"
	"sync/atomic"

	"prgnn/gnn/spill"
	"prgnn/internal/exact"
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
	place       int           // of a graph in a file: among those of the batch
	own         adjacency[T]  // of a graph in a file
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
	team    *team
	slots   []*slot[T]
	scratch []*scratch[T]
	sum     []T // gradient of a batch in the layout of the kernels
	nodes   []int32
	file    *GraphFile[T] // of the graphs that are in a file
	reader  *spill.Reader // of it
	pieces  int           // of reading ahead, in the batch
	failed  atomic.Pointer[error]
}

func newWorker[T Float](m *Model[T], workers int) *worker[T] {
	w := &worker[T]{m: m, team: newTeam(workers), sum: make([]T, m.working)}
	for range w.team.workers {
		w.scratch = append(w.scratch, &scratch[T]{dOut: make([][]T, len(m.blocks)),
			counts: make([]ScoreCounts, len(m.blocks))})
	}
	return w
}

// end lets go of the goroutines and of what is read.
func (w *worker[T]) end() {
	w.team.end()
	if w.reader != nil {
		w.reader.Close()
	}
}

// begin starts a pass through graphs in batches of so many.
func (w *worker[T]) begin(graphs []*Graph[T], batch int) error {
	numbers, err := w.filed(graphs)
	if err != nil || len(numbers) == 0 {
		return err
	}
	if w.reader == nil {
		if w.reader, err = w.file.records.NewReader(w.file.memory, batch); err != nil {
			return err
		}
	}
	return w.reader.Begin(numbers)
}

// filed gives the numbers of those graphs that are in a file.
func (w *worker[T]) filed(graphs []*Graph[T]) (numbers []int32, err error) {
	for _, g := range graphs {
		if !g.filed() {
			continue
		}
		if w.file == nil {
			w.file = g.record.file
		}
		if w.file != g.record.file {
			return nil, errors.New("the graphs of one training are in two files")
		}
		numbers = append(numbers, g.record.number)
	}
	return numbers, nil
}

// load puts the next batch of the pass into slots.
func (w *worker[T]) load(batch []*Graph[T]) ([]*slot[T], error) {
	m := w.m
	for len(w.slots) < len(batch) {
		s := &slot[T]{blocks: make([]blockState[T], len(m.blocks)), mlp: newMLPState[T](m.Options),
			probability: make([]float64, m.outputs()), dLogits: make([]T, m.outputs()), grad: make([]T, m.working)}
		w.slots = append(w.slots, s)
	}
	filed := 0
	for i, g := range batch {
		s := w.slots[i]
		s.graph, s.place = g, filed
		if g.filed() {
			s.adj = &s.own
			filed++
		} else {
			s.adj = &g.adjacency
		}
		for len(w.nodes) < g.nodes {
			w.nodes = append(w.nodes, int32(len(w.nodes)))
		}
	}
	w.pieces = 0
	if filed > 0 {
		if err := w.reader.Next(filed); err != nil {
			return nil, err
		}
		w.pieces = w.reader.Pieces()
	}
	return w.slots[:len(batch)], nil
}

// forward calls do for each slot whose graph is there, and has the next batch read meanwhile.
func (w *worker[T]) forward(slots []*slot[T], do func(s *slot[T], in, soon []T)) error {
	w.team.run(w.pieces+len(slots), func(worker, i int) {
		if i -= w.pieces; i < 0 {
			w.reader.Ahead()
			return
		}
		s, sc := slots[i], w.scratch[worker]
		var in []T
		if !s.graph.filed() {
			in = s.graph.Features
		} else {
			r := &s.graph.record
			b, err := w.reader.Get(s.place)
			if err != nil {
				w.failed.Store(&err)
				return
			}
			values := r.unpack(w.m.k, &sc.room, b)
			r.join(w.m.k, &s.own, values, b)
			in = r.matrix(w.m.k, &sc.room, values)
		}
		do(s, in, w.memory(slots, i+1))
	})
	if err := w.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// memory is that of the graph in a slot, as it was read if it is in a file. Of a slot that is not there it is nil.
func (w *worker[T]) memory(slots []*slot[T], i int) []T {
	if i < 0 || i >= len(slots) {
		return nil
	}
	if s := slots[i]; s.graph.filed() {
		return view[T](w.reader.Memory(s.place))
	}
	return slots[i].graph.all
}

// features are those of the graph in a slot, the ones of a file until the goroutine works on another graph: to write
// them out again is faster than to fetch what is twice as long.
func (w *worker[T]) features(s *slot[T], sc *scratch[T]) []T {
	if r := &s.graph.record; s.graph.filed() {
		return r.matrix(w.m.k, &sc.room, r.unpack(w.m.k, &sc.room, w.reader.Memory(s.place)))
	}
	return s.graph.Features
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

// predict computes the class probabilities of each graph of the next batch (see load), with dropout off and
// the running statistics in batch normalization. They are in the slots until the
// next call.
func (w *worker[T]) predict(batch []*Graph[T]) ([]*slot[T], error) {
	m := w.m
	slots, err := w.load(batch)
	if err != nil {
		return nil, err
	}
	err = w.forward(slots, func(s *slot[T], in, soon []T) {
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
	return slots, err
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

// gradient computes the losses of the next batch (see load) in training, writes dTotal/dParams and counts the scores.
// masks, when not nil, sets the dropout masks of each slot. Every graph's
// gradient is computed by itself and they are added in the order of the batch,
// so the result does not depend on the number of goroutines.
func (w *worker[T]) gradient(batch []*Graph[T], grad []T, masks func([]*slot[T])) (Losses, error) {
	m := w.m
	slots, err := w.load(batch)
	if err != nil {
		return Losses{}, err
	}
	share := 1 / float64(len(slots))
	if masks != nil {
		masks(slots)
	}
	if err := w.forward(slots, func(s *slot[T], in, soon []T) {
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
	}); err != nil {
		return Losses{}, err
	}
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
	s.blocks[0].in = w.features(s, sc)
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
