package damage

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/connectivity"
	"prgnn/numeric/random"
)

// Made series: what repeats is counted by hand.
func TestRepeats(t *testing.T) {
	nan := math.NaN()
	noise := func(volumes, regions int) (rows [][]float64) { // of different whole numbers
		for t := range volumes {
			var row []float64
			for j := range regions {
				row = append(row, float64((7919*t+104729*j+31*t*j)%100003))
			}
			rows = append(rows, row)
		}
		return rows
	}
	long, one := noise(40, 8), noise(64, 1)
	for _, c := range []struct {
		name             string
		rows             [][]float64
		volumes, regions int
	}{
		{"sound", [][]float64{{1, 2, 3}, {1, 2, 4}, {2, 1, 3}, {1, 2, 3}}, 0, 0},
		{"a run of three zeros, and one alone", [][]float64{{0, 0}, {1, 3}, {0, 0}, {0, 0}, {0, 0}, {2, 1}}, 2, 0},
		{"two copies", [][]float64{{1, 2}, {1, 2}, {3, 1}, {4, 7}, {4, 7}}, 2, 0},
		{"copies beside a missing region", [][]float64{{1, nan, 2}, {1, nan, 2}, {3, nan, 1}}, 1, 0},
		{"one region thrice, another twice", [][]float64{{1, 5, 1, 5, 1, 2}, {2, 4, 2, 4, 2, 2}, {1, 3, 1, 3, 1, 7}}, 0, 3},
		{"saved twice", slices.Concat(long, long), 40, 0},
		{"a block again at another lag", slices.Concat(long, long[3:9], noise(50, 8)[40:]), 6, 0},
		{"four volumes again, and then others", slices.Concat(long, long[3:7], noise(50, 8)[40:]), 0, 0},
		{"one region saved twice", slices.Concat(one, one), 64, 0},
		{"31 volumes of one region again", slices.Concat(one, one[:31]), 0, 0},
		{"constant and missing regions", [][]float64{{1, 4, 4, nan, nan}, {2, 4, 4, nan, nan}}, 0, 0},
	} {
		x := connectivity.NewMatrix(0, len(c.rows[0]))
		for _, row := range c.rows {
			x.Rows, x.Data = x.Rows+1, append(x.Data, row...)
		}
		status, err := connectivity.Inspect(x)
		if err != nil {
			t.Fatal(err)
		}
		if v, r := Repeats(x, status); v != c.volumes || r != c.regions {
			t.Errorf("%s: %d volumes and %d regions, want %d and %d", c.name, v, r, c.volumes, c.regions)
		}
	}
}

// Volumes that the pipeline does not use, a few ordinary spikes of motion, and zeros among series without means are no
// damage; a damaged volume is found whatever the scale of the series.
func TestFarVolumes(t *testing.T) {
	const volumes, regions = 100, 12
	scale := func(by float64) func(float64) float64 { return func(v float64) float64 { return v * by } }
	value := func(to float64) func(float64) float64 { return func(float64) float64 { return to } }
	type change struct {
		volume int
		to     func(float64) float64
	}
	for _, c := range []struct {
		name                string
		mean                float64
		changes             []change
		unused              []int
		empty, first, other string
	}{
		{"sound", 1000, nil, nil, "[]", "[]", "[]"},
		{"zeros", 1000, []change{{50, value(0)}}, nil, "[50]", "[]", "[]"},
		{"zeros at both ends", 1000, []change{{0, value(0)}, {99, value(0)}}, nil, "[0 99]", "[]", "[]"},
		{"saturated", 1000, []change{{50, value(32767)}}, nil, "[50]", "[]", "[]"},
		{"a huge number", 1000, []change{{50, value(1e9)}}, nil, "[50]", "[]", "[]"},
		{"three times as bright", 1000, []change{{50, scale(3)}}, nil, "[]", "[]", "[50]"},
		{"20% brighter", 1000, []change{{50, scale(1.2)}}, nil, "[]", "[]", "[50]"},
		{"before the steady state", 1000, []change{{0, scale(1.6)}, {1, scale(1.2)}}, nil, "[]", "[0 1]", "[]"},
		{"ten times in series without means", 0, []change{{50, value(100)}}, nil, "[50]", "[]", "[]"},
		{"not used", 1000, []change{{0, scale(1.6)}, {50, value(0)}}, []int{0, 50}, "[]", "[]", "[]"},
		{"the first used", 1000, []change{{0, scale(1.6)}, {1, scale(1.2)}}, []int{0}, "[]", "[1]", "[]"},
		{"zeros in series without means", 0, []change{{50, value(0)}}, nil, "[]", "[]", "[]"},
		{"a spike", 1000, []change{{50, func(v float64) float64 { return v + 60 }}}, nil, "[]", "[]", "[]"},
	} {
		x := connectivity.NewMatrix(volumes, regions)
		r := random.New(5, "volumes")
		used := make([]bool, volumes)
		for v := range volumes {
			used[v] = !slices.Contains(c.unused, v)
			global := 5 * r.Normal()
			for j := range regions {
				x.Data[v*regions+j] = c.mean + global + 10*r.Normal()
			}
		}
		for _, d := range c.changes {
			for j, v := range x.Row(d.volume) {
				x.Row(d.volume)[j] = d.to(v)
			}
		}
		status, err := connectivity.Inspect(x)
		if err != nil {
			t.Fatal(err)
		}
		far := FarVolumes(x, status, used)
		first := math.Abs(far.FirstDistance)
		if n := len(far.First); far.Empty == nil && (n > 0 && first < FirstLimit || n == 0 && first > 4) {
			t.Errorf("%s: distance %g of the first volume", c.name, far.FirstDistance)
		}
		if far.Other != nil && !(far.OtherDistance > FarLimit) {
			t.Errorf("%s: largest distance %g", c.name, far.OtherDistance)
		}
		got := fmt.Sprint(far.Empty, far.First, far.Other)
		if want := c.empty + " " + c.first + " " + c.other; got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
	}
}

// Cosines of a scan of another length, or of other volumes, are counted; other columns are none.
func TestOtherCosines(t *testing.T) {
	const n = 120
	names := []string{"cosine00", "csf", "cosine01", "cosine02"}
	other := func(length float64, first int) int {
		c := connectivity.Confounds{Names: names, Values: connectivity.NewMatrix(n, len(names))}
		for j := range names {
			for v := range n {
				c.Values.Data[v*len(names)+j] = math.Cos(math.Pi * float64(max(j, 1)) * (float64(v) + 0.5) / length)
			}
		}
		return OtherCosines(c, names, first)
	}
	for _, c := range []struct{ got, want int }{{other(n, 0), 0}, {other(300, 0), 3}, {other(n, 30), 3}} {
		if c.got != c.want {
			t.Errorf("%d cosines, want %d", c.got, c.want)
		}
	}
}

func TestCode(t *testing.T) {
	for _, c := range []struct {
		values []float64
		code   float64
		times  int
	}{
		{[]float64{0.1, 0.5, -999, 0.3, -999}, -999, 2},
		{[]float64{0.1, 0.5, -999, 0.3, 999}, -999, 1},
		{[]float64{0.1, 0.5, -99, 0.3, -999}, -999, 1},
		{[]float64{0.1, 0.5, 0.2, 0.3, 50}, 0, 0}, // an outlier
		{[]float64{900, 999, 950, 999, 920}, 0, 0},
		{[]float64{999, 99, 999}, 0, 0},
	} {
		if code, times := Code(c.values); code != c.code || times != c.times {
			t.Errorf("%v: %g, %d times", c.values, code, times)
		}
	}
}
