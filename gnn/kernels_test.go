package gnn

import (
	"math"
	"slices"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// TestKernels compares the kernels of this machine with the portable ones, bit
// for bit, on adjacencies and widths of all shapes.
func TestKernels(t *testing.T) {
	sets := vectorKernels()
	if len(sets) == 0 {
		t.Skip("this machine has only the portable kernels")
	}
	for name, fast := range sets {
		t.Run(name, func(t *testing.T) { compareKernels(t, fast, portable[float32]()) })
	}
}

func compareKernels(t *testing.T, fast, slow *kernels[float32]) {
	r := random.New(1, "kernels")
	vec := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.Normal())
			if r.IntN(20) == 0 {
				v[i] = 0
			}
		}
		return v
	}
	same := func(what string, n, w int, outputs func(k *kernels[float32]) [][]float32) {
		t.Helper()
		for i, want := range outputs(slow) {
			got := outputs(fast)[i]
			for j := range want {
				if math.Float32bits(got[j]) != math.Float32bits(want[j]) {
					t.Errorf("%s of %d rows of %d: value %d of output %d is %v, portable %v", what, n, w, j, i, got[j], want[j])
					return
				}
			}
		}
	}
	for _, n := range []int{1, 2, 7, 8, 9, 16, 21, 42, 84, 101} {
		o := Paper(3)
		g := need.Value(NewGraph[float32](o, 0, make([]float64, 3*n), randomEdges(n, n, 4*n)))(t)
		a, p := &g.adjacency, padded(n)
		alpha, f, gg := vec(a.size()), vec(p), vec(p)
		for e := range alpha {
			if !isEntry(a, e) {
				alpha[e] = 0
			}
		}
		for _, slope := range []float32{0, 0.2} {
			same("attend", n, 0, func(k *kernels[float32]) [][]float32 {
				out := make([]float32, a.size())
				k.attend(out, a, f, gg, slope)
				return [][]float32{out}
			})
			same("attendBack", n, 0, func(k *kernels[float32]) [][]float32 {
				d, df := slices.Clone(alpha), make([]float32, p)
				for e := range d { // what is not an entry holds anything
					if !isEntry(a, e) {
						d[e] = float32(math.NaN())
					}
				}
				k.attendBack(d, alpha, a, f, gg, slope, df)
				for e := range d {
					if !isEntry(a, e) {
						d[e] = 0
					}
				}
				return [][]float32{d, df[:n]}
			})
		}
		for _, back := range []bool{false, true} {
			same("spread1", n, 1, func(k *kernels[float32]) [][]float32 {
				out := make([]float32, p)
				k.spread1(out, a, alpha, f, back)
				return [][]float32{out[:n]}
			})
		}
		same("edgeDots1 and collect", n, 1, func(k *kernels[float32]) [][]float32 {
			d, out := make([]float32, a.size()), make([]float32, p)
			k.edgeDots1(d, a, f, gg)
			k.collect(out, a, d)
			for e := range d {
				if !isEntry(a, e) {
					d[e] = 0
				}
			}
			return [][]float32{d, out[:n]}
		})
		for _, size := range []int{n, 1017 + n} {
			logits := vec(size)
			logits[size/2] = float32(math.Inf(-1))
			logits[0] = 80
			same("softmax", size, 1, func(k *kernels[float32]) [][]float32 {
				v := slices.Clone(logits)
				k.softmax(v)
				return [][]float32{v}
			})
		}
		for _, size := range []int{n, 3 * n, 200 + n} {
			x, y, scale, shift := vec(size), vec(size), vec(size), vec(size)
			x[size/2] = float32(math.Copysign(0, -1))
			words, kept := make([]uint64, (size+1)/2), make([]uint8, size)
			for i := range words {
				words[i] = r.Uint64()
			}
			drawn(kept, words, 1<<30)
			same("rows", size, 1, func(k *kernels[float32]) [][]float32 {
				var out [][]float32
				on := func(v []float32, do func(v []float32)) {
					v = slices.Clone(v)
					do(v)
					out = append(out, v)
				}
				lane, both := [lanes]float32{1, 2, 3}, [2 * lanes]float32{4, 5, 6}
				on(x, func(v []float32) { k.scale(v, 0.3) })
				on(x, func(v []float32) { k.affine(v, y, scale, shift) })
				on(x, func(v []float32) { k.relu(v, 0.2) })
				on(x, func(v []float32) { k.relu(v, 0) })
				on(x, func(v []float32) { k.reluBack(v, y, 0.2) })
				on(x, func(v []float32) { k.drop(v, y, kept, 1.25) })
				on(x, func(v []float32) {
					drawn := make([]uint8, len(v))
					k.drawn(drawn, words, 1<<30)
					for i, d := range drawn {
						v[i] = float32(d)
					}
				})
				k.sum(&lane, x)
				on(x, func(v []float32) { k.center(&lane, v, 0.1) })
				on(x, func(v []float32) {
					on(scale, func(ds []float32) {
						on(shift, func(dt []float32) { k.unscale(&both, v, y, scale, ds, dt) })
					})
				})
				on(x, func(v []float32) { k.uncenter(v, y, 0.7, 0.1, -0.2) })
				k.products(&lane, x, y)
				on(x, func(v []float32) { k.softmaxBack(v, y, 0.4, 0.6) })
				on(x, func(v []float32) {
					on(scale, func(m []float32) {
						on(shift, func(square []float32) {
							for i, x := range square {
								square[i] = abs(x)
							}
							k.adam(v, y, m, square, &adamRates[float32]{0.01, 0.9, 0.1, 0.99, 0.01, 0.3, 1e-8, 0.05})
						})
					})
				})
				return append(out, lane[:], both[:])
			})
		}
		same("sigmoid", n, 1, func(k *kernels[float32]) [][]float32 {
			s, tail := make([]float32, p), make([]float32, p)
			r := slices.Clone(f)
			for i := range r {
				r[i] *= 40
			}
			k.sigmoid(s, tail, r)
			return [][]float32{s, tail}
		})
		same("rank", n, 1, func(k *kernels[float32]) [][]float32 {
			rank, r := make([]int32, p), slices.Clone(f)
			r[n/2] = r[0] // a tie
			k.rank(rank, r, n)
			out := make([]float32, n)
			for i := range out {
				out[i] = float32(rank[i])
			}
			return [][]float32{out}
		})
		upper := vec(n * (n + 1) / 2)
		same("unfold", n, n, func(k *kernels[float32]) [][]float32 {
			x := make([]float32, n*n)
			k.unfold(x, upper, n)
			return [][]float32{x}
		})
		same("blank", n, 1, func(k *kernels[float32]) [][]float32 {
			to := need.Value(NewGraph[float32](o, 0, make([]float64, 3*n), randomEdges(n, n, 4*n)))(t).adjacency
			to.self = 2.5
			for i := range to.col {
				to.col[i], to.reverse[i], to.weight[i] = -1, -1, -1
			}
			clear(to.first)
			k.blank(&to)
			return [][]float32{to.weight, floats(to.col), floats(to.reverse), floats(to.first)}
		})
		data := make([]byte, n)
		for i := range data {
			data[i] = uint8(r.IntN(256))
		}
		same("integers", n, 1, func(k *kernels[float32]) [][]float32 {
			to := make([]int32, n)
			k.integers(to, data)
			return [][]float32{floats(to)}
		})
		same("repeated", n, 1, func(k *kernels[float32]) [][]float32 {
			times := slices.Clone(data)
			for i := range times {
				times[i] >>= i % 8
			}
			end := 0
			for _, x := range times {
				end += int(x)
			}
			to := make([]int32, end+lanes)
			k.repeated(to, times)
			return [][]float32{floats(to[:end])}
		})
		same("link", n, 1, func(k *kernels[float32]) [][]float32 {
			to := need.Value(NewGraph[float32](o, 0, make([]float64, 3*n), randomEdges(n, n, 4*n)))(t).adjacency
			clear(to.col)
			clear(to.reverse)
			clear(to.weight)
			k.link(&to, slices.Clone(a.first))
			return [][]float32{to.weight, floats(to.col), floats(to.reverse)}
		})
		same("mmdSums", n, 1, func(k *kernels[float32]) [][]float32 {
			v, s := make([]float32, p), make([]float32, p)
			k.mmdSums(v, s, f, gg, -0.2, n)
			return [][]float32{v[:n], s[:n]}
		})
		for _, w := range []int{8, 16, 24, 32, 40} {
			y, z, b := vec(n*w), vec(n*w), vec(w)
			for _, back := range []bool{false, true} {
				same("spread", n, w, func(k *kernels[float32]) [][]float32 {
					out := make([]float32, n*w)
					k.spread(out, a, alpha, z, w, back)
					return [][]float32{out}
				})
			}
			same("edgeDots", n, w, func(k *kernels[float32]) [][]float32 {
				d := make([]float32, a.size())
				k.edgeDots(d, a, y, z, w)
				for e := range d {
					if !isEntry(a, e) {
						d[e] = 0
					}
				}
				return [][]float32{d}
			})
			same("dots and outerAdd", n, w, func(k *kernels[float32]) [][]float32 {
				out, y := make([]float32, n), slices.Clone(y)
				k.dots(out, y, b, n, w)
				k.outerAdd(y, f, b, n, w)
				k.add(y[:n*w-3], z)
				return [][]float32{out, y}
			})
			var kept []int32
			for i := n - 1; i >= 0; i -= 2 {
				kept = append(kept, int32(i))
			}
			same("gate and gateBack", n, w, func(k *kernels[float32]) [][]float32 {
				out, dh, dr := make([]float32, len(kept)*w), make([]float32, n*w), slices.Clone(gg)
				k.gate(out, z, f, kept, w)
				k.gateBack(dh, dr, y, z, f, kept, w)
				return [][]float32{out, dh, dr}
			})
			for _, m := range []int{1, 2, 3, 5, 6, 13} {
				x := vec(max(m*n, 1))
				same("gemm", m, w, func(k *kernels[float32]) [][]float32 {
					c, ct := make([]float32, m*(w+1)), make([]float32, m*w)
					k.gemm(c, w+1, x, n, 1, z, w, m, n, w, nil)
					k.gemm(ct, w, x, 1, m, z, w, m, n, w, nil)
					return [][]float32{c, ct}
				})
			}
		}
	}
}

