package gnn

// A readout turns the features that pooling kept into the vector z. Its parts,
// one after the other, are by option
//
//	mean          (1/k) Σ_p out_p                    of the last block
//	maxmean       max_p out_p ‖ (1/k) Σ_p out_p      of the last block
//	maxmean_all   the same of every block, in order

// reads reports whether block l enters z, and whether its maximum does.
func (o Options) reads(l int) (mean, max bool) {
	switch o.Readout {
	case "maxmean_all":
		return true, true
	case "maxmean":
		return l == len(o.Widths)-1, true
	}
	return l == len(o.Widths)-1, false
}

// readoutForward writes z; best remembers which node gave each maximum (the
// first one among equals).
func (m *Model[T]) readoutForward(states []blockState[T], z []T, best []int32) {
	at := 0
	for l := range states {
		st, d := &states[l], m.Widths[l]
		w := padded(d)
		mean, withMax := m.reads(l)
		if withMax && mean {
			for j := range d {
				top := 0
				for p := 1; p < st.k; p++ {
					if st.out[p*w+j] > st.out[top*w+j] {
						top = p
					}
				}
				z[at+j], best[at+j] = st.out[top*w+j], int32(top)
			}
			at += d
		}
		if mean {
			st.sum = resize(st.sum, w)
			m.k.gemm(st.sum, w, m.one, 0, 0, st.out, w, 1, st.k, w, nil)
			for j, x := range st.sum[:d] {
				z[at+j] = x / T(st.k)
			}
			at += d
		}
	}
}

// readoutBackward adds dL/dz to dOut of each block.
func (m *Model[T]) readoutBackward(states []blockState[T], dz []T, best []int32, sc *scratch[T]) {
	dOut := sc.dOut
	at := 0
	for l := range states {
		st, d := &states[l], m.Widths[l]
		w := padded(d)
		mean, withMax := m.reads(l)
		if withMax && mean {
			for j := range d {
				dOut[l][int(best[at+j])*w+j] += dz[at+j]
			}
			at += d
		}
		if mean {
			share := 1 / T(st.k)
			sc.row = resize(sc.row, w)
			clear(sc.row)
			for j, x := range dz[at:][:d] {
				sc.row[j] = T(share * x)
			}
			for len(sc.ones) < st.k {
				sc.ones = append(sc.ones, 1)
			}
			m.k.outerAdd(dOut[l], sc.ones, sc.row, st.k, w)
			at += d
		}
	}
}
