package dense

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"prgnn/internal/need"
)

// Eigenvalues are gonum's, V·Vᵀ = 1 and VᵀΛV = A, of random, graded, diagonal and repeated ones.
func TestEigenAgreesWithGonum(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 15, 40, 84, 111} {
		padded, _ := wishart(uint64(n), n+5, n)
		random := make([]float64, n*n)
		for i := range n {
			copy(random[i*n:][:n], padded[i*Padded(n):])
		}
		graded, diagonal, ones := slices.Clone(random), make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			for j := range n {
				graded[i*n+j] *= math.Pow(10, -float64(i+j)/float64(n)*6)
				ones[i*n+j] = 1
			}
			diagonal[i*n+i] = float64(1 + i%3)
		}
		for name, a := range map[string][]float64{"random": random, "graded": graded, "diagonal": diagonal,
			"ones": ones, "zero": make([]float64, n*n)} {
			values, vectors, err := Eigen(a, n)
			if err != nil {
				t.Fatalf("%s, n = %d: %v", name, n, err)
			}
			if alone, err := Eigenvalues(a, n); err != nil || !slices.Equal(alone, values) {
				t.Errorf("%s, n = %d: eigenvalues alone %v, with vectors %v", name, n, alone, values)
			}
			var e mat.EigenSym
			if !e.Factorize(mat.NewSymDense(n, slices.Clone(a)), false) {
				t.Fatal("gonum cannot factorize")
			}
			want, largest := e.Values(nil), 0.0
			for _, v := range want {
				largest = max(largest, math.Abs(v))
			}
			for i, v := range slices.Sorted(slices.Values(values)) {
				if math.Abs(v-want[i]) > 1e-13*largest {
					t.Errorf("%s, n = %d: eigenvalue %v, gonum %v", name, n, v, want[i])
				}
			}
			back, one := make([]float64, n*n), make([]float64, n*n)
			Spectral(back, values, vectors, n, func(l float64) float64 { return l })
			Spectral(one, values, vectors, n, func(float64) float64 { return 1 })
			for i := range n {
				for j := range n {
					id := 0.0
					if i == j {
						id = 1
					}
					if math.Abs(back[i*n+j]-a[i*n+j]) > 1e-13*largest || math.Abs(one[i*n+j]-id) > 1e-13 ||
						back[i*n+j] != back[j*n+i] {
						t.Fatalf("%s, n = %d, (%d,%d): VᵀΛV %v, A %v, VᵀV %v", name, n, i, j, back[i*n+j], a[i*n+j], one[i*n+j])
					}
				}
			}
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.MaxFloat64} {
		if _, _, err := Eigen([]float64{v, v, v, v}, 2); err != ErrNotFinite {
			t.Errorf("eigenvalues of a matrix of %v: %v", v, err)
		}
	}
}

// hardSpectra calls f with matrices whose eigenvalues are hard to find: rank-deficient, clustered, graded, at the
// rounding of the largest, and those of Wilkinson, also glued (Demmel, Marques, Parlett & Vömel 2008, SIAM J Sci
// Comput 30:1508); some tiny, some huge. The eigenvalues of matrix k divided by scale are of the order of 1.
func hardSpectra(count int, f func(k int, kind string, a []float64, n int, scale float64)) {
	kinds := []string{"rank-deficient", "clustered", "graded", "few large ones", "at the rounding", "Wilkinson",
		"glued Wilkinson", "weakly coupled", "zero diagonal", "graded entries"}
	r := rand.New(rand.NewPCG(1, 2))
	tiny := func() float64 { return math.Pow(10, -20*r.Float64()) }
	sign := func() float64 { return float64(1 - 2*r.IntN(2)) }
	for k := range count {
		kind, n := kinds[k%len(kinds)], 2+r.IntN(30)
		if k%500 < len(kinds) {
			n = 100 + r.IntN(50)
		}
		a := make([]float64, n*n)
		set := func(i, j int, v float64) { a[i*n+j], a[j*n+i] = v, v }
		glue, small, block, rank, down := tiny(), tiny(), 5+2*r.IntN(8), 1+r.IntN(n), r.IntN(2) == 0
		for i := range n {
			last := min(i+1, n-1)
			if last > i {
				set(i, last, 1) // overwritten by those that are not tridiagonal
			}
			switch kind {
			case "rank-deficient":
				set(i, i, r.ExpFloat64())
				if i >= rank {
					set(i, i, 0)
				}
			case "clustered":
				set(i, i, float64(1+i%3)*(1+float64(r.IntN(5))*1e-15))
			case "graded":
				set(i, i, tiny()*sign())
			case "few large ones":
				set(i, i, small)
				if i <= rank%3 {
					set(i, i, float64(i+1))
				}
			case "at the rounding":
				set(i, i, 0x1p-53*r.NormFloat64())
				set(0, 0, 1)
			case "Wilkinson":
				set(i, i, math.Abs(float64(i)-float64(n-1)/2))
			case "glued Wilkinson":
				set(i, i, math.Abs(float64(i%block)-float64(block-1)/2))
				if i%block == block-1 && last > i {
					set(i, last, glue)
				}
			case "weakly coupled", "zero diagonal":
				if last > i {
					set(i, last, tiny())
				}
				if kind == "weakly coupled" {
					set(i, i, tiny()*sign())
				}
			case "graded entries":
				for j := range i + 1 {
					power := -20 * float64(i+j) / float64(n)
					if down {
						power = -40 - power
					}
					set(i, j, math.Pow(10, power)*r.NormFloat64())
				}
			}
		}
		if slices.Index(kinds, kind) < 5 { // a diagonal one so far: turned by two reflections
			for i := range n - 1 {
				set(i, i+1, 0)
			}
			v, u := make([]float64, n), make([]float64, n)
			for range 2 {
				for i := range v {
					v[i] = r.NormFloat64()
				}
				length := math.Sqrt(SumSquares(v))
				for i := range v {
					v[i] /= length
				}
				for i := range u {
					u[i] = Dot(a[i*n:][:n], v)
				}
				along := Dot(u, v)
				for i := range n {
					for j := range i + 1 {
						set(i, j, a[i*n+j]+4*along*v[i]*v[j]-2*(u[i]*v[j]+v[i]*u[j]))
					}
				}
			}
		}
		scale := []float64{1, 1, 1, 0x1p-900, 0x1p900}[k/len(kinds)%5]
		for i := range a {
			a[i] *= scale
		}
		f(k, kind, a, n, scale)
	}
}

