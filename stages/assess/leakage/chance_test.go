package leakage

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
	"prgnn/stages/fold"
)

// The logarithm of I₀ and its derivatives are those of the integral, I₀(x) = mean of e^(x·cos φ).
func TestBessel(t *testing.T) {
	for _, x := range []float64{0, 1e-8, 0.3, 2, 7, 19.9, 20.1, 60, 400} {
		const points = 4000
		var sum, first, second float64
		for i := range points {
			c := math.Cos(2 * math.Pi * (float64(i) + 0.5) / points)
			e := math.Exp(x * (c - 1))
			sum, first, second = sum+e, first+e*c, second+e*c*c
		}
		mean := first / sum
		log, ratio, slope := bessel(x)
		for _, c := range []struct{ got, want, within float64 }{{log, x + math.Log(sum/points), 2e-6},
			{ratio, mean, 2e-6}, {slope, second/sum - mean*mean, 1e-3}} { // the slope only leads the way
			if math.Abs(c.got-c.want) > c.within*max(1e-6, math.Abs(c.want)) {
				t.Errorf("at %g: %g, by the integral %g", x, c.got, c.want)
			}
		}
	}
}

// A walk ends beyond a distance with at most the probability that is told, and with at least a thirtieth of it: by
// simulation of tilted directions (importance sampling), which reaches any probability; of two equal steps exactly.
func TestChanceOfWalk(t *testing.T) {
	for r := 0.1; r < 1; r += 0.2 {
		bound, exactly := math.Exp(chanceOfWalk([]float64{0.5, 0.5}, r)), 2/math.Pi*math.Acos(r)
		if bound < exactly || bound > 4*exactly {
			t.Errorf("two steps to %g: %g, exactly %g", r, bound, exactly)
		}
	}
	s := random.New(1, "test", "walk")
	for _, c := range []struct {
		steps int
		r     float64
		tilt  float64 // of the whole walk
	}{{8, 0.7, 12}, {20, 0.85, 70}, {60, 0.7, 130}, {200, 0.5, 240}} {
		w, sum := make([]float64, c.steps), 0.0
		for i := range w {
			w[i] = 1 + 3*s.Float64()
			sum += w[i]
		}
		scale := 0.0 // log Π I₀
		for i := range w {
			w[i] /= sum
			log, _, _ := bessel(c.tilt * w[i])
			scale += log
		}
		const walks = 4000
		mean := 0.0
		for range walks {
			var x, y float64
			for _, a := range w { // directions of von Mises
				for {
					phi := 2 * math.Pi * s.Float64()
					if s.Float64() < math.Exp(c.tilt*a*(math.Cos(phi)-1)) {
						x, y = x+a*math.Cos(phi), y+a*math.Sin(phi)
						break
					}
				}
			}
			if d := math.Hypot(x, y); d >= c.r {
				log, _, _ := bessel(c.tilt * d)
				mean += math.Exp(scale-log) / walks
			}
		}
		bound := math.Exp(chanceOfWalk(w, c.r))
		t.Logf("%d steps to %g: at most %.2g, simulated %.2g", c.steps, c.r, bound, mean)
		if !(mean <= bound && mean > bound/30) {
			t.Errorf("%d steps to %g: at most %g, simulated %g", c.steps, c.r, bound, mean)
		}
	}
	if p := chanceOfWalk(slices.Repeat([]float64{0.02}, 50), 1); !(p < -300) {
		t.Errorf("a walk without a turn: exp %g", p)
	}
}

// Series with the autocorrelation of two traces are uncorrelated in their basis, which is orthonormal.
func TestStationaryBasis(t *testing.T) {
	x := filteredTrace(encoding.NewArray(slow(1, 24, 90), 1, 90, 24))
	y := filteredTrace(encoding.NewArray(slow(2, 24, 70), 1, 70, 24))
	const n = 25
	basis := need.Value(x.stationaryBasis(y, n))(t)
	var covariance [n]float64 // of values at a lag, before their mean is taken off
	for lag := range n {
		for _, z := range []*trace{x, y} {
			v := z.window(0, z.len())
			for k := range v {
				if k%z.len() >= lag {
					covariance[lag] += v[k] * v[k-lag]
				}
			}
		}
	}
	for a := range n {
		for b := range n {
			var product, dot, meanA, meanB float64
			for i := range n {
				meanA, meanB = meanA+basis[i*n+a]/n, meanB+basis[i*n+b]/n
			}
			for i := range n {
				dot += basis[i*n+a] * basis[i*n+b]
				for j := range n {
					product += (basis[i*n+a] - meanA) * covariance[max(i-j, j-i)] * (basis[j*n+b] - meanB)
				}
			}
			if want := map[bool]float64{true: 1}[a == b]; math.Abs(dot-want) > 1e-10 {
				t.Fatalf("vectors %d and %d: product %g", a, b, dot)
			}
			if a != b && math.Abs(product) > 1e-9 {
				t.Fatalf("values %d and %d: covariance %g", a, b, product)
			}
		}
	}
}

// What two windows show is weighed in cosines as the slow definition has it.
func TestStepsByDefinition(t *testing.T) {
	r := random.New(5, "test", "steps")
	const n, channels = 21, 2
	u, v := make([]float64, n*channels), make([]float64, n*channels)
	for i := range u {
		u[i], v[i] = r.Normal(), r.Normal()
	}
	var all []int
	for j := range n - 1 {
		all = append(all, j+1)
	}
	got := steps(u, v, cosines(n, all), n)
	for c := range channels {
		for j := 1; j < n; j++ {
			var a, b float64
			for i := range n {
				base := math.Sqrt(2./n) * math.Cos(math.Pi*(float64(i)+0.5)*float64(j)/n)
				a, b = a+u[c*n+i]*base, b+v[c*n+i]*base
			}
			if w := got[c*(n-1)+j-1]; math.Abs(w-(a*a+b*b)/2) > 1e-12 {
				t.Fatalf("channel %d, cosine %d: %g, by definition %g", c, j, w, (a*a+b*b)/2)
			}
		}
	}
}

