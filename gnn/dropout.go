package gnn

// dropout gives a function that draws the masks of a batch: each hidden value is
// kept with probability 1−p and then divided by it. The masks of a batch come
// from one stream, in the order of the graphs and of the layers.
func (m *Model[T]) dropout(t Training) func(epoch, batch int) func([]*slot[T]) {
	if m.Dropout == 0 {
		return func(int, int) func([]*slot[T]) { return nil }
	}
	return func(epoch, batch int) func([]*slot[T]) {
		return func(slots []*slot[T]) {
			r := t.stream("dropout", epoch, batch)
			for _, s := range slots {
				for i, w := range m.Hidden {
					s.mlp.mask[i] = resize(s.mlp.mask[i], w)
					for j := range s.mlp.mask[i] {
						s.mlp.mask[i][j] = 0
						if r.Float64() >= m.Dropout {
							s.mlp.mask[i][j] = T(1 / (1 - m.Dropout))
						}
					}
				}
			}
		}
	}
}