// isEntry reports whether place e of an adjacency is an entry of a row.
func isEntry(a *adjacency[float32], e int) bool {
	for i := range a.n {
		if at := e - a.entry(i, 0); at >= 0 && at%lanes == 0 && at/lanes < int(a.degree[i]) {
			return true
		}
	}
	return false
}

// The exponentials of the vector kernels, over the whole range, seen through sigmoid and softmax.
func TestVectorExp(t *testing.T) {
	const n = 1 << 16
	r, s, tail, want, wantTail := make([]float32, n), make([]float32, n), make([]float32, n),
		make([]float32, n), make([]float32, n)
	for i := range r {
		r[i] = float32(i-n/2) / (n / 2) * 95
	}
	r[0], r[1], r[2] = float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))
	sigmoid(want, wantTail, r)
	logits, p := slices.Clone(r), slices.Clone(r)
	logits[0], p[0] = 0, 0
	portable[float32]().softmax(p)
	for name, k := range vectorKernels() {
		k.sigmoid(s, tail, r)
		v := slices.Clone(logits)
		k.softmax(v)
		for i := range r {
			if v[i] != p[i] {
				t.Fatalf("%s: softmax of %v is %v; portable %v", name, logits[i], v[i], p[i])
			}
			if s[i] != want[i] || tail[i] != wantTail[i] {
				t.Fatalf("%s: sigmoid(%v) = %v, %v; portable %v, %v", name, r[i], s[i], tail[i], want[i], wantTail[i])
			}
		}
	}
}

// floats are the same numbers.
func floats(of []int32) []float32 {
	out := lists.Map(of, func(x int32) float32 { return float32(x) })
	return out
}
