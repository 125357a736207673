package gnn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/random"
)

// filed puts graphs into a file, if they do not fit into so many bytes of memory, which are then for the packed ones.
func filed[T Float](t *testing.T, memory int64, graphs []*Graph[T]) *os.File {
	t.Helper()
	file := need.Value(os.Create(filepath.Join(t.TempDir(), "graphs")))(t)
	t.Cleanup(func() { file.Close() })
	f := NewGraphFile[T](memory, func() (*os.File, error) { return file, nil })
	for _, g := range graphs {
		need.NoError(t, f.Add(g))
	}
	if f.records != nil {
		read(t, graphs[0]) // writes what is left
	}
	return file
}

// read gives the packed form of a graph in a file.
func read[T Float](t *testing.T, g *Graph[T]) []byte {
	r := need.Value(g.record.file.records.NewReader(0, 1))(t)
	defer r.Close()
	need.NoError(t, r.Begin([]int32{g.record.number}))
	need.NoError(t, r.Next(1))
	return slices.Clone(need.Value(r.Get(0))(t))
}

// A graph comes back from a file as it was, whatever its size and its features.
func TestGraphFileKeeps(t *testing.T) {
	t.Run("float32", keeps[float32])
	t.Run("float64", keeps[float64])
}

func keeps[T Float](t *testing.T) {
	var w whole[T] // one for all, as in a training
	var r room[T]
	for i, n := range []int{1, 2, 9, 84, 256, 257, 30, 7, 66000} {
		for _, kind := range []string{"any", "symmetric", "negative zero"} {
			o := Paper(n)
			if n > 100 {
				o.Features = 1
			}
			x := randomFeatures(i, n*o.Features)
			if kind != "any" && o.Features == n {
				for i := range x {
					x[i] = x[min(i/n, i%n)*n+max(i/n, i%n)]
				}
			}
			if kind == "negative zero" && o.Features > 1 { // equal to its mirror image, but not the same
				x[1], x[n] = 0, math.Copysign(0, -1)
			}
			edges := []Edge{{0, int32(n - 1), 0.25}}
			if n < 100 {
				edges = randomEdges(i, n, 4*n)
			}
			if n == 1 {
				edges = nil
			}
			g := need.Value(NewGraph[T](o, 0, x, edges))(t)
			before := *g.whole
			filed(t, 0, []*Graph[T]{g})
			if g.whole != nil {
				t.Fatal("the graph is still in memory")
			}
			need.Equal(t, g.record.symmetric, o.Features == n && (kind == "symmetric" || n == 1), n, kind)
			data := read(t, g)
			values := g.record.unpack(kernelsOf[T](), &r, data)
			g.record.join(kernelsOf[T](), &w.adjacency, values, data)
			w.Features = g.record.matrix(kernelsOf[T](), &r, values)
			after := w
			before.all, after.work, after.dense = nil, nil, nil
			if len(before.from) == 0 {
				before.from, before.to, before.strength = after.from, after.to, after.strength
			}
			if !reflect.DeepEqual(before, after) || fmt.Sprint(before.Features) != fmt.Sprint(after.Features) {
				t.Errorf("%d nodes, %s: the graph is another one", n, kind)
			}
		}
	}
}

// Symmetric graphs of the paper's size, narrow in a file, train to the same bits as in memory.
func TestTrainingFromFile(t *testing.T) {
	var want []float32
	for _, c := range []struct {
		memory  int64
		workers int
	}{{1 << 40, 1}, {1 << 20, 2}, {0, 1}, {0, 3}} {
		graphs := paperGraphs[float32](60)
		filed(t, c.memory, graphs)
		if g := graphs[7]; c.memory < 1<<40 {
			need.Equal(t, g.record.symmetric && g.record.narrow.used, true, "symmetric and narrow")
		}
		m := need.Value(New[float32](Paper(84), 1))(t)
		_, err := m.Train(context.Background(), graphs, nil,
			Training{Epochs: 3, Batch: 25, Rate: 0.01, Workers: c.workers})
		need.NoError(t, err)
		if want == nil {
			want = m.Params
		}
		need.Equal(t, slices.Equal(m.Params, want), true, c.memory, "bytes,", c.workers, "goroutines")
	}
}

// Numbers in single precision come back from 28 bits with every bit; those with many exceptions stay as they are.
func TestNarrow(t *testing.T) {
	r := random.New(1, "narrow")
	k := kernelsOf[float32]()
	for n := 300; n < 333; n++ {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.Normal())
		}
		few := slices.Clone(v)
		for i := 3; i < n; i += 40 {
			few[i] = []float32{0, float32(math.Copysign(0, -1)), 1e-45, -1e-30, 1e-5}[i%5]
		}
		few[1], few[2] = float32(math.Ldexp(1.5, 1)), float32(math.Ldexp(-1.7, 300-n)) // each exponent once
		many := slices.Clone(v)
		for i := range n / 4 {
			many[i] = 0
		}
		for name, v := range map[string][]float32{"normal": v, "few exceptions": few, "many exceptions": many} {
			f, data := narrowed(v)
			need.Equal(t, f.used, name != "many exceptions", n, name)
			if !f.used {
				continue
			}
			need.Equal(t, len(data), inRegisters(n)*7/2+4*int(f.exceptions), "bytes of", n)
			back := widened(k, f, nil, n, data)
			for i, x := range v {
				if math.Float32bits(back[i]) != math.Float32bits(x) {
					t.Fatalf("%d numbers, %s: number %d is %v, was %v", n, name, i, back[i], x)
				}
			}
		}
	}
	f, data := narrowed(make([]float64, 300))
	need.Equal(t, !f.used && data == nil, true, "double precision stays")
}

// A file of graphs that is cut short or altered ends the training, and so does one that cannot be made.
func TestGraphFileFails(t *testing.T) {
	o, tr := small(Paper(10), PaperTraining())
	for want, spoil := range map[string]func(*os.File) error{
		"EOF": func(f *os.File) error { return f.Truncate(1000) },
		"a part is not as it was written: check the disk": func(f *os.File) error {
			_, err := f.WriteAt([]byte{77}, 2000) // in the second graph
			return err
		},
	} {
		graphs := randomGraphs[float32](o, 20, 10, 20)
		need.NoError(t, spoil(filed(t, 0, graphs)))
		m := need.Value(New[float32](o, 1))(t)
		_, err := m.Train(context.Background(), graphs, nil, tr)
		if err == nil || !strings.HasPrefix(err.Error(), "the file of what memory cannot hold: ") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want …%s", err, want)
		}
		if _, err := m.Predict(graphs, 2); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want …%s", err, want)
		}
	}
	f := NewGraphFile[float32](0, func() (*os.File, error) { return nil, errors.New("no disk") })
	if err := f.Add(randomGraphs[float32](o, 1, 10, 20)[0]); err == nil || err.Error() != "a file for graphs: no disk" {
		t.Errorf("error %v", err)
	}
}
