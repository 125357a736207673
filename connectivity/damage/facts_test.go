package damage

import (
	"math"
	"testing"

	"prgnn/connectivity"
	"prgnn/numeric/random"
)

// Each way to process a made series changes the fact on it, and few others.
func TestFacts(t *testing.T) {
	const volumes, regions, tr = 120, 12, 2.0
	at := func(x []float64, v, j int) *float64 { return &x[v*regions+j] }
	var waves []float64 // below 0.1 Hz
	for v := range volumes {
		for j := range regions {
			waves = append(waves, 1000+10*math.Sin(2*math.Pi*float64(v*(7+j%6))/volumes+float64(j)))
		}
	}
	none := func([]float64) {}
	type facts struct{ global, high, interpolated, standardized, same, step, unexplained float64 } // −1: any value
	for _, c := range []struct {
		name   string
		change func(x []float64)
		want   facts
	}{
		{"sound", none, facts{-1, -1, 0, 0, 0, -1, -1}},
		{"no global signal", func(x []float64) {
			for v := range volumes {
				mean := 0.0
				for j := range regions {
					mean += *at(x, v, j) / regions
				}
				for j := range regions {
					*at(x, v, j) += 1000 - mean
				}
			}
		}, facts{0, -1, 0, 0, 0, -1, 0}},
		{"one signal", func(x []float64) {
			for v := range volumes {
				for j := range regions {
					*at(x, v, j) = *at(x, v, 0) + float64(j)
				}
			}
		}, facts{1, -1, 0, 0, 0, -1, 0}},
		{"low-pass filtered", func(x []float64) { copy(x, waves) }, facts{-1, 0, 0, 0, -1, -1, -1}},
		{"high frequencies alone", func(x []float64) {
			for v := range volumes {
				for j := range regions {
					*at(x, v, j) = 1000 + math.Cos(2*math.Pi*float64(v*(30+j))/volumes)
				}
			}
		}, facts{-1, 1, 0, 0, -1, 0.000776, 1}},
		{"every second volume interpolated", func(x []float64) {
			for v := 1; v < volumes-1; v += 2 {
				for j := range regions {
					*at(x, v, j) = (*at(x, v-1, j) + *at(x, v+1, j)) / 2
				}
			}
		}, facts{-1, -1, 0.5, 0, 0, -1, -1}},
		{"one volume up to the end", func(x []float64) {
			for v := 101; v < volumes; v++ {
				copy(x[v*regions:][:regions], x[100*regions:])
			}
		}, facts{-1, -1, 0, 0, 19. / 119, -1, -1}},
		{"a region of others", func(x []float64) {
			for v := range volumes {
				*at(x, v, 2) = (*at(x, v, 0) + *at(x, v, 1)) / 2
			}
		}, facts{-1, -1, 0, 0, 0, -1, 0}},
		{"an empty third of a region", func(x []float64) {
			for v := range volumes / 3 {
				*at(x, v, 2) = 0
			}
		}, facts{-1, -1, 0, 0, 39. / 119, -1, -1}},
		{"cut off", func(x []float64) {
			for i := range x {
				x[i] = min(x[i], 1000)
			}
		}, facts{-1, -1, 0, 0, -1, -1, -1}},
		{"a trend", func(x []float64) {
			for i := range x {
				x[i] += float64(i / regions)
			}
		}, facts{-1, -1, 0, 0, 0, -1, -1}},
		{"a step", func(x []float64) {
			for i := range x {
				if i/regions >= 50 {
					x[i] += 1e9
				}
			}
		}, facts{1, -1, -1, 0, 0, 1, 0}},
		{"standardized", func(x []float64) {
			for j := range regions {
				mean, square := 0.0, 0.0
				for v := range volumes {
					mean += *at(x, v, j) / volumes
				}
				for v := range volumes {
					square += math.Pow(*at(x, v, j)-mean, 2) / (volumes - 1)
				}
				for v := range volumes {
					*at(x, v, j) = math.Round(1e4*(*at(x, v, j)-mean)/math.Sqrt(square)) / 1e4
				}
			}
		}, facts{-1, -1, 0, 1, 1. / 119, -1, -1}},
	} {
		x := connectivity.NewMatrix(volumes, regions)
		r := random.New(5, "facts")
		for i := range x.Data {
			x.Data[i] = waves[i] + 5*r.Normal()
		}
		c.change(x.Data)
		status, err := connectivity.Inspect(x)
		if err != nil {
			t.Fatal(err)
		}
		got := FactsOf(x, status, 0, tr)
		for _, f := range []struct {
			name      string
			got, want float64
		}{{"global", got.Global, c.want.global}, {"high", got.High, c.want.high},
			{"interpolated", got.Interpolated, c.want.interpolated},
			{"standardized", got.Standardized, c.want.standardized}, {"same", got.SameValue, c.want.same},
			{"step", got.Step, c.want.step}, {"unexplained", got.Unexplained, c.want.unexplained}} {
			if f.want >= 0 && !(math.Abs(f.got-f.want) < 1e-5) {
				t.Errorf("%s: %s %g, want %g", c.name, f.name, f.got, f.want)
			}
			if f.want < 0 && !(f.got > 0.005 && f.got < 0.99) {
				t.Errorf("%s: %s %g", c.name, f.name, f.got)
			}
		}
		if high := FactsOf(x, status, 0, math.NaN()).High; high != got.High { // as with 2 s
			t.Errorf("%s: high %g without a repetition time", c.name, high)
		}
		if slow := FactsOf(x, status, 0, 6).High; !math.IsNaN(slow) {
			t.Errorf("%s: high %g of a scan without these frequencies", c.name, slow)
		}
		if few := FactsOf(x, status, volumes-9, tr); !math.IsNaN(few.Global) || !math.IsNaN(few.Standardized) {
			t.Errorf("%s: of 9 volumes %v", c.name, few)
		}
	}
}

