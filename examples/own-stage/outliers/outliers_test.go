package outliers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
)

// TestCode fails when the code was edited and `go generate` forgotten: each build of the program
// would run the stage again.
func TestCode(t *testing.T) {
	if out, err := exec.Command("go", "run", "prgnn/dag/codeid", "-check", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// cohort are correlation matrices of n participants; the last one's have the opposite sign.
func cohort(n, regions int) []*encoding.Array {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]*encoding.Array, n)
	for p := range all {
		m := make([]float64, regions*regions)
		for i := range regions {
			m[i*regions+i] = 1
			for j := range i {
				x := 0.4*math.Cos(float64(i*j)) + 0.1*r.NormFloat64()
				if p == n-1 {
					x = -x
				}
				m[i*regions+j], m[j*regions+i] = math.Tanh(x), math.Tanh(x)
			}
		}
		all[p] = encoding.NewArray(m, 1, regions, regions)
	}
	return all
}

func run(s *Outliers, all []*encoding.Array) (dag.Outputs, error) {
	var ins []dag.Input
	for i, a := range all {
		ins = append(ins, dag.InputOf(a, dag.Coord{Axis: "subject", Value: fmt.Sprintf("sub-%02d", i+1)}))
	}
	return s.Run(context.Background(), dag.NewTask(map[string][]dag.Input{"matrices": ins}))
}

// The distances are those of the definition by another way: with u the eigenvectors of length 1 of the
// participants' inner products, found by power iteration, d² = (n−1)·Σ u². The
// outlier has the smallest p, and for two components p = (1 − n·d²/(n−1)²)^((n−3)/2).
func TestOutliers(t *testing.T) {
	const n, regions, k = 15, 7, 2
	all := cohort(n, regions)
	out, err := run(&Outliers{Components: k}, all)
	if err != nil {
		t.Fatal(err)
	}
	table := out["distances"].(*encoding.Table)
	distance, err := table.Floats("squared_distance")
	if err != nil {
		t.Fatal(err)
	}
	p, err := table.Floats("p")
	if err != nil {
		t.Fatal(err)
	}

	var x [n][]float64 // Fisher z, centered
	for i, a := range all {
		for r := range regions {
			for c := r + 1; c < regions; c++ {
				x[i] = append(x[i], math.Atanh(a.Float64s()[r*regions+c]))
			}
		}
	}
	for e := range x[0] {
		mean := 0.0
		for i := range x {
			mean += x[i][e] / n
		}
		for i := range x {
			x[i][e] -= mean
		}
	}
	inner := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	var want [n]float64
	var found [][]float64
	for range k {
		u := make([]float64, n)
		for i := range u {
			u[i] = float64(i%3) - 0.7
		}
		for range 3000 {
			next := make([]float64, n)
			for i := range next {
				for j := range u {
					next[i] += inner(x[i], x[j]) * u[j]
				}
			}
			for _, f := range found {
				along := inner(next, f)
				for i := range next {
					next[i] -= along * f[i]
				}
			}
			length := math.Sqrt(inner(next, next))
			for i := range u {
				u[i] = next[i] / length
			}
		}
		found = append(found, u)
		for i := range want {
			want[i] += (n - 1) * u[i] * u[i]
		}
	}
	for i, d := range distance {
		if math.Abs(d-want[i]) > 1e-7*want[i] {
			t.Errorf("participant %d: %v, want %v", i+1, d, want[i])
		}
		if closed := math.Pow(1-n*want[i]/((n-1)*(n-1)), (n-3)/2.); math.Abs(p[i]-closed) > 1e-7 {
			t.Errorf("participant %d: p = %v, want %v", i+1, p[i], closed)
		}
		if i < n-1 && p[i] <= p[n-1] {
			t.Errorf("participant %d has p = %v, the last one, who is the outlier, %v", i+1, p[i], p[n-1])
		}
	}

	// Loadings have length 1 over the connections, and the first component is u·x.
	loadings := out["components"].(*encoding.Array)
	if fmt.Sprint(loadings.Shape) != fmt.Sprint([]int{k, regions, regions}) {
		t.Fatalf("components of shape %v", loadings.Shape)
	}
	l := loadings.Float64s()[:regions*regions]
	if length := inner(l, l); math.Abs(length-2) > 1e-6 { // both triangles
		t.Errorf("the squared loadings of both triangles sum to %v, want 2", length)
	}
	var along []float64
	for e := range x[0] {
		sum := 0.0
		for i := range x {
			sum += found[0][i] * x[i][e]
		}
		along = append(along, sum)
	}
	scale, e := math.Sqrt(inner(along, along)), 0
	for r := range regions {
		for c := r + 1; c < regions; c++ {
			if math.Abs(math.Abs(l[r*regions+c])-math.Abs(along[e])/scale) > 1e-6 || l[r*regions+c] != l[c*regions+r] {
				t.Errorf("loading (%d, %d) is %v, want ±%v", r, c, l[r*regions+c], along[e]/scale)
			}
			e++
		}
	}
}

func TestRefused(t *testing.T) {
	small := encoding.NewArray(make([]float64, 9), 1, 3, 3)
	flat := encoding.NewArray(make([]float64, 9), 9)
	for want, all := range map[string][]*encoding.Array{
		"3 participants: 2 components need at least 4": cohort(3, 5),
		"its shape is [1 3 3]; all participants need":  append(cohort(5, 5), small),
		"its shape is [9]; all participants need":      {flat, flat},
	} {
		if _, err := run(&Outliers{Components: 2}, all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestWithin: with within, an offset of one site's Fisher z changes nothing; without participants it is refused.
func TestWithin(t *testing.T) {
	const n, regions = 15, 7
	distance := func(offset float64) []float64 {
		var ins []dag.Input
		ids, sites := make([]string, n), make([]string, n)
		for i, a := range cohort(n, regions) {
			ids[i], sites[i] = fmt.Sprintf("sub-%02d", i+1), []string{"1", "2"}[i%2]
			m := append([]float64(nil), a.Float64s()...)
			for e, v := range m {
				if i%2 == 0 && v < 1 {
					m[e] = math.Tanh(math.Atanh(v) + offset)
				}
			}
			ins = append(ins, dag.InputOf(encoding.NewArray(m, 1, regions, regions),
				dag.Coord{Axis: "subject", Value: ids[i]}))
		}
		people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "site", Values: sites})
		s := &Outliers{Components: 2, Within: "site"}
		if _, err := s.Run(context.Background(), dag.NewTask(map[string][]dag.Input{"matrices": ins})); err == nil {
			t.Error("within without participants is accepted")
		}
		out, err := s.Run(context.Background(), dag.NewTask(map[string][]dag.Input{"matrices": ins,
			"participants": {dag.InputOf(people)}}))
		if err != nil {
			t.Fatal(err)
		}
		squared, err := out["distances"].(*encoding.Table).Floats("squared_distance")
		if err != nil {
			t.Fatal(err)
		}
		return squared
	}
	without := distance(0)
	for i, d := range distance(0.3) {
		if math.Abs(d-without[i]) > 1e-6 {
			t.Errorf("participant %d: %g, without the offset %g", i, d, without[i])
		}
	}
}
