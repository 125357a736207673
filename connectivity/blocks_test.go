package connectivity

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// Block lengths and rows are those of the Python package arch (testdata/blocks/oracle.py).
func TestBlocksOracle(t *testing.T) {
	raw := need.Value(os.ReadFile(filepath.Join("testdata", "blocks", "oracle.json")))(t)
	var oracle struct {
		Lengths []struct {
			X              []float64
			Circular, Arch float64
		}
		Rows []struct {
			N, Length    int
			Starts, Rows []int
		}
	}
	need.NoError(t, json.Unmarshal(raw, &oracle))
	if len(oracle.Lengths) != 9 || len(oracle.Rows) != 4 {
		t.Fatalf("%d lengths, %d lists of rows", len(oracle.Lengths), len(oracle.Rows))
	}
	same := 0 // as arch as it is
	for i, c := range oracle.Lengths {
		if c.Circular == c.Arch {
			same++
		}
		whole := []Segment{{0, len(c.X)}}
		if got := optimalBlock(c.X, whole); math.Abs(got-c.Circular) > 1e-9 {
			t.Errorf("series %d: length %v, arch %v", i, got, c.Circular)
		}
		// of two regions the mean counts, rounded up; a missing and a constant one do not count
		x := NewMatrix(len(c.X), 4)
		for v, y := range c.X {
			copy(x.Row(v), []float64{y, 3 - 2*y, math.NaN(), 0})
		}
		if got := BlockLength(x, []Status{Present, Present, Missing, Constant},
			whole); got != int(math.Ceil(c.Circular)) {
			t.Errorf("series %d: %d volumes, want %v rounded up", i, got, c.Circular)
		}
	}
	if same != 7 {
		t.Errorf("%d lengths are arch's own, want 7 of 9", same)
	}
	for _, c := range oracle.Rows {
		next := 0
		got := Blocks([]Segment{{0, c.N}}, c.Length, func(n int) int {
			if n != c.N {
				t.Fatalf("a start below %d, want %d", n, c.N)
			}
			next++
			return c.Starts[next-1]
		})
		if !slices.Equal(got, c.Rows) {
			t.Errorf("blocks of %d of %d rows: %v, arch %v", c.Length, c.N, got, c.Rows)
		}
	}
}

// Over all starts of one block each row comes as often as the block is long, also of a segment that is shorter; and no
// block leaves its segment.
func TestBlocksStayInTheirSegments(t *testing.T) {
	segments := []Segment{{0, 7}, {7, 9}, {9, 20}}
	const length = 4
	count := make([]int, 20)
	for start := range count {
		rows := Blocks(segments, length, func(int) int { return start })[:length]
		in := func(row int) int {
			return slices.IndexFunc(segments, func(s Segment) bool { return s.From <= row && row < s.To })
		}
		for k, row := range rows {
			count[row]++
			if in(row) != in(start) {
				t.Errorf("the block from row %d goes on in row %d of another segment", start, row)
			}
			if want := rows[0] + k; want < segments[in(start)].To && row != want {
				t.Errorf("the block from row %d has row %d as number %d, want %d", start, row, k, want)
			}
		}
	}
	for row, n := range count {
		if n != length {
			t.Errorf("row %d comes %d times, want %d", row, n, length)
		}
	}
}

// Two rows give a product only where no volume was censored between them.
func TestBlockLengthLeavesGapsOut(t *testing.T) {
	s := random.New(3, "gaps")
	x, volume := ar1(s, 120, 0.7), make([]int, 0, 120)
	for v := range 150 {
		if v/25 != 2 && len(volume) < 120 { // volumes 50 to 74 are censored
			volume = append(volume, v)
		}
	}
	keep := make([]bool, 150)
	for _, v := range volume {
		keep[v] = true
	}
	c := need.Value(NewCleaner(150, Cleaning{Detrend: -1, Keep: keep}))(t)
	segments := c.Segments()
	if want := []Segment{{0, 50}, {50, 120}}; !slices.Equal(segments, want) {
		t.Fatalf("segments %v, want %v", segments, want)
	}
	// The slow definition: autocovariances over the axis of volumes, with nothing in the gap.
	n, mean := 120.0, 0.0
	for _, v := range x {
		mean += v / n
	}
	r := make([]float64, 17)
	for k := range r {
		for i, a := range volume {
			if j := slices.Index(volume, a+k); j >= 0 && a < 50 == (a+k < 50) {
				r[k] += (x[i] - mean) * (x[j] - mean) / n
			}
		}
	}
	first := 1
	for !small(r[first:first+5], 2*math.Sqrt(math.Log10(n)/n)*r[0]) {
		first++
	}
	g, spectrum := 0.0, 0.0
	for k := -2 * first; k <= 2*first; k++ {
		flat := 1.0
		if a := math.Abs(float64(k)) / float64(2*first); a > 0.5 {
			flat = 2 * (1 - a)
		}
		at := max(k, -k)
		g += flat * float64(at) * r[at]
		spectrum += flat * r[at]
	}
	want := math.Cbrt(2 * g * g / (4.0 / 3 * spectrum * spectrum) * n)
	if got := optimalBlock(x, segments); math.Abs(got-want) > 1e-9 {
		t.Errorf("length %v, want %v", got, want)
	}
	if whole := optimalBlock(x, []Segment{{0, 120}}); math.Abs(whole-want) < 1e-9 {
		t.Error("the gap makes no difference")
	}
}