// The mean of the regions goes with the global signal of its own scan, whatever its unit, drift and first volumes are.
func TestGlobalR(t *testing.T) {
	const volumes, regions, first = 120, 21, 2
	r := random.New(3, "global")
	x, status := connectivity.NewMatrix(volumes, regions), make([]connectivity.Status, regions)
	status[0] = connectivity.Missing
	own, other, flat := make([]float64, volumes), make([]float64, volumes), make([]float64, volumes)
	removed := connectivity.NewMatrix(volumes, regions)
	for v := range volumes {
		own[v], other[v], flat[v] = r.Normal()+0.1*float64(v), r.Normal()+0.1*float64(v), 900+0.1*float64(v)
		sum := 0.0
		for j := 1; j < regions; j++ {
			x.Row(v)[j] = 1000 + 5*own[v] + 2*r.Normal()
			sum += x.At(v, j) / (regions - 1)
		}
		x.Row(v)[0] = math.NaN()
		for j := 1; j < regions; j++ {
			removed.Row(v)[j] = x.At(v, j) - sum
		}
		if own[v] *= 3; v < first {
			own[v] = 1e6
		}
	}
	missing := append([]float64{math.NaN()}, own[:volumes-1]...)
	fewer := append([]connectivity.Status{connectivity.Constant, connectivity.Missing}, status[2:]...)
	for _, c := range []struct {
		name      string
		got       float64
		low, high float64 // NaN: unknown
	}{
		{"own", GlobalR(x, status, first, own), 0.98, 1},
		{"another's, with the same drift", GlobalR(x, status, first, other), -0.3, 0.3},
		{"removed", GlobalR(removed, status, first, own), -0.3, 0.3},
		{"a line", GlobalR(x, status, first, flat), math.NaN(), math.NaN()},
		{"no column", GlobalR(x, status, 0, missing), math.NaN(), math.NaN()},
		{"few regions", GlobalR(x, fewer, first, own), math.NaN(), math.NaN()},
		{"few volumes", GlobalR(x, status, volumes-9, own), math.NaN(), math.NaN()},
	} {
		if !(c.low <= c.got && c.got <= c.high) && !(math.IsNaN(c.low) && math.IsNaN(c.got)) {
			t.Errorf("%s: %g, want %g to %g", c.name, c.got, c.low, c.high)
		}
	}
}

// Neighboring voxels that share noise change together; constant ones and those with NaN do not count.
func TestNeighborR(t *testing.T) {
	const volumes, pairs = 200, 40
	r := random.New(3, "neighbors")
	series := func(shared float64) (x []float64, at [][2]int) {
		for v := range volumes {
			for p := range pairs {
				slow := math.Sin(float64(v) / 30)
				both := shared * r.Normal()
				x = append(x, slow+both+r.Normal(), slow+both+r.Normal())
				if v == 0 {
					at = append(at, [2]int{2 * p, 2*p + 1})
				}
			}
		}
		return x, at
	}
	alone, at := series(0)
	near, _ := series(1)
	dead, _ := series(1)
	for v := range volumes {
		for p := range 10 {
			dead[v*2*pairs+2*p] = 5
		}
	}
	dead[2*pairs-1] = math.NaN()
	for _, c := range []struct {
		got, low, high float64
	}{
		{NeighborR(alone, 2*pairs, at), -0.05, 0.05},
		{NeighborR(near, 2*pairs, at), 0.45, 0.55},
		{NeighborR(dead, 2*pairs, at), 0.45, 0.55},
	} {
		if !(c.low <= c.got && c.got <= c.high) {
			t.Errorf("%g, want %g to %g", c.got, c.low, c.high)
		}
	}
	for _, unknown := range []float64{NeighborR(near, 2*pairs, at[:19]), NeighborR(near[:9*2*pairs], 2*pairs, at),
		NeighborR(nil, 0, nil)} {
		if !math.IsNaN(unknown) {
			t.Error(unknown)
		}
	}
}
