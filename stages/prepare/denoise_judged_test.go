package prepare

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"prgnn/artifacts"
	"prgnn/connectivity"
	"prgnn/connectivity/damage"
)

// What is remembered of a series is what it shows in these regions and volumes, and with this repetition time.
func TestJudge(t *testing.T) {
	const volumes, regions = 60, 12
	series := func(n int) connectivity.Matrix {
		x := connectivity.Matrix{Rows: volumes, Cols: regions, Data: make([]float64, volumes*regions)}
		for i := range x.Data {
			x.Data[i] = math.Sin(float64(n*i) + float64(i*i%97))
		}
		for j := range regions {
			x.Data[j] += 40 // not yet in the steady state
		}
		return x
	}
	present := make([]connectivity.Status, regions)
	without := slices.Clone(present)
	without[3] = connectivity.Missing
	all := slices.Repeat([]bool{true}, volumes)
	later := slices.Clone(all)
	later[0], later[1] = false, false
	seen := map[string]bool{}
	for round := range 3 {
		for n := range 40 { // more than are remembered
			x := series(n + 1)
			for i, c := range []struct {
				status []connectivity.Status
				used   []bool
				tr     float64
			}{{present, all, 2}, {without, all, 2}, {present, later, 2}, {present, all, 0.5}} {
				want := judged{damage.FarVolumes(x, c.status, c.used),
					damage.FactsOf(x, c.status, max(slices.Index(c.used, true), 0), c.tr)}
				for range 2 {
					got := judge(artifacts.DigestOf([]byte{byte(n)}), x, c.status, c.used, c.tr)
					if fmt.Sprint(got) != fmt.Sprint(want) || !reflect.DeepEqual(got.far.First, want.far.First) {
						t.Fatalf("round %d, series %d, case %d: got %+v, want %+v", round, n, i, got, want)
					}
				}
				seen[fmt.Sprint(want)] = true
			}
		}
	}
	if len(seen) != 160 {
		t.Errorf("the cases have %d answers, want 160", len(seen))
	}
	if len(lately.of) != len(lately.last) || len(lately.last) > 64 {
		t.Errorf("%d of %d are remembered, want 64 at most", len(lately.of), len(lately.last))
	}
}