func small(r []float64, limit float64) bool {
	return !slices.ContainsFunc(r, func(v float64) bool { return math.Abs(v) >= limit })
}

// The mean of a draw has the variance of the circular block bootstrap, Σ_{|k|<b} (1 − |k|/b) R(k) / N with the circular
// autocovariance R (Politis & Romano 1992), and the correlation of two independent series that of Bartlett (1935) for
// AR(1) processes, (1 + φ²)/(1 − φ²) / N, which a bootstrap of single volumes misses by half.
func TestBlocksVariance(t *testing.T) {
	const n, length, draws, phi = 4000, 40, 2000, 0.6
	s := random.New(11, "variance")
	x, y := ar1(s, n, phi), ar1(s, n, phi)
	mean := 0.0
	for _, v := range x {
		mean += v / n
	}
	want := 0.0
	for k := -length + 1; k < length; k++ {
		r := 0.0
		for v := range x {
			r += (x[v] - mean) * (x[(v+k+n)%n] - mean) / n
		}
		want += (1 - math.Abs(float64(k))/length) * r / n
	}
	pair := NewMatrix(n, 2)
	for v := range x {
		copy(pair.Row(v), []float64{x[v], y[v]})
	}
	c := need.Value(NewCleaner(n, Cleaning{Detrend: -1}))(t)
	observed := correlationOf(pair)
	var m, m2, r, r2 float64
	for range draws {
		rows := Blocks(c.Segments(), length, s.IntN)
		sum := 0.0
		for _, row := range rows {
			sum += x[row]/n - mean/n
		}
		m, m2 = m+sum, m2+sum*sum
		z := c.Resample(pair, []Status{Present, Present}, length, s.IntN)
		v := correlationOf(z)
		r, r2 = r+v, r2+v*v
		if q := squares(z)[0]; math.Abs(q-(n-1)) > 1e-6 {
			t.Fatalf("a draw has the sum of squares %v, want that of z-scores", q)
		}
	}
	// Five standard errors: √(2/draws) of a variance.
	if got := m2 / draws; math.Abs(got/want-1) > 5*math.Sqrt(2.0/draws) || math.Abs(m/draws) > 5*math.Sqrt(want/draws) {
		t.Errorf("means of draws: bias %v, variance %v, want 0 and %v", m/draws, got, want)
	}
	r /= draws
	variance, bartlett := r2/draws-r*r, (1+phi*phi)/(1-phi*phi)/n
	if math.Abs(r-observed) > 5*math.Sqrt(bartlett/draws)+1.0/n {
		t.Errorf("correlations of draws: mean %v, want %v", r, observed)
	}
	if variance < 0.7*bartlett || variance > 1.3*bartlett { // the autocovariances of one series are noisy
		t.Errorf("correlations of draws: variance %v, Bartlett's %v", variance, bartlett)
	}
}

func ar1(s *random.Stream, n int, phi float64) []float64 {
	x := make([]float64, n)
	last := s.Normal() / math.Sqrt(1-phi*phi)
	for t := range x {
		last = phi*last + s.Normal()
		x[t] = last
	}
	return x
}

func correlationOf(x Matrix) float64 {
	x = x.Clone()
	center(x)
	sum := 0.0
	for t := range x.Rows {
		sum += x.At(t, 0) * x.At(t, 1)
	}
	q := squares(x)
	return sum / math.Sqrt(q[0]*q[1])
}
