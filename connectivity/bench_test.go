package connectivity

import (
	"math/rand/v2"
	"testing"

	"prgnn/internal/need"
)

func randoms(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// manySeries are draws of the paper's size: T = 146, N = 84.
func manySeries(n int) []Matrix { return manySeriesOf(n, 146, 84) }

func manySeriesOf(n, volumes, regions int) []Matrix {
	v := randoms(1, n*volumes*regions)
	draws := make([]Matrix, n)
	for d := range draws {
		draws[d] = Matrix{Rows: volumes, Cols: regions, Data: v[d*volumes*regions:][:volumes*regions]}
	}
	return draws
}

func BenchmarkEstimate(b *testing.B) {
	draws := manySeries(118)
	for _, e := range []Estimator{Empirical, LedoitWolf} {
		b.Run(string(e), func(b *testing.B) {
			for b.Loop() {
				if _, err := Estimate(draws, Options{Partial: e}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(draws)), "ns/graph")
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	c := need.Value(Estimate(manySeries(118), Options{}))(b)
	for b.Loop() {
		for d := range c.Draws {
			if _, err := Build(c.view(c.Partial, d), Rule{Density: 0.1}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.Draws), "ns/graph")
}

func BenchmarkGlasso84(b *testing.B) {
	draws := manySeries(1)
	for b.Loop() {
		if _, err := Estimate(draws, Options{Partial: Glasso, Alpha: 0.1, Tolerance: 1e-4}); err != nil {
			b.Fatal(err)
		}
	}
}