// whiteNetworks are the series of bench/scale/series.py: regions without autocorrelation, in three networks.
func whiteNetworks(seed uint64, nodes, volumes int) []float64 {
	r := random.New(seed, "test", "networks")
	v := make([]float64, nodes*volumes)
	r.Normals(v)
	for i := range volumes {
		for k := range 3 {
			common := r.Normal()
			for j := k * nodes / 3; j < (k+1)*nodes/3; j++ {
				v[i*nodes+j] += common
			}
		}
	}
	return v
}

// unrelated makes series of 24 regions by what they are like.
func unrelated(t *testing.T) map[string]func(seed uint64, volumes int) *encoding.Array {
	const nodes, pad = 24, 60
	banded := func(tr float64) func(uint64, int) *encoding.Array {
		return func(seed uint64, volumes int) *encoding.Array {
			a := processed{tr: tr}.of(t, slow(seed, nodes, volumes+2*pad), nodes)
			return encoding.NewArray(slices.Clone(a.Float64s()[pad*nodes:(pad+volumes)*nodes]), 1, volumes, nodes)
		}
	}
	return map[string]func(uint64, int) *encoding.Array{
		"white, networks": func(seed uint64, volumes int) *encoding.Array {
			return encoding.NewArray(whiteNetworks(seed, nodes, volumes), 1, volumes, nodes)
		},
		"autocorrelated, 0.85": func(seed uint64, volumes int) *encoding.Array {
			return encoding.NewArray(slow(seed, nodes, volumes), 1, volumes, nodes)
		},
		"0.01 to 0.1 Hz, TR 2 s":    banded(2),
		"0.01 to 0.1 Hz, TR 0.72 s": banded(0.72),
	}
}

// Of unrelated series fewer comparisons have a probability than it says, at each level and whatever the autocorrelation
// of the series: so a correlation of 0.95 is rare in the one, and common in the other.
func TestChanceOfUnrelatedSeries(t *testing.T) {
	const count = 60
	for name, series := range unrelated(t) {
		for what, kind := range map[string]func(*encoding.Array) *trace{"mean": meanTrace, "filtered": filteredTrace} {
			traces := make([]*trace, count)
			for i := range traces {
				traces[i] = kind(series(uint64(i), []int{80, 51, 120, 200}[i%4]))
			}
			of := make([][]float64, count) // chances, of the best lag of each pair
			lags := comparisons(traces)[traces[0].kind()]
			dense.Each(2, count, func(i int) {
				for _, y := range traces[:i] {
					if m := traces[i].meet(y); math.Abs(m.r) > 0.5 {
						of[i] = append(of[i], need.Value(traces[i].chance(y, m.lag, 0))(t))
					}
				}
			})
			all := slices.Concat(of...)
			var levels []string
			for _, level := range []float64{1e-2, 1e-3, 1e-4, 1e-5} {
				n := lists.Count(all, func(p float64) bool { return p <= math.Log(level) })
				levels = append(levels, fmt.Sprintf("%d of %.0f", n, level*lags))
				if float64(n) > 0.5*level*lags+1 {
					t.Errorf("%s, %s: %d pairs at %g of %g comparisons", name, what, n, level, lags)
				}
			}
			t.Logf("%s, %s: %s", name, what, strings.Join(levels, ", "))
		}
	}
}

// Of unrelated series none are taken for one scan where many correlate by enough; the report says how many, and
// at which probability. A copy among them is found.
func TestUnrelatedSeriesAreAlikeByChance(t *testing.T) {
	for name, series := range unrelated(t) {
		var ins []dag.Input
		for i := range 80 {
			ins = append(ins, seriesInput(series(uint64(i), 80), fmt.Sprintf("sub-%02d", i)))
		}
		s := &Leakage{Correlation: 0.5, Filtered: 0.4}
		heard := func(ins []dag.Input) ([]fold.Duplicate, byChance) {
			all, _, _, err := readTraces(ins, 2, meanTrace, filteredTrace)
			need.NoError(t, err)
			same, chance, err := s.sameTraces(all, ins, 2)
			need.NoError(t, err)
			return same, chance
		}
		same, chance := heard(ins)
		text := chance.text(s)
		for _, part := range []string{fmt.Sprintf(`"N":%d,`, chance.count),
			fmt.Sprintf(`"LeastMean":%.4f`, 1e8*0.005/(80*79/2*59))} {
			if same != nil || chance.count < 5 || !strings.Contains(text, part) {
				t.Errorf("%s: %v, %q, want %q", name, same, text, part)
			}
		}
		copied := series(3, 80).Float64s()[15*24:]
		noise := random.New(9, "test", "noise")
		for i := range copied {
			copied[i] = -3*copied[i] + 0.1*noise.Normal()
		}
		same, _ = heard(append(ins, seriesInput(encoding.NewArray(copied, 1, 65, 24), "sub-99")))
		other := func(d fold.Duplicate) bool { return d.First != "sub-03" || d.Later != "sub-99" }
		if same == nil || slices.ContainsFunc(same, other) { // of a narrow band by their filtered signals alone
			t.Errorf("%s: %v", name, same)
		}
	}
}
