package extract

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// The likeness is the correlation of the residuals of two least-squares fits, and no smooth factor changes it.
func TestLikeness(t *testing.T) {
	shape := [3]int{9, 8, 7}
	n := 9 * 8 * 7
	r := random.New(3, "likeness")
	a, b, scaled := make([]float64, n), make([]float64, n), make([]float64, n)
	var at []int32
	for v := range n {
		common := r.Normal()
		a[v], b[v] = 100*math.Exp(0.3*common+0.1*r.Normal()), 7*math.Exp(0.3*common+0.2*r.Normal())
		x, y, z := float64(v%9), float64(v/9%8), float64(v/72)
		scaled[v] = 50 * a[v] * math.Exp(0.2*x-0.03*y*y+0.02*x*z)
		if v%5 > 0 {
			at = append(at, int32(v))
		}
	}
	b[at[3]], a[at[7]], b[at[9]] = 0.1, math.NaN(), -2 // not compared
	var lines, logA, logB []float64
	for k, v := range at {
		x, y, z := float64(v%9), float64(v/9%8), float64(v/72)
		if k != 3 && k != 7 && k != 9 {
			lines = append(lines, 1, x, y, z, x*x, y*y, z*z, x*y, x*z, y*z)
			logA, logB = append(logA, math.Log(a[v])), append(logB, math.Log(b[v]))
		}
	}
	design := mat.NewDense(len(logA), 10, lines)
	rest := func(y []float64) *mat.VecDense {
		var beta, fit mat.VecDense
		need.NoError(t, beta.SolveVec(design, mat.NewVecDense(len(y), y)))
		fit.MulVec(design, &beta)
		fit.SubVec(mat.NewVecDense(len(y), y), &fit)
		return &fit
	}
	x, y := rest(logA), rest(logB)
	want := mat.Dot(x, y) / math.Sqrt(mat.Dot(x, x)*mat.Dot(y, y))
	if got := likeness(a, b, at, shape); !(math.Abs(got-want) < 1e-12) || !(got > 0.5) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := likeness(a, scaled, at, shape); !(got > 1-1e-12) {
		t.Errorf("with a smooth factor %v", got)
	}
	for _, unknown := range []float64{likeness(a, make([]float64, n), at, shape), likeness(a, b, at[:199], shape),
		likeness(a, b, nil, shape)} {
		need.Equal(t, math.IsNaN(unknown), true)
	}
	// A plane of voxels has no third axis.
	if got := likeness(a, scaled, at[:400], [3]int{504, 1, 1}); math.IsNaN(got) {
		t.Error("a line of voxels is not compared")
	}
}

// The mean of a raw scan is like its reference. That of the fixture is distorted, and a raw scan without the correction
// of distortion more like it.
func TestReferenceR(t *testing.T) {
	r := func(without ...string) float64 {
		in := minimalInputs(t, minimalCodes)
		in["parcels"] = dag.InputOf(layMinimal(t, in)["parcels"])
		for _, port := range without {
			delete(in, port)
		}
		b := &Bootstrap{Fraction: 1.0 / 3, MinValid: 0.5}
		out := need.Value(stagetest.RunWith(b, only(b, in)))(t)
		row := need.Value(column.Rows[scanRow](out["scan"].(*encoding.Table)))(t)[0]
		text := out["scan"].(*encoding.Table).Meta[column.ReferenceR]
		if stated := need.Value(column.MetaOf[*float64](map[string]string{"r": text}, "r"))(t); (stated == nil) !=
			math.IsNaN(row.ReferenceR) || stated != nil && *stated != row.ReferenceR {
			t.Errorf("the metadata states %s", text)
		}
		return row.ReferenceR
	}
	corrected, distorted := r(), r("fieldmap", "fieldmap_transform")
	if !(corrected > 0.7 && distorted > 0.95) || !math.IsNaN(r("reference")) {
		t.Errorf("likeness %v, as distorted as the reference %v", corrected, distorted)
	}
	in := minimalInputs(t, minimalCodes)
	in["parcels"] = dag.InputOf(layMinimal(t, in)["parcels"])
	b := &Bootstrap{Fraction: 1.0 / 3, MinValid: 0.5}
	for want, image := range map[string]dag.Input{"has 40 volumes, but a reference has one": in["bold"],
		"connect the same reference to parcellate": in["labels"]} {
		in["reference"] = image
		_, err := stagetest.RunWith(b, only(b, in))
		need.Error(t, err, want)
	}
}
