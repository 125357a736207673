package baseline

import (
	"context"
	"math"
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
)

// What a machine that does not converge is said to need is what its settings leave.
func TestSVMRemediesFitTheSettings(t *testing.T) {
	near, label := Rows{N: 8, D: 2}, make([]int, 8)
	for i, r := 0, random.New(1, "test", "svm"); i < near.N; i++ { // groups that mix
		near.X, label[i] = append(near.X, 1+r.Normal()/8, 1+r.Normal()/8), i%2
	}
	_, err := FitSVM(context.Background(), SVM{Kernel: "linear", C: 1e12, Tolerance: 1e-12}, near, label, 2, 1)
	need.Error(t, err, "the SVM has not converged in 10 million steps: use a smaller c, or a larger tolerance")
	large := Rows{N: 2, D: 2, X: []float64{30, 40, -30, 50}}
	for _, c := range []struct {
		o      SVM
		x      Rows
		p      float64
		others []string
		want   string
	}{
		{SVM{Kernel: "rbf", C: 1}, large, -1, []string{"a larger tolerance"}, "a smaller c, or a larger tolerance"},
		// C·n is beside 1e9, to which numbers of that size lead, nothing
		{SVM{Kernel: "rbf", C: 1}, large, -1e9, []string{"a larger tolerance"}, "a larger tolerance"},
		{SVM{Kernel: "linear", C: 1}, large, -1, nil, "a smaller c, or inputs nearer 1 (standardize: training)"},
		{SVM{Kernel: "linear", C: 1e-9}, large, -1, nil, "inputs nearer 1 (standardize: training)"},
		{SVM{Kernel: "linear", C: 1e-9}, near, -1, nil, "inputs that differ more, or another model"},
	} {
		need.Equal(t, c.o.calmer(c.x, []float64{c.p, c.p}, c.others...), c.want)
	}
}

// smo takes the steps of its definition, written out: the same pairs, and so the same bits.
func TestSMOTakesTheStepsOfItsDefinition(t *testing.T) {
	r := random.New(2, "test", "smo")
	for n := 2; n < 80; n += 3 {
		x := Rows{N: n, D: 5}
		for range n * x.D {
			x.X = append(x.X, math.Round(4*r.Normal())/4) // with ties
		}
		copy(x.X[x.D:2*x.D], x.X[:x.D]) // and a curvature of 0
		for _, kernel := range []kernel{{linear: true}, {gamma: 0.1}} {
			k := kernel.gram(x, 1)
			for _, c := range []float64{0.01, 1, 100} {
				p, y := make([]float64, n), make([]float64, n)
				for i := range y {
					p[i], y[i] = -1, float64(2*(i*7%3%2)-1)
				}
				twice, signs := make([]float64, 2*n), make([]float64, 2*n)
				for i := range y {
					v := r.Normal()
					twice[i], signs[i], twice[n+i], signs[n+i] = 0.1-v, 1, 0.1+v, -1
				}
				for _, problem := range [][2][]float64{{p, y}, {twice, signs}} {
					got, rho, err := smo(context.Background(), k, problem[0], problem[1], c, 1e-3)
					need.NoError(t, err)
					want, at := definitionOfSMO(k, problem[0], problem[1], c, 1e-3)
					need.Equal(t, testdir.Bits(got, []float64{rho}), testdir.Bits(want, []float64{at}), n, c)
				}
			}
		}
	}
}

// The passes of this machine and the portable ones find the same, of any length, and of numbers that overflow, vanish
// and tie.
func TestPassesOfThisMachineArePortable(t *testing.T) {
	fast, r, found := fastestPasses(), random.New(3, "test", "passes"), 0
	for n := 1; n < 200; n++ {
		for _, unit := range []float64{1, 0x1p-530, 0x1p510, 0x1p-1070, 0x1p1020} {
			v := make([][]float64, 6) // g, grow, shrink, diagonal, two rows
			for i := range v {
				v[i] = make([]float64, n)
				for k := range v[i] {
					switch v[i][k] = math.Round(2*r.Normal()) * unit; {
					case i == 1 || i == 2:
						v[i][k] = []float64{0, math.Inf(-1)}[k*7%(3+n%4)&1]
					case n%5 == 0 && k%11 == 3:
						v[i][k] = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.Uint64()%3]
					}
				}
			}
			j, worst := fast.second(v[0], v[2], v[3], v[4], unit, 2*unit)
			wantJ, wantWorst := secondGo(v[0], v[2], v[3], v[4], unit, 2*unit)
			need.Equal(t, j, wantJ, n, unit)
			need.Equal(t, worst, wantWorst, n, unit)
			if j >= 0 {
				found++
			}
			want := slices.Clone(v[0])
			i, best := fast.move(v[0], v[1], v[4], v[5], 0.3, -0.7)
			wantI, wantBest := moveGo(want, v[1], v[4], v[5], 0.3, -0.7)
			need.Equal(t, best, wantBest, n, unit)
			need.Equal(t, testdir.Bits(v[0]), testdir.Bits(want), n, unit)
			if best > math.Inf(-1) {
				need.Equal(t, i, wantI, n, unit)
			}
		}
	}
	if found < 500 {
		t.Errorf("%d of 995 have a second multiplier", found)
	}
}

// definitionOfSMO is smo as it is defined.
func definitionOfSMO(k, p, y []float64, c, tolerance float64) ([]float64, float64) {
	n, rows := len(y), int(math.Sqrt(float64(len(k))))
	at := func(i, j int) float64 { return k[i%rows*rows+j%rows] }
	alpha, g := make([]float64, n), make([]float64, n)
	for t := range g {
		g[t] = p[t] * y[t]
	}
	for {
		i, j, best, worst, gain := -1, -1, math.Inf(-1), math.Inf(-1), 0.0
		for t := range g {
			if up := y[t] > 0 && alpha[t] < c || y[t] < 0 && alpha[t] > 0; up && -g[t] >= best {
				i, best = t, -g[t]
			}
		}
		for t := range g {
			if down := y[t] > 0 && alpha[t] > 0 || y[t] < 0 && alpha[t] < c; !down || i < 0 {
				continue
			}
			worst = max(worst, g[t])
			curve := at(i, i) + at(t, t) - float64(2*at(i, t))
			if curve <= 0 {
				curve = 1e-12
			}
			if b := best + g[t]; b > 0 && b*b/curve >= gain {
				j, gain = t, b*b/curve
			}
		}
		if i < 0 || j < 0 || best+worst < tolerance {
			return alpha, offset(alpha, y, g, c)
		}
		di, dj := pairStep(alpha[i], alpha[j], y[i], y[j], g[i], g[j], at(i, i)+at(j, j)-float64(2*at(i, j)), c)
		alpha[i], alpha[j] = alpha[i]+di, alpha[j]+dj
		for t := range g {
			g[t] += float64(y[i]*di*at(i, t)) + float64(y[j]*dj*at(j, t))
		}
	}
}

// A support vector machine compares each case with each, whatever its kernel, and refuses more than have a matrix.
func TestTooManyCasesOfSupportVectors(t *testing.T) {
	x, label, sign := shifted(MostPaired+1, 2)
	for _, kernel := range []string{"linear", "rbf"} {
		o := SVM{Kernel: kernel, C: 1, Tolerance: 1e-3}
		_, err := FitSVM(context.Background(), o, x, label, 2, 2)
		need.Error(t, err, "11586 training graphs", "at most 11585", "draws: 1")
		_, err = SVMTo(context.Background(), o, 0.1, x, sign, 2)
		need.Error(t, err, "11586 training graphs")
	}
}