// All hard spectra are found; eigenvalues are gonum's, and of each tenth matrix V·A = Λ·V and V·Vᵀ = 1.
func TestEigenOfHardSpectra(t *testing.T) {
	hardSpectra(10_000, func(k int, kind string, a []float64, n int, scale float64) {
		for i := range a { // gonum's own scaling is another matter
			a[i] /= scale
		}
		var e mat.EigenSym
		if !e.Factorize(mat.NewSymDense(n, slices.Clone(a)), false) {
			t.Fatalf("matrix %d (%s): gonum cannot factorize", k, kind)
		}
		want := e.Values(nil)
		rounding := 8 * float64(n) * 0x1p-53 * max(-want[0], want[n-1])
		for i := range a {
			a[i] *= scale
		}
		values, err := Eigenvalues(a, n)
		if err != nil {
			t.Fatalf("matrix %d (%s, n = %d): %v", k, kind, n, err)
		}
		for i, v := range slices.Sorted(slices.Values(values)) {
			if !(math.Abs(v/scale-want[i]) <= rounding) {
				t.Fatalf("matrix %d (%s, n = %d): eigenvalue %v, gonum %v", k, kind, n, v/scale, want[i])
			}
		}
		if k/10%10 > 0 {
			return
		}
		values, vectors, err := Eigen(a, n)
		if err != nil {
			t.Fatalf("matrix %d (%s, n = %d): %v", k, kind, n, err)
		}
		turned, gram := make([]float64, n*n), make([]float64, n*n)
		Multiply(turned, n, Rows(vectors, n), Rows(a, n), n, n, n, false, 1)
		Multiply(gram, n, Rows(vectors, n), Rows(vectors, n).T(), n, n, n, false, 1)
		for i := range n {
			for j := range n {
				id := 0.0
				if i == j {
					id = 1
				}
				off := turned[i*n+j]/scale - values[i]/scale*vectors[i*n+j]
				if !(math.Abs(off) <= rounding && math.Abs(gram[i*n+j]-id) <= 8*float64(n)*0x1p-53) {
					t.Fatalf("matrix %d (%s, n = %d): V·A − Λ·V %g, V·Vᵀ %v", k, kind, n, off, gram[i*n+j])
				}
			}
		}
	})
}

// Eigenvalues of hard spectra are those of LAPACK.
func TestEigenvaluesAreLAPACKs(t *testing.T) {
	python := need.Python(t, "numpy")
	var in strings.Builder
	var got [][]float64
	hardSpectra(2000, func(_ int, _ string, a []float64, n int, _ float64) {
		binary.Write(&in, binary.LittleEndian, float64(n))
		binary.Write(&in, binary.LittleEndian, a)
		got = append(got, slices.Sorted(slices.Values(need.Value(Eigenvalues(a, n))(t))))
	})
	cmd := exec.Command(python, "-c", `import sys, numpy as np
x, at = np.frombuffer(sys.stdin.buffer.read()), 0
while at < len(x):
    n = int(x[at]); a = x[at+1:at+1+n*n].reshape(n, n); at += 1 + n*n
    sys.stdout.buffer.write(np.linalg.eigvalsh(a).tobytes())`)
	cmd.Stdin = strings.NewReader(in.String())
	out := need.Value(cmd.Output())(t)
	for k, values := range got {
		n := len(values)
		want := make([]float64, n)
		out = out[need.Value(binary.Decode(out, binary.LittleEndian, want))(t):]
		for i, v := range values {
			if !(math.Abs(v-want[i]) <= 8*float64(n)*0x1p-53*max(-want[0], want[n-1])) {
				t.Fatalf("matrix %d: eigenvalue %v, LAPACK %v", k, v, want[i])
			}
		}
	}
}
