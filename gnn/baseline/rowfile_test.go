package baseline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// filed are the same rows in a file, of which so many bytes are in memory.
func filed(t *testing.T, ctx context.Context, x Rows, memory int64) (Rows, *os.File) {
	t.Helper()
	file := need.Value(os.Create(filepath.Join(t.TempDir(), "rows")))(t)
	f := NewRowFile(ctx, x.N, x.D, memory, 2, func() (*os.File, error) { return file, nil })
	for i := range x.N {
		need.NoError(t, f.Add(x.Row(i)))
	}
	r := need.Value(f.Rows())(t)
	if r.file == nil {
		t.Fatalf("%d rows of %d values are in memory", x.N, x.D)
	}
	t.Cleanup(func() {
		f.Close()
		file.Close()
	})
	return r, file
}

// What is computed from rows in a file has the bits of what is computed from rows in memory: with records of one row
// and of many, standardized and not, whether models compare cases or inputs.
func TestRowFile(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		n, d, taught int
		memory       int64
	}{{500, 130, 370, 0}, {500, 130, 500, 40_000}, {2300, 130, 1500, 1 << 20}, {90, 200, 71, 0}} {
		inMemory, label, sign := shifted(c.n, c.d)
		label, sign = label[:c.taught], sign[:c.taught]
		inFile, _ := filed(t, ctx, inMemory, c.memory)
		for range 2 { // the second time, standardized
			results := func(x Rows) (all [][]float64) {
				train := x.First(c.taught)
				single := gram[float32](train, 2)
				for i := range train.N {
					all = append(all, to64(single[i*train.N:][:train.N]))
				}
				all = append(all, gram[float64](train, 2), train.mean(), Pattern(train, sign))
				primal := need.Value(need.Value(primalRidge(train, 1, 2))(t)(sign))(t).(*linear)
				for _, m := range []Classifier{machines{primal}, need.Value(FitRidge(train, label, 2, 1, 2))(t),
					need.Value(FitLogistic(ctx, train, label, 2, 1, 2))(t),
					need.Value(fitPrimalLogistic(ctx, train, [][]float64{sign}, 1, 2))(t)} {
					all = append(all, m.(machines)[0].(*linear).w, m.Probability(x, 2))
				}
				return append(all, Standardize(train, x))
			}
			want, got := results(inMemory), results(inFile)
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Errorf("%+v: result %d is another one: %v, want %v", c, i, got[i][:1], want[i][:1])
				}
			}
			need.NoError(t, inFile.Err())
		}
	}
}

func to64(v []float32) (out []float64) {
	for _, x := range v {
		out = append(out, float64(x))
	}
	return out
}

// Logistic regression of more cases than have a matrix of pairs has the same bits, too.
func TestRowFileOfManyCases(t *testing.T) {
	ctx := context.Background()
	x, label, _ := shifted(MostPaired+500, 6)
	inFile, _ := filed(t, ctx, x, 1<<20)
	want := need.Value(FitLogistic(ctx, x, label, 2, 1, 2))(t)
	got := need.Value(FitLogistic(ctx, inFile, label, 2, 1, 2))(t)
	if !slices.Equal(got.Probability(inFile, 2), want.Probability(x, 2)) {
		t.Error("other probabilities")
	}
}

// Few rows need no file.
func TestRowFileInMemory(t *testing.T) {
	x, _, _ := shifted(100, 10)
	for _, memory := range []int64{-1, 2 * 8 * 1000} {
		f := NewRowFile(context.Background(), 1, 10, memory, 1, nil)
		for i := range x.N {
			need.NoError(t, f.Add(x.Row(i)))
		}
		if r := need.Value(f.Rows())(t); !slices.Equal(r.X, x.X) || r.N != x.N || r.D != x.D {
			t.Errorf("%d rows of %d values, with %d bytes", r.N, r.D, memory)
		}
		f.Close()
	}
}

// A file that cannot be opened, one that has lost rows, one that has other numbers, and the end of the work are errors,
// and end all passes.
func TestRowFileFails(t *testing.T) {
	x, label, _ := shifted(3000, 20)
	full := func() (*os.File, error) { return nil, errors.New("full") }
	refused := NewRowFile(context.Background(), x.N, x.D, 0, 1, full)
	need.Error(t, refused.Add(x.Row(0)), "a file for inputs: full")
	for about, damage := range map[string]func(file *os.File, cancel func()){
		"the file of what memory cannot hold: ": func(file *os.File, _ func()) { need.NoError(t, file.Truncate(100_000)) },
		"a part is not as it was written": func(file *os.File, _ func()) {
			need.Value(file.WriteAt([]byte{1, 2, 3}, 512*600))(t)
		},
		context.Canceled.Error(): func(_ *os.File, cancel func()) { cancel() },
	} {
		ctx, cancel := context.WithCancel(context.Background())
		rows, file := filed(t, ctx, x, 0)
		damage(file, cancel)
		FitLogistic(context.Background(), rows, label, 2, 1, 2)
		need.Error(t, rows.Err(), about)
		rows.each(func(int, Rows) { t.Fatalf("%s: a pass after it", about) })
		cancel()
	}
}
